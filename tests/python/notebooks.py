# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the notebooks of docs/notebooks run as programs, have 40 to 80 lines, print on 2 or 4 ranks what their pages of the site show, which are made on
1 rank, and find what they say; an error in one names its line; without PyTorch the one that needs it says so in a sentence.
usage: notebooks.py SOURCE PYTHON, in a folder of its own, in which it leaves the pages"""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

source, python = sys.argv[1:]
failures = []


def run(ranks, *words):
    ran = subprocess.run([f"{source}/scripts/mpirun", "-n", str(ranks), python, *map(str, words)], text=True, capture_output=True)
    return ran.returncode, ran.stdout, ran.stderr


def expect(condition, what):
    if not condition:
        failures.append(what)


def numbers(line):
    return [float(number) for number in re.findall(r"(?<![\w.])\d[\d.]*(?:e[-+]\d+)?", line)]


def heat_inversion(lines):
    slope = re.findall(r"-?\d+\.\d+", lines[1])[1:]
    expect(abs(float(slope[0]) - float(slope[1])) < 1e-6 * abs(float(slope[0])), f"its slope is that of differences: {slope}")
    before, after = numbers(lines[4])
    expect(after < 0.5 * before and "converged" in lines[2], f"kappa is found: {lines[2:]}")
    expect(numbers(lines[5])[0] < 100 and all(2 * known < before for known, before in map(numbers, lines[6:8])), f"and how sure it is: {lines[5:]}")


def shots(lines):
    J, found, before, after = numbers(lines[-1])
    expect(found < 1e-3 * J and after < 0.7 * before, f"the ground is found: {lines[-1]}")


def tsunami(lines):
    reduced = [float(line.split()[-1]) for line in lines[1:5]]
    expect(min(reduced) > 0.9 and 80 < numbers(lines[5])[1] < 150, f"the source is found: {lines}")


def closure(lines):
    (before, after), (largest, off) = map(numbers, lines)
    expect(after < 0.1 * before and off < 0.1 * largest, f"the reaction is learned: {lines}")


def debugging(lines):
    text = "\n".join(lines)
    for found in ("dot: off by", "square: dot of ('s', 'kappa') at cell (", "0 findings", "kink in step 2, cell (0, 0)"):
        expect(text.count(found) == 1, f"it prints '{found}' once: {text}")
    expect(lines[-1].endswith("sound"), f"its last equation is right: {text}")


shutil.rmtree("pages", ignore_errors=True)
notebooks = {path.stem: path for path in pathlib.Path(source, "docs/notebooks").glob("*.md")}
expect(set(notebooks) == {"heat_inversion", "shots", "tsunami", "closure", "debugging"}, f"there are {sorted(notebooks)}")
needs = {"shots": ("matplotlib",), "closure": ("torch",), "heat_inversion": ("matplotlib",), "tsunami": ("matplotlib",)}
for name, path in notebooks.items():
    count = sum(bool(line.strip()) for line in path.open())
    expect(40 <= count <= 80, f"{name} has {count} lines")
    if any(importlib.util.find_spec(package) is None for package in needs.get(name, ())):
        continue
    status, out, said = run(1, f"{source}/docs/site/notebooks.py", path, f"pages/{name}.md")
    expect(status == 0, f"the page of {name} ends with {status}: {out} {said}")
    printed = ["".join(re.findall(r"^```\n\n```\n(.*?)^```$", pathlib.Path("pages", f"{name}.md").read_text(), re.S | re.M))]
    ranks = 4 if name == "debugging" else 2  # python/package_4 has the package on more
    status, out, said = run(ranks, "-m", "halograd", path)
    expect(status == 0, f"{name} on {ranks} ranks ends with {status}: {out} {said}")
    printed = [re.sub(r"of rank \d", "of its rank", text) for text in (*printed, out)]
    expect(printed[0] == printed[1], f"{name} prints '{printed[0]}' on 1 rank and '{printed[1]}' on {ranks}")
    before = len(failures)
    globals()[name](printed[0].splitlines())
    failures[before:] = [f"{name}: {what}" for what in failures[before:]]
absent = "import sys; sys.modules['torch'] = None; from halograd.__main__ import run; run(sys.argv[1])"
status, out, said = run(1, "-c", absent, notebooks["closure"])
expect(status == 0 and out == "this notebook needs PyTorch (Debian: python3-torch), which is not installed\n", f"without PyTorch: {status} {out} {said}")
pathlib.Path("wrong.md").write_text("# Wrong\n\n```{code-cell} python\nx = 1\n```\n\n```{code-cell} python\n\ny = 1 / 0\n```\n")
status, out, said = run(1, "-m", "halograd", "wrong.md")
expect(status != 0 and 'File "wrong.md", line 9' in said and "y = 1 / 0" in said, f"an error names its line: {status} {said}")
status, out, said = run(4, "-m", "halograd")
expect(status != 0 and said.count("Error: python3 -m halograd: 0 arguments, expected one notebook") == 1, f"without a notebook: {status} {said}")
for failure in failures:
    print(f"claim fails: {failure}")
sys.exit(bool(failures))
