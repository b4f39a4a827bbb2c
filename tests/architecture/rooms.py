# SPDX-License-Identifier: BSD-2-Clause
"""The rooms of the architecture and what each may use, for the tests of this folder: the table of docs/design.md once more, written
down independently of CMakeLists.txt."""
import pathlib

# A room may use the rooms named after it, what those may use, and itself. Rooms are named from what is used to what uses it.
USES = {
    "mesh/variable": "",
    "mesh/base": "mesh/variable",
    "mesh/trace": "mesh/base",
    "mesh/file": "mesh/base",
    "mesh/sum": "mesh/base",
    "mesh/grid": "mesh/file mesh/sum",
    "mesh/hdf5": "mesh/file",
    "mesh/io": "mesh/grid mesh/hdf5",
    "mesh/picture": "mesh/grid",
    "halo": "mesh/grid",
    "halo/mask": "halo",
    "halo/collective": "mesh/grid mesh/trace",
    "stencils": "mesh/variable",
    "stencils/integrator": "stencils",
    "stencils/heat": "stencils",
    "stencils/shallow": "stencils/integrator",
    "adjoint/compile": "stencils mesh/file",
    "adjoint/operator": "halo halo/collective mesh/trace",
    "adjoint/block": "adjoint/operator halo/mask stencils",
    "adjoint/engine": "adjoint/block",
    "adjoint/program": "adjoint/engine",
    "adjoint/archive": "mesh/grid mesh/hdf5",
    "adjoint/trajectory/schedule": "mesh/base",
    "adjoint/trajectory/objective": "adjoint/program mesh/io",
    "adjoint/trajectory": "adjoint/trajectory/schedule adjoint/trajectory/objective adjoint/archive",
    "adjoint/restart": "adjoint/trajectory adjoint/archive",
    "adjoint/record": "adjoint/trajectory adjoint/archive",
    "adjoint/show": "adjoint/record mesh/picture adjoint/archive",
    "adjoint/control": "adjoint/operator",
    "adjoint/posterior": "adjoint/operator",
    "adjoint/inversion": "adjoint/trajectory adjoint/control adjoint/posterior adjoint/archive",
    "adjoint/learning": "adjoint/inversion",
    "adjoint/check/stencil": "mesh/grid stencils",
    "adjoint/check": "adjoint/learning adjoint/check/stencil",
    "adjoint/check/doctor": "adjoint/check",
    "adjoint/problem/run": "adjoint/check/doctor adjoint/restart adjoint/show",
    "adjoint/problem": "adjoint/problem/run",
    "apps/ocean": "mesh/io",
}
TOP = ["mesh", "halo", "stencils", "adjoint", "apps"]  # nothing points back


def may_see(room):
    """All rooms whose public headers a source of `room` may include."""
    seen, left = set(), [room]
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            left += USES[one].split()
    return seen


def files_of(root, room, *endings):
    return sorted(f for e in endings for f in pathlib.Path(root, room).glob("*" + e))


def public_headers(root, room):
    return [f for f in files_of(root, room, ".h") if not f.name.endswith(("_private.h", "_library.h"))]


def library_headers(root, room):
    """Those that the rooms of the library share, and no program sees."""
    return files_of(root, room, "_library.h")


def tell(claim, failures):
    for failure in failures:
        print(f"claim fails: {claim}: {failure}")
    return bool(failures)
