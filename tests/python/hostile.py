# SPDX-License-Identifier: BSD-2-Clause
"""Claim: a text stays a text. Whatever stands in the place of a name, a unit, a number or a comment, or is the name of a file or of the cache's
folder, hg.Physics() makes a physics of it or refuses it in one sentence of the language's: the C compiler has nothing to object, and nothing
that a text holds is run.
usage: hostile.py, in a folder of its own"""
import os
import pathlib
import random
import shutil
import sys

CANARY = f"{os.getcwd()}/canary"
pathlib.Path(CANARY).unlink(missing_ok=True)
for folder in ("cache $(touch canary) ';\"", "files"):
    shutil.rmtree(folder, ignore_errors=True)
    pathlib.Path(folder).mkdir(mode=0o700)
pathlib.Path("cc").write_text('#!/bin/sh\nexec cc "$@" -O0\n')  # what it objects to does not depend on the level
pathlib.Path("cc").chmod(0o700)
os.environ["HALOGRAD_CC"] = f"{os.getcwd()}/cc"
os.environ["HALOGRAD_CACHE"] = f"{os.getcwd()}/cache $(touch canary) ';\""

import halograd as hg  # noqa: E402

TEMPLATE = """{comment}
physics {physics} {{
  # {comment}
  field {field} [{unit}] {wall}, {constant} [1/s];{tail}
  number {number} [1];
  table {table}[step] [1];
  let {let}({argument}) = {argument} * {number};
  {field}' = {field} + dt * {constant} * {let}({field}) * {table}[step] * {value};
}}
"""
PLAIN = {"comment": "# plain", "physics": "plain", "field": "u", "unit": "m", "wall": "fixed 0", "constant": "rate", "tail": "", "number": "factor",
         "table": "wave", "let": "scaled", "argument": "c", "value": "2"}
RUNS = f'__attribute__((constructor)) static void run(void) {{ extern int system(const char *); system("touch {CANARY}"); }}'
SHELL = [f"$(touch {CANARY})", f"`touch {CANARY}`", f"; touch {CANARY} ;", f"' ; touch {CANARY} ; '", f'" ; touch {CANARY} ; "', f"| touch {CANARY}", f"&& touch {CANARY}"]
C = [RUNS, f"*/ {RUNS} /*", f'"; }} {RUNS} /*', f"\\\n{RUNS}", f"x\n{RUNS}\n", f"\r{RUNS}\r", f'"), system("touch {CANARY}"), ("', f'0; system("touch {CANARY}");', "*/", "/*", "//", '"',
     "\\", "\\\\", '\\"', "\\n", "??/", '#include "/etc/passwd"', "\n#include </etc/passwd>\n", "\n#pragma GCC poison double\n", "\n#define double float\n", "%s%n%p", "%1000000d", "{}", "}", "{", ");", "@",
     "\x01\x1b[2J", "\u202e", "ü", "💧", "\ufeff", "\v", "\f", "'", "\t", " ", "", "-", "--", "-e", "@file", "a" * 5000, "_" * 300]
NAMES = """int double return static void if for while sizeof typedef struct register inline restrict _Bool asm __asm__ auto goto main system exit malloc free printf
memcpy memset exp sin sqrt abs min max fabs fmin NULL errno stdin EOF INFINITY NAN M_PI I complex bool true false HgBox HgPhysics HG_FIELD HgKernel PetscErrorCode MPI_Comm box params
in out rows row x y i j k n t dt dx dy nx ny step u u_E u_bar du v _ __ _u __u u__ E W N S NE physics field number table let stencil stable unit closed fixed apply tangent adjoint
second count offset name names numbers tables variables reads writes kernel source largest_step plain plain_physics PlainParams Params param p q a b c d e f z r s w h m l linux unix i386
__LINE__ __FILE__ __func__ __attribute__ defined pragma include constructor errno_t size_t uint64_t intptr_t wchar_t signed unsigned volatile const extern union enum switch case break""".split()
SLOTS = sorted(PLAIN)


EXTRA = "stencil extra {{ reads v [1]; params HgHeatParams from <{header}>: decay [1/s]; v' = v * decay * dt; }}\n"


def texts():
    """The plain text, then every payload in a drawn place, in a comment and as a header, and half of the names in a drawn place."""
    draw = random.Random(43)
    yield PLAIN
    for payload in SHELL + C:
        slot = draw.choice(SLOTS)
        yield {**PLAIN, slot: draw.choice((payload, PLAIN[slot] + payload))}
        yield {**PLAIN, "comment": f"# {payload}"}
        yield {**PLAIN, "header": payload}
    yield {**PLAIN, "header": f"stdio.h>\ntypedef struct {{ double decay; }} HgHeatParams; {RUNS}\n#include <stdio.h"}
    names = [slot for slot in SLOTS if slot not in ("comment", "unit", "wall", "tail", "value")]
    for name in draw.sample(sorted(set(NAMES)), 80):
        yield {**PLAIN, draw.choice(names): name}


failures, compiled, refused = [], 0, 0


def expect(condition, what):
    if not condition:
        failures.append(what[:600])


def made(source, what, of_c=False):
    """A physics with what the plain text has, or one sentence; `of_c`: it may be the C compiler's, which looks for a header."""
    global compiled, refused
    try:
        physics = hg.Physics(source)
        compiled += 1
        expect((len(physics.variables), len(physics.numbers), len(physics.tables)) == (2, 1, 1), f"{what} changes what there is: {physics}")
    except hg.Error as error:
        refused += 1
        own = error.sentence.startswith(("physics.stencil:", "the text of a physics ")) or (of_c and error.id == "compile")
        expect(own and "\n" not in error.sentence, f"{what} is refused with '{error.sentence}'")
    except Exception as error:
        expect(False, f"{what} ends in {type(error).__name__} {error}")
    if os.path.exists(CANARY):
        os.remove(CANARY)
        expect(False, f"{what} runs what it holds")


seen = set()
for parts in texts():
    text = TEMPLATE.format(**parts) + (EXTRA.format(**parts) if "header" in parts else "")
    if text not in seen:
        made(text, str({key: value for key, value in parts.items() if value != PLAIN.get(key)}), "header" in parts)
    seen.add(text)
plain = TEMPLATE.format(**PLAIN)
for payload in [payload for payload in SHELL + C if payload.strip() and len(payload) < 200]:
    file = pathlib.Path("files", payload.lstrip("/"), "x.stencil") if payload.endswith("/") else pathlib.Path("files", payload.lstrip("/"))
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.is_dir():
        file.write_text(plain)
        made(file, f"the file '{file}'")
for number, data in enumerate((b"\xff", b"\0", "\ud800".encode(errors="surrogatepass"))):
    pathlib.Path(f"files/{number}").write_bytes(plain.encode() + b"# " + data)
    made(pathlib.Path(f"files/{number}"), f"a file with {data}")
made(plain + "# \0", "a zero byte")
made(plain + "# \ud800", "half a character")
expect(len(seen) >= 200 and compiled > 60 and refused > 60, f"{len(seen)} texts, {compiled} of all are compiled and {refused} refused")
for failure in failures:
    print(f"claim fails: {failure}")
sys.exit(bool(failures))
