# SPDX-License-Identifier: BSD-2-Clause
"""The grammar of docs/stencil-language.md by recursive descent: tokens become the tree of syntax.py."""
import re
from fractions import Fraction

import physics
import syntax
import units
from errors import StencilError, meant
from lexer import tokens_of
from location import IN_LEVELS

STATEMENTS = ("reads", "carries", "writes", "params", "table", "let")
LOCATIONS = ("centre", "x_face", "y_face", "corner")
AXES = {"xy": False, "xyz": True}  # does it have levels?
DEEPEST = 60  # brackets inside one another
HEADER = re.compile(r"<[\w+-][\w.+-]*(?:/[\w+-][\w.+-]*)*>", re.ASCII)  # what C includes
LARGEST, LONGEST = 1000, 16  # numbers of an exponent, and their characters


class Parser:
    def __init__(self, source):
        self.source, self.tokens, self.at, self.depth = source, tokens_of(source), 0, 0
        self.known_units = set(units.KNOWN)
        self.levels = False  # of what is being parsed

    # ---- tokens ----
    @property
    def token(self):
        return self.tokens[self.at]

    def fail(self, expected):
        what = f"'{self.token.text}'" if self.token.text else "the end of the file"
        text = self.token.text
        if text == "*" and self.at and self.tokens[self.at - 1].text == "*":
            what, text = "'**'", "**"
        raise StencilError(f"expected {expected}, not {what}{meant(text, ()) if text in ('if', '**') else ''}", self.token.span)

    def sees(self, *texts):
        return self.token.kind != "end" and self.token.text in texts

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, *texts):
        return self.take() if self.sees(*texts) else None

    def expect(self, text, where=""):
        if not self.sees(text):
            self.fail(f"'{text}'{where}")
        return self.take()

    def name(self, what):
        if self.token.kind != "name":
            self.fail(what)
        return self.take()

    def since(self, first):
        """The span from a token, or a span, to the last token taken."""
        begin = first[0] if isinstance(first, tuple) and len(first) == 2 else first.at
        last = self.tokens[self.at - 1]
        return begin, last.at + len(last.text) - begin

    # ---- statements ----
    def file(self):
        found = []
        while self.token.kind != "end" or not found:
            if self.accept("unit"):
                self.known_units.update(self.separated(lambda: self.name("the name of a unit").text))
                continue
            if not self.sees("stencil", "physics"):
                self.fail("'physics NAME {' or 'stencil NAME {'")
            found.append(self.stencil() if self.sees("stencil") else physics.parsed(self))
        return found

    def stencil(self):
        first = self.take()
        name = self.name("the name of the stencil")
        symbol = self.name("the name of its HgStencil in C") if self.accept("as") else name
        self.axes()
        parts = {s: [] for s in ("reads", "carries", "writes", "table")}
        body, struct, parameters = [], None, []
        self.expect("{")
        while not self.accept("}"):
            if self.token.kind == "end":
                raise StencilError(f"'stencil {name.text} {{' is not closed by '}}'", self.since(first))
            key = self.token.text
            if key in ("reads", "carries", "writes", "table") and self.tokens[self.at + 1].text not in ("'", "="):
                self.take()
                parts[key] += self.separated(self.table if key == "table" else self.variable)
            elif key == "params" and self.tokens[self.at + 1].text != "'":
                struct, new = self.params(struct)
                parameters += new
            else:
                body.append(self.let() if key == "let" else self.equation())
        return syntax.Stencil(name, symbol, parts["reads"], parts["carries"], parts["writes"], struct, parameters, parts["table"], body, self.levels, name.span)

    def axes(self):
        """in xyz: cells lie in levels; in xy, or nothing: they do not."""
        self.levels = False
        if self.accept("in"):
            word = self.name("'xy' or 'xyz'")
            if word.text not in AXES:
                raise StencilError(f"a text is 'in xy' or 'in xyz', not in '{word.text}'", word.span)
            self.levels = AXES[word.text]

    def separated(self, one):
        """one, one, ... ;"""
        found = [one()]
        while self.accept(","):
            found.append(one())
        self.expect(";", " or ','" if self.token.kind != "name" else " before it")
        return found

    def variable(self):
        name = self.name("the name of a variable")
        unit, location = self.unit_in_brackets(), None
        if self.accept("at"):
            word = self.name("'centre', 'x_face', 'y_face' or 'corner'")
            location = word.text
            known = LOCATIONS + IN_LEVELS if self.levels else LOCATIONS
            if location not in known:
                hint = ": a text with levels says 'in xyz' behind its name" if location in IN_LEVELS else meant(location, known)
                raise StencilError(f"there is no location '{location}'{hint}", word.span)
        surface = self.accept("surface")
        if surface and not self.levels:
            raise StencilError("a surface lies over levels, and this text has none: 'in xyz' behind its name", surface.span)
        return syntax.Variable(name.text, unit, location, self.sign(), bool(surface), name.span)

    def sign(self):
        """> 0 or >= 0"""
        sign = self.accept(">", ">=")
        if sign and self.token.text != "0":
            self.fail("0")
        if sign:
            self.take()
        return sign.text if sign else None

    def params(self, struct):
        self.take()
        if self.token.kind == "name" and self.tokens[self.at + 1].text == "from":
            word = self.take()
            self.take()
            header = self.header()
            self.expect(":")
            struct = (word.text, header, word.span)
        return struct, self.separated(self.parameter)

    def header(self):
        """<halograd/heat.h>: nothing else may reach C's preprocessor."""
        first = self.expect("<")
        found = HEADER.match(self.source.text, first.at)
        while found and self.token.at < found.end() - 1:
            self.take()
        if not found or self.take().text != ">":
            raise StencilError("expected a header such as <halograd/heat.h>: a path below the folders of headers, of letters, digits and _ . + -", first.span)
        return found.group()

    def parameter(self):
        first = self.name("the name of a parameter")
        member, name = first.text, first
        while self.accept("."):
            name = self.name("the name of a member")
            member += "." + name.text
        if self.accept("as"):
            name = self.name("the name of the parameter here")
        unit = self.unit_in_brackets()
        return syntax.Parameter(member, name.text, unit, self.sign(), self.since(first))

    def table(self):
        name = self.name("the name of a table")
        self.expect("[")
        axis = self.name("'step', 'i' or 'j'")
        if axis.text not in ("step", "i", "j"):
            raise StencilError(f"a table is read by 'step', 'i' or 'j', not by '{axis.text}'", axis.span)
        self.expect("]")
        return syntax.Table(name.text, axis.text, self.unit_in_brackets(), name.span)

    def let(self):
        self.take()
        name, arguments = self.name("the name of the let"), None
        if self.accept("("):
            arguments = [self.name("the name of an argument")]
            while self.accept(","):
                arguments.append(self.name("the name of an argument"))
            self.expect(")")
        self.expect("=")
        value = self.expression()
        self.expect(";", " after the expression, or an operator")
        return syntax.Let(name, arguments, value, name.span)

    def equation(self, statements=STATEMENTS):
        if self.token.kind != "name":
            self.fail(f"a statement: {', '.join(statements)}, or an equation u' = ...")
        name = self.take()
        if not self.sees("'"):
            hint = meant(name.text, statements)
            if self.sees("="):
                hint = f": what is written has a prime, \"{name.text}' = ...\"; what is computed on the way, a let"
            raise StencilError(f"'{name.text}' begins no statement{hint}", name.span)
        self.take()
        self.expect("=")
        value = self.expression()
        self.expect(";", " after the expression, or an operator")
        at, length = self.since(name)
        return syntax.Equation(name.text, value, name.span, self.source.text[at : at + length - 1])

    # ---- units ----
    def unit_in_brackets(self):
        if not self.accept("["):
            return None
        unit = self.unit()
        self.expect("]")
        return unit

    def unit(self):
        unit = self.unit_factor()
        while not self.sees("]", ")"):
            sign = -1 if self.accept("/") else 1
            if sign == 1:
                self.accept("*")
            unit = units.product(unit, self.unit_factor(), sign)
        return unit

    def unit_factor(self):
        first = self.token
        if self.accept("("):
            self.deeper()
            unit = self.unit()
            self.expect(")")
            self.depth -= 1
        elif self.accept("1"):
            unit = units.ONE
        else:
            unit = units.symbol(self.unit_name())
        unit = units.power(unit, self.exponent()) if self.accept("^") else unit
        if not units.fits(unit):
            raise StencilError(units.TOO_LARGE, self.since(first))
        return unit

    def unit_name(self):
        name = self.name("a unit such as [m^2/s]")
        word, base = name.text, name.text.rstrip("0123456789")
        if word in self.known_units:
            return word
        hint = meant(word, self.known_units)
        if base != word and base in self.known_units:
            hint = f"; did you mean '{base}^{word[len(base):]}'?"
        elif word == "step":
            hint = ("; numbers by step are a table, 'table w[step];', and a sum over steps is a variable that is read and written, "
                    "\"s' = s + dt * u\"")
        elif not hint:
            hint = f", nor is it declared: 'unit {word};' above the stencils makes it one"
        raise StencilError(f"'{word}' is no unit of the SI{hint}", name.span)

    def exponent(self):
        """2, -1, (3/2)"""
        first = self.token
        sign = -1 if self.accept("-") else 1
        if self.accept("("):
            self.deeper()
            value = self.exponent()
            if self.accept("/"):
                below = self.exponent()
                if not below:
                    self.fail("an exponent that is not divided by 0")
                value /= below
            self.expect(")")
            self.depth -= 1
        elif self.token.kind != "number":
            self.fail("a number as exponent, such as ^2, ^-1 or ^(1/3)")
        else:
            value = self.fraction(self.take().text)
        if value is None or max(value, -value) > LARGEST or value.denominator > LARGEST:
            raise StencilError(f"exponents are fractions of numbers up to {LARGEST}", self.since(first))
        return sign * value

    @staticmethod
    def fraction(text):
        """None if its numbers are too large: 1e-999999999 is not computed to see that."""
        rounded = float(text)
        if len(text) > LONGEST or not (1 / LARGEST <= rounded <= LARGEST or text.strip("0.") == ""):
            return None
        return Fraction(text)

    # ---- expressions, from what binds least ----
    def deeper(self):
        self.depth += 1
        if self.depth > DEEPEST:
            raise StencilError(f"more than {DEEPEST} brackets inside one another", self.token.span)

    def expression(self):
        self.deeper()
        first = self.token
        condition = self.left_to_right(0)
        if self.accept("?"):
            yes = self.expression()
            self.expect(":", " of 'condition ? yes : no'")
            condition = syntax.Choice(condition, yes, self.expression(), self.since(first))
        self.depth -= 1
        return condition

    LEVELS = (("||",), ("&&",), ("<", "<=", ">", ">=", "==", "!="))

    def left_to_right(self, level):
        if level == len(self.LEVELS):
            return self.sum()
        first = self.token
        left = self.left_to_right(level + 1)
        while self.sees(*self.LEVELS[level]):
            op = self.take()
            left = syntax.Binary(op.text, left, self.left_to_right(level + 1), self.since(first))
            if level == 2 and self.sees(*self.LEVELS[2]):
                raise StencilError("comparisons are joined by '&&'", self.token.span)
        return left

    def sum(self):
        first = self.token
        terms = [("+", self.product())]
        while self.sees("+", "-"):
            sign = self.take().text
            terms.append((sign, self.product()))
        return terms[0][1] if len(terms) == 1 else syntax.Sum(terms, self.since(first))

    def product(self):
        first = self.token
        left = self.signed()
        while self.sees("*", "/"):
            op = self.take()
            left = syntax.Binary(op.text, left, self.signed(), self.since(first))
        return left

    def signed(self):
        """- binds less than ^ and more than *: -u^2 is -(u^2)."""
        if not self.sees("-", "!"):
            return self.power()
        op = self.take()
        self.depth += 1
        if self.depth > DEEPEST:
            raise StencilError(f"more than {DEEPEST} signs and brackets inside one another", op.span)
        argument = self.signed()
        self.depth -= 1
        return syntax.Unary(op.text, argument, self.since(op))

    def power(self):
        first = self.token
        base = self.atom()
        if not self.accept("^"):
            return base
        exponent = self.exponent()
        if self.sees("^"):
            self.fail("one exponent; (u^2)^3 needs brackets")
        return syntax.Power(base, exponent, self.since(first))

    def atom(self):
        first = self.token
        if first.kind == "number":
            self.take()
            return syntax.Number(first.text, self.unit_in_brackets(), self.since(first))
        if self.accept("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if first.kind != "name":
            self.fail("an expression")
        name = self.take()
        if self.accept("("):
            arguments = [self.expression()]
            while self.accept(","):
                arguments.append(self.expression())
            self.expect(")")
            return syntax.Call(syntax.Name(name.text, name.span), arguments, self.since(first))
        if self.sees("["):
            return self.brackets(name)
        return syntax.Name(name.text, name.span)

    def brackets(self, name):
        """u[2, 0], wavelet[step + 1], or w[step, 2]"""
        self.take()
        base = syntax.Name(name.text, name.span)
        if self.token.kind == "name":
            index = self.take()
            shift = 0
            if self.sees("+", "-"):
                shift = self.whole()
            which = ""
            if index.text == "step" and self.accept(","):
                which = self.take().text if self.sees("i", "j") else str(self.whole())
            if self.sees(",") or index.text in ("i", "j") and self.tokens[self.at + 1].text == "[":
                raise self.by_indices(name, {index.text: shift})
            self.expect("]")
            return syntax.Index(base, syntax.Name(index.text, index.span), shift, which, self.since(name))
        x = self.whole()
        self.expect(",", ": a neighbour has two offsets, u[2, 0]")
        if self.sees("i", "j"):
            self.at -= 1
            raise self.by_indices(name, {"j" if self.tokens[self.at + 1].text == "i" else "i": x})
        y = self.whole()
        z = self.whole() if self.levels and self.accept(",") else 0
        if self.sees(","):
            self.fail("']': a text in three dimensions says 'in xyz' behind its name" if not self.levels else "']': a neighbour has three offsets")
        self.expect("]")
        return syntax.Offset(base, x, y, z, self.since(name))

    def by_indices(self, name, offsets):
        """The error of u[i + 1, j] and u[i + 1][j], as other languages have it, before the second index; offsets: {the first: its shift}"""
        while self.sees("]", "[", ","):
            self.take()
        if self.sees("i", "j"):
            index = self.take().text
            offsets[index] = self.whole() if self.sees("+", "-") else 0
            self.accept("]")
        x, y = (offsets.get(index, 0) for index in ("i", "j"))
        return StencilError(f"a neighbour is written by its offsets from the cell alone, to the east and to the north: {name.text}[{x}, {y}]", self.since(name))

    def whole(self):
        sign = self.accept("+", "-")
        token = self.token
        if token.kind != "number" or not token.text.isdigit():
            self.fail("a whole number of cells")
        self.take()
        if len(token.text) > 3:
            raise StencilError("whole numbers in brackets are below 1000", token.span)
        return -int(token.text) if sign and sign.text == "-" else int(token.text)


def parsed(source):
    """The stencils and physics of a file."""
    return Parser(source).file()
