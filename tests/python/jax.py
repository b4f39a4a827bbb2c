# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the tests of the bridge to JAX pass on 1 and 4 ranks, none is skipped. JAX is that of BUILD/jax, which scripts/jax makes, or of PYTHON.
usage: jax.py SOURCE BUILD PYTHON"""
import os
import re
import subprocess
import sys

source, build, python = sys.argv[1:]
own = f"{build}/jax/bin/python"
python = own if os.path.exists(own) else python
if subprocess.run([python, "-c", "import jax"], capture_output=True).returncode:
    print("skipped: no JAX; scripts/jax installs it for this test")
    sys.exit()
for ranks in (1, 4):
    words = [f"{source}/scripts/mpirun", "-n", str(ranks), python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--color=no", f"{source}/python/tests", "-k", "jax"]
    ran = subprocess.run(words, text=True, capture_output=True)
    if ran.returncode or len(re.findall(r"(?<!\d)4 passed, \d+ deselected", ran.stdout)) != ranks:
        sys.exit(f"claim fails: on {ranks} ranks the tests of JAX end with {ran.returncode}: {ran.stdout} {ran.stderr}")
