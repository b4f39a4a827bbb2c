# SPDX-License-Identifier: BSD-2-Clause
"""Claim: apply computes, to the bit, what the text says: against an evaluator of its own, which walks the tree of the text and knows
nothing of graphs; derivatives are finite where the text's are, at 0 and on the side of a choice that is not taken. Names that C's headers
give a meaning compile, too, or are refused.
usage: values.py COMPILER BUILD"""
import ctypes
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from generator import ROOT, StencilError, c_of, complaint, ctext, deep, includes, stencils_of, syntax

NX, NY, NZ, GHOST, GHOST_LEVELS = 11, 7, 3, 8, 4
PARAMS = {"a": 0.7, "b": 1.3, "rho": 1.9, "gravity": 9.1, "rotation": 0.4, "decay": 1.1, "spread": 0.6, "lift": 0.3}
BOX = {"dx": 0.9, "dy": 1.2, "dt": 0.2, "t": 1.7, "step": 4.0, "nx": 60.0, "ny": 50.0, "x0": 0.3, "y0": -0.2, "i0": 3, "j0": 48,
       "dz": 0.7, "nz": float(NZ), "z0": 0.15}
# Of global rows -9 on: cosine, sine, north_cosine, north_sine.
ROWS, LATITUDE = -9, [[math.cos(0.03 * n + 0.1), math.sin(0.03 * n + 0.1), math.cos(0.031 * n + 0.2), math.sin(0.031 * n + 0.2)] for n in range(90)]
LATITUDES = ("cosine", "sine", "north_cosine", "north_sine")
ENTRIES, COUNT = [math.sin(1.7 * n) for n in range(100)], 20  # of each table; of those by step, fewer
COMPASS = {"E": (1, 0, 0), "W": (-1, 0, 0), "N": (0, 1, 0), "S": (0, -1, 0), "NE": (1, 1, 0), "NW": (-1, 1, 0), "SE": (1, -1, 0), "SW": (-1, -1, 0),
           "EE": (2, 0, 0), "WW": (-2, 0, 0), "NN": (0, 2, 0), "SS": (0, -2, 0), "U": (0, 0, 1), "D": (0, 0, -1), "UU": (0, 0, 2), "DD": (0, 0, -2),
           "UE": (1, 0, 1), "UW": (-1, 0, 1), "UN": (0, 1, 1), "US": (0, -1, 1), "DE": (1, 0, -1), "DW": (-1, 0, -1), "DN": (0, 1, -1), "DS": (0, -1, -1)}
DYADIC = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b, "<": lambda a, b: a < b,
          "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
          "&&": lambda a, b: a and b, "||": lambda a, b: a or b}
FUNCTIONS = {"exp": math.exp, "log": math.log, "sin": math.sin, "cos": math.cos, "tanh": math.tanh, "sqrt": math.sqrt, "abs": abs,
             "min": lambda a, b: a if a < b else b, "max": lambda a, b: b if b >= a else a}


class Evaluator:
    def __init__(self, stencil, fields):
        """fields: {name: {(i, j, k): value}}"""
        self.stencil, self.fields = stencil, fields
        self.surfaces = {v.name for v in stencil.reads + stencil.carries if v.surface}
        self.lets = {s.name.text: s for s in stencil.body if isinstance(s, syntax.Let)}

    def name(self, text, i, j, k, arguments):
        if text in arguments:
            return arguments[text](i, j, k)
        if text in self.fields:
            return self.fields[text][i, j, 0 if text in self.surfaces else k]
        if text in self.lets:
            return self.value(self.lets[text].value, i, j, k, {})
        at = {"i": (BOX["i0"] + i) % BOX["nx"], "j": (BOX["j0"] + j) % BOX["ny"], "k": k % BOX["nz"]}
        known = {**PARAMS, **BOX, **at, "x": BOX["x0"] + at["i"] * BOX["dx"], "y": BOX["y0"] + at["j"] * BOX["dy"],
                 "z": BOX["z0"] + at["k"] * BOX["dz"]}
        if text in known:
            return known[text]
        if text in LATITUDES:
            return LATITUDE[BOX["j0"] + j - ROWS][LATITUDES.index(text)]
        base, _, suffix = text.rpartition("_")
        x, y, z = COMPASS[suffix]
        return self.name(base, i + x, j + y, k + z, arguments)

    def value(self, tree, i, j, k, arguments):
        def at(inner):
            return self.value(inner, i, j, k, arguments)

        kind = type(tree).__name__
        if kind == "Number":
            return float(tree.text)
        if kind == "Name":
            return self.name(tree.text, i, j, k, arguments)
        if kind == "Offset":
            return self.name(tree.base.text, i + tree.x, j + tree.y, k + tree.z, arguments)
        if kind == "Index":
            index = int(self.name(tree.index.text, i, j, k, {})) + tree.shift
            if tree.index.text == "step":
                return ENTRIES[index] if 0 <= index < COUNT else 0.0
            return ENTRIES[int((BOX["i0"] + i + tree.shift) % BOX["nx"])]
        if kind == "Unary":
            return not at(tree.argument) if tree.op == "!" else -at(tree.argument)
        if kind == "Binary":
            return DYADIC[tree.op](at(tree.left), at(tree.right))
        if kind == "Sum":
            total = at(tree.terms[0][1])
            for sign, term in tree.terms[1:]:
                total = DYADIC[sign](total, at(term))
            return total
        if kind == "Power":
            return self.power(at(tree.base), tree.exponent)
        if kind == "Choice":
            return at(tree.yes) if at(tree.condition) else at(tree.no)
        let = self.lets.get(tree.function.text)
        if not let:
            return FUNCTIONS[tree.function.text](*(at(a) for a in tree.arguments))
        inside = {a.text: (lambda i, j, k, tree=t: self.value(tree, i, j, k, arguments)) for a, t in zip(let.arguments, tree.arguments)}
        return self.value(let.value, i, j, k, inside)

    def power(self, x, n):
        """As docs/stencil-language.md says."""
        if n < 0:
            return 1 / self.power(x, -n)
        if n.denominator == 2:
            return math.sqrt(x) if n < 1 else self.power(x, n - n % 1) * math.sqrt(x)
        if n.denominator > 1:
            return math.pow(x, n.numerator / n.denominator)
        if n <= 3:
            return {1: x, 2: x * x, 3: x * x * x}[int(n)]
        part = 2 if n % 2 == 0 else 3 if n % 3 == 0 else 0
        return self.power(self.power(x, n / part), type(n)(part)) if part else self.power(x, n - 1) * x


class Box(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int) for n in ("i0", "i1", "j0", "j1", "k0", "k1", "i_global", "j_global", "nx_global", "ny_global", "nz")] + \
               [("pitch", ctypes.c_ssize_t)] + [(n, ctypes.c_double) for n in ("x0", "y0", "dx", "dy", "z0", "dz")] + [("latitude", ctypes.c_void_p)] + \
               [(n, ctypes.c_double) for n in ("dt", "t")] + [("step", ctypes.c_long), ("fresh", ctypes.c_uint), ("zeros", ctypes.c_void_p)]


def params_of(stencil, table):
    """The struct of a stencil's params: its numbers, then its tables, those by step with their length."""
    numbers = [p.name for p in stencil.parameters if p.name not in BOX]
    members = [(n, ctypes.c_double, PARAMS[n]) for n in numbers]
    for t in stencil.tables:
        members.append((t.name, ctypes.c_void_p, ctypes.addressof(table)))
        members += [(t.name + "_count", ctypes.c_long, COUNT)] if t.axis == "step" else []
    made = type("Params", (ctypes.Structure,), {"_fields_": [m[:2] for m in members]})
    return made(*(m[2] for m in members))


WIDTH, HEIGHT = NX + 2 * GHOST, NY + 2 * GHOST


def levels_of(stencil):
    """Levels in memory, those below level 0 among them, and those that are computed."""
    return (NZ + 2 * GHOST_LEVELS, GHOST_LEVELS, NZ) if stencil.levels else (1, 0, 1)


def rows_of(values, levels, below):
    """(a pointer to row 0, what must live as long); values: row by row, level by level"""
    numbers = (ctypes.c_double * (WIDTH * HEIGHT * levels))(*values)
    start = ctypes.addressof(numbers)
    rows = (ctypes.c_void_p * HEIGHT)(*(start + 8 * ((j * levels + below) * WIDTH + GHOST) for j in range(HEIGHT)))
    return ctypes.addressof(rows) + 8 * GHOST, (numbers, rows)


def compiled(text, folder, compiler, build, level="O1"):
    """The library of a text's kernels."""
    source, out = pathlib.Path(folder, "values.c"), pathlib.Path(folder, "values.so")
    source.write_text(text)
    # -Bsymbolic: else the C library's own `advance` and `step` would stand for stencils of these names.
    flags = ["-std=gnu11", f"-{level}", "-ffp-contract=off", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-Wall", "-Wextra", "-Werror"]
    done = subprocess.run([compiler, *flags, *includes(build), source, "-o", out, "-lm"], text=True, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"does not compile: {done.stderr[:500]}")
    return out


def applied(library, stencil, fields):
    """{write: numbers} by the C kernel, each of the box's cells."""
    entry = getattr(library, f"apply_{stencil.symbol.text}")
    names = [r.name for r in stencil.reads + stencil.carries]
    levels, below, nz = levels_of(stencil)
    surfaces = {v.name for v in stencil.reads + stencil.carries if v.surface}
    inputs = []
    for n in names:
        high, low = (1, 0) if n in surfaces else (levels, below)
        values = [fields[n][i, j, k] for j in range(-GHOST, NY + GHOST) for k in range(-low, high - low) for i in range(-GHOST, NX + GHOST)]
        inputs.append(rows_of(values, high, low))
    writes = [s.name for s in stencil.body if isinstance(s, syntax.Equation)]
    outputs = [rows_of([0.0] * (WIDTH * HEIGHT * levels), levels, below) for _ in writes]
    latitude = (ctypes.c_double * (4 * len(LATITUDE)))(*(number for row in LATITUDE for number in row))
    box = Box(i1=NX, j1=NY, k1=nz, i_global=BOX["i0"], j_global=BOX["j0"], nx_global=int(BOX["nx"]), ny_global=int(BOX["ny"]), nz=nz, pitch=WIDTH,
              latitude=ctypes.addressof(latitude) - 32 * ROWS, step=int(BOX["step"]), **{n: BOX[n] for n in ("x0", "y0", "dx", "dy", "z0", "dz", "dt", "t")})
    table = (ctypes.c_double * len(ENTRIES))(*ENTRIES)
    params = params_of(stencil, table)
    entry(ctypes.byref(box), ctypes.byref(params), (ctypes.c_void_p * len(inputs))(*(p for p, _ in inputs)), (ctypes.c_void_p * len(outputs))(*(p for p, _ in outputs)))
    return {w: kept[0] for w, (_, kept) in zip(writes, outputs)}


def entries(stencils):
    """C functions that ctypes can call: apply_SYMBOL."""
    return "".join(f"\nHgApplyFn apply_{s.symbol.text};\nvoid apply_{s.symbol.text}(const HgBox *b, const void *p, const HgRows x[], const HgRowsOut y[]) {{ {s.symbol.text}.apply(b, p, x, y); }}\n"
                   for s in stencils)


def meaning(text):
    """[(stencil, fields, [(write, cell, value)])]: fields drawn at random, and what the text says of each of the box's cells."""
    rng, found = random.Random(1), []
    for stencil in stencils_of(text):
        levels, below, nz = levels_of(stencil)
        cells = [(i, j, k) for j in range(-GHOST, NY + GHOST) for k in range(-below, levels - below) for i in range(-GHOST, NX + GHOST)]
        fields = {r.name: {c: rng.uniform(0.5, 2) if r.sign else rng.uniform(-1, 1) for c in cells} for r in stencil.reads + stencil.carries}
        evaluator = Evaluator(stencil, fields)
        found.append((stencil, fields, [(s.name, (i, j, k), evaluator.value(s.value, i, j, k, {})) for s in stencil.body if isinstance(s, syntax.Equation)
                                        for j in range(NY) for k in range(nz) for i in range(NX)]))
    return found


def differs(meant, c_text, folder, compiler, build, level="O1"):
    """'' or where the C text computes something else than `meant`, the meaning of the .stencil text."""
    library = ctypes.CDLL(str(compiled(c_text + entries([stencil for stencil, _, _ in meant]), folder, compiler, build, level)))
    for stencil, fields, values in meant:
        (levels, below, _), computed = levels_of(stencil), applied(library, stencil, fields)
        for name, (i, j, k), expected in values:
            got = computed[name][((j + GHOST) * levels + below + k) * WIDTH + GHOST + i]
            if expected.hex() != got.hex():
                return f"{stencil.name.text}: {name}' of cell ({i}, {j}, {k}) is {got.hex()}, expected {expected.hex()}"
    return ""


EDGE = """stencil edge {
  reads h >= 0, u >= 0;
  params c;
  h' = h - dt * h^1.5;
  u' = u + dt * (c > 0 ? sqrt(u) : u);
}
"""
FINITE = """
#include <math.h>
int edge_is_finite(void);
int edge_is_finite(void) {
  double zero = 0, one = 1, bar[2] = {0, 0}, d[2];
  const double *z = &zero, *o = &one;
  double *b0 = &bar[0], *b1 = &bar[1], *d0 = &d[0], *d1 = &d[1];
  const HgRows x[] = {&z, &z}, ones[] = {&o, &o};
  const HgRowsOut x_bar[] = {&b0, &b1}, dy[] = {&d0, &d1};
  const HgBox box = {.i1 = 1, .j1 = 1, .dx = 1, .dy = 1, .dt = 1};
  const EdgeParams p = {-1};
  edge.tangent(&box, &p, x, ones, dy);
  edge.adjoint(&box, &p, x, ones, x_bar);
  return d[0] == 1 && d[1] == 2 && bar[0] == 1 && bar[1] == 2;
}
"""


def edges(compiler, build):
    """At h = u = 0, c < 0: dh' = dh, du' = 2 du, and likewise in reverse."""
    with tempfile.TemporaryDirectory() as folder:
        return ctypes.CDLL(str(compiled(c_of(EDGE) + FINITE, folder, compiler, build))).edge_is_finite()


def words_of_headers(compiler, build):
    """All names that the headers of generated C declare or define."""
    text = "#include <math.h>\n#include <halograd/kernel.h>\n#include <stddef.h>\n"
    said = "".join(subprocess.run([compiler, "-std=gnu11", *flags, *includes(build), "-x", "c", "-"], input=text, text=True, capture_output=True, check=True).stdout for flags in (["-E", "-P"], ["-E", "-dM"]))
    return sorted({*re.findall(r"\b[A-Za-z]\w{0,40}", said), *ctext.KEYWORDS, *ctext.C_LIBRARY, "Weights", "ApplyParams", "u_bar_row", "apply_stage0", "adjoint", "x_next"})


def named(compiler, build):
    """'' or what a text does not compile to whose names are C's: lets, variables, parameters, stencils."""
    words = words_of_headers(compiler, build)
    lets = [w for w in words if not complaint(f"stencil a {{ reads u; let {w} = u + 1; u' = {w}; }}")]
    members = [w for w in lets if not complaint(f"stencil a {{ reads u; params {w}; u' = {w} * u; }}")]
    symbols = [w for w in words if not complaint(f"stencil a as {w} {{ reads u; u' = u * u; }}")]
    if len(words) < 300 or len(lets) < 300 or {"HgBox", "NAN", "if"} & {*members, *symbols}:
        return f"{len(lets)} of {len(words)} words can be lets; those of C are not refused"
    risky = [w for w in lets if w in ctext.KEYWORDS or ctext.is_of_c(w)]
    for n in range(0, len(words), 60):
        some, few, inside, outside = lets[n : n + 60], risky[n // 2 : n // 2 + 30], members[n : n + 60], symbols[n : n + 60]
        texts = [f"stencil a {{ reads u, v; {' '.join(f'let {w} = u_E * v + {k};' for k, w in enumerate(some))} u' = sin({' + '.join(f'{w} * {w}_N' for w in some)}); }}"] if some else []
        texts += [f"stencil a {{ reads {', '.join(few)}; new' = {' + '.join(f'{w}_E * {w}' for w in few)}; }}"] if few else []
        others = [f"stencil a {{ reads u; params {', '.join(inside)}; u' = u * u * ({' + '.join(inside)}); }}"] if inside else []
        others += ["".join(f"stencil b{k} as {w} {{ reads u; u' = u * u_E; }} " for k, w in enumerate(outside))] if outside else []
        for text in texts + others:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    c_text = c_of(text)
                    wrong = differs(meaning(text), c_text, folder, compiler, build, "O0") if text in texts else compiled(c_text, folder, compiler, build, "O0") and ""
                except (RuntimeError, StencilError) as error:
                    wrong = str(error)
            if wrong:
                return f"{text}: {wrong}"
    return ""


def run():
    compiler, build = sys.argv[1:3]
    status = 0
    wrong = named(compiler, build)
    if wrong:
        print(f"claim fails: names that C's headers give a meaning compile, or are refused: {wrong}")
        status = 1
    if not edges(compiler, build):
        print("claim fails: derivatives are finite where the text's are: " + EDGE)
        status = 1
    for file in [pathlib.Path(__file__).with_name("probe.stencil"), *sorted(ROOT.glob("apps/*/*.stencil"))]:
        meant, c_text = meaning(file.read_text()), c_of(file.read_text())
        for level in ("O0", "O3") if file.name == "probe.stencil" else ("O0",):  # random_stencils.py: levels change no bit
            with tempfile.TemporaryDirectory() as folder:
                wrong = differs(meant, c_text, folder, compiler, build, level)
            if wrong:
                print(f"claim fails: apply computes what the text says: {file.name} with -{level}: {wrong}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(deep(run))
