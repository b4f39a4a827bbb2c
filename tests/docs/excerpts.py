"""Claim: C code that docs/ quote stands in the tree, and every relative link of README.md and docs/ leads somewhere.
usage: excerpts.py SOURCE; silent if the claim holds"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
pages = [root / "README.md", root / "data/README.md", root / "bench/README.md", *sorted((root / "docs").glob("*.md"))]
folders = ("mesh", "halo", "stencils", "adjoint", "apps", "tests")
squeeze = re.compile(r"\s+|/\*.*?\*/", re.S).sub  # layout and comments may differ
code = "".join(squeeze("", file.read_text()) for folder in folders for file in sorted((root / folder).rglob("*.[ch]")))
failures, lines, links = [], 0, 0
for page in pages:
    text = page.read_text()
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        links += 1
        if not (page.parent / target).exists():
            failures.append(f"{page}: link to '{target}', expected a file of the tree")
    if page.name == "README.md":
        continue  # its example is compiled (readme)
    for block in re.findall(r"^```c\n(.*?)^```$", text, re.S | re.M):
        for line in block.splitlines():
            lines += 1
            if squeeze("", line) not in code:
                failures.append(f"{page}: quotes '{line.strip()}', expected code of the tree")
if lines < 20 or links < 10:
    failures.append(f"{lines} quoted lines and {links} links found, expected at least 20 and 10")
for failure in failures:
    print(f"claim fails: docs quote what is there: {failure}")
sys.exit(bool(failures))
