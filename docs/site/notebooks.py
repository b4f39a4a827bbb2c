#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Executes a notebook, and writes its page with what each cell prints and the pictures that it draws.
usage: notebooks.py NOTEBOOK PAGE     with halograd on PYTHONPATH"""
import contextlib
import io
import os
import pathlib
import re
import sys

from halograd.__main__ import CELL, run

notebook, page = (pathlib.Path(path).resolve() for path in sys.argv[1:])
page.parent.mkdir(parents=True, exist_ok=True)
os.chdir(page.parent)
printed, pictures, shown = io.StringIO(), set(pathlib.Path().glob("*.png")), []


def show(cell):
    new = sorted(set(pathlib.Path().glob("*.png")) - pictures)
    pictures.update(new)
    text = printed.getvalue()
    printed.seek(0)
    printed.truncate()
    shown.append(f"```python\n{cell[1]}```\n" + (f"\n```\n{text}```\n" if text else "") + "".join(f"\n![{one.stem}]({one.name})\n" for one in new))


with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
    run(notebook, show)
shown.reverse()
text = re.sub(r"\A---\n.*?^---\n", "", notebook.read_text(), flags=re.S | re.M)
page.write_text(CELL.sub(lambda cell: shown.pop() if shown else f"```python\n{cell[1]}```", text))
