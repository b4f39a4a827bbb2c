# SPDX-License-Identifier: BSD-2-Clause
"""The weights of the regularisation."""
import math

from ._core import real

# What R weighs, and HgRegularisation's name of it.
WEIGHTS = {"tikhonov": "alpha", "h1": "beta", "prior_deviation": "deviation", "prior_length": "length", "tv": "tv", "tv_epsilon": "epsilon",
           "h1_along": "across"}


def weights_of(prior, variable, passes):
    """The weights of a variable of what is sought, each of a number for all of them or {variable: number}. One length or epsilon for
    all passes over variables that have no deviation or tv of their own and, if `passes`, over this one."""
    given = {}
    for what, weights in prior.items():
        given[what] = real(weights.get(variable, 0.0) if isinstance(weights, dict) else weights, f"{what}: the weight of '{variable}' is")
    for what, of in (("prior_length", "prior_deviation"), ("tv_epsilon", "tv")):
        named = isinstance(prior[of], dict) and any(prior[of].values())
        if not isinstance(prior[what], dict) and (passes if given[of] else named):
            given[what] = 0.0
    return {WEIGHTS[what]: weight for what, weight in given.items()}


def scaled(prior, factor):
    """The weights times `factor`."""

    def times(weights, power):
        return {name: weight * factor**power for name, weight in weights.items()} if isinstance(weights, dict) else weights * factor**power

    if factor == 1:
        return prior
    powers = {"tikhonov": 1, "h1": 1, "tv": 1, "h1_along": 1, "prior_deviation": -0.5}
    return {what: times(weights, powers[what]) if what in powers else weights for what, weights in prior.items()}


class Discrepancy:
    """Morozov's principle: the factor of the weights with which misfit / expectation is between 1 and 1 + 2 sd, sd its standard deviation by
    noise alone. The misfit grows with the factor. As -discrepancy searches for it, adjoint/problem/problem_weights.c."""

    MOST, STRIDE, FURTHEST = 16, 8.0, 1e8

    def __init__(self, count):
        self.sd = math.sqrt(2 / count)
        self.factor, self.weak, self.strong = 1.0, 0.0, math.inf

    def met(self, ratio):
        return 1 <= ratio <= 1 + 2 * self.sd

    def next(self, ratio):
        """Is there another factor to try? It is self.factor then."""
        off = math.log(max(ratio, 1e-300) / (1 + self.sd))
        if ratio < 1:
            self.weak, self.at_weak = self.factor, off
        else:
            self.strong, self.at_strong = self.factor, off
        if self.weak == 0:
            then = self.factor / self.STRIDE
        elif math.isinf(self.strong):
            then = self.factor * self.STRIDE
        else:
            share = self.at_weak / (self.at_weak - self.at_strong)
            then = self.weak * (self.strong / self.weak) ** min(0.9, max(0.1, share))
        self.factor = then
        return 1 / self.FURTHEST <= then <= self.FURTHEST

    def none(self, factor, ratio):
        """Why there is no such factor: what the last one that was tried has met."""
        if ratio < 1:
            return f"the data are met even with the weights x {factor:.4g}; larger ones may do, or is sigma too large?"
        return f"the data are not met even with the weights x {factor:.4g}; smaller ones may do, or is sigma too small, or the model wrong?"
