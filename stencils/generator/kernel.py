# SPDX-License-Identifier: BSD-2-Clause
"""Kernels as C, each from its nodes; those that reverse in reverse.py."""
import re

import expression as ex
from loop import ARRAYS, Loop, formula
from stage import Stages
from ctext import Names, TooLong, camel, comment, wrapped

PART = 256
SIGNATURE = {
    "apply": ("void {}apply(const HgBox *box, const void *params, const HgRows x[],", "const HgRowsOut y[]) {{"),
    "tangent": ("void {}tangent(const HgBox *box, const void *params, const HgRows x[],", "const HgRows dx[], const HgRowsOut dy[]) {{"),
    "adjoint": ("void {}adjoint(const HgBox *box, const void *params, const HgRows x[],", "const HgRows y_bar[], const HgRowsOut x_bar[]) {{"),
    "second": ("void {}second(const HgBox *box, const void *params, const HgRows x[],", "const HgRows dx[], const HgRows y_bar[],", "const HgRows dy_bar[], const HgRowsOut dx_bar[]) {{"),
}
INPUTS = {"apply": {"x": "x"}, "tangent": {"x": "x", "dx": "dx"}, "adjoint": {"x": "x", "w": "y_bar"},
          "second": {"x": "x", "dx": "dx", "w": "y_bar", "dw": "dy_bar"}}
FORWARD = ("apply", "tangent")
REVERSE = {"adjoint": "x_bar", "second": "dx_bar"}  # what they add to
LONGEST_FORMULA = 500


def uses(lines, pattern):
    return any(re.search(pattern, line) for line in lines)


class Kernel:
    """kind: apply, tangent, adjoint, second. roots: {name: node} of what it writes: y, dy, contributions to x_bar, to dx_bar. bars: of which
    variables x_bar and dx_bar are."""

    def __init__(self, kind, physics, roots, weights, may_merge, exported, bars=None):
        self.kind, self.physics, self.graph, self.weights, self.prefix = kind, physics, physics.graph, weights, weights.prefix
        self.formulas, self.static = dict(roots), kind not in exported
        self.copied = {name: node for name, node in roots.items() if kind in FORWARD and name in physics.copies()}
        roots = {name: node for name, node in roots.items() if name not in self.copied}
        stages = Stages(physics.graph, roots, lambda group, shared: may_merge(kind, group, shared), kind in REVERSE, physics.levels)
        self.roots, self.groups, self.names = stages.roots, stages.groups, Names()
        self.all_reads, self.stage_call = physics.reads + physics.carries, {}
        self.bars = bars or self.all_reads

    # ---- names ----
    def called(self, kind, name):
        """What a read is called in C and in formulas."""
        if kind in ("w", "dw"):
            return kind if len(self.physics.writes) == 1 else f"{kind}_{name}"
        return f"d{name}" if kind == "dx" else name

    def index(self, kind, name):
        return self.physics.writes.index(name) if kind in ("w", "dw") else self.all_reads.index(name)

    def uniform(self, node):
        """k.name, None for numbers alone."""
        return self.weights.member(node) if node.varies else None

    def arrays(self, roots):
        """The arrays that loops of these roots read: [(type and name, name)]"""
        kinds = {n.data[0] for n in ex.reads_of(roots)}
        found = [(f"const HgRows {array}[]", array) for kind, array in INPUTS[self.kind].items() if kind in kinds]
        for n, group in enumerate(self.groups):
            if any(r.data[1] in group.rows for r in ex.reads_of(roots, "stage")):
                found.append((f"const {self.stage_type(n)} stage{n}[]", f"stage{n}"))
        return found

    def level(self, name, z=0):
        """What is added to the slab of a row: the level of a variable, '' of a surface."""
        if not self.physics.levels or name in self.physics.surfaces:
            return ""
        return f" + (level{Loop.plus(z)}) * box->pitch" if z else " + level * box->pitch"

    # ---- stages ----
    def stage_type(self, n):
        return camel(f"{self.prefix}{self.kind}_stage") + str(n)

    def rows_of_stage(self, group):
        return group.box[3] - group.box[2] + 1

    def stage_row(self, name, y):
        """Where row j + y of a stage begins, such that [i] is the cell i."""
        n, group = next((n, g) for n, g in enumerate(self.groups) if name in g.rows)
        x0, _, y0 = group.box[:3]
        slot = f"(j - box->j0{Loop.plus(y - y0)}) % {self.rows_of_stage(group)}" if self.rows_of_stage(group) > 1 else "0"
        return f"stage{n}[{slot}].{name}{Loop.plus(-x0)} - box->i0"

    def stage_types(self):
        lines = []
        for n, group in enumerate(self.groups):
            width = group.box[1] - group.box[0]
            members = ", ".join(f"{name}[PART{Loop.plus(width)}]" for name in group.rows)
            lines += ["typedef struct {", wrapped(f"HgReal {members};", 2), f"}} {self.stage_type(n)};", ""]
        return lines

    def stage_functions(self):
        lines = []
        for n, group in enumerate(self.groups):
            x0, x1 = group.box[:2]
            loop = Loop(self, group.rows.values(), 2)
            outs = [self.names_for(loop, name) for name in group.rows]
            body = loop.body([lambda text, o=o: f"{o}[i] = {text};" for o in outs], f"box->i0{Loop.plus(x0)}", f"box->i1{Loop.plus(x1)}")
            arrays = [declaration for declaration, _ in self.arrays(group.rows.values())]
            k = [f"{self.weights.type} k"] if uses(body, r"\bk\.") else []
            lines.append(comment([f"{name} = {self.short(node)}" for name, node in group.rows.items()]))
            how = "HG_APART" if len(self.groups) > 1 else "inline"
            head = f"static {how} void {self.prefix}{self.kind}_stage{n}({', '.join(['const HgBox *box', *k, *arrays, 'int j', f'{self.stage_type(n)} *to'])}) {{"
            declared = [wrapped("HgReal *" + ", *".join(f"{o} = to->{name}{Loop.plus(-x0)} - box->i0" for o, name in zip(outs, group.rows)) + ";", 2)]
            lines += [wrapped(head, 0), *declared, *body, "}", ""]
            self.stage_call[n] = (["k"] if k else []) + [array for _, array in self.arrays(group.rows.values())]
        return lines

    @staticmethod
    def names_for(loop, name):
        return loop.names.new(name)

    def short(self, node):
        try:
            return formula(self, node, LONGEST_FORMULA)
        except TooLong:
            return "as in the loop below"

    # ---- the loop over parts and rows ----
    def over_rows(self, row):
        """Lines of the loops around `row` (lines indented by 4, that see box and j)."""
        if self.physics.levels:
            inner = ["    " + line.replace("\n", "\n    ") for line in row]
            return ["  for (int first = box->k0; first < box->k1; first += LEVELS)", "    for (int j = box->j0; j < box->j1; j++)",
                    "      for (int level = first; level < box->k1 && level < first + LEVELS; level++) {", *inner, "      }"]
        if not self.groups:
            return ["  for (int j = box->j0; j < box->j1; j++) {", *row, "  }"]
        lines = ["  HgBox part = *box;", "  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {", "    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;"]
        lines += [f"    {self.stage_type(n)} stage{n}[{self.rows_of_stage(g)}];" for n, g in enumerate(self.groups)]
        for n, group in enumerate(self.groups):
            y0, y1 = group.box[2:4]
            if y1 > y0:
                wanted = self.wanted(group)
                wanted = f"({wanted}) && " if " || " in wanted else f"{wanted} && " if wanted else ""
                lines += [wrapped(f"for (int j = part.j0{Loop.plus(y0)}; {wanted}j < part.j0{Loop.plus(y1)}; j++)", 4), wrapped(self.compute_stage(n, group, 0), 6)]
        lines.append("    for (int j = part.j0; j < part.j1; j++) {")
        for n, group in enumerate(self.groups):
            wanted = self.wanted(group)
            lines += [f"      if ({wanted})"] if wanted else []
            lines.append(wrapped(self.compute_stage(n, group, group.box[3]), 8 if wanted else 6))
        lines += ["  " + line.replace("\n", "\n  ") for line in row]
        return lines + ["    }", "  }"]

    def wanted(self, group):
        """Whether a stage is, whose reads may be NULL if it is not."""
        if self.kind not in REVERSE:
            return ""
        return " || ".join(f"{REVERSE[self.kind]}[{self.bars.index(u)}]" for u in self.bars if u in group.users)

    def function_prefix(self):
        return f"{self.physics.symbol}_" if self.kind == "second" else self.prefix

    def compute_stage(self, n, group, y):
        """The call for row j + y."""
        y0, rows = group.box[2], self.rows_of_stage(group)
        slot = f"(j - part.j0{Loop.plus(y - y0)}) % {rows}" if rows > 1 else "0"
        return f"{self.prefix}{self.kind}_stage{n}({', '.join(['&part', *self.stage_call[n], f'j{Loop.plus(y)}', f'&stage{n}[{slot}]'])});"

    def opening(self, body):
        """Signature, weights, and what is not used."""
        first, *others = (part.format(self.function_prefix()) for part in SIGNATURE[self.kind])
        if self.static:
            first = f"static {first}"
        lines = [first, *(" " * (first.index("(") + 1) + other for other in others)]
        if uses(body, r"\bk\b"):
            lines.append(f"  const {self.weights.type} k = {self.prefix}weights(box, params);")
        else:
            lines.append("  (void)params;")
        for array in INPUTS[self.kind].values():
            if not uses(body, rf"\b{array}\b"):
                lines.append(f"  (void){array};")
        return lines

    # ---- apply and tangent ----
    def forward(self):
        """The whole kernel, with its stages."""
        out, d = ("y", "") if self.kind == "apply" else ("dy", "d")
        loop = Loop(self, self.roots.values(), 4)
        names = [loop.names.new(f"{d}{name}_next") for name in self.roots]
        box = "part." if self.groups else "box->"
        stage_lines = self.stage_types() + self.stage_functions()
        body = loop.body([lambda text, o=o: f"{o}[i] = {text};" for o in names], box + "i0", box + "i1")
        if self.groups:
            body = [line.replace("box->", "part.") for line in body]
        outs = [f"{o} = {out}[{self.physics.writes.index(name)}][j]{self.level(name)}" for name, o in zip(self.roots, names)]
        rows = self.over_rows([wrapped("HgReal *" + ", *".join(outs) + ";", 4), *body, *self.copying(out)])
        return "\n".join(stage_lines + [self.formula_comment()] + self.opening(rows) + rows + ["}"])

    def copying(self, out):
        """What is copied, where it is wanted."""
        lines, box = [], "&part" if self.groups else "box"
        for name, node in self.copied.items():
            kind, read = node.data[:2]
            k = self.physics.writes.index(name)
            lines.append(f"    if ({out}[{k}]) copy_row({box}, {ARRAYS[kind]}[{self.index(kind, read)}][j]{self.level(read)}, {out}[{k}][j]{self.level(read)});")
        return lines

    def formula_comment(self):
        physics = self.physics
        if self.kind == "apply":
            lines = [f"{name} = {self.short_of(node)}" for name, node in self.lets()]
            return comment(lines + [physics.formulas[w] for w in physics.writes])
        return comment([f"d{name}' = {self.short(node)}" for name, node in self.formulas.items()])

    def lets(self):
        nodes = ex.reached(self.physics.outputs.values())
        return [(self.physics.names[n], n) for n in nodes if n in self.physics.names]

    def short_of(self, node):
        """Its formula, not its name."""
        names = self.physics.names
        name = names.pop(node)
        text = self.short(node)
        names[node] = name
        return text
