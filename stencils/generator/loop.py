# SPDX-License-Identifier: BSD-2-Clause
"""One loop over i: rows taken before it, what is needed more than once named in it, each result one expression."""
import expression as ex
from ctext import COMPASS, TWICE, Text, neighbour, wrapped

LIBM = {"exp", "log", "sin", "cos", "tanh", "pow"}  # no vectors of these
ARRAYS = {"x": "x", "dx": "dx", "w": "y_bar", "dw": "dy_bar"}

FEW = 12  # additions, which are through before a load has to wait


class Loop:
    """kernel: knows names and stages (kernel.py). roots: the nodes that are computed; each is used by `store(text)`."""

    def __init__(self, kernel, roots, indent):
        self.kernel, self.roots, self.indent = kernel, list(roots), indent
        self.rows, self.local, self.names = {}, {}, kernel.names.copy()
        self.text = Text(self.leaf, real=True)

    # ---- leaves ----
    def leaf(self, node):
        if node in self.local:
            return self.local[node]
        if node.op == "read":
            return self.cell(self.row(node), node.data[2])
        if node.level == ex.UNIFORM:
            return self.kernel.uniform(node)
        if node.op == "pos":
            axis, at = node.data
            if axis == "k":
                return f"wrapped(level{self.plus(at)}, box->nz)"
            return f"wrapped(box->{axis}_global + {axis}{self.plus(at)}, box->n{'x' if axis == 'i' else 'y'}_global)"
        if node.op == "latitude":
            name, _, at = node.data
            return f"HgLatitudeOfRow(box, j{self.plus(at)}).{name}"
        if node.op == "table":
            name, axis, at = node.data
            inside = self.leaf(self.kernel.graph.make("pos", (), (axis, at)))
            return f"(HgReal){self.kernel.weights.table(name)}[(int){inside}]"
        return None

    @staticmethod
    def plus(at):
        return f" + {at}" if at > 0 else f" - {-at}" if at < 0 else ""

    def cell(self, row, x):
        return f"{row}[i{self.plus(x)}]"

    def row(self, node):
        """The name of the pointer to the row that is read."""
        kind, name, _, y, z = node.data
        key = (kind, name, y, z)
        if key not in self.rows:
            self.rows[key] = self.names.new(self.in_c(self.kernel.called(kind, name), y, z))
        return self.rows[key]

    @staticmethod
    def in_c(name, y, z=0):
        """u_N, u_2S, u_U: the row y and z away, as a name of C."""
        row = name + COMPASS.get((0, y), f"_{abs(y)}{'N' if y > 0 else 'S'}")
        return row + (f"_{abs(z) if abs(z) > 1 else ''}{'U' if z > 0 else 'D'}" if z else "")

    def declared_rows(self):
        lines = []
        for (kind, name, y, z), row in self.rows.items():
            if kind == "stage":
                lines.append(f"{row} = {self.kernel.stage_row(name, y)}")
            else:
                lines.append(f"{row} = {ARRAYS[kind]}[{self.kernel.index(kind, name)}][j{self.plus(y)}]{self.kernel.level(name, z)}")
        return [wrapped("const HgReal *" + ", *".join(lines) + ";", self.indent)] if lines else []

    # ---- the loop ----
    def named_nodes(self, nodes):
        """Those that are named: lets, and what is needed more than once."""
        uses = {}
        for node in nodes:
            for a in node.args:
                uses[a] = uses.get(a, 0) + (2 if node.op in TWICE else 1)
        for root in self.roots:
            uses[root] = uses.get(root, 0) + 1
        names, of_row = self.kernel.physics.names, self.of_row(nodes)
        return [n for n in nodes if n.level > ex.UNIFORM and n.op not in ex.CONDITIONS and (n in names or n in of_row or (uses.get(n, 0) > 1 and self.worth(n)))]

    def of_row(self, nodes):
        """What depends on the latitude, as wide as it is the same in all cells of the row: computed once a row."""
        on_latitude = {n for n in nodes if n.op == "latitude"}
        for node in nodes:  # what a node is made of comes before it
            if node.level == ex.ROW and any(a in on_latitude for a in node.args):
                on_latitude.add(node)
        used = {a for n in nodes if n.level == ex.CELL for a in n.args} | set(self.roots)
        return {n for n in on_latitude if n in used or n.op == "latitude"}

    def worth(self, node):
        """2 * u[i] may stand there twice."""
        return node.args and not (node.op in ("mul", "neg") and all(a.op in ("num", "read") for a in node.args) and any(a.op == "num" for a in node.args))

    def body(self, stores, first="box->i0", last="box->i1", before=()):
        """All lines. stores: for each root, text -> statement."""
        nodes = ex.reached(self.roots, stop=lambda n: n.level == ex.UNIFORM)
        in_row, statements, stored, blank = [], [], [], " " * self.indent
        named = set(self.named_nodes(nodes))
        if self.stores_last(named):
            named.update(root for root in self.roots if root.level == ex.CELL and self.worth(root))
        for root, store in zip(self.roots, stores):
            for node in ex.reached([root], stop=lambda n: n.level == ex.UNIFORM or n in self.local):
                if node in named and node not in self.local:
                    lines, indent = (in_row, self.indent) if node.level == ex.ROW else (statements, self.indent + 2)
                    lines.append(self.declaration(node, indent))
            (stored if root in named else statements).append(wrapped(store(self.text(root)), self.indent + 2))
        statements += stored
        head = f"{blank}for (int i = {first}; i < {last}; i++)"
        brackets = len(statements) > 1 or "\n" in statements[0]
        loop = [head + " {", *statements, blank + "}"] if brackets else [head, *statements]
        return self.declared_rows() + in_row + list(before) + self.pragma(nodes) + loop

    def stores_last(self, named):
        """Is all computed before anything is stored? A load behind a store may have to wait for it. Not where more than results is named,
        which would have to be held for longer, nor where little is computed."""
        much = sum(n.price for n in ex.reached(self.roots) if n.args) >= FEW
        return len(self.roots) > 1 and much and all(node in self.roots for node in named if node.level == ex.CELL)

    def declaration(self, node, indent):
        statement = self.text(node)
        self.local[node] = self.names.new(self.called(node))
        return wrapped(f"const HgReal {self.local[node]} = {statement};", indent)

    def called(self, node):
        """A let's name; of the rows around it, what it is there."""
        names = self.kernel.physics.names
        if node.op == "latitude":
            return self.in_c(node.data[0], node.data[-1])
        if node.level == ex.ROW and node not in names:
            home, _, y, z = self.kernel.graph.home(node)
            for let, name in names.items():
                at, _, y0, z0 = self.kernel.graph.home(let)
                if at is home:
                    return self.in_c(name, y - y0, z - z0)
        return names.get(node, f"t{len(self.local)}")

    def pragma(self, nodes):
        ops = {n.op for n in nodes if n.level > ex.UNIFORM}
        if ops & LIBM or "table" in ops:
            return []
        return [" " * self.indent + ("VECTOR_ROOTS" if "sqrt" in ops else "HG_VECTOR")]


def formula(kernel, node, longest):
    """A node as the .stencil would write it."""

    def leaf(n):
        if n.op == "read":
            kind, name, *offset = n.data
            return neighbour(kernel.called(kind, name), *offset)
        if n.op == "sym":
            return n.data
        if n.op == "latitude":
            return neighbour(n.data[0], 0, n.data[-1])
        if n.op in ("pos", "table"):
            name, at = n.data[0], n.data[-1]
            return f"{name}[{n.data[1]}{Loop.plus(at)}]" if n.op == "table" else f"({name}{Loop.plus(at)})" if at else name
        return kernel.physics.names.get(n)

    return Text(leaf, longest)(node)
