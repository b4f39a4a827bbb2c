# SPDX-License-Identifier: BSD-2-Clause
"""Claim: a fault planted in a rule of the generator is caught: what it then writes for probe.stencil does not compile, computes other
values than the text says (values.py), does not pass the library's checks of a stencil, or declares other radii.
usage: planted.py BUILD COMPILER [EVERY | WORD]; EVERY: a number, each so many-th fault; WORD: only faults in whose file or text it stands"""
import compileall
import functools
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile

import values
from generator import GENERATOR, deep

PROBE = pathlib.Path(__file__).with_name("probe.stencil")
STENCILS = ["probe_every", "probe_dear", "probe_nested", "probe_only", "probe_linear", "probe_tabled", "probe_round", "probe_levels"]
# What the probe's stencils read, and what for.
DECLARED = ['{"u", 1, 1}, {"v", 2, 2}, {"h", 1, 2}, {"k", 0, 1}', '{"c", 2, 2}, {"d", 1, 1}, {"h", 1, 1}, {"e", 0, HG_ADJOINT_UNUSED}',
            '{"F", 1, HG_ADJOINT_UNUSED}, {"G", 1, HG_ADJOINT_UNUSED}, {"r", 0, HG_ADJOINT_UNUSED}, {"old", 0, HG_ADJOINT_UNUSED}', ".spherical = true"]

# (file, what stands there, what stands there instead)
FAULTS = [
    # ---- the table of derivatives ----
    ("derivative", '"neg": [lambda a, n: a.num(-1)]', '"neg": [lambda a, n: a.one]'),
    ("derivative", '"add": [lambda a, n: a.one, lambda a, n: a.one]', '"add": [lambda a, n: a.one, lambda a, n: a.num(-1)]'),
    ("derivative", '"sub": [lambda a, n: a.one, lambda a, n: a.num(-1)]', '"sub": [lambda a, n: a.one, lambda a, n: a.one]'),
    ("derivative", '"mul": [lambda a, n: n.args[1], lambda a, n: n.args[0]]', '"mul": [lambda a, n: n.args[0], lambda a, n: n.args[1]]'),
    ("derivative", '"div": [lambda a, n: a.reciprocal(n.args[1])', '"div": [lambda a, n: n.args[1]'),
    ("derivative", "return a.mul(a.num(2), n.args[0])", "return n.args[0]"),
    ("derivative", 'a.mul(a.num(3), a.call("square", n.args[0]))', 'a.mul(a.num(3), n.args[0])'),
    ("derivative", 'a.mul(a.num(float(n.data)), a.power(n.args[0], n.data - 1))', 'a.mul(a.num(float(n.data)), a.power(n.args[0], n.data))'),
    ("derivative", '"exp": [lambda a, n: n]', '"exp": [lambda a, n: n.args[0]]'),
    ("derivative", '"log": [lambda a, n: a.reciprocal(n.args[0])]', '"log": [lambda a, n: n.args[0]]'),
    ("derivative", 'a.div(a.num(0.5), n)', 'a.div(a.num(0.5), n.args[0])'),
    ("derivative", '"sin": [lambda a, n: a.call("cos", n.args[0])]', '"sin": [lambda a, n: a.neg(a.call("cos", n.args[0]))]'),
    ("derivative", '"cos": [lambda a, n: a.neg(a.call("sin", n.args[0]))]', '"cos": [lambda a, n: a.call("sin", n.args[0])]'),
    ("derivative", 'a.sub(a.one, a.call("square", n))', 'a.sub(a.one, n)'),
    ("derivative", '"abs": [lambda a, n: a.select(a.less(n.args[0], a.zero), a.num(-1), a.one)]', '"abs": [lambda a, n: a.one]'),
    ("derivative", '"min": [lambda a, n: a.select(a.less(n.args[0], n.args[1]), a.one, a.zero)', '"min": [lambda a, n: a.select(a.less(n.args[1], n.args[0]), a.one, a.zero)'),
    ("derivative", 'lambda a, n: a.select(a.less(n.args[1], n.args[0]), a.zero, a.one)],\n    "select"', 'lambda a, n: a.select(a.less(n.args[1], n.args[0]), a.one, a.zero)],\n    "select"'),
    ("derivative", '"select": [None, lambda a, n: a.select(n.args[0], a.one, a.zero)', '"select": [None, lambda a, n: a.select(n.args[0], a.zero, a.one)'),
    ("derivative", "lambda a, n: a.select(n.args[0], a.zero, a.one)],\n}", "lambda a, n: a.zero],\n}"),
    # ---- forward ----
    ("derivative", 'd[node] = graph.read(kinds[kind], *where)', 'd[node] = graph.read(kinds[kind], where[0])'),
    ("derivative", 'd[node] = graph.read(kinds[kind], *where)', 'd[node] = graph.read(kinds[kind], where[0], where[1], -where[2])'),
    ("derivative", "a.select(node.args[0], changes[1], changes[2])", "a.select(node.args[0], changes[2], changes[1])"),
    ("derivative", 'first, second = node.args if node.op == "min" else', 'first, second = node.args if node.op == "max" else'),
    ("derivative", "return a.div(changes[0], node.args[1])", "return changes[0]"),
    ("derivative", "a.div(a.sub(changes[0], a.mul(node, changes[1])), node.args[1])", "a.div(a.add(changes[0], a.mul(node, changes[1])), node.args[1])"),
    ("derivative", "a.div(a.sub(changes[0], a.mul(node, changes[1])), node.args[1])", "a.div(a.sub(changes[0], a.mul(node.args[0], changes[1])), node.args[1])"),
    ("derivative", 'a.neg(a.mul(a.call("square", node), changes[1]))', 'a.neg(a.mul(node, changes[1]))'),
    ("derivative", "total = a.add(total, guarded_product(a, partial, change))", "total = guarded_product(a, partial, change)"),
    ("derivative", "if node.op == \"neg\":\n        return a.neg(changes[0])", "if node.op == \"neg\":\n        return changes[0]"),
    # ---- algebra ----
    ("derivative", "return b if a is self.zero else a\n        if b.op", "return a if a is self.zero else b\n        if b.op"),
    ("derivative", "return self.neg(b)\n        return self.add(a, b.args[0])", "return b\n        return self.add(a, b.args[0])"),
    ("derivative", "return self.sub(a, b.args[0])\n", "return self.add(a, b.args[0])\n"),
    ("derivative", "return product if self.is_negative(a) and self.is_negative(b) else self.neg(product)", "return product"),
    ("derivative", "return product if self.is_negative(a) and self.is_negative(b) else self.neg(product)", "return self.neg(product)"),
    # ---- in reverse, and gathered ----
    ("adjoint", "forms[node].add(Term(1, (), (g.read(\"w\", name),), None))", "forms[node].add(Term(2, (), (g.read(\"w\", name),), None))"),
    ("adjoint", "self.graph.shift(f, *back)", "self.graph.shift(f, *offset)"),
    ("adjoint", "self.graph.shift(f, *back)", "self.graph.shift(f, back[0], -back[1], back[2])"),
    ("adjoint", "self.graph.shift(f, *back)", "f"),
    ("adjoint", "t.condition and self.graph.shift(t.condition, -x, -y)", "t.condition"),
    ("adjoint", "self.terms.get(key, 0) + term.number", "term.number"),
    ("adjoint", "key = (term.uniforms, term.factors, term.condition)", "key = (term.uniforms, term.factors)"),
    ("adjoint", "term.number * node.data", "term.number"),
    ("adjoint", "self.times(term._replace(number=-term.number), node.args[0])", "self.times(term, node.args[0])"),
    ("adjoint", "return self.times(term._replace(number=-term.number), self.graph.make", "return self.times(term, self.graph.make"),
    ("adjoint", "uniforms=self.ordered(term.uniforms + (node,))", "uniforms=self.ordered((node,))"),
    ("adjoint", "factors=self.ordered(term.factors + (node,))", "factors=self.ordered((node,))"),
    ("adjoint", "self.times(self.times(term, node.args[0]), self.algebra.reciprocal(node.args[1]))", "self.times(term, node.args[0])"),
    ("adjoint", "condition, yes = self.graph.make(\"!\", (condition,)), no", "yes = no"),
    ("adjoint", "condition=self.both(term.condition, condition)", "condition=condition"),
    ("adjoint", "return [Term(1, (), (self.sum(terms),), condition)]", "return [Term(1, (), (self.sum(terms[:1]),), condition)]"),
    ("adjoint", 'self.graph.make("||", (condition, t.condition))', 'self.graph.make("&&", (condition, t.condition))'),
    ("adjoint", "terms = self.collapsed(terms)", "terms = terms[-1:]"),
    ("adjoint", "number = abs(group[0].number) if len({abs(t.number) for t in group}) == 1 else 1", "number = abs(group[0].number)\n            group = [t._replace(number=number if t.number > 0 else -number) for t in group]"),
    ("adjoint", "weight = a.mul(weight, u)", "weight = u"),
    ("adjoint", "weight, total = a.neg(weight), total.args[0]", "total = total.args[0]"),
    ("adjoint", "a.add(weights.get(total, a.zero), weight)", "weight"),
    ("adjoint", "self.algebra.mul(self.algebra.num(number), self.added([", "self.algebra.mul(self.algebra.one, self.added(["),
    ("adjoint", "self.product(t._replace(number=t.number / number))", "self.product(t._replace(number=1))"),
    ("adjoint", "(self.algebra.reciprocal(q),), None)", "(q,), None)"),
    ("adjoint", "ratio = self.algebra.mul(p, self.algebra.reciprocal(q))", "ratio = p"),
    ("adjoint", "self.times(term._replace(number=-term.number), ratio)", "self.times(term, ratio)"),
    ("adjoint", "drawn = self.algebra.mul(factor, self.group(rest))", "drawn = self.group(rest)"),
    ("adjoint", "factors.remove(factor)", "factors.clear()"),
    ("adjoint", "one = Term(-1 if negative else 1,", "one = Term(1,"),
    ("adjoint", "return self.group(outside[:before] + [one] + outside[before:])", "return self.group(outside[:before] + [one])"),
    ("adjoint", "total = self.algebra.zero\n        for n in nodes", "total = self.algebra.zero\n        for n in nodes[:2]"),
    ("adjoint", "return a.neg(total) if term.number < 0 else total", "return total"),
    ("adjoint", "total = a.mul(a.num(abs(term.number)), total)", "pass"),
    ("adjoint", "if other.op == \"neg\" else a.sub(other, node.args[0])", "if other.op == \"neg\" else a.sub(node, other)"),
    ("adjoint", "a.neg(a.add(node.args[0], other.args[0]))", "a.add(node.args[0], other.args[0])"),
    ("adjoint", "return a.neg(self.folded([n.args[0] for n in negative]))", "return self.folded([n.args[0] for n in negative])"),
    # ---- the graph ----
    ("expression", "moved = self.read(kind, name, x0 + x, y0 + y, z0 + z)", "moved = self.read(kind, name, x, y, z)"),
    ("expression", "moved = self.read(kind, name, x0 + x, y0 + y, z0 + z)", "moved = self.read(kind, name, x0 + x, y0 + y, z0)"),
    ("expression", "0 if name in self.surfaces else z)", "z)"),
    ("kernel", "(level{Loop.plus(z)})", "(level{Loop.plus(-z)})"),
    ("reverse", '"HgCotangentSurface" if read', '"HgCotangentLevel" if read'),
    ("expression", 'at + {"i": x, "j": y, "k": z, "step": 0}[axis]', 'at - {"i": x, "j": y, "k": z, "step": 0}[axis]'),
    ("expression", 'COMMUTE = {"add", "mul",', 'COMMUTE = {"add", "mul", "sub",'),
    ("expression", 'COMMUTE = {"add", "mul",', 'COMMUTE = {"add", "mul", "<",'),
    ("expression", "return self.shift(node, -x, -y), x, y", "return self.shift(node, -x, -y), -x, y"),
    # ---- stages and radii ----
    ("stage", "self.graph.read(\"stage\", name, *(a - b for a, b in zip(offset, middle)))", "self.graph.read(\"stage\", name, *offset)"),
    ("stage", "self.graph.shift(self.bodies[node.data[1]], *node.data[2:])", "self.bodies[node.data[1]]"),
    ("stage", "ex.joined(n.bounds for r in users for n in reads[r]), users)", "ex.joined(n.bounds for r in users for n in reads[r][:1]), users)"),
    ("stage", "ex.joined([old.box, new.box])", "old.box"),
    ("reach", "max(found.get(name, 0), furthest(node.bounds))", "furthest(node.bounds) * 0"),
    ("reach", "max(found.get(name, 0), furthest(node.bounds))", "max(found.get(name, 0), furthest(node.bounds)) + 1"),
    ("reach", "reverse.get(name, UNUSED)", "reverse.get(name, 0)"),
    ("reach", 'reverse = radii(contributions.values(), "x")', 'reverse = radii(list(contributions.values())[:1], "x")'),
    ("reach", "found += [(name, target) for target in self.radius if target in targets]", "found += [(name, target) for target in self.radius if target in targets[:1]]"),
    # ---- C ----
    ("loop", 'return f" + {at}" if at > 0 else f" - {-at}" if at < 0 else ""', 'return f" + {at}" if at > 0 else ""'),
    ("loop", "[j{self.plus(y)}]", "[j]"),
    ("loop", "key = (kind, name, y)", "key = (kind, name, abs(y))"),
    ("loop", "wrapped(box->{axis}_global + {axis}{self.plus(at)}", "wrapped(box->{axis}_global + {axis}"),
    ("kernel", "slot = f\"(j - box->j0{Loop.plus(y - y0)})", "slot = f\"(j - box->j0{Loop.plus(y)})"),
    ("kernel", 'return f"stage{n}[{slot}].{name}{Loop.plus(-x0)} - box->i0"', 'return f"stage{n}[{slot}].{name} - box->i0"'),
    ("kernel", 'f"box->i1{Loop.plus(x1)}"', 'f"box->i1"'),
    ("kernel", "return group.box[3] - group.box[2] + 1", "return max(1, group.box[3] - group.box[2])"),
    ("kernel", "j < part.j0{Loop.plus(y1)}; j++)", "j < part.j0{Loop.plus(y0)}; j++)"),
    ("kernel", "f'j{Loop.plus(y)}', f'&stage", "'j', f'&stage"),
    ("reverse", 'f"HgContribute({b}, i, {text});"', 'f"{b}.row[i] += {text};"'),
    ("reverse", 'f"HgContribute({b}, i, {text});"', 'f"{b}.row[i] = {text};"'),
    ("reverse", "if (bar.before == bar.row) return;", "return;"),
    ("reverse", "HgCotangentRow(box, {REVERSE[self.kind]}, {k}, j)", "HgCotangentRow(box, {REVERSE[self.kind]}, {k}, j + 1)"),
    ("loop", "HgLatitudeOfRow(box, j{self.plus(at)})", "HgLatitudeOfRow(box, j)"),
    ("loop", "HgLatitudeOfRow(box, j{self.plus(at)})", "HgLatitudeOfRow(box, j{self.plus(-at)})"),
    ("loop", 'HgLatitudeOfRow(box, j{self.plus(at)}).{name}"', 'HgLatitudeOfRow(box, j{self.plus(at)}).cosine"'),
    ("meaning", 'self.graph.make("latitude", (), (name, "j", 0))', 'self.graph.make("latitude", (), (name, "j", 1))'),
    ("meaning", 'self.graph.make("latitude", (), (name, "j", 0))', 'self.graph.make("latitude", (), (name.replace("north_", ""), "j", 0))'),
    ("cfile", 'if any(n.op == "latitude" for n', 'if any(n.op == "altitude" for n'),
    ("weights", '"dt": "box->dt"', '"dt": "box->dx"'),
    ("weights", '"(double)box->nx_global"', '"box->nx_global"'),
    ("weights", "box->step{f' {at:+d}' if at else ''}", "box->step"),
    ("loop", 'self.kernel.graph.make("pos", (), (axis, at))', 'self.kernel.graph.make("pos", (), (axis, 0))'),
    ("cfile", "return at >= 0 && at < count ? table[at] : 0;", "return at >= 0 && at < 9 * count ? table[at] : 0;"),
    ("cfile", "return at - cells * floor((double)at / cells);", "return at + 0 * cells;"),
    ("weights", '"t": "box->t"', '"t": "box->dt"'),
    ("ctext", '"sub": ("-", 6, 7)', '"sub": ("-", 6, 6)'),
    ("ctext", '"add": ("+", 6, 7)', '"add": ("+", 6, 6)'),
    ("ctext", '"div": ("/", 7, 8)', '"div": ("/", 7, 7)'),
    ("ctext", '"mul": ("*", 7, 8)', '"mul": ("*", 7, 7)'),
    ("ctext", 'return f"-{self(args[0], ATOM)}", SIGN', 'return f"-{self(args[0], 6)}", SIGN'),
    ("ctext", '[factor] * (2 if op == "square" else 3)', '[factor] * 2'),
    ("ctext", 'f"{b} < {a} ? {a} : {b}"), CHOICE', 'f"{b} < {a} ? {b} : {a}"), CHOICE'),
    ("ctext", 'f"{float(power.numerator)!r} / {power.denominator}"', 'f"{power.numerator} / {power.denominator}"'),
    ("ctext", "number(node.data, not self.formula)", "number(node.data, False)"),
    ("ctext", "node.data >= 0 and other.varies", "node.data >= 0"),
    # ---- second ----
    ("derivative", 'SECOND = {"x": "dx", "w": "dw"}', 'SECOND = {"w": "dw"}'),
    ("derivative", 'SECOND = {"x": "dx", "w": "dw"}', 'SECOND = {"x": "dx"}'),
    ("cfile", "tangent(p.graph, self.adjoint_roots, SECOND)", "tangent(p.graph, self.adjoint_roots)"),
    ("cfile", "tangent(p.graph, self.adjoint_roots, SECOND)", "self.adjoint_roots"),
    ("loop", '"w": "y_bar", "dw": "dy_bar"}', '"w": "dy_bar", "dw": "y_bar"}'),
    ("loop", '"dx": "dx", "w"', '"dx": "x", "w"'),
    ("kernel", '"second": "dx_bar"}', '"second": "x"}'),
    ("kernel", 'self.physics.writes.index(name) if kind in ("w", "dw")', 'self.physics.writes.index(name) if kind in ("w",)'),
    ("reach", "self.twice = not self.linear and not kinked", "self.twice = not kinked"),
    # ---- the text's meaning ----
    ("meaning", 'node = self.graph.make("add" if sign == "+" else "sub", (node, v.node))', 'node = self.graph.make("add", (node, v.node))'),
    ("meaning", 'COMPASS = {"E": (1, 0, 0), "W": (-1, 0, 0)', 'COMPASS = {"E": (-1, 0, 0), "W": (1, 0, 0)'),
    ("meaning", 'self.moved(self.resolve(tree.base), tree.x, tree.y,', 'self.moved(self.resolve(tree.base), tree.y, tree.x,'),
    ("meaning", 'return root if exponent < 1 else g.make("mul",', 'return root if exponent < 2 else g.make("mul",'),
    ("meaning", 'g.make("square", (self.positive_power(node, exponent / 2),))', 'g.make("square", (self.positive_power(node, exponent),)) if n < 4 else node'),
    ("meaning", '(INDEX[name], 0)), g', '("i", 0)), g'),
]


@functools.lru_cache
def meant():
    return values.meaning(PROBE.read_text())


def caught_by(folder, build, compiler):
    """'' if nothing finds the fault, else what does."""
    source = pathlib.Path(folder, "probe.c")
    try:
        ran = subprocess.run([sys.executable, "-B", pathlib.Path(folder, "generator/hgstencil"), PROBE, "-o", source], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "hang"
    if ran.returncode or not source.exists():
        return "generator"
    text = source.read_text()
    if not all(declared in " ".join(text.split()) for declared in DECLARED):
        return "radii"
    text += "const HgStencil *const all[] = {" + ", ".join(f"&{s}" for s in STENCILS) + ", NULL};\n"
    try:
        wrong = values.differs(meant(), text, folder, compiler, build, "O0")
    except RuntimeError:
        return "compiler"
    if wrong:
        return "values"
    ran = subprocess.run([pathlib.Path(build, "tests/random_check"), pathlib.Path(folder, "values.so"), "check"], capture_output=True, text=True)
    return "checks" if ran.returncode else ""


def planted(fault, build, compiler, sound):
    """What catches the fault, planted into a copy of the generator in `sound`; None: it cannot be planted."""
    file, old, new = fault
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(sound, pathlib.Path(folder, "generator"))
        path = pathlib.Path(folder, "generator", file + ".py")
        text = path.read_text()
        if text.count(old) != 1:
            return None
        path.write_text(text.replace(old, new))
        pathlib.Path(importlib.util.cache_from_source(path)).unlink()
        return caught_by(folder, build, compiler)


def run():
    with tempfile.TemporaryDirectory() as folder:
        sound = pathlib.Path(folder, "generator")
        shutil.copytree(GENERATOR, sound, ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(sound, quiet=1)
        return campaign(sound)


def campaign(generator):
    build, compiler, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    every = int(words.pop()) if words and words[0].isdigit() else 1
    failures, found = [], {}
    if not words:
        sound = planted(("cfile", "\nVERSION = ", "\nVERSION =  "), build, compiler, generator)
        if sound != "":
            failures.append(f"without a fault: found by {sound}")
    for fault in [f for f in FAULTS[::every] if not words or words[0] in f[0] + f[1]]:
        by = planted(fault, build, compiler, generator)
        found[by] = found.get(by, 0) + 1
        if words:
            print(f"{by}: {fault}")
        if not by:
            failures.append(f"{fault[0]}.py with '{fault[2]}' for '{fault[1]}': " + ("is not caught" if by == "" else "cannot be planted"))
    if not words and (len(FAULTS) < 60 or found.get("checks", 0) * every < 30):
        failures.append(f"{len(FAULTS)} faults, each {every}th planted, {found} of them found by, expected at least 60, and half by the checks of stencils")
    for failure in failures:
        print(f"claim fails: planted faults are caught: {failure}")
    if words:
        print(found)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(deep(run))
