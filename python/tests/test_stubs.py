# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the type stubs declare what the package has: every public name, method and parameter, with the same defaults, and no other."""
import ast
import inspect
import pathlib

import halograd as hg
import pytest

pytestmark = pytest.mark.one_rank

STUBS = ast.parse(pathlib.Path(hg.__file__).with_name("__init__.pyi").read_text())



def declared(node):
    """Names, kinds and whether there is a default, of a stub."""
    a = node.args
    plain = [x.arg for x in a.args]
    plain += [mark + one.arg for mark, one in (("*", a.vararg), ("**", a.kwarg)) if one]
    return plain, len(a.defaults)


def actual(function):
    p = list(inspect.signature(function).parameters.values())
    marks = {p[0].VAR_POSITIONAL: "*", p[0].VAR_KEYWORD: "**"} if p else {}
    return [marks.get(x.kind, "") + x.name for x in p], sum(x.default is not x.empty for x in p)


def members(kind):
    return {name: value for name, value in vars(kind).items() if inspect.isfunction(value) or isinstance(value, (property, classmethod))}


def test_every_name():
    stubs = {n.name for n in STUBS.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))} - {"_Object"} | {n.target.id for n in STUBS.body if isinstance(n, ast.AnnAssign)}
    assert set(hg.__all__) <= stubs
    assert all(hasattr(hg, name) for name in stubs - {"Iterate"})


def test_modules_and_with():
    """hg.jax and others are known to a type checker, and what `with` gives has the type of the object."""
    modules = {alias.name for n in STUBS.body if isinstance(n, ast.ImportFrom) and n.level == 1 for alias in n.names}
    assert modules == {"jax", "scipy", "torch"}
    enters = [n for n in ast.walk(STUBS) if isinstance(n, ast.FunctionDef) and n.name == "__enter__"]
    assert [n.returns.id for n in enters] == ["Self"]


def test_functions():
    for node in STUBS.body:
        if isinstance(node, ast.FunctionDef):
            assert declared(node) == actual(getattr(hg, node.name)), node.name


def test_methods():
    for node in STUBS.body:
        if not isinstance(node, ast.ClassDef) or not hasattr(hg, node.name):
            continue
        kind, own = getattr(hg, node.name), {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
        public = {name for name in members(kind) if not name.startswith("_")}
        assert public == {name for name in own if not name.startswith("_")}, node.name
        for name, stub in own.items():
            value = inspect.getattr_static(kind, name)
            if isinstance(value, property):
                continue
            value = value.__func__ if isinstance(value, classmethod) else value
            assert declared(stub) == actual(value), f"{node.name}.{name}"
