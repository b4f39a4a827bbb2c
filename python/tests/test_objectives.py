# SPDX-License-Identifier: BSD-2-Clause
"""Claim: integrals are terms of J, goals and measurements, of volumes and surfaces, of anything that a text adds up over time; J may be negative, and
an inversion finds the least one; its parts add up to J; what is bad is refused."""
import math

import halograd as hg
import numpy as np
import pytest
from conftest import WORLD

WORK = """physics worked {
  field u [K] fixed 0, kappa [m^2/s] copied > 0, work [K^2 s];
  let lap(c) = (c_W + c_E - 2 * c) / dx^2 + (c_S + c_N - 2 * c) / dy^2;
  stencil spent { work' = work + dt * u^2; }
  stencil heat { u' = u + dt * kappa * lap(u); }
}"""
LAYERS = """physics layers in xyz {
  field b [m/s^2], s [m] surface, w [m], d [m] surface;
  stencil drift { b' = b; w' = b * 1 [s^2]; }
  column d' = sum(w);
  stencil rise { s' = s + d * 0.5; }
}"""


def test_a_goal_and_a_measurement(model, x):
    u = model.run(x, 7).gather("u")
    area = 0.05 * 0.04
    with hg.Misfit(model, 7).integral("u", weight=-2) as J:
        assert J(x) == pytest.approx(-2 * area * u.sum(), rel=1e-13) and J(x) < 0 and J.count == 0
        assert J.check(x) and J.doctor(x)
    box = {"west": mesh_edge(model, 3), "east": mesh_edge(model, 8)}
    with hg.Misfit(model, 9).integral("u", 7, box, value=0.1, sigma=0.01) as J:
        assert J(x) == pytest.approx(((area * u[:, 3:8].sum() - 0.1) / 0.01) ** 2 / 2, rel=1e-12) and J.count == 1
        assert J.check(x)
    for half in ({"east": 0.6}, {"west": 0.6}):
        whole = {"west": mesh_edge(model, 0), "east": mesh_edge(model, 24), **half}
        assert hg.Misfit(model, 7).integral("u", box=half, weight=1)(x) == hg.Misfit(model, 7).integral("u", box=whole, weight=1)(x)


def mesh_edge(model, i):
    return model.mesh.origin[0] + (i - 0.5) * 0.05


def test_what_a_text_adds_up_over_time(mesh):
    """J = integral of u^2 over space and time, against the sum over the steps."""
    with hg.Model(hg.Physics(WORK), mesh, dt=2e-4) as model:
        x = model.input(u=lambda x, y: np.sin(3 * x) + y, kappa=lambda x, y: 1 + 0.2 * x)
        spent = []
        model.run(x, 20, every=1, watch=lambda n, t, q: spent.append((q.gather("u").astype(float) ** 2).sum()))
        with hg.Misfit(model, 20).integral("work", weight=1) as J:
            assert J(x) == pytest.approx(2e-4 * 0.05 * 0.04 * sum(spent[-21:-1]), rel=1e-12)
            assert J.check(x) and J.doctor(x)
            d, other = x.like().random(3), x.like().random(4)
            assert J.hessian(x, d).dot(other) == pytest.approx(J.hessian(x, other).dot(d), rel=1e-10)


def test_volumes_and_surfaces():
    with hg.Mesh((6, 7, 5), spacing=(0.5, 0.4, 0.3)) as mesh, hg.Model(hg.Physics(LAYERS), mesh, dt=1.0) as model:
        x = model.input(b=1, s=2)
        area = 3 * 2.8
        with hg.Misfit(model, 1).integral("b", weight=1).integral("s", weight=1).integral("b", box={"above": 0.75, "below": 0.15}, weight=1) as J:
            J(x)
            assert [J for _, J in J.parts()] == pytest.approx([area * 1.5, area * 4.5, area * 0.6])
            assert J.check(x)
            with pytest.raises(hg.Error, match="'s' from z = 0 to 1 m, but it has no levels"):
                hg.Misfit(model, 1).integral("s", box={"above": 1}, weight=1)


def test_the_least_negative_J(model, x):
    """J = sum of (u - d)^2 / 2 - w I falls by exactly what completing the square says, as u itself is sought."""
    with hg.Misfit(model, 1).snapshot("u", 0, 1, sigma=1).integral("u", 0, weight=-3) as J:
        found = hg.invert(J, x, seek="u", tolerance=1e-8)
        area, cells = 0.05 * 0.04, 24 * 17
        assert found.converged and found.J < 0
        assert found.J == pytest.approx(-3 * area * cells - (3 * area) ** 2 * cells / 2, rel=1e-9)
        (snapshot, fit), (integral, gain) = J.parts()
        assert snapshot == "snapshot of 'u' at step 0" and integral == "integral of 'u' after step 0"
        assert fit + gain == pytest.approx(found.J) and found.misfit_ratio == pytest.approx(fit / (cells / 2))
    with hg.Misfit(model, 20).integral("u", weight=-1) as J:
        assert math.isnan(hg.invert(J, x, seek={"kappa": hg.Bounds(0.5, 2)}, iterations=2).misfit_ratio)


def test_errors_that_are_correlated_robust_and_relative(model, x, tmp_path_factory):
    """Against the covariance matrix of the errors, and Huber's function, in numpy."""
    places, times = [(0.3, 0.2), (0.6, 0.5)], np.array([0.001, 0.002, 0.0035, 0.004])
    data, tau = np.array([[1.0, 0.2], [3, np.nan], [0.5, 1.1], [-2, 1.4]]), 0.002
    C = np.exp(-abs(times[:, None] - times) / tau)
    J = hg.Misfit(model, 20).sensors("u", places, times, data, sigma=0.1, correlation=tau)
    value, r = J(x), (J.predicted() - data) / 0.1
    seen = [~np.isnan(r[:, k]) for k in range(2)]
    assert value == pytest.approx(sum(r[s, k] @ np.linalg.solve(C[np.ix_(s, s)], r[s, k]) for k, s in enumerate(seen)) / 2, rel=1e-11)
    assert J.check(x)
    folder = WORLD.bcast(str(tmp_path_factory.mktemp("seen")))
    observed = hg.Observed("u", "K", places, times, np.nan_to_num(data), 0.1, correlation=tau)
    observed.write(f"{folder}/u.h5", model.mesh.comm)
    assert hg.Observed.read(f"{folder}/u.h5", comm=model.mesh.comm).correlation == tau
    J = hg.Misfit(model, 20).sensors("u", places, times, data, sigma=0.1, huber=1.5, relative=0.3)
    value, r = J(x), (J.predicted() - data) / np.maximum(0.1, 0.3 * abs(data))
    r = abs(r[~np.isnan(r)])
    assert (r > 1.5).any() and (r < 1.5).any()
    assert value == pytest.approx(np.where(r < 1.5, r**2 / 2, 1.5 * (r - 0.75)).sum(), rel=1e-12)
    found = hg.invert(J, x, seek={"kappa": hg.Bounds(0.5, 2)}, iterations=1)
    z = np.linspace(-9, 9, 18001)
    mean = (np.where(abs(z) < 1.5, z**2 / 2, 1.5 * (abs(z) - 0.75)) * np.exp(-(z**2) / 2)).sum() * 1e-3 / math.sqrt(2 * math.pi)
    assert found.misfit_ratio == pytest.approx(found.misfit / (len(r) * mean), rel=1e-6)
    J = hg.Misfit(model, 20).sensors("u", places, times, data, sigma=0.1, student=3)
    value, r = J(x), ((J.predicted() - data) / 0.1)[~np.isnan(data)]
    assert value == pytest.approx(2 * np.log1p(r**2 / 3).sum(), rel=1e-12)


def test_shapes(model, x):
    """Normalised cross-correlation of each sensor, in numpy; a factor of its data changes nothing but the weight."""
    places, times = [(0.3, 0.2), (0.6, 0.5)], np.array([0.001, 0.002, 0.0035, 0.004])
    data = np.array([[1.0, 0.2], [3, np.nan], [0.5, 1.1], [-2, 1.4]])
    J = hg.Misfit(model, 20).sensors("u", places, times, data, sigma=0.1, shape=True)
    value, a = J(x), np.where(np.isnan(data), 0, J.predicted())
    b = np.nan_to_num(data)
    assert value == pytest.approx(((b * b).sum(0) / 0.01 * (1 - (a * b).sum(0) / np.sqrt((a * a).sum(0) * (b * b).sum(0)))).sum(), rel=1e-11)
    assert J.check(x)
    assert hg.Misfit(model, 20).sensors("u", places, times, 3 * data, sigma=0.3, shape=True)(x) == pytest.approx(value, rel=1e-12)
    with pytest.raises(hg.Error, match="sensor 1 of 'u' has 3 readings, 0 of which are not 0"):
        hg.Misfit(model, 20).sensors("u", places, times, data * [1, 0], sigma=0.1, shape=True)


def test_refusals(model):
    J = hg.Misfit(model, 5)
    for given, says in (({"box": {"left": 1}, "weight": 1}, "with some of west, east"), ({}, "has the weight 0"), ({"step": 6, "weight": 1}, "after step 6, expected 0 to 5"),
                        ({"weight": 1, "box": {"west": -9, "east": 1}}, "inside the domain"), ({"weight": 1, "value": 3}, "without sigma"),
                        ({"weight": 1, "box": (0, 1)}, "expected a dictionary"), ({"sigma": -1}, "standard deviation of the integral of 'u' is -1")):
        with pytest.raises(hg.Error, match=says):
            J.integral("u", **given)
    with pytest.raises(hg.Error, match="correlated over -1 s"):
        J.sensors("u", (0.3, 0.2), [0.0], [[1.0]], 1, correlation=-1)
    with pytest.raises(hg.Error, match="'kappa'"):
        J.integral("kappa", weight=1)
    with pytest.raises(hg.Error, match="it has no data"):
        J(model.input(kappa=1))
