# SPDX-License-Identifier: BSD-2-Clause
"""Claim: any text gives kernels, or one error that names its place, within a second of work; and nothing of a text reaches C but its
identifiers and numbers. The texts are the stencils of the tree, mutated by characters and by words, and texts that grow: lets that use one
another more than once, long sums, many names, large powers. The same ones each time.
usage: mutants.py [MUTATED [GROWN [SEED]]]"""
import random
import re
import sys
import time
import traceback

from generator import ROOT, Source, StencilError, c_and_header, deep

SOON = 5  # seconds of this process; what they are for is counted (Effort), but machines are slow and busy
WORD = re.compile(r"\d+\.?\d*(?:[eE][-+]?\d+)?|\w+|\s+|.", re.S)
PIECES = """u v u_E u[2,0] u[i+1,j] u_E_E u' __ ( ) { } [ ] ; , ' = == < <= > >= && || ! + - * / ^ ? : . # // \\ " @ $ ^2 ^(1/3) ^-1 ^0.5 ^1e999999999 ^1e-999999999
 0 1 2.5 -1 1e308 1e999 1e-400 99999999999999999999 exp( sqrt( min( abs( dt dx i j x step cosine if let reads params table number w[i] w[i+1] w[step,2] [step,j] [m/s] [m^1000] [step] [banana]
 ^1000 centre NAN HgBox size_t double PART main } # */ /* */""".split() + [" ? ", " at centre", " > 0", "let a = ", "let f(c) = ", "params P from <a.h>: ", "from <a.h>", " as ",
    "stencil b {", "\n", "\t", "\0", "\u00e9", "\u2028", "<a>\n#include <b.h>\n>", "<../a.h>", "<a.h>=\nint evil(void);\n//>", "# */ int evil(void) { return 1; } /*\n", "\\\n"]


def mutated(text, vocabulary, draw):
    """By characters, or by words."""
    parts = WORD.findall(text) if draw.randrange(2) else list(text)
    for _ in range(draw.choice((1, 1, 2, 3, 6))):
        at, how = draw.randrange(len(parts)), draw.randrange(8)
        end = min(len(parts), at + draw.choice((0, 1, 2, 5, 20, 40)))
        if how == 0:
            del parts[at:end]
        elif how == 1:
            parts[at:at] = parts[at:end] * draw.choice((1, 2, 50))
        elif how in (2, 3):
            parts[at:end] = [draw.choice(vocabulary)]
        elif how == 4:
            parts.insert(at, draw.choice(PIECES))
        elif how == 5:
            to = draw.randrange(len(parts))
            parts[at], parts[to] = parts[to], parts[at]
        elif how == 6:
            parts[at:at] = [draw.choice("((([-!")] * draw.choice((1, 30, 3000))
        else:
            parts[at:] = parts[at:end]
        parts = parts or ["\n"]
    return "".join(parts)


# ---- texts that grow ----
# {p}: the let before, {q}: one further above, {n}: a number
STEPS = ["{p} * {p}", "{p} * {p}_E", "{p} + {p}_W", "{p} * {q}", "({p} + {q}) * ({p}_N - {q}_S)", "{p} / (1 + {q}^2)", "sqrt({p}^2 + {q}^2 + 1)", "exp(-({p} * {q}))",
         "{p} > 0 ? {q} * {p} : {p}_E", "{p} < {q} && {q} < {p}_E ? {p} : {q}", "min({p}, {q}_N) + max({p}_E, {q})", "abs({p}) * {q}", "{p}^7 - {q}^1000", "tanh({p} - {q}_EE)",
         "{p} * u + {q} * v", "{p} * {p} * {q} * {q}", "({p} > 0 ? {p} : {q}) * ({q} > 0 ? {p} : {q})", "{n} * {p} - {q}", "{p} + u * v + {p}_E * {q}_W"]


def chain(draw, count):
    """Lets of which each uses those above it."""
    several = draw.sample(STEPS, draw.choice((1, 1, 2, 4)))
    lets = [f"let a{k} = {draw.choice(several).format(p=f'a{k - 1}', q=f'a{draw.randrange(max(0, k - 3), k)}', n=k)};" for k in range(1, count)]
    return f"let a0 = u + v_E; {' '.join(lets)} u' = a{count - 1} + v;"


def calls(draw, count):
    """Functions of which each calls the one above it more than once."""
    call = draw.choice(("f{}(c) + f{}(c)", "f{}(c) * f{}(c_E)", "f{}(f{}(c))", "f{}(c)"))
    lets = [f"let f{k}(c) = {call.format(k - 1, k - 1)};" for k in range(1, count)]
    return f"let f0(c) = c_E - c; {' '.join(lets)} u' = f{count - 1}({draw.choice(('u', 'u', 'u_NAN', 'dt'))}) + v;"


def grown(draw):
    count = draw.choice((6, 12, 25, 60, 200, 1000, 4000))
    name = "n" * draw.choice((1, 20, 63, 64, 5000))
    wide = draw.choice((" + ", " * ", " - ", " / "))
    body = draw.choice((
        lambda: chain(draw, count), lambda: chain(draw, count), lambda: chain(draw, count), lambda: calls(draw, count), lambda: calls(draw, count),
        lambda: "u' = v + " + wide.join(f"u[{draw.randint(-9, 9)}, {draw.randint(-9, 9)}]" for _ in range(count)) + ";",
        lambda: "u' = v + " + " + ".join(f"(u * {k}{wide}v_E)^{draw.choice((2, 3, 1000))}" for k in range(count)) + ";",
        lambda: " ".join(f"let {name}{k} = u;" for k in range(count)) + f" u' = v + {name}0;",
        lambda: f"let {name}(c) = c_E * c + c_W;" + f" u' = v + {wide.join([f'{name}(u)'] * count)};",
        lambda: f"table {', '.join(f'w{k}[i]' for k in range(count))}; u' = v + " + wide.join(f"w{k}[i] * u" for k in range(count)) + ";",
        lambda: f"params {', '.join(f'{name}{k}' for k in range(count))}; u' = v + " + wide.join(f"{name}{k} * u" for k in range(count)) + ";",
        lambda: "u' = v" + "".join(f" + (u > {k} ? v * {k} : v_E)" for k in range(min(count, 399))) + ";",
        lambda: "u' = v + u * 1 [" + " ".join(f"m^{k}" for k in range(1, count)) + "] + u" + "^(1000/7)" * 5 + ";",
        lambda: "let b = u * 1 [" + "(" * min(count, 50) + "m" + "^1000)" * min(count, 50) + "^1000]; u' = v + b;",
        lambda: "u' = " + "(v + u * " * min(count, 59) + "u" + ")" * min(count, 59) + ";",
    ))()
    text = f"stencil a {{ reads u > 0, v; {body} }}\n"
    return "".join(text.replace("stencil a", f"stencil a{k}") for k in range(draw.choice((1, 1, 1, 30, 3000)))) if len(text) < 3000 else text


# ---- what reaches C ----
LEXEME = re.compile(r"""(?P<comment>/\*.*?\*/)|(?P<string>"[A-Za-z0-9_^/() .-]*(?:\[step(?:,\ (?:\d+|[ij]))?\])?"|'[a-z]')|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))|(?P<word>[A-Za-z_]\w*)
  |(?P<directive>^\#[^\n]*$)|(?P<mark>->|[<>=!]=|&&|\|\||[-+]=|\+\+|[-+*/%<>=!?:;,.&(){}\[\]])|(?P<blank>[ \n]+)""", re.S | re.M | re.A | re.X)
DIRECTIVE = re.compile(r"""\#(include\ (<[A-Za-z0-9_./+-]+>|"a\.h")|(ifndef|define)\ A_H|endif|else|define\ VECTOR_ROOTS(\ HG_VECTOR)?
  |if\ defined\(__clang__\)\ &&\ !defined\(__NO_MATH_ERRNO__\))""", re.X)
CALLED = re.compile(r"""if|for|return|sizeof|floor|fabs|sqrt|exp|log|sin|cos|tanh|pow|HG_MATH|entry|wrapped|HgContribute|HgCotangentRow|HgCotangentLevel|HgCotangentSurface|HgLatitudeOfRow|copy_row|nothing_to
  |offsetof|fmax|fmin|HG_ALL_SIDES|\w*(weights|largest_step|apply|tangent|adjoint|second|_rows?|stage\d+)""", re.X)


def smuggled(c_text, text):
    """'' or what stands in the C that is neither of hgstencil's making nor an identifier or a number of the text's."""
    at, before, own = 0, "", set(re.findall(r"[A-Za-z]\w*", re.sub("#[^\n]*", "", text)))
    while at < len(c_text):
        found = LEXEME.match(c_text, at)
        if not found:
            return f"no token of C: {c_text[at : at + 60]!r}"
        kind, lexeme, at = found.lastgroup, found.group(), found.end()
        if kind == "comment" and re.search(r"[^\n -~]|/\*|\*/", lexeme[2:-2]) or kind == "directive" and not DIRECTIVE.fullmatch(lexeme):
            return f"a {kind} {lexeme!r}"
        if lexeme == "(" and re.fullmatch(r"\w+", before) and not CALLED.fullmatch(before):
            return f"a call of {before}"
        if kind == "word" and lexeme.startswith("__") and lexeme not in own:
            return f"the word {lexeme}"
        before = before if kind in ("blank", "comment") else lexeme
    return ""


def tried(text):
    """(whether C was written, seconds, '' or what is wrong)"""
    begin, written, wrong = time.process_time(), (), ""
    try:
        written = c_and_header(text)
    except StencilError as error:
        source = Source("a.stencil", text)
        said = error.text(source)
        line, column = source.place(error.span[0])
        if not re.match(r"a\.stencil:\d+:\d+: error: .", said) or line > len(source.lines) or column > len(source.lines[line - 1]) + 1:
            wrong = f"an error without its place: {said[:300]}"
    except BaseException:  # noqa: BLE001: whatever it is, RecursionError and MemoryError too
        wrong = traceback.format_exc(limit=-3)
    took = time.process_time() - begin
    wrong = wrong or next(filter(None, (smuggled(c_text, text) for c_text in written)), "")
    return bool(written), took, wrong or (f"took {took:.1f} s" if took > SOON else "")


GOOD = "stencil a {\n  reads u;\n  params P from <a.h>: a;\n  u' = u * a;\n}\n"
SMUGGLED = [("#include <a.h>", "#include <a.h>\n#include <stdlib.h>"), ("#include <a.h>", "#include <a.h>=\nint evil(void);"), ("u' = u * a", "u */ int evil(void); /*"),
            ("k.a", "evil(k.a)"), ("static ", "__attribute__((constructor)) static "), ('"u"', '"u\\""'), ("P.member", "P"), ("u[i]", "u[i] \\"), ("#include <a.h>", '#include "/etc/passwd"')]


def unseen():
    """What is smuggled on purpose and not found."""
    c_text = c_and_header(GOOD)[0]
    assert not smuggled(c_text, GOOD), smuggled(c_text, GOOD)
    return [new for old, new in SMUGGLED if old in c_text and not smuggled(c_text.replace(old, new), GOOD)]


def run():
    words = [int(word) for word in sys.argv[1:]]
    mutants, grown_texts, seed = words + [1500, 40, 1][len(words):]
    texts = [path.read_text(encoding="utf-8") for top in ("apps", "stencils") for path in sorted((ROOT / top).glob("*/*.stencil"))]
    # Of the longest without comments: where only these are mutated, it takes a second to write the same kernels again.
    texts = [re.sub("#[^\n]*", "", text) if len(text) > 1500 else text for text in texts]
    vocabulary = sorted({word for text in texts for word in WORD.findall(text)}) + PIECES * 3
    draw, found, slowest, written = random.Random(seed), {}, (0, ""), 0
    for k in range(mutants + grown_texts):
        text = mutated(draw.choice(texts), vocabulary, draw) if k < mutants else grown(draw)
        good, took, wrong = tried(text)
        written += good
        slowest = max(slowest, (took, f"text {k}: {text[:300]}"))
        if wrong:
            found.setdefault(re.sub(r"\d+", "", wrong)[-60:], f"text {k}, seed {seed}: {wrong}\n{text[:1500]}")
    if written < (mutants + grown_texts) / 100:
        found["few"] = f"only {written} of {mutants + grown_texts} texts gave kernels"
    for what in [*found.values(), *(f"'{new}' in C is not found" for new in unseen())]:
        print(f"claim fails: any text gives kernels or one error soon, and nothing but identifiers and numbers reaches C: {what}")
    if words:
        print(f"{written} of {mutants + grown_texts} texts gave kernels; the slowest took {slowest[0]:.2f} s: {slowest[1]}")
    return bool(found or unseen())


if __name__ == "__main__":
    sys.exit(deep(run))
