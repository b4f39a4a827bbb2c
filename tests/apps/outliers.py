# SPDX-License-Identifier: BSD-2-Clause
# Claim: with outliers among the data heat_inverse -huber finds what it finds without them, where squares are led astray; its Hessian serves
# Newton; the same bits on 1 and 4 ranks; -check passes.
# usage: outliers.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS
import math
import os
import re
import subprocess
import sys

import h5py

source, programs = (os.path.abspath(a) for a in sys.argv[1:3])
problems = []


def run(ranks, program, *options):
    done = subprocess.run([source + "/scripts/mpirun", "-n", str(ranks), f"{programs}/{program}", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        problems.append(f"{program} {' '.join(options)}: {done.returncode}, {(done.stdout + done.stderr)[-400:]}")
    return done.stdout


def invert(ranks, name, *options):
    said = run(ranks, "heat_inverse", "-nx", "24", "-ny", "20", "-observations", name, "-digest", "-iterations", "60", *options)
    error = re.search(r"^error \S+ -> (\S+)", said, re.M)
    digest = re.search(r"^J \S+ gradient \w+ state \w+$", said, re.M)
    return (float(error[1]), digest[0]) if error and digest else (math.nan, "")


run(2, "heat_forward", "-noise", "0.01", "-observations", "data.h5")
clean = invert(2, "data.h5")[0]
with h5py.File("data.h5", "r+") as file:
    u, sigma = file["u"], file["u_sigma"]
    values = u[...]
    values.flat[::37] += 40 * float(sigma[...].flat[0])
    u[...] = values
squares, (robust, digest) = invert(2, "data.h5")[0], invert(2, "data.h5", "-huber", "1.345")
newton = invert(2, "data.h5", "-huber", "1.345", "-tao_type", "bntr", "-tikhonov", "1")[0]
if not (robust < 1.5 * clean and squares > 2 * robust and newton < 1.5 * clean):
    problems.append(f"error {clean} without outliers; with them {squares} by squares, {robust} by -huber, {newton} by Newton")
if invert(4, "data.h5", "-huber", "1.345")[1] != digest:
    problems.append("-huber has other bits on 4 ranks")
if len(re.findall(r"^check .* ok$", run(2, "heat_inverse", "-nx", "24", "-ny", "20", "-observations", "data.h5", "-huber", "1.345", "-check", "-iterations", "1"), re.M)) < 5:
    problems.append("-check with -huber")
print("\n".join("claim fails: outliers: " + p for p in problems))
sys.exit(bool(problems))
