# SPDX-License-Identifier: BSD-2-Clause
"""What a tree says: names and neighbours resolved, lets put in, units, locations and signs checked. The result is a Physics of graph
nodes; all errors of a stencil but those of grammar come from here."""
import re
from collections import namedtuple

import expression as ex
import location
import syntax
import units
from ctext import now, reading
from errors import StencilError, listed, meant

# A value on its way: node, unit (None: not stated), sites (location.py), span.
Value = namedtuple("Value", "node unit sites span")
# reads, writes: [name]; outputs: {write: node}; formulas: {write: text}; names: {node: let}; symbols: {name: node}; stated: [syntax.Variable]
# written: what a step writes, as far as it is known; inlined: the Physics of it and the stencil before it as one (inline.py), which is `of`
# the two: their symbols
PhysicsFields = namedtuple("Physics", "name symbol reads carries writes struct parameters tables graph outputs formulas names symbols stated span warnings levels surfaces written inlined of", defaults=(None, None))


class Physics(PhysicsFields):
    __slots__ = ()

    def copies(self):
        """{write: read} of the last writes that are reads unchanged, as p_old' = p; something else is written, too."""
        found = {}
        for write in reversed(self.writes[1:]):
            node = self.outputs[write]
            if node.op != "read" or any(node.data[2:]):
                break
            found[write] = node.data[1]
        return dict(reversed(found.items()))


COMPASS = {"E": (1, 0, 0), "W": (-1, 0, 0), "N": (0, 1, 0), "S": (0, -1, 0)}
SUFFIXES = {**COMPASS, **{a + b: (COMPASS[b][0], COMPASS[a][1], 0) for a in "NS" for b in "EW"}}
SUFFIXES.update({2 * a: (2 * x, 2 * y, 0) for a, (x, y, _) in COMPASS.items()})
ABOVE = {"U": 1, "D": -1}
VERTICAL = {**{a: (0, 0, z) for a, z in ABOVE.items()}, **{2 * a: (0, 0, 2 * z) for a, z in ABOVE.items()},
            **{a + b: (x, y, z) for a, z in ABOVE.items() for b, (x, y, _) in COMPASS.items()}}
OF_TEXT = {False: SUFFIXES, True: {**SUFFIXES, **VERTICAL}}  # has the text levels?
M, S = {"m": 1}, {"s": 1}
BUILTIN = {"dx": M, "dy": M, "dt": S, "t": S, "x": M, "y": M, "step": {}, "i": {}, "j": {}, "nx": {}, "ny": {}}
OF_LEVELS = {"dz": M, "z": M, "k": {}, "nz": {}}
LATITUDE = {"cosine": "of the row's centres", "sine": "of the row's centres", "north_cosine": "of its northern faces", "north_sine": "of its northern faces"}
ORIGIN = ("x0", "y0", "z0")  # symbols of x = x0 + i dx, y and z, which no text can name
POSITIVE = ("dx", "dy", "dz", "dt", "nx", "ny", "nz")
INDEX = {"x": "i", "y": "j", "z": "k"}
FUNCTIONS = {"exp": 1, "log": 1, "sqrt": 1, "sin": 1, "cos": 1, "tanh": 1, "abs": 1, "min": 2, "max": 2}
FURTHEST, LARGEST, MOST = 16, 20000, 32
VISIT = 8  # what a place of a text costs each time it is read, beside a node: see Effort


def split(name, levels):
    """(base, suffix) of what may be a neighbour, u_NE; (None, None)"""
    base, bar, suffix = name.rpartition("_")
    return (base, suffix) if bar and suffix in OF_TEXT[levels] else (None, None)


class Meaning:
    def __init__(self, tree, effort):
        self.surfaces = {v.name for v in tree.reads + tree.carries + tree.writes if v.surface and tree.levels}
        self.by_step = {name: now(v) for v in reversed(tree.reads) if v.by_step for name in (v.name, v.by_step.array)}
        self.tree, self.graph = tree, ex.Graph(effort, tree.span, self.surfaces)
        self.builtins = {**BUILTIN, **OF_LEVELS} if tree.levels else BUILTIN
        self.suffixes = OF_TEXT[tree.levels]
        self.scope, self.functions, self.arguments = {}, {}, {}
        self.place, self.used, self.names = {}, set(), {}
        self.neighbour_of, self.above = {}, {}  # base: a name that looks like a neighbour of it; let: its number, from above
        self.warnings = {}  # {span: StencilError}
        self.lets = 0
        self.visible = None  # lets whose number is below it are seen, None: all
        self.tables = {t.name: t for t in tree.tables}
        self.facts, self.memo = {}, {}
        self.symbols = {}

    # ---- declarations ----
    def declare(self, name, span):
        if name in self.place:
            raise StencilError(f"'{name}' is declared twice", span, [("first here", self.place[name])])
        if name in self.builtins or name in LATITUDE:
            raise StencilError(f"'{name}' is given: {self.builtin_text(name)}", span)
        if name in FUNCTIONS:
            raise StencilError(f"'{name}' is a function of the language", span)
        if name in ORIGIN[: 2 + self.tree.levels]:
            raise StencilError(f"'{name}' is the centre of the grid's first cell, of which {name[0]} counts: expected another name", span)
        base, suffix = split(name, self.tree.levels)
        if base in self.place:
            raise StencilError(f"'{name}' would also be the neighbour {suffix} of '{base}'", span, [("declared here", self.place[base])])
        if name in self.neighbour_of:
            other = self.neighbour_of[name]
            raise StencilError(f"'{other}' would also be a neighbour of '{name}'", span, [("declared here", self.place[other])])
        self.place[name] = span
        self.neighbour_of.setdefault(base, name)

    @staticmethod
    def builtin_text(name):
        texts = {"t": "the time at the start of the step [s]", "dt": "the time step [s]", "step": "the number of the step",
                 **{name: "the position of the cell's centre [m]" for name in INDEX},
                 **{name: f"the {name.replace('north_', '')} of the latitude {where}" for name, where in LATITUDE.items()}}
        return texts.get(name, "it belongs to the grid")

    def declare_all(self):
        t = self.tree
        for variable in t.reads + t.carries:
            self.declare(variable.name, variable.span)
        for variable in t.reads:
            node = self.graph.read("x", variable.name)
            self.scope[variable.name] = Value(node, variable.unit, location.declared(variable.location), variable.span)
            self.note_sign(variable.name, variable.sign)  # of all its cells
        for parameter in t.parameters:
            if parameter.member == "dt" and parameter.name == "dt":
                continue  # the program's own: it may be named
            self.declare(parameter.name, parameter.span)
            self.add_symbol(parameter.name, self.graph.make("sym", (), parameter.name), parameter.unit, parameter.span, parameter.sign)
        for table in t.tables:
            self.declare(table.name, table.span)
        for name, unit in self.builtins.items():
            self.add_symbol(name, self.builtin(name), unit, (0, 1), ">" if name in POSITIVE else None)
        for name in LATITUDE:
            self.scope[name] = Value(self.graph.make("latitude", (), (name, "j", 0)), units.ONE, location.ALL, (0, 1))
        if len(t.reads) + len(t.carries) > MOST:
            raise StencilError(f"a stencil reads at most {MOST} variables", (t.reads + t.carries)[MOST].span)

    def add_symbol(self, name, node, unit, span, sign):
        self.scope[name] = Value(node, unit, location.ALL, span)
        self.symbols[name] = node
        self.note_sign(node, sign)

    def builtin(self, name):
        g = self.graph
        if name in INDEX.values():
            return g.make("pos", (), (name, 0))
        if name in INDEX:  # x0 + i dx
            at = g.make("mul", (g.make("pos", (), (INDEX[name], 0)), g.make("sym", (), "d" + name)))
            return g.make("add", (g.make("sym", (), name + "0"), at))
        return g.make("sym", (), name)

    def note_sign(self, node, sign):
        if sign:
            self.facts[node] = ex.POSITIVE if sign == ">" else ex.NOT_NEGATIVE

    # ---- names ----
    def words(self):
        return [*self.arguments, *self.scope, *self.functions, *self.tables]

    def found(self, name):
        value = self.arguments.get(name) or (self.scope.get(name) if self.sees(name) else None)
        if value:
            self.used.add(name)
        return value

    def sees(self, name):
        """Does what is being read stand below the let of that name, if it is one?"""
        return self.visible is None or self.above.get(name, -1) < self.visible

    def resolve(self, tree):
        name, span = tree.text, tree.span
        value = self.found(name)
        base, suffix = split(name, self.tree.levels)
        for one in {name, base} & {*self.by_step} - {*self.arguments}:
            raise StencilError(f"numbers by step are read as {self.by_step[one]}", span)
        if value:
            return value._replace(span=span)
        if base and self.found(base):
            return self.moved(self.found(base), *self.suffixes[suffix], base, span)
        base, _, suffix = name.rpartition("_")
        if base and suffix in VERTICAL and not self.tree.levels:
            raise StencilError(f"'{base}' has no neighbour '{suffix}': a text in three dimensions says 'in xyz' behind its name", span)
        if base and self.found(base):
            raise StencilError(f"'{base}' has no neighbour '{suffix}': they are {listed(self.suffixes)}; {base}[2, -1{', 0' * self.tree.levels}] is any other", span)
        self.fail_to_find(name, span)

    def fail_to_find(self, name, span):
        if name in self.functions and self.sees(name) or name in FUNCTIONS:
            raise StencilError(f"'{name}' is a function: {name}(...)", span)
        if name in self.tables:
            raise StencilError(f"'{name}' is a table: {name}[{self.tables[name].axis}]", span)
        if any(c.name == name for c in self.tree.carries):
            raise StencilError(f"'{name}' is carried, which says that nothing reads it; name it among the reads", span)
        if any(isinstance(s, syntax.Let) and s.name.text == name for s in self.tree.body):
            raise StencilError(f"'{name}' is used above its let", span)
        raise StencilError(f"'{name}' is not declared{meant(name, self.words())}", span)

    def moved(self, value, x, y, z, name, span):
        if value.node.level == ex.UNIFORM:
            raise StencilError(f"'{name}' is the same in every cell: it has no neighbours", span)
        if z and name in self.surfaces:
            raise StencilError(f"'{name}' is a surface: it has one level", span)
        node = self.graph.shift(value.node, x, y, z)
        if ex.furthest(node.bounds) > FURTHEST:
            raise StencilError(f"this reads more than {FURTHEST} cells away", span)
        return Value(node, value.unit, value.sites, span)

    # ---- expressions ----
    def value(self, tree):
        self.graph.span = tree.span
        self.graph.spend(VISIT)
        if len(self.graph.table) > LARGEST:
            raise StencilError(f"more than {LARGEST} different expressions", tree.span)
        value = getattr(self, "of_" + type(tree).__name__.lower())(tree)
        if units.fits(value.unit):
            return value
        raise StencilError(units.TOO_LARGE, tree.span)

    def number(self, tree):
        """A value that is no condition."""
        value = self.value(tree)
        if value.node.op in ex.CONDITIONS:
            raise StencilError("this is a condition, not a number", tree.span)
        return value

    def condition(self, tree):
        value = self.value(tree)
        if value.node.op not in ex.CONDITIONS:
            raise StencilError("this is a number, not a condition such as 'u > 0'", tree.span)
        return value

    def of_name(self, tree):
        return self.resolve(tree)

    def of_number(self, tree):
        number = float(tree.text)
        if number == float("inf"):
            raise StencilError("this number is infinite", tree.span)
        unit = tree.unit if tree.unit is not None else None if number == 0 else units.ONE
        return Value(self.graph.num(number), unit, location.ALL, tree.span)

    def of_offset(self, tree):
        return self.moved(self.resolve(tree.base), tree.x, tree.y, tree.z, tree.base.text, tree.span)

    def of_index(self, tree):
        table = self.tables.get(tree.base.text)
        read = reading(tree.base.text, tree.index.text, tree.shift, tree.which)
        for v in self.tree.reads:
            if v.by_step and now(v) == read:
                return self.found(v.name)._replace(span=tree.span)
        if not table:
            if self.found(tree.base.text):
                self.fail_as_table(tree, tree.base.text, self.found(tree.base.text).node.level == ex.UNIFORM)
            raise StencilError(f"there is no table '{tree.base.text}'{meant(tree.base.text, self.words())}", tree.base.span)
        if tree.index.text != table.axis or tree.which:
            raise StencilError(f"'{table.name}' is read by '{table.axis}', not by '{tree.index.text}{', ' * bool(tree.which)}{tree.which}'", tree.index.span, [("declared here", table.span)])
        self.used.add(table.name)
        node = self.graph.make("table", (), (table.name, table.axis, tree.shift))
        return Value(node, table.unit, location.ALL, tree.span)

    @staticmethod
    def fail_as_table(tree, name, uniform):
        """u[step - 1], u[i + 1] of what is no table."""
        if uniform:
            raise StencilError(f"'{name}' is one number of all steps and cells; numbers by step are declared as 'number {name}[step]'", tree.base.span)
        offsets = f"0, {tree.shift or 2}" if tree.index.text == "j" else f"{tree.shift or 2}, 0"
        hint = f"its neighbours are {name}[{offsets}]"
        if tree.index.text == "step":
            hint = f"it is that of this step; an earlier one is kept in a variable, \"{name}_old' = {name}\", and a sum over steps is one, \"s' = s + dt * {name}\""
        raise StencilError(f"'{name}' is no table; {hint}", tree.base.span)

    def of_unary(self, tree):
        if tree.op == "!":
            inside = self.condition(tree.argument)
            return inside._replace(node=self.graph.make("!", (inside.node,)), span=tree.span)
        inside = self.number(tree.argument)
        return inside._replace(node=self.graph.make("neg", (inside.node,)), span=tree.span)

    def same_unit(self, values, what):
        stated = [v for v in values if v.unit is not None]
        for v in stated[1:]:
            if v.unit != stated[0].unit:
                raise StencilError(f"{what} [{units.text(stated[0].unit)}] and [{units.text(v.unit)}]", v.span, [(f"[{units.text(stated[0].unit)}]", stated[0].span)])
        # a unit that was not stated stays so, but a bare 0 has any
        if any(v.unit is None and not v.node.zero for v in values) or not stated:
            return None
        return stated[0].unit

    def of_sum(self, tree):
        if len(tree.terms) > 400:
            raise StencilError("a sum has at most 400 terms", tree.span)
        values = [self.number(term) for _, term in tree.terms]
        unit = self.same_unit(values, "a sum of")
        node = values[0].node
        for (sign, _), v in zip(tree.terms[1:], values[1:]):
            node = self.graph.make("add" if sign == "+" else "sub", (node, v.node))
        return Value(node, unit, location.of_sum(self.graph, values), tree.span)

    def of_binary(self, tree):
        if tree.op in ("&&", "||"):
            left, right = self.condition(tree.left), self.condition(tree.right)
            return Value(self.graph.make(tree.op, (left.node, right.node)), units.ONE, location.ALL, tree.span)
        if tree.op in ("*", "/"):
            return self.of_product(tree)
        left, right = self.number(tree.left), self.number(tree.right)
        self.same_unit([left, right], "a comparison of")
        return Value(self.graph.make(tree.op, (left.node, right.node)), units.ONE, location.ALL, tree.span)

    def of_product(self, tree):
        """From left to right; where it lives all factors say together."""
        first, rest = tree, []
        while isinstance(first, syntax.Binary) and first.op in ("*", "/"):
            rest.append(first)
            first = first.left
        value = self.number(first)
        factors = [value]
        for step in reversed(rest):
            right = self.number(step.right)
            if step.op == "/" and right.node.is_num(0):
                raise StencilError("a division by 0", right.span)
            zero = value.node.is_num(0) or right.node.is_num(0)
            unit = None if zero else units.product(value.unit, right.unit, 1 if step.op == "*" else -1)
            value = Value(self.graph.make("mul" if step.op == "*" else "div", (value.node, right.node)), unit, location.ALL, step.span)
            factors.append(right)
        return value._replace(sites=location.of_product(self.graph, factors))

    def of_power(self, tree):
        base, exponent = self.number(tree.base), tree.exponent
        node, g = base.node, self.graph
        if exponent == 0:
            raise StencilError("the exponent 0 makes it 1: write that", tree.span)
        if exponent.denominator > 1:
            self.must_not_be_negative(base, exponent < 0, f"a power of {exponent}", exponent < 1)
        if exponent < 0 and ex.sign(node, self.facts, self.memo) == ex.ZERO:
            raise StencilError("a division by 0", base.span)
        may_be_zero = ex.sign(node, self.facts, self.memo) & ex.ZERO
        # x sqrt(x) has the derivative 0 inf at 0, which pow() has not
        by_pow = may_be_zero and exponent.denominator == 2 and exponent > 1
        above = g.make("pow", (node,), exponent) if by_pow else self.positive_power(node, abs(exponent))
        node = above if exponent > 0 else g.make("div", (g.num(1), above))
        return Value(node, units.power(base.unit, exponent), base.sites, tree.span)

    def positive_power(self, node, exponent):
        """x^5 = (x^2)^2 x; halves by sqrt(), other fractions by pow()."""
        g = self.graph
        if exponent.denominator == 2:
            root = g.make("sqrt", (node,))
            return root if exponent < 1 else g.make("mul", (self.positive_power(node, exponent - exponent % 1), root))
        if exponent.denominator > 1:
            return g.make("pow", (node,), exponent)
        n = int(exponent)
        if n <= 3:
            return node if n == 1 else g.make("square" if n == 2 else "cube", (node,))
        if n % 2 == 0:
            return g.make("square", (self.positive_power(node, exponent / 2),))
        if n % 3 == 0:
            return g.make("cube", (self.positive_power(node, exponent / 3),))
        return g.make("mul", (self.positive_power(node, exponent - 1), node))

    def must_not_be_negative(self, value, nor_zero, what, steep):
        """steep: is its derivative at 0 infinite?"""
        sign = ex.sign(value.node, self.facts, self.memo)
        if sign & ex.NEGATIVE or (nor_zero and sign & ex.ZERO):
            may = "negative" if sign & ex.NEGATIVE else "0"
            raise StencilError(f"{what} of what may be {may}: declare 'reads h > 0', or write max(..., ...) or a condition", value.span)
        if steep and sign & ex.ZERO and value.node.reads:
            small = f"1e-12 [{units.text(value.unit)}]" if value.unit else "1e-12"
            self.warnings.setdefault(value.span, StencilError(f"{what} of what may be 0, where its derivative is infinite and a gradient nan: add what is small there, "
                                                              f"such as {small}, or write a condition, a > 0 ? sqrt(a) : 0", value.span))

    def of_choice(self, tree):
        condition = self.condition(tree.condition)
        yes = self.under(condition.node, True, tree.yes)
        no = self.under(condition.node, False, tree.no)
        unit = self.same_unit([yes, no], "a choice of")
        sites = location.of_product(self.graph, [yes, no])
        return Value(self.graph.make("select", (condition.node, yes.node, no.node)), unit, sites, tree.span)

    def under(self, condition, holds, tree):
        """The value where the condition holds, or does not: a > 0 says what sign a has there."""
        facts, memo = self.facts, self.memo
        self.facts, self.memo = dict(facts), {}
        ex.learn(condition, holds, self.facts)
        value = self.number(tree)
        self.facts, self.memo = facts, memo
        return value

    def of_call(self, tree):
        name = tree.function.text
        if name in self.functions and self.sees(name):
            return self.call_let(tree)
        if name not in FUNCTIONS:
            if self.found(name):
                more = f", and a neighbour by its offsets, {name}[1, 0]" if len(tree.arguments) == 2 else ""
                raise StencilError(f"'{name}' is no function; a product is written with '*'{more}", tree.function.span)
            raise StencilError(f"there is no function '{name}'{meant(name, [*FUNCTIONS, *filter(self.sees, self.functions)])}", tree.function.span)
        self.arity(tree, FUNCTIONS[name])
        values = [self.number(a) for a in tree.arguments]
        node = self.graph.make(name, [v.node for v in values])
        if name in ("exp", "log", "sin", "cos", "tanh") and not node.varies:
            raise StencilError(f"{name} of a constant: write its value, which compilers round in different ways", tree.span)
        if name in ("min", "max"):
            return Value(node, self.same_unit(values, f"{name} of"), location.of_product(self.graph, values), tree.span)
        only = values[0]
        if name in ("sqrt", "log"):
            self.must_not_be_negative(only, name == "log", f"{name}", name == "sqrt")
        if name in ("abs", "sqrt"):
            return only._replace(node=node, unit=units.power(only.unit, 1 if name == "abs" else "1/2"), span=tree.span)
        if only.unit:
            raise StencilError(f"{name} of something in [{units.text(only.unit)}], expected a number without unit", only.span)
        return only._replace(node=node, unit=units.ONE if only.unit is not None else None, span=tree.span)

    def arity(self, tree, expected):
        if len(tree.arguments) != expected:
            raise StencilError(f"'{tree.function.text}' takes {expected} argument{'s' * (expected > 1)}, not {len(tree.arguments)}", tree.span)

    def call_let(self, tree):
        let = self.functions[tree.function.text]
        self.used.add(tree.function.text)
        self.arity(tree, len(let.arguments))
        values = [self.number(a) for a in tree.arguments]
        outer = self.arguments, self.visible
        self.visible = self.above[let.name.text]
        self.arguments = {a.text: v for a, v in zip(let.arguments, values)}
        try:
            value = self.number(let.value)
        except StencilError as error:
            error.notes.append((f"in this call of '{let.name.text}'", tree.span))
            raise
        finally:
            self.arguments, self.visible = outer
        if len(values) == 1 and values[0].node.op == "read" and not any(values[0].node.data[2:]):
            self.names.setdefault(value.node, f"{let.name.text}_{values[0].node.data[1]}")
        return value._replace(span=tree.span)

    # ---- statements ----
    def run(self):
        self.declare_all()
        self.outputs = outputs = {}
        formulas, places = {}, {}
        lets = {s.name.text for s in self.tree.body if isinstance(s, syntax.Let)}
        for statement in self.tree.body:
            if not isinstance(statement, syntax.Equation):
                getattr(self, type(statement).__name__.lower())(statement)
                continue
            name = statement.name
            if name in outputs:
                raise StencilError(f"'{name}' is written twice", statement.span, [("first here", places[name])])
            if name in lets or name in self.symbols:
                raise StencilError(f"'{name}' is {'a let' if name in lets else 'a parameter'}: only variables are written", statement.span)
            self.equation(statement, outputs)
            formulas[name], places[name] = " ".join(re.sub("#[^\\n]*", "", statement.text).split()), statement.span
        t = self.tree
        self.graph.span = t.span
        self.check_use(outputs)
        self.check_surfaces()
        self.check_sphere()
        return Physics(t.name.text, t.symbol.text, [r.name for r in t.reads], [c.name for c in t.carries], list(outputs), t.struct,
                       [p for p in t.parameters if p.name != "dt"], t.tables, self.graph, outputs, formulas, self.names, self.symbols, t.reads + t.carries + t.writes, t.span, list(self.warnings.values()),
                       t.levels, self.surfaces, {*outputs})

    def held(self, held):
        """A result of the first of two stencils, with all that is declared of it."""
        v = held.variable
        node = self.graph.make("held", (self.number(held.value).node,), v.name)
        self.declare(v.name, v.span)
        self.scope[v.name] = Value(node, v.unit, location.declared(v.location), v.span)
        self.names[node] = v.name
        self.note_sign(node, v.sign)

    def forget(self, forget):
        for name in forget.names:
            for known in (self.scope, self.functions, self.place):
                known.pop(name, None)
        self.neighbour_of = {base: name for base, name in self.neighbour_of.items() if name not in forget.names}

    def let(self, let):
        name = let.name.text
        self.declare(name, let.name.span)
        self.lets += 1
        self.above[name] = self.lets
        if let.arguments is None:
            value = self.number(let.value)
            self.scope[name] = value
            if not value.node.is_leaf():
                self.names.setdefault(value.node, name)
            return
        seen = set()
        for a in let.arguments:
            if a.text in seen:
                raise StencilError(f"the argument '{a.text}' stands twice", a.span)
            seen.add(a.text)
            if a.text in self.builtins or a.text in LATITUDE or a.text in FUNCTIONS:
                raise StencilError(f"'{a.text}' is given, and cannot be an argument", a.span)
            other = self.neighbour_of.get(a.text)
            if other:
                raise StencilError(f"'{other}' would also be a neighbour of the argument '{a.text}'", a.span, [("declared here", self.place[other])])
            if a.text in self.tables:
                raise StencilError(f"'{a.text}' is a table, and cannot be an argument", a.span)
        self.functions[name] = let
        self.check_function(let)

    def check_function(self, let):
        """Names of a function's body, also if it is never called."""
        used = set()
        stack = [let.value]
        while stack:
            tree = stack.pop()
            if isinstance(tree, syntax.Name):
                used |= {tree.text, split(tree.text, self.tree.levels)[0]}
            elif isinstance(tree, (tuple, list)):
                stack.extend(tree)
        for a in let.arguments:
            if a.text not in used:
                raise StencilError(f"the argument '{a.text}' is not used", a.span)

    def equation(self, statement, outputs):
        value = self.number(statement.value)
        declared = next((v for v in self.tree.writes + self.tree.reads + self.tree.carries if v.name == statement.name), None)
        if declared:
            if declared.unit is not None and value.unit is not None and declared.unit != value.unit:
                raise StencilError(f"'{declared.name}' is in [{units.text(declared.unit)}], but this in [{units.text(value.unit)}]", value.span, [("declared here", declared.span)])
            location.check_target(declared, value)
        if value.node.level < ex.CELL:
            raise StencilError(f"'{statement.name}' does not depend on any variable", value.span)
        if len(outputs) == MOST:
            raise StencilError(f"a stencil writes at most {MOST} variables", statement.span)
        outputs[statement.name] = value.node

    def check_sphere(self):
        """x and y are metres, on a sphere they would be degrees."""
        for name in ("x", "y"):
            if name in self.used and any(k in self.used for k in LATITUDE):
                raise StencilError(f"'{name}' is a position on a plane, but this stencil is for a sphere too: it reads the latitude", self.tree.span)

    def check_surfaces(self):
        """A surface is the same for all levels: what differs between them cannot be written to it."""
        for v in self.tree.writes + self.tree.reads:
            if v.name in self.outputs and v.name in self.surfaces:
                raise StencilError(f"'{v.name}' is a surface, and this stencil computes levels: write it in a stencil that reads surfaces alone", v.span)

    def check_use(self, outputs):
        t = self.tree
        if not outputs:
            raise StencilError(f"the stencil '{t.name.text}' writes nothing: an equation is \"u' = ...\"", t.span)
        for w in t.writes:
            if w.name not in outputs:
                raise StencilError(f"no equation writes '{w.name}'{meant(w.name, outputs)}", w.span)
        read = {n.data[1] for n in ex.reads_of(outputs.values())}
        for r in t.reads:
            if r.name not in read:
                raise StencilError(f"'{r.name}' is read by no equation; 'carries {r.name}' where that is meant", r.span)
        if not read:
            raise StencilError(f"the stencil '{t.name.text}' reads nothing", t.span)
        for name, span in self.place.items():
            if name not in self.used and name not in [c.name for c in t.carries]:
                raise StencilError(f"'{name}' is not used", span)


def meaning(tree, effort=None):
    """The Physics of a stencil's tree; the effort is that for its file."""
    return Meaning(tree, effort).run()
