# SPDX-License-Identifier: BSD-2-Clause
"""Claim: with HALOGRAD_PRECISION=single Python has the library of floats: arrays of float32 that are the library's memory, derivatives that
fit, in texts with functions and with levels, a step in three dimensions and its gradient to 1e-5 of numpy's in doubles, results that are
read again, and the same bits on any number of ranks."""
import halograd as hg
import numpy as np
import pytest
from conftest import WORLD
from mpi4py import MPI
from test_levels import SCHEMES, check_step_and_gradient

pytestmark = pytest.mark.skipif(hg.ffi.sizeof("HgReal") != 4, reason="HALOGRAD_PRECISION is not single")
FUNCTIONS = """physics functions {
  field u copied > 0, a;
  let g(c) = exp(-c) + log(1 + c^2) + sqrt(c) + sin(c) * cos(c) - tanh(c) + abs(c) + c^(1/3);
  u' = u + dt * a * g((u_W + u_E + u_S + u_N) / 4);
}"""
BLOCK = """physics block in xyz {
  field u [K] fixed 0, kappa [m^2/s] > 0;
  u' = u + dt * kappa * ((u_W + u_E - 2 * u) / dx^2 + (u_S + u_N - 2 * u) / dy^2 + (u_D + u_U - 2 * u) / dz^2);
}"""


def test_arrays(x, model):
    assert x["u"].dtype == np.float32 and x.view("u", ghosts=1).shape == tuple(n + 2 for n in x["u"].shape)
    x["kappa"] = 1e-30  # so little that a step changes nothing
    x["f"] = 0
    x["u"][...] = 1 + np.arange(24) + 100 * np.arange(17)[model.mesh.own[0], None] if x["u"].shape[1] == 24 else 0.1
    assert np.array_equal(model.run(x, 3)["u"], x["u"]) and np.shares_memory(np.from_dlpack(x["u"]), x["u"])
    assert x.copy().unpack(x.pack()).digest() == x.digest()


def test_functions(mesh):
    model = hg.Model(hg.Physics(FUNCTIONS), mesh, dt=0.01)
    x = model.input(u=lambda x, y: 1 + x * y, a=0.5)
    c = 1.7
    g = np.exp(-c) + np.log(1 + c**2) + np.sqrt(c) + np.sin(c) * np.cos(c) - np.tanh(c) + c + c ** (1 / 3)
    assert np.allclose(model.run(model.input(u=c, a=0.5), 1)["u"], c + 0.01 * 0.5 * g, rtol=3e-7)
    assert hg.Misfit(model, 5).at_end("u", 1, sigma=1).check(x)


def test_levels():
    with hg.Mesh((12, 9, 5), spacing=0.1) as mesh, hg.Model(hg.Physics(BLOCK), mesh, dt=1e-3) as model:
        x = model.input(u=lambda x, y, z: x + 2 * y + 4 * z, kappa=1)
        assert np.array_equal(x["u"], (mesh.x + 2 * mesh.y + 4 * mesh.z).astype(np.float32))
        assert hg.Misfit(model, 5).at_end("u", 0, sigma=1).check(x)


@pytest.mark.parametrize("text, step, seen", SCHEMES)
def test_a_step_in_three_dimensions_and_its_gradient(text, step, seen):
    check_step_and_gradient(text, step, seen, 1e-5)


def test_gradient(J, x):
    d = x.like().random(1)
    value, g = J.gradient(x)
    ahead, behind = (J(x.copy().add(e, d)) for e in (1e-2, -1e-2))
    assert (ahead - behind) / 2e-2 == pytest.approx(g.dot(d), rel=1e-2)
    assert J.tangent(x, d)[1] == pytest.approx(g.dot(d), rel=1e-5)


def test_results(x, model, tmp_path_factory):
    folder = WORLD.bcast(str(tmp_path_factory.mktemp("single")))
    q = model.run(x, 5)
    with hg.Results(model.mesh, folder, "heat") as results:
        results.write(1.0, q)
    again = model.state()
    assert hg.read(again, f"{folder}/heat.h5") == 1 and again.digest() == q.digest()


def test_bits_do_not_depend_on_ranks(J, x, model):
    with hg.Mesh((24, 17), spacing=(0.05, 0.04), comm=MPI.COMM_SELF) as mesh, hg.Model(model.physics, mesh, dt=2e-4, decay=3.0) as own:
        alone = own.input(**{name: x.gather(name) for name in x})
        with hg.Misfit(own, 20).observations(J.observed[0]) as twin:
            seek = {"kappa": hg.Log(0.1, 10)}
            assert hg.invert(twin, alone, seek=seek, iterations=4).digest() == hg.invert(J, x, seek=seek, iterations=4).digest()
