# SPDX-License-Identifier: BSD-2-Clause
"""Nodes as text: C in loops, or a formula for a comment. Brackets stand where the graph has them, since they are the bits."""
import math
import re
import textwrap

import expression as ex
import units
from errors import StencilError

WIDTH = 100
INFIX = {"add": ("+", 6, 7), "sub": ("-", 6, 7), "mul": ("*", 7, 8), "div": ("/", 7, 8), "<": ("<", 5, 6), "<=": ("<=", 5, 6), ">": (">", 5, 6),
         ">=": (">=", 5, 6), "==": ("==", 4, 5), "!=": ("!=", 4, 5)}
TWICE = {"square", "cube", "min", "max"}  # these name their arguments more than once
CHOICE, SIGN, ATOM = 1, 8, 9
C_KEYWORDS = set("""auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false NULL asm typeof
alignas alignof constexpr nullptr static_assert thread_local typeof_unqual""".split())
# Names that mean something else wherever they stand: macros of C's headers, names of the library's.
OF_HEADERS = re.compile(r"""(?:Hg|HG_|HALOGRAD_|FP_|MATH_|HUGE|X_TLOSS|S?NAN)\w*|M_(?:E|PI|LN2|LN10|LOG2E|LOG10E|PI_2|PI_4|1_PI|2_PI|2_SQRTPI|SQRT2|SQRT1_2)(?:l|f\w+)?
  |INFINITY|MAXFLOAT|math_errhandling|DOMAIN|SING|OVERFLOW|UNDERFLOW|[PT]LOSS|signgam|errno|stdin|stdout|stderr|EOF|unix|linux|i386|PART|LEVELS|VECTOR_ROOTS""", re.VERBOSE)
KEYWORDS = C_KEYWORDS | set("""
box params part level dx_bar dy_bar stage weights copy_row nothing_to running_sum sum_levels add_to_levels wrapped entry main exp log sqrt sin cos tanh pow fabs k p x y dx dy i j y_bar x_bar b slot first stages to
y0 y1 j0 j1 jn yn gamma""".split())
MATH = """acos asin atan atan2 acosh asinh atanh cos sin tan cosh sinh tanh exp exp2 exp10 expm1 log log2 log10 log1p logb ilogb frexp ldexp modf scalb scalbn scalbln
cbrt fabs hypot pow sqrt erf erfc gamma lgamma tgamma ceil floor trunc rint lrint llrint round lround llround nearbyint fmod remainder remquo drem copysign nan isnan isinf signbit
nextafter nexttoward fdim fmax fmin fma significand finite j0 j1 jn y0 y1 yn abs""".split()
# What the C library has for the whole program: none may be the name of a stencil.
C_LIBRARY = {name + kind for name in MATH for kind in ("", "f", "l")} | set("""size_t ptrdiff_t wchar_t max_align_t float_t double_t
lgamma_r lgammaf_r lgammal_r isfinite isnormal isgreater isgreaterequal
isless islessequal islessgreater isunordered fpclassify main abort exit atexit system getenv malloc calloc realloc free labs div rand srand random qsort bsearch atoi atof strtod memcpy memmove memset memcmp
strlen strcmp strcpy strcat printf fprintf sprintf snprintf scanf puts putchar getchar gets fopen fclose fread fwrite fflush fseek ftell remove rename perror signal
raise time clock difftime mktime read write open close stat link unlink access fork exec execve kill wait sleep pause alarm pipe dup send recv bind connect accept
listen select poll index environ optarg optind timezone daylight""".split())


def is_of_c(name):
    """Does C, or a header, mean something else by it wherever it stands?"""
    return name in C_KEYWORDS or OF_HEADERS.fullmatch(name) is not None


def number(value, real):
    """As short as it is exact; `real`: with a point, where C would compute with whole numbers."""
    if not math.isfinite(value):
        raise StencilError("a product of its numbers is too large", (0, 1))
    text = repr(value)
    if text.endswith(".0") and not real and abs(value) < 2**31:
        return text[:-2]
    return text


class TooLong(Exception):
    """A formula is longer than anyone reads."""


class Text:
    """leaf: node -> text of a read, a symbol or a node that has a name, None for others; longest: of a formula, for a comment; real: computed
    in HgReal, else in double."""

    def __init__(self, leaf, longest=None, real=False):
        self.leaf, self.longest, self.formula, self.real = leaf, longest, longest is not None, real

    def __call__(self, node, least=0):
        """In brackets if it binds less than `least`."""
        text, binds = self.of(node)
        return f"({text})" if binds < least else text

    def of(self, node):
        named = self.leaf(node)
        text, binds = (named, ATOM) if named is not None else self.by_operation(node)
        node.graph.spend(2 + len(text) // 64)
        if self.formula and len(text) > self.longest:
            raise TooLong
        return text, binds

    def by_operation(self, node):
        op, args = node.op, node.args
        if op == "num":
            text = number(node.data, not self.formula)
            return (f"(HgReal){text}", SIGN) if self.real else (text, SIGN if node.data < 0 else ATOM)
        if op in INFIX:
            mark, left, right = INFIX[op]
            texts = [self.operand(a, b, binds) for a, b, binds in ((args[0], args[1], left), (args[1], args[0], right))]
            return f"{texts[0]} {mark} {texts[1]}", left
        if op == "held":
            return self.of(args[0])
        if op == "neg":
            return f"-{self(args[0], ATOM)}", SIGN
        if op in ("square", "cube"):
            factor = self(args[0], ATOM)
            if self.formula:
                return f"{factor}^{2 if op == 'square' else 3}", ATOM
            return " * ".join([factor] * (2 if op == "square" else 3)), 7
        if op == "select":
            return f"{self(args[0], 4)} ? {self(args[1], 2)} : {self(args[2], 2)}", CHOICE
        if op in ("min", "max") and not self.formula:
            a, b = (self(arg, 6) for arg in args)
            return (f"{a} < {b} ? {a} : {b}" if op == "min" else f"{b} < {a} ? {a} : {b}"), CHOICE
        if op in ("&&", "||"):
            return f"{self(args[0], 4)} {op} {self(args[1], 4)}", 2
        if op == "!":
            return f"!({self(args[0])})", SIGN
        if op == "pow":
            power = node.data
            return f"{self.function('pow')}({self(args[0])}, {'(HgReal)' * self.real + self.exponent(power)})", ATOM
        function = self.function({"abs": "abs" if self.formula else "fabs"}.get(op, op))
        return f"{function}({', '.join(self(a) for a in args)})", ATOM

    def function(self, name):
        """exp(x), of an HgReal HG_MATH(exp)(x)."""
        return f"HG_MATH({name})" if self.real else name

    @staticmethod
    def exponent(power):
        return f"({float(power.numerator)!r} / {power.denominator})"

    def operand(self, node, other, binds):
        """2 u and u / 2 are as real as 2.0 u and u / 2.0, but 1 / 2 is not 1.0 / 2.0."""
        if node.op == "num" and node.data >= 0 and other.varies:  # in C it then is what the other is
            text = number(node.data, False)
            return text if text.isdigit() or not self.real else f"(HgReal){text}"
        return self(node, binds)


COMPASS = {(0, 0): "", (1, 0): "_E", (-1, 0): "_W", (0, 1): "_N", (0, -1): "_S", (1, 1): "_NE", (-1, 1): "_NW", (1, -1): "_SE", (-1, -1): "_SW"}
LEVELS = {0: "", 1: "U", -1: "D"}


def neighbour(name, x, y, z=0):
    """u_E, u_UE, u[2, 0], u[1, 0, -2]"""
    if (x, y) in COMPASS and z in LEVELS and (not z or abs(x) + abs(y) < 2):
        side = COMPASS[x, y]
        return f"{name}_{LEVELS[z]}{side[1:]}" if z else name + side
    return f"{name}[{x}, {y}, {z}]" if z else f"{name}[{x}, {y}]"


def wrapped(line, indent, hanging=4):
    """A line of C, broken to at most WIDTH columns: after commas and operators, outside brackets first."""
    out, blank, rest = [], " " * indent, line
    while len(blank) + len(rest) > WIDTH:
        at = best_break(rest, WIDTH - len(blank))
        if at is None:
            break
        out.append(blank + rest[:at])
        blank, rest = " " * (indent + hanging), rest[at + 1 :]
    return "\n".join(out + [blank + rest])


def best_break(line, room):
    """The blank at which a line is broken to fit, None if there is none."""
    best, at, depth = None, None, 0
    for k, c in enumerate(line[: room + 1]):
        depth += (c in "([{") - (c in ")]}")
        if c != " " or k < room // 3:
            continue
        before = line[k - 1]
        price = 3 * depth + {",": 0, "=": 1, "?": 1, ":": 1, "+": 2, "-": 2, "*": 4, "/": 4, "{": 5}.get(before, 40)
        if before == "*" and line[k - 2] != " " or line[k - 2 : k] == "/*":
            price += 40  # a pointer, a comment
        if best is None or price <= best:
            best, at = price, k
    return at


def comment(lines, indent=0):
    """/* lines, each wrapped */"""
    out = []
    for n, line in enumerate(lines):
        first = " " * indent + ("/* " if n == 0 else "   ")
        extra = len(line) - len(line.lstrip())
        out += textwrap.wrap(line.strip(), WIDTH - 4, initial_indent=first + " " * extra, subsequent_indent=" " * (indent + 5 + extra), break_long_words=False, break_on_hyphens=False) or [""]
    return "\n".join(out).replace("*/", "* /") + " */"


def struct(name, numbers, tables, series=()):
    """The typedef of a struct of params."""
    lines = ["typedef struct {"] + [f"  double {q.member};" for q in numbers] + [f"  long {name}_count; /* steps that it has numbers for */" for name in dict.fromkeys(s.by_step.array for s in series)]
    for t in tables:
        count = f"\n  long {t.name}_count; /* entries; beyond them it is 0 */" if t.axis == "step" else ""
        lines.append(f"  const double *{t.name}; /* read by {t.axis} */{count}")
    return "\n".join(lines + [f"}} {name};"])


def camel(name):
    """gray_scott: GrayScott"""
    return "".join(word.capitalize() for word in name.split("_"))


class Names:
    """Names of one C scope: what the .stencil calls it, with '_' added while that is taken."""

    def __init__(self, taken=()):
        self.taken = set(taken) | KEYWORDS

    def new(self, name):
        while name in self.taken or re.fullmatch(r"stage\d+", name) or name[-1] != "_" and is_of_c(name):
            name += "_"
        self.taken.add(name)
        return name

    def copy(self):
        other = Names()
        other.taken = set(self.taken)
        return other


def now(variable):
    """What a program calls a variable of its step."""
    of = variable.by_step
    return reading(of.array, "step", 0, of.which) if of else variable.name


def reading(name, index, shift, which):
    """wavelet[step + 1], w[step, 2]"""
    return f"{name}[{index}{f'{shift:+}' if shift else ''}{', ' + which if which else ''}]"


def stated(variables):
    """What a .stencil says of its variables, as a line of an HgStencil; none if it says nothing."""
    told = []
    for v in variables:
        if v.unit is not None or v.location or v.surface:
            unit = "NULL" if v.unit is None else f'"{units.text(v.unit)}"'
            told.append(f'{{"{now(v)}", {unit}, HG_{(v.location or "anywhere").upper()}, {"true" if v.surface else "false"}}}')
    return [wrapped(f".stated = (const HgStated[]){{{', '.join(told)}, {{NULL, NULL, 0, false}}}},", 4)] if told else []
