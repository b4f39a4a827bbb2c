# SPDX-License-Identifier: BSD-2-Clause
# Claim: where the water runs dry on the way, shallow_water stops in one sentence that names cell, rank and the very step, the same on any
# number of ranks, and what it had written until then is kept: results, frames, no run.json.
# usage: shallow_dries.py SOURCE PROGRAM, in an empty directory
import os
import re
import subprocess
import sys

import h5py
import numpy

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require
HOUR = 3600
CASE = ["-nx", "90", "-ny", "45", "-depth", "3", "-px", "1", "-interval", str(HOUR)]


def run(ranks, steps, output):
    launch = [source + "/scripts/mpirun", "-n", str(ranks), program] + CASE + ["-steps", str(steps), "-output", output]
    return subprocess.run(launch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


first = None
for ranks in (1, 4, 6):
    output = "dry-%d" % ranks
    told = run(ranks, 2000, output)
    sentences = re.findall(r"^halograd: error \[limit-broken\]: (.*)", told.stdout, re.M)
    require(told.returncode and len(sentences) == 1, "%d ranks: one sentence, exit status %d" % (ranks, told.returncode), told.stdout)
    says = re.match(r"shallow water: 'h' is (-\S+) m in cell \((\d+), (\d+)\) on rank (\d+) after (\d+) steps, expected", sentences[0])
    require(says, "%d ranks: it names thickness, cell, rank and step" % ranks, sentences)
    if not says:
        continue
    i, j, rank, step = map(int, says.groups()[1:])
    first = first or (says.group(1), i, j, step)
    require((says.group(1), i, j, step) == first, "%d ranks: the same cell and step" % ranks, says.group(0), first)
    owners = [k for k in range(ranks) for _ in range(45 // ranks + (k < 45 % ranks))]  # of rows, -px 1
    require(rank == owners[j], "%d ranks: who owns cell (%d, %d)" % (ranks, i, j), rank, owners[j])
    require(not os.path.exists(output + "/run.json"), "%d ranks: no run.json" % ranks)
    with h5py.File(output + "/shallow_water.h5", "r") as results:
        t, h = results["time"][()], results["h"][()]
    require(len(t) > 3 and (numpy.diff(t) >= HOUR * 0.9).all(), "%d ranks: results of each hour until then" % ranks, t)
    require(h.shape == (len(t), 45, 90) and h.min() > 0 and h.max() < 10, "%d ranks: good results" % ranks, h.shape, h.min())
    frames = os.listdir(output + "/frames")
    require(len(frames) == len(t), "%d ranks: as many frames" % ranks, len(frames), len(t))
    left = [name for name in os.listdir(output) if name.endswith(".tmp")]
    require(not left, "%d ranks: nothing half-written" % ranks, left)
if first:
    step = first[3]
    require(step % 100, "a step that is no multiple of 100, at which all ranks look", step)
    require(run(1, step - 1, "before").returncode == 0, "one step less is a good run")
    told = run(1, step, "then")
    require(told.returncode and "after %d steps" % step in told.stdout, "that step is not", told.stdout)
end("water that runs dry")
