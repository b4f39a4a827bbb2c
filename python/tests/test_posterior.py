# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the posterior of what invert() found is that of the dense matrices, with the same bits on any ranks; also of numbers, of several
misfits, and of Gauss and Newton's Hessian where the exact one is not positive."""
import halograd as hg
import numpy as np
import pytest
from conftest import WORLD

PLACES = [(0.2 + 0.3 * i, 0.1 + 0.2 * j) for i in range(4) for j in range(3)]
COARSE = {"seek": {"f": hg.Coarse(4, 3, first=2.0)}, "tikhonov": 0.3, "h1": 0.01, "tolerance": 1e-8}


@pytest.fixture
def J(model):
    with hg.Misfit(model, 20).sensors("u", PLACES, [0.002, 0.004], np.linspace(0, 1, 24).reshape(2, 12), sigma=0.01) as made:
        yield made


def dense(*of, **weights):
    """The matrix of J'' of numbers, column by column."""
    with hg.Functional(*of, **weights) as f:
        return np.array([f.hessian(f.m.like().unpack(e)).pack() for e in np.eye(len(f.m.pack()))])


def test_dense(J, x):
    found = hg.invert(J, x, **COARSE)
    H = dense(J, x, COARSE["seek"])
    R = dense(J, x, COARSE["seek"], tikhonov=0.3, h1=0.01) - H
    with found.posterior(12) as p:
        prior, after, g = np.linalg.inv(R), np.linalg.inv(H + R), found.m.like().random(7)
        assert p.prior.pack() == pytest.approx(np.sqrt(prior.diagonal()), rel=1e-8) and p.deviation.pack() == pytest.approx(np.sqrt(after.diagonal()), rel=1e-8)
        assert p.eigenvalues == pytest.approx(np.sort(np.linalg.eigvals(prior @ H).real)[::-1], rel=1e-6, abs=1e-9 * p.eigenvalues[0])
        assert 0 < p.told < 12 and p.told == (p.eigenvalues > 1).sum()
        assert p.deviation_of(g) == pytest.approx([np.sqrt(g.pack() @ C @ g.pack()) for C in (prior, after)], rel=1e-8)
        drawn = np.array([[s.pack() for s in p.sample(seed)] for seed in range(1, 401)])
        assert drawn[:, 1].std(0) == pytest.approx(p.deviation.pack(), rel=0.15) and drawn[:, 0].std(0) == pytest.approx(p.prior.pack(), rel=0.15)
        assert abs(drawn[:, 1].mean(0) - found.m.pack()).max() < 0.25 * p.deviation.pack().max()
        assert p.input(p.sample(3)[1])["kappa"] == pytest.approx(found.x["kappa"])
        with pytest.raises(hg.Error, match="13 eigenpairs asked for, expected 1 to 12"):
            found.posterior(13)
    assert p.closed
    with pytest.raises(hg.Error, match="Posterior: it was closed"):
        p.sample(1)


def test_the_same_on_a_part_of_the_ranks(J, x):
    from mpi4py import MPI

    how = {"seek": {"u": hg.Bounds(), "kappa": hg.Log(reference=1)}, "prior_deviation": {"u": 0.1, "kappa": 0.3}, "prior_length": 0.4, "iterations": 3}
    with hg.invert(J, x, **how).posterior(15, gauss=True) as p, hg.Mesh((24, 17), spacing=(0.05, 0.04), comm=MPI.COMM_SELF) as mesh, hg.Model(J.model.physics, mesh, dt=2e-4, decay=3.0) as model:
        o = J.observed[0]
        alone = model.input(**{name: x.gather(name) for name in x})
        K = hg.Misfit(model, 20).sensors("u", o.places, o.times, o.values, sigma=o.sigma)
        q = hg.invert(K, alone, **how).posterior(15, gauss=True)
        assert [s.digest() for s in (p.prior, p.deviation, *p.sample(5))] == [s.digest() for s in (q.prior, q.deviation, *q.sample(5))]
        assert np.array_equal(p.eigenvalues, q.eigenvalues) and p.eigenvalues.min() >= 0
        assert (q.deviation["m"] < q.prior["m"]).all() and q.deviation["u"].min() > 0


def test_several(J, model, x):
    """The posterior of two misfits with all numbers in one is that of the sum; groups of ranks have one together."""
    o, whole = J.observed[0], hg.invert(J, x, **COARSE).posterior(12)
    parts = [np.where(np.arange(12) % 2 == k, o.values, np.nan) for k in range(2)]
    with hg.Experiments(2, min(2, WORLD.size)) as shots, hg.Mesh((24, 17), spacing=(0.05, 0.04), comm=shots.comm) as mesh, hg.Model(model.physics, mesh, dt=2e-4, decay=3.0) as there:
        first = there.input(**{name: x.gather(name) for name in x})
        misfits = [hg.Misfit(there, 20).sensors("u", o.places, o.times, parts[k], sigma=0.01) for k in shots.mine]
        p = hg.invert(misfits, [first for _ in misfits], experiments=shots, **COARSE).posterior(12)
        assert p.deviation.pack() == pytest.approx(whole.deviation.pack(), rel=1e-9)
        misfits[-1].close()
        assert p.closed
        with pytest.raises(hg.Error, match="Functional: it was closed"):
            p._functional.input(whole.sample(1)[1])


def test_refusals(J, x, model):
    found = hg.invert(J, x, seek="f", iterations=2)
    with pytest.raises(hg.Error, match="no regularisation, which says what is known before the data"):
        found.posterior(5)
    with pytest.raises(hg.Error, match="leaves the mean of 'f' free"):
        hg.invert(J, x, seek="f", h1=1.0, iterations=2).posterior(5)
    far = hg.invert(J, x, seek={"kappa": hg.Log(0.1, 10)}, tikhonov=1e-3, iterations=3)
    with pytest.raises(hg.Error, match="the controls are no minimum"):
        far.posterior(10)
    with far.posterior(10, gauss=True) as p:
        assert p.told > 0
        with pytest.raises(hg.Error, match="the weights of a number have other variables than the controls"):
            p.deviation_of(x)
        g = far.m.like()
        g["m"] = float("nan")
        with pytest.raises(hg.Error, match="the weights of a number: 'm' is nan in cell"):
            p.deviation_of(g)
    x["u"] = 0
    with pytest.raises(hg.Error, match="the input was changed since invert"):
        far.posterior(10, gauss=True)
