# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the Python of README.md, docs/python.md and docs/objectives.md runs as it stands there, on 1 and 4 ranks, and prints what the pages show; README's
example has at most ten lines.
usage: pages.py SOURCE PYTHON"""
import pathlib
import re
import subprocess
import sys

source, python = sys.argv[1:]
failures = []


def printed(page, program, ranks):
    path = pathlib.Path(f"{page.stem}.py")
    path.write_text(program)
    ran = subprocess.run([f"{source}/scripts/mpirun", "-n", str(ranks), python, path], text=True, capture_output=True)
    if ran.returncode:
        failures.append(f"{page.name} on {ranks} ranks ends with {ran.returncode}: {ran.stderr}")
    return ran.stdout.splitlines()


def shows(line, shown):
    """... stands for anything."""
    return re.fullmatch(".*".join(re.escape(part) for part in shown.split("...")), line)


def compare(page, program, expected, ranks):
    found = printed(page, program, ranks)
    if len(found) != len(expected) or not all(map(shows, found, expected)):
        failures.append(f"{page.name} shows {expected}, but {ranks} ranks print {found}")


page = pathlib.Path(source, "README.md")
(program,) = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.S | re.M)
(shown,) = re.findall(r"^    \$ mpirun -n 4 python3 example.py\n    (.*)$", page.read_text(), re.M)
if len([line for line in program.splitlines() if line.strip()]) > 10:
    failures.append("the Python of README.md has more than ten lines")
for ranks in (1, 4):
    compare(page, program, [shown], ranks)
for name in ("python", "objectives"):
    page = pathlib.Path(source, f"docs/{name}.md")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.S | re.M)
    program = "".join(text for kind, text in blocks if kind == "python")
    expected = "".join(text for kind, text in blocks if not kind).splitlines()
    for ranks in (1, 4):
        compare(page, program, expected, ranks)
for failure in failures:
    print(f"claim fails: {failure}")
sys.exit(bool(failures))
