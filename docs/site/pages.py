#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Collects the pages of the site: the pages of docs/ and what they link to, each under its own path, so that links hold as they are.
usage: pages.py OUTPUT     the index is docs/site/index.md"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)")

output = pathlib.Path(sys.argv[1])
waiting = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
seen = set(waiting)
while waiting:
    page = waiting.pop()
    copy = output / page.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    if page.suffix != ".md":
        shutil.copy(page, copy)
        continue
    text = page.read_text()
    copy.write_text(text.replace("```math\n", "```{math}\n"))
    for link in LINK.findall(text):
        target = (page.parent / link).resolve()
        if "://" not in link and target not in seen and target.is_file() and ROOT in target.parents:
            seen.add(target)
            waiting.append(target)
for page in [*(ROOT / "docs/site").glob("*.md"), *(ROOT / "docs/site").glob("*.rst")]:
    shutil.copy(page, output / page.name)
