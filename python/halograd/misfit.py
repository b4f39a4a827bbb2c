# SPDX-License-Identifier: BSD-2-Clause
"""J of a run and its derivatives: <halograd/objective.h>, <halograd/trajectory.h>, <halograd/check.h>, <halograd/doctor.h>."""
import math
import re

import numpy as np

from ._core import Caught, Object, alike, alone, callback, check, ffi, lib, real, require, text, whole
from .files import Observed
from .mesh import REAL, State, as_state

UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
SLOTS = 100  # checkpoints, unless `memory` or `slots` says otherwise


def bytes_of(memory):
    """2 << 30, "2GiB" """
    if isinstance(memory, (int, float)):
        require(0 <= memory < math.inf, f"memory: {memory}, expected bytes, at least 0")
        return int(memory)
    found = re.fullmatch(r"(\d+\.?\d*)\s*([KMGT]iB|)", str(memory).strip())
    require(found, f"memory: '{memory}', expected a number and KiB, MiB, GiB or TiB, such as \"512MiB\", or bytes")
    return int(float(found[1]) * UNITS[found[2]])


class Finding:
    """What a check has found, or remarks on (`remark`: nothing is wrong with it). str(finding) is the sentence of the library.

    what, off, bound   what was compared, such as "dot"; how far off it is; what is allowed. Of "Taylor" they are orders: what came, the least
    of, part, kernel   what was checked; its stencil, operator or term of the objective; of a stencil "apply", "tangent", "adjoint", "second"
    pair               (read, written), the variables whose derivative is wrong
    step, cell, rank   the step n -> n + 1; the global cell that is most wrong, (i, j) or (i, j, level); its owner
    within             the part of a sum in which it is

    What does not apply is None."""

    def __init__(self, c):
        self.of, self.what, self.off, self.bound, self.remark = text(c.of), text(c.what), c.off, c.bound, c.remark
        self.sentence, self.part, self.kernel, self.within = (text(one) or None for one in (c.sentence, c.part, c.kernel, c.within))
        self.pair = (text(c.read) or None, text(c.write) or None)
        self.step, self.rank = (number if number >= 0 else None for number in (c.step, c.rank))
        self.cell = None if c.j < 0 else (c.i, c.j) if c.level < 0 else (c.i, c.j, c.level)

    def __str__(self):
        return self.sentence or f"{self.what} {self.off:.3g}"

    def __repr__(self):
        return f"<halograd.Finding {self.of}: {self}>"


class Findings(list):
    """What a check has found: a Finding each, none if all is right. `ok`, or `if J.check(x):`, says whether all is right; `measured` has the
    numbers of what was checked, {"heat step": {"dot": 1e-17, ...}}; str() is what the C library prints. In C: HgCheckSetMonitor()."""

    def __init__(self, comm, check):
        with Caught(comm) as caught:
            notes = []
            handle = ffi.new_handle(notes)
            lib.HgCheckSetMonitor(lib.hg_py_note, handle)
            try:
                self.ok = check()
            finally:
                lib.HgCheckSetMonitor(ffi.NULL, ffi.NULL)
        self.lines, notes = caught.lines(), comm.bcast(notes)
        super().__init__(note for note in notes if note.sentence)
        self.measured = {}
        for note in notes:
            if not note.sentence:
                self.measured.setdefault(note.of, {})[note.what] = note.off

    def __bool__(self):
        return self.ok

    def __str__(self):
        return "\n".join(line for line in self.lines if ": again with mpirun " not in line)

    __repr__ = __str__


def examined(of, function, op, x, seed):
    """What a check of the C library finds in `op` at x."""
    options, passed = ffi.new("HgCheckOptions *", {"seed": seed}), ffi.new("bool *")
    return Findings(of.mesh.comm, lambda: check(function(op, x._input(), options, passed), of._comm) or passed[0])


@callback("hg_py_note", error=None)
def _note(note, context):
    ffi.from_handle(context).append(Finding(note))


class Misfit(Object):
    """J(x) = 1/2 sum ((H q - d) / sigma)^2, and weighted integrals, over a run of `steps` steps of a model from the input x. Terms are added
    first:

        J = hg.Misfit(model, steps=500).sensors("u", places, times, data, sigma=0.01)
        value, g = J.gradient(x)

    J.term(...) returns J. Collective, as is all that it does. In C: HgObjectiveCreate(), HgTrajectoryCreate()."""

    def __init__(self, model, steps):
        self.model, self.mesh, self.steps, self._comm = model._alive(), model.mesh, whole(steps, "Misfit: steps is"), model._comm
        made = ffi.new("HgObjective *")
        check(lib.HgObjectiveCreate(model._c, self.steps, made), self._comm)
        self._handle, self._trajectory, self._store, self._op = made[0], None, None, None
        self.observed, self.count, self._goals, self._data, self._slots, self._active = [], 0, 0, [], None, ()
        self._made(model)

    def _free(self):
        self._drop()
        check(lib.HgObjectiveDestroy(ffi.new("HgObjective *", self._c)), self._comm)

    def _drop(self):
        """The trajectory, which is made anew for other checkpoints."""
        for name, kind in (("_op", "HgOperator"), ("_trajectory", "HgTrajectory"), ("_store", "HgStore")):
            if getattr(self, name) is not None:
                check(getattr(lib, kind + "Destroy")(ffi.new(kind + " *", getattr(self, name))), self._comm)
                setattr(self, name, None)

    # ---- terms ----
    def _open_for(self, what):
        self._alive()
        require(self._trajectory is None, f"misfit of '{self.model.physics.name}': {what} are added after J was asked for; add all terms before")

    def sensors(self, name, places, times, data, sigma, huber=0.0, correlation=0.0, relative=0.0, shape=False, envelope=False, student=0.0):
        """Adds sensors at `places` (x, y) that measured `data` (times, sensors) of a carried variable at `times` [s], with standard deviation
        `sigma`, a number or an array like data. nan: no value. `huber`, `student`, `correlation`, `relative`: errors with outliers, by either, correlated over a time
        [s], of so much of each value; `shape`: all readings of a sensor count but for a factor, `envelope`: but for their phase, as Observed has them. In C: HgObjectiveAddSensors()."""
        unit = self.model.physics.variables.get(name, ("1",))[0]
        return self.observations(Observed(name, unit, places, times, data, sigma, lib.HgMeshGetSpec(self.mesh._c).radius > 0, huber, correlation, relative, shape, envelope, student))

    def observations(self, observed, unit=None):
        """Adds an Observed, or what a file of observations holds. In C: HgObservationsRead(), HgObjectiveAddSensors()."""
        self._open_for("observations")
        if not isinstance(observed, Observed):
            observed = Observed.read(observed, unit, self.mesh.comm)
        observed._lent(self.mesh.comm, lambda c: lib.HgObjectiveAddSensors(self._c, c))
        self.observed.append(observed)
        self.count += int(np.isfinite(observed.sigma).sum())
        return self

    def snapshot(self, name, step, data, sigma):
        """Adds the whole field `name` after `step` steps: `data` a state, or what x["u"] = data takes. In C:
        HgObjectiveAddSnapshot()."""
        self._open_for("snapshots")
        state = data.copy() if isinstance(data, State) else self.model.state(**{name: data})
        check(lib.HgObjectiveAddSnapshot(self._c, name.encode(), whole(step, "snapshot: step is"), state._input(), real(sigma, "snapshot: sigma is")), self._comm)
        self._data.append(state)
        self.count += math.prod(self.mesh.cells[: state[name].ndim])
        return self

    def integral(self, name, step=None, box={}, weight=0, value=0, sigma=0):
        """Adds the integral I of a carried variable over a box after `step` steps, all of them unless you say. A goal has a weight, J += weight
        I, of either sign; a measurement has a value and a standard deviation, J += ((I - value) / sigma)^2 / 2. `box`: what is not the whole
        domain of {"west": 0, "east": 1, "south": 0, "north": 1, "below": 0, "above": 1} [m], on a sphere degrees. In C:
        HgObjectiveAddIntegral()."""
        self._open_for("integrals")
        label, sides = ffi.new("char[]", name.encode()), ("west", "east", "south", "north", "below", "above")
        require(isinstance(box, dict) and set(box) <= set(sides), f"integral of '{name}': box {box!r}, expected a dictionary with some of {', '.join(sides)}")
        require(sigma or not value, f"integral of '{name}': value {value!r} without sigma, expected both, or a weight")
        whole_axis = [(o - d / 2, o + (n - 0.5) * d) for o, d, n in zip(self.mesh.origin, self.mesh.spacing, self.mesh.cells)]
        between = {}
        for axis, (lower, upper) in enumerate(zip(sides[::2], sides[1::2])):
            if lower in box or upper in box:
                edges = whole_axis[axis] if axis < len(whole_axis) else (0, 0)
                between[lower], between[upper] = (float(box.get(side, edge)) for side, edge in zip((lower, upper), edges))
                require(between[lower] or between[upper], f"integral of '{name}': from {lower} 0 to {upper} 0, expected a box")
        given = {"variable": label, "step": self.steps if step is None else whole(step, "integral: step is"), **between,
                 "weight": float(weight), "value": float(value), "sigma": float(sigma)}
        check(lib.HgObjectiveAddIntegral(self._c, ffi.new("HgIntegral *", given)), self._comm)
        self.count += sigma > 0
        self._goals += not sigma
        return self

    def at_end(self, name, data, sigma):
        """Adds the whole field `name` after all steps: snapshot(name, steps, data, sigma)."""
        return self.snapshot(name, self.steps, data, sigma)

    # ---- runs ----
    def _state_bytes(self):
        """Of one carried state, on all ranks together."""
        *levels, ny, nx = self.mesh.shape
        ghosts = 4 * lib.HgMeshGetSpec(self.mesh._c).ghost
        own = REAL * (ny + ghosts) * (nx + ghosts + 16) * math.prod(levels) * len(self.model.carried)
        return self.mesh.comm.allreduce(own)

    def _budget(self, memory, slots, disk):
        """(slots in memory, in files, folder) of what a gradient is given; what it has, or SLOTS, if it is given nothing."""
        if memory is None and slots is None and disk is None:
            return self._slots if self._slots and any(self._slots[:2]) else (min(SLOTS, self.steps), 0, None)
        state = self._state_bytes() if memory is not None or disk is not None else 0
        for name, given in (("memory", memory), ("disk", disk and disk[1])):
            require(not given or bytes_of(given) >= state, f"{name}: {given} is less than one state, which has {state} bytes on all ranks together")
        kept = whole(slots, "slots:") if slots is not None else bytes_of(memory) // state if memory is not None else 0
        kept = min(max(0, kept), self.steps)
        files = min(bytes_of(disk[1]) // state, self.steps - kept) if disk is not None else 0
        return kept, files, str(disk[0]) if files else None

    def _with_data(self):
        require(lib.HgObjectiveTerms(self._c), f"misfit of '{self.model.physics.name}': it has no data, so J is 0; add sensors, snapshots or integrals")
        require(self.count or self._goals, f"misfit of '{self.model.physics.name}': all its readings are gaps (nan), so J is 0; add some that are not")

    def _ready(self, x, slots=None, active=None):
        """The trajectory for a run from x, if there is one, with checkpoints as _budget() says; None: as it is, or for values only."""
        self._alive()
        if x is not None:
            self.model._require_stable(x)
        slots = slots or self._slots or (0, 0, None)
        if self._trajectory is None or slots != self._slots:
            require(not self._children, f"misfit of '{self.model.physics.name}': its checkpoints change while a functional of it is open; close() that before")
            self._drop()
            if any(slots[:2]):
                pattern, made = self.model.state(), ffi.new("HgStore *")
                folder = slots[2].encode() if slots[2] else ffi.NULL
                check(lib.HgStoreCreate(pattern._c, slots[0], slots[1], folder, made), self._comm)
                self._store = made[0]
            made = ffi.new("HgTrajectory *")
            check(lib.HgTrajectoryCreate(self.model._c, self.steps, self._c, self._store or ffi.NULL, made), self._comm)
            self._trajectory, self._slots = made[0], slots
            if self.mesh.comm.size == 1:
                check(lib.hg_py_heed_interrupts(made[0]), self._comm)
        self.model.active(active)
        return self._trajectory

    @alone
    def _value(self, x, every=None, watch=None):
        run, J = self._ready(x), ffi.new("double *")
        if watch:
            handle = ffi.new_handle((self.model, watch))
            check(lib.HgTrajectoryWatch(run, x._input(), every, lib.hg_py_watcher(), handle, J), self._comm)
        else:
            check(lib.HgTrajectoryValue(run, x._input(), J), self._comm)
        return J[0]

    def __call__(self, x):
        """J(x). Nothing is stored. In C: HgTrajectoryValue()."""
        self._with_data()
        return self._value(x)

    @alone
    def gradient(self, x, memory=None, slots=None, wrt=None, disk=None):
        """J and dJ/dx, a state like x. `memory`: of checkpoints, on all ranks together, such as "2GiB"; or so many `slots`. `disk`: more of
        them in files, ("scratch", "100GiB"). `wrt`: the constants to differentiate by, None: all; the gradient by others is 0. In
        C: HgTrajectoryGradient(), HgStoreCreate()."""
        self._with_data()
        wrt = (wrt,) if isinstance(wrt, str) else wrt
        alike(self.mesh.comm, "wrt", wrt if wrt is None else list(map(str, wrt)))
        for name in wrt or ():
            why = " is carried, by which the gradient always is;" if name in self.model.carried else ","
            require(name in self.model.constants, f"wrt: '{name}'{why} expected constants: {', '.join(self.model.constants)}")
        run, J = self._ready(x, self._budget(memory, slots, disk), wrt), ffi.new("double *")
        g = x.like()
        check(lib.HgTrajectoryGradient(run, x._input(), 1.0, J, g._c), self._comm)
        if not math.isfinite(J[0]):
            check(lib.HgTrajectoryValue(run, x._input(), J), self._comm)  # says where
        return J[0], g

    @alone
    def tangent(self, x, dx):
        """J and its derivative J'(x) dx; of a list of directions, an array of them, in as few runs as can be. In C:
        HgTrajectoryTangents()."""
        self._with_data()
        several = [as_state(d) for d in (dx if isinstance(dx, (list, tuple)) else [dx])]
        run, J, dJ = self._ready(x), ffi.new("double *"), ffi.new("double[]", len(several))
        handles = ffi.new("HgState[]", [d._input() for d in several])
        check(lib.HgTrajectoryTangents(run, x._input(), len(several), handles, J, dJ), self._comm)
        return J[0], np.array(list(dJ)) if isinstance(dx, (list, tuple)) else dJ[0]

    @alone
    def hessian(self, x, dx, memory=None, slots=None, disk=None):
        """J''(x) dx, exact; of a list of directions, a list. In C: HgTrajectoryHessians()."""
        self._with_data()
        several = [as_state(d) for d in (dx if isinstance(dx, (list, tuple)) else [dx])]
        run, dJ = self._ready(x, self._budget(memory, slots, disk)), ffi.new("double[]", len(several))
        h = [x.like() for _ in several]
        check(lib.HgTrajectoryHessians(run, x._input(), len(several), ffi.new("HgState[]", [d._input() for d in several]), dJ, ffi.NULL,
                                       ffi.new("HgState[]", [one._c for one in h])), self._comm)
        return h if isinstance(dx, (list, tuple)) else h[0]

    def predicted(self, term=0):
        """What the sensors of a term predict, after the last run: (times, sensors). In C: HgObjectivePredicted()."""
        require(0 <= term < len(self.observed), f"predicted({term}): there are {len(self.observed)} terms of sensors")
        value = np.empty(self.observed[term].values.shape)
        check(lib.HgObjectivePredicted(self._c, term, ffi.cast("double *", value.ctypes.data)), self._comm)
        return value

    def parts(self):
        """What each term has of J after the last run, [(what it is, its J), ...], in the order in which they were added. In
        C: HgObjectiveParts()."""
        return list(zip(self._texts(), self._parts()))

    def _texts(self):
        label = ffi.new("char[]", 160)
        for k in range(lib.HgObjectiveTerms(self._c)):
            lib.HgObjectiveTermText(self._c, k, len(label), label)
            yield text(label)

    def _parts(self):
        """... and of all measurements, which are no goals."""
        value = ffi.new("double[]", lib.HgObjectiveTerms(self._c) + 1)
        check(lib.HgObjectiveParts(self._c, value), self._comm)
        return list(value)

    def final(self):
        """The state after the last step of the last run, a copy. In C: HgTrajectoryFinal()."""
        require(self._trajectory is not None, "final(): nothing has run yet")
        q = self.model.state()
        check(lib.HgStateCopy(lib.HgTrajectoryFinal(self._trajectory), q._c), self._comm)
        return q

    def operator(self, memory=None, active=None):
        """J as an operator x -> J; it belongs to the misfit. In C: HgTrajectoryOperator()."""
        run = self._ready(None, self._budget(memory, None, None), active)
        if self._op is None:
            made = ffi.new("HgOperator *")
            check(lib.HgTrajectoryOperator(run, made), self._comm)
            self._op = made[0]
        return self._op

    # ---- is it right? ----
    @alone
    def check(self, x, seed=1):
        """Checks of the kernels, a step and J around x: zero, linearity, dot product, Taylor. In C: HgCheckProgram(), HgCheckOperator()."""
        self.model._require_stable(x)
        op, passed, options = self.operator(), ffi.new("bool[2]"), ffi.new("HgCheckOptions *", {"seed": seed})

        def run():
            check(lib.HgCheckProgram(self.model._c, min(2, self.steps - 1), x._input(), options, passed), self._comm)
            options.dot_bound = 1e-11
            check(lib.HgCheckOperator(op, x._input(), options, passed + 1), self._comm)
            return passed[0] and passed[1]

        return Findings(self.mesh.comm, run)

    @alone
    def doctor(self, x, seed=1):
        """Searches for what is wrong with the gradient at x: step, stencil, variable, cell. In C: HgCheckGradient()."""
        self.model._require_stable(x)
        return examined(self, lib.HgCheckGradient, self.operator(), x, seed)

    def scipy(self, x, seek, memory=None, tikhonov=0.0, h1=0.0):
        """J of what is sought for scipy.optimize.minimize(f, f.x0, jac=True), on all ranks alike: see halograd.scipy. `seek`: as invert() takes
        it, or names of variables."""
        from .scipy import Function

        return Function(self, x, seek, memory, tikhonov, h1)

    def __repr__(self):
        return f"<halograd.Misfit of {self.model.physics.name}, {self.steps} steps, {self.count} measurements>"


@callback("hg_py_interrupted", error=1)
def _interrupted():
    """Python handles signals as it comes here."""
    return 0
