# SPDX-License-Identifier: BSD-2-Clause
# Claim: shallow_water_inverse finds the surface or the bottom of its twin (misfit 0.9 to 1.1 of its expectation, error of the surface
# below a quarter of the first guess's, of the bottom below a half) and ends with the same bits on 1 and 4 ranks, after three iterations on
# 6 and 16 too; its checks pass.
# usage: gauges.py SOURCE_DIRECTORY PROGRAM surface|bathymetry
import json
import re
import struct
import subprocess
import sys

import h5py
import numpy

source, program, control = sys.argv[1:4]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require
WEIGHT, FACTOR = {"surface": ("10", 0.25), "bathymetry": ("30", 0.5)}[control]
NX, NY = 30, 20


def run(ranks, arguments):
    done = subprocess.run([source + "/scripts/mpirun", "-n", str(ranks), program] + arguments, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("claim fails: %s on %d ranks: exit status %d, it said:\n%s" % (" ".join(arguments), ranks, done.returncode, done.stdout))
    return done.stdout


# the twin's mesh is three times as fine, and its data are the same on any number of ranks
made = []
for ranks in 1, 4:
    run(ranks, ["-twin", "basin.h5", "-nx", str(3 * NX), "-ny", str(3 * NY), "-noise", "0.2", "-seed", "1", "-output", "twin"])
    with h5py.File("basin.h5") as data:
        made.append((data["eta"][()].tobytes(), data["eta_sigma"][()].tobytes(), data["x"][()].tobytes(), data["time"][()].tobytes()))
        require(data["eta"].attrs["units"] in (b"m", "m"), "the surface is in m", data["eta"].attrs["units"])
require(made[0] == made[1], "the twin's data have the same bits on 1 and 4 ranks")
first = None
for ranks in 1, 4:
    output = "out_%d" % ranks
    arguments = ["-control", control, "-observations", "basin.h5", "-nx", str(NX), "-ny", str(NY), "-h1", WEIGHT, "-slots", "1000", "-digest", "-output", output]
    said = run(ranks, arguments + (["-check"] if ranks == 4 else []))
    digest = re.findall(r"^J 0x.*$", said, re.M)
    require(len(digest) == 1 and digest[0] == (first or digest[0]), "the same bits on %d ranks" % ranks, first, digest)
    first = first or digest[0]
    checks = re.findall("^check (.*): .* ok$", said, re.M)
    require(ranks != 4 or len(checks) == 9 == len(set(checks)), "five operators and four stencils pass their checks", said)
    require(ranks != 4 or sum(name.startswith("stencil shallow_") for name in checks) == 4, "the stencils are named", said)
    report = json.load(open(output + "/run.json"))
    require(0.9 <= report["misfit_ratio"] <= 1.1, "misfit / expectation is 0.9 to 1.1, seed 1", report["misfit_ratio"])
    require(report["error_end"] < FACTOR * report["error_start"], "the error falls", report["error_start"], report["error_end"])
    with h5py.File(output + "/shallow_water_inverse.h5") as results:
        found, truth = results["found"][()], results["truth"][()]
        error = float(numpy.linalg.norm(found - truth) / numpy.linalg.norm(truth))
        require(found.shape == (NY, NX), "what was found has the shape of the grid", found.shape)
        require(abs(report["error_end"] / error - 1) < 1e-12, "error_end is that of the results", report["error_end"], error)
        level = results["h"][()][-1] + (found if control == "bathymetry" else 0)
        require(control == "surface" or abs(level - results["eta"][()][-1]).max() == 0, "the surface is h + b")
    picture = open(output + "/shallow_water_inverse.png", "rb").read()
    width, height = struct.unpack(">II", picture[16:24])
    require(picture[:8] == b"\x89PNG\r\n\x1a\n" and picture[-8:-4] == b"IEND", "the picture is a whole PNG")
    require(2500 < width < 3500 and 1000 < height < 2000, "six panels stand in two rows", width, height)
    history = report["history"]["J"]
    require(all(a > b for a, b in zip(history, history[1:])), "J falls", history)
short = ["-control", control, "-observations", "basin.h5", "-nx", str(NX), "-ny", str(NY), "-h1", WEIGHT, "-iterations", "3", "-digest", "-output", "short"]
digests = {ranks: re.findall(r"^J 0x.*$", run(ranks, short), re.M) for ranks in (1, 6, 16)}
require(len(digests[1]) == 1 and digests[6] == digests[1] == digests[16], "three iterations have the same bits on 1, 6 and 16 ranks", digests)
end("gauges")
