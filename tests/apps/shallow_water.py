"""Claim: shallow_water gives the published case's numbers to 1e-9 relative on 1, 4, 6 and 16 ranks, to the last bit the same.
usage: shallow_water.py SOURCE PROGRAM, in an empty directory; silent if the claim holds"""
import json
import os
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
ranks_of = {("ours", 101): (1, 4, 6, 16), ("ours", 501): (4,), ("published", 101): (1, 6)}
failures = []
for case, expected in table.items():
    variant, steps = case
    first = None
    for ranks in ranks_of[case]:
        command = [os.path.join(source, "scripts/mpirun"), "-n", str(ranks), program, "-steps", str(steps), "-interval", "0", "-output", "out"]
        told = subprocess.run(command + (["-published"] if variant == "published" else []), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        where = f"{variant}, step {steps}, {ranks} ranks"
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
                failures.append(f"{where}: {name} is {value!r}, but {other!r} on {ranks_of[case][0]}")
        if not report["cell_steps_per_second"] > 0:
            failures.append(f"{where}: cell_steps_per_second is {report['cell_steps_per_second']}, expected a positive number")
        exchanges = 4 if variant == "published" else 3  # each with both neighbours of a row of patches
        if ranks == 6 and report["messages_per_step"] != 2 * exchanges:
            failures.append(f"{where}: {report['messages_per_step']} messages per step, expected {2 * exchanges}")
for failure in failures:
    print(f"claim fails: the published case's numbers: {failure}")
sys.exit(bool(failures))
