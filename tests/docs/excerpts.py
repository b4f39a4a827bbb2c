# SPDX-License-Identifier: BSD-2-Clause
"""Claim: C code and stencils that docs/ quote stand in the tree, and every relative link of README.md and docs/ leads somewhere, and installing.md
lists the options of CMake, and the table of bench/README.md is that of its figures.
usage: excerpts.py SOURCE; silent if the claim holds"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
pages = [*sorted(root.glob("*.md")), root / "data/README.md", root / "bench/README.md", *sorted((root / "docs").glob("*.md"))]
folders = ("mesh", "halo", "stencils", "adjoint", "apps", "tests")
squeeze = re.compile(r"\s+|/\*.*?\*/", re.S).sub  # layout and comments may differ
code = "".join(squeeze("", file.read_text()) for folder in folders for file in sorted((root / folder).rglob("*.[ch]")))
stencils = [file.read_text() for folder in folders for file in sorted((root / folder).rglob("*.stencil"))]
uncommented = re.compile(r"^#.*\n|\s+", re.M).sub
failures, lines, links, quoted = [], 0, 0, 0
for page in pages:
    text = page.read_text()
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        links += 1
        if not (page.parent / target).exists():
            failures.append(f"{page}: link to '{target}', expected a file of the tree")
    if page.name == "tutorial.md":
        continue  # its files are compiled (tutorial)
    for block in re.findall(r"^```\n((?:#[^\n]*\n)*(?:stencil|physics) .*?)^```$", text, re.S | re.M):  # whole; the comment above it may differ
        quoted += 1
        if not any(uncommented("", block) in uncommented("", stencil) for stencil in stencils):
            failures.append(f"{page}: quotes {block.splitlines()[0]} ..., expected a stencil of the tree")
    if page.name == "README.md":
        continue  # its example is compiled (readme)
    for block in re.findall(r"^```c\n(.*?)^```$", text, re.S | re.M):
        for line in block.splitlines():
            lines += 1
            if squeeze("", line) not in code:
                failures.append(f"{page}: quotes '{line.strip()}', expected code of the tree")
figures = subprocess.run([sys.executable, "-B", root / "bench/figures.py", root / "bench", "--check"], capture_output=True, text=True)
if figures.returncode != 0:
    failures.append(figures.stderr.strip())
for folder in "-h", "no/build":
    if subprocess.run([root / "bench/run", folder], capture_output=True).returncode != 2:
        failures.append(f"bench/run {folder}: expected exit status 2")
options = set(re.findall(r"^option\((HALOGRAD_\w+)", (root / "CMakeLists.txt").read_text(), re.M))
named = set(re.findall(r"^\| `(HALOGRAD_\w+)`", (root / "docs/installing.md").read_text(), re.M))
if options != named or not options:
    failures.append(f"docs/installing.md lists the options {sorted(named)}, CMakeLists.txt has {sorted(options)}")
if lines < 20 or links < 10 or quoted < 6:
    failures.append(f"{lines} quoted lines, {links} links and {quoted} stencils found, expected at least 20, 10 and 6")
for failure in failures:
    print(f"claim fails: docs quote what is there: {failure}")
sys.exit(bool(failures))
