# SPDX-License-Identifier: BSD-2-Clause
"""What the bridges to JAX and PyTorch share: J and its gradient as a function of plain arrays."""
import numpy as np

from ._core import Error, require


class Arrays:
    """J of the variables `wrt` of x, as arrays: whole fields [j, i] that every rank holds, or with patches=True this rank's part."""

    def __init__(self, misfit, x, wrt, memory, patches):
        self.misfit, self.x, self.wrt, self.memory, self.patches = misfit._alive(), x.copy(), [wrt] if isinstance(wrt, str) else list(wrt), memory, patches
        for name in self.wrt:
            require(name in x, f"wrt: '{name}', expected variables of {', '.join(x)}")

    def shape(self, name):
        own = self.x[name].shape
        return own if self.patches else self.misfit.mesh.cells[: len(own)][::-1]

    def require(self, shapes):
        """Are they those of the variables?"""
        require(len(shapes) == len(self.wrt), f"{len(shapes)} arrays, expected one for each of {', '.join(self.wrt)}")
        for name, shape in zip(self.wrt, shapes):
            require(tuple(shape) == self.shape(name), f"'{name}': an array of the shape {tuple(shape)}, expected {self.shape(name)}")

    def _set(self, arrays):
        self.require([np.shape(array) for array in arrays])
        for name, array in zip(self.wrt, arrays):
            self.x[name] = np.asarray(array)

    def value(self, *arrays):
        self._set(arrays)
        return self.misfit(self.x)

    def gradient(self, *arrays):
        """(J, [gradient by each])"""
        self._set(arrays)
        J, g = self.misfit.gradient(self.x, memory=self.memory, wrt=[name for name in self.wrt if name in self.misfit.model.constants])
        return J, [g[name].copy() if self.patches else g.gather(name) for name in self.wrt]

    def tangent(self, arrays, directions):
        """J'(x) d"""
        self._set(arrays)
        d = self.x.like()
        for name, array in zip(self.wrt, directions):
            d[name] = np.asarray(array)
        return self.misfit.tangent(self.x, d)[1]


def missing(name, how):
    return Error(f"halograd.{name} needs {how}, which is not installed")
