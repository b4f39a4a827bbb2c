# SPDX-License-Identifier: BSD-2-Clause
"""The C file and the header of a .stencil."""
import re

import column
import ctext
import expression as ex
import meaning
import syntax
from adjoint import contributions
from derivative import SECOND, tangent
from errors import StencilError
from kernel import PART, Kernel
from physics import PhysicsText, stencils_of
from expression import furthest
from inline import adjoint_roots, inlined
from reach import Reach
from reverse import ReverseKernel
from ctext import camel, comment, now, stated, wrapped
from weights import Weights

VERSION = 13
LEVELS = 64  # of 256^3 cells 1.15 times as fast as all of them at once, of 200^3 as fast
OTHER_HALF = ("tangent", "adjoint")  # of what compilers have to do: see halves_of()
PER_STENCIL = 2000  # what one costs, however small: see Effort
ENTRY = """/* An entry of a table by step; 0 before and after it. */
static inline double entry(const double *table, long count, long at) {
  return at >= 0 && at < count ? table[at] : 0;
}
"""
COPY = """/* to = from, a row of the box. */
static inline void copy_row(const HgBox *box, const HgReal *from, HgReal *to) {
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) to[i] = from[i];
}
"""
NOTHING = """/* bar += 0, a row of the box: the derivative does not depend on it. */
static inline void nothing_to(const HgBox *box, HgCotangent bar) {
  if (bar.before == bar.row) return;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) bar.row[i] = bar.before[i];
}
"""
WRAPPED = """/* The index of a cell in the domain: beyond a periodic edge it is that of the other side. Exact. */
static inline HgReal wrapped(int at, int cells) {
  return (HgReal)(at - cells * floor((double)at / cells));
}
"""
ROOTS = """/* clang makes vectors of roots only where they need not set errno (-fno-math-errno). */
#if defined(__clang__) && !defined(__NO_MATH_ERRNO__)
#define VECTOR_ROOTS
#else
#define VECTOR_ROOTS HG_VECTOR
#endif
"""


class StencilText:
    """One stencil as C."""

    def __init__(self, physics, several, exported, second=None):
        """exported: the kernels that are not static, as others than this text call them. second: of two stencils as one the text of the second."""
        self.exported = exported
        if physics.struct is None and (physics.parameters or physics.tables):
            physics = physics._replace(struct=(camel(physics.symbol) + "Params", None, None))
        self.physics = physics
        physics.graph.span = physics.span
        physics.graph.spend(PER_STENCIL)
        found = adjoint_roots(second, physics) if second else contributions(physics.graph, physics.outputs)
        self.bars = second.physics.reads if second else physics.reads + physics.carries
        self.adjoint_roots = {name: found[name] for name in self.bars if name in found}
        self.reach = Reach(physics, self.adjoint_roots)
        self.weights = Weights(physics, several)
        self.prefix = self.weights.prefix
        self.twice = self.reach.twice and not second
        self.inlined = StencilText(physics.inlined, True, exported, self) if physics.inlined else None

    def may_merge(self, kind, group, shared):
        """May the stages of a group be computed together?"""
        if kind == "adjoint":
            return self.reach.merge(*group, shared)
        if kind == "second":
            return self.reach.allows(*group)
        reads = [node.data for node in ex.reads_of(group.rows.values())]
        return all(furthest([at + offset[k // 2] for k, at in enumerate(group.box)]) <= self.reach.radius[name] for _, name, *offset in reads)

    def kernels(self):
        """{kind: text}, after what all of them need: 'weights'"""
        p, to = self.physics, (self.weights, self.may_merge, self.exported)
        inlined = self.inlined.kernels().values() if self.inlined else ()
        parts = {"apply": "\n\n".join([Kernel("apply", p, p.outputs, *to).forward(), *inlined])}
        if not p.of:
            parts["tangent"] = Kernel("tangent", p, tangent(p.graph, p.outputs), *to).forward()
        if not p.of or self.adjoint_roots:
            parts["adjoint"] = ReverseKernel("adjoint", p, self.adjoint_roots, *to, self.bars).text()
        if self.twice:
            parts["second"] = ReverseKernel("second", p, tangent(p.graph, self.adjoint_roots, SECOND), *to).text()
        shared = "\n\n".join(part for part in (self.weights.struct(), self.weights.function()) if part)
        return {"weights": shared, **parts} if shared else parts

    def definition(self):
        p, reach = self.physics, self.reach
        called = {v.name: now(v) for v in p.stated}
        reads = []
        for name in p.reads + p.carries:
            adjoint = reach.adjoint_radius[name]
            reads.append(f'{{"{called[name]}", {reach.radius[name]}, {adjoint if adjoint >= 0 else "HG_ADJOINT_UNUSED"}}}')
        first = [f"extern const HgStencil {', '.join(p.inlined.of)};", self.inlined.definition(), ""] if self.inlined else []
        lines = [*first, f"{'static ' if p.of else ''}const HgStencil {p.symbol} = {{", f'    .name = "{p.name}",']
        lines.append(wrapped(f".reads = (const HgRead[]){{{', '.join(reads)}, {{NULL, 0, 0}}}},", 4))
        lines.append(wrapped(f".writes = (const char *const[]){{{', '.join(chr(34) + w + chr(34) for w in p.writes)}, NULL}},", 4))
        made = ("apply", "tangent", "adjoint") if not p.of else ("apply", "adjoint")[: 1 + bool(self.adjoint_roots)]
        lines += [f"    .{kind} = {self.prefix}{kind}," for kind in made]
        lines += [f"    .inlined = &{p.inlined.symbol},"] if p.inlined else []
        lines += [f"    .of = (const HgStencil *const[]){{{', '.join('&' + one for one in p.of)}}},"] if p.of else []
        if self.twice:
            lines.append(f"    .second = {p.symbol}_second,")
        if reach.only_for:
            pairs = ", ".join(f'{{"{called[a]}", "{called[b]}"}}' for a, b in reach.only_for)
            lines.append(wrapped(f".only_for = (const char *const[][2]){{{pairs}, {{NULL, NULL}}}},", 4))
        if p.copies():
            pairs = ", ".join(f'{{"{write}", "{read}"}}' for write, read in p.copies().items())
            lines.append(wrapped(f".copies = (const char *const[][2]){{{pairs}, {{NULL, NULL}}}},", 4))
        lines.append("    .sets = true,")
        if p.levels:
            lines.append("    .levels = true,")
        if any(n.op == "latitude" for n in ex.reached(p.outputs.values())):
            lines.append("    .spherical = true,")
        if p.parameters or p.tables:
            lines += [f"    .params_size = sizeof({p.struct[0]}),", f'    .params_name = "{p.struct[0]}",']
        if p.tables:
            tables = [f"{{'{t.axis[0]}', {offset(p, t.name)}, {offset(p, t.name + '_count') if t.axis == 'step' else 0}}}" for t in p.tables]
            lines.append(wrapped(f".tables = (const HgTable[]){{{', '.join(tables)}, {{0, 0, 0}}}},", 4))
        return "\n".join([*lines, *stated(p.stated), "};"])


def params_type(text):
    """The typedef of a stencil's params, '' if it has none or takes another's."""
    p = text.physics
    return ctext.struct(p.struct[0], p.parameters, p.tables) if p.struct and p.struct[1] is None else ""


def formulas(texts):
    return [f"  {t.physics.formulas[w]}" for t in texts for w in t.physics.writes]


def offset(physics, member):
    return f"offsetof({physics.struct[0]}, {member})"


def check_names(tree):
    """Names that become C's: of the stencil, of a struct and of its members."""
    if ctext.is_of_c(tree.symbol.text) or tree.symbol.text in ctext.C_LIBRARY:
        raise another_name(tree.symbol.text, tree.name.text, tree.symbol.span)
    own, members = not (tree.struct and tree.struct[1]), {}
    if not own and tree.struct[0] in ctext.C_KEYWORDS:
        raise StencilError(f"'{tree.struct[0]}' cannot be the name of a struct in C", tree.struct[2])
    for p in [*tree.parameters, *(syntax.Parameter(t.name, t.name, None, None, t.span) for t in tree.tables)]:
        if any(ctext.is_of_c(name) for name in p.member.split(".")) or own and "." in p.member:
            raise StencilError(f"'{p.member}' cannot be a member of a struct in C", p.span)
    for p in tree.parameters if own else ():
        if p.member in members:
            raise StencilError(f"'{p.member}' is a parameter twice", p.span, [("first here", members[p.member])])
        members[p.member] = p.span
    for t in tree.tables:
        for name in (t.name, t.name + "_count", t.name + "_of") if own else ():
            if name in members:
                raise StencilError(f"'{name}' belongs to the table '{t.name}'", members[name], [("declared here", t.span)])


def another_name(symbol, name, span):
    return StencilError(f"'{symbol}' cannot be the name of a stencil in C: write 'stencil {name} as another_name'", span)


def check_file_scope(texts, whole):
    """What stands at the scope of the file has names of its own."""
    symbols = {t.physics.symbol: t.physics for t in texts}
    own = {f"{symbol}_second" for symbol in symbols}
    found = {t.prefix + kernel for t in texts for kernel in ("weights", "apply", "tangent", "adjoint")} | set(re.findall(r"^static [^(]*?(\w+)\(", whole, re.MULTILINE)) - own
    for symbol, physics in symbols.items():
        if {symbol, f"{symbol}_second"} & found or symbol in own:
            raise another_name(symbol, physics.name, physics.span)


def physics_of(trees):
    """What a file means: its stencils, those of its physics among them, then the text of each physics."""
    found, effort, stencils, blocks, wholes = {}, ex.Effort(), [], [], []
    for tree in trees:
        if isinstance(tree, syntax.Physics):
            inside, written = stencils_of(tree)
            stencils += inside
            blocks.append((tree, inside, written))
            wholes.append(PhysicsText(tree, written, effort))
            check_names(wholes[-1].names())
        else:
            stencils.append(tree)
    for tree in stencils:
        check_names(tree)
        for what, token in (("stencil", tree.name), ("stencil of the C name", tree.symbol)):
            if (what, token.text) in found:
                raise StencilError(f"a {what} '{token.text}' stands twice", token.span, [("first here", found[what, token.text])])
            found[what, token.text] = token.span
    means = {tree.symbol.text: column.meaning(tree) if isinstance(tree, syntax.Column) else meaning.meaning(tree, effort) for tree in stencils}
    for tree, inside, written in blocks:
        means.update({one.symbol.text: means[one.symbol.text]._replace(written=written) for one in inside if not isinstance(one, syntax.Column)})
        for symbol, both in inlined(tree, inside, [means[one.symbol.text] for one in inside]).items():
            if both.symbol not in means:
                means[symbol] = means[symbol]._replace(inlined=both._replace(written=written))
    return [*means.values(), *wholes]


def texts_of(physics, exported):
    """The texts of a file's stencils, and of its physics."""
    stencils = [p for p in physics if not isinstance(p, PhysicsText)]
    text_of = lambda p: column.ColumnText if isinstance(p, column.Meaning) else StencilText
    return [text_of(p)(p, len(stencils) > 1, exported) for p in stencils], physics[len(stencils):]


def plain(name):
    """A file's name for a comment."""
    return re.sub(r"[^\w.+ -]", "_", name)


def head(name, source, what):
    name, source = plain(name), plain(source)
    return [f"{name} -- written by hgstencil {VERSION} from {source}: change that, not this.", "", *what]


def halves_of(texts, ends):
    """Kernels and definitions in two halves of about the same weight, for two compilers at once: one defines HG_HALF as 1, one as 2."""
    kernels = [t.kernels() for t in texts]
    part = lambda *kinds: [k[kind] for k in kernels for kind in kinds if kind in k]
    first = part("apply", "second") + [t.definition() for t in texts] + ends
    shared = part("weights") + [f"Hg{kind.capitalize()}Fn {t.prefix}{kind};" for t in texts for kind in OTHER_HALF]
    return "\n\n".join([*shared, "#if HG_HALF != 2", *first, "#endif", "#if HG_HALF != 1", *part(*OTHER_HALF), "#endif"])


def entry_text(entry, texts, wholes):
    """What a program looks for that loads the file."""
    if len(wholes) != 1:
        spans = [w.physics.span for w in wholes[1:]] or [t.physics.span for t in texts]
        raise StencilError(f"expected one physics, found {len(wholes)}", spans[0])
    return f'__attribute__((visibility("default"))) const HgPhysics *const {entry} = &{wholes[0].symbol};'


def c_file(name, source, physics, include, entry=None):
    """The text of the C file. include: as after #include, None: the types stand in it. entry: what points to its physics, in halves."""
    texts, wholes = texts_of(physics, ("second",) * bool(include) + OTHER_HALF * bool(entry))
    ends = [w.definition() for w in wholes]
    if entry:
        whole = halves_of(texts, ends + [entry_text(entry, texts, wholes)])
    else:
        whole = "\n\n".join([part for t in texts for part in (*t.kernels().values(), t.definition())] + ends)
    check_file_scope(texts, whole)
    headers = [include] if include else headers_of(texts, wholes)
    if any(f in whole for f in ("HG_MATH(", "exp(", "log(", "sqrt(", "sin(", "cos(", "tanh(", "pow(", "fabs(", "fmin(", "wrapped(")):
        headers.append("<math.h>")
    headers += ["<halograd/kernel.h>", "<stddef.h>"]
    lines = [comment(head(name, source, formulas(texts))), "/* clang-format off */"]
    lines += [f"#include {h}" for h in dict.fromkeys(headers)] + [""]
    if not include:
        lines += [type + "\n" for type in [w.params_type() for w in wholes] + [params_type(t) for t in texts] if type]
    lines += [helper for helper, word in ((ENTRY, "entry("), (COPY, "copy_row("), (NOTHING, "nothing_to("), (WRAPPED, "wrapped("), (ROOTS, "VECTOR_ROOTS"), *column.HELPERS) if word in whole]
    if "first += LEVELS" in whole:
        lines += [comment(["Levels that are computed of one row after another: rows beside each other then stay in the cache."]), f"enum {{ LEVELS = {LEVELS} }};", ""]
    if "PART" in whole:
        lines += [comment(["Columns whose stages are kept at once, on the stack."]), f"enum {{ PART = {PART} }};", ""]
    return "\n".join(lines) + "\n" + whole + "\n"


def headers_of(texts, wholes):
    """Headers with what the stencils take, and with HgPhysics."""
    return sorted({t.physics.struct[1] for t in texts if t.physics.struct and t.physics.struct[1]} | ({"<halograd/physics.h>"} if wholes else set()))


def header(name, source, physics):
    """The text of the header."""
    texts, wholes = texts_of(physics, ("second",))
    guard = "".join(c.upper() if c.isalnum() and c.isascii() else "_" for c in name)
    guard = "_" * guard[0].isdigit() + guard
    lines = [comment(head(name, source, formulas(texts))), "/* clang-format off */", f"#ifndef {guard}", f"#define {guard}", ""]
    lines += [f"#include {h}" for h in sorted({*headers_of(texts, wholes), "<halograd/kernel.h>"})] + [""]
    for w in wholes:
        lines += [w.params_type(), ""] if w.type else []
        lines += [comment([w.summary()]), f"extern const HgPhysics {w.symbol};", ""]
    for t in texts:
        if params_type(t):
            lines += [params_type(t), ""]
        p = t.physics
        takes = f"; {p.struct[0]}" if p.parameters or p.tables else ""
        lines += [comment([f"{', '.join(p.reads + p.carries)} -> {', '.join(p.writes)}{takes}"]), f"extern const HgStencil {p.symbol};", *([] if not t.twice else [f"extern HgSecondFn {p.symbol}_second;"]), ""]
    return "\n".join(lines + ["#endif", ""])
