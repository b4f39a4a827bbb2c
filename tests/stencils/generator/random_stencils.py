# SPDX-License-Identifier: BSD-2-Clause
"""Claim: stencils with random expressions, radii and conditions keep the kernel contract, by the library's own checks; their bits are
the same with gcc and clang at every level of optimisation, and a step's on 1 and 4 ranks; a stencil with the one before it inlined has the
bits of the two.
usage: random_stencils.py SOURCE BUILD COMPILER[,COMPILER] LEVEL[,LEVEL] COUNT [SEED]; silent if the claim holds"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from generator import ROOT, StencilError, c_of, deep, includes

SUFFIXES = ["", "", "", "_E", "_W", "_N", "_S", "_NE", "_SW", "[2, 0]", "[0, -2]", "[-3, 1]"]
LEVELS = ["", "", "_U", "_D", "_E", "_UN", "_DW", "_S", "_DD", "[1, 0, 1]", "[0, -2, -1]", "[2, 1, 3]"]
BATCH, PAIRS = 12, 4


class Maker:
    """One random stencil as text. Reads h... are positive. Everything has a continuous derivative, as the check of Taylor wants."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.reads = [f"u{n}" for n in range(rng.randint(1, 3))] + [f"h{n}" for n in range(rng.randint(0, 2))]
        self.far = rng.choice((3, 7, 9, 12))
        self.used, self.lets, self.functions, self.params = set(), [], [], False
        self.sphere = rng.randrange(3) == 0
        self.levels = rng.randrange(3) == 0
        self.surface = self.reads[-1] if self.levels and len(self.reads) > 1 and rng.randrange(2) else None

    def read(self, letter=None):
        fits = [r for r in self.reads if letter is None or r[0] == letter]
        if not fits:
            return "1.5"
        name = self.rng.choice(fits)
        self.used.add(name)
        if self.levels and name != self.surface:
            return name + self.rng.choice(LEVELS[: self.far])
        return name + self.rng.choice(SUFFIXES[: self.far])

    def leaf(self):
        kind = self.rng.randrange(12)
        if kind == 0:
            return self.rng.choice(("0.5", "2", "1.25", "3"))
        if kind == 1:
            self.params = True
            return self.rng.choice(("a", "b"))
        if kind == 2 and self.sphere:
            return self.rng.choice(("cosine", "sine", "north_cosine", "north_sine", "cosine_N", "north_cosine_S", "1 / (cosine * dx / 1 [m])", "dx / (north_cosine[0, -2] * dy)"))
        if kind == 2 and self.levels:
            return self.rng.choice(("dz / dx", "sin(z / 2 [m])", "k / nz", "cos((z - x) / 3 [m])", "(i - k) / nx"))
        if kind == 2:
            return self.rng.choice(("dt / 1 [s]", "dx / dy", "dy / 2 [m]", "sin(t / 1 [s])", "cos(x / (7 * dx))", "sin(y / 5 [m])", "(i - j) / nx"))
        if kind == 3 and self.lets:
            return self.rng.choice(self.lets) + self.rng.choice(("", "_E", "_W", "_N", "_S"))
        return self.read()

    def positive(self, depth):
        kind = self.rng.randrange(4)
        if kind == 0 or not any(r[0] == "h" for r in self.reads):
            return f"(1 + ({self.expression(depth - 1)})^2)"
        return f"({self.read('h')} + 0.25)" if kind == 1 else f"({self.read('h')} + {self.read('h')} + 0.5)"  # h / h would have no derivative

    def condition(self, depth):
        kind = self.rng.randrange(5)
        if kind == 0 and self.levels:
            return self.rng.choice(("k > 1", "k == 0 || i > 30", "z < 1 [m]"))
        if kind == 0 and self.sphere:
            return self.rng.choice(("cosine > 0.7", "sine < north_sine_S", "step == 0"))
        if kind == 0:
            return self.rng.choice(("step == 0", "t > 1 [s]", "i > 20", "j < 30 && i >= 4", "!(x < 9 [m])", "i > 40 || j == 3"))
        return ""

    def smooth_choice(self, depth):
        """Squares that begin where a condition does: continuous with their first derivatives."""
        a = self.expression(depth - 1)
        kind = self.rng.randrange(6)
        condition = self.condition(depth)
        if condition:
            return f"({condition} ? {a} : {self.expression(depth - 1)})"
        if kind == 0:
            return f"max({a}, 0)^2"
        if kind == 1:
            return f"abs({a}) * ({a})"
        if kind == 2:
            return f"(({a}) > 0 ? ({a})^2 : -0.5 * ({a})^3)"
        if kind == 3:
            return f"min(0, {a})^3"
        if kind == 4:
            return f"(({a}) > 0 ? ({a})^2.5 : 0)"
        return f"max(0, min(2, {a}) - 2)^2"

    def expression(self, depth):
        if depth <= 0:
            return self.leaf()
        kind = self.rng.randrange(14)
        e = lambda: self.expression(depth - 1)  # noqa: E731
        if kind < 3:
            return f"({e()} + {e()})"
        if kind < 5:
            return f"({e()} - {e()})"
        if kind < 8:
            return f"({e()} * {e()})"
        if kind == 8:
            return f"({e()} / {self.positive(depth)})"
        if kind == 9:
            return self.rng.choice((f"({e()})^2", f"({e()})^3", f"{self.positive(depth)}^-1", f"{self.positive(depth)}^(1/3)", f"{self.positive(depth)}^1.5"))
        if kind == 10:
            return self.rng.choice((f"tanh({e()})", f"sin({e()})", f"cos({e()})", f"exp(-({e()})^2)", f"log({self.positive(depth)})", f"sqrt({self.positive(depth)})"))
        if kind == 11:
            return self.smooth_choice(depth)
        if kind == 12 and self.functions:
            return f"{self.rng.choice(self.functions)}({self.read()})"
        return f"(-{e()})"

    def text(self):
        lines = []
        for n in range(self.rng.randint(0, 2)):
            c = self.rng.choice(("rx * (c_E - 2 * c + c_W)", "(c_N - c) * (c_E + c)", "tanh(c - c_S)", "c * c_NE"))
            lines.append(f"  let f{n}(c) = {c.replace('rx', '1.5')};")
            self.functions.append(f"f{n}")
        for n in range(self.rng.randint(0, 3)):
            value = f"{self.read()} * {self.expression(2)}"
            lines.append(f"  let l{n} = {value};")
            self.lets.append(f"l{n}")
        equations = []
        for n in range(self.rng.randint(1, 2)):
            name = f"u{n}" if f"u{n}" in self.reads else f"w{n}"
            equations.append(f"  {name}' = {self.read()} + 0.2 * {self.expression(self.rng.randint(1, 4))};")
        every = [r for r in self.reads if r not in self.used] + self.lets + [f"{f}({self.reads[0]})" for f in self.functions] + ["a", "b"] * self.params
        self.used.update(self.reads)
        positive = [r + " surface" * (r == self.surface) + " > 0" * (r[0] == "h") for r in self.reads]
        if every:
            equations.append("  w9' = " + f"{self.reads[0]} * (" + " + 0.5 * ".join(every) + ");")
        params = ["  params a, b;"] if self.params else []
        return "\n".join([f"stencil {self.name} {'in xyz ' * self.levels}{{", "  reads " + ", ".join(positive) + ";", *params, *lines, *equations, "}"]) + "\n"


def accepted(rng, name):
    """A text that the generator does not refuse, as it does the tanh of a number."""
    for _ in range(50):
        text = Maker(rng, name).text()
        try:
            c_of(text)
            return text
        except StencilError:
            pass
    raise RuntimeError("50 texts one after another were refused")


def body_of(maker, target):
    """The lets and equations of a random stencil, which writes target(n)."""
    lines = maker.text().split("\n")
    lets = [line for line in lines if line.startswith("  let ")]
    equations = [line for line in lines if re.match(r"  \w+' = ", line)]
    return lets + [f"  {target(n)}' = {line.split(chr(39) + ' = ', 1)[1]}" for n, line in enumerate(equations)]


def pair(rng, name, still):
    """A physics of two stencils. What the second reads of the first, v0, v1, ..., it reads in the cell itself; if `still`, all that it reads."""
    first, second = Maker(rng, "first"), Maker(rng, "second")
    second.levels, second.sphere, first.surface, second.surface = first.levels, first.sphere, None, None
    written = body_of(first, lambda n: f"v{n}")
    between = [f"v{n}" for n in range(sum("' = " in line for line in written))]
    second.reads = [*second.reads, *between]
    offset = ("" if still else r"(?<=\bv\d)") + r"(?:_[NESWUD]+\b|\[[^]]*\])"
    body = [re.sub(offset, "", line) for line in body_of(second, lambda n: f"u{n}")]
    fields = dict.fromkeys([*first.reads, *second.reads, *(f"u{n}" for n in range(len(body)) if f"  u{n}' = " in "\n".join(body))])
    declared = ", ".join(f + " > 0" * (f[0] == "h") for f in fields)
    numbers = ["  number a, b;"] if first.params or second.params else []
    return "\n".join([f"physics {name} {'in xyz ' * first.levels}{{", f"  field {declared};", *numbers, f"stencil {name}_first {{", *written, "}", f"stencil {name}_second {{", *body, "}", "}"]) + "\n"


def inlined_pair(rng, name, still):
    """A physics whose second stencil is written with the first inlined; if `still`, also reversed."""
    both = f"{name}_first_and_{name}_second"
    for _ in range(200):
        text = pair(rng, name, still)
        try:
            if (f".adjoint = {both}_adjoint" if still else f".inlined = &{both}") in c_of(text):
                return text
        except StencilError:
            pass
    raise RuntimeError("no pair in 200 that is inlined")


def pairs(folder, rng, count, build, compiler):
    """Compiled without optimisation, and with all of it."""
    names = [f"p{n}" for n in range(count)]
    text = "".join(inlined_pair(rng, name, n % 2 == 0) for n, name in enumerate(names))
    pathlib.Path(folder, "batch.stencil").write_text(text)
    source = pathlib.Path(folder, "batch.c")
    source.write_text(c_of(text) + "const HgStencil *const all[] = {" + ", ".join(f"&{n}_first, &{n}_second" for n in names) + ", NULL};\n")
    for level in ("O0", "O3"):
        ran([pathlib.Path(build, "tests/random_check"), library(folder, compiler, level, source, includes(build)), "pair"], f"pairs at -{level}")


def ran(words, what, **more):
    done = subprocess.run([str(w) for w in words], text=True, capture_output=True, **more)
    if done.returncode:
        raise RuntimeError(f"{what}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def library(folder, compiler, level, source, flags):
    out = pathlib.Path(folder, f"batch_{pathlib.Path(compiler).name}_{level}.so")
    ran([compiler, "-std=gnu11", f"-{level}", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra", "-Werror", "-DNDEBUG",
         "-Wno-pass-failed" if "clang" in compiler else "-Wno-unused-but-set-variable", "-fPIC", "-shared", *flags, source, "-o", out, "-lm"], f"{compiler} -{level}")
    return out


def batch(folder, rng, first, count, build, compilers, levels):
    names = [f"r{first + n}" for n in range(count)]
    text = "".join(accepted(rng, name) for name in names)
    pathlib.Path(folder, "batch.stencil").write_text(text)
    source = pathlib.Path(folder, "batch.c")
    source.write_text(c_of(text) + "const HgStencil *const all[] = {" + ", ".join(f"&{n}" for n in names) + ", NULL};\n")
    program, mpirun = pathlib.Path(build, "tests/random_check"), ROOT / "scripts/mpirun"
    digests, fast = {}, None
    for compiler in compilers:
        for level in levels:
            made = library(folder, compiler, level, source, includes(build))
            digests[ran([program, made, "digest"], f"digest with {compiler} -{level}")] = f"{compiler} -{level}"
            fast = made
    if len(digests) > 1:
        raise RuntimeError(f"other bits with {' than with '.join(digests.values())}: {text}")
    ran([program, fast, "check"], "checks")
    one, four = (ran([mpirun, "-n", n, program, fast, "step"], f"a step on {n} ranks") for n in (1, 4))
    if one != four or len(one.splitlines()) != count:
        raise RuntimeError(f"a step has other bits on 4 ranks: {one} {four}")


def run():
    build, compilers, levels, count = sys.argv[2], sys.argv[3].split(","), sys.argv[4].split(","), int(sys.argv[5])
    seed = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    rng = random.Random(seed)
    for first in range(0, count, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            try:
                batch(folder, rng, first, min(BATCH, count - first), build, compilers, levels)
                pairs(folder, rng, PAIRS, build, compilers[0])
            except Exception as error:  # noqa: BLE001
                kept = pathlib.Path(tempfile.gettempdir(), "random_stencils_failed.stencil")
                made = pathlib.Path(folder, "batch.stencil")
                if made.exists():
                    kept.write_text(made.read_text())
                print(f"claim fails: random stencils keep the contract: seed {seed}, stencils from {first} on ({kept}): {error}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(deep(run))
