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

    def _set(self, arrays):
        require(len(arrays) == len(self.wrt), f"{len(arrays)} arrays, expected one for each of {', '.join(self.wrt)}")
        for name, array in zip(self.wrt, arrays):
            array = np.asarray(array, dtype=np.float64)
            require(array.shape == self.shape(name), f"'{name}': an array of the shape {array.shape}, expected {self.shape(name)}")
            self.x[name] = array

    def value(self, *arrays):
        self._set(arrays)
        return self.misfit(self.x)

    def gradient(self, *arrays):
        """(J, [gradient by each])"""
        self._set(arrays)
        J, g = self.misfit.gradient(self.x, memory=self.memory, wrt=tuple(self.wrt))
        return J, [g[name].copy() if self.patches else g.gather(name) for name in self.wrt]

    def tangent(self, arrays, directions):
        """J'(x) d"""
        self._set(arrays)
        d = self.x.like()
        for name, array in zip(self.wrt, directions):
            d[name] = np.asarray(array, dtype=np.float64)
        return self.misfit.tangent(self.x, d)[1]


def missing(name, how):
    return Error(f"halograd.{name} needs {how}, which is not installed")
