# SPDX-License-Identifier: BSD-2-Clause
"""Expressions as a hash-consed, ordered graph: each node exists once, and the order of a sum is that in which it was written.

Nodes are made by Graph.make() and compared by identity. a + b and b + a are one node (the same bits); (a + b) + c and a + (b + c) are two.

  num value           pos axis offset           read kind name x y z   sym name            table name axis offset
  latitude name axis offset
  held name a   neg a   add a b   sub a b   mul a b   div a b   square a   cube a     pow a exponent      exp log sqrt sin cos tanh abs a
  min a b   max a b   select condition a b   < <= > >= == != a b   && || conditions   ! condition

A read's kind is 'x' (a value), 'dx' (its tangent), 'w' (the cotangent of what is written), 'dw' (its tangent) or 'stage' (a row buffer of the
kernel). held name a: a result of another stencil (inline.py); its sign is that of a read."""

from errors import StencilError

UNIFORM, ROW, CELL = 0, 1, 2  # what a node depends on: nothing, j and k, the cell
COMMUTE = {"add", "mul", "==", "!=", "&&", "||"}
CONDITIONS = {"<", "<=", ">", ">=", "==", "!=", "&&", "||", "!"}
COST = {"div": 6, "sqrt": 8, "exp": 30, "log": 30, "sin": 40, "cos": 40, "tanh": 40, "pow": 60, "read": 0.25, "cube": 2, "table": 2}
FREE = {"num", "sym", "pos", "held"}
OF_PLACE = {"pos", "table", "latitude"}  # what depends on j or i, at an offset
MOST_EFFORT, NEW, SHIFTED = 800000, 10, 4  # for a file: a second, or less; of a new node and of one moved to another cell, besides that of looking at it


class Node:
    """zero: is it 0, -0 or a product with 0, as written? varies: is it more than numbers? staged: does it read a stage?
    price: of computing it from its arguments, in additions; least, most: bounds of its cost, which those of its arguments give."""

    __slots__ = ("graph", "op", "args", "data", "level", "id", "bounds", "zero", "reads", "varies", "staged", "price", "least", "most")

    def is_num(self, value):
        return self.op == "num" and self.data == value

    def is_leaf(self):
        return not self.args


def joined(boxes):
    """The least box (x0, x1, y0, y1, z0, z1) of offsets around some, None if there is none."""
    boxes = [b for b in boxes if b]
    if not boxes:
        return None
    return tuple((max if k % 2 else min)(b[k] for b in boxes) for k in range(6))


class Effort:
    """What hgstencil does for one file, counted in nodes that it makes or looks at, and refused where that grows beyond all use: at the
    place that is worked on, and before it has taken long."""

    def __init__(self):
        self.left = MOST_EFFORT

    def spend(self, steps, span):
        self.left -= steps
        if self.left < 0:
            raise StencilError("this takes too long: expected fewer or smaller expressions, or a part of them in a file of its own; lets that use "
                               "others more than once grow like powers", span)


NO_LEVEL = 1000  # of a surface, which is the same for all levels: larger than any offset


def furthest(bounds):
    """The largest offset of a box."""
    return max(abs(at) for at in bounds if abs(at) != NO_LEVEL)


class Graph:
    """span: the place in the text that is worked on. surfaces: names of variables that have one level, which reads do not shift in z."""

    def __init__(self, effort=None, span=(0, 1), surfaces=()):
        self.surfaces = surfaces
        self.table, self.shifts, self.costs, self.shapes = {}, {}, {}, {}
        self.effort, self.span = effort or Effort(), span

    def spend(self, steps):
        self.effort.spend(steps, self.span)

    def make(self, op, args=(), data=None):
        self.spend(1)
        ids = tuple(a.id for a in args)
        key = (op, data, tuple(sorted(ids)) if op in COMMUTE else ids)
        node = self.table.get(key)
        if node is None:
            self.spend(NEW)
            node = Node()
            node.graph, node.op, node.args, node.data, node.id = self, op, tuple(args), data, len(self.table)
            node.level = self.level_of(node)
            node.zero = node.is_num(0) or op in ("neg", "mul") and any(a.zero for a in args)
            node.bounds = self.bounds_of(node)
            node.reads = op == "read" or any(a.reads for a in args)
            node.staged = op == "read" and data[0] == "stage" or any(a.staged for a in args)
            node.varies = op in ("read", "sym") or op in OF_PLACE or any(a.varies for a in args)
            node.price = 0 if op in FREE or node.level < CELL else COST.get(op, 1)
            node.least = node.price + max([a.least for a in args], default=0)
            node.most = node.price + sum([a.most for a in args])
            self.table[key] = node
        return node

    def num(self, value):
        return self.make("num", (), float(value))

    def read(self, kind, name, x=0, y=0, z=0):
        return self.make("read", (), (kind, name, x, y, 0 if name in self.surfaces else z))

    @staticmethod
    def level_of(node):
        if node.op == "read":
            return CELL
        if node.op in OF_PLACE:
            axis = node.data[-2]
            return {"i": CELL, "j": ROW, "k": ROW, "step": UNIFORM}[axis]
        return max((a.level for a in node.args), default=UNIFORM)

    @staticmethod
    def bounds_of(node):
        if node.op == "read":
            _, name, x, y, z = node.data
            return (x, x, y, y, NO_LEVEL, -NO_LEVEL) if name in node.graph.surfaces else (x, x, y, y, z, z)
        if node.op in OF_PLACE:
            axis, at = node.data[-2:]
            return {"i": (at, at, 0, 0, 0, 0), "j": (0, 0, at, at, 0, 0), "k": (0, 0, 0, 0, at, at), "step": None}[axis]
        return joined(a.bounds for a in node.args)

    def shift(self, node, x, y, z):
        """The same expression, of the cell (x, y, z) away."""
        if node.level == UNIFORM or (x, y, z) == (0, 0, 0):
            return node
        key = (node, x, y, z)
        if key not in self.shifts:
            self.spend(SHIFTED)
            if node.op == "read":
                kind, name, x0, y0, z0 = node.data
                moved = self.read(kind, name, x0 + x, y0 + y, z0 + z)
            elif node.op in OF_PLACE:
                *name, axis, at = node.data
                moved = self.make(node.op, (), (*name, axis, at + {"i": x, "j": y, "k": z, "step": 0}[axis]))
            else:
                moved = self.make(node.op, [self.shift(a, x, y, z) for a in node.args], node.data)
            self.shifts[key] = moved
        return self.shifts[key]

    def home(self, node):
        """(node moved so that its bounds begin at (0, 0, 0), x, y, z): equal homes are shifts of one another."""
        if not node.bounds:
            return node, 0, 0, 0
        x, y, z = self.first(node)
        return self.shift(node, -x, -y, -z), x, y, z

    @staticmethod
    def first(node):
        """Where its bounds begin."""
        x, _, y, _, z, _ = node.bounds or (0,) * 6
        return x, y, 0 if z == NO_LEVEL else z

    def shape(self, node):
        """The same of a number instead of a node: nodes that nothing needs would change the order of those that are written."""
        x, y, z = self.first(node)
        return self.shape_from(node, x, y, z), x, y, z

    def shape_from(self, node, x, y, z):
        key = (node, x, y, z)
        if key not in self.shapes:
            self.spend(1)
            data = node.data
            if node.op == "read":
                data = (*data[:2], data[2] - x, data[3] - y, 0 if data[1] in self.surfaces else data[4] - z)
            elif node.op in OF_PLACE:
                data = (*data[:-1], data[-1] - {"i": x, "j": y, "k": z, "step": 0}[data[-2]])
            inside = tuple(self.shape_from(a, x, y, z) for a in node.args)
            found = (node.op, data, tuple(sorted(inside)) if node.op in COMMUTE else inside)
            self.shapes[key] = self.shapes.setdefault(found, len(self.shapes))
        return self.shapes[key]

    def cost(self, node):
        """Of computing it once, in additions; shared parts count once."""
        if node not in self.costs:
            self.costs[node] = sum([n.price for n in reached([node])])
        return self.costs[node]


def reached(roots, stop=None):
    """All nodes that the roots are made of, arguments before what is made of them, in a fixed order."""
    seen, order = set(), []
    for root in roots:
        stack = [root]
        while stack:
            node = stack.pop()
            if node is None:  # the arguments of the next one are in order
                order.append(stack.pop())
            elif node not in seen:
                seen.add(node)
                if not node.args or stop and stop(node):
                    order.append(node)
                else:
                    stack += (node, None)
                    stack += [a for a in reversed(node.args) if a not in seen]
    if order:
        order[0].graph.spend(len(order))
    return order


def reads_of(roots, kind=None):
    """The reads among what the roots are made of."""
    return [n for n in reached(roots) if n.op == "read" and (kind is None or n.data[0] == kind)]


# ---- signs: what values a node may have ----
NEGATIVE, ZERO, POSITIVE = 1, 2, 4
ANY = NEGATIVE | ZERO | POSITIVE
NOT_NEGATIVE = ZERO | POSITIVE
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def opposite(s):
    return (s & ZERO) | (POSITIVE if s & NEGATIVE else 0) | (NEGATIVE if s & POSITIVE else 0)


def sign_of_product(a, b):
    s = ZERO if (a | b) & ZERO else 0
    for one, other in ((a, b), (b, a)):
        if one & POSITIVE:
            s |= other & ~ZERO
        if one & NEGATIVE:
            s |= opposite(other) & ~ZERO
    return s


def sign_of_sum(a, b):
    if a == ZERO or b == ZERO:
        return a | b if a != b else ZERO
    if a in (POSITIVE, NEGATIVE) and not b & ~(a | ZERO):
        return a
    if b in (POSITIVE, NEGATIVE) and not a & ~(b | ZERO):
        return b
    return a | b if not (a | b) & NEGATIVE or not (a | b) & POSITIVE else ANY


def sign(node, facts, memo):
    """`facts`: signs that are known, of nodes and of variables by name; `memo` belongs to them."""
    if node not in memo:
        node.graph.spend(1)
        memo[node] = sign_by_rule(node, facts, memo) & facts.get(node, ANY)
    return memo[node]


def sign_by_rule(node, facts, memo):
    op = node.op
    if op == "num":
        return POSITIVE if node.data > 0 else NEGATIVE if node.data < 0 else ZERO
    if op in ("exp",):
        return POSITIVE
    if op in ("square", "abs"):
        return NOT_NEGATIVE if sign(node.args[0], facts, memo) & ZERO else POSITIVE
    if op == "read":
        return facts.get(node.data[1], ANY)
    if op == "latitude" and node.data[0] in ("cosine", "north_cosine"):
        return POSITIVE
    if op in ("sym", "table", "pos", "latitude", "held") or op in CONDITIONS or op in ("log", "sin", "cos"):
        return ANY
    a = [sign(arg, facts, memo) for arg in node.args if arg.op not in CONDITIONS]
    if op in ("sqrt", "pow"):
        return POSITIVE if a[0] == POSITIVE else NOT_NEGATIVE
    if op == "neg":
        return opposite(a[0])
    if op in ("cube", "tanh"):
        return a[0]
    if op == "add":
        return sign_of_sum(a[0], a[1])
    if op == "sub":
        return sign_of_sum(a[0], opposite(a[1]))
    if op == "mul" and node.args[0] is node.args[1]:
        return (a[0] & ZERO) | POSITIVE
    if op in ("mul", "div"):
        return sign_of_product(a[0], a[1])
    if op == "max" and POSITIVE in a:
        return POSITIVE
    if op == "max" and any(not s & NEGATIVE for s in a):
        return (a[0] | a[1]) & NOT_NEGATIVE
    return a[0] | a[1]  # min, max, select


def learn(condition, holds, facts):
    """Adds what a condition, which holds or does not, says of signs: a > 0 that of a."""
    op, args = condition.op, condition.args
    if op == "!":
        learn(args[0], not holds, facts)
    elif op == ("&&" if holds else "||"):
        for a in args:
            learn(a, holds, facts)
    elif op in MIRRORED:
        if not holds:
            op = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[op]
        for a, b, relation in ((args[0], args[1], op), (args[1], args[0], MIRRORED[op])):
            least = sign(b, facts, {})
            if relation[0] == ">" and not least & NEGATIVE:
                strict = relation == ">" or least == POSITIVE
                facts[a] = facts.get(a, ANY) & (POSITIVE if strict else NOT_NEGATIVE)
