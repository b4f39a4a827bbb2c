# SPDX-License-Identifier: BSD-2-Clause
"""How far kernels read: what a stencil declares is derived from what its kernels are made of."""
import expression as ex
from expression import furthest

UNUSED = -1
CHOICES = {"select", "min", "max", "abs"}
MUCH = 6  # additions, such as a division


def radii(roots, kind):
    """{variable: the largest distance at which it is read}"""
    found = {}
    for node in ex.reads_of(roots, kind):
        name = node.data[1]
        found[name] = max(found.get(name, 0), furthest(node.bounds))
    return found


def kinked(roots):
    """Does a choice depend on what is read? Then derivatives jump, or bend, where it changes sides."""
    return any(node.op in CHOICES and ex.reads_of(node.args[:1] if node.op == "select" else node.args, "x") for node in ex.reached(roots))


class Reach:
    """radius, adjoint_radius: {read: cells}; only_for: [(read, read)], see kernel.h."""

    def __init__(self, physics, contributions):
        roots = physics.outputs.values()
        forward = radii(roots, "x")
        self.radius = {name: forward.get(name, 0) for name in physics.reads + physics.carries}
        self.largest = max(self.radius.values())
        reverse = radii(contributions.values(), "x")
        self.adjoint_radius = {name: reverse.get(name, UNUSED) for name in self.radius}
        self.for_whom = {name: [k for k, node in contributions.items() if name in radii([node], "x")] for name in self.radius}
        self.targets, self.writes = list(contributions), physics.writes
        self.only_for = self.pairs()
        self.linear = all(r == UNUSED for r in self.adjoint_radius.values())
        self.twice = not self.linear and not kinked(contributions.values())  # has it a kernel `second`?

    def pairs(self):
        """A read that all cotangents need, or one of a variable that the step carries on or computes, is always needed."""
        found, always = [], lambda target: target in self.writes or target not in self.radius
        for name in self.radius:
            targets = self.for_whom[name]
            if targets and len(targets) < len(self.targets) and not any(map(always, targets)):
                found += [(name, target) for target in self.radius if target in targets]
        return found

    def within(self, rows, box):
        """Do the rows of stages of the adjoint, or of its tangent, around the offsets of `box`, read no further than is declared?"""
        for node in ex.reads_of(rows.values()):
            kind, name, *offset = node.data
            reached = furthest([at + offset[k // 2] for k, at in enumerate(box)])
            if reached > (self.adjoint_radius[name] if kind in ("x", "dx") else self.largest):
                return False
        return True

    def allows(self, rows, box, users):
        """May the rows of stages of the kernel `second` be computed together? What the adjoint reads for some only, it does too."""
        kept = {n for n, _ in self.only_for}
        reads = {node.data[1] for node in ex.reads_of(rows.values()) if node.data[0] in ("x", "dx")}
        return self.within(rows, box) and all(set(users) <= set(self.for_whom[n]) for n in reads & kept)

    def merge(self, rows, box, users, shared):
        """May the rows of stages be computed together, for all `users` around the offsets of `box`? Not if that reads further than is
        declared. Where they have much in common, what was read for some cotangents only is then read for all of them."""
        if not self.within(rows, box):
            return False
        more = set()
        for node in ex.reads_of(rows.values()):
            kind, name = node.data[:2]
            if kind == "x" and any(n == name and not set(users) <= set(self.for_whom[n]) for n, _ in self.only_for):
                more.add(name)
        if more and shared < MUCH:
            return False
        for name in more:
            self.for_whom[name] = [k for k in self.targets if k in self.for_whom[name] or k in users]
        self.only_for = self.pairs()
        return True
