# SPDX-License-Identifier: BSD-2-Clause
"""Two stencils of a step as one: what only the second reads of the first is computed in the second's loop.

Rows that the first would hand to the second are then neither stored nor loaded: in `apply`, and in the second one's `adjoint`, which computes
the first one's results again. The first one has an adjoint of its own."""
import expression as ex
import meaning
import syntax


def inlined(physics, trees, means):
    """{symbol of a stencil: the Meaning of it and the stencil before it as one}. It has an effort of its own, so that no file is refused for it."""
    found = {}
    for before, tree, mean in zip(trees, trees[1:], means[1:]):
        if absorbed(before, tree, mean, trees):
            found[tree.symbol.text] = meaning.meaning(together(physics, before, tree))._replace(of=(before.symbol.text, tree.symbol.text))
    return found


def absorbed(before, tree, mean, trees):
    """Does this stencil alone read what the one before it writes, all of it, and only in the same cell?"""
    if isinstance(before, syntax.Column) or isinstance(tree, syntax.Column) or before.levels != tree.levels:
        return False
    written = {s.name for s in before.body if isinstance(s, syntax.Equation)}
    others = [t for t in trees if t is not tree]
    touched = {name for t in others for name in touched_by(t, t is before)} | {s.name for s in tree.body if isinstance(s, syntax.Equation)}
    reads = [n.data for n in ex.reads_of(mean.outputs.values()) if n.data[1] in written]
    return not written & touched and {name for _, name, *_ in reads} == written and not any(any(at) for _, _, *at in reads)


def touched_by(tree, reads_alone):
    """The variables that a stencil reads, and those that it writes."""
    if isinstance(tree, syntax.Column):
        return {tree.source.name, tree.target.name}
    writes = () if reads_alone else (s.name for s in tree.body if isinstance(s, syntax.Equation))
    return {v.name for v in tree.reads} | {*writes}


def together(physics, before, tree):
    """The body of both: equations of the first become values that the second's name; other lets of the first are forgotten."""
    fields = {f.variable.name: f.variable for f in physics.fields}
    written = {s.name for s in before.body if isinstance(s, syntax.Equation)}
    shared = [s for s in before.body if s in tree.body]
    own = [s.name.text for s in before.body if isinstance(s, syntax.Let) and s not in shared]
    first = [syntax.Held(fields[s.name], s.value, s.span) if isinstance(s, syntax.Equation) else s for s in before.body]
    body = first + [syntax.Forget(own)] + [s for s in tree.body if s not in shared]
    one_of = lambda all_of, some, more: [v for v in all_of if v in some or v in more]
    return tree._replace(name=tree.name._replace(text=f"{before.name.text}_and_{tree.name.text}"), symbol=tree.symbol._replace(text=f"{before.symbol.text}_and_{tree.symbol.text}"),
                         reads=[v for v in one_of([*fields.values(), *physics.series], before.reads, tree.reads) if v.name not in written], struct=before.struct or tree.struct,
                         parameters=one_of(physics.numbers, before.parameters, tree.parameters), tables=one_of(physics.tables, before.tables, tree.tables), body=body)


def adjoint_roots(second, both):
    """The second one's contributions, made of what the two read; {} if it reads other cells, as its adjoint then does."""
    held = {n.data: n for n in ex.reached(both.outputs.values()) if n.op == "held"}
    known = {}
    for node in ex.reached(second.adjoint_roots.values()):
        kind, name = node.data[:2] if node.op == "read" else (None, None)
        known[node] = held[name] if kind == "x" and name in held else both.graph.make(node.op, [known[a] for a in node.args], node.data)
    return {name: known[node] for name, node in second.adjoint_roots.items()} if not second.reach.largest else {}
