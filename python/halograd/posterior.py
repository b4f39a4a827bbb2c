# SPDX-License-Identifier: BSD-2-Clause
"""How well the data determine what an inversion found: <halograd/posterior.h>."""
import numpy as np

from ._core import Object, check, ffi, lib, require, whole
from .mesh import as_state


class Posterior(Object):
    """The Gaussian around what an inversion found, found.posterior(pairs): its covariance C from `pairs` eigenpairs, and that of the
    regularisation, which stands for what was known before the data.

    deviation, prior   standard deviations of each control after the data and before them, states like found.m
    eigenvalues        how much more certain the data are than the prior, along each eigenvector, the largest first
    told               how many of them are above 1: so many numbers the data tell, or more if all are

    Collective. In C: HgPosteriorCreate(), HgPosteriorDeviations()."""

    def __init__(self, functional, m, pairs, gauss):
        self._functional, self.mesh, self._comm = functional, functional.mesh, functional._all
        require(functional._R is not None, "posterior(): J has no regularisation, which says what is known before the data; expected tikhonov or prior_deviation")
        ranges = [functional.controls[name][1] for name in functional.m.names]
        ranges = ffi.new("HgControlRange[]", [(*how._bounds(), how._scale()) for how in ranges])
        made, found = ffi.new("HgPosterior *"), ffi.new("double **")
        with functional._gauss_newton(gauss):
            functional._activate()
            check(lib.HgPosteriorCreate(ranges, functional._of_data(), functional._R, m._input(), whole(pairs, "posterior(): pairs is"), made), self._comm)
        self._handle = made[0]
        self._made(functional)
        count = lib.HgPosteriorEigenvalues(self._c, found)
        self.eigenvalues = np.array(ffi.unpack(found[0], count)) if count else np.zeros(0)
        self.told = int((self.eigenvalues > 1).sum())
        self.prior, self.deviation = m.like(), m.like()
        check(lib.HgPosteriorDeviations(self._c, self.prior._c, self.deviation._c), self._comm)

    def _free(self):
        check(lib.HgPosteriorDestroy(ffi.new("HgPosterior *", self._c)), self._comm)
        self._functional.close()

    def deviation_of(self, g):
        """Standard deviations (before the data, after them) of the number g.dot(m), a sum over the controls weighted by the state g; of the
        mean of a field g is 1 / its number of cells. In C: HgPosteriorFunctional()."""
        before, after = ffi.new("double *"), ffi.new("double *")
        check(lib.HgPosteriorFunctional(self._c, as_state(g)._input(), before, after), self._comm)
        return before[0], after[0]

    def sample(self, seed=1):
        """Controls drawn before the data and after them, two states like found.m; the same for the same seed on any number of ranks.
        Posterior.input() makes of one what the model takes. In C: HgPosteriorSample()."""
        before, after = self.deviation.like(), self.deviation.like()
        check(lib.HgPosteriorSample(self._c, whole(seed, "sample(): seed is"), before._c, after._c), self._comm)
        return before, after

    def input(self, m, of=0):
        """x(m), a state of its own; of several misfits that of number `of`. In C: HgOperatorApply()."""
        return self._alive()._functional.input(m, of)

    def __repr__(self):
        return f"<halograd.Posterior: {len(self.eigenvalues)} eigenvalues, {self.told} above 1>"
