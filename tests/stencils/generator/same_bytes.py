# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the generator writes the same bytes under any hash seed, from any directory, and nothing where it fails, least of all over
its own source.
usage: same_bytes.py"""
import contextlib
import io
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import types

from generator import GENERATOR, ROOT

failures = []
COMMAND = str(GENERATOR / "hgstencil")
main = runpy.run_path(COMMAND)["main"]
# Starts the command's main() once for each line of words.
EACH = "import runpy, sys; main = runpy.run_path(sys.argv[1])['main']; sys.exit(max(main() for sys.argv[1:] in [line.split('\\t') for line in sys.stdin.read().splitlines()]))"


def told(words, cwd):
    """What the command does and says."""
    said, before = io.StringIO(), os.getcwd()
    os.chdir(cwd)
    sys.argv[1:] = map(str, words)
    with contextlib.redirect_stderr(said):
        status = main()
    os.chdir(before)
    return types.SimpleNamespace(returncode=status, stderr=said.getvalue())


def written(sources, seed, cwd):
    """Of each source: the bytes of its two files."""
    with tempfile.TemporaryDirectory() as out:
        files = [[pathlib.Path(out, str(k), "a" + ending) for ending in (".c", ".h")] for k in range(len(sources))]
        for c_file, _ in files:
            c_file.parent.mkdir()
        lines = "\n".join("\t".join([str(source), "-o", str(c_file), "-h", str(header)]) for source, (c_file, header) in zip(sources, files))
        ran = subprocess.run([sys.executable, "-c", EACH, COMMAND], cwd=cwd, text=True, capture_output=True, input=lines, env={**os.environ, "PYTHONHASHSEED": seed})
        if ran.returncode:
            failures.append(f"exit status {ran.returncode}, said {ran.stderr}")
        return [[file.read_bytes() if file.exists() else None for file in pair] for pair in files]


with tempfile.TemporaryDirectory() as folder:
    sources = sorted(ROOT.glob("*/*/*.stencil"))
    first = written(sources, "0", folder)
    if len(sources) < 10 or None in sum(first, []):
        failures.append(f"of {len(sources)} texts not all were written")
    for seed in ("1", "12345"):
        for source, now, before in zip(sources, written([os.path.relpath(source, ROOT) for source in sources], seed, ROOT), first):
            if now != before:
                failures.append(f"{source.name} with seed {seed}: other bytes")
    wrong = pathlib.Path(folder, "wrong.stencil")
    wrong.write_text("stencil a {\n  reads u;\n  u' = w;\n}\n")
    outputs = [pathlib.Path(folder, "a" + ending) for ending in (".c", ".h")]
    both = ["-o", outputs[0], "-h", outputs[1]]
    ran = told([wrong, *both], folder)
    if ran.returncode != 1 or any(file.exists() for file in outputs) or not ran.stderr.startswith(f"{wrong}:3:8: error: "):
        failures.append(f"a wrong text: exit status {ran.returncode}, wrote {os.listdir(folder)}, said {ran.stderr}")
    # text, exit status, what it says
    for words, status, said in ((["-help"], 0, ""), ([], 2, "expected hgstencil FILE.stencil -o FILE.c"), (["a", "b"], 2, "unexpected 'b'"),
                                (["a", "-o", "b.c", "-h", "b\n.h"], 2, "may not be C"), (["a", "-o", "b.c", "-h", 'b".h'], 2, "may not be C"),
                                (["a", "-o", "b.c", "-h", "b.h", "-i", "<b.h>\nint c;"], 2, "'#include <b.h>\\nint c;' may not be C"),
                                (["-o"], 2, "-o takes one file, once"), (["no.stencil", "-o", "a.c"], 1, "cannot read 'no.stencil'"),
                                ([str(ROOT / "stencils/heat/heat.stencil"), "-o", "/no/a.c"], 1, "cannot write '/no/a.c'")):
        ran = subprocess.run([COMMAND, *words], cwd=folder, text=True, capture_output=True) if words == ["-help"] else told(words, folder)
        if ran.returncode != status or said not in ran.stderr:
            failures.append(f"hgstencil {' '.join(words)}: exit status {ran.returncode}, expected {status}; said {ran.stderr}")
    pathlib.Path(folder, "latin.stencil").write_bytes(b"stencil \xe4 {}")
    ran = told(["latin.stencil", *both], folder)
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
        ran = told(["own.stencil", *words], folder)
        if ran.returncode != 2 or said not in ran.stderr or pathlib.Path(folder, "new.c").exists():
            failures.append(f"hgstencil own.stencil {' '.join(words)}: exit status {ran.returncode}, expected 2; said {ran.stderr}")
        if own.read_bytes() != (ROOT / "stencils/heat/heat.stencil").read_bytes():
            failures.append(f"hgstencil own.stencil {' '.join(words)}: the source was overwritten")
            own.write_bytes((ROOT / "stencils/heat/heat.stencil").read_bytes())
    # a warning changes nothing
    rest = pathlib.Path(folder, "rest.stencil")
    rest.write_text("stencil a {\n  reads u;\n  u' = u + sqrt(u^2);\n}\n")
    ran = told([rest, *both], folder)
    if ran.returncode or not all(file.exists() for file in outputs) or not ran.stderr.startswith(f"{rest}:3:17: warning: sqrt of what may be 0"):
        failures.append(f"a warning: exit status {ran.returncode}, said {ran.stderr}")
    # names of files stand in C as text alone
    odd = pathlib.Path(folder, "a*\\\n#error \xe4.stencil")
    odd.write_bytes(own.read_bytes())
    ran = told([odd, "-o", "*\n#.c", "-h", "\xe4 b.h"], folder)
    made = [pathlib.Path(folder, name).read_text() for name in ("*\n#.c", "\xe4 b.h")] if not ran.returncode else ["", ""]
    for text, head in zip(made, ("/* ___.c -- written by hgstencil", "/* \xe4 b.h -- written by hgstencil")):
        if not text.startswith(head) or "a____error \xe4.stencil" not in text or "#error" in text or '#include "\xe4 b.h"' not in made[0] or "#define __B_H" not in made[1]:
            failures.append(f"files of odd names: exit status {ran.returncode}; wrote {text[:300]}; said {ran.stderr}")
    ran = told(["own.stencil", "-o", os.devnull, "-h", os.devnull], folder)
    if ran.returncode:
        failures.append(f"hgstencil that only checks, into {os.devnull} twice: exit status {ran.returncode}; said {ran.stderr}")
for failure in failures:
    print(f"claim fails: the same bytes under any hash seed: {failure}")
sys.exit(bool(failures))
