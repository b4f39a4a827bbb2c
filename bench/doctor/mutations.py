# SPDX-License-Identifier: BSD-2-Clause
"""Errors planted in the project's sources, for campaign: each is a source with one place changed, the cases in which it is run
(tests/adjoint/doctor/doctor_mutant.c), and what the doctor ought to say of it."""
import dataclasses
import re

I, J, STEP = 5, 4, 4  # where errors in one cell, in one step are planted


@dataclasses.dataclass
class Mutant:
    group: str  # row of the table
    kind: str  # what was done
    path: str  # of the source that is changed, in the project
    unit: str  # of the source that is compiled
    text: str  # the changed source
    line: int
    cases: tuple
    operator: str  # a finding in which this regular expression is found names the operator
    pair: str = ""  # likewise the variable
    place: str = ""  # likewise the cell, the step or the term

    def name(self):
        return f"{self.group} {self.path}:{self.line} {self.kind}"


# ---- kernels: which functions are derivatives, and how their variables are called ----
# path, unit, functions, cases, names of its stencils, variables of its cotangents by another name
KERNELS = [
    ("heat/heat_private.h", "heat/heat.c", "heat_(tangent|adjoint|u_bar|kappa_bar)", "heat periodic", "heat_forced", {}),
    ("heat/heat_private.h", "heat/heat_conservative.c", "heat_(tangent|adjoint)", "conservative", "heat_conservative_forced", {}),
    ("heat/heat.c", "", "to_(u|kappa)", "heat", "heat_forced", {}),
    ("heat/heat_conservative.c", "", "to_kappa", "conservative", "heat_conservative_forced", {}),
    ("shallow/shallow_friction.c", "", "tangent|adjoint|gradients", "shallow", "shallow_friction", {}),
    ("shallow/shallow_diagnostics.c", "", "diagnostics_tangent|corners_bar|collect|collect_constants", "shallow reflecting",
     "shallow_diagnostics", {}),
    ("shallow/shallow_dynamics.c", "", "dynamics_tangent|tendencies_bar|steps_transposed|[rs]_turned.*|._contribute", "shallow",
     "shallow_dynamics", {"n": "[uvh](_t)?"}),
    ("integrator/adams_bashforth.c", "", "HgAdamsBashforthAdjoint", "reference", "ab2 .", {"old": "[huv]_t", "r": "[huv]_r", "u": "[huv]"}),
]

OWN_KERNELS = [
    ("tests/adjoint/doctor/stranger_gray_scott.c", "", "react_(tangent|adjoint)", "gray-scott", "react", {}),
    ("tests/adjoint/doctor/stranger_gray_scott.c", "", "diffuse_adjoint", "gray-scott", "diffuse", {}),
    ("tests/adjoint/doctor/stranger_wave.c", "", "leapfrog_(tangent|adjoint)|lap_of_product", "wave", "leapfrog", {}),
    ("tests/adjoint/doctor/stranger_wave.c", "", "sponge_adjoint", "wave", "sponge", {}),
]

# What is done to an expression: name, pattern, what takes its place.
EXPRESSION = [
    ("sign", r" \+ (?![1-9] *[\])])", " - "),
    ("sign", r" - (?![1-9] *[\])])", " + "),
    ("coefficient", r" \* ", " * 1.01 * "),
    ("dropped", r" \* ", " * 0 * "),
    ("doubled", r" \* ", " * 2 * "),
    ("index", r"\[i\]", "[i + 1]"),
    ("index", r"\[i\]", "[i - 1]"),
    ("index", r"\[i [+-] 1\]", "[i]"),
    ("row", r"\[j [+-] 1\]", "[j]"),
    ("neighbour", r"\.at\[i \+ 1\]", ".at[i - 1]"),
    ("neighbour", r"\.north\[", ".south["),
    ("neighbour", r"\.south\[", ".north["),
    ("neighbour", r"_south\[", "_SELF["),
    ("coefficient", r"k\.rx", "k.ry"),
]
# To a whole contribution E.
CONTRIBUTION = [
    ("dropped", "0 * ({})", ""),
    ("doubled", "2 * ({})", ""),
    ("one cell", f"(b->i_global + i == {I} && b->j_global + j == {J} ? 0 : 1) * ({{}})", rf"\|{I}\|{J}\|"),
    ("side of the domain", "(b->i_global + i == 0 ? 2 : 1) * ({})", r"^found(\|[^|]*){6}\|([45]\||[^|]*\|0\|)"),
    ("one step", f"(b->step == {STEP} ? 0 : 1) * ({{}})", rf"^found\|[a-z]*\|{STEP}\|"),
]


def functions(text):
    """Lines first .. last of each function by its name."""
    lines, found, k = text.split("\n"), {}, 0
    while k < len(lines):
        head = re.match(r"[A-Za-z].*?(\w+)\(", lines[k])
        body = k
        while head and body < len(lines) and not lines[body].rstrip().endswith(("{", ";", "}")):
            body += 1
        if head and body < len(lines) and (lines[body].rstrip().endswith("{") or "{ return" in lines[body]):
            end = body
            while lines[end] != "}" and not lines[end].endswith("; }"):
                end += 1
            found[head[1]] = (k, end)
            k = end
        k += 1
    return found


def changed(lines, k, line):
    return "\n".join(lines[:k] + [line] + lines[k + 1:])


# Lines of counts and of pointers: these would be errors of memory, not of a derivative.
COUNTS = r"(dtheta|sums|to_left|to_right|\brow) \+ |^ *(const int \w|for \(end|const double \*w = theta)"


def expressions(line):
    """The changes of one line, but for what heads a loop, what is assigned to, and factors inside of brackets."""
    if re.search(COUNTS, line):
        return
    start = max([m.end() for m in re.finditer(r"for \([^)]*\)|^.*? [-+*]?= |HgContribute\([^,]*, i, ", line)], default=0)
    if re.match(r"\s*(//|/\*|\*|const Hg(?!Real of_)|HG_VECTOR|if(?! \(\w+_bar\))|\(void\)|double \*)|\s*const double \*.*=.*\[\d\]\[j\]", line) and "for (" not in line:
        return
    for kind, pattern, by in EXPRESSION:
        for at in re.finditer(pattern, line):
            inside = line.count("[", 0, at.start()) > line.count("]", 0, at.start())
            if at.start() < start or (inside and kind in ("sign", "coefficient", "dropped", "doubled")):
                continue
            new = by.replace("_SELF", "") if "_SELF" in by else by
            yield kind, line[:at.start()] + new + line[at.end():]


def contributions(line):
    """Those of one that is added to a cotangent or is a tangent."""
    at = re.search(r"(HgContribute\([^,]*, i, )(.*)(\);.*)", line) or re.search(r"(_bar\[i\] [-+]= )(.*)(;.*)", line)
    if at and "HgContribute" in at[1]:
        yield "sets", line[:at.start()] + re.sub(r"HgContribute\((.*), i, ", r"\1.row[i] = ", at[1]) + at[2] + at[3][1:] + line[at.end():], ""
    elif at:
        yield "sets", line[:at.start()] + re.sub(r"[-+]=", "=", at[1]) + at[2] + at[3] + line[at.end():], ""
    at = at or re.search(r"(const HgReal of_\w+ = )([^,]*)(;)", line)
    for kind, by, place in CONTRIBUTION if at else []:
        yield kind, line[:at.start()] + at[1] + by.format(at[2]) + at[3] + line[at.end():], place


def variable(lines, first, k, names):
    """The variable whose cotangent, or tangent, line k is about; "" if the line does not say."""
    for n in range(k, max(first, k - 6), -1):
        at = re.search(r"(\w+)_bar(\.row|\[i\]|\[k\])|HgContribute\((\w+)_bar|to\[(\w+)\]", lines[n])
        if at:
            name = at[1] or at[3] or at[4].lower()
            return names.get(name, name)
        at = re.search(r"\bd(\w+)(_next|_t)?\[i\] =", lines[n])
        if at:
            return ""
    return ""


def kernels(root, table):
    for path, unit, wanted, cases, stencil, names in table:
        own = path.startswith("tests/")
        path, unit = path if own else "stencils/" + path, path if own else "stencils/" + (unit or path)
        text = (root / path).read_text()
        lines = text.split("\n")
        for name, (first, last) in functions(text).items():
            if not re.fullmatch(wanted, name):
                continue
            for k in range(first, last + 1):
                about = variable(lines, first, k, names)
                pair = rf"^found(\|[^|]*){{3}}\|{stencil}\|{about or '[^|]'}" + (r"\|" if about else "")
                pair += rf"|^halograd: .*'{stencil}'|^found\|radius\|\d*\|[^|]*\|{stencil}\|"  # reads a cotangent too far
                common = dict(group="own: derivatives" if own else "kernels", path=path, unit=unit, line=k + 1, cases=tuple(cases.split()),
                              operator=rf"^found(\|[^|]*){{3}}\|{stencil}\||^halograd: .*'{stencil}'", pair=pair)
                for kind, line in expressions(lines[k]):
                    yield Mutant(kind=kind, text=changed(lines, k, line), **common)
                for kind, line, place in contributions(lines[k]) if "*b," in lines[first] else []:
                    yield Mutant(kind=kind, text=changed(lines, k, line), place=place, **common)


# ---- operators that are no kernels: functions that are derivatives, changed in the same ways ----
# group, path, functions, cases, what names it
OPERATORS = [
    ("objective", "adjoint/trajectory/objective/objective_sensors.c", "add_transposed", "heat", r"objective\|\d+\|[^|]*\|7 sensors"),
    ("objective", "adjoint/trajectory/objective/objective_snapshot.c", "snapshot_gradient", "heat tracer", r"objective\|\d+\|[^|]*\|snapshot of|it is dJ/dq of that time alone"),
    ("parametrisation", "adjoint/control/pointwise.c", "between_derivative|softplus_derivative", "controls", r"\|log parametrisation\|"),
    ("parametrisation", "adjoint/control/parametrisation_pointwise.c", "pointwise_(tangent|adjoint)", "controls experiments",
     r"\|log parametrisation\||\|controls\|[mk]"),
    ("parametrisation", "adjoint/control/parametrisation_coarse.c", "add_row|coarse_adjoint", "controls", r"\|coarse parametrisation\||\|controls\|nodes"),
    ("parametrisation", "adjoint/control/net.c", "HgNetTangent|HgNetAdjoint", "controls", r"\|net parametrisation\||\|controls\|theta"),
    ("regularisation", "adjoint/control/regularisation.c", "regularisation_(tangent|adjoint)", "controls", r"\|regularisation\|"),
]


def operators(root):
    for group, path, wanted, cases, operator in OPERATORS:
        text = (root / path).read_text()
        lines = text.split("\n")
        for name, (first, last) in functions(text).items():
            if not re.fullmatch(wanted, name):
                continue
            for k in range(first, last + 1):
                for kind, line in expressions(lines[k]):
                    if "HgStateRows" in lines[k] or "const size_t" in lines[k]:
                        continue
                    yield Mutant(group=group, kind=kind, path=path, unit=path, text=changed(lines, k, line), line=k + 1,
                                 cases=tuple(cases.split()), operator=operator)


# ---- set-ups: group, kind, path, text, what takes its place, cases, what names it[, and the place] ----
GRADIENT = "adjoint/trajectory/gradient.c"
OBJECTIVE, SENSORS = "adjoint/trajectory/objective/objective.c", "adjoint/trajectory/objective/objective_sensors.c"
READINGS = "adjoint/trajectory/objective/readings.c"
SNAPSHOT, COMPOSITE = "adjoint/trajectory/objective/objective_snapshot.c", "adjoint/operator/composite.c"
EXPERIMENTS, CONTROL = "adjoint/learning/experiments.c", "adjoint/control/control.c"
HEAT, SHALLOW = "stencils/heat/heat.c", "stencils/shallow/"
OBJECTIVES, SUMS = r"^found\|objective\|\d", r"^found\|sum\|"
RADIUS = r"^found\|radius\|"
SETUPS = [
    ("radius", "too narrow", HEAT, '{"u", 1, 1}, {"kappa", 0, 1}, {"f"', '{"u", 0, 1}, {"kappa", 0, 1}, {"f"', "heat periodic", RADIUS),
    ("radius", "too narrow", HEAT, '{"u", 1, 1}, {"kappa", 0, 1}, {"f"', '{"u", 1, 1}, {"kappa", 0, 0}, {"f"', "heat", RADIUS),
    ("radius", "too narrow", HEAT, '{"u", 1, 1}, {"kappa", 0, 1}, {"f"', '{"u", 1, 0}, {"kappa", 0, 1}, {"f"', "heat", RADIUS),
    ("radius", "too narrow", SHALLOW + "shallow_friction.c", '{"nu", 1, 1}', '{"nu", 0, 1}', "shallow", RADIUS),
    ("radius", "too narrow", SHALLOW + "shallow_friction.c", '{"u", 1, 1}, {"v"', '{"u", 0, 1}, {"v"', "shallow", RADIUS),
    ("radius", "too narrow", SHALLOW + "shallow_diagnostics.c", '{"h", 1, 1}', '{"h", 0, 1}', "shallow", RADIUS),
    ("radius", "too narrow", SHALLOW + "shallow_diagnostics.c", '{"v", 1, 1}', '{"v", 1, 0}', "shallow", RADIUS),
    ("radius", "too narrow", SHALLOW + "shallow_dynamics.c", '{"q", 1, 1}', '{"q", 0, 1}', "shallow", RADIUS),
    ("radius", "too narrow", SHALLOW + "shallow_diagnostics.c", '{"u", 1, 1}', '{"u", 0, 1}', "shallow", RADIUS),
    ("objective", "weight", SENSORS, " / s->readings.sigma[k]);", ");", "heat", OBJECTIVES),
    ("objective", "weight", READINGS, "row(r, v)[k] / r->sigma[k];\n}", "row(r, v)[k];\n}", "heat", OBJECTIVES),
    ("objective", "weight", SNAPSHOT, "J_bar / (s->sigma * s->sigma)", "J_bar / s->sigma", "heat", OBJECTIVES, r"^found\|objective\|3\|"),
    ("objective", "weight", SNAPSHOT, "dr[i] = du[i] / s->sigma;", "dr[i] = du[i];", "heat", OBJECTIVES, r"^found\|objective\|3\|"),
    ("objective", "time", SNAPSHOT, "                                        HgState q_bar) {\n  Snapshot *s = self;\n  if (n != s->step)",
     "                                        HgState q_bar) {\n  Snapshot *s = self;\n  if (n != s->step - 1)", "heat tracer", OBJECTIVES, r"^found\|objective\|\d+\|"),
    ("objective", "time", SENSORS, "      contribution += time_weight(s, m, n)", "      contribution += time_weight(s, m, n + 1)", "heat", OBJECTIVES),
    ("objective", "time", SENSORS, "observe_field(s, n, HgStateRows(dq, dot)", "observe_field(s, n - 1, HgStateRows(dq, dot)", "heat", OBJECTIVES),
    ("objective", "time", SENSORS, "  const int m0 = first_of(s, n), m1 = end_of(s, n);\n  for (int p", "  const int m0 = first_of(s, n) + 1, m1 = end_of(s, n);\n  for (int p", "heat", OBJECTIVES),
    ("objective", "a corner of a sensor", SENSORS, "if (mine(patch, at->i + a, at->j + b))", "if (a + b < 2 && mine(patch, at->i + a, at->j + b))", "heat", OBJECTIVES),
    ("objective", "a place of a sensor", SENSORS, "u_bar[at->j + b][level + at->i + a] +=", "u_bar[at->j + a][level + at->i + b] +=", "heat", OBJECTIVES),
    ("objective", "factor of J", OBJECTIVE, "dJ[v] = values[1 + v];", "dJ[v] = 0.5 * values[1 + v];", "heat tracer", OBJECTIVES),
    ("objective", "factor of J", OBJECTIVE, "*J = 0.5 * values[0];", "*J = values[0];", "heat tracer", OBJECTIVES),
    ("objective", "term forgotten", OBJECTIVE, " PetscCall(m->table->gradient(", " if (k < 1) PetscCall(m->table->gradient(", "heat shallow", OBJECTIVES),
    ("objective", "term forgotten", OBJECTIVE, " PetscCall(m->table->gradient(", " if (k > 0) PetscCall(m->table->gradient(", "heat shallow", OBJECTIVES),
    ("trajectory", "objective at another step", GRADIENT, "HgObjectiveGradient(t->objective, n, q, J_bar, t->bar[1])", "HgObjectiveGradient(t->objective, n + 1, q, J_bar, t->bar[1])", "heat tracer", r"^found\|(objective|sweep)\|"),
    ("trajectory", "boundary forgotten", GRADIENT, "J_bar, t->bar[1]));\n  return HgProgramBoundaryAdjoint(t->program, t->bar[1]);", "J_bar, t->bar[1]));\n  return 0;", "heat shallow", r"^found\|(sweep|boundary)\|"),
    ("trajectory", "constants' boundary forgotten", GRADIENT, "if (t->constants_bar) PetscCall(HgProgramBoundaryAdjoint(t->program, t->constants_bar));", "", "heat shallow", r"^found\|(sweep|boundary|block|control|sum)\|"),
    ("trajectory", "J_bar forgotten", GRADIENT, "HgObjectiveGradient(t->objective, n, q, J_bar,", "HgObjectiveGradient(t->objective, n, q, 2 * J_bar,", "heat", r"^found\|(sweep|objective)\|"),
    ("parametrisation", "another control", CONTROL, "b->op ? b->dout : dm, b->op ? 0 : b->first", "b->op ? b->dout : dm, 0", "", r"\|controls"),
    ("parametrisation", "point of another", CONTROL, "    PetscCall(gather(b, m, b->in));\n    PetscCall(HgStateZero(b->dout));", "    PetscCall(HgStateZero(b->dout));", "controls", r"\|controls|control\|"),
    ("parametrisation", "forgotten", CONTROL, "PetscCall(HgStateAXPYVariable(m_bar, b->first + l, 1, b->din, l));", "if (k) PetscCall(HgStateAXPYVariable(m_bar, b->first + l, 1, b->din, l));", "controls", r"\|controls|control\|"),
    ("parametrisation", "twice", CONTROL, "PetscCall(HgStateAXPYVariable(m_bar, b->first + l, 1, b->din, l));", "PetscCall(HgStateAXPYVariable(m_bar, b->first + l, 2, b->din, l));", "controls", r"\|controls|control\|"),
    ("parametrisation", "derivative", "adjoint/control/pointwise.c", 'HgPointwiseExp = {"exp", exp_value, exp_value,', 'HgPointwiseExp = {"exp", exp_value, exp_inverse,', "controls experiments", r"\|log parametrisation|\|controls\|m"),
    ("parametrisation", "derivative", "adjoint/control/parametrisation_pointwise.c", "m_bar[i] += phi->derivative(m[i], phi->p) * field_bar[i];", "m_bar[i] += field_bar[i];", "controls experiments", r"\|log parametrisation|\|controls\|m"),
    ("parametrisation", "rows of a patch", "adjoint/control/parametrisation_net.c", "  for (int k = 0; k < size; k++) theta_bar[k] += n->theta_bar[k];", "  for (int k = 1; k < size; k++) theta_bar[k] += n->theta_bar[k];", "controls", r"\|net parametrisation|\|controls\|theta"),
    ("regularisation", "weight", "adjoint/control/regularisation.c", "alpha = weight * w.alpha,", "alpha = weight * r->weights.alpha,", "controls", r"\|regularisation\|"),
    ("regularisation", "reference", "adjoint/control/regularisation.c", "with_ghosts(r, m, true, 0));\n  if (matern)", "with_ghosts(r, m, false, 0));\n  if (matern)", "controls", r"\|regularisation\|"),
    ("regularisation", "ghosts", "adjoint/control/regularisation.c", "  PetscCall(with_ghosts(r, m, true, 0));\n  if (matern)", "  PetscCall(HgStateCopyVariable(m, r->index, r->ghosted, 0));\n  if (matern)", "controls", r"\|regularisation\|"),
    ("sums and chains", "part forgotten", COMPOSITE, "    PetscCall(HgStateAXPY(x_bar, 1, c->dx[0]));", "    if (!k) PetscCall(HgStateAXPY(x_bar, 1, c->dx[0]));", "controls", SUMS),
    ("sums and chains", "part twice", COMPOSITE, "    PetscCall(HgStateAXPY(x_bar, 1, c->dx[0]));", "    PetscCall(HgStateAXPY(x_bar, 1 + k, c->dx[0]));", "controls", SUMS + r".*regularisation"),
    ("sums and chains", "tangent of a part", COMPOSITE, "    PetscCall(HgOperatorTangent(c->parts[k], x, dx, c->x[0]));\n    PetscCall(HgStateAXPY(dy, 1, c->x[0]));", "    PetscCall(HgOperatorTangent(c->parts[k], x, dx, c->x[0]));", "controls", SUMS + r".*regularisation"),
    ("sums and chains", "value of a part", COMPOSITE, "    PetscCall(HgOperatorApply(c->parts[k], x, c->x[0]));\n    PetscCall(HgStateAXPY(y, 1, c->x[0]));", "    PetscCall(HgOperatorApply(c->parts[k], x, c->x[0]));\n    PetscCall(HgStateAXPY(y, 2, c->x[0]));", "controls", SUMS + r".*regularisation"),
    ("sums and chains", "gradient of a chain", COMPOSITE, "  return last ? chain_backward(c, last - 1, x, c->dx[last], HgOperatorAdjoint, x_bar) : 0;", "  return last ? chain_backward(c, last - 1, x, c->dx[last], HgOperatorAdjoint, x_bar) || HgStateScale(x_bar, 1.001) : 0;", "controls", SUMS),
    ("sums and chains", "point of a chain", COMPOSITE, "  PetscCall(chain_forward(c, last, x));\n", "  PetscCall(chain_forward(c, last, x));\n  if (last) PetscCall(HgStateScale(c->x[1], 1.01));\n", "controls", r"^found\|(sum|control)\|"),
    ("experiments", "weight in the gradient", EXPERIMENTS, "    HgStatePack(f->m_bar, f->own[n]);", "    if (e == 2) PetscCall(HgStateScale(f->m_bar, 1.1));\n    HgStatePack(f->m_bar, f->own[n]);", "experiments", SUMS + r".*experiment 2"),
    ("experiments", "weight in the gradient", EXPERIMENTS, "    HgStatePack(f->m_bar, f->own[n]);", "    if (e == 0) PetscCall(HgStateScale(f->m_bar, 0.5));\n    HgStatePack(f->m_bar, f->own[n]);", "experiments", SUMS + r".*experiment 0"),
    ("experiments", "weight in the value", EXPERIMENTS, "    HgSumAdd(sum, 1, &J);", "    if (e == 1 && !dm && !states) J *= 2;\n    HgSumAdd(sum, 1, &J);", "experiments", SUMS + r".*experiment 1"),
    ("experiments", "weight in the value", EXPERIMENTS, "    HgSumAdd(sum, 1, &J);", "    if (e == 3 && !dm && !states) J *= 0.9;\n    HgSumAdd(sum, 1, &J);", "experiments", SUMS + r".*experiment 3"),
    ("experiments", "weight in the tangent", EXPERIMENTS, "    HgSumAdd(sum, 1, &J);", "    if (e == 3 && dm) J *= 2;\n    HgSumAdd(sum, 1, &J);", "experiments", SUMS + r".*experiment 3"),
    ("experiments", "weight of all", EXPERIMENTS, "    HgSumAdd(sum, 1, &J);", "    if (e == 2) {\n      J *= 1.5;\n      if (!dm) PetscCall(HgStateScale(f->m_bar, 1.5));\n    }\n    HgSumAdd(sum, 1, &J);", "experiments", SUMS + r".*experiment 2"),
    ("experiments", "one forgotten", EXPERIMENTS, "    HgStatePack(f->m_bar, f->own[n]);", "    if (e == 3) PetscCall(HgStateZero(f->m_bar));\n    HgStatePack(f->m_bar, f->own[n]);", "experiments", SUMS + r".*experiment 3"),
    ("experiments", "one twice", EXPERIMENTS, "    HgStatePack(f->m_bar, f->own[n]);", "    if (e == 1) PetscCall(HgStateScale(f->m_bar, 2));\n    HgStatePack(f->m_bar, f->own[n]);", "experiments", SUMS + r".*experiment 1"),
    ("experiments", "scale", EXPERIMENTS, "f->total[i] *= scale;", "f->total[i] *= 2 * scale;", "experiments", SUMS),
]


def setups(root):
    for group, kind, path, old, new, cases, operator, *place in SETUPS:
        text = (root / path).read_text()
        at = text.find(old)
        if not cases:
            continue
        if at < 0:
            raise SystemExit(f"campaign: {path} has no '{old}', expected what is to be changed")
        yield Mutant(group=group, kind=kind, path=path, unit=path, text=text[:at] + new + text[at + len(old):],
                     line=text.count("\n", 0, at) + 1, cases=tuple(cases.split()), operator=operator, place=place[0] if place else "")


# ---- two applications of a user's making: group, source, what is changed in which stencil or operator ----
GRAY_SCOTT, WAVE = "tests/adjoint/doctor/stranger_gray_scott.c", "tests/adjoint/doctor/stranger_wave.c"
REACT, LEAPFROG, SPONGE, PRIOR, DIFFUSE = "react", "leapfrog", "sponge", "prior", "diffuse"
VALUES = [  # a wrong value, whose tangent and adjoint belong to each other: (path, stencil, factor of what, sizes)
    (GRAY_SCOTT, REACT, "(feed[i] * (1 - u[i]) - rate)", "(feed[i] * (1 - u[i]) - {} * rate)"),
    (GRAY_SCOTT, REACT, "(feed[i] * (1 - u[i]) - rate)", "({} * feed[i] * (1 - u[i]) - rate)"),
    (GRAY_SCOTT, REACT, "(rate - (feed[i] + r->kill) * v[i])", "({} * rate - (feed[i] + r->kill) * v[i])"),
    (GRAY_SCOTT, REACT, "(rate - (feed[i] + r->kill) * v[i])", "(rate - (feed[i] + {} * r->kill) * v[i])"),
    (GRAY_SCOTT, REACT, "u_next[i] = u[i] +", "u_next[i] = {} * u[i] +"),
    (WAVE, LEAPFROG, "(c2[i] * lap(b, x[0], i, j) + f[i] * now)", "({} * c2[i] * lap(b, x[0], i, j) + f[i] * now)"),
    (WAVE, LEAPFROG, "p_next[i] = 2 * p[i] - old[i]", "p_next[i] = 2 * {} * p[i] - old[i]"),
    (WAVE, LEAPFROG, "p_next[i] = 2 * p[i] - old[i]", "p_next[i] = 2 * p[i] - {} * old[i]"),
    (WAVE, LEAPFROG, "old_next[i] = p[i]", "old_next[i] = {} * p[i]"),
]
FACTORS = ["1.1", "0.99"] + [f"(b->step >= {n} ? 1.01 : 1)" for n in (3, 5, 6, 8)] + ["(b->step == 7 ? 0.5 : 1)", "(b->i_global + i == 6 ? 1.1 : 1)"]
KINKS = [
    (GRAY_SCOTT, REACT, "const double rate = u[i] * v[i] * v[i]", "const double rate = fmin(0.03, u[i] * v[i] * v[i])"),
    (GRAY_SCOTT, REACT, "const double rate = u[i] * v[i] * v[i]", "const double rate = fmax(0.01, u[i] * v[i] * v[i])"),
    (GRAY_SCOTT, REACT, "const double rate = u[i] * v[i] * v[i]", "const double rate = v[i] > 0.2 ? 0.9 * u[i] * v[i] * v[i] : u[i] * v[i] * v[i]"),
    (GRAY_SCOTT, REACT, "const double rate = u[i] * v[i] * v[i]", "const double rate = b->step < 5 ? u[i] * v[i] * v[i] : fmin(0.03, u[i] * v[i] * v[i])"),
    (GRAY_SCOTT, REACT, "const double rate = u[i] * v[i] * v[i]", "const double rate = (float)(u[i] * v[i] * v[i])"),
    (GRAY_SCOTT, REACT, "u_next[i] = u[i] +", "u_next[i] = fabs(u[i] - 0.9) +"),
    (WAVE, LEAPFROG, "p_next[i] = 2 * p[i]", "p_next[i] = 2 * fmin(p[i], 0.1)"),
    (WAVE, LEAPFROG, "p_next[i] = 2 * p[i]", "p_next[i] = 2 * fabs(p[i])"),
    (WAVE, LEAPFROG, "p_next[i] = 2 * p[i]", "p_next[i] = 2 * (float)p[i]"),
    (WAVE, LEAPFROG, "p_next[i] = 2 * p[i]", "p_next[i] = 2 * (b->step > 5 ? fmax(p[i], 0) : p[i])"),
    (WAVE, LEAPFROG, "old_next[i] = p[i]", "old_next[i] = fabs(p[i]) > 0.05 ? 0.99 * p[i] : p[i]"),
]
KEPT = "static double kept[64];\n{loop} kept[i + 20] = {what};\n{loop} {{\n"  # in memory that threads share
LOOP = "    for (int i = b->i0; i < b->i1; i++)"
THREADS = [
    (GRAY_SCOTT, REACT, LOOP + " {\n      const double rate = u[i] * v[i] * v[i];", KEPT.format(loop=LOOP, what="u[i] * v[i] * v[i]") + "const double rate = kept[i + 20];"),
    (GRAY_SCOTT, REACT, LOOP + " {\n      const double drate = v[i] * v[i] * du[i]", KEPT.format(loop=LOOP, what="v[i] * v[i] * du[i]") + "const double drate = kept[i + 20]"),
    (GRAY_SCOTT, REACT, LOOP + " {\n      if (u_bar) u_bar[i] += a[i] +", KEPT.format(loop=LOOP, what="a[i]") + "      if (u_bar) u_bar[i] += kept[i + 20] +"),
    (WAVE, LEAPFROG, LOOP + " {\n      p_next[i] = 2 * p[i] -", KEPT.format(loop=LOOP, what="p[i]") + "      p_next[i] = 2 * kept[i + 20] -"),
    (WAVE, LEAPFROG, LOOP + " {\n      const double waves = c2[i] *", KEPT.format(loop=LOOP, what="c2[i]") + "      const double waves = kept[i + 20] *"),
    (WAVE, SPONGE, "      const double d = damping(b, params, i, j);\n      y[0]", "      static volatile double d;\n      d = damping(b, params, i, j);\n      d *= 1 + 1e-9 * x[0][j][i];\n      y[0]"),
]
LOCAL = [
    (WAVE, SPONGE, "const int p = b->i_global + i, q = b->j_global + j;", "const int p = i, q = b->j_global + j;"),
    (WAVE, SPONGE, "const int p = b->i_global + i, q = b->j_global + j;", "const int p = b->i_global + i, q = j;"),
    (WAVE, LEAPFROG, "old_next[i] = p[i]", "old_next[i] = (i == 2 ? 1.01 : 1) * p[i]"),
    (WAVE, LEAPFROG, "dold_next[i] = dp[i]", "dold_next[i] = (j == 2 ? 1.01 : 1) * dp[i]"),
    (WAVE, LEAPFROG, "if (old_bar) old_bar[i] -= w[i]", "if (old_bar) old_bar[i] -= (i == 1 ? 1.01 : 1) * w[i]"),
    (GRAY_SCOTT, REACT, "u_next[i] = u[i] +", "u_next[i] = u[i] + 1e-3 * j +"),
    (GRAY_SCOTT, REACT, "if (feed_bar) feed_bar[i] += b->dt", "if (feed_bar) feed_bar[i] += (i == 0 ? 2 : 1) * b->dt"),
    (GRAY_SCOTT, DIFFUSE, "y[0][j][i] = x[0][j][i] + ru", "y[0][j][i] = x[0][j][i] + (j == 1 ? 0 : 1) * ru"),
]
RANKS = [
    (GRAY_SCOTT, "params|" + REACT, "React kinetics = {.kill = 0.06};", "int rank;\n  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);\n  React kinetics = {.kill = 0.06 + 0.001 * rank};"),
    (GRAY_SCOTT, "params|" + DIFFUSE, "Diffuse diffusion = {.du = 0.16, .dv = 0.08};", "int rank;\n  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);\n  Diffuse diffusion = {.du = 0.16, .dv = 0.08 + 0.001 * rank};"),
    (WAVE, "params|" + SPONGE, "Sponge layers = {.strength = 0.03};", "int rank;\n  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);\n  Sponge layers = {.strength = 0.03 + 0.001 * rank};"),
]
PRIORS = [(GRAY_SCOTT, PRIOR, old, new) for old, new in [
    ("sum += 0.5 * WEIGHT * off * off;", "sum += WEIGHT * off * off;"), ("sum += 0.5 * WEIGHT * off * off;", "sum += 0.5 * WEIGHT * off * off * off;"),
    ("sum += 0.5 * WEIGHT * off * off;", "sum += 0.51 * WEIGHT * off * off;"), ("sum += 0.5 * WEIGHT * off * off;", "sum += 0.5 * WEIGHT * off * off + off * off * off;"),
    ("sum += WEIGHT * (HgStateRows(m, 0)", "sum += 0.5 * WEIGHT * (HgStateRows(m, 0)"), ("sum += WEIGHT * (HgStateRows(m, 0)", "sum += 1.01 * WEIGHT * (HgStateRows(m, 0)"),
    ("HgStateRows(m_bar, 0)[j][i] += weight", "HgStateRows(m_bar, 0)[j][i] += 0.5 * weight"), ("HgStateRows(m_bar, 0)[j][i] += weight", "HgStateRows(m_bar, 0)[j][i] -= weight"),
    ("HgStateRows(m_bar, 0)[j][i] += weight", "HgStateRows(m_bar, 0)[j][i] += 0 * weight"), ("HgStateRows(m_bar, 0)[j][i] += weight", "HgStateRows(m_bar, 0)[j][i] += 1.001 * weight"),
    ("HgStateArray(R_bar, 0)[0] * WEIGHT", "HgStateArray(R_bar, 0)[0]"), ("HgStateArray(R_bar, 0)[0] * WEIGHT", "HgStateArray(R_bar, 0)[0] * WEIGHT * WEIGHT")]]
PRIORS += [(WAVE, PRIOR, old, new) for old, new in [
    ("(0.5 * r * r + 0.25 * r * r * r * r)", "(r * r + 0.25 * r * r * r * r)"), ("(0.5 * r * r + 0.25 * r * r * r * r)", "(0.5 * r * r + 0.25 * r * r * r)"),
    ("(0.5 * r * r + 0.25 * r * r * r * r)", "(0.5 * r * r + 0.35 * r * r * r * r)"), ("WEIGHT * (r + r * r * r)", "WEIGHT * (r - r * r * r)"),
    ("WEIGHT * (r + r * r * r)", "WEIGHT * (1.01 * r + r * r * r)"), ("WEIGHT * (r + r * r * r)", "0.5 * WEIGHT * (r + r * r * r)"),
    ("+= weight * slope(", "+= 0.9 * weight * slope("), ("+= weight * slope(", "-= weight * slope("), ("+= weight * slope(", "+= 0 * weight * slope("),
    ("sum += slope(", "sum += 2 * slope(")]]
NARROW = [
    (WAVE, LEAPFROG, '{"p", 1, 1}', '{"p", 0, 1}'), (WAVE, LEAPFROG, '{"c2", 0, 1}', '{"c2", 0, 0}'), (WAVE, LEAPFROG, '{"p", 1, 1}', '{"p", 1, 0}'),
    (GRAY_SCOTT, DIFFUSE, '{"u", 1, HG_ADJOINT_UNUSED}', '{"u", 0, HG_ADJOINT_UNUSED}'), (GRAY_SCOTT, DIFFUSE, '{"v", 1, HG_ADJOINT_UNUSED}', '{"v", 0, HG_ADJOINT_UNUSED}'),
]
CASE = {GRAY_SCOTT: "gray-scott", WAVE: "wave"}
STRANGERS = [("value, also late", [(p, w, o, n.format(f)) for p, w, o, n in VALUES for f in FACTORS], ""), ("kink", KINKS, ""), ("threads", THREADS, "@-hg_threads@2"),
             ("local index", LOCAL, ""), ("params by rank", RANKS, ""), ("stationary prior", PRIORS, ""), ("radius", NARROW, "")]


def strangers(root):
    """Those of a user's own code that are not derivatives changed line by line, as kernels() has them."""
    for kind, errors, options in STRANGERS:
        for path, what, old, new in errors:
            text = (root / path).read_text()
            at = text.find(old)
            if at < 0:
                raise SystemExit(f"campaign: {path} has no '{old}', expected what is to be changed")
            yield Mutant(group="own: " + kind, kind=kind, path=path, unit=path, text=text[:at] + new + text[at + len(old):], line=text.count("\n", 0, at) + 1,
                         cases=(CASE[path] + options,), operator=rf"^found(\|[^|]*){{3}}\|({what})\||^halograd: .*({what})")


def planted(root):
    """All of them; of the expressions of a source every so many, so that none has more than its share."""
    yield from every(kernels(root, KERNELS), 3)
    yield from every(kernels(root, OWN_KERNELS), 8)
    yield from strangers(root)
    yield from every(operators(root), 3)
    yield from setups(root)


def every(mutants, most):
    """At most so many of each source and kind, spread evenly."""
    by = {}
    for m in mutants:
        by.setdefault((m.path, m.unit, m.kind), []).append(m)
    for some in by.values():
        yield from some[::-(-len(some) // most)]
