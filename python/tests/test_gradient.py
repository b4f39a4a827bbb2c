# SPDX-License-Identifier: BSD-2-Clause
"""Claim: value, gradient, tangents and Hessian products in Python are derivatives of one another, with the same bits for any number of
checkpoints, and what is wrong is refused in the library's sentence on every rank."""
import gc
import resource

import halograd as hg
import numpy as np
import pytest
from conftest import WORLD


def test_value_gradient_tangent(J, x):
    value, g = J.gradient(x)
    assert value == J(x) > 0 and g.names == x.names
    directions = [x.like().random(seed) for seed in (1, 2, 3)]
    again, slopes = J.tangent(x, directions)
    assert again == value
    assert slopes == pytest.approx([g.dot(d) for d in directions], rel=1e-12)
    assert J.tangent(x, directions[1])[1] == slopes[1]


def test_differences(J, x):
    _, g = J.gradient(x)
    d, e = x.like().random(5), 1e-4
    ahead, behind = J(x.copy().add(e, d)), J(x.copy().add(-e, d))
    assert (ahead - behind) / (2 * e) == pytest.approx(g.dot(d), rel=1e-6)


def test_hessian(J, x):
    d, e = x.like().random(5), 1e-4
    h = J.hessian(x, d)
    ahead, behind = J.gradient(x.copy().add(e, d))[1], J.gradient(x.copy().add(-e, d))[1]
    apart = ahead.add(-1.0, behind).scale(0.5 / e).add(-1.0, h)
    assert apart.dot(apart) < 1e-10 * h.dot(h)
    other = x.like().random(6)
    assert J.hessian(x, [other])[0].dot(d) == pytest.approx(h.dot(other), rel=1e-11)


def test_bits_do_not_depend_on_checkpoints(J, x, tmp_path_factory):
    folder = WORLD.bcast(str(tmp_path_factory.mktemp("slots")))
    one = J.gradient(x, slots=1)
    for given in ({"slots": 3}, {"slots": 1000}, {"memory": "256KiB"}, {"memory": "1GiB"}, {"disk": (folder, "1MiB")}, {"slots": 2, "disk": (folder, "512KiB")}):
        other = J.gradient(x, **given)
        assert other[0] == one[0] and other[1].digest() == one[1].digest()
    with pytest.raises(hg.Error, match="memory: 100 is less than one state"):
        J.gradient(x, memory=100)


def test_with_respect_to(J, x):
    _, g = J.gradient(x)
    _, part = J.gradient(x, wrt=("kappa",))
    assert part.digest("kappa") == g.digest("kappa") and part.digest("u") == g.digest("u")
    assert not part["f"].any() and WORLD.allreduce(float(abs(g["f"]).max())) > 0
    assert J.gradient(x)[1].digest() == g.digest()


def test_snapshots(model, x):
    data = model.run(x, 7)
    with hg.Misfit(model, 7).at_end("u", data, sigma=2) as J:
        assert J(x) == 0 and J.count == 24 * 17
    with hg.Misfit(model, 7).snapshot("u", 7, 0, sigma=1) as J:
        assert J(x) == pytest.approx(0.5 * float((data.gather("u") ** 2).sum()), rel=1e-14)


def test_predictions_and_observations(J, x, model):
    assert np.isnan(J.observed[0].values[0, 2])
    J(x)
    seen = J.predicted()
    assert seen.shape == (2, 3)
    places, times = J.observed[0].places, J.observed[0].times
    with hg.Misfit(model, 20).sensors("u", places, times, seen, sigma=1) as twin:
        assert twin(x) == 0


def test_a_run_is_watched(model, x):
    seen = []
    last = model.run(x, 10, every=4, watch=lambda n, t, q: seen.append((n, t, q.digest())))
    assert [n for n, _, _ in seen] == [0, 4, 8, 10] and seen[-1][2] == last.digest()
    kept = []
    model.run(x, 1, watch=lambda n, t, q: kept.append(q))
    with pytest.raises(hg.Error, match="lent"):
        model.run(kept[0], 1)


def test_a_run_does_not_run_itself(model, x, J):
    def again(n, t, q):
        J(x)

    with pytest.raises(hg.Error, match="runs already"):
        model.run(x, 3, watch=again)
    assert J(x) > 0
    with hg.Functional(J, x, {"kappa": hg.Bounds()}) as f:
        before = f.gradient()[0]
        with pytest.raises(hg.Error, match="checkpoints change while"):
            J.gradient(x, slots=2)
        assert f.gradient()[0] == before
    J.gradient(x, slots=2)


def test_checks(J, x):
    found = J.check(x)
    assert found and len(found) == 0 and len(str(found).splitlines()) == 3 and all(line.endswith("ok") for line in found.lines)
    assert list(found.measured) == ["heat", "heat step", "heat trajectory"]
    assert all(one["dot"] < 1e-13 and one["Taylor"] > 1.9 and one["zero"] == 0 for one in found.measured.values())
    found = J.doctor(x)
    assert found.ok and "sound" in str(found) and all(one.remark for one in found)


def test_what_is_wrong_is_found(mesh):
    """|u - 1/2| has a kink in step 2, where u is 1/2 in a single cell, which the last rank owns."""
    physics = hg.Physics("physics kink { field u [1], w [1], c [1/s]; u' = u + dt * c; w' = w + abs(u - 0.5); }")
    with hg.Model(physics, mesh, dt=1.0) as model, hg.Misfit(model, 5).at_end("w", 0, sigma=1) as J:
        start = np.full((17, 24), 0.125)
        x = model.input(u=start, c=0.25, w=1.0)
        assert J.doctor(x)
        start[12, 20] = 0
        x["u"] = start
        found = J.doctor(x)
        first = found[0]
        assert not found and not found.ok and f"doctor kink: {first}" in found.lines
        assert (first.of, first.part, first.what, first.kernel, first.remark) == ("kink", "kink", "kink", "apply", False)
        assert (first.step, first.pair, first.cell, first.rank) == (2, ("u", "w"), (20, 12), WORLD.size - 1)
        assert first.off > 1e3 * first.bound > 0
        assert [vars(one) for one in WORLD.bcast(found)] == [vars(one) for one in found]


def test_refusals(J, x, model):
    with pytest.raises(hg.Error, match="inside the domain"):
        hg.Misfit(model, 20).sensors("u", [(9, 9)], [0.001], [[0]], sigma=1)
    with pytest.raises(hg.Error, match="data of the shape"):
        hg.Misfit(model, 20).sensors("u", [(0.3, 0.3)], [0.001], [[0, 1]], sigma=1)
    x["kappa"][...] = np.nan
    with pytest.raises(hg.Error, match="finite"):
        J(x)
    with pytest.raises(hg.Error, match="finite"):
        J.gradient(x)
    x["kappa"][...] = 1
    assert J(x) > 0
    with pytest.raises(hg.Error, match="after J was asked for"):
        J.at_end("u", 0, sigma=1)


def test_closed_things_are_refused(heat):
    mesh = hg.Mesh((8, 8))
    model = hg.Model(heat, mesh, dt=1e-3, decay=0)
    J = hg.Misfit(model, 3).at_end("u", 0, sigma=1)
    x = model.input(kappa=1)
    J(x)
    mesh.close()
    assert model.closed and J.closed
    for use in (lambda: J(x), model.input, lambda: hg.Model(heat, mesh, dt=1, decay=0)):
        with pytest.raises(hg.Error, match="was closed"):
            use()
    assert x["kappa"].max() == 1


def test_no_memory_is_lost(J, x):
    """Peak memory of this process; the collector runs at moments of its own on each rank."""
    numbers = np.random.default_rng(WORLD.rank)

    def peak(runs):
        for _ in range(runs):
            J.gradient(x)
            if numbers.random() < 0.02:
                gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = peak(50)
    assert peak(1000 if WORLD.size == 1 else 200) - before < 2048  # [KiB]: a state has 40 on one rank, 1000 of them 40 MB
