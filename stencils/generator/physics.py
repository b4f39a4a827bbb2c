# SPDX-License-Identifier: BSD-2-Clause
"""The block `physics NAME { ... }`: its grammar, the stencils that it stands for, and its HgPhysics in C.

Fields are declared once. A stencil inside reads those that its equations name, and takes the physics' numbers, tables and lets."""
import re

import column
import ctext
import expression as ex
import meaning
import syntax
import units
from ctext import camel, now, reading, wrapped
from errors import StencilError, meant

KINDS = {"fixed": "HG_FIXED", "frozen": "HG_FROZEN", "copied": "HG_COPY", "mirrored": "HG_MIRROR", "closed": "HG_CLOSED"}
WORDS = ("field", "number", "table", "let", "stencil", "column", "stable")
SIGNS = {None: "HG_ANY_SIGN", ">=": "HG_NOT_NEGATIVE", ">": "HG_POSITIVE"}
UNSTATED = ("HG_UNSTATED", "0")
MOST = meaning.MOST  # numbers of a step that are read one by one
BY_STEP = (f"expected w[step], w[step, 4] with 2 to {MOST} numbers a step, or w[step, j] or w[step, i] with one for each row or column of cells; "
           "numbers that are known are a table, 'table w[i];'")
BOUND_BY = ("dx", "dy", "dz")  # what the largest step may depend on, besides numbers and ranges


# ---- grammar ----
def parsed(parser):
    """physics NAME [as SYMBOL] { ... }"""
    first = parser.take()
    name = parser.name("the name of the physics")
    symbol = parser.name("its name in C") if parser.accept("as") else name
    parser.axes()
    found = {word: [] for word in WORDS}
    body = []
    parser.expect("{")
    while not parser.accept("}"):
        if parser.token.kind == "end":
            raise StencilError(f"'physics {name.text} {{' is not closed by '}}'", parser.since(first))
        key = parser.token.text
        if key not in WORDS or parser.tokens[parser.at + 1].text in ("'", "="):
            body.append(parser.equation(WORDS))
        elif key == "let":
            found["let"].append(parser.let())
        elif key == "stencil":
            found["stencil"].append(inner_stencil(parser))
        elif key == "column":
            found["stencil"].append(column.parsed(parser, symbol))
        elif key == "stable":
            found["stable"].append(stable(parser))
        else:
            parser.take()
            found[key] += parser.separated({"field": lambda: field(parser), "number": lambda: number(parser), "table": parser.table}[key])
    series = [v for n in found["number"] if isinstance(n, list) for v in n]
    numbers = [n for n in found["number"] if not isinstance(n, list)]
    if body and found["stencil"]:
        raise StencilError("equations stand in the physics or in its stencils, not in both", body[0].span, [("a stencil", found["stencil"][0].span)])
    if body:
        found["stencil"] = [inner(name, symbol, body, parser.levels)]
    if not found["stencil"]:
        raise StencilError(f"the physics '{name.text}' writes nothing: an equation is \"u' = ...\"", name.span)
    return syntax.Physics(name, symbol, found["field"], numbers, series, found["table"], found["let"], found["stencil"], found["stable"], parser.levels, name.span)


def inner(name, symbol, body, levels):
    return syntax.Stencil(name, symbol, [], [], [], None, [], [], body, levels, name.span)


def inner_stencil(parser):
    """stencil NAME [as SYMBOL] { lets and equations }"""
    parser.take()
    name = parser.name("the name of the stencil")
    symbol = parser.name("the name of its HgStencil in C") if parser.accept("as") else name
    body = []
    parser.expect("{")
    while not parser.accept("}"):
        if parser.sees("reads", "writes", "carries", "params", "table") and parser.tokens[parser.at + 1].text not in ("'", "="):
            parser.fail("a let or an equation: a stencil of a physics uses what the physics declares")
        body.append(parser.let() if parser.sees("let") else parser.equation(("let",)))
    return inner(name, symbol, body, parser.levels)


def field(parser):
    """u [m/s] at x_face closed in x copied in y > 0"""
    first = parser.at
    variable = parser.variable()
    unit = unit_written(parser.tokens[first + 1 : parser.at])
    axes = "xyz" if parser.levels else "xy"
    sides = dict.fromkeys(axes, UNSTATED)
    while parser.sees(*KINDS):
        side = boundary(parser)
        if not parser.accept("in"):
            sides = dict.fromkeys(axes, side)
            break
        axis = parser.name(f"'{axes[0]}'" + "".join(f" or '{other}'" for other in axes[1:]))
        if axis.text not in sides:
            raise StencilError(f"walls lie in {' or in '.join(axes)}, not in '{axis.text}'", axis.span)
        sides[axis.text] = side
    return syntax.Field(variable._replace(sign=variable.sign or parser.sign()), sides, unit)


def unit_written(tokens):
    """The unit in brackets as it is written, [Pa] and not [kg/(m s^2)], in C; NULL: there is none."""
    if not tokens or tokens[0].text != "[":
        return "NULL"
    inside = tokens[1 : [token.text for token in tokens].index("]")]
    return '"' + "".join(a.text + " " * (a.kind != "mark" and b.kind != "mark") for a, b in zip(inside, tokens[2:])) + '"'


def boundary(parser):
    """(kind, value): fixed 0, copied, mirrored -1"""
    word = parser.take().text
    if word not in ("fixed", "mirrored"):
        return KINDS[word], "0"
    minus, value = parser.accept("-"), parser.token
    if value.kind != "number":
        if word == "mirrored" and not minus:
            return KINDS[word], "1"
        parser.fail("the number that is held outside the wall" if word == "fixed" else "1 or -1")
    parser.take()
    if float(value.text) == float("inf"):
        raise StencilError("this number is infinite", value.span)
    if word == "mirrored" and value.text != "1":
        raise StencilError("a mirror has the sign 1 or -1", value.span)
    return KINDS[word], ("-" if minus else "") + repr(float(value.text))


def number(parser):
    """a [unit] > 0, or q[step], w[step, 4], tide[step, j] [unit]: variables, of which each is read as one"""
    name = parser.name("the name of a number")
    inside = parser.tokens[parser.at + 1] if parser.sees("[") else None
    if inside and (inside.text in ("i", "j", "k") or inside.kind == "number" and inside.text != "1"):
        raise StencilError(BY_STEP, inside.span)
    if inside and inside.text == "step":
        parser.at += 2
        which = several(parser) if parser.accept(",") else [""]
        parser.expect("]")
        unit, sign = parser.unit_in_brackets(), parser.sign()
        of = [syntax.ByStep(name.text, len(which), one) for one in which]
        return [syntax.Variable(f"{name.text}_{one.which}" if one.of > 1 else name.text, unit, None, sign, parser.levels, name.span, one) for one in of]
    return syntax.Parameter(name.text, name.text, parser.unit_in_brackets(), parser.sign(), name.span)


def several(parser):
    """What the numbers of a step are read by: 0, 1, 2, 3, or i, j"""
    first, axis = parser.token, parser.accept("i", "j")
    count = 0 if axis or first.kind != "number" else parser.whole()
    if not axis and not 2 <= count <= MOST:
        raise StencilError(BY_STEP, first.span)
    return [axis.text] if axis else [str(k) for k in range(count)]


def stable(parser):
    """stable dt <= ...;"""
    parser.take()
    parser.expect("dt", ": 'stable dt <= ...'")
    parser.expect("<=", ": 'stable dt <= ...'")
    value = parser.expression()
    parser.expect(";", " after the expression, or an operator")
    return value


# ---- what a stencil uses ----
def names_in(tree, levels):
    """{name: span} of all names in a tree, arguments of functions aside."""
    found, stack = {}, [(tree, frozenset())]
    while stack:
        one, hidden = stack.pop()
        if isinstance(one, syntax.Let):
            hidden, one = frozenset(a.text for a in one.arguments or ()), one.value
        if isinstance(one, syntax.Index) and one.base.text not in hidden:
            found.setdefault(reading(one.base.text, one.index.text, one.shift, one.which), one.span)
        if isinstance(one, syntax.Name):
            base = meaning.split(one.text, levels)[0]
            if one.text not in hidden and base not in hidden:
                found.setdefault(one.text, one.span)
                if base:
                    found.setdefault(base, one.span)
        elif isinstance(one, (tuple, list)):
            stack.extend((part, hidden) for part in one)
    return found


def with_lets(physics, body):
    """The physics' lets that a body uses, then the body; and the names in all of it."""
    own = {s.name.text for s in body if isinstance(s, syntax.Let)}
    used = {name: span for s in body for name, span in names_in(s, physics.levels).items()}
    lets = []
    for let in reversed(physics.lets):
        if let.name.text in used and let.name.text not in own:
            lets.insert(0, let)
            used.update(names_in(let, physics.levels))
    return lets + body, used


def stencils_of(physics):
    """The stencils of a physics, each with declarations of what it uses."""
    fields = {f.variable.name: f for f in physics.fields}
    struct = (camel(physics.symbol.text) + "Params", "", physics.span) if physics.numbers or physics.tables else None
    used_of_all, written, trees = set(), set(), []
    for tree in physics.stencils:
        if isinstance(tree, syntax.Column):
            trees.append(column.checked(tree, physics))
            used_of_all.add(tree.source.text)
            written.add(tree.target.text)
            continue
        body, used = with_lets(physics, tree.body)
        writes = [s for s in tree.body if isinstance(s, syntax.Equation)]
        for w in writes:
            if w.name not in fields:
                raise StencilError(f"'{w.name}' is no field of the physics '{physics.name.text}'{meant(w.name, fields)}", w.span)
        check_readings(physics, used)
        reads = [*(f.variable for f in physics.fields if f.variable.name in used), *(v for v in physics.series if now(v) in used)]
        targets = [fields[w.name].variable for w in writes if w.name not in used]
        surface = all(v.surface for v in reads + targets)
        numbers, tables = ([q for q in some if q.name in used] for some in (physics.numbers, physics.tables))
        trees.append(tree._replace(reads=reads, writes=targets, struct=struct if numbers or tables else None, parameters=numbers, tables=tables, body=body, levels=physics.levels and not surface))
        used_of_all |= {*used}
        written |= {w.name for w in writes}
    for value in physics.stable:
        used_of_all |= set(names_in(with_lets(physics, [value])[0], physics.levels))
    check_all_used(physics, used_of_all, written)
    return trees, written


def check_readings(physics, used):
    """Numbers by step are read as they are declared: q[step], w[step, 0], tide[step, j]."""
    for array in dict.fromkeys(v.by_step.array for v in physics.series):
        own, read = [now(v) for v in physics.series if v.by_step.array == array], [name for name in used if name.startswith(array + "[")]
        for name in [name for name in read or [array] if name in used and name not in own]:
            raise StencilError(f"numbers by step are read as {' to '.join(dict.fromkeys((own[0], own[-1])))}", used[name])


def check_all_used(physics, used, written):
    """Also of the stencils' lets, which see no field twice."""
    for v in physics.series:
        if now(v) not in used:
            raise StencilError(f"the number '{now(v)}' is used by no stencil of the physics", v.span)
    seen, by_step = {}, {v.name for v in physics.series}
    for what, name, span in [*(("field", f.variable.name, f.variable.span) for f in physics.fields), *(("number", q.name, q.span) for q in physics.numbers),
                             *(("number", *one) for one in dict.fromkeys((name, v.span) for v in physics.series for name in (v.by_step.array, v.name))),
                             *(("table", t.name, t.span) for t in physics.tables), *(("let", let.name.text, let.name.span) for let in physics.lets)]:
        if name in seen:
            raise StencilError(f"'{name}' is declared twice", span, [("first here", seen[name])])
        if name not in used and name not in written and name not in by_step:
            raise StencilError(f"the {what} '{name}' is used by no stencil of the physics", span)
        seen[name] = span


# ---- the largest step ----
class Limit:
    """The right side of `stable dt <= ...` as C."""

    def __init__(self, physics):
        self.physics, self.ranges = physics, {}
        self.index = {f.variable.name: (k, f.variable) for k, f in enumerate(physics.fields)}

    def text(self, value, effort):
        lets, _ = with_lets(self.physics, [self.ranged(value)])
        lets = [let._replace(value=self.ranged(let.value)) for let in lets[:-1]]
        tree = inner(self.physics.name, self.physics.symbol, [], self.physics.levels)._replace(parameters=[*self.physics.numbers, *self.ranges.values()])
        scope = meaning.Meaning(tree, effort)
        scope.declare_all()
        for let in lets:
            scope.let(let)
        found = scope.number(self.ranged(value))
        if found.unit is not None and found.unit != {"s": 1}:
            raise StencilError(f"a time step is in [s], but this in [{units.text(found.unit)}]", found.span)
        for node in ex.reached([found.node]):
            if node.op in ex.OF_PLACE or node.op == "sym" and node.data in {**meaning.BUILTIN, **meaning.OF_LEVELS} and node.data not in BOUND_BY:
                self.fail(found.span)
        return ctext.Text(self.leaf)(found.node)

    def fail(self, span):
        raise StencilError(f"the largest step depends on dx, dy, {'dz, ' * self.physics.levels}numbers of all steps, and max(u) and min(u) of fields alone", span)

    def ranged(self, tree):
        """max(u), min(u), max(abs(u)) of a field become names of their own."""
        if isinstance(tree, syntax.Call) and tree.function.text in ("max", "min") and len(tree.arguments) == 1:
            inside, kind = tree.arguments[0], tree.function.text
            absolute = isinstance(inside, syntax.Call) and inside.function.text == "abs" and kind == "max" and len(inside.arguments) == 1
            of = inside.arguments[0] if absolute else inside
            if isinstance(of, syntax.Name) and of.text in self.index:
                return self.range_of(of, "abs" if absolute else kind, tree.span)
            raise StencilError(f"{kind}(...) of one argument is that of a field, {kind}(u), or max(abs(u))", tree.span)
        if isinstance(tree, syntax.Index):
            self.fail(tree.span)
        if isinstance(tree, syntax.Name) and tree.text in self.index:
            raise StencilError(f"'{tree.text}' differs from cell to cell: max({tree.text}) or min({tree.text})", tree.span)
        if isinstance(tree, list):
            return [self.ranged(part) for part in tree]
        if isinstance(tree, tuple):
            parts = [self.ranged(part) for part in tree]
            return tree._make(parts) if hasattr(tree, "_make") else tuple(parts)
        return tree

    def range_of(self, field_name, kind, span):
        k, variable = self.index[field_name.text]
        name = f"max(abs({variable.name}))" if kind == "abs" else f"{kind}({variable.name})"
        text = f"fmax(fabs(range[{k}].least), fabs(range[{k}].largest))" if kind == "abs" else f"range[{k}].{'largest' if kind == 'max' else 'least'}"
        sign = variable.sign if kind != "abs" else variable.sign or ">="
        self.ranges.setdefault(name, syntax.Parameter(text, name, variable.unit, sign, span))
        return syntax.Name(name, span)

    def leaf(self, node):
        if node.op != "sym":
            return None
        if node.data in self.ranges:
            return self.ranges[node.data].member
        return node.data if node.data in BOUND_BY else f"p->{node.data}"


# ---- C ----
class PhysicsText:
    """A physics as C: its struct of numbers and tables, its HgPhysics."""

    warnings = ()  # a largest step is not differentiated

    def __init__(self, physics, written, effort):
        self.physics, self.written = physics, written
        limit = Limit(physics)
        self.limits = [limit.text(value, effort) for value in physics.stable]
        self.type = camel(physics.symbol.text) + "Params" if physics.numbers or physics.tables or physics.series else None
        self.symbol = f"{physics.symbol.text}_physics"

    def params_type(self):
        return ctext.struct(self.type, self.physics.numbers, self.physics.tables, self.physics.series) if self.type else ""

    def names(self):
        """As a stencil's tree: names that become C's."""
        p = self.physics
        return inner(p.name, p.symbol, [], p.levels)._replace(struct=(self.type, "", p.span), parameters=p.numbers, tables=p.tables)

    def summary(self):
        return f"{', '.join([f.variable.name for f in self.physics.fields] + [now(s) for s in self.physics.series])}{'; ' + self.type if self.type else ''}"

    def largest_step(self):
        if not self.limits:
            return ""
        takes = any("p->" in text for text in self.limits)
        lines = [f"static double {self.physics.symbol.text}_largest_step(const void *params, double dx, double dy, double dz,", "        const HgRange range[]) {"]
        lines.append(f"  const {self.type} *p = params;" if takes else "  (void)params;")
        lines += [f"  (void){name};" for name in ("dx", "dy", "dz", "range") if not any(re.search(rf"\b{name}\b", text) for text in self.limits)]
        lines.append(wrapped(f"{'const ' if len(self.limits) == 1 else ''}double dt = {self.limits[0]};", 2))
        lines += [wrapped(f"dt = fmin(dt, {text});", 2) for text in self.limits[1:]]
        return "\n".join(lines + ["  return dt;", "}", ""])

    def definition(self):
        p = self.physics
        lines = [self.largest_step(), f"const HgPhysics {self.symbol} = {{", f'    .name = "{p.name.text}",']
        lines.append("    .variables = (const HgPhysicsVariable[]){")
        for f in p.fields:
            v = f.variable
            x, y, z = ("%s, %s" % f.sides.get(axis, UNSTATED) for axis in "xyz")
            alike = x == y and (x == z or not p.levels)
            sides = f"HG_ALL_SIDES({x})" if alike else f"{{{{{x}}}, {{{x}}}, {{{y}}}, {{{y}}}, {{{z}}}, {{{z}}}}}"
            surface = "true" if v.surface else "false"
            lines.append(wrapped(f'{{"{v.name}", {f.unit}, HG_{(v.location or "centre").upper()}, {sides}, {surface}}},', 8))
        for s in p.series:
            lines.append(wrapped(f'{{"{now(s)}", {unit_text(s)}, HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0), {"true" if p.levels else "false"}}},', 8))
        lines.append("        {.name = NULL}},")
        stencils = ", ".join(f"&{s.symbol.text}" for s in p.stencils)
        lines.append(wrapped(f".stencils = (const HgStencil *const[]){{{stencils}, NULL}},", 4))
        if p.levels:
            lines.append("    .levels = true,")
        if self.limits:
            lines.append(f"    .largest_step = {p.symbol.text}_largest_step,")
        lines += self.params()
        positive = [f.variable.name for f in p.fields if f.variable.sign == ">"] + list(dict.fromkeys(s.by_step.array for s in p.series if s.sign == ">"))
        if positive:
            lines.append(wrapped(f".positive = (const char *const[]){{{', '.join(chr(34) + name + chr(34) for name in positive)}, NULL}},", 4))
        return "\n".join(lines + ["};"]).lstrip()

    def params(self):
        p = self.physics
        lines = [f"    .params_size = sizeof({self.type}),"] if self.type else []
        if p.numbers:
            lines.append("    .numbers = (const HgPhysicsNumber[]){")
            lines += [wrapped(f'{{"{q.name}", {unit_text(q)}, offsetof({self.type}, {q.name}), {SIGNS[q.sign]}}},', 8) for q in p.numbers] + ["        {.name = NULL}},"]
        tables = [t for t in p.tables if t.axis == "step"]
        if tables:
            lines.append("    .tables = (const HgPhysicsTable[]){")
            lines += [wrapped(f'{{"{t.name}", {unit_text(t)}, offsetof({self.type}, {t.name}), offsetof({self.type}, {t.name}_count)}},', 8) for t in tables]
            lines.append("        {.name = NULL}},")
        if p.series:
            lines.append("    .series = (const HgPhysicsSeries[]){")
            for s in p.series:
                array, of, which = s.by_step
                index, along = (0, f"'{which}'") if which in ("i", "j") else (which or 0, 0)
                lines.append(wrapped(f'{{"{array}", "{now(s)}", offsetof({self.type}, {array}_count), {of}, {index}, {along}}},', 8))
            lines.append("        {.name = NULL}},")
        return lines


def unit_text(declared):
    return "NULL" if declared.unit is None else f'"{units.text(declared.unit)}"'
