# SPDX-License-Identifier: BSD-2-Clause
# Claim: -discrepancy ends where the misfit is its expectation, between 1 and 1 + 2 standard deviations, from weights far too small and far
# too large, for 0.5 to 20 % of noise; the same bits on 1 and 4 ranks, and where evaluations are resumed; without a regularisation it is refused.
# usage: discrepancy.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS
import math
import os
import re
import subprocess
import sys

source, programs = (os.path.abspath(a) for a in sys.argv[1:3])
problems = []


def run(ranks, program, *options):
    done = subprocess.run([source + "/scripts/mpirun", "-n", str(ranks), f"{programs}/{program}", *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def invert(ranks, name, *options):
    code, said = run(ranks, "heat_inverse", "-nx", "24", "-ny", "20", "-observations", name, "-discrepancy", "-digest", "-iterations", "60", *options)
    ratio = re.search(r"^misfit / expectation (\S+)$", said, re.M)
    digest = re.search(r"^J \S+ gradient \w+ state \w+$", said, re.M)
    if code or not ratio or not digest:
        problems.append(f"{ranks} ranks, {name} {' '.join(options)}: {code}, {said[-400:]}")
        return math.nan, "", said
    return float(ratio[1]), digest[0], said


for noise in ("0.005", "0.05", "0.2"):
    name = f"noise_{noise}.h5"
    code, said = run(2, "heat_forward", "-noise", noise, "-observations", name)
    if code:
        problems.append(f"heat_forward: {said[-300:]}")
    for h1 in ("0.01", "30000") if noise != "0.05" else ():
        ratio, digest, said = invert(2, name, "-h1", h1)
        if not 1 <= ratio <= 1.1 or "weights of the regularisation x" not in said:
            problems.append(f"noise {noise}, h1 {h1}: misfit / expectation {ratio}, expected 1 to 1.1")

some = ("noise_0.05.h5", "-h1", "30000")
first = invert(1, *some)[1]
others = [invert(4, *some)[1], invert(2, *some, "-resume", "-output", "kept")[1], invert(4, *some, "-resume", "-output", "kept")[1]]
if any(other != first for other in others):
    problems.append(f"'{first}' on one rank; on 4, kept, resumed: {others}")

code, said = run(2, "heat_inverse", "-h1", "0", "-discrepancy")
if code == 0 or "J has no regularisation" not in said:
    problems.append(f"-h1 0 -discrepancy: {code}, {said[-300:]}")
print("\n".join("claim fails: discrepancy: " + p for p in problems))
sys.exit(bool(problems))
