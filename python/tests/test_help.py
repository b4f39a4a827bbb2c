# SPDX-License-Identifier: BSD-2-Clause
"""Claim: every public class, function and method has a docstring; one that stands for a C function names it, and help() shows what the
header says of it: every C function that is callable from Python and has a comment of its own is known with its declaration."""
import inspect
import re

import halograd as hg
from halograd._core import COMMENTS, lib
import pytest

pytestmark = pytest.mark.one_rank

SERVANTS = re.compile(r"Hg(\w+Destroy|MeshGet\w+|MeshCell\w+|MeshComm|State(Count|Length|Index|Variable|Array|Ghosts))")  # of what Python does itself


def public():
    """(name, object, function) of what a user calls."""
    for name in hg.__all__:
        thing = getattr(hg, name)
        if inspect.isfunction(thing):
            yield name, thing, thing
        if inspect.isclass(thing):
            yield name, thing, vars(thing).get("__init__")
            for key, value in vars(thing).items():
                if not key.startswith("_") or key in ("__call__", "__setitem__"):
                    function = getattr(value, "fget", None) or getattr(value, "__func__", value)
                    if inspect.isfunction(function):
                        yield f"{name}.{key}", function, function


def test_every_name_has_a_docstring():
    listed = [(name, thing) for name, thing, _ in public()]
    assert len(listed) > 80
    assert [name for name, thing in listed if not thing.__doc__ and not name.endswith("__call__")] == []


def test_what_calls_c_shows_what_its_header_says():
    shown = 0
    for name, thing, function in public():
        code = getattr(inspect.unwrap(function), "__code__", None) if function else None
        calls = [c for c in code.co_names if c.startswith("Hg") and not SERVANTS.fullmatch(c)] if code else []
        named = re.findall(r"\b(Hg\w+)\(\)", (thing.__doc__ or "").split("\n\n    PetscErrorCode ")[0])
        assert not calls or named, f"{name} calls {calls} and names none"
        for one in named:
            assert COMMENTS[one] in re.sub("^    ", "", thing.__doc__, flags=re.M), f"{name} does not show {one}"
            shown += 1
    assert shown > 50


def test_comments_are_those_of_the_headers():
    functions = [name for name in dir(lib) if re.fullmatch(r"Hg[A-Z]\w+", name) and inspect.isbuiltin(getattr(lib, name))]
    silent = [name for name in functions if name not in COMMENTS and not re.search("Euler|AdamsBashforth", name)]  # those a macro declares
    assert silent == [] and len(functions) > 200
    assert COMMENTS["HgStateAXPY"].startswith("PetscErrorCode HgStateAXPY(HgState y, double alpha, HgState x);\ny += alpha x on owned cells")
    assert "Collective. Errors: no store" in hg.Misfit.gradient.__doc__
