# SPDX-License-Identifier: BSD-2-Clause
"""Operators written in Python: <halograd/operator.h>."""
from ._core import Object, callback, check, ffi, lib
from .mesh import State
from .misfit import examined


class Operator(Object):
    """y = F(x), dy = F'(x) dx, x_bar += F'(x)^T y_bar, between states of the variables of `x` and of `y`, which serve as patterns:

        value(x, y)     tangent(x, dx, dy)     adjoint(x, y_bar, x_bar)

    each fills its last argument; adjoint adds to it. States are lent for the call. What a cell becomes must not depend on the cut, and sums
    over ranks are the functions' own affair. As one of what is sought, seek={"kappa": op}, it makes that variable of its input, whose first
    guess is x. Collective. In C: HgOperatorCreate()."""

    def __init__(self, name, x, y, value, tangent, adjoint):
        self.mesh, self._comm, self.name, self.first = x.mesh, x.mesh._comm, name, x
        self._functions = {"apply": value, "tangent": tangent, "adjoint": adjoint}
        self._self, made = ffi.new_handle(self), ffi.new("HgOperator *")
        check(lib.HgOperatorCreate(name.encode(), x._c, y._c, lib.hg_py_operators(), self._self, made), self._comm)
        self._handle = made[0]
        self._made(self.mesh)

    def _free(self):
        check(lib.HgOperatorDestroy(ffi.new("HgOperator *", self._c)), self._comm)

    def _new(self, create):
        made = ffi.new("HgState *")
        check(create(self._c, made), self._comm)
        return State(self.mesh, made[0])

    def __call__(self, x):
        """F(x). In C: HgOperatorApply()."""
        y = self._new(lib.HgOperatorCreateOutput)
        check(lib.HgOperatorApply(self._c, x._input(), y._c), self._comm)
        return y

    def tangent(self, x, dx):
        """F'(x) dx. In C: HgOperatorTangent()."""
        dy = self._new(lib.HgOperatorCreateOutput)
        check(lib.HgOperatorTangent(self._c, x._input(), dx._input(), dy._c), self._comm)
        return dy

    def adjoint(self, x, y_bar):
        """F'(x)^T y_bar. In C: HgOperatorTranspose()."""
        x_bar = self._new(lib.HgOperatorCreateInput)
        check(lib.HgOperatorTranspose(self._c, x._input(), y_bar._input(), x_bar._c), self._comm)
        return x_bar

    def check(self, x, seed=1):
        """Zero, linearity, dot product and Taylor around x, with random directions. In C: HgCheckOperator()."""
        return examined(self, lib.HgCheckOperator, self._c, x, seed)

    # ---- as what is sought ----
    _centre, _bounds, _scale = 0.0, staticmethod(lambda: (float("-inf"), float("inf"))), staticmethod(lambda: 1.0)

    def _first(self, m, name, x, variable):
        m[name][...] = self.first[name]


def _call(which, self, *states):
    op = ffi.from_handle(self)
    lent = [State(op.mesh, one, owned=False) for one in states]
    for state in lent[:-1]:
        state._input()
    try:
        op._functions[which](*lent)
        lent[-1]._input()
        return 0
    finally:
        for state in lent:
            state._gone = True


@callback("hg_py_apply")
def _apply(self, x, y):
    return _call("apply", self, x, y)


@callback("hg_py_tangent")
def _tangent(self, x, dx, dy):
    return _call("tangent", self, x, dx, dy)


@callback("hg_py_adjoint")
def _adjoint(self, x, y_bar, x_bar):
    return _call("adjoint", self, x, y_bar, x_bar)
