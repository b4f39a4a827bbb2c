# SPDX-License-Identifier: BSD-2-Clause
"""Runs a notebook, the code cells of a MyST text, as a program: mpirun -n 4 python3 -m halograd NOTEBOOK.md"""
import re
import sys

CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.M | re.S)


def run(path, after=lambda cell: None):
    """Executes its cells one by one, in one namespace; after(cell) follows each. SystemExit ends the notebook."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = {"__name__": "__main__"}
    for cell in CELL.finditer(text):
        try:  # a traceback shows the line of the text
            exec(compile("\n" * text.count("\n", 0, cell.start(1)) + cell[1], path, "exec"), names)
        finally:
            after(cell)


if __name__ == "__main__":
    import halograd

    if len(sys.argv) != 2:
        raise halograd.Error(f"python3 -m halograd: {len(sys.argv) - 1} arguments, expected one notebook, a MyST text")
    run(sys.argv[1])
