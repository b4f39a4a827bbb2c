# SPDX-License-Identifier: BSD-2-Clause
"""Numbers by step, `number q[step]`, as controls: value, gradient, Hessian against numpy, differences and one rank; any schedule; mistakes."""
import halograd as hg
import numpy as np
import pytest
from mpi4py import MPI

PLATE = """physics plate {
  field T [K] mirrored, v [K], kappa [m^2/s], wall [1/m];
  number q[step] [K m/s], s[step];
  let flow = wall * q[step];
  stencil heat {
    let change = kappa * ((T_W + T_E - 2 * T) / dx^2 + (T_S + T_N - 2 * T) / dy^2);
    T' = T + dt * (change + flow * (1 + s[step] * s[step]));
  }
  stencil follow { v' = T + s[step] * v; }
}"""
VOLUME = """physics volume in xyz {
  field T [K] mirrored;
  number q[step] [K/s];
  T' = T + dt * (q[step] * exp(-z / (1 [m])) + (0.1 [1/s]) * (T_D + T_U - 2 * T));
}"""
STEPS, DT, PLACES = 24, 1e-3, [(0.0, 0.5), (0.2, 0.3), (0.6, 0.1)]
FIRST = {"T": lambda x, y: np.sin(3 * x) + y, "v": 0.5, "kappa": 0.7, "wall": lambda x, y: np.where(x < 0.05, 20.0, 0.0)}
Q, S = 5 * np.sin(np.arange(STEPS) / 4), 0.3 + 0.2 * np.cos(np.arange(STEPS))


@pytest.fixture(scope="module")
def plate():
    return hg.Physics(PLATE)


def opened(plate, mesh, steps=STEPS):
    """J of sensors that saw 0, and an input."""
    model = hg.Model(plate, mesh, dt=DT, q=steps, s=steps)
    times = [(k + 1) * DT for k in range(2, STEPS, 3)]
    J = hg.Misfit(model, steps=STEPS)
    for name in ("T", "v"):
        J.sensors(name, PLACES, times, np.zeros((len(times), 3)), sigma=0.1)
    return model, J, model.input(q=np.resize(Q, steps), s=np.resize(S, steps), **FIRST)


@pytest.fixture
def case(plate):
    with hg.Mesh((21, 16), spacing=(0.05, 0.06)) as mesh:
        model, J, x = opened(plate, mesh)
        yield model, J, x
        J.close()
        model.close()


def test_a_number_is_that_of_its_step(case):
    model, J, x = case
    assert tuple(model.physics.variables) == ("T", "v", "kappa", "wall", "q", "s") and model.physics.series == {"q": "K m/s", "s": "1"}
    assert model.constants == ("kappa", "wall", "q", "s")
    T, v = x.gather("T"), x.gather("v")
    for step in range(STEPS):
        wide = np.pad(T, 1, mode="edge")
        change = 0.7 * ((wide[1:-1, :-2] + wide[1:-1, 2:] - 2 * T) / 0.05**2 + (wide[:-2, 1:-1] + wide[2:, 1:-1] - 2 * T) / 0.06**2)
        T = T + DT * (change + x.gather("wall") * Q[step] * (1 + S[step] * S[step]))
        v = T + S[step] * v
    end = model.run(x, STEPS)
    assert np.abs(end.gather("T") - T).max() <= 1e-12 and np.abs(end.gather("v") - v).max() <= 1e-12


def test_gradient_and_hessian(case):
    model, J, x = case
    _, g = J.gradient(x)
    assert g["q"][-1] != 0 and g["s"][0] != 0
    d = model.input(q=np.cos(np.arange(STEPS)), s=np.sin(np.arange(STEPS)), T=lambda x, y: x * y)
    J0, slope = J.tangent(x, d)
    by_g = np.dot(g["q"], d["q"]) + np.dot(g["s"], d["s"]) + (g.gather("T") * d.gather("T")).sum()
    assert abs(slope - by_g) <= 1e-13 * abs(slope)
    h = J.hessian(x, d)
    for name in ("q", "s"):
        for k in (0, 11, STEPS - 1):
            e = 1e-4
            ends = []
            for sign in (1, -1):
                moved = {n: np.array(x[n]) for n in ("q", "s")}
                moved[name][k] += sign * e
                ends.append(J.gradient(model.input(**{**FIRST, **moved})))
            assert abs((ends[0][0] - ends[1][0]) / (2 * e) - g[name][k]) <= 1e-7 * max(1, abs(g[name][k]))
            H_e = ((ends[0][1]["q"] - ends[1][1]["q"]) @ d["q"] + (ends[0][1]["s"] - ends[1][1]["s"]) @ d["s"] + ((ends[0][1].gather("T") - ends[1][1].gather("T")) * d.gather("T")).sum()) / (2 * e)
            assert abs(H_e - h[name][k]) <= 1e-6 * max(1, abs(h[name][k]))


def test_bits_do_not_depend_on_ranks_or_memory(plate, case):
    _, J, x = case
    value, g = J.gradient(x)
    less, again = J.gradient(x, memory=40000 * MPI.COMM_WORLD.size)
    with hg.Mesh((21, 16), spacing=(0.05, 0.06), comm=MPI.COMM_SELF) as mesh:
        model, alone, y = opened(plate, mesh)
        one, by_one = alone.gradient(y)
        assert one == value == less
        for name in ("q", "s"):
            assert np.array_equal(by_one[name], g[name]) and np.array_equal(again[name], g[name])
        alone.close()
        model.close()


def test_checks_doctor_and_inversion(case, tmp_path):
    model, J, x = case
    assert J.check(x) and J.doctor(x)
    J.gradient(x)
    with hg.Misfit(model, steps=STEPS) as twin:
        for name, data in (("T", J.predicted(0)), ("v", J.predicted(1))):
            twin.sensors(name, PLACES, [(k + 1) * DT for k in range(2, STEPS, 3)], data, sigma=0.1)
        found = hg.invert(twin, seek={"q": hg.Bounds(-9, 9)}, x=model.input(q=0.0, s=S, **FIRST), h1=1e-2, iterations=50)
    assert np.linalg.norm(found.x["q"] - Q) < 0.2 * np.linalg.norm(Q)
    pytest.importorskip("matplotlib")
    assert (found.plot(tmp_path / "q.png") is None) == (found.mesh.comm.rank > 0)


def test_more_or_fewer_numbers_than_steps(plate):
    with hg.Mesh((21, 16), spacing=(0.05, 0.06)) as mesh:
        for count in (7, STEPS + 5):
            model, J, x = opened(plate, mesh, count)
            _, g = J.gradient(x)
            assert g["q"].shape == (count,) and not g["q"][STEPS:].any() and g["q"][: min(count, STEPS - 1)].all()
            J.close()
            model.close()


def test_mistakes(plate, mesh):
    for given, sentence in (({}, "its q, s is not given"), ({"q": 5}, "its s is not given"), ({"q": 5, "s": Q}, "s is of type ndarray, expected how many steps it has numbers for"),
                            ({"q": 5, "s": 0}, "s=0, expected one step or more"), ({"q": 5, "s": True}, "expected how many"), ({"q": 5, "s": 2.0}, "expected how many")):
        with pytest.raises(hg.Error, match=sentence):
            hg.Model(plate, mesh, dt=DT, **given)
    with hg.Model(plate, mesh, dt=DT, q=4, s=4) as model, pytest.raises(hg.Error, match="'q': an array of the shape"):
        model.input(q=[1.0, 2.0])


def test_read_through_neighbours_and_beyond_walls():
    """Of a let that is read at neighbours, and computed once for all of them: also in the cells beside a patch, and beyond walls."""
    text = """physics burnt { field T mirrored; number q[step];
      let e = exp(-(q[step] * T)) * sqrt(1 + T^2);
      T' = T + dt * ((e_W + e_E) + (e_S + e_N) - 4 * e); }"""

    def first(x, y):
        return 0.3 + 0.1 * x + 0.05 * y

    q = [0.5, 1.0, 2.0]
    with hg.Mesh((9, 8), spacing=(1, 1)) as mesh, hg.Model(hg.Physics(text), mesh, dt=0.05, q=3) as model:
        x = model.input(T=first, q=q)
        T = x.gather("T").copy()
        for now in q:
            wide = np.pad(T, 1, mode="edge")
            e = np.exp(-now * wide) * np.sqrt(1 + wide**2)
            T = T + 0.05 * (e[1:-1, :-2] + e[1:-1, 2:] + e[:-2, 1:-1] + e[2:, 1:-1] - 4 * e[1:-1, 1:-1])
        assert np.abs(model.run(x, 3).gather("T") - T).max() < 1e-14
        with hg.Misfit(model, steps=3).sensors("T", [(2, 3), (0, 0), (8, 7)], [0.15], np.zeros((1, 3)), sigma=1.0) as J:
            assert J.check(x) and J.doctor(x)
            _, g = J.gradient(x)
            for k in range(3):
                ends = [J.gradient(model.input(T=first, q=[*q[:k], q[k] + e, *q[k + 1 :]]))[0] for e in (1e-5, -1e-5)]
                assert abs((ends[0] - ends[1]) / 2e-5 - g["q"][k]) < 1e-9


def test_signs_are_held(mesh):
    text = "physics fed { field u [K] fixed 0; number q[step] [K/s] > 0; u' = u_E + dt * sqrt(q[step] * 1 [K/s]); }"
    with hg.Model(hg.Physics(text), mesh, dt=0.1, q=2) as model:
        assert model.run(model.input(q=[1, 4]), 2).gather("u")[0, 0] == pytest.approx(0.1 + 0.2)
        with pytest.raises(hg.Error, match="physics 'fed': the least 'q' of the input is -1, expected more than 0 everywhere"):
            model.run(model.input(q=[1, -1]), 2)


def test_levels():
    with hg.Mesh((5, 4, 6), spacing=(1, 1, 0.1)) as mesh, hg.Model(hg.Physics(VOLUME), mesh, dt=0.1, q=3) as model:
        x = model.input(q=[1.0, 2.0, 4.0])
        with hg.Misfit(model, steps=3) as J:
            J.at_end("T", np.zeros((6, 4, 5)), 1.0)
            value, g = J.gradient(x)
            _, slope = J.tangent(x, model.input(q=[1.0, -1.0, 0.5]))
        assert slope == pytest.approx(g["q"] @ [1.0, -1.0, 0.5], rel=1e-13)
