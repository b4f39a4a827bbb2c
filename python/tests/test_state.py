# SPDX-License-Identifier: BSD-2-Clause
"""Claim: x["u"] is the library's memory, not a copy of it: what numpy writes the next run reads, on every rank, and an array stays valid
as long as somebody has it."""
import gc

import halograd as hg
import numpy as np
import pytest
from conftest import WORLD


def test_no_copy(x):
    a, b = x["u"], x["u"]
    assert np.shares_memory(a, b) and a.shape == x.mesh.shape
    a[0, 0] = 7
    assert b[0, 0] == 7
    digest = x.digest("u")
    a += 1
    assert x.digest("u") != digest
    x["u"] += 1
    assert a[0, 0] == 9


def test_a_run_sees_what_numpy_has_written(model, x):
    """And no more what an earlier run has left in ghosts."""
    model.run(x, 3)
    x["kappa"][...] = 0.25 + mesh_wide(x.mesh)
    x["u"][...] = 2 * mesh_wide(x.mesh)
    fresh = model.input(u=x.gather("u"), kappa=x.gather("kappa"), f=x.gather("f"))
    assert model.run(x, 3).digest() == model.run(fresh, 3).digest()


def mesh_wide(mesh):
    return mesh.x * (1 + mesh.y)


def test_dlpack(x):
    a = np.from_dlpack(x["kappa"])
    assert np.shares_memory(a, x["kappa"]) and np.array_equal(a, x["kappa"])


def test_with_ghosts(model, x):
    wide = x.view("u", ghosts=1)
    assert wide.shape == tuple(n + 2 for n in x.mesh.shape)
    assert np.shares_memory(wide[1:-1, 1:-1], x["u"]) and np.array_equal(wide[1:-1, 1:-1], x["u"])
    with pytest.raises(hg.Error, match="ghosts, expected 0 to"):
        x.view("u", ghosts=1000)


def test_an_array_outlives_its_state(model):
    array = model.input(u=5.0)["u"]
    for _ in range(3):
        gc.collect()
        model.input(u=6.0)
    assert np.all(array == 5)


def test_ways_to_set(x, mesh):
    whole = np.arange(24 * 17.0).reshape(17, 24)
    x["u"] = whole
    assert np.array_equal(x["u"], whole[mesh.own]) and np.array_equal(x.gather("u"), whole)
    x["u"] = whole[mesh.own] + 1
    assert np.array_equal(x.gather("u"), whole + 1)
    x["u"] = mesh.x + 10 * mesh.y
    by_numpy = x["u"].copy()
    x["u"] = lambda x, y: x + 10 * y
    assert np.array_equal(x["u"], by_numpy)
    with pytest.raises(hg.Error, match="array of the shape"):
        x["u"] = np.zeros(3)
    with pytest.raises(hg.Error, match="'v'"):
        x["v"] = 1


def test_what_a_function_raises_comes_up(x):
    with pytest.raises(ZeroDivisionError):
        x["u"] = lambda x, y: 1 / 0


def test_as_a_vector(x):
    y = x.copy()
    assert y.digest() == x.digest() and not np.shares_memory(y["u"], x["u"])
    assert x.dot(y) == pytest.approx(sum(float((x.gather(n) ** 2).sum()) for n in x), rel=1e-13)
    y.unpack(2 * x.pack())
    assert y.add(-2.0, x).dot(y) == 0
    for _ in range(3):
        gc.collect()
    assert x.like().dot(x) == 0


def test_petsc(x):
    pytest.importorskip("petsc4py")
    vector = x.to_petsc()
    assert vector.norm() ** 2 == pytest.approx(x.dot(x), rel=1e-12)
    vector.scale(3)
    assert x.like().from_petsc(vector).digest() == x.copy().scale(3).digest()


def test_xarray(x):
    pytest.importorskip("xarray")
    data = x.to_xarray()
    assert data["u"].attrs["units"] == "K" and data["u"].shape == (17, 24)
    assert float(data["u"].sel(x=0.025, y=0.02)) == 0.025 * (1 + 0.02)


def test_bits_do_not_depend_on_ranks(x):
    alone = hg.Mesh((24, 17), spacing=(0.05, 0.04), comm=__import__("mpi4py").MPI.COMM_SELF)
    y = hg.zeros(alone, {"u": "K", "kappa": "m^2/s", "f": "K/s"})
    for name in x:
        y[name] = x.gather(name)
    assert y.digest() == x.digest() and y.dot(y) == x.dot(x)


def test_meshes(mesh):
    assert mesh.gather(np.zeros(mesh.shape) + mesh.x)[0, -1] == 0.025 + 23 * 0.05
    assert WORLD.allreduce(mesh.shape[0] * mesh.shape[1]) == 24 * 17
    with pytest.raises(hg.Error, match="cell size is -1"):
        hg.Mesh((8, 8), spacing=-1)
