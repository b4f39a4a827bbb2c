# SPDX-License-Identifier: BSD-2-Clause
"""Several numbers a step, `number w[step, 3]`, and one for each cell along a side, `number q[step, j]`, as controls: value against numpy, gradient and
Hessian against differences, the same bits as one rank and with any schedule; checks and doctor; priors hold in time; mistakes."""
import halograd as hg
import numpy as np
import pytest
from mpi4py import MPI

PLATE = """physics plate {
  field T [K] mirrored, v [K], kappa [m^2/s];
  number q[step, j] [K m/s], top[step, i] [K/s], w[step, 3];
  let through = i == 0 ? q[step, j] / dx : 0;
  let e = (1 + w[step, 2] * w[step, 2]) * T * sqrt(1 + (q[step, j] / 1 [K m/s])^2);
  stencil heat {
    let change = kappa * ((e_W + e_E - 2 * e) / dx^2 + (e_S + e_N - 2 * e) / dy^2);
    T' = T + dt * (change + through * w[step, 0] + (j == ny - 1 ? top[step, i] : 0));
  }
  stencil follow { v' = T + w[step, 1] * v * w[step, 0]; }
}"""
NX, NY, STEPS, DT, SIDES = 13, 11, 9, 1e-3, ("q", "top", "w")
EACH = {"q": NY, "top": NX, "w": 3}
SPACING, PLACES = (0.05, 0.06), [(0.0, 0.5), (0.2, 0.3), (0.55, 0.6)]
FIRST = {"T": lambda x, y: np.sin(3 * x) + y, "v": 0.5, "kappa": 0.7}


def numbers(steps=STEPS, shift=0.0):
    """[step, number] of each."""
    return {name: 0.6 + 0.4 * np.sin(shift + np.add.outer(np.arange(steps) / 2.0, np.arange(each) ** 1.5) + each) for name, each in EACH.items()}


@pytest.fixture(scope="module")
def plate():
    return hg.Physics(PLATE)


def opened(plate, mesh, steps=STEPS):
    """J of sensors that saw 0, and an input."""
    model = hg.Model(plate, mesh, dt=DT, **dict.fromkeys(SIDES, steps))
    J = hg.Misfit(model, steps=STEPS)
    times = [k * DT for k in (3, 6, STEPS)]
    for name in ("T", "v"):
        J.sensors(name, PLACES, times, np.zeros((len(times), 3)), sigma=0.1)
    return model, J, model.input(**{name: some.ravel() for name, some in numbers(steps).items()}, **FIRST)


@pytest.fixture
def case(plate):
    with hg.Mesh((NX, NY), spacing=SPACING) as mesh:
        model, J, x = opened(plate, mesh)
        yield model, J, x
        J.close()
        model.close()


def test_each_cell_reads_its_number(case):
    model, J, x = case
    assert model.physics.series == {"q": "K m/s", "top": "K/s", "w": "1"} and model.constants == ("kappa", "q", "top", "w")
    assert {name: x[name].size for name in SIDES} == {name: STEPS * each for name, each in EACH.items()}
    T, v, of = x.gather("T"), x.gather("v"), numbers()
    for step in range(STEPS):
        q, top, w = (of[name][step] for name in SIDES)
        e = np.pad((1 + w[2] * w[2]) * T * np.sqrt(1 + q[:, None] ** 2), 1, mode="edge")
        change = 0.7 * ((e[1:-1, :-2] + e[1:-1, 2:] - 2 * e[1:-1, 1:-1]) / SPACING[0] ** 2 + (e[:-2, 1:-1] + e[2:, 1:-1] - 2 * e[1:-1, 1:-1]) / SPACING[1] ** 2)
        source = np.zeros((NY, NX))
        source[:, 0] += q / SPACING[0] * w[0]
        source[-1, :] += top
        T = T + DT * (change + source)
        v = T + w[1] * v * w[0]
    end = model.run(x, STEPS)
    assert np.abs(end.gather("T") - T).max() <= 1e-13 and np.abs(end.gather("v") - v).max() <= 1e-13


def test_gradient_and_hessian(case):
    model, J, x = case
    value, g = J.gradient(x)
    d = model.input(**{name: some.ravel() for name, some in numbers(shift=1.0).items()}, T=lambda x, y: x * y)
    _, slope = J.tangent(x, d)
    by_g = sum(np.dot(g[name], d[name]) for name in SIDES) + (g.gather("T") * d.gather("T")).sum()
    assert abs(slope - by_g) <= 1e-13 * abs(slope)
    h = J.hessian(x, d)
    for name in SIDES:
        for k in (0, 4, 2 * EACH[name] - 1, (STEPS - 1) * EACH[name]):
            e, ends = 1e-4, []
            for sign in (1, -1, 2, -2):
                moved = x.copy()
                moved[name][k] += sign * e
                ends.append(J.gradient(moved))
            by_differences = [(8 * (one(ends[0]) - one(ends[1])) - (one(ends[2]) - one(ends[3]))) / (12 * e) for one in (lambda of: of[0], lambda of: of[1].dot(d))]
            assert abs(by_differences[0] - g[name][k]) <= 1e-9 * max(abs(value), abs(g[name][k]))
            assert abs(by_differences[1] - h[name][k]) <= 1e-9 * max(abs(value), abs(h[name][k]))


def test_bits_do_not_depend_on_ranks_or_memory(plate, case):
    _, J, x = case
    value, g = J.gradient(x)
    less, again = J.gradient(x, memory=40000 * MPI.COMM_WORLD.size)
    with hg.Mesh((NX, NY), spacing=SPACING, comm=MPI.COMM_SELF) as mesh:
        model, alone, y = opened(plate, mesh)
        one, by_one = alone.gradient(y)
        assert one == value == less
        for name in SIDES:
            assert np.array_equal(by_one[name], g[name]) and np.array_equal(again[name], g[name])
        alone.close()
        model.close()


def test_checks_doctor_and_inversion(case):
    model, J, x = case
    assert J.check(x) and J.doctor(x)
    J.gradient(x)
    data = [J.predicted(0), J.predicted(1)]
    with hg.Misfit(model, steps=STEPS) as twin:
        for name, seen in zip(("T", "v"), data):
            twin.sensors(name, PLACES, [k * DT for k in (3, 6, STEPS)], seen, sigma=0.01)
        first = model.input(q=0.5, top=0.5, w=0.5, **FIRST)
        found = hg.invert(twin, seek=SIDES, x=first, prior_deviation=10.0, prior_length=3 * DT, iterations=60)
        assert twin(found.x) < 1e-2 * twin(first)


def test_priors_hold_in_time_and_side_by_side(case):
    model, J, x = case
    for name, of in numbers().items():
        with hg.Functional(J, x, (name,), tikhonov=0.3, h1=0.7, h1_along=0.2) as functional:
            expected = 0.15 * (of**2).sum() + 0.35 * (np.diff(of, axis=0) ** 2).sum() + 0.1 * (np.diff(of, axis=1) ** 2).sum()
            assert functional.regularisation(functional.m) == pytest.approx(expected, rel=1e-13)


def test_more_or_fewer_numbers_than_steps(plate):
    with hg.Mesh((NX, NY), spacing=SPACING) as mesh:
        for count in (4, STEPS + 2):
            model, J, x = opened(plate, mesh, count)
            _, g = J.gradient(x)
            for name in SIDES:
                of = g[name].reshape(count, -1)
                assert of.shape == (count, EACH[name]) and not of[STEPS:].any() and of[: min(count, STEPS - 2)].any(axis=1).all()
            J.close()
            model.close()


def test_mistakes(plate, mesh):
    with hg.Model(plate, mesh, dt=DT, q=4, top=4, w=4) as model, pytest.raises(hg.Error, match="'w': an array of the shape"):
        model.input(w=np.zeros((3, 4)))
    with pytest.raises(hg.Error, match=r"'q' has numbers for 2000000000 steps, \d+ a step, expected one step or more, and at most 2147483647 numbers"):
        hg.Model(plate, mesh, dt=DT, q=2000000000, top=4, w=4)


def test_a_value_is_held_at_a_wall():
    """A tide along the western side, and what it leads to: eta at the wall is its."""
    text = """physics basin {
      field eta [m] copied;
      number tide[step, j] [m];
      let eta_west = i == 0 ? 2 * tide[step, j] - eta : eta_W;
      eta' = eta + dt * (1 [m^2/s]) * (eta_west + eta_E - 2 * eta) / dx^2;
    }"""
    tide = np.sin(np.arange(5.0))
    with hg.Mesh((6, 5), spacing=10.0) as mesh, hg.Model(hg.Physics(text), mesh, dt=40.0, tide=400) as model:
        x = model.input(tide=np.tile(tide, 400))
        assert np.abs(model.run(x, 400).gather("eta") - tide[:, None]).max() < 1e-3
        with hg.Misfit(model, steps=3) as J:
            J.at_end("eta", np.ones((5, 6)), 1.0)
            assert J.check(x) and J.doctor(x)


def test_levels_and_a_periodic_axis():
    text = """physics volume in xyz {
      field T [K] mirrored in x mirrored in z;
      number tide[step, j] [K/s], w[step, 2] [1/s];
      T' = T + dt * ((i == 0 ? tide[step, j] * exp(-z / (1 [m])) : 0) + w[step, 0] * (T_D + T_U - 2 * T) + w[step, 1] * (T_E + T_N - 2 * T)); }"""
    with hg.Mesh((5, 4, 6), spacing=(1, 1, 0.1), periodic=(False, True, False)) as mesh, hg.Model(hg.Physics(text), mesh, dt=0.1, tide=3, w=3) as model:
        x = model.input(tide=np.arange(12.0), w=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], T=lambda x, y, z: x * y + z)
        with hg.Misfit(model, steps=3) as J:
            J.at_end("T", np.zeros((6, 4, 5)), 1.0)
            assert J.check(x) and J.doctor(x)
            _, g = J.gradient(x)
            _, slope = J.tangent(x, model.input(tide=np.cos(np.arange(12.0)), w=np.sin(np.arange(6.0))))
        assert g["tide"].all() and slope == pytest.approx(g["tide"] @ np.cos(np.arange(12.0)) + g["w"] @ np.sin(np.arange(6.0)), rel=1e-13)
