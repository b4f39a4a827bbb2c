# SPDX-License-Identifier: BSD-2-Clause
"""Files: <halograd/results.h>, <halograd/observations.h>, <halograd/recordings.h>."""
import pathlib
import re
import shutil
import tempfile

import numpy as np

from ._core import MPI, Caught, Error, Object, check, comm_of, ffi, lib, numbers, real, require, whole


class Results(Object):
    """folder/name.h5 (xarray, h5py, ncdump) and .pvd (ParaView) with fields over time. What was written before an error, or a kill, stays
    readable; close() completes it. Collective. In C: HgResultsCreate(), HgResultsClose()."""

    def __init__(self, mesh, folder, name, title=""):
        self.mesh, self._comm, made = mesh._alive(), mesh._comm, ffi.new("HgResults *")
        check(lib.HgResultsCreate(mesh._c, str(folder).encode(), name.encode(), title.encode(), made), self._comm)
        self._handle, self._failed = made, False
        self._made(mesh)

    def _free(self):
        check((lib.HgResultsDestroy if self._failed else lib.HgResultsClose)(self._c), self._comm)

    def _written(self, code):
        """What a write has told, which the end of a `with` does not hide."""
        self._failed = self._failed or bool(code)
        check(code, self._comm)
        return self

    def write(self, time, state, names=None):
        """Appends a time [s] with variables of `state`, None: all. In C: HgResultsWrite()."""
        kept = [ffi.new("char[]", n.encode()) for n in names or ()]
        wanted = ffi.new("char *[]", [*kept, ffi.NULL]) if names else ffi.NULL
        return self._written(lib.HgResultsWrite(self._c[0], float(time), state._input(), wanted))

    def constant(self, state, name, called=None):
        """Writes a variable once, without a time, under another name unless None. In C: HgResultsWriteConstant()."""
        as_called = called.encode() if called else ffi.NULL
        return self._written(lib.HgResultsWriteConstant(self._c[0], state._input(), name.encode(), as_called, ffi.NULL))


def read(state, path, index=-1):
    """The variables of `state` from results, at a time counted from 0, or from the end: -1 is the last. Returns the time [s], or the
    number of the sample. Collective. In C: HgResultsRead()."""
    time = ffi.new("double *")
    check(lib.HgResultsRead(state._input(), str(path).encode(), whole(index, "read(): index is"), time), state.mesh._comm)
    return time[0]


class Observed:
    """What sensors measured: places (sensors, 2) [m], or (sensors, 3) on a mesh with levels, times (times,) [s], values and sigma (times, sensors) in `unit`; gaps are nan.
    Errors of one sensor may be correlated over a time [s], `correlation`; be at least so much of each value, `relative`; count linearly beyond so
    many sigma, `huber`; and have Student's distribution of so many degrees of freedom, `student`. Files keep the first of these. `shape`: a positive factor of all readings of a sensor does not count; `envelope`: their phase does not."""

    def __init__(self, name, unit, places, times, values, sigma, degrees=False, huber=0.0, correlation=0.0, relative=0.0, shape=False, envelope=False, student=0.0):
        self.name, self.unit, self.degrees, self.shape, self.envelope = name, unit, degrees, bool(shape), bool(envelope)
        self.huber, self.student, self.correlation, self.relative = (real(given, f"sensors of '{name}': {what} is") for what, given in (("huber", huber), ("student", student), ("correlation", correlation), ("relative", relative)))
        places, times, self.values, sigma = (numbers(given, f"sensors of '{name}': {what}") for what, given in (("places", places), ("times", times), ("data", values), ("sigma", sigma)))
        require(places.size, f"sensors of '{name}': no places, expected (x, y) of each")
        self.places, self.times = np.atleast_2d(places), times.reshape(-1)
        require(self.places.ndim == 2 and self.places.shape[1] in (2, 3), f"sensors of '{name}': places of the shape {self.places.shape}, expected (sensors, 2) or (sensors, 3)")
        size = (len(self.times), len(self.places))
        require(self.values.shape == size, f"sensors of '{name}': data of the shape {self.values.shape}, expected (times, sensors) = {size}")
        require(sigma.ndim < 3 and all(n in (1, of) for n, of in zip(sigma.shape[::-1], size[::-1])), f"sensors of '{name}': sigma of the shape {sigma.shape}, expected a number, one of each sensor, or (times, sensors) = {size}")
        self.sigma = np.where(np.isnan(self.values), np.inf, np.broadcast_to(sigma, size))

    def _lent(self, comm, call):
        """call(HgObservations *), which exists until it returns; the code that it returns."""
        made = ffi.new("HgObservations **")
        check(lib.HgObservationsCreate(comm_of(comm), self.name.encode(), self.unit.encode(), *self.values.shape, made), comm_of(comm))
        made[0].degrees, made[0].levels = self.degrees, self.places.shape[1] == 3
        made[0].huber, made[0].student, made[0].correlation, made[0].relative = self.huber, self.student, self.correlation, self.relative
        made[0].shape, made[0].envelope = self.shape, self.envelope
        axes = zip((made[0].x, made[0].y, made[0].z), self.places.T)
        for to, numbers in ((made[0].time, self.times), *axes,
                            (made[0].value, np.where(np.isnan(self.values), 0, self.values)), (made[0].sigma, self.sigma)):
            ffi.memmove(to, np.ascontiguousarray(numbers), 8 * numbers.size)
        code = call(made[0])
        lib.HgObservationsDestroy(made)
        check(code, comm_of(comm))

    def write(self, path, comm=None):
        """Writes a file that Misfit.observations() and the programs (-observations) read; it holds no gaps. Collective. In C:
        HgObservationsWrite()."""
        self._lent(comm, lambda c: lib.HgObservationsWrite(comm_of(comm), str(path).encode(), c, ffi.NULL))

    @classmethod
    def read(cls, path, unit=None, comm=None):
        """Reads such a file. Collective. In C: HgObservationsRead()."""
        made = ffi.new("HgObservations **")
        check(lib.HgObservationsRead(comm_of(comm), str(path).encode(), made), comm_of(comm))
        o, shape = made[0], (made[0].times, made[0].sensors)

        def numbers(of, *shape):
            return np.frombuffer(ffi.buffer(of, 8 * int(np.prod(shape)))).reshape(shape).copy()

        value, sigma = numbers(o.value, *shape), numbers(o.sigma, *shape)
        seen = cls(ffi.string(o.name).decode(), ffi.string(o.unit).decode(), np.stack([numbers(at, shape[1]) for at in (o.x, o.y, o.z)[: 2 + o.levels]], 1),
                   numbers(o.time, shape[0]), np.where(np.isinf(sigma), np.nan, value), sigma, o.degrees, correlation=o.correlation)
        lib.HgObservationsDestroy(made)
        require(unit in (None, seen.unit), f"file '{path}': '{seen.name}' is in '{seen.unit}', expected '{unit}'")
        return seen

    def __repr__(self):
        return f"<halograd.Observed {self.name} [{self.unit}], {len(self.places)} sensors at {len(self.times)} times>"


def recording(folder, what):
    """States that a program's -record has kept, as an xarray.Dataset, by a list such as "q@108,lambda@108": u, lambda_u over time. Each rank
    for itself; `halograd list` says which steps there are. In C: HgRecordingsLook()."""
    try:
        import xarray
    except ImportError:
        raise Error("recording() needs xarray and h5netcdf (Debian: python3-xarray, python3-h5netcdf)") from None
    steps = what.split(",")
    require(all(re.fullmatch(r"(q|lambda)@\d+", step) for step in steps), f"recording: '{what}', expected a list of q@STEP and lambda@STEP")
    place = tempfile.mkdtemp(prefix="halograd-")
    try:
        words = [ffi.new("char[]", w.encode()) for w in ("export", str(folder), what)]
        with Caught(MPI.COMM_SELF):
            code = lib.HgRecordingsLook(comm_of(MPI.COMM_SELF), 3, ffi.new("char *[]", words), place.encode())
        check(code, comm_of(MPI.COMM_SELF))
        parts = [xarray.load_dataset(pathlib.Path(place, step.replace("@", "_") + ".h5"), engine="h5netcdf") for step in steps]
        return xarray.merge(parts, combine_attrs="drop")
    finally:
        shutil.rmtree(place, ignore_errors=True)
