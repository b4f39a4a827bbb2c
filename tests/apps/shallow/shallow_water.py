"""Claim: shallow_water gives the published case's numbers to 1e-9 relative on 1, 4, 6, 7 and 16 ranks, to the last bit the same,
and refuses in one sentence what it cannot run.
usage: shallow_water.py SOURCE PROGRAM, in an empty directory; silent if the claim holds"""
import json
import os
import re
import subprocess
import sys

source, program = sys.argv[1:3]
bound = 1e-9
names = ("mean_h", "rms_h", "mean_u", "rms_u", "rms_v")
# Double precision, an independent program: docs/shallow-water.md
mean_h = 99.99959649446
table = {
    ("ours", 101): (mean_h, 6.55605567825, 0.704983153044, 2.2319333564, 0.0341015130638),
    ("ours", 501): (mean_h, 6.54692360445, 0.70786056714, 2.23474033976, 0.0314945674781),
    ("published", 101): (mean_h, 6.55606339558, 0.704986950621, 2.23193892344, 0.034065495825),
}
layouts = [(1, 1), (4, 1), (1, 6), (1, 16)]  # patches along x and y; 16 rows of them are uneven
uneven = [(7, 1)]  # and along x
failures = []
for case, expected in table.items():
    variant, steps = case
    first = None
    # 500 steps go the way of 100, on 6 and 16 ranks too
    for px, py in layouts[:2] if steps > 101 else layouts + (uneven if variant == "ours" else []):
        ranks = px * py
        cut = ["-px", str(px), "-py", str(py)]
        command = [os.path.join(source, "scripts/mpirun"), "-n", str(ranks), program, "-steps", str(steps), "-interval", "0", "-output", "out"] + cut
        told = subprocess.run(command + (["-published"] if variant == "published" else []), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        where = f"{variant}, step {steps}, {px} x {py} patches"
        if told.returncode:
            failures.append(f"{where}: exit status {told.returncode}: {told.stdout}")
            continue
        with open("out/run.json") as f:
            report = json.load(f)
        got = [report[name] for name in names]
        first = first or got
        for name, value, other, known in zip(names, got, first, expected):
            if not abs(value - known) <= bound * abs(known):
                failures.append(f"{where}: {name} is {value!r}, expected {known!r}, relative bound {bound}")
            if value != other:
                failures.append(f"{where}: {name} is {value!r}, but {other!r} on one")
        if not report["cell_steps_per_second"] > 0:
            failures.append(f"{where}: cell_steps_per_second is {report['cell_steps_per_second']}, expected a positive number")
        exchanges = 2 if variant == "published" else 1 / 5  # each with both neighbours; patches of 30 rows have ghosts for five steps
        if ranks == 6 and not 0 < report["messages_per_step"] <= 2 * exchanges:  # fewer where more steps are made at once
            failures.append(f"{where}: {report['messages_per_step']} messages per step, expected at most {2 * exchanges}")
refusals = [
    ("'h' is -[0-9.]+ m in cell \\([0-9]+, [0-9]+\\) on rank [0-9]+ after 0 steps", ["-nx", "7200", "-ny", "400", "-steps", "3"]),
    ("option -dt: 30 s is beyond the stability limit, expected at most 21.[0-9]+ s", ["-dt", "30"]),
    ("option -observations: 'x.h5' given", ["-observations", "x.h5"]),
    ("option -interval.*expected", ["-interval", "-1"]),
    ("option -depth.*expected", ["-depth", "0"]),
    ("option -frames.*expected", ["-frames", "maybe"]),
    ("at least 2 x 2 cells", ["-nx", "1"]),
]
for words, arguments in refusals:
    for ranks in (1, 4):
        command = [os.path.join(source, "scripts/mpirun"), "-n", str(ranks), program, "-output", "refused"]
        told = subprocess.run(command + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        sentences = re.findall("^halograd: .*", told.stdout, re.M)
        if not told.returncode or len(sentences) != 1 or not re.search(words, sentences[0]):
            failures.append(f"{' '.join(arguments)}, {ranks} ranks: exit status {told.returncode}, expected '{words}', it said: {told.stdout}")
        left = [name for _, _, names in os.walk("refused") for name in names]
        if left:
            failures.append(f"{' '.join(arguments)}, {ranks} ranks: it left {left}, expected nothing")
for failure in failures:
    print(f"claim fails: the published case's numbers: {failure}")
sys.exit(bool(failures))
