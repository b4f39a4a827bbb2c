# SPDX-License-Identifier: BSD-2-Clause
"""Meshes and states: <halograd/mesh.h>, <halograd/state.h>."""
import numpy as np

from ._core import MPI, Error, Object, _dead, _status, callback, check, comm_of, ffi, lib, numbers, real, require, text, whole


def _each(value, axes):
    return tuple(value) if isinstance(value, (tuple, list, np.ndarray)) else (value,) * axes


class Mesh(Object):
    """cells = (nx, ny), or (nx, ny, nz) with levels, cut into patches over the ranks of `comm`, an mpi4py communicator (None: all ranks).

    spacing   size of a cell [m], a number or (dx, dy[, dz])
    origin    centre of the first cell; default: half a cell, so that the domain begins at 0
    periodic  True, or (in x, in y[, in z])
    patches   (px, py); default: chosen
    radius    of a sphere [m], on which x and y are degrees; 0: a plane
    ghost     cells around a patch; 0: as many as models ask for

    Arrays have the shape (ny, nx), [j, i], or (nz, ny, nx), [k, j, i], as in files. Collective. In C: HgMeshCreate()."""

    def __init__(self, cells, spacing=1.0, origin=None, periodic=False, patches=(0, 0), radius=0.0, ghost=0, comm=None):
        self.comm = comm if comm is not None else MPI.COMM_WORLD
        cells = tuple(whole(n, "Mesh: cells has") for n in _each(cells, 1))
        axes = len(cells)
        require(axes in (2, 3), f"Mesh: cells has {axes} numbers, expected (nx, ny) or (nx, ny, nz)")
        spacing = tuple(real(d, "Mesh: spacing is") for d in _each(spacing, axes))
        origin = _each(origin, axes) if origin is not None else tuple(d / 2 for d in spacing)
        periodic = _each(periodic, axes)
        require(axes == len(spacing) == len(origin) == len(periodic), f"Mesh: spacing, origin and periodic have one value, or {axes} as cells has")
        require(all(one in (False, True) for one in periodic), f"Mesh: periodic is {periodic[0]!r}, expected True or False, or {axes} of them")
        require(np.shape(patches) == (2,), f"Mesh: patches is {patches!r}, expected (px, py)")
        px, py = (whole(n, "Mesh: patches has") for n in patches)
        given = {"px": px, "py": py, "radius": radius, "ghost": ghost}
        for n, axis in enumerate("xyz"[:axes]):
            given.update({f"n{axis}": cells[n], f"d{axis}": spacing[n], f"{axis}0": origin[n], f"periodic_{axis}": bool(periodic[n])})
        spec = ffi.new("HgMeshSpec *", given)
        made = ffi.new("HgMesh *")
        check(lib.HgMeshCreate(comm_of(self.comm), spec, made), comm_of(self.comm))
        self._handle, self.cells, self.spacing, self.origin = made[0], cells, spacing, origin
        self._comm = lib.HgMeshComm(self._c)
        patch = lib.HgMeshGetPatch(self._c)
        self.shape = (*cells[2:], patch.ny, patch.nx)
        self._at = (*(0 for _ in cells[2:]), patch.j_global, patch.i_global)
        self._states = 0
        self._made(getattr(comm, "owner", None))

    def _free(self):
        """A state that is still in use, such as by an array, keeps the mesh until the program ends."""
        if not self.comm.allreduce(self._states, MPI.MAX):
            check(lib.HgMeshDestroy(ffi.new("HgMesh *", self._c)), comm_of(self.comm))

    @property
    def own(self):
        """This rank's part of a global array [j, i], or [k, j, i]: slices."""
        return tuple(slice(a, a + n) for a, n in zip(self._at, self.shape))

    @property
    def x(self):
        """x of the centres of this rank's cells, shape (nx,); along with y it makes fields by numpy."""
        return self.origin[0] + np.arange(self._at[-1], self._at[-1] + self.shape[-1]) * self.spacing[0]

    @property
    def y(self):
        """y of the centres, shape (ny, 1)."""
        return (self.origin[1] + np.arange(self._at[-2], self._at[-2] + self.shape[-2]) * self.spacing[1])[:, None]

    @property
    def z(self):
        """z of the levels' centres, shape (nz, 1, 1)."""
        return (self.origin[2] + np.arange(self.cells[2]) * self.spacing[2])[:, None, None]

    def gather(self, own):
        """The global array of one that every rank has its part of, on all ranks. Collective."""
        axes = np.ndim(own)  # a surface of a mesh with levels has two
        whole = np.empty(self.cells[:axes][::-1])
        for at, part in self.comm.allgather((self.own[-axes:], np.ascontiguousarray(own))):
            whole[at] = part
        return whole

    def __repr__(self):
        return f"<halograd.Mesh {' x '.join(map(str, self.cells))} on {self.comm.size} ranks>"


@callback("hg_py_field", error=float("nan"))
def _field(x, y, context):
    return real(ffi.from_handle(context)(x, y), f"a function of (x, y) gives at ({x:g}, {y:g})")


@callback("hg_py_volume", error=float("nan"))
def _volume(x, y, z, context):
    return real(ffi.from_handle(context)(x, y, z), f"a function of (x, y, z) gives at ({x:g}, {y:g}, {z:g})")


REAL = ffi.sizeof("HgReal")  # bytes of a number of a field


class _Memory:
    """Numbers of a state, for numpy: an array keeps the state alive."""

    __slots__ = ("__array_interface__", "owner", "__weakref__")

    def __init__(self, owner, address, shape, strides, size=8):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "typestr": f"<f{size}", "data": (address, False), "shape": shape, "strides": strides}


class State:
    """Named variables on a mesh. x["u"] is a numpy view of this rank's patch, without copy: x["u"][:] = ..., np.from_dlpack(x["u"]).

    x["u"] = value     a number, this rank's patch, the whole field [j, i], or a function of (x, y), of (x, y, z) with levels, called
                       for each cell with the bits that C's functions have (math.exp; numpy's own may differ in the last one)

    States are freed by themselves; arrays that view one keep it. In C: HgStateCreate()."""

    def __init__(self, mesh, made, owned=True):
        self.mesh, self._handle, self._owned = mesh, made, owned
        self.names = tuple(text(lib.HgStateVariable(made, k).name) for k in range(lib.HgStateCount(made)))
        self._gone = False
        mesh._states += owned

    def __del__(self):
        if getattr(self, "_owned", False) and _status["open"]:
            _dead.append(self._handle)
            self.mesh._states -= 1

    @property
    def _c(self):
        """What the library has made."""
        require(not self._gone, "State: it was lent for a call that has ended; copy() it there")
        return self._handle

    def __reduce_ex__(self, protocol):
        raise Error("State: the library has made it, which cannot pickle it; x.copy() copies it, x.gather(name) has a field of it")

    # ---- variables ----
    def _index(self, name):
        # Not by HgStateIndex(), whose error all ranks await: one rank alone may have the wrong name.
        require(name in self.names, f"error [variable-unknown]: state: no variable '{name}', expected one of: {', '.join(self.names)}")
        return self.names.index(name)

    def _variable(self, index):
        return lib.HgStateVariable(self._c, index)

    def unit(self, name):
        """The unit of a variable, "" for none."""
        return text(self._variable(self._index(name)).unit)

    def keys(self):
        """The names of the variables."""
        return self.names

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)

    def __contains__(self, name):
        return name in self.names

    def _is_field(self, index):
        return self._variable(index).kind in (lib.HG_FIELD, lib.HG_GHOSTED)

    def view(self, name, ghosts=0):
        """The numbers of a variable, without copy; `ghosts`: with so many cells around the patch. In C: HgStateRows(),
        HgPatch.pitch."""
        k = self._index(name)
        if not self._is_field(k):
            array = lib.HgStateArray(self._c, k)
            return np.asarray(_Memory(self, int(ffi.cast("uintptr_t", array)), (self._variable(k).size,), (8,)))
        require(0 <= ghosts <= lib.HgStateGhosts(self._c), f"view of '{name}': {ghosts} ghosts, expected 0 to {lib.HgStateGhosts(self._c)}")
        rows, (ny, nx) = lib.HgStateRows(self._c, k), self.mesh.shape[-2:]
        first = int(ffi.cast("uintptr_t", rows[-ghosts])) - REAL * ghosts
        pitch = int(ffi.cast("uintptr_t", rows[1])) - int(ffi.cast("uintptr_t", rows[0]))  # the margin has rows, too
        shape, strides = (ny + 2 * ghosts, nx + 2 * ghosts), (pitch, REAL)
        if len(self.mesh.cells) == 3 and not self._variable(k).surface:
            shape, strides = (self.mesh.cells[2], *shape), (REAL * lib.HgMeshGetPatch(self.mesh._handle).pitch, *strides)
        return np.asarray(_Memory(self, first, shape, strides, REAL))

    def __getitem__(self, name):
        return self.view(name)

    def __setitem__(self, name, value):
        """A number, this rank's patch, the whole field, or a function of (x, y[, z]); collective for a function. In C: HgStateSetField(),
        HgStateSetVolume()."""
        if callable(value):
            flat, handle = self.view(name).ndim < 3, ffi.new_handle(value)
            fill, called = (lib.HgStateSetField, lib.hg_py_field) if flat else (lib.HgStateSetVolume, lib.hg_py_volume)
            check(fill(self._c, name.encode(), called, handle), self.mesh._comm)
            return
        here, value = self.view(name), numbers(value, f"'{name}':", "a number, an array or a function of (x, y) or (x, y, z), of real numbers")
        whole = self.mesh.cells[: here.ndim][::-1]
        if value.ndim > 1 and value.shape != here.shape and value.shape == whole:
            value = value[self.mesh.own[-here.ndim :]]
        shapes = f"{here.shape}" if here.ndim < 2 or here.shape == whole else f"{here.shape}, this rank's cells, or {whole}, the whole field"
        require(value.ndim == 0 or value.shape == here.shape, f"'{name}': an array of the shape {value.shape}, expected {shapes}")
        here[...] = value

    def gather(self, name):
        """The whole field [j, i], or the array, on all ranks. Collective."""
        here = self.view(name)
        return self.mesh.gather(here) if here.ndim > 1 else here.copy()

    def _input(self):
        """The handle for the library, which is to look at the cells anew: somebody may have written to them."""
        for k in range(len(self.names)):
            if self._is_field(k):
                lib.HgStateSetGhostDepth(self._c, k, 0)
        return self._c

    # ---- as a vector ----
    def like(self):
        """A state of the same variables, all 0. Collective. In C: HgStateDuplicate()."""
        made = ffi.new("HgState *")
        check(lib.HgStateDuplicate(self._c, made), self.mesh._comm)
        return State(self.mesh, made[0])

    def copy(self):
        """A state of its own with the same values. Collective. In C: HgStateCopy()."""
        other = self.like()
        check(lib.HgStateCopy(self._input(), other._c), self.mesh._comm)
        return other

    def dot(self, other):
        """<x, y>, exactly summed: the same bits on any number of ranks. Collective. In C: HgStateDot()."""
        value = ffi.new("double *")
        check(lib.HgStateDot(self._c, other._c, value), self.mesh._comm)
        return value[0]

    def add(self, factor, other):
        """x += factor y; returns x. In C: HgStateAXPY()."""
        check(lib.HgStateAXPY(self._c, factor, other._c), self.mesh._comm)
        return self

    def scale(self, factor):
        """x = factor x; returns x. In C: HgStateScale()."""
        check(lib.HgStateScale(self._c, factor), self.mesh._comm)
        return self

    def random(self, seed=1):
        """Numbers in [-1, 1) that depend on seed, variable and cell only; returns x. In C: HgStateRandom()."""
        check(lib.HgStateRandom(self._c, seed), self.mesh._comm)
        return self

    def digest(self, name=None):
        """A fingerprint of 16 digits, the same on any number of ranks; of one variable, or of all. Collective. In C: HgStateDigest()."""
        hexadecimal = ffi.new("char[17]")
        check(lib.HgStateDigest(self._c, name.encode() if name else ffi.NULL, hexadecimal), self.mesh._comm)
        return ffi.string(hexadecimal).decode()

    def pack(self):
        """This rank's numbers as one vector, a copy: variable by variable, row by row. In C: HgStatePack()."""
        packed = np.empty(lib.HgStateLength(self._c))
        lib.HgStatePack(self._c, ffi.cast("double *", packed.ctypes.data))
        return packed

    def unpack(self, packed):
        """Takes this rank's numbers from a vector that pack() has made; returns x. In C: HgStateUnpack()."""
        packed = np.ascontiguousarray(numbers(packed, "unpack():"))
        require(packed.shape == (lib.HgStateLength(self._c),), f"unpack(): a vector of the shape {packed.shape}, expected ({lib.HgStateLength(self._c)},)")
        lib.HgStateUnpack(ffi.cast("const double *", packed.ctypes.data), self._c)
        return self

    def to_petsc(self):
        """A vector of petsc4py with these numbers, a copy. Collective."""
        try:
            from petsc4py import PETSc
        except ImportError:
            raise Error("to_petsc() needs petsc4py (Debian: python3-petsc4py)") from None
        return PETSc.Vec().createWithArray(self.pack(), comm=self.mesh.comm)

    def from_petsc(self, vector):
        """Takes the numbers of a vector that to_petsc() has made; returns x."""
        return self.unpack(vector.getArray(readonly=True))

    def to_xarray(self):
        """An xarray.Dataset of the whole fields, on all ranks. Collective."""
        try:
            import xarray
        except ImportError:
            raise Error("to_xarray() needs xarray (Debian: python3-xarray)") from None
        axes = {axis: (axis, o + np.arange(n) * d, {"units": "m"}) for axis, o, n, d in zip("xyz", self.mesh.origin, self.mesh.cells, self.mesh.spacing)}
        fields = {name: self.gather(name) for name in self.names}
        return xarray.Dataset({name: (("z", "y", "x")[-a.ndim :] if a.ndim > 1 else (f"{name}_index",), a, {"units": self.unit(name)}) for name, a in fields.items()},
                              coords=axes)

    def __repr__(self):
        return f"<halograd.State {', '.join(self.names)}>"


def as_state(x):
    """x, which must be a state."""
    require(isinstance(x, State), f"'{type(x).__name__}' given, expected a state, such as model.input(...) or x.like()")
    return x


def zeros(mesh, variables):
    """A state of fields, {name: unit}, or arrays that every rank has, {name: (unit, size)}. Collective. In C:
    HgStateCreate()."""
    require(isinstance(variables, dict), f"zeros(): {variables!r:.40}, expected the unit of each variable, {{name: unit}}")
    names = [ffi.new("char[]", n.encode()) for n in variables]
    given = [(v, None) if isinstance(v, str) else v for v in variables.values()]
    units = [ffi.new("char[]", unit.encode()) for unit, _ in given]
    list_of = ffi.new("HgVariable[]", [{"name": n, "unit": u, "kind": lib.HG_FIELD if size is None else lib.HG_REPLICATED, "size": size or 0}
                                       for n, u, (_, size) in zip(names, units, given)])
    made = ffi.new("HgState *")
    check(lib.HgStateCreate(mesh._c, len(names), list_of, made), mesh._comm)
    return State(mesh, made[0])
