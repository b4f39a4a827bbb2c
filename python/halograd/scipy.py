# SPDX-License-Identifier: BSD-2-Clause
"""J of what is sought as a function of one vector, for scipy.optimize and whatever else takes such functions:

    f = J.scipy(x, seek={"kappa": hg.Bounds(0.1, 10)})
    found = scipy.optimize.minimize(f, f.x0, jac=True, hessp=f.hessp, bounds=f.bounds, method="trust-constr")
    x = f.input(found.x)

Every rank holds the whole vector and runs the same optimiser, which takes the same steps on all of them: the bits do not depend on the
number of ranks."""
import numpy as np

from ._core import Object, require
from .invert import Functional


class Function(Object):
    """f(v) = (J, dJ/dv). Collective, as are its methods."""

    def __init__(self, misfit, x, seek, memory=None, tikhonov=0.0, h1=0.0):
        self.functional = Functional(misfit, x, seek, tikhonov, h1, memory)
        self._made(self.functional)
        m = self.functional.m
        self._parts, at = [], 0
        for name in m:
            shape = misfit.mesh.cells[: m[name].ndim][::-1] if m[name].ndim > 1 else m[name].shape
            size = int(np.prod(shape))
            self._parts.append((name, slice(at, at + size), shape))
            at += size
        self.size, self.x0 = at, self._vector(m)

    @property
    def bounds(self):
        """(lower, upper) of each entry"""
        pairs = []
        for name, part, _ in self._parts:
            pairs += [self.functional.controls[name][1]._bounds()] * (part.stop - part.start)
        return pairs

    def _vector(self, m):
        return np.concatenate([m.gather(name).ravel() for name in m])

    def controls(self, v):
        """The vector as a state of controls."""
        v = np.asarray(v, dtype=float)
        require(v.shape == (self.size,), f"a vector of the shape {v.shape}, expected ({self.size},)")
        m = self.functional.m.like()
        for name, part, shape in self._parts:
            m[name] = v[part].reshape(shape)
        return m

    def __call__(self, v):
        J, g = self.functional.gradient(self.controls(v))
        return J, self._vector(g) if np.isfinite(J) else np.full(self.size, np.nan)

    def hessp(self, v, d):
        """J''(v) d, exact"""
        return self._vector(self.functional.hessian(self.controls(d), self.controls(v)))

    def input(self, v):
        """x(v), the input of the model."""
        return self.functional.input(self.controls(v))
