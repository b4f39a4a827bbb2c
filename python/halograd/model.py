# SPDX-License-Identifier: BSD-2-Clause
"""A physics from its text, and its time step on a mesh: <halograd/physics_compile.h>, <halograd/program.h>."""
import os
import pathlib
import re

import numpy as np

from ._core import Error, Object, callback, check, comm_of, ffi, lib, numbers, real, require, text, whole
from .mesh import State, as_state

LOCATIONS = ("centre", "x face", "y face", "corner", "z face", "xz edge", "yz edge")


class TextError(Error):
    """A text that hgstencil refuses: its sentence, `line` and `column`, and in the message the line with a caret below."""

    def __init__(self, sentence, line, column, source):
        Error.__init__(self, sentence)
        self.line, self.column, rows = line, column, source.split("\n")
        shown = rows[line - 1] if line <= len(rows) else ""
        self.args = (f"{sentence}\n  {shown}\n  {' ' * (column - 1)}^" if shown else sentence,)


def _read(source):
    """A text, and how messages call its file."""
    require(isinstance(source, (str, os.PathLike)) and source != "", f"Physics: {source!r}, expected a text, or the path of a file")
    file = "physics.stencil" if isinstance(source, str) and "{" in source else os.fspath(source)
    try:
        source = source if file != os.fspath(source) else pathlib.Path(file).read_text(encoding="utf-8")
        source.encode()
    except UnicodeError as error:
        raise Error(f"the text of a physics is not UTF-8: {error}") from None
    except (OSError, ValueError) as error:
        raise Error(f"Physics: {file!r:.80} is no text with '{{', and cannot be read as a file: {getattr(error, 'strerror', error)}") from None
    require("\0" not in source, "the text of a physics has a zero byte")
    return source, file


class Physics:
    """A physics from its text, or from a file (a path). Rank 0 generates and compiles it, all ranks load it; a cache in ~/.cache/halograd
    keeps it. The text is the same on every rank of `comm`. Collective. In C: HgPhysicsCompile()."""

    def __init__(self, source, comm=None):
        source, file = _read(source)
        made = ffi.new("const HgPhysics **")
        try:
            check(lib.HgPhysicsCompile(comm_of(comm), source.encode(), made), comm_of(comm))
        except Error as error:
            place = re.match(r"physics\.stencil:(\d+):(\d+): ", error.sentence)
            if not place:
                raise
            raise TextError(f"{file}{error.sentence[len('physics.stencil') :]}", int(place[1]), int(place[2]), source) from None
        self._of(made[0], source)

    @classmethod
    def of_library(cls, name):
        """One that the library has, written by hand: "heat", "heat_forced", "heat_conservative", ..."""
        own = sorted(n[3:-8] for n in dir(lib) if n.startswith("hg_") and n.endswith("_physics"))
        require(name in own, f"the library has no physics '{name}', expected one of {', '.join(own)}")
        one = cls.__new__(cls)
        one._of(ffi.addressof(lib, f"hg_{name}_physics"), None)
        return one

    def _of(self, physics, source):
        self._c, self.text, self.name = physics, source, text(physics.name)
        array_of = {text(s.now): text(s.name) for s in self._listed(physics.series)}
        self.variables = {array_of.get(text(v.name), text(v.name)): (text(v.unit) or "1", LOCATIONS[v.location]) for v in self._listed(physics.variables)}
        self.series = {name: self.variables[name][0] for name in array_of.values()}
        self.numbers = {text(n.name): text(n.unit) or "1" for n in self._listed(physics.numbers)}
        self.tables = {text(t.name): text(t.unit) or "1" for t in self._listed(physics.tables)}

    @staticmethod
    def _listed(entries):
        """Those of a list that a NULL name ends."""
        k = 0
        while entries != ffi.NULL and entries[k].name != ffi.NULL:
            yield entries[k]
            k += 1

    def _params(self, given):
        """The struct of numbers and tables, or NULL; and what it points to."""
        own = [*self.numbers, *self.tables, *self.series]
        missing = [name for name in own if name not in given]
        unknown = [name for name in given if name not in own]
        wrong = f", and it has no {', '.join(unknown)}" if unknown else ""
        require(not missing, f"physics '{self.name}': its {', '.join(missing)} is not given{wrong}; expected Model(..., {missing[0] if missing else ''}=...)")
        require(not unknown, f"physics '{self.name}': it has no number or table {', '.join(unknown)}; its own are {', '.join(own) or 'none'}; for a table by i or j declare a field")
        if not self._c.params_size:
            return ffi.NULL, None
        params, kept = ffi.new("double[]", self._c.params_size // 8 + 1), []
        at = ffi.cast("char *", params)
        for n in self._listed(self._c.numbers):
            ffi.cast("double *", at + n.offset)[0] = real(given[text(n.name)], f"physics '{self.name}': its number '{text(n.name)}' is")
        for t in self._listed(self._c.tables):
            kept.append(np.array(numbers(given[text(t.name)], f"table '{text(t.name)}':")))
            require(kept[-1].ndim == 1, f"table '{text(t.name)}': an array of the shape {kept[-1].shape}, expected one number for each step")
            ffi.cast("double **", at + t.offset)[0] = ffi.cast("double *", kept[-1].ctypes.data)
            ffi.cast("long *", at + t.count)[0] = len(kept[-1])
        for s in self._listed(self._c.series):
            count = given[text(s.name)]
            require(isinstance(count, (int, np.integer)) and not isinstance(count, bool), f"physics '{self.name}': {text(s.name)} is of type {type(count).__name__}, expected how many steps it has numbers for; model.input({text(s.name)}=...) takes the numbers")
            require(0 < count < 2**31, f"physics '{self.name}': {text(s.name)}={count}, expected one step or more")
            ffi.cast("long *", at + s.count)[0] = int(count)
        return params, kept

    def __repr__(self):
        return f"<halograd.Physics {self.name}: {', '.join(self.variables)}>"


class Model(Object):
    """The time step of a physics on a mesh: u_{n+1} = F(u_n; constants), step dt [s]. Numbers and tables of the physics are given by
    their names: Model(heat, mesh, dt=1e-5, decay=10). Of numbers by step say for how many steps, q=500; they are an array of the
    input, x["q"], of several a step step after step: x["w"].reshape(500, 4). Collective. In C: HgProgramCreatePhysics()."""

    def __init__(self, physics, mesh, dt, **params):
        self.physics, self.mesh, self.dt = physics, mesh._alive(), real(dt, "Model: dt is")
        self._comm = mesh._comm
        self._params, self._kept = physics._params(params)
        self._steps = {name: int(params[name]) for name in physics.series}
        made = ffi.new("HgProgram *")
        check(lib.HgProgramCreatePhysics(mesh._c, physics._c, self._params, self.dt, made), self._comm)
        self._handle, self._last, self._busy = made[0], None, False
        self._made(mesh)
        try:
            check(lib.HgProgramSetUp(self._c), self._comm)
        except Error:
            self.close()
            raise
        self.carried = self._state(lib.HgProgramCreateCarried).names
        constants = self._state(lib.HgProgramCreateConstants)
        self.constants = constants.names if constants else ()

    def _free(self):
        check(lib.HgProgramDestroy(ffi.new("HgProgram *", self._c)), self._comm)

    def _state(self, create):
        made = ffi.new("HgState *")
        check(create(self._c, made), self._comm)
        return State(self.mesh, made[0]) if made[0] != ffi.NULL else None

    def input(self, **values):
        """What a run depends on: carried variables at the start, and constants; 0 unless given, as x["u"] = value takes it. In C:
        HgProgramCreateInput()."""
        x = self._state(lib.HgProgramCreateInput)
        for name, value in values.items():
            x[name] = value
        self._last = x
        return x

    def state(self, **values):
        """The carried variables alone, such as data of a whole field. In C: HgProgramCreateCarried()."""
        q = self._state(lib.HgProgramCreateCarried)
        for name, value in values.items():
            q[name] = value
        return q

    def largest_step(self, x):
        """The largest stable dt [s] for the values of x, or inf if the physics states none. Every run looks whether dt is above it for the x
        that it is given; an inversion, only for the first. Collective. In C: HgProgramLargestStep(), HgProgramRequireStable()."""
        dt = ffi.new("double *")
        check(lib.HgProgramLargestStep(self._c, as_state(x)._input(), dt), self._comm)
        return dt[0]

    def _require_stable(self, x):
        check(lib.HgProgramRequireStable(self._c, as_state(x)._input()), self._comm)

    def active(self, names=None):
        """Gradients are computed with respect to these constants; None: all. In C: HgProgramSetActive()."""
        for name in self.constants:
            check(lib.HgProgramSetActive(self._c, name.encode(), names is None or name in names), self._comm)

    def run(self, x, steps, every=None, watch=None):
        """The state after `steps` steps from x. watch(n, t, q): called at steps 0, every, 2 every, ... and the last; q is lent. Collective. In
        C: HgTrajectoryWatch()."""
        from .misfit import Misfit

        with Misfit(self, steps) as nothing:
            nothing._value(x, whole(every or steps, "run(): every is"), watch)
            return nothing.final()

    def __repr__(self):
        return f"<halograd.Model {self.physics.name}, dt {self.dt:g} s>"


@callback("hg_py_watch")
def _watch(n, t, q, context):
    model, see = ffi.from_handle(context)
    lent = State(model.mesh, q, owned=False)
    try:
        see(n, t, lent)
        return 0
    finally:
        lent._gone = True
