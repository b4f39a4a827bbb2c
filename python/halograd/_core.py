# SPDX-License-Identifier: BSD-2-Clause
"""What every other file here stands on: the library is started, its errors become exceptions, and its objects are destroyed at points
that are the same on all ranks."""
import atexit
import collections
import functools
import inspect
import operator
import os
import re
import sys
import textwrap
import time
import traceback

PRECISION = os.environ.get("HALOGRAD_PRECISION") or "double"
if PRECISION == "double":
    from _halograd import ffi, lib
elif PRECISION == "single":
    from _halograd_single import ffi, lib
else:
    raise ImportError(f"HALOGRAD_PRECISION is '{PRECISION}', expected double or single")

_FAILED = lib.hg_py_start()  # before mpi4py, so that MPI starts as it does in C
if _FAILED:
    raise ImportError("halograd cannot start, see above")

import numpy as np  # noqa: E402
from mpi4py import MPI  # noqa: E402

_PREFIX = ffi.string(lib.hg_py_prefix).decode()
if _PREFIX:
    os.environ.setdefault("HALOGRAD_PREFIX", _PREFIX)
SENTENCE = 4096
# Options of programs that are keywords here: "(-tikhonov)" reads "(tikhonov)".
_KEYWORD = re.compile(r"(?<![\w-])-(?=(?:slots|steps|dt|tikhonov|h1|h1_along|tv|tv_epsilon|prior_(?:mean|deviation|length)|discrepancy|precondition|iterations|resume)\b)")


class Error(RuntimeError):
    """What is refused: its `sentence`, the same on every rank, and its `id` (docs/errors.md), None if it has none."""

    def __init__(self, sentence):
        named = re.match(r"error \[([a-z0-9-]+)\]: ", sentence)
        self.id = named[1] if named else None
        self.sentence = sentence[named.end() :] if named else sentence
        super().__init__(f"[{self.id}] {self.sentence}" if named else sentence)


# ---- calls of the library ----
_dead = collections.deque()  # states that nobody refers to any more; freeing one tells no other rank
_raised = []  # by a function of the user's that the library has called
_status = {"failed": False, "open": True}
_open = {}  # objects that the library has made, in order; destroyed in reverse


def drain():
    """Frees what the garbage collector found, on this thread."""
    while _dead:
        lib.HgStateDestroy(ffi.new("HgState *", _dead.popleft()))


def check(code, comm):
    """Raises what a call of the library has told. All ranks of `comm` have made the call."""
    drain()
    if _raised:
        error = _raised[0]
        _raised.clear()
        raise error
    if code:
        sentence = ffi.new("char[]", SENTENCE)
        lib.HgErrorTake(comm, SENTENCE, sentence)
        raise Error(_KEYWORD.sub("", ffi.string(sentence).decode(errors="replace")) or f"unexpected error {code} of the library, see above")


def require(condition, sentence):
    """The same condition on all ranks."""
    if not condition:
        raise Error(sentence)


def alike(comm, what, value):
    """Refuses a value that ranks of an mpi4py communicator do not give alike. Collective."""
    values = comm.allgather(value)
    for rank, other in enumerate(values):
        require(other == values[0], f"{what}: rank {rank} has {other} where rank 0 has {values[0]}; give all ranks the same")


def whole(number, what):
    """An int."""
    try:
        return operator.index(number)
    except TypeError:
        raise Error(f"{what} {number!r}, expected a whole number") from None


def real(number, what):
    """A float, not from words that look like one."""
    try:
        return float(number if not isinstance(number, (str, bytes)) else None)
    except (TypeError, ValueError):
        raise Error(f"{what} {number!r}, expected a number") from None


def numbers(given, what, expected="real numbers"):
    """An array of doubles: not of words, which numpy would read, nor of complex numbers, of which it would take a part."""
    try:
        array = given.astype(float).filled(np.nan) if isinstance(given, np.ma.MaskedArray) else np.asarray("None" if given is None else given)
        if array.dtype.kind not in "SUcmM":
            return array.astype(float, copy=False)
    except (TypeError, ValueError):
        pass
    raise Error(f"{what} {given!r:.40}, expected {expected}")


def callback(name, error=lib.HG_PY_RAISED):
    """A decorator for what the library calls: an exception waits until the library has returned, and is raised then."""
    return ffi.def_extern(name=name, error=error, onerror=lambda kind, value, trace: _raised.append(value.with_traceback(trace)))


def comm_of(comm):
    """An mpi4py communicator as the library's; None: all ranks."""
    return lib.hg_py_comm(MPI._addressof(comm if comm is not None else MPI.COMM_WORLD))


def text(pointer):
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode()


def say(*words):
    """print() on rank 0. What is printed is computed on all ranks, as collective calls in it want to be: hg.say(x.digest())."""
    if MPI.COMM_WORLD.rank == 0:
        print(*words, flush=True)


class Caught:
    """with Caught() as c: ... what the library prints meanwhile, on all ranks of `comm`: c.lines()."""

    def __init__(self, comm):
        self.comm = comm

    def __enter__(self):
        sys.stdout.flush()
        lib.hg_py_catch(True)
        return self

    def __exit__(self, *_):
        lib.hg_py_catch(False)

    def lines(self):
        return self.comm.bcast(text(lib.hg_py_caught()), 0).splitlines()


# ---- objects ----
class Object:
    """What the library has made. close() frees it, on all ranks together, as does the end of a `with`; else it lives until the program
    ends: a garbage collector would free it at another time on each rank. What was made of it is closed before."""

    _closed = False

    def _made(self, parent=None):
        self._children, self._parent = {}, parent
        (parent._children if parent is not None else _open)[id(self)] = self

    def _free(self):
        """What the object has of its own."""

    @property
    def closed(self):
        return self._closed

    def _alive(self):
        require(not self._closed, f"{type(self).__name__}: it was closed")
        return self

    @property
    def _c(self):
        """What the library has made."""
        return self._alive()._handle

    def __reduce_ex__(self, protocol):
        raise Error(f"{type(self).__name__}: the library has made it, which cannot copy or pickle it; make another one")

    def close(self):
        """Frees it and what was made of it. Collective."""
        if self._closed:
            return
        for child in reversed(list(self._children.values())):
            child.close()
        if self._closed:  # by what was made of it
            return
        (self._parent._children if self._parent is not None else _open).pop(id(self), None)
        drain()
        try:
            self._free()
        finally:
            self._closed = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def alone(method):
    """A decorator of what runs a model: nothing that the run calls may run it again."""

    @functools.wraps(method)
    def run(self, *arguments, **named):
        models = {self.model} if hasattr(self, "model") else {J.model for J in self.misfits}
        require(not any(model._busy for model in models), f"{method.__name__}(): the model runs already, and what it calls may not run it again")
        for model in models:
            model._busy = True
        try:
            return method(self, *arguments, **named)
        finally:
            for model in models:
                model._busy = False

    return run


# ---- help() ----
COMMENTS = {}  # of each public C function, with its declaration
while lib.hg_py_comments[2 * len(COMMENTS)] != ffi.NULL:
    COMMENTS[text(lib.hg_py_comments[2 * len(COMMENTS)])] = text(lib.hg_py_comments[2 * len(COMMENTS) + 1])


def describe(things):
    """Ends the docstrings of functions, classes and their methods with what the headers say of the C functions that they name."""
    for thing in things:
        for one in (thing, *vars(thing).values()) if isinstance(thing, type) else (thing,):
            one = getattr(one, "__func__", one)
            names = re.findall(r"\b(Hg\w+)\(\)", (callable(one) and one.__doc__) or "")
            if names:
                one.__doc__ = "\n\n".join([inspect.cleandoc(one.__doc__)] + [textwrap.indent(COMMENTS[n], "    ") for n in names if n in COMMENTS])


# ---- the end ----
def _end():
    """Ends the library. Where one rank has failed and others do not come, the job is ended."""
    if not _status["open"]:
        return
    _status["open"] = False
    if not _status["failed"]:
        for one in reversed(list(_open.values())):
            one.close()
    sys.stdout.flush()
    lib.HgFinalize(1 if _status["failed"] else 0)


def _all_fail():
    """Do all ranks come here within 5 s?"""
    all_here, end = _failing.Ibarrier(), time.time() + 5
    while not all_here.Test():
        if time.time() > end:
            return False
        time.sleep(0.01)
    return True


def _uncaught(kind, error, trace):
    """An exception that nobody has caught ends all ranks. What the library refuses on all of them is told once."""
    _status["failed"] = True
    world = MPI.COMM_WORLD
    if world.size == 1:
        return _before(kind, error, trace)
    alike = isinstance(error, Error) and _all_fail()
    if alike and world.rank:
        return None
    if not alike and world.rank:
        time.sleep(0.5 + 0.01 * world.rank)  # rank 0 speaks for all, if all have failed
    sys.stdout.flush()
    sys.stderr.write(f"rank {world.rank}:\n" * (not alike) + "".join(traceback.format_exception(kind, error, trace)))
    sys.stderr.flush()
    if not alike:
        world.Abort(1)
    return None


_failing = MPI.COMM_WORLD.Dup()
_before = sys.excepthook
sys.excepthook = _uncaught
atexit.register(_end)
