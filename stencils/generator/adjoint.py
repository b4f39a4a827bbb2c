# SPDX-License-Identifier: BSD-2-Clause
"""The adjoint: in reverse at one cell, then gathered.

The cotangents of the writes at a cell hand contributions to every read of that cell. The read of u at offset o hands its contribution to
u_bar there; so the cell P receives it from the cell P - o, where the same expression stands, moved by -o. All that P receives is summed
in one fixed order: neighbours in opposite directions first, factors that terms share drawn out.

Contributions are linear forms, sums of Terms: number * product(uniforms) * product(factors), where `condition` holds, else 0. That 0 stays
0 beside an infinite factor."""
from collections import Counter, namedtuple

import expression as ex
from derivative import Algebra, is_active, partials

Term = namedtuple("Term", "number uniforms factors condition")  # condition: None, or a node


class Form:
    """Terms, those alike added up."""

    def __init__(self):
        self.terms = {}

    def add(self, term):
        key = (term.uniforms, term.factors, term.condition)
        number = self.terms.get(key, 0) + term.number
        if number:
            self.terms[key] = number
        else:
            self.terms.pop(key, None)

    def list(self):
        return [Term(number, *key) for key, number in self.terms.items()]


class Adjoint:
    def __init__(self, graph):
        self.graph, self.algebra = graph, Algebra(graph)

    def ordered(self, factors):
        """In an order that stays when all are moved."""
        factors = list(factors)
        self.graph.spend(2 * len(factors))
        return tuple(sorted(factors, key=self.key))

    def key(self, node):
        home, x, y, z = self.graph.home(node)
        return home.id, z, y, x, node.id

    def contributions(self, outputs):
        """{read: node} of all that the cell receives, in the order of the reads' first appearance; none for those that receive nothing."""
        g = self.graph
        nodes = ex.reached(outputs.values())
        active, forms = self.active(nodes), {n: Form() for n in nodes}
        for name, node in outputs.items():
            forms[node].add(Term(1, (), (g.read("w", name),), None))
        for node in reversed(nodes):  # what a node is made of comes after it
            terms = forms[node].list()
            if node in active and terms and not is_active(node):
                self.hand_on(node, terms, active, forms)
        gathered = {}
        for node in filter(is_active, nodes):
            _, name, *offset = node.data
            if forms[node].terms:
                gathered.setdefault(name, []).append((offset, forms[node].list()))
        return {name: self.gather(parts) for name, parts in gathered.items()}

    @staticmethod
    def active(nodes):
        """Nodes through which a derivative passes."""
        active = set()
        for node in nodes:
            if is_active(node) or (node.op not in ex.CONDITIONS and any(a in active for a in node.args)):
                active.add(node)
        return active

    def hand_on(self, node, terms, active, forms):
        if node.op == "div" and node.args[1].level == ex.CELL:
            return self.hand_on_quotient(node, terms, active, forms)
        to = [(arg, partial) for arg, partial in zip(node.args, partials(self.algebra, node)) if arg in active]
        if len(to) > 1 or any(partial.level for _, partial in to):
            terms = self.collapsed(terms)
        for arg, partial in to:
            for term in terms:
                new = self.times(term, partial)
                if new.number:
                    forms[arg].add(new)

    def hand_on_quotient(self, node, terms, active, forms):
        """Of p/q: g = w (1/q) to p and -(p/q) g to q, where g is one factor of all that follows: one division."""
        p, q = node.args
        (term,) = self.collapsed(terms)
        g = self.product(Term(1, (), term.factors + (self.algebra.reciprocal(q),), None))
        term = term._replace(factors=(g,))
        if p in active:
            forms[p].add(term)
        if q in active:
            ratio = self.algebra.mul(p, self.algebra.reciprocal(q))
            forms[q].add(self.times(term._replace(number=-term.number), ratio))

    def times(self, term, node):
        """A term times a partial derivative, taken apart."""
        if node.op == "num":
            return term._replace(number=term.number * node.data)
        if node.op == "neg":
            return self.times(term._replace(number=-term.number), node.args[0])
        if node.op == "sub" and node.level == ex.CELL and self.key(node.args[1]) < self.key(node.args[0]):
            # u_E - u and u - u_E are one factor
            return self.times(term._replace(number=-term.number), self.graph.make("sub", (node.args[1], node.args[0])))
        # of a side that is not taken nothing counts, be it infinite; a uniform weight that may be 0 multiplies what is finite
        side = self.algebra.one in node.args[1:]
        if node.op == "select" and self.algebra.zero in node.args[1:] and (side or node.level != ex.UNIFORM):
            condition, yes, no = node.args
            if yes is self.algebra.zero:
                condition, yes = self.graph.make("!", (condition,)), no
            return self.times(term._replace(condition=self.both(term.condition, condition)), yes)
        if node.level == ex.UNIFORM:
            if node.op == "mul":
                return self.times(self.times(term, node.args[0]), node.args[1])
            return term._replace(uniforms=self.ordered(term.uniforms + (node,)))
        if node.op == "mul":
            return self.times(self.times(term, node.args[0]), node.args[1])
        if node.op == "div" and node.args[1].level == ex.UNIFORM:
            return self.times(self.times(term, node.args[0]), self.algebra.reciprocal(node.args[1]))
        return term._replace(factors=self.ordered(term.factors + (node,)))

    def both(self, a, b):
        return b if a is None or a is b else self.graph.make("&&", (a, b))

    def collapsed(self, terms):
        """A form of one term: several are summed first, since each of the reads wants their sum."""
        if len(terms) == 1:
            return terms
        condition = None
        if all(t.condition for t in terms):
            condition = terms[0].condition
            for t in terms[1:]:
                condition = condition if condition is t.condition else self.graph.make("||", (condition, t.condition))
        return [Term(1, (), (self.sum(terms),), condition)]

    def gather(self, parts):
        """Each read's terms moved by minus its offset, and summed."""
        form = Form()
        for offset, terms in parts:
            back = [-at for at in offset]
            for t in terms:
                factors = self.ordered(self.graph.shift(f, *back) for f in t.factors)
                condition = t.condition and self.graph.shift(t.condition, *back)
                form.add(Term(t.number, t.uniforms, factors, condition))
        return self.sum(form.list())

    # ---- sums ----
    def sum(self, terms):
        """Grouped by their uniform factors, each group times these; uniform products are computed once a call."""
        a, groups, weights = self.algebra, {}, {}
        for t in terms:
            groups.setdefault(t.uniforms, []).append(t)
        for uniforms, group in groups.items():
            number = abs(group[0].number) if len({abs(t.number) for t in group}) == 1 else 1
            total = self.group([t._replace(number=t.number / number, uniforms=()) for t in group])
            weight = a.num(number)
            for u in uniforms:
                weight = a.mul(weight, u)
            if total.op == "neg":
                weight, total = a.neg(weight), total.args[0]
            weights[total] = a.add(weights.get(total, a.zero), weight)
        return self.added([a.mul(weight, total) for total, weight in weights.items()])

    def group(self, terms):
        """Terms without uniform factors: what is multiplied by the same factor is summed first."""
        self.graph.spend(sum(1 + len(t.factors) for t in terms))
        counts = Counter(f for t in terms for f in set(t.factors) if not t.condition)
        shared = [f for t in terms for f in t.factors if counts[f] > 1 and not t.condition]
        if not shared:
            return self.added(self.products(terms))
        factor = max(dict.fromkeys(shared), key=lambda f: (counts[f], self.graph.cost(f)))
        inside, outside = [], []
        for t in terms:
            (inside if factor in t.factors and not t.condition else outside).append(t)
        first = terms.index(inside[0])
        rest = [self.without(t, factor) for t in inside]
        drawn = self.algebra.mul(factor, self.group(rest))
        if not outside:
            return drawn
        negative = drawn.op == "neg"
        one = Term(-1 if negative else 1, (), (drawn.args[0] if negative else drawn,), None)
        before = sum(1 for t in outside if terms.index(t) < first)
        return self.group(outside[:before] + [one] + outside[before:])

    @staticmethod
    def without(term, factor):
        factors = list(term.factors)
        factors.remove(factor)
        return term._replace(factors=tuple(factors))

    def products(self, terms):
        """Of terms with the same number the sum, times it: 1.6 (u_W + u_E)."""
        alike, nodes = {}, []
        for t in terms:
            alike.setdefault(abs(t.number), []).append(t)
        for number, some in alike.items():
            if number == 1 or len(some) == 1:
                nodes += [self.product(t) for t in some]
            else:
                nodes.append(self.algebra.mul(self.algebra.num(number), self.added([self.product(t._replace(number=t.number / number)) for t in some])))
        return nodes

    def product(self, term):
        a = self.algebra
        total = a.one
        for f in term.factors:
            total = a.mul(total, f)
        total = a.mul(a.num(abs(term.number)), total)
        if term.condition is not None:
            total = a.select(term.condition, total, a.zero)
        return a.neg(total) if term.number < 0 else total

    def added(self, nodes):
        """Opposite neighbours first: (W + E) + (S + N) + (D + U) + own."""
        a, pairs, left = self.algebra, [], [(n, place((n,))) for n in nodes]
        while left:
            self.graph.spend(1 + len(left) // 16)
            node, at = left.pop(0)
            partner = next((k for k, (_, other) in enumerate(left) if any(at) and other == tuple(-a for a in at)), None)
            if partner is not None:
                other, _ = left.pop(partner)
                if node.op == "neg":
                    node = a.neg(a.add(node.args[0], other.args[0])) if other.op == "neg" else a.sub(other, node.args[0])
                else:
                    node = a.add(node, other)
            pairs.append(node)
        positive, negative = [p for p in pairs if p.op != "neg"], [p for p in pairs if p.op == "neg"]
        if not positive:
            return a.neg(self.folded([n.args[0] for n in negative]))
        return self.folded(positive + negative)

    def folded(self, nodes):
        total = self.algebra.zero
        for n in nodes:
            total = self.algebra.add(total, n)
        return total


def place(factors):
    """Where a product stands: the sum of the offsets of its reads."""
    reads = ex.reads_of(factors)
    return tuple(sum(r.data[axis] for r in reads) for axis in (2, 3, 4))


def contributions(graph, outputs):
    """{read: node}, see Adjoint."""
    return Adjoint(graph).contributions(outputs)
