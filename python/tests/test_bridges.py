# SPDX-License-Identifier: BSD-2-Clause
"""Claim: J goes to scipy, JAX and PyTorch with its gradient, in double and single precision, and an operator written in Python stands in a
chain; where a package is missing, the sentence says so."""
import sys

import halograd as hg
import numpy as np
import pytest
from mpi4py import MPI


def slope(f, at, direction, e=1e-4):
    return (f(at + e * direction) - f(at - e * direction)) / (2 * e)


def has_its_gradient(f, g, at, kind):
    """f and its gradient g(at) in precision `kind`, against a difference in the direction of g, where f changes most."""
    there = g(at)
    d = (there / np.abs(there).max()).astype(kind)
    by_difference = slope(lambda v: float(f(v)), at, d, *((1e-5,) if kind is np.float64 else (kind(1e-2),)))
    assert there.dtype == kind
    assert by_difference == pytest.approx(np.vdot(there.astype(float), d.astype(float)), rel=1e-7 if kind is np.float64 else 1e-3)


def test_scipy(J, x):
    optimize = pytest.importorskip("scipy.optimize")
    f = J.scipy(x, {"kappa": hg.Bounds(0.1, 10), "f": hg.Bounds(-5, 5)}, h1=0.01)
    assert f.x0.shape == (2 * 24 * 17,)
    value, g = f(f.x0)
    d = np.random.default_rng(1).standard_normal(f.size)
    assert slope(lambda v: f(v)[0], f.x0, d) == pytest.approx(g @ d, rel=1e-6)
    assert f.hessp(f.x0, d) @ d == pytest.approx((f(f.x0 + 1e-4 * d)[1] - f(f.x0 - 1e-4 * d)[1]) @ d / 2e-4, rel=1e-5)
    found = optimize.minimize(f, f.x0, jac=True, bounds=f.bounds, method="L-BFGS-B", options={"maxiter": 30})
    assert found.fun < 0.2 * value
    assert f.input(found.x).gather("f").min() >= -5
    value, g = f(np.full(f.size, np.nan))
    assert np.isnan(value) and np.isnan(g).all()
    with pytest.raises(hg.Error, match="vector of the shape"):
        f(np.zeros(3))


def square(x, **wrong):
    """kappa = s^2"""
    mesh = x.mesh

    def value(s, k):
        k["kappa"][...] = s["s"] ** 2

    def tangent(s, ds, dk):
        dk["kappa"][...] = 2 * s["s"] * ds["s"]

    def adjoint(s, k_bar, s_bar):
        s_bar["s"] += 2 * s["s"] * k_bar["kappa"]

    s = hg.zeros(mesh, {"s": "1"})
    s["s"] = np.sqrt(x["kappa"])
    return hg.Operator("square", s, hg.zeros(mesh, {"kappa": "m^2/s"}), **{"value": value, "tangent": tangent, "adjoint": adjoint, **wrong})


def test_an_operator_in_python(J, x):
    with square(x) as op:
        assert op.check(op.first)
        assert np.array_equal(op(op.first)["kappa"], op.first["s"] ** 2)
        d, k_bar = op.first.like().random(2), op(op.first).random(3)
        assert op.tangent(op.first, d).dot(k_bar) == pytest.approx(op.adjoint(op.first, k_bar).dot(d), rel=1e-13)
        with hg.Functional(J, x, {"kappa": op}) as f:
            value, g = f.gradient()
            assert value == pytest.approx(J(x), rel=1e-12)
            ahead, behind = (f.gradient(f.m.copy().add(e, d))[0] for e in (1e-5, -1e-5))
            assert (ahead - behind) / 2e-5 == pytest.approx(g.dot(d), rel=1e-6)
        assert hg.invert(J, x, seek={"kappa": op}, iterations=5).J < 0.9 * value


def test_a_wrong_operator(J, x):
    def wrong(s, k_bar, s_bar):
        s_bar["s"] += 1.9 * s["s"] * k_bar["kappa"]

    with square(x, adjoint=wrong) as op:
        found = op.check(op.first)
        assert not found and "FAILED" in str(found) and found.measured["square"]["dot"] > 1e-3
        assert (found[0].what, found[0].part, found[0].off) == ("dot", "square", found.measured["square"]["dot"]) and found[0].bound < 1e-12
        with hg.Functional(J, x, {"kappa": op}) as f:
            found = f.doctor()
            assert not found and (found[0].what, found[0].part, found[0].pair, found[0].cell is None) == ("dot", "square", ("s", "kappa"), False)
    with square(x, value=lambda s, k: {}["absent"]) as op:
        with pytest.raises(KeyError):
            op(op.first)


@pytest.mark.parametrize("double", [True, False])
def test_jax(J, x, double):
    jax = pytest.importorskip("jax")
    from halograd.jax import function

    jax.config.update("jax_enable_x64", double)
    kind, f = (np.float64 if double else np.float32), function(J, x, ("kappa", "f"))
    kappa, source = (jax.numpy.asarray(x.gather(n), dtype=kind) for n in ("kappa", "f"))
    value, (g, g_f) = jax.value_and_grad(lambda k, s: 3 * f(k * k, s), argnums=(0, 1))(kappa, source)
    assert value.dtype == g.dtype == kind and g.shape == kappa.shape
    y = x.copy()
    y["kappa"] = np.asarray(kappa * kappa, dtype=float)
    expected, state = J.gradient(y)
    accuracy = 1e-13 if double else 1e-5
    assert float(value) == pytest.approx(3 * expected, rel=accuracy)
    assert np.allclose(g, 3 * 2 * kappa * state.gather("kappa"), rtol=10 * accuracy, atol=0 if double else 1e-6)
    assert np.allclose(g_f, 3 * state.gather("f"), rtol=10 * accuracy, atol=0 if double else 1e-7)
    has_its_gradient(lambda k: f(k, source), lambda k: np.asarray(jax.grad(lambda k: f(k, source))(k)), np.asarray(kappa), kind)
    jitted = jax.jit(jax.grad(lambda k: f(k, source)))(kappa)
    assert np.allclose(jitted, jax.grad(lambda k: f(k, source))(kappa), rtol=10 * accuracy, atol=1e-9)
    with pytest.raises(hg.Error, match="1 arrays, expected one for each of kappa, f"):
        f(kappa)
    with pytest.raises(hg.Error, match="'f': an array of the shape .*, expected "):
        jax.jit(f)(kappa, source[1:])


@pytest.mark.parametrize("double", [True, False])
def test_torch(J, x, double):
    torch = pytest.importorskip("torch")
    from halograd.torch import function

    kind, f = (torch.float64 if double else torch.float32), function(J, x, "kappa")
    kappa = torch.tensor(x.gather("kappa"), dtype=kind, requires_grad=True)
    value = 3 * f(kappa * kappa)
    value.backward()
    y = x.copy()
    y["kappa"] = (kappa * kappa).detach().numpy().astype(float)
    expected, state = J.gradient(y)
    accuracy = 1e-13 if double else 1e-5
    assert value.item() == pytest.approx(3 * expected, rel=accuracy) and kappa.grad.dtype == kind
    assert np.allclose(kappa.grad.numpy(), 6 * kappa.detach().numpy() * state.gather("kappa"), rtol=10 * accuracy, atol=0 if double else 1e-6)
    with torch.no_grad():
        assert f(kappa * kappa).item() == pytest.approx(expected, rel=accuracy)

    def g(k):
        at = torch.tensor(k, requires_grad=True)
        f(at).backward()
        return at.grad.numpy()

    has_its_gradient(lambda k: f(torch.tensor(k)).item(), g, kappa.detach().numpy(), np.float64 if double else np.float32)


def trained_by_torch(misfit, x, steps):
    """(J at each step, the strength found)"""
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    torch.set_num_threads(1)
    network = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1), torch.nn.Softplus()).double()
    strength = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    places, f = torch.tensor(POINTS), hg.torch.function(misfit, x, ("kappa", "f"))
    optimiser, history = torch.optim.Adam([*network.parameters(), strength], lr=0.03), []
    for _ in range(steps):
        optimiser.zero_grad()
        value = f(network(places).reshape(17, 24), strength * torch.ones(17, 24, dtype=torch.float64))
        value.backward()
        optimiser.step()
        history.append(value.item())
    return history, strength.item()


def trained_by_jax(misfit, x, steps):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    jnp, f, draw = jax.numpy, hg.jax.function(misfit, x, ("kappa", "f")), np.random.default_rng(1)
    weights = [jnp.asarray(w) for w in (draw.normal(size=(2, 8)), draw.normal(size=8), draw.normal(size=8) / 3, 0.5, 1.0)]

    @jax.jit
    def J(w):
        kappa = jax.nn.softplus(jnp.tanh(POINTS @ w[0] + w[1]) @ w[2] + w[3])
        return f(kappa.reshape(17, 24), w[4] * jnp.ones((17, 24)))

    history, mean, square = [], [0.0] * 5, [0.0] * 5
    for k in range(1, steps + 1):  # Adam
        value, g = jax.value_and_grad(J)(weights)
        mean = [0.9 * m + 0.1 * d for m, d in zip(mean, g)]
        square = [0.999 * s + 0.001 * d * d for s, d in zip(square, g)]
        weights = [w - 0.03 * m / (1 - 0.9**k) / (jnp.sqrt(s / (1 - 0.999**k)) + 1e-8) for w, m, s in zip(weights, mean, square)]
        history.append(float(value))
    return history, float(weights[4])


POINTS = np.stack(np.meshgrid(np.linspace(-1, 1, 24), np.linspace(-1, 1, 17)), -1).reshape(-1, 2)


@pytest.mark.parametrize("trained", [trained_by_torch, trained_by_jax])
def test_a_network_and_a_parameter_are_trained(J, x, model, trained):
    """kappa = network(x, y) and the strength of f, 2, found together from data of known ones; the bits do not depend on the ranks."""
    places = [(0.1 + 0.2 * i, 0.1 + 0.15 * j) for i in range(6) for j in range(4)]
    with hg.Misfit(model, 20).sensors("u", places, [0.002, 0.004], np.zeros((2, 24)), sigma=1) as blind:
        blind(x)
        data = blind.predicted()
    with hg.Misfit(model, 20).sensors("u", places, [0.002, 0.004], data, sigma=1e-3) as twin:
        history, strength = trained(twin, x, 150)
    assert history[-1] < 1e-2 * history[0] and abs(strength - 2) < 0.5
    with hg.Mesh((24, 17), spacing=(0.05, 0.04), comm=MPI.COMM_SELF) as mesh, hg.Model(model.physics, mesh, dt=2e-4, decay=3.0) as own:
        alone = own.input(**{name: x.gather(name) for name in x})
        with hg.Misfit(own, 20).sensors("u", places, [0.002, 0.004], data, sigma=1e-3) as twin:
            assert trained(twin, alone, 10)[0] == history[:10]


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_what_is_missing_is_a_sentence(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"halograd.{name}", raising=False)
    with pytest.raises(hg.Error, match=f"halograd.{name} needs .*, which is not installed"):
        __import__(f"halograd.{name}")
    sys.modules.pop(f"halograd.{name}", None)
