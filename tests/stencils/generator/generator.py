# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of hgstencil share: the generator's modules, and its output for a text."""
import functools
import pathlib
import sys
import threading

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
GENERATOR = ROOT / "stencils/generator"
sys.path.insert(0, str(GENERATOR))

import cfile  # noqa: E402
import ctext  # noqa: E402, F401
import physics  # noqa: E402
import syntax  # noqa: E402
from errors import Source, StencilError  # noqa: E402
from grammar import parsed  # noqa: E402


def includes(build):
    """The compiler's options by which generated C finds the library's public headers in a build folder."""
    return [f"-I{room}" for room in pathlib.Path(build, "include/headers").iterdir()]


def stencils_of(text):
    """The trees of all stencils, those inside of a physics among them."""
    trees = parsed(Source("a.stencil", text))
    return [stencil for tree in trees for stencil in (physics.stencils_of(tree)[0] if isinstance(tree, syntax.Physics) else [tree])]


def physics_of(text):
    return cfile.physics_of(parsed(Source("a.stencil", text)))


def c_of(text, include=None, entry=None):
    """The C file; a StencilError where the text is wrong."""
    return c_of_physics(physics_of(text), include, entry)


def c_of_physics(physics, include, entry=None):
    return cfile.c_file("a.c", "a.stencil", physics, include, entry)


def c_and_header(text):
    """Both files, that with the kernels includes the other."""
    physics = physics_of(text)
    return c_of_physics(physics, '"a.h"'), cfile.header("a.h", "a.stencil", physics)


def warned(text):
    """What it warns of."""
    source = Source("a.stencil", text)
    return "\n".join(warning.text(source, "warning") for p in physics_of(text) for warning in p.warnings)


@functools.lru_cache(maxsize=None)
def complaint(text):
    """What the generator says of a text, '' if nothing."""
    try:
        c_of(text)
    except StencilError as error:
        return error.text(Source("a.stencil", text))
    return ""


def deep(run):
    """run() with a stack as deep as the command's; its result."""
    result = []
    threading.stack_size(512 << 20)
    sys.setrecursionlimit(200000)
    thread = threading.Thread(target=lambda: result.append(run()))
    thread.start()
    thread.join()
    return result[0]
