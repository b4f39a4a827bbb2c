# SPDX-License-Identifier: BSD-2-Clause
"""Claim: what a new user gets wrong ends in one sentence of halograd's, which names the thing and what was expected; nothing is rounded, taken
for nan, or left out in silence."""
import halograd as hg
import numpy as np
import pytest

MISTAKES = {
    "number not given": (lambda m, x, J: hg.Model(m.physics, m.mesh, 1e-4, decya=1), "its decay is not given, and it has no decya"),
    "number of words": (lambda m, x, J: hg.Model(m.physics, m.mesh, 1e-4, decay="1/s"), "its number 'decay' is '1/s', expected a number"),
    "number of numbers": (lambda m, x, J: hg.Model(m.physics, m.mesh, 1e-4, decay=np.ones(2)), "its number 'decay' is array"),
    "cells": (lambda m, x, J: hg.Mesh((24.5, 17)), "cells has 24.5, expected a whole number"),
    "a mesh of one axis": (lambda m, x, J: hg.Mesh(24), "cells has 1 numbers"),
    "steps": (lambda m, x, J: hg.Misfit(m, 10.5), "steps is 10.5, expected a whole number"),
    "no data": (lambda m, x, J: hg.Misfit(m, 10)(x), "it has no data, so J is 0"),
    "no data, gradient": (lambda m, x, J: hg.Misfit(m, 10).gradient(x), "it has no data, so J is 0"),
    "nothing as a field": (lambda m, x, J: x.__setitem__("u", None), "'u': None, expected a number"),
    "words as a field": (lambda m, x, J: x.__setitem__("u", "one"), "'u': 'one', expected a number"),
    "a function of nothing": (lambda m, x, J: x.__setitem__("f", lambda x, y: None), "a function of .* gives at .* None, expected a number"),
    "a dictionary as an input": (lambda m, x, J: J({"u": 1}), "'dict' given, expected a state"),
    "a dictionary as a direction": (lambda m, x, J: J.tangent(x, {"u": 1}), "'dict' given, expected a state"),
    "wrt": (lambda m, x, J: J.gradient(x, wrt="decay"), "wrt: decay, expected variables of u, kappa, f"),
    "seek a number": (lambda m, x, J: hg.invert(J, x, seek="decay"), "'decay' is a number of 'heat', by which J has no derivative"),
    "seek a pair": (lambda m, x, J: hg.invert(J, x, seek={"kappa": (1, 2)}), r"'kappa' as \(1, 2\), expected hg.Bounds"),
    "seek from outside": (lambda m, x, J: hg.invert(J, x, seek={"kappa": hg.Log(3, 4)}), "'kappa' is 0.* to 1.* in the first guess, expected 3 to 4"),
    "a plane of one number": (lambda m, x, J: hg.Affine(1.0), r"first is 1.0, expected \(a, b, c\)"),
    "a time of 0": (lambda m, x, J: hg.steps_for(0, 1e-4), "expected numbers above 0"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_is_named(name, model, x, J):
    make, sentence = MISTAKES[name]
    with pytest.raises(hg.Error, match=sentence):
        make(model, x, J)


def test_one_name_is_enough(J, x):
    assert J.gradient(x, wrt="kappa")[1].digest() == J.gradient(x, wrt=("kappa",))[1].digest()
    assert hg.invert(J, x, seek="f", iterations=2).digest() == hg.invert(J, x, seek={"f": hg.Bounds()}, iterations=2).digest()
