# SPDX-License-Identifier: BSD-2-Clause
"""Claim: an app of the gallery, of at most 60 lines beside a stencil of at most 25, passes all its checks, finds more than it was given, has
the same bits on 1 and 6 ranks, and refuses a time step beyond its limit.
usage: gallery.py SOURCE PROGRAM; silent if the claim holds"""
import pathlib
import re
import subprocess
import sys

# its stencils, options that make it short, a step that is too long
APPS = {
    "gray_scott": (["gray_scott"], "-nx 24 -ny 24 -steps 300 -iterations 6", "1.6"),
    "acoustic": (["acoustic"], "-steps 300 -iterations 2", "2.2e-3"),
    "burgers": (["burgers_slopes", "burgers_fluxes", "burgers"], "-steps 60 -iterations 5", "2e-3"),
    "cahn_hilliard": (["cahn_hilliard"], "-nx 24 -ny 24 -steps 240 -iterations 4", "0.05"),
    "elastic": (["elastic_velocity", "elastic_stress"], "-steps 350 -iterations 2", "2.1e-3"),
}
source, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
app = program.name.replace("_inverse", "")
stencils, options, beyond = APPS[app]
failures, digests = [], set()


def ran(ranks, *more):
    words = [source / "scripts/mpirun", "-n", ranks, program, *options.split(), "-output", f"output_{ranks}", *more]
    done = subprocess.run(words, text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


for ranks in ("1", "6"):
    code, said = ran(ranks, "-digest", *(["-check"] if ranks == "6" else []))
    error = re.search(r"error (\S+) -> (\S+) ", said)
    digest = re.findall(r"^J 0x.*$", said, re.M)
    unchecked = [s for s in stencils if not re.search(rf"^check stencil {s}: .* ok$", said, re.M)] if ranks == "6" else []
    if code or unchecked or "FAILED" in said:
        failures.append(f"on {ranks} ranks: exit status {code}, {unchecked} not checked, {said}")
    elif not error or not float(error[2]) < float(error[1]) or not digest:
        failures.append(f"on {ranks} ranks: expected digests and an error that falls, said {said}")
    if not pathlib.Path(f"output_{ranks}", f"{app}_inverse.png").exists():
        failures.append(f"on {ranks} ranks: no picture")
    digests.add(tuple(digest))
if len(digests) > 1:
    failures.append(f"other bits on other ranks: {digests}")
code, said = ran("4", "-dt", beyond)
if not code or "beyond the stability limit" not in said or len(re.findall("^halograd:", said, re.M)) != 1:
    failures.append(f"a step of {beyond} s: expected a sentence about the limit, exit status {code} and {said}")
for file, most in ((f"{app}_inverse.c", 60), (f"{app}.stencil", 25)):
    lines = len((source / "apps/gallery" / file).read_text().splitlines())
    if lines > most:
        failures.append(f"{file} has {lines} lines, expected at most {most}")
for failure in failures:
    print(f"claim fails: the gallery's apps run: {app}: {failure}")
sys.exit(bool(failures))
