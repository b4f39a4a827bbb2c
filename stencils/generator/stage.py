# SPDX-License-Identifier: BSD-2-Clause
"""Stages: what a loop wants at several offsets is computed once a cell, into rows that the kernel keeps, and read from there.

A kernel may not allocate. So it takes parts of a row, PART columns each, whose rows of buffers lie on the stack and rotate: reading from
the first-level cache costs less than to compute again what costs much (DEAR). Buffered or not, it is the same expression: the same bits."""
from collections import Counter, namedtuple

import expression as ex

# Additions a cell that a buffer must save. Below, computing again is as fast in cache, and faster from memory, where parts of rows are short
# streams: the tendencies' cotangents of shallow_dynamics.stencil, wanted at four offsets, are just worth it, and the products of its tangent, at two, are not.
DEAR = 5.25
SHARED = 4  # the same of one that several loops of a kernel share, which keeps buffers anyway
MOST_CHOICE = 500000  # what a kernel's choice may cost (see Effort); then what would be kept besides is computed again
STORE = 1  # the price of a buffer's store, in additions; its reads cost what other reads cost

# rows: {name: node}; box: (x0, x1, y0, y1, 0, 0), the offsets at which the loops read them; users: names of the roots that do
Group = namedtuple("Group", "rows box users")


def prices(nodes):
    return sum([n.price for n in nodes])


class Uses:
    """How often each node is an argument, or a root, of what the roots are made of."""

    def __init__(self, roots):
        self.nodes = ex.reached(roots)
        self.count = Counter(roots)
        for node in self.nodes:
            self.count.update(node.args)

    def without(self, nodes):
        """The nodes, of which none is part of another, and all that is used by them alone."""
        gone, used, left = set(nodes), Counter(), [a for n in nodes for a in n.args]
        while left:
            node = left.pop()
            used[node] += 1
            if used[node] == self.count[node]:
                gone.add(node)
                left.extend(node.args)
        nodes[0].graph.spend(len(gone))
        return gone

    def stages(self, gone):
        """Names of the stages that are read where those nodes are gone."""
        return {n.data[1] for n in self.nodes if n.op == "read" and n.data[0] == "stage" and n not in gone}


class Stages:
    def __init__(self, graph, roots, may_merge, several_loops, levels):
        """`roots`: {name: node}, computed by one kernel, in one loop or in several; `may_merge`: (rows, box, users) -> bool, whether all radii stay.
        A kernel of cells in levels keeps no rows: a row of them is a slab, which no stack holds."""
        self.graph, self.roots, self.bodies, self.made, self.held, self.kept = graph, dict(roots), {}, 0, {}, {}
        self.enough = graph.effort.left - MOST_CHOICE
        while not levels and (self.choose() or (several_loops and self.bodies and self.share())):  # buffers are there anyway
            pass
        self.groups = self.grouped(may_merge)

    def candidates(self):
        """{home: offsets} of what is computed in the cells, in a fixed order."""
        found = {}
        for node in ex.reached(self.roots.values()):
            if node.level < ex.CELL or node.op in ("read", "table") or node.op in ex.CONDITIONS or node.is_leaf():
                continue
            if not node.reads:
                continue
            home, *offset = self.graph.home(node)
            found.setdefault(home, []).append(tuple(offset))
        return found

    def choose(self):
        """Makes a stage of what saves most, of several the first; False if nothing saves enough."""
        uses = Uses(self.roots.values())
        held = set(ex.reached(self.bodies.values()))
        unstored = prices(held) + STORE * len(self.bodies)  # what can be saved by stages that nothing reads any more
        possible = []  # (minus the most that can be saved, the order, home, offsets)
        for n, (home, offsets) in enumerate(self.candidates().items()):
            least = 2 / (len(offsets) - 1) if len(offsets) > 1 else home.most + 1
            if home.least >= least or home.most >= least and self.graph.cost(home) >= least:
                possible.append((-(len(offsets) * (home.most - ex.COST["read"]) + unstored * home.staged), n, home, offsets))
        best, most = None, (0, 0)  # what is saved, minus the order
        for bound, n, home, offsets in sorted(possible, key=lambda p: p[:2]):
            if -bound < most[0] or self.graph.effort.left < self.enough:
                break
            saved, more = self.saved(home, offsets, uses, held, most[0])
            if saved >= (DEAR if more else 0) and (saved, -n) > most:
                best, most = (home, offsets), (saved, -n)
        return self.make(best)

    def share(self):
        """Makes a stage of the dearest that several loops would compute at one offset; False if nothing is dear."""
        uses = Uses(self.roots.values())
        held = set(ex.reached(self.bodies.values()))
        computed = [set(ex.reached([root])) for root in self.roots.values()]
        best, most = None, 0
        for home, offsets in self.candidates().items():
            if len(offsets) > 1 or self.graph.effort.left < self.enough:
                continue
            body = self.graph.shift(home, *offsets[0])
            loops = sum(body in nodes for nodes in computed)
            gone = uses.without([body])
            again = loops - (self.computed(body) not in held)
            saved = again * prices(gone) - ex.COST["read"] * loops - STORE
            if saved > most and saved >= SHARED and any(n.price >= ex.COST["div"] for n in gone):
                best, most = (home, offsets), saved
        return self.make(best)

    def make(self, best):
        """A stage of that (home, offsets); False for None."""
        if best:
            self.roots, self.bodies = self.with_stage(*best)
            self.made, self.held, self.kept = self.made + 1, {}, {}
        return best is not None

    def saved(self, home, offsets, uses, held, most):
        """(of a cell of all loops, in additions, whether stages become more) where what has that home is a stage; held: what stages compute
        now. Of what saves less than `most`, no more than that is said."""
        gone = uses.without([self.graph.shift(home, *offset) for offset in offsets])
        unread = {n.data[1] for n in gone if n.op == "read" and n.data[0] == "stage"}
        unread = unread and unread - uses.stages(gone)
        without = prices(gone) - ex.COST["read"] * len(offsets)
        if not unread and without - STORE < most:
            return without - STORE, True
        body = self.computed(self.graph.shift(home, *self.middle(offsets)))
        if unread:
            left = [b for name, b in self.bodies.items() if name not in unread]
            before, key = prices(held), frozenset(unread)
            if key not in self.kept:
                self.kept[key] = prices(ex.reached(left))
            at_most = without + before - max(self.kept[key], self.graph.cost(body)) + STORE * (len(unread) - 1)
            if at_most < most:
                return at_most, False
            bodies = before - prices(ex.reached([*left, body]))
        else:
            bodies = -prices(n for n in ex.reached([body], held.__contains__) if n not in held)
        return without + bodies + STORE * (len(unread) - 1), not unread

    def with_stage(self, home, offsets):
        """(roots, bodies) where what has that home is a stage."""
        name = f"s{self.made}"
        middle = self.middle(offsets)
        replaced = {}
        roots = {root: self.replace(node, home, name, middle, replaced) for root, node in self.roots.items()}
        bodies = {**self.bodies, name: self.computed(self.graph.shift(home, *middle))}
        read = {n.data[1] for n in ex.reads_of(roots.values(), "stage")}
        return roots, {n: body for n, body in bodies.items() if n in read}

    def computed(self, node):
        """The node without reads of stages: what they hold in their place. Stages that are computed in one loop share it."""
        if node.op == "read" and node.data[0] == "stage":
            return self.graph.shift(self.bodies[node.data[1]], *node.data[2:])
        if node.level < ex.CELL or node.is_leaf():
            return node
        if node not in self.held:
            self.held[node] = self.graph.make(node.op, [self.computed(a) for a in node.args], node.data)
        return self.held[node]

    @staticmethod
    def middle(offsets):
        """The offset nearest to (0, 0, 0), where the body is written down."""
        return min(offsets, key=lambda o: (abs(o[0]) + abs(o[1]), o))

    def replace(self, node, home, name, middle, replaced):
        """The node with reads of the stage for what has that home."""
        if node.level < ex.CELL or node.is_leaf():
            return node
        if node not in replaced:
            at, *offset = self.graph.home(node)
            if at is home:
                replaced[node] = self.graph.read("stage", name, *(a - b for a, b in zip(offset, middle)))
            else:
                replaced[node] = self.graph.make(node.op, [self.replace(a, home, name, middle, replaced) for a in node.args], node.data)
        return replaced[node]

    def grouped(self, may_merge):
        """Stages computed in one loop where all radii stay."""
        groups, read_by = [], {root: ex.reads_of([node], "stage") for root, node in self.roots.items()}
        for name, body in self.bodies.items():
            reads = {r: [n for n in nodes if n.data[1] == name] for r, nodes in read_by.items()}
            users = tuple(r for r, nodes in reads.items() if nodes)
            new = Group({name: body}, ex.joined(n.bounds for r in users for n in reads[r]), users)
            for k, old in enumerate(groups):
                both = Group({**old.rows, **new.rows}, ex.joined([old.box, new.box]), tuple(r for r in self.roots if r in old.users + new.users))
                if may_merge(both, self.shared(old.rows, new.rows)):
                    groups[k] = both
                    break
            else:
                groups.append(new)
        return groups

    @staticmethod
    def shared(rows, others):
        """What two computations have in common, in additions."""
        return prices(set(ex.reached(rows.values())) & set(ex.reached(others.values())))
