# SPDX-License-Identifier: BSD-2-Clause
"""Differentiable PDE solvers that run on many MPI ranks: an equation as a text, its gradient with the bits of the C library.

help(hg.Misfit.gradient) ends with what the C header says of the function that it calls."""
from ._core import Error, describe, ffi, lib, say
from .experiments import Experiments
from .files import Observed, Results, read, recording
from .invert import Affine, Bounds, Coarse, Found, Functional, Log, Uniform, hexadecimal, invert, steps_for
from .mesh import Mesh, State, zeros
from .misfit import Finding, Findings, Misfit
from .operator import Operator
from .model import Model, Physics, TextError
from .posterior import Posterior

__all__ = ["Affine", "Bounds", "Coarse", "Error", "Experiments", "Finding", "Findings", "Found", "Functional", "Log", "Mesh", "Misfit", "Model", "Observed", "Operator", "Physics", "Posterior", "Results", "State", "TextError", "Uniform", "data", "ffi", "hexadecimal", "invert", "lib", "read", "recording", "say", "steps_for", "zeros"]


def data(name):
    """The path of a file that comes with the library, such as "plate.h5". In C: HgRunDataPath()."""
    import os

    from ._core import check, comm_of, ffi, lib

    installed = os.path.join(os.environ.get("HALOGRAD_PREFIX", ""), "share/halograd", name)
    if os.path.isfile(installed):
        return installed
    path = ffi.new("char[1024]")
    check(lib.HgRunDataPath(name.encode(), 1024, path), comm_of(None))
    return ffi.string(path).decode()


def __getattr__(name):
    """hg.jax, hg.torch and hg.scipy, imported as they are used."""
    if name in ("jax", "scipy", "torch"):
        import importlib

        return importlib.import_module(f"halograd.{name}")
    raise AttributeError(f"module 'halograd' has no attribute '{name}'")


describe(globals()[name] for name in __all__ if callable(globals()[name]))
