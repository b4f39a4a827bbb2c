# SPDX-License-Identifier: BSD-2-Clause
"""Sums over the levels of a column, `column p' = above(w);` in a physics: their grammar, their meaning, their kernels in C.

    p = above(w)   p_k = sum of w_m, m >= k     its adjoint is below: w_bar_m += sum of p_bar_k, k <= m
    p = below(w)   p_k = sum of w_m, m <= k     its adjoint is above
    p = sum(w)     of all levels; p is a surface"""
from collections import namedtuple

import syntax
import units
from ctext import stated
from errors import StencilError, meant

KINDS = ("above", "below", "sum")
# Of a meaning.Physics what the C file and the header ask for.
Meaning = namedtuple("Meaning", "name symbol reads carries writes struct parameters tables formulas stated span warnings kind")
Reach = namedtuple("Reach", "twice")  # has it a second? It is linear
PART = 256  # columns whose sums are kept at once, on the stack
RUNNING = f"""/* to = the sum of from's levels so far, or to += it, from the lowest level up or from the highest down. */
static void running_sum(const HgBox *box, HgRows from, HgRowsOut to, bool down, bool adds) {{
  for (int j = box->j0; j < box->j1; j++)
    for (int first = box->i0; first < box->i1; first += {PART}) {{
      const int count = box->i1 - first < {PART} ? box->i1 - first : {PART};
      HgReal sum[{PART}] = {{0}};
      for (int n = 0; n < box->nz; n++) {{
        const int level = down ? box->nz - 1 - n : n;
        const HgReal *const read = from[j] + level * box->pitch + first;
        HgReal *const row = to[j] + level * box->pitch + first;
        for (int i = 0; i < count; i++) sum[i] += read[i];
        if (level < box->k0 || level >= box->k1) continue;
        for (int i = 0; i < count; i++) row[i] = adds ? row[i] + sum[i] : sum[i];
      }}
    }}
}}
"""
WHOLE = """/* to = the sum of from's levels, from the lowest up. */
static void sum_levels(const HgBox *box, HgRows from, HgRowsOut to) {
  for (int j = box->j0; j < box->j1; j++) {
    for (int i = box->i0; i < box->i1; i++) to[j][i] = from[j][i];
    for (int level = 1; level < box->nz; level++)
      for (int i = box->i0; i < box->i1; i++) to[j][i] += from[j][level * box->pitch + i];
  }
}

/* Each level of to += from, a surface. */
static void add_to_levels(const HgBox *box, HgRows from, HgRowsOut to) {
  for (int j = box->j0; j < box->j1; j++)
    for (int level = box->k0 > 0 ? box->k0 : 0; level < box->k1 && level < box->nz; level++)
      for (int i = box->i0; i < box->i1; i++) to[j][level * box->pitch + i] += from[j][i];
}
"""
HELPERS = ((RUNNING, "running_sum("), (WHOLE, "sum_levels("))


def parsed(parser, physics):
    """column p' = above(w);"""
    first = parser.take()
    target = parser.name("the field that is written, as in \"column p' = above(w);\"")
    for mark in ("'", "="):
        parser.expect(mark, ": \"column p' = above(w);\"")
    kind = parser.name(f"one of {', '.join(KINDS)}")
    if kind.text not in KINDS:
        raise StencilError(f"expected one of {', '.join(KINDS)}, not '{kind.text}'{meant(kind.text, KINDS)}", kind.span)
    parser.expect("(")
    source = parser.name("the name of a field, whose levels are summed")
    parser.expect(")", ": a column sums one field, which a stencil before it may write")
    parser.expect(";", " after the column")
    name, span = f"{target.text}_{kind.text}", parser.since(first)
    return syntax.Column(kind.text, syntax.Name(name, span), syntax.Name(f"{physics.text}_{name}", span), target, source, span)


def checked(tree, physics):
    """A column of a physics, with its fields' variables for their names."""
    fields = {f.variable.name: f.variable for f in physics.fields}
    if not physics.levels:
        raise StencilError(f"a column needs levels: write 'physics {physics.name.text} in xyz {{'", tree.span)
    for token in (tree.source, tree.target):
        if token.text not in fields:
            raise StencilError(f"'{token.text}' is no field of the physics '{physics.name.text}'{meant(token.text, fields)}", token.span)
    source, target = fields[tree.source.text], fields[tree.target.text]
    declared = [("declared here", target.span)]
    if source.surface:
        raise StencilError(f"'{source.name}' is a surface, and a column sums levels", tree.source.span, [("declared here", source.span)])
    if source is target:
        raise StencilError(f"a column of '{source.name}' cannot be written to itself: name another field", tree.target.span)
    if tree.kind == "sum" and not target.surface:
        raise StencilError(f"'{target.name}' has levels, but sum() has one value for all of them: declare '{target.name}' a surface", tree.target.span, declared)
    if tree.kind != "sum" and target.surface:
        raise StencilError(f"'{target.name}' is a surface, but {tree.kind}() has a value at each level: write sum()", tree.target.span, declared)
    if None not in (source.unit, target.unit) and source.unit != target.unit:
        raise StencilError(f"'{target.name}' is in [{units.text(target.unit)}], the sum of '{source.name}' in [{units.text(source.unit)}]", tree.target.span, declared)
    if source.location and target.location and source.location != target.location:
        raise StencilError(f"'{target.name}' lives at the {target.location}, the sum of '{source.name}' at the {source.location}", tree.target.span, declared)
    return tree._replace(source=source, target=target)


def meaning(tree):
    source, target = tree.source, tree.target
    return Meaning(tree.name.text, tree.symbol.text, [source.name], [], [target.name], None, [], [], {target.name: f"{target.name}' = {tree.kind}({source.name})"},
                   [source, target], tree.span, [], tree.kind)


class ColumnText:
    """A column as C: it stands among the StencilTexts of a file."""

    def __init__(self, column, several, exported):
        self.physics, self.exported = column, exported
        self.prefix = f"{column.name}_" if several else ""
        self.reach = Reach(False)

    def kernels(self):
        kind, box = self.physics.kind, "const HgBox *box, const void *params, const HgRows "
        calls = {"above": ("running_sum(box, {}[0], {}[0], true, false);", "running_sum(box, {}[0], {}[0], false, true);"),
                 "below": ("running_sum(box, {}[0], {}[0], false, false);", "running_sum(box, {}[0], {}[0], true, true);"),
                 "sum": ("sum_levels(box, {}[0], {}[0]);", "add_to_levels(box, {}[0], {}[0]);")}[kind]
        made = {"apply": ("x[], const HgRowsOut y[]", ["params"], calls[0].format("x", "y")),
                "tangent": ("x[], const HgRows dx[],\n    const HgRowsOut dy[]", ["params", "x"], calls[0].format("dx", "dy")),
                "adjoint": ("x[], const HgRows y_bar[],\n    const HgRowsOut x_bar[]", ["params", "x"], "if (x_bar[0]) " + calls[1].format("y_bar", "x_bar"))}
        return {kernel: self.text(kernel, box + takes, unused, call) for kernel, (takes, unused, call) in made.items()}

    def text(self, kernel, takes, unused, call):
        lines = "".join(f"  (void){name};\n" for name in unused)
        return f"{'' if kernel in self.exported else 'static '}void {self.prefix}{kernel}({takes}) {{\n{lines}  {call}\n}}"

    def definition(self):
        p = self.physics
        lines = [f"const HgStencil {p.symbol} = {{", f'    .name = "{p.name}",', f'    .reads = (const HgRead[]){{{{"{p.reads[0]}", 0, HG_ADJOINT_UNUSED}}, {{NULL, 0, 0}}}},',
                 f'    .writes = (const char *const[]){{"{p.writes[0]}", NULL}},']
        lines += [f"    .{kind} = {self.prefix}{kind}," for kind in ("apply", "tangent", "adjoint")]
        return "\n".join(lines + ["    .levels = true,", "    .columns = true,", *stated(p.stated), "};"])
