# SPDX-License-Identifier: BSD-2-Clause
"""Claim: python/examples/heat_inverse.py has at most 25 lines and prints J, in hexadecimal, and the digests of heat_inverse, on other
numbers of ranks; in single precision those of heat_inverse_single, which are others.
usage: same_bits.py SOURCE HEAT_INVERSE PYTHON"""
import os
import re
import subprocess
import sys

source, heat_inverse, python = sys.argv[1:]
example = f"{source}/python/examples/heat_inverse.py"


def digest(ranks, *words):
    ran = subprocess.run([f"{source}/scripts/mpirun", "-n", str(ranks), *words], text=True, capture_output=True)
    found = re.findall(r"^J 0x1\.[0-9a-f]+p\+\d+ gradient [0-9a-f]{16} state [0-9a-f]{16}$", ran.stdout, re.M)
    if ran.returncode or len(found) != 1:
        sys.exit(f"claim fails: {' '.join(words)} on {ranks} ranks ends with {ran.returncode} and prints {len(found)} lines of digests: {ran.stderr}")
    return found[0]


expected = digest(16, heat_inverse, "-digest", "-output", "c")
for ranks in (1, 4):
    found = digest(ranks, python, example)
    if found != expected:
        sys.exit(f"claim fails: on {ranks} ranks Python has {found}, heat_inverse {expected}")
os.environ["HALOGRAD_PRECISION"] = "single"
single = digest(4, heat_inverse + "_single", "-digest", "-output", "c")
if digest(1, python, example) != single or single == expected:
    sys.exit(f"claim fails: in single precision Python has not {single} of heat_inverse_single")
lines = [line for line in open(example) if line.strip() and not line.startswith("#")]
if len(lines) > 25:
    sys.exit(f"claim fails: {example} has {len(lines)} lines, expected at most 25")
