# SPDX-License-Identifier: BSD-2-Clause
# Claim: -discrepancy ends where the misfit is its expectation, between 1 and 1 + 2 standard deviations, from weights far too small and far
# too large, for 0.5 and 20 % of noise; without a regularisation it is refused. -evidence finds weights about as good as the best of a scan, and the noise, from files whose sigma
# is four times too large or too small. With outliers among the data -huber finds what is found without
# them, where squares are led astray; its Hessian serves Newton, and -check passes. Both have the same bits on 1, 2 and 4 ranks, and where
# evaluations are resumed. Errors are correlated over the time that -correlation, or a file, says.
# usage: noise.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS
import json
import math
import os
import re
import subprocess
import sys

import h5py

source, programs = (os.path.abspath(a) for a in sys.argv[1:3])
problems = []
ROBUST = ("-huber", "1.345")
every = 4 if "-asan" in programs else 1  # the sanitizers look at lines, and take five times as long


def run(ranks, program, *options, ends=0):
    done = subprocess.run([source + "/scripts/mpirun", "-n", str(ranks), f"{programs}/{program}", *options], capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode != ends:
        problems.append(f"{program} {' '.join(options)} on {ranks} ranks: exit status {done.returncode}, {said[-400:]}")
    return said


def invert(ranks, name, *options):
    """misfit / expectation, the error of what was found, J and digests"""
    said = run(ranks, "heat_inverse", "-nx", "24", "-ny", "20", "-observations", name, "-digest", "-iterations", "60", *options)
    found = [re.search(pattern, said, re.M) for pattern in (r"^misfit / expectation (\S+)$", r"^error \S+ -> (\S+)", r"^(J \S+ gradient \w+ state \w+)$")]
    return (float(found[0][1]), float(found[1][1]), found[2][1]) if all(found) else (math.nan, math.nan, "")


for noise in ("0.005", "0.01", "0.05", "0.2"):
    run(2, "heat_forward", "-noise", noise, "-observations", f"{noise}.h5")
for noise, h1 in (("0.005", "0.01"), ("0.005", "30000"), ("0.2", "0.01"), ("0.2", "30000"))[::every]:
    ratio = invert(1, f"{noise}.h5", "-discrepancy", "-h1", h1)[0]
    if not 1 <= ratio <= 1.1:
        problems.append(f"noise {noise}, h1 {h1}: misfit / expectation {ratio}, expected 1 to 1.1")
some = ("0.01.h5", "-discrepancy", "-h1", "30000")
first = invert(1, *some)[2]
others = [invert(4, *some)[2], invert(2, *some, "-resume", "-output", "kept")[2], invert(4, *some, "-resume", "-output", "kept")[2]]
if any(other != first for other in others):
    problems.append(f"-discrepancy: '{first}' on one rank; on 4, kept, resumed: {others}")
if "J has no regularisation" not in run(2, "heat_inverse", "-h1", "0", "-discrepancy", ends=1):
    problems.append("-h1 0 -discrepancy: another sentence")

# sigma is unknown: from files that have it four times too large and too small the weights are found that are about the best of a scan
for noise in ("0.05", "0.2")[::every]:
    scanned = min(invert(1, f"{noise}.h5", "-h1", h1)[1] for h1 in ("1", "3", "10", "30"))
    for times, start in ((4, "100"), (0.25, "1"))[::every]:
        with h5py.File(f"{noise}.h5") as file, h5py.File("other.h5", "w", libver="v110") as other:
            for name in file:
                file.copy(name, other)
            other.attrs.update(file.attrs)
            other["u_sigma"][...] *= times
        found = invert(1, "other.h5", "-evidence", "-h1", start, "-output", "weighed")[1]
        with open("weighed/run.json", encoding="utf-8") as file:
            ratio = json.load(file)["noise_ratio"]
        if not (found < 1.3 * scanned and abs(times * ratio - 1) < 0.05):
            problems.append(f"-evidence, noise {noise}, sigma x {times}: error {found}, {scanned} with the best weight; noise / sigma {ratio}")
by_evidence = ("other.h5", "-evidence", "-h1", "10", "-iterations", "20")
first = invert(1, *by_evidence)[2]
others = [invert(4, *by_evidence)[2], invert(2, *by_evidence, "-resume", "-output", "weights")[2], invert(6, *by_evidence, "-resume", "-output", "weights")[2]]
if not first or any(other != first for other in others):
    problems.append(f"-evidence: '{first}' on one rank; on 4, kept, resumed: {others}")
for words, more in (("J has no regularisation", ("-h1", "0")), ("given with -discrepancy", ("-discrepancy",)), ("given with -evidence", ("-tv", "1", "-tv_epsilon", "1"))):
    if words not in run(2, "heat_inverse", "-evidence", *more, ends=1):
        problems.append(f"-evidence {more}: another sentence")

clean = invert(1, "0.01.h5")[1]
with h5py.File("0.01.h5", "r+") as file:
    values = file["u"][...]
    values.flat[::37] += 40 * float(file["u_sigma"][...].flat[0])
    file["u"][...] = values
squares, (_, robust, digest) = invert(1, "0.01.h5")[1], invert(2, "0.01.h5", *ROBUST)
newton = invert(1, "0.01.h5", *ROBUST, "-tao_type", "bntr", "-tikhonov", "1")[1]
if not (robust < 1.5 * clean and squares > 2 * robust and newton < 1.5 * clean):
    problems.append(f"error {clean} without outliers; with them {squares} by squares, {robust} by -huber, {newton} by Newton")
if invert(4, "0.01.h5", *ROBUST)[2] != digest:
    problems.append("-huber has other bits on 4 ranks")
checks = run(2, "heat_inverse", "-nx", "24", "-ny", "20", "-observations", "0.01.h5", *ROBUST, "-check", "-iterations", "1")
if len(re.findall(r"^check .* ok$", checks, re.M)) < 5:
    problems.append(f"-check with -huber: {checks[-400:]}")

# errors that are correlated: as an option says, or the file; a part of a gradient alone is refused
errors = ("-correlation", "0.004")
alone, by_option = invert(1, "0.01.h5")[2], invert(2, "0.01.h5", *errors, "-record", "rec")[2]
said = run(2, "heat_inverse", "-nx", "24", "-ny", "20", "-observations", "0.01.h5", *errors, "-replay", "rec/first", "-window", "26:104", ends=1)
if "as their errors are correlated" not in said:
    problems.append(f"-replay of a part with -correlation: {said[-400:]}")
with h5py.File("0.01.h5", "r+") as file:
    file["u_sigma"].attrs["correlation"] = 0.004
by_file = invert(4, "0.01.h5")[2]
if not alone != by_option == by_file:
    problems.append(f"'{alone}' of independent errors, '{by_option}' by -correlation, '{by_file}' by a file's attribute")
if invert(1, "0.01.h5", "-relative", "0.5")[2] == by_file:
    problems.append("-relative 0.5 changes nothing")
with h5py.File("0.01.h5", "r+") as file:
    file["u_sigma"].attrs["correlation"] = -1.0
if "attribute 'correlation' of 'u_sigma' is -1 s" not in run(2, "heat_inverse", "-observations", "0.01.h5", ends=1):
    problems.append("a correlation of -1 s: another sentence")
print("\n".join("claim fails: noise: " + p for p in problems))
sys.exit(bool(problems))
