# SPDX-License-Identifier: BSD-2-Clause
# Claim: heat_inverse finds kappa = 1.5 + x + 2 y of the exercise on 49 x 49 nodes from two sensors: to 1e-6 from its own data, to 2 %
# from those of an implicit solver on a finer grid, with at most 64 MiB of checkpoints.
# usage: exercise.py twin|implicit SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS PATH_OF_EXERCISE_IMPLICIT [print]
import json
import subprocess
import sys

kind, source, programs, implicit = sys.argv[1:5]
RANKS = "1"
CASE = ["-case", "exercise", "-nx", "49", "-ny", "49"]
bound = {"twin": 1e-6, "implicit": 0.02}[kind]
problems = []


def run(ranks, program, arguments):
    subprocess.run([source + "/scripts/mpirun", "-n", ranks, program] + arguments, stdout=subprocess.DEVNULL, check=True)


if kind == "twin":
    run(RANKS, programs + "/heat_forward", CASE + ["-noise", "0", "-observations", "twin.h5", "-frames", "1", "-output", "forward"])
else:
    run("1", implicit, ["implicit.h5"])
stop = ["-tolerance", "1e-11" if kind == "twin" else "1e-5", "-slots", "1000"]
run(RANKS, programs + "/heat_inverse", CASE + ["-parametrise", "affine", "-observations", kind + ".h5", "-output", kind] + stop)
report = json.load(open(kind + "/run.json"))
for name, found, true in zip("abc", report["theta"], (1.5, 1.0, 2.0)):
    error = abs(found - true) / (1 if kind == "twin" else true)
    if not error <= bound:
        problems.append("%s is %.12g, expected %g; error %g, bound %g" % (name, found, true, error, bound))
if len(sys.argv) > 5:
    print(report["theta"], report["evaluations"], report["seconds"], report["reason"], report["checkpoint_bytes"])
bytes_held = sum(report["checkpoint_bytes"].values())
if not 0 < bytes_held <= 64 << 20:
    problems.append("checkpoints take %d bytes, expected at most 64 MiB" % bytes_held)
if problems:
    sys.exit("claim fails: the exercise, %s data: %s" % (kind, "; ".join(problems)))
