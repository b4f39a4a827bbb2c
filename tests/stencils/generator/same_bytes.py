# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the generator writes the same bytes under any hash seed, from any directory, and nothing where it fails, least of all over
its own source.
usage: same_bytes.py"""
import os
import pathlib
import subprocess
import sys
import tempfile

from generator import GENERATOR, ROOT

failures = []


def run(folder, source, seed, cwd):
    written = [pathlib.Path(folder, "a" + ending) for ending in (".c", ".h")]
    for file in written:
        file.unlink(missing_ok=True)
    ran = subprocess.run([sys.executable, GENERATOR / "hgstencil", source, "-o", written[0], "-h", written[1]], cwd=cwd, text=True, capture_output=True,
                         env={**os.environ, "PYTHONHASHSEED": seed})
    return ran, [file.read_bytes() if file.exists() else None for file in written]


with tempfile.TemporaryDirectory() as folder:
    for source in sorted(ROOT.glob("*/*/*.stencil")):
        first = run(folder, source, "0", folder)[1]
        for seed in ("1", "12345"):
            if run(folder, os.path.relpath(source, ROOT), seed, ROOT)[1] != first:
                failures.append(f"{source.name} with seed {seed}: other bytes")
        if None in first:
            failures.append(f"{source.name}: nothing was written")
    wrong = pathlib.Path(folder, "wrong.stencil")
    wrong.write_text("stencil a {\n  reads u;\n  u' = w;\n}\n")
    ran, written = run(folder, wrong, "0", folder)
    if ran.returncode != 1 or written != [None, None] or not ran.stderr.startswith(f"{wrong}:3:8: error: "):
        failures.append(f"a wrong text: exit status {ran.returncode}, wrote {written}, said {ran.stderr}")
    # text, exit status, what it says
    for words, status, said in ((["-help"], 0, ""), ([], 2, "expected hgstencil FILE.stencil -o FILE.c"), (["a", "b"], 2, "unexpected 'b'"),
                                (["a", "-o", "b.c", "-h", "b\n.h"], 2, "may not be C"), (["a", "-o", "b.c", "-h", 'b".h'], 2, "may not be C"),
                                (["a", "-o", "b.c", "-h", "b.h", "-i", "<b.h>\nint c;"], 2, "'#include <b.h>\\nint c;' may not be C"),
                                (["-o"], 2, "-o takes one file, once"), (["no.stencil", "-o", "a.c"], 1, "cannot read 'no.stencil'"),
                                ([str(ROOT / "stencils/heat/heat.stencil"), "-o", "/no/a.c"], 1, "cannot write '/no/a.c'")):
        ran = subprocess.run([GENERATOR / "hgstencil", *words], cwd=folder, text=True, capture_output=True)
        if ran.returncode != status or said not in ran.stderr:
            failures.append(f"hgstencil {' '.join(words)}: exit status {ran.returncode}, expected {status}; said {ran.stderr}")
    pathlib.Path(folder, "latin.stencil").write_bytes(b"stencil \xe4 {}")
    ran, _ = run(folder, pathlib.Path(folder, "latin.stencil"), "0", folder)
    if ran.returncode != 1 or "it is no UTF-8" not in ran.stderr:
        failures.append(f"a text in Latin-1: {ran.stderr}")
    own, linked, other = (pathlib.Path(folder, name) for name in ("own.stencil", "linked.c", "other.c"))
    own.write_bytes((ROOT / "stencils/heat/heat.stencil").read_bytes())
    linked.symlink_to(own)
    os.link(own, other)
    for words, said in ((["-o", "own.stencil"], "-o own.stencil would overwrite 'own.stencil'"), (["-o", "./own.stencil"], "would overwrite 'own.stencil'"),
                        (["-o", "linked.c"], "-o linked.c would"), (["-o", "other.c"], "-o other.c would"),
                        (["-o", "a.c", "-h", str(own)], f"-h {own} would overwrite 'own.stencil'"),
                        (["-o", "new.c", "-h", "new.c"], "-h new.c would overwrite 'new.c'")):
        ran = subprocess.run([GENERATOR / "hgstencil", "own.stencil", *words], cwd=folder, text=True, capture_output=True)
        if ran.returncode != 2 or said not in ran.stderr or pathlib.Path(folder, "new.c").exists():
            failures.append(f"hgstencil own.stencil {' '.join(words)}: exit status {ran.returncode}, expected 2; said {ran.stderr}")
        if own.read_bytes() != (ROOT / "stencils/heat/heat.stencil").read_bytes():
            failures.append(f"hgstencil own.stencil {' '.join(words)}: the source was overwritten")
            own.write_bytes((ROOT / "stencils/heat/heat.stencil").read_bytes())
    # a warning changes nothing
    rest = pathlib.Path(folder, "rest.stencil")
    rest.write_text("stencil a {\n  reads u;\n  u' = u + sqrt(u^2);\n}\n")
    ran, written = run(folder, rest, "0", folder)
    if ran.returncode or None in written or not ran.stderr.startswith(f"{rest}:3:17: warning: sqrt of what may be 0"):
        failures.append(f"a warning: exit status {ran.returncode}, said {ran.stderr}")
    # names of files stand in C as text alone
    odd = pathlib.Path(folder, "a*\\\n#error \xe4.stencil")
    odd.write_bytes(own.read_bytes())
    ran = subprocess.run([GENERATOR / "hgstencil", odd, "-o", "*\n#.c", "-h", "\xe4 b.h"], cwd=folder, text=True, capture_output=True)
    made = [pathlib.Path(folder, name).read_text() for name in ("*\n#.c", "\xe4 b.h")] if not ran.returncode else ["", ""]
    for text, head in zip(made, ("/* ___.c -- written by hgstencil", "/* \xe4 b.h -- written by hgstencil")):
        if not text.startswith(head) or "a____error \xe4.stencil" not in text or "#error" in text or '#include "\xe4 b.h"' not in made[0] or "#define __B_H" not in made[1]:
            failures.append(f"files of odd names: exit status {ran.returncode}; wrote {text[:300]}; said {ran.stderr}")
    ran = subprocess.run([GENERATOR / "hgstencil", "own.stencil", "-o", os.devnull, "-h", os.devnull], cwd=folder, text=True, capture_output=True)
    if ran.returncode:
        failures.append(f"hgstencil that only checks, into {os.devnull} twice: exit status {ran.returncode}; said {ran.stderr}")
for failure in failures:
    print(f"claim fails: the same bytes under any hash seed: {failure}")
sys.exit(bool(failures))
