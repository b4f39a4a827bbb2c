# SPDX-License-Identifier: BSD-2-Clause
"""Claim: no room has more than 20 files or 2800 lines, no folder of tests or benches more than 20 files, no function of the library more
than 60 lines, and of an app none more than 80, no line of theirs, of their texts and of pages (but tables and pictures) more than 100 columns.
usage: sizes.py SOURCE; silent if the claim holds"""
import pathlib
import re
import sys

from rooms import USES, tell

root = pathlib.Path(sys.argv[1])
failures, functions = [], 0


def check_columns(file, but=()):
    wide = [number for number, line in enumerate(file.read_text().splitlines(), 1) if len(line) > 100 and not line.startswith(but)]
    failures.extend(f"{file.relative_to(root)}:{number} has more than 100 columns" for number in wide)


apps = {str(f.parent.relative_to(root)) for f in (root / "apps").rglob("*.[ch]")}
for room in sorted(set(USES) | apps):
    files = sorted((root / room).glob("*.[ch]"))
    lines = sum(len(f.read_text().splitlines()) - 1 for f in files)  # without that of the licence
    if len(files) > 20 or lines > 2800:
        failures.append(f"{room} has {len(files)} files and {lines} lines")
    for file in (*files, *(root / room).glob("*.stencil")):
        check_columns(file)
    for file in files:
        begin = None
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if begin is None and re.match(r"[a-zA-Z_].*\{$|\s.*\) \{$", line) and not re.match(r"(typedef|struct|enum|union)\b.*[^)] \{$|.*= \{$", line):
                begin = number  # of the body; declarations of more than one line begin some lines before
            elif begin is not None and line.startswith("}"):
                functions += 1
                most = 80 if room.startswith("apps/") and room != "apps/ocean" else 60
                if number - begin + 1 > most:
                    failures.append(f"{file.relative_to(root)}:{begin} has a function of {number - begin + 1} lines, expected at most {most}")
                begin = None
for page in (root / "README.md", *(root / "docs").rglob("*.md")):
    check_columns(page, ("|", "!["))
for top in ("bench", "tests"):
    for folder in [root / top, *(f for f in (root / top).rglob("*") if f.is_dir())]:
        files = [f for f in folder.iterdir() if f.is_file() and f.suffix != ".pyc"]
        if len(files) > 20:
            failures.append(f"{folder.relative_to(root)} has {len(files)} files, expected at most 20")
if functions < 500:
    failures.append(f"only {functions} functions were found")
sys.exit(tell("rooms, files, functions and lines are small", failures))
