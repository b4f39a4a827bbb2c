"""Claim: whatever a .stencil holds, the generator refuses it with a place in it, or writes C: no other exception, and no text takes long.
usage: mutants.py [COUNT [SEED]]"""
import random
import sys
import time
import traceback

from generator import ROOT, Source, StencilError, c_of, deep

PIECES = ["u", "v", "u_E", "u[2, 0]", "(", ")", "{", "}", "[", "]", ";", ",", "'", "=", "+", "-", "*", "/", "^2", "^(1/3)", "^-1", "0", "1", "2.5", "1e300",
          " ? ", " : ", " < ", " >= ", " && ", "!", "exp(", "sqrt(", "min(", "abs(", "dt", "x", "step", "let a = ", "let f(c) = ", "reads ", "writes ", "params ",
          "table w[i]", "w[i + 1]", "at centre", "> 0", "[m/s]", "stencil b {", "#", "\n", "\t", "\u00e9", "\0", "$", "from <a.h>:", "as ", ".", "u_E_E", "__", "u'"]
LONGEST = 10  # seconds for one text, on a busy machine


def mutated(text, random):
    for _ in range(random.randint(1, 6)):
        at, end = sorted(random.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + random.choice((0, 1, 1, 3, 12, 40)))
        kind = random.randrange(4)
        new = random.choice(PIECES) if kind == 0 else text[at:end] * 2 if kind == 1 else "" if kind == 2 else random.choice(PIECES) + text[at:end]
        text = text[:at] + new + text[end:]
    return text


def survives(text):
    """'' or what is wrong."""
    begin = time.process_time()
    try:
        c_of(text)
        said = ""
    except StencilError as error:
        source = Source("a.stencil", text)
        said = error.text(source)
        line, column = source.place(error.span[0])
        if not error.sentence or line > len(source.lines) or column > len(source.lines[line - 1]) + 1:
            return f"points at {line}:{column}, expected a place of the text"
    except Exception:  # noqa: BLE001
        return traceback.format_exc(limit=-3)
    took = time.process_time() - begin
    return f"took {took:.1f} s, expected at most {LONGEST}" if took > LONGEST else ""


def run():
    count, seed = [int(a) for a in (sys.argv[1:] + ["1500", "1"][len(sys.argv) - 1 :])]
    rng = random.Random(seed)
    texts = [f.read_text() for f in sorted(ROOT.glob("stencils/*/*.stencil"))]
    written = 0
    for n in range(count):
        text = mutated(rng.choice(texts), rng)
        wrong = survives(text)
        if wrong:
            print(f"claim fails: every text is refused or written: mutant {n}, seed {seed}: {wrong}\n{text}")
            return 1
        try:
            c_of(text)
            written += 1
        except StencilError:
            pass
    if written < count / 100:
        print(f"claim fails: every text is refused or written: only {written} of {count} mutants were right")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(deep(run))
