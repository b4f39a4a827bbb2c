# SPDX-License-Identifier: BSD-2-Clause
"""Rules of derivatives, and two ways to use them: forward (the tangent), and in reverse at one cell (the adjoint, adjoint.py).

RULES holds, for each operation, its partial derivatives as functions of (a: Algebra, n: the node); None is one that does not exist, a
condition's, or has a rule of its own. A new operation is a row of this table."""
import expression as ex


class Algebra:
    """Nodes with what derivatives need besides: 0 and 1 vanish. Never used for values, whose expression is the user's."""

    def __init__(self, graph):
        self.graph = graph
        self.zero, self.one = graph.num(0), graph.num(1)

    def num(self, value):
        return self.graph.num(value)

    def neg(self, a):
        if a.op == "num":
            return self.num(-a.data)
        return a.args[0] if a.op == "neg" else self.graph.make("neg", (a,))

    @staticmethod
    def is_negative(a):
        return a.op == "neg" or a.op == "num" and a.data < 0

    def add(self, a, b):
        if a is self.zero or b is self.zero:
            return b if a is self.zero else a
        if b.op == "neg":
            return self.sub(a, b.args[0])
        return self.sub(b, a.args[0]) if a.op == "neg" else self.graph.make("add", (a, b))

    def sub(self, a, b):
        if b is self.zero:
            return a
        if a is self.zero:
            return self.neg(b)
        return self.add(a, b.args[0]) if b.op == "neg" else self.graph.make("sub", (a, b))

    def mul(self, a, b):
        if a is self.zero or b is self.zero:
            return self.zero
        if a is self.one or b is self.one:
            return b if a is self.one else a
        if self.is_negative(a) or self.is_negative(b):
            positive = [self.neg(n) if self.is_negative(n) else n for n in (a, b)]
            product = self.mul(*positive)
            return product if self.is_negative(a) and self.is_negative(b) else self.neg(product)
        if a.op == "num" and b.op == "num":
            return self.num(a.data * b.data)
        return self.graph.make("mul", (a, b))

    def div(self, a, b):
        if a is self.zero or b is self.one:
            return a
        return self.neg(self.div(a.args[0], b)) if a.op == "neg" else self.graph.make("div", (a, b))

    def select(self, condition, yes, no):
        return yes if yes is no else self.graph.make("select", (condition, yes, no))

    def less(self, a, b):
        return self.graph.make("<", (a, b))

    def call(self, op, a, data=None):
        return self.graph.make(op, (a,), data)

    def power(self, a, exponent):
        """a^exponent for what remains of a pow()."""
        return self.one if exponent == 0 else a if exponent == 1 else self.call("pow", a, exponent)

    def reciprocal(self, a):
        return self.div(self.one, a)


def of_square(a, n):
    return a.mul(a.num(2), n.args[0])


RULES = {
    "neg": [lambda a, n: a.num(-1)],
    "add": [lambda a, n: a.one, lambda a, n: a.one],
    "sub": [lambda a, n: a.one, lambda a, n: a.num(-1)],
    "mul": [lambda a, n: n.args[1], lambda a, n: n.args[0]],
    "div": [lambda a, n: a.reciprocal(n.args[1]), None],  # by a divisor: tangent_of(), and of cells Adjoint.hand_on_quotient()
    "square": [of_square],
    "cube": [lambda a, n: a.mul(a.num(3), a.call("square", n.args[0]))],
    "pow": [lambda a, n: a.mul(a.num(float(n.data)), a.power(n.args[0], n.data - 1))],
    "exp": [lambda a, n: n],
    "log": [lambda a, n: a.reciprocal(n.args[0])],
    "sqrt": [lambda a, n: a.div(a.num(0.5), n)],
    "sin": [lambda a, n: a.call("cos", n.args[0])],
    "cos": [lambda a, n: a.neg(a.call("sin", n.args[0]))],
    "tanh": [lambda a, n: a.sub(a.one, a.call("square", n))],
    "abs": [lambda a, n: a.select(a.less(n.args[0], a.zero), a.num(-1), a.one)],
    "min": [lambda a, n: a.select(a.less(n.args[0], n.args[1]), a.one, a.zero),
            lambda a, n: a.select(a.less(n.args[0], n.args[1]), a.zero, a.one)],
    "max": [lambda a, n: a.select(a.less(n.args[1], n.args[0]), a.one, a.zero),
            lambda a, n: a.select(a.less(n.args[1], n.args[0]), a.zero, a.one)],
    "select": [None, lambda a, n: a.select(n.args[0], a.one, a.zero), lambda a, n: a.select(n.args[0], a.zero, a.one)],
}


def is_active(node):
    """Is this a variable of the tangent, where derivatives begin?"""
    return node.op == "read" and node.data[0] == "x"


def partials(algebra, node):
    """The partial derivatives of a node by its arguments, None for conditions."""
    return [rule and rule(algebra, node) for rule in RULES[node.op]]


TANGENT = {"x": "dx"}  # kinds of reads, and of their tangents
SECOND = {"x": "dx", "w": "dw"}


def tangent(graph, outputs, kinds=TANGENT):
    """{name: node} of the tangent: as written, each term differentiated in its place. kinds=SECOND: of contributions to cotangents, which
    is the kernel `second`."""
    algebra, d = Algebra(graph), {}
    for node in ex.reached(outputs.values()):
        if node.op == "read" and node.data[0] in kinds:
            kind, *where = node.data
            d[node] = graph.read(kinds[kind], *where)
        elif node.is_leaf() or node.op in ex.CONDITIONS:
            d[node] = algebra.zero
        else:
            d[node] = tangent_of(algebra, node, d)
    return {name: d[node] for name, node in outputs.items()}


def tangent_of(a, node, d):
    """Of a node from those of its arguments. Sums, choices and quotients keep their form; all else is the sum of partial times tangent."""
    changes = [d.get(arg, a.zero) for arg in node.args]
    if all(c is a.zero for c in changes):
        return a.zero
    if node.op == "neg":
        return a.neg(changes[0])
    if node.op in ("add", "sub"):
        return getattr(a, node.op)(changes[0], changes[1])
    if node.op == "select":
        return a.select(node.args[0], changes[1], changes[2])
    if node.op in ("min", "max"):
        first, second = node.args if node.op == "min" else (node.args[1], node.args[0])
        return a.select(a.less(first, second), changes[0], changes[1])
    if node.op == "div" and changes[1] is a.zero:
        return a.div(changes[0], node.args[1])
    if node.op == "div" and node.args[0] is a.one:
        return a.neg(a.mul(a.call("square", node), changes[1]))
    if node.op == "div":
        return a.div(a.sub(changes[0], a.mul(node, changes[1])), node.args[1])
    total = a.zero
    for partial, change in zip(partials(a, node), changes):
        if change is not a.zero:
            total = a.add(total, guarded_product(a, partial, change))
    return total


def guarded_product(a, partial, change):
    """partial change; where one is a choice with 0, outside the product, so that an infinite factor does not make it NaN."""
    for one, other in ((change, partial), (partial, change)):
        if one.op == "select" and (one.args[1] is a.zero or one.args[2] is a.zero):
            condition, yes, no = one.args
            yes, no = (n if n is a.zero else guarded_product(a, n, other) for n in (yes, no))
            return a.select(condition, yes, no)
    return a.mul(partial, change)
