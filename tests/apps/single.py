# SPDX-License-Identifier: BSD-2-Clause
# Claim: programs in single precision have the same bits on any number of ranks, with time blocks, threads and files of checkpoints; their J
# is that of doubles to 1e-3; what one precision wrote the other refuses, and so does -doctor; neither writes over the other's results.
# usage: single.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS
import os
import re
import shutil
import subprocess
import sys

source, programs = (os.path.abspath(a) for a in sys.argv[1:3])
problems = []
CASES = {
    "heat_inverse": ["-nx", "21", "-ny", "17", "-iterations", "3"],
    "shallow_water_inverse": ["-nx", "30", "-ny", "22", "-iterations", "2"],
    "block_inverse": ["-iterations", "1"],
}


def run(ranks, program, *options, output=("-output", "out")):
    done = subprocess.run([source + "/scripts/mpirun", "-n", str(ranks), programs + "/" + program, *output, *options],
                          capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    wrong = re.search("halograd: error.*", text)
    return done.returncode, wrong[0] if wrong else text


def digest(ranks, program, *options):
    code, said = run(ranks, program, *options, "-digest")
    found = re.search(r"^J (0x\S+) gradient (\w+) state (\w+)$", said, re.M)
    if code or not found:
        problems.append(f"{program} on {ranks} ranks {' '.join(options)} ended with {code}: {said[-300:]}")
        return ("nan", "", "")
    return found.groups()


for name, options in CASES.items():
    double, single = digest(1, name, *options), digest(1, name + "_single", *options)
    J, j = float.fromhex(double[0]), float.fromhex(single[0])
    if not abs(j - J) <= 1e-3 * abs(J) or single[1:] == double[1:]:
        problems.append(f"{name}: J {j} in single precision, {J} in double, digests {single[1:]} and {double[1:]}")
    for ranks, more in ((4, []), (6, ["-hg_time_block", "3"]), (2, ["-hg_threads", "2", "-slots", "9", "-store", "hdf5"])):
        other = digest(ranks, name + "_single", *options, *more)
        if other != single:
            problems.append(f"{name}_single on {ranks} ranks {' '.join(more)}: {other}, on one {single}")

heat = CASES["heat_inverse"]
shutil.rmtree("output", ignore_errors=True)
for name in "heat_inverse", "heat_inverse_single":
    run(1, name, *heat, output=())
if sorted(os.listdir("output")) != ["heat_inverse", "heat_inverse_single"]:
    problems.append(f"results of the two precisions are in {os.listdir('output')}")
for writes, reads, said in (("", "_single", "double"), ("_single", "", "single")):
    run(2, "heat_inverse" + writes, *heat, "-record", "record" + writes)
    for window in ("0:20", "3:4"):  # in the second, no step was recorded
        code, text = run(2, "heat_inverse" + reads, *heat, "-replay", f"record{writes}/first", "-window", window)
        if code == 0 or f"was written in {said} precision" not in text:
            problems.append(f"a recording of heat_inverse{writes} is replayed by heat_inverse{reads}: {code}, {text[-300:]}")
code, text = run(1, "heat_inverse_single", *heat, "-doctor")
if code == 0 or "computes in single precision" not in text:
    problems.append(f"-doctor in single precision: {code}, {text[-300:]}")
for name, options, checks in (("heat_inverse", heat, 6), ("heat_sgd", ["-nx", "20", "-ny", "16", "-steps", "200"], 3)):
    code, text = run(2, name + "_single", *options, "-check")
    if code or len(re.findall(r"^check .* ok$", text, re.M)) < checks:
        problems.append(f"-check of {name} in single precision: {code}, {text[-600:]}")
print("\n".join("claim fails: single precision: " + p for p in problems))
sys.exit(bool(problems))
