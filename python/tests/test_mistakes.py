# SPDX-License-Identifier: BSD-2-Clause
"""Claim: what a new user gets wrong ends in one sentence of halograd's, which names the thing and what was expected; nothing is rounded, taken
for nan, or left out in silence."""
import copy

import halograd as hg
import numpy as np
import pytest
from conftest import WORLD


def spoilt(x):
    """x with a nan in cell (5, 3)."""
    whole = x.gather("kappa")
    whole[3, 5] = np.nan
    x["kappa"] = whole
    return x


MISTAKES = {
    "number not given": (lambda m, x, J: hg.Model(m.physics, m.mesh, 1e-4, decya=1), "its decay is not given, and it has no decya"),
    "nan as a number": (lambda m, x, J: hg.Model(m.physics, m.mesh, 1e-4, decay=np.nan), "its number 'decay' is nan, expected a finite number"),
    "number of words": (lambda m, x, J: hg.Model(m.physics, m.mesh, 1e-4, decay="1/s"), "its number 'decay' is '1/s', expected a number"),
    "number of numbers": (lambda m, x, J: hg.Model(m.physics, m.mesh, 1e-4, decay=np.ones(2)), "its number 'decay' is array"),
    "cells": (lambda m, x, J: hg.Mesh((24.5, 17)), "cells has 24.5, expected a whole number"),
    "a mesh of one axis": (lambda m, x, J: hg.Mesh(24), "cells has 1 numbers"),
    "steps": (lambda m, x, J: hg.Misfit(m, 10.5), "steps is 10.5, expected a whole number"),
    "no data": (lambda m, x, J: hg.Misfit(m, 10)(x), "it has no data, so J is 0"),
    "no data, gradient": (lambda m, x, J: hg.Misfit(m, 10).gradient(x), "it has no data, so J is 0"),
    "gaps alone": (lambda m, x, J: hg.Misfit(m, 10).sensors("u", [(0.1, 0.1)], [1e-3], [[np.nan]], 1)(x), "all its readings are gaps"),
    "seek from gaps alone": (lambda m, x, J: hg.invert(hg.Misfit(m, 10).sensors("u", [(0.1, 0.1)], [1e-3], [[np.nan]], 1), x, "kappa"), "all its readings are gaps"),
    "nothing as a field": (lambda m, x, J: x.__setitem__("u", None), "'u': None, expected a number"),
    "words as a field": (lambda m, x, J: x.__setitem__("u", "one"), "'u': 'one', expected a number"),
    "a function of nothing": (lambda m, x, J: x.__setitem__("f", lambda x, y: None), "a function of .* gives at .* None, expected a number"),
    "a dictionary as an input": (lambda m, x, J: J({"u": 1}), "'dict' given, expected a state"),
    "a dictionary as a direction": (lambda m, x, J: J.tangent(x, {"u": 1}), "'dict' given, expected a state"),
    "wrt": (lambda m, x, J: J.gradient(x, wrt="decay"), "wrt: 'decay', expected constants: kappa, f"),
    "wrt carried": (lambda m, x, J: J.gradient(x, wrt=("u",)), "wrt: 'u' is carried, by which the gradient always is; expected constants: kappa, f"),
    "h1 of a name": (lambda m, x, J: hg.invert(J, x, seek="kappa", h1={"R": 10}), "h1: a weight of 'R', expected weights of what is sought: kappa"),
    "h1 of what is not sought": (lambda m, x, J: J.scipy(x, seek="kappa", h1={"f": 1}), "h1: a weight of 'f', expected weights of what is sought: kappa"),
    "tikhonov": (lambda m, x, J: hg.invert(J, x, seek="kappa", tikhonov={"R": 1}), "tikhonov: a weight of 'R', expected weights of what is sought: kappa"),
    "a prior too long, by its keyword": (lambda m, x, J: hg.invert(J, x, seek="kappa", prior_deviation=1, prior_length=1e9), r"correlation length 1e\+09, expected at most .* \(prior_length\)"),
    "a weight of words": (lambda m, x, J: hg.invert(J, x, seek="kappa", h1="1"), "h1: the weight of 'kappa' is '1', expected a number"),
    "seek a number": (lambda m, x, J: hg.invert(J, x, seek="decay"), "'decay' is a number of 'heat', by which J has no derivative"),
    "seek between bounds": (lambda m, x, J: hg.invert(J, x, seek={"kappa": hg.Log(5, 0.3)}), "bounds of 'kappa' are 5 and 0.3, expected lower <= upper"),
    "seek from nan": (lambda m, x, J: hg.invert(J, spoilt(x), seek="kappa"), r"'kappa' is nan in the first guess, in cell \(5, 3\), expected finite numbers"),
    "seek from nan, by its logarithm": (lambda m, x, J: hg.invert(J, spoilt(x), seek={"kappa": hg.Log()}), r"'kappa' is nan in the first guess, in cell \(5, 3\)"),
    "swapped": (lambda m, x, J: hg.invert(x, J), "'State' comes first, expected a misfit, then an input"),
    "periodic": (lambda m, x, J: hg.Mesh((8, 8), periodic="x"), "periodic is 'x', expected True or False, or 2 of them"),
    "patches": (lambda m, x, J: hg.Mesh((8, 8), patches=2), r"patches is 2, expected \(px, py\)"),
    "memory": (lambda m, x, J: J.gradient(x, memory="1MB"), "memory: '1MB', expected a number and KiB, MiB, GiB or TiB"),
    "no memory": (lambda m, x, J: J.gradient(x, memory=np.nan), "memory: nan, expected bytes, at least 0"),
    "resume": (lambda m, x, J: hg.invert(J, x, seek="kappa", resume=3), "resume is 3, expected a folder"),
    "a state of names": (lambda m, x, J: hg.zeros(m.mesh, ["a"]), r"zeros\(\): \['a'\], expected the unit of each variable"),
    "a time between two": (lambda m, x, J: hg.read(x, "none.h5", 0.5), r"read\(\): index is 0.5, expected a whole number"),
    "a number in words as a field": (lambda m, x, J: x.__setitem__("f", "1.5"), "'f': '1.5', expected a number"),
    "complex numbers": (lambda m, x, J: x.__setitem__("f", 1j), "'f': 1j, expected a number, an array or a function .* of real numbers"),
    "complex data": (lambda m, x, J: hg.Misfit(m, 10).sensors("u", [(0.1, 0.1)], [1e-3], [[1j]], 1), "sensors of 'u': data .*, expected real numbers"),
    "no places": (lambda m, x, J: hg.Misfit(m, 10).sensors("u", [], [1e-3], [[]], 1), r"sensors of 'u': no places, expected \(x, y\) of each"),
    "a shape": (lambda m, x, J: x.__setitem__("f", np.ones((3, 3))), r"'f': an array of the shape \(3, 3\), expected \(" + ("17, 24\\)$" if WORLD.size == 1 else r"\d+, \d+\), this rank's cells, or \(17, 24\), the whole field")),
    "no text": (lambda m, x, J: hg.Physics(""), "Physics: '', expected a text, or the path of a file"),
    "a number as a text": (lambda m, x, J: hg.Physics(3), "Physics: 3, expected a text, or the path of a file"),
    "no file": (lambda m, x, J: hg.Physics("no.stencil"), "'no.stencil' is no text with '{', and cannot be read as a file: No such file"),
    "seek a pair": (lambda m, x, J: hg.invert(J, x, seek={"kappa": (1, 2)}), r"'kappa' as \(1, 2\), expected hg.Bounds"),
    "seek from outside": (lambda m, x, J: hg.invert(J, x, seek={"kappa": hg.Log(3, 4)}), "'kappa' is 0.* to 1.* in the first guess, expected 3 to 4"),
    "a plane of one number": (lambda m, x, J: hg.Affine(1.0), r"first is 1.0, expected \(a, b, c\)"),
    "a time of 0": (lambda m, x, J: hg.steps_for(0, 1e-4), "expected finite numbers above 0"),
    "no largest step": (lambda m, x, J: hg.steps_for(1, np.inf), "in steps of at most inf s, expected finite numbers above 0"),
    "a snapshot between steps": (lambda m, x, J: hg.Misfit(m, 10).snapshot("u", 2.7, 0, 1), "step is 2.7, expected a whole number"),
    "slots": (lambda m, x, J: J.gradient(x, slots=2.7), "slots: 2.7, expected a whole number"),
    "sigma of each of three sensors": (lambda m, x, J: hg.Misfit(m, 10).sensors("u", [(0.1, 0.1), (0.2, 0.1)], [1e-3, 2e-3], np.ones((2, 2)), [1, 2, 3]), r"sigma of the shape \(3,\), expected a number, one of each sensor, or \(times, sensors\) = \(2, 2\)"),
    "spacing in words": (lambda m, x, J: hg.Mesh((8, 8), spacing="0.1"), "spacing is '0.1', expected a number"),
    "dt in words": (lambda m, x, J: hg.Model(m.physics, m.mesh, "1e-4", decay=1), "dt is '1e-4', expected a number"),
    "a logarithm around 0": (lambda m, x, J: hg.invert(J, x, seek={"kappa": hg.Log(reference=0)}, tikhonov=1), "'kappa' by its logarithm around 0, expected a reference above 0"),
    "a copy of a misfit": (lambda m, x, J: copy.copy(J), "Misfit: the library has made it, which cannot copy or pickle it"),
    "a deep copy of a state": (lambda m, x, J: copy.deepcopy(x), r"x.copy\(\) copies it"),
    "a box without a side": (lambda m, x, J: hg.Misfit(m, 10).integral("u", box={"east": 0.0}, weight=1), "from west 0 to east 0, expected a box"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_is_named(name, model, x, J):
    make, sentence = MISTAKES[name]
    with pytest.raises(hg.Error, match=sentence):
        make(model, x, J)


SIGNED = """physics plague {
  field I copied, r [1/s] > 0;
  number death [1/s] > 0, birth [1/s] >= 0;
  I' = I + dt * (r + birth - death) * I;
}"""


def test_signs_are_held(mesh):
    plague = hg.Physics(SIGNED)
    for numbers, sentence in ({"death": -1, "birth": 0}, "number 'death' is -1, expected > 0"), ({"death": 0, "birth": 0}, "number 'death' is 0, expected > 0"), \
                             ({"death": 1, "birth": -2}, "number 'birth' is -2, expected >= 0"), ({"death": np.inf, "birth": 0}, "number 'death' is inf, expected > 0"):
        with pytest.raises(hg.Error, match=sentence):
            hg.Model(plague, mesh, 1e-3, **numbers)
    model = hg.Model(plague, mesh, 1e-3, death=1, birth=0)
    with pytest.raises(hg.Error, match="the least 'r' of the input is 0, expected more than 0 everywhere") as refused:
        model.run(model.input(I=1), 2)
    assert refused.value.id == "limit-broken"
    model.run(model.input(I=1, r=2), 2)


def test_a_file_is_named(tmp_path):
    path = WORLD.bcast(tmp_path) / "my.stencil"
    if WORLD.rank == 0:
        path.write_text("physics p {\n  field u;\n  u' = u + v;\n}")
    WORLD.barrier()
    with pytest.raises(hg.TextError, match=f"^{path}:3:12: error: 'v' is not declared"):
        hg.Physics(path)
    WORLD.barrier()


def test_no_picture_on_any_rank(J, x, tmp_path):
    pytest.importorskip("matplotlib")
    found = hg.invert(J, x, seek="kappa", iterations=1)
    with pytest.raises(hg.Error, match="plot\\(\\) cannot write .*x.foo': Format 'foo' is not supported"):
        found.plot(tmp_path / "x.foo")


def test_one_name_is_enough(J, x):
    assert J.gradient(x, wrt="kappa")[1].digest() == J.gradient(x, wrt=("kappa",))[1].digest()
    assert hg.invert(J, x, seek="f", iterations=2).digest() == hg.invert(J, x, seek={"f": hg.Bounds()}, iterations=2).digest()


@pytest.mark.skipif(WORLD.size == 1, reason="one rank has nobody to differ from")
@pytest.mark.parametrize("what", ["cells", "spacing", "dt", "steps", "places", "outside", "data", "sigma", "slots", "tikhonov", "iterations"])
def test_ranks_differ(heat, what):
    """Data that each rank drew for itself, above all: J would be that of no data at all."""
    own = WORLD.rank if WORLD.rank == WORLD.size - 1 else 0

    def run():
        mesh = hg.Mesh((12 + (own if what == "cells" else 0), 12), spacing=1 + (own if what == "spacing" else 0))
        with hg.Model(heat, mesh, dt=0.1 - (0.01 * own if what == "dt" else 0), decay=0) as model:
            x = model.input(kappa=1)
            places = [(3, 3), (5 + (own if what == "places" else 0), 7), (3 + (100 * own if what == "outside" else 0), 5)]
            data = np.random.default_rng(own if what == "data" else 1).standard_normal((1, 3))
            with hg.Misfit(model, 5 + (own if what == "steps" else 0)).sensors("u", places, [0.5], data, sigma=1 + (own if what == "sigma" else 0)) as J:
                J.gradient(x, slots=2 + (own if what == "slots" else 0))
                hg.invert(J, x, seek="kappa", tikhonov=1 + (own if what == "tikhonov" else 0), iterations=2 + (own if what == "iterations" else 0))

    with pytest.raises(hg.Error, match="a rank has .* where rank 0 has .*; give all ranks the same") as told:
        run()
    assert told.value.id == "ranks-differ"


def test_one_variable_becomes_another(x):
    x["f"] = x["kappa"]
    assert np.array_equal(x["f"], x["kappa"]) and x["f"].any()
    x["f"] += 1
    assert np.array_equal(x["f"], x["kappa"] + 1)
    x["f"] = x["f"][:, ::-1]
    assert np.array_equal(x["f"][:, ::-1], x["kappa"] + 1)


def test_masked_numbers_are_none(model, x):
    """As netCDF4 reads them: what lies below a mask is no value."""
    data = np.ma.masked_array([[1.0, 9e36]], [[False, True]])
    J = hg.Misfit(model, 10).sensors("u", [(0.1, 0.1), (0.2, 0.1)], [1e-4], data, sigma=1)
    assert J.count == 1 and J(x) < 1e6
    with pytest.raises(hg.Error, match="'u' is nan in cell") as told:
        hg.Misfit(model, 10).snapshot("u", 1, np.ma.masked_array(np.ones(model.mesh.shape), x["u"] > -1), sigma=1)
    assert told.value.id == "not-finite"


def test_data_are_kept(mesh, model, x):
    rain = np.ones(3)
    with hg.Model(hg.Physics("physics wet { field u copied; table rain[step]; u' = u + rain[step]; }"), mesh, dt=1.0, rain=rain) as wet:
        rain[:] = 5
        assert wet.run(wet.input(), 3)["u"].max() == 3
    with pytest.raises(hg.Error, match="table 1 in the params of 'wet', read by i, is not given"):
        hg.Model(hg.Physics("physics wet { field u copied; table rain[i]; u' = u + rain[i]; }"), mesh, dt=1.0)
    with pytest.raises(hg.Error, match="no number or table rain; its own are none; for a table by i or j declare a field"):
        hg.Model(hg.Physics("physics wet { field u copied; table rain[i]; u' = u + rain[i]; }"), mesh, dt=1.0, rain=rain)
    data = model.state(u=1)
    J = hg.Misfit(model, 10).at_end("u", data, sigma=1)
    data["u"] = 5
    assert J(x) == hg.Misfit(model, 10).at_end("u", 1, sigma=1)(x)


def test_what_was_closed_says_so(model, x):
    """And what was lent."""
    J = hg.Misfit(model, 2).at_end("u", 0, sigma=1)
    J(x)
    J.close()
    for asked in (J.parts, lambda: J.predicted(), J.operator, lambda: J.check(x), lambda: J(x)):
        with pytest.raises(hg.Error, match="Misfit: it was closed|there are 0 terms"):
            asked()
    kept = []
    model.run(x, 2, watch=lambda n, t, q: kept.append(q))
    for asked in (lambda: kept[0]["u"], kept[0].digest, kept[0].copy, lambda: kept[0].gather("u")):
        with pytest.raises(hg.Error, match="State: it was lent for a call that has ended"):
            asked()


def test_predictions_before_a_run(heat, mesh):
    with hg.Model(heat, mesh, dt=1e-5, decay=0) as model, hg.Misfit(model, 2).sensors("u", [(0.5, 0.5)], [1e-5], [[0]], sigma=1) as J:
        with pytest.raises(hg.Error, match="compute J first"):
            J.predicted()
        J(model.input(kappa=1))
        assert J.predicted().shape == (1, 1)


def test_infinite_data(heat, mesh):
    with hg.Model(heat, mesh, dt=1e-5, decay=0) as model, pytest.raises(hg.Error, match="sensor 0 is inf K, expected a finite number"):
        hg.Misfit(model, 2).sensors("u", [(0.5, 0.5)], [1e-5], [[np.inf]], sigma=1)


def test_a_wrong_name_on_one_rank(heat, mesh):
    """That rank learns of it at once, and waits for nobody."""
    with hg.Model(heat, mesh, dt=1e-5, decay=0) as model:
        x = model.input(kappa=1)
        if WORLD.rank == 0:
            with pytest.raises(hg.Error, match="no variable 'typo', expected one of: u, ") as told:
                x["typo"] = 1
            assert told.value.id == "variable-unknown"
        assert x.digest()


def test_a_file_that_is_not_there():
    for name, wrong in (("nowhere/none.h5", "file-read"), (__file__, "file-format")):
        with pytest.raises(hg.Error, match=f"file '{name}'") as told:
            hg.Observed.read(name, "K")
        assert told.value.id == wrong
