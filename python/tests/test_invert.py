# SPDX-License-Identifier: BSD-2-Clause
"""Claim: invert() finds what was hidden, with any parametrisation; J of the controls has its derivatives; iterates, endings and the digest
are those of the library."""
import math
import os
import sys

import halograd as hg
import numpy as np
import pytest
from conftest import WORLD


@pytest.fixture
def twin(model, x):
    """Data of a run from x, whose kappa is then forgotten."""
    places = [(0.1 + 0.2 * i, 0.1 + 0.15 * j) for i in range(6) for j in range(4)]
    times = [0.002, 0.004]
    with hg.Misfit(model, 20).sensors("u", places, times, np.zeros((2, 24)), sigma=1) as blind:
        blind(x)
        data = blind.predicted()
    start = x.copy()
    start["kappa"] = 1
    with hg.Misfit(model, 20).sensors("u", places, times, data, sigma=1e-3) as J:
        yield J, start


@pytest.mark.parametrize("how", [hg.Bounds(0.1, 10), hg.Log(0.1, 10, reference=1), hg.Coarse(3, 3, 0.1, 10, first=1.0), hg.Affine(first=(1, 0, 0))])
def test_finds(twin, x, how):
    J, start = twin
    seen = []
    found = hg.invert(J, start, seek={"kappa": how}, tolerance=1e-4, iterations=60, callback=lambda it, m: seen.append(it.J))
    truth = x.gather("kappa")
    before, after = (np.linalg.norm(f - truth) for f in (start.gather("kappa"), found.x.gather("kappa")))
    assert found.J < 1e-3 * seen[0] and after < (1e-2 if isinstance(how, hg.Affine) else 0.7) * before
    assert seen == [it.J for it in found.iterates] and found.ending in ("converged", "limit reached")
    assert found.digest().startswith("J 0x1.") and found.x.digest("u") == start.digest("u")


def test_regularised(twin):
    J, start = twin
    for how in (hg.Log(0.1, 10), hg.Coarse(4, 4, first=1.0)):
        with hg.Functional(J, start, {"kappa": how}, h1=10.0) as f:
            value, g = f.gradient()
            d, e = f.m.like().random(3), 1e-5
            ahead, behind = (f.gradient(f.m.copy().add(s, d))[0] for s in (e, -e))
            assert (ahead - behind) / (2 * e) == pytest.approx(g.dot(d), rel=1e-5)
            assert f.hessian(d).dot(d) > 0
            moved = f.m.copy().add(0.1, d)
            assert f.gradient(moved)[0] == pytest.approx(J(f.input(moved)) + f.regularisation(moved), rel=1e-13) and f.regularisation(moved) > 0


def test_the_same_on_a_part_of_the_ranks(twin):
    """Bits do not depend on the cut, which differs between this run and one on this rank alone."""
    from mpi4py import MPI

    J, start = twin
    found = hg.invert(J, start, seek={"kappa": hg.Bounds(0.1, 10)}, iterations=5)
    with hg.Mesh((24, 17), spacing=(0.05, 0.04), comm=MPI.COMM_SELF) as mesh, hg.Model(J.model.physics, mesh, dt=2e-4, decay=3.0) as model:
        alone = model.input(**{name: start.gather(name) for name in start})
        o = J.observed[0]
        with hg.Misfit(model, 20).sensors("u", o.places, o.times, o.values, sigma=o.sigma) as K:
            assert hg.invert(K, alone, seek={"kappa": hg.Bounds(0.1, 10)}, iterations=5).digest() == found.digest()


def test_several(twin, model):
    """J of a list of misfits is their sum, each at its own input; what is sought is the same in all."""
    J, start = twin
    other = start.copy()
    other["f"], other["kappa"] = 5.0, 7.0  # kappa is that of the first
    with hg.Misfit(model, 12).sensors("u", [(0.3, 0.2), (0.9, 0.5)], [0.001, 0.002], np.full((2, 2), 1e-3), sigma=1e-3) as K:
        with hg.Functional([J, K], [start, other], "kappa", h1=0.1) as f, hg.Functional(J, start, "kappa", h1=0.1) as g:
            (both, d), (first, e) = f.gradient(), g.gradient()
            other["kappa"] = 1
            second, h = K.gradient(other, wrt="kappa")
            assert both == pytest.approx(first + second, rel=1e-14) and f.regularisation() == g.regularisation()
            assert abs(d["kappa"] - e["kappa"] - h["kappa"]).max() <= 1e-13 * abs(d["kappa"]).max()
            assert f.input(of=1)["f"].min() == 5 and np.array_equal(f.input(of=1)["kappa"], f.m["kappa"])
            v, w = f.m.like().random(1), other.like()
            w["kappa"] = v["kappa"]
            assert f.hessian(v).dot(v) == pytest.approx(g.hessian(v).dot(v) + K.hessian(other, w).dot(w), rel=1e-10)
            assert f.doctor()
        found = hg.invert([J, K], [start, other], seek={"kappa": hg.Bounds(0.1, 2)}, iterations=5)
        other["kappa"] = found.x["kappa"]
        assert found.J == pytest.approx(J(found.x) + K(other), rel=1e-13)
        assert found.count == J.count + K.count and len(found.observed) == 2
        with pytest.raises(hg.Error, match="2 misfits and 1 inputs, expected an input for each misfit"):
            hg.invert([J, K], start, seek="kappa")
        with hg.Mesh((24, 17), spacing=(0.05, 0.04)) as mesh, hg.Model(model.physics, mesh, dt=2e-4, decay=3.0) as elsewhere:
            L = hg.Misfit(elsewhere, 12).sensors("u", [(0.3, 0.2)], [0.001], np.zeros((1, 1)), sigma=1)
            with pytest.raises(hg.Error, match="the misfits are of several meshes"):
                hg.invert([J, L], [start, elsewhere.input(kappa=1.0)], seek="kappa")


def test_resumed(twin, tmp_path):
    """Ended in the middle and begun again it has the bits of one that was not, without computing what it has; other data are refused."""
    J, start = twin
    folder = WORLD.bcast(str(tmp_path / "kept"))
    how = {"seek": {"kappa": hg.Bounds(0.1, 10)}, "iterations": 8}
    whole = hg.invert(J, start, **how)

    def end(iterate, m):
        if iterate.iteration == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hg.invert(J, start, resume=folder, callback=end, **how)
    kept = WORLD.bcast(len([f for f in os.listdir(folder) if f.endswith(".txt")]))
    assert 6 <= kept <= whole.iterates[-1].evaluations
    again = hg.invert(J, start, resume=folder, **how)
    assert again.digest() == whole.digest() and [it.J for it in again.iterates] == [it.J for it in whole.iterates]
    start["f"] = 0
    with pytest.raises(hg.Error, match="evaluation 0 in .*: expected the options and data of the run that was killed"):
        hg.invert(J, start, resume=folder, **how)


@pytest.mark.parametrize("weights", [{"h1": 1e3}, {"tikhonov": {"kappa": 1e3}}, {"prior_deviation": 1e-2, "prior_length": 0.3}])
def test_discrepancy(twin, model, weights):
    """The weights are scaled until what is left is the noise; without weights or measurements it is refused."""
    J, start = twin
    o = J.observed[0]
    noisy = o.values + np.random.default_rng(5).normal(0, 1e-3, o.values.shape)
    with hg.Misfit(model, 20).sensors("u", o.places, o.times, noisy, sigma=1e-3) as K:
        found = hg.invert(K, start, seek={"kappa": hg.Bounds(0.1, 2)}, discrepancy=True, tolerance=1e-5, iterations=400, **weights)
        assert 1 <= found.misfit_ratio <= 1 + 2 * math.sqrt(2 / found.count) and found.factor != 1
        times = hg.weights.scaled(weights, found.factor)
        again = hg.invert(K, start, seek={"kappa": hg.Bounds(0.1, 2)}, tolerance=1e-5, iterations=400, **times)
        assert again.misfit_ratio == pytest.approx(found.misfit_ratio, rel=1e-2)
        with pytest.raises(hg.Error, match="no regularisation whose weights could be scaled"):
            hg.invert(K, start, seek="kappa", discrepancy=True)
    with hg.Misfit(model, 20).integral("u", weight=1) as K, pytest.raises(hg.Error, match="goals alone"):
        hg.invert(K, start, seek={"kappa": hg.Bounds(0.1, 2)}, h1=1.0, discrepancy=True)


@pytest.mark.one_rank
@pytest.mark.parametrize("off, sigma, why", [(5, 1e-3, "not met even with the weights x 5.96e-08"), (0, 1, "met even with the weights x 1.678e+07")])
def test_no_discrepancy(twin, model, off, sigma, why):
    """Data that no weights meet as their noise explains are said to be such."""
    J, start = twin
    o = J.observed[0]
    with hg.Misfit(model, 20).sensors("u", o.places, o.times, o.values + off, sigma=sigma) as K:
        found = hg.invert(K, start, seek={"kappa": hg.Bounds(0.1, 2)}, discrepancy=True, iterations=2, h1=1.0)
        assert f"discrepancy: the data are {why}; " in found.reason and (found.misfit_ratio > 2) == (off > 0)


@pytest.mark.one_rank
def test_discrepancy_of_a_failure(twin, monkeypatch):
    """Where an inversion fails the search for the weights ends, and says so."""
    J, start = twin
    module = sys.modules["halograd.invert"]
    solved = module._solved

    def failed(*arguments):
        found = solved(*arguments)
        found.ending, found.misfit_ratio = "failed", 7.0
        return found

    monkeypatch.setattr(module, "_solved", failed)
    found = hg.invert(J, start, seek={"kappa": hg.Bounds(0.1, 2)}, discrepancy=True, iterations=2, h1=1.0)
    assert found.reason.endswith("; discrepancy: the search for the weights ends there") and found.factor == 1


def test_a_method(twin):
    J, start = twin
    found = {method: hg.invert(J, start, seek={"kappa": hg.Bounds(0.1, 10)}, iterations=3, method=method) for method in (None, "blmvm", "bncg")}
    assert found[None].digest() == found["blmvm"].digest() != found["bncg"].digest() and found["bncg"].J < J(start)
    with pytest.raises(hg.Error, match="no method 'bfgs', expected one of: blmvm"):
        hg.invert(J, start, seek="kappa", method="bfgs")
    with pytest.raises(hg.Error, match="method is 3, expected a name"):
        hg.invert(J, start, seek="kappa", method=3)


def test_gauss_newton_of_a_text_that_chooses():
    with hg.Mesh((12, 9), spacing=0.1) as mesh, hg.Model(hg.Physics("physics ramp { field u [1], c [1/s]; u' = u + dt * c * (u > 1 ? u : 1); }"), mesh, dt=0.1) as model:
        data = model.run(model.input(u=0.8, c=lambda x, y: 1 + x * y), 6)
        J, x = hg.Misfit(model, 6).snapshot("u", 6, data.gather("u"), sigma=0.01), model.input(u=0.8, c=1)
        how = {"seek": "c", "tikhonov": 1.0, "iterations": 9, "method": "bntr"}
        with pytest.raises(hg.Error, match="no kernel `second`.*gauss"):
            hg.invert(J, x, **how)
        found = hg.invert(J, x, **how, gauss=True)
        assert found.ending == "converged" and found.misfit < 1e-4 * J(x)
        with found.posterior(10, gauss=True) as sure:
            assert (sure.deviation["c"] < sure.prior["c"]).all()
        with pytest.raises(hg.Error, match="method is 'blmvm', expected one of bnls"):
            hg.invert(J, x, seek="c", method="blmvm", gauss=True)


def test_refusals(J, x, model):
    with pytest.raises(hg.Error, match="what to seek"):
        hg.invert(J, x)
    with pytest.raises(hg.Error, match="seek: v, expected variables of"):
        hg.invert(J, x, seek={"v": hg.Bounds()})
    with pytest.raises(hg.Error, match="first guess of .kappa. has the value"):
        hg.invert(J, x, seek={"kappa": hg.Bounds(5, 10)})
    with pytest.raises(hg.Error, match="it has no data"):
        hg.invert(hg.Misfit(model, 3), x, seek={"kappa": hg.Bounds()})
    with pytest.raises(KeyError):
        hg.invert(J, x, seek={"kappa": hg.Bounds(0.1, 10)}, callback=lambda it, m: {}["stop"])
    assert J(x) > 0


def test_pictures(twin, tmp_path):
    pytest.importorskip("matplotlib")
    J, start = twin
    found = hg.invert(J, start, seek={"kappa": hg.Bounds(0.1, 10)}, iterations=3)
    figure = found.plot(tmp_path / "found.png")
    assert (figure is None) == (WORLD.rank > 0) and (WORLD.rank > 0 or (tmp_path / "found.png").stat().st_size > 5000)
    assert figure is None or figure._repr_png_().startswith(b"\x89PNG")  # which Jupyter asks for
    assert found.ending == "limit reached" and not found.converged


REACTION = """physics reaction {
  field u, v, F [1/s], K [1/s];
  let rx = 1 [m^2/s] / dx^2;
  let ry = 1 [m^2/s] / dy^2;
  let lap(c) = rx * (c_W + c_E - 2 * c) + ry * (c_S + c_N - 2 * c);
  let r = u * v^2 * 1 [1/s];
  u' = u + dt * (0.16 * lap(u) - r + F * (1 - u));
  v' = v + dt * (0.08 * lap(v) + r - (F + K) * v);
}"""


def test_numbers():
    """Two numbers of an equation, each a field that is the same in all cells: found to the last digits, on any cut."""
    from mpi4py import MPI

    digests = []
    for comm in (None, MPI.COMM_SELF):
        with hg.Mesh((24, 20), spacing=1, periodic=(True, True), comm=comm) as mesh, hg.Model(hg.Physics(REACTION), mesh, dt=1) as model:
            blob = np.exp(-((mesh.x - 12) ** 2 + (mesh.y - 9) ** 2) / 20)
            truth = model.input(u=1 - blob / 2, v=0.4 * blob, F=0.04, K=0.06)
            places, times = [(6.0, 5.0), (12.0, 9.5), (18.0, 14.0)], 15.0 * np.arange(1, 11)
            with hg.Misfit(model, 150).sensors("v", places, times, np.zeros((10, 3)), sigma=1) as blind:
                blind(truth)
                data = blind.predicted() + np.random.default_rng(3).normal(0, 1e-3, (10, 3))
            J = hg.Misfit(model, 150).sensors("v", places, times, data, sigma=1e-3)
            start = truth.copy()
            start["F"][...], start["K"][...] = 0.03, 0.055
            seek = {"F": hg.Uniform(0.01, 0.08), "K": hg.Uniform(0.03, 0.08)}
            with hg.Functional(J, start, seek) as f:
                g, field = f.gradient()[1], J.gradient(start)[1]
                for name in seek:
                    assert f.m[name].shape == (1,) and float(g[name][0]) == math.fsum(field.gather(name).ravel())
            both = hg.Uniform(0.01, 0.08)
            with hg.Functional(J, start, {"F": both, "K": both}) as f:
                assert set(f.m) == {"F", "K"}
            found = hg.invert(J, start, seek, tolerance=1e-6, iterations=60)
            assert float(found.m["F"][0]) == pytest.approx(0.04, rel=0.03) and float(found.m["K"][0]) == pytest.approx(0.06, rel=0.03)
            digests.append(found.digest())
            start["F"][0, 0] += 1e-3 * (mesh.comm.rank == 0)
            with pytest.raises(hg.Error, match="expected one number, as it is sought as one"):
                hg.invert(J, start, seek)
    assert digests[0] == digests[1]


@pytest.mark.parametrize("how", [hg.Bounds(0.1, 10), hg.Log(0.1, 10), hg.Coarse(24, 17, 0.1, 10, first=1.0)])
def test_prior_mean(twin, how):
    """R is least, and 0, at the mean, which a strong one finds; one without a weight, or of what is not sought, is refused."""
    J, start = twin
    mean = 1 + 0.2 * np.sin(np.arange(24 * 17)).reshape(17, 24)
    found = hg.invert(J, start, seek={"kappa": how}, tikhonov={"kappa": 1e10}, prior_mean={"kappa": mean}, tolerance=1e-6, iterations=200)
    assert abs(found.x.gather("kappa") - mean).max() < 1e-2
    with hg.Functional(J, start, {"kappa": how}, tikhonov=3.0, h1=2.0, prior_mean=mean) as f:
        assert f.regularisation() > 0.1
        if not isinstance(how, hg.Coarse):
            f.m[how.name or "kappa"] = np.log(mean) if isinstance(how, hg.Log) else mean
            assert f.regularisation() < 1e-25
    with hg.Functional(J, start, {"kappa": how}, tikhonov=3.0, prior_mean=found.x) as f:
        assert abs(f.input().gather("kappa") - 1).max() < 1e-12 and f.regularisation() > 0.01
    with hg.Functional(J, start, {"kappa": how}, tikhonov=3.0, prior_mean={"kappa": 20 * mean}):
        pass  # beyond the bounds
    for wrong, said in ({"prior_mean": mean}, "has no prior"), ({"prior_mean": {"u": 1}, "h1": 1}, "that are sought"):
        with pytest.raises(hg.Error, match=said):
            hg.Functional(J, start, {"kappa": how}, **wrong)


def test_prior_deviation(twin):
    """Matern's prior: smooth where its length is long; a Uniform has a deviation alone; what is no such prior is refused."""
    J, start = twin
    found = {}
    for length in (0.1, 0.6):
        found[length] = hg.invert(J, start, seek={"kappa": hg.Log(0.1, 10)}, prior_deviation=0.3, prior_length={"kappa": length}, precondition=True, tolerance=1e-4)
    rough = {length: np.abs(np.diff(f.m.gather("m"))).max() for length, f in found.items()}
    assert rough[0.6] < 0.7 * rough[0.1] and all(f.J < 1e-2 * f.iterates[0].J for f in found.values())
    flat = start.copy()
    with hg.Functional(J, flat, {"kappa": hg.Uniform(0.1, 10, reference=0.6)}, prior_deviation=0.2) as f:
        assert f.regularisation() == pytest.approx(0.5 * (0.4 / 0.2) ** 2, rel=1e-14)
    both, apart = {"kappa": hg.Log(reference=2), "f": hg.Uniform(reference=1)}, {"prior_deviation": {"kappa": 0.3, "f": 2}, "prior_length": 0.3}
    with hg.Functional(J, flat, both, **apart) as f, hg.Functional(J, flat, both, **{**apart, "prior_length": {"kappa": 0.3}}) as g:
        assert f.regularisation() == g.regularisation() > 0
    with hg.Functional(J, flat, both, prior_deviation={"kappa": 0.3}, prior_length=0.3, tikhonov={"f": 0.25}) as f:
        assert f.regularisation() > 0
    with hg.Functional(J, flat, both, tv={"kappa": 1}, tv_epsilon=0.1, tikhonov={"f": 0.25}) as f:
        assert f.regularisation() > 0
    for how, wrong, said in ((hg.Log(), {"prior_length": 1}, "expected both above 0"), (hg.Uniform(), {"prior_deviation": 1, "prior_length": 1}, "one number"),
                             (hg.Log(), {"prior_deviation": 1}, "expected both above 0"), (hg.Log(), {"prior_deviation": 1, "prior_length": 0.3, "h1": 1}, "no weights"),
                             (hg.Uniform(), {"prior_deviation": 1, "h1": 1}, "one number"), (hg.Uniform(), {"h1": 1}, "one number"),
                             (hg.Uniform(), {"tv": 1, "tv_epsilon": 0.1}, "one number"), (hg.Uniform(), {"prior_deviation": 1e-200}, "finite numbers"), (hg.Affine((1.0, 0.0, 0.0)), {"tikhonov": 1}, "three numbers")):
        with pytest.raises(hg.Error, match=said):
            hg.Functional(J, start, {"kappa": how}, **wrong)
