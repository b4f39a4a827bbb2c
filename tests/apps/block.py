# SPDX-License-Identifier: BSD-2-Clause
# Claim: in three dimensions block_inverse has the same bits on 1, 4, 6 and 15 ranks, with checkpoints in files, in time blocks, with levels cut and without
# fused calls, and the same posterior; killed and resumed it has them, too; its results have the axes z, y and x; observations without z are refused.
# plume_inverse, which seeks a surface under a volume, has the same bits on these ranks, its checks hold, and what it records is replayed.
# usage: block.py SOURCE_DIRECTORY BLOCK_INVERSE PLUME_INVERSE
import re
import shutil
import subprocess
import sys
import time
import os

import h5py
import numpy

source, block, plume = sys.argv[1:4]
SMALL = ["-nx", "12", "-ny", "13", "-nz", "7", "-dt", "3e-4", "-steps", "60", "-iterations", "3", "-digest"]
problems = []


def expect(holds, text):
    if not holds:
        problems.append(text)


def run(ranks, output, *arguments, program=block):
    command = [source + "/scripts/mpirun", "-n", str(ranks), program, *SMALL, "-output", output, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def bits(done):
    found = re.findall(r"^J (.*)", done.stdout, re.M)
    expect(done.returncode == 0 and len(found) == 1, "%s: status %d: %s" % (done.args[5:], done.returncode, done.stderr[-500:]))
    return found and found[0]


CASES = {"one": (1,), "four": (4,), "six": (6,), "cut": (15, "-px", "3", "-py", "5"), "files": (2, "-store", "hdf5", "-slots", "7"),
         "blocks": (4, "-hg_time_block", "3"), "decks": (2, "-hg_time_block", "2", "-hg_tile_levels", "3"), "apart": (4, "-hg_fuse", "0")}
found = {name: bits(run(case[0], name, *case[1:])) for name, case in CASES.items()}
expect(len(set(found.values())) == 1, "other bits: %s" % found)
plan = run(1, "plan", "-nx", "64", "-ny", "64", "-nz", "80", "-dt", "1e-6", "-steps", "8", "-iterations", "0", "-hg_cache_l2", "512KiB", "-hg_fuse", "true",
           "-hg_program_view")
several = re.search(r" 4 steps in one time block.*?(\d+) tiles of at most 64 columns, (\d+) levels, \d rows at a time", plan.stdout, re.S)
expect(several and int(several[1]) > 2 and 16 <= int(several[2]) <= 40, "levels are not cut for a cache of 512 KiB: %s" % plan.stdout[-2000:])
checked = run(4, "checked", "-check", "-iterations", "0")
expect(checked.returncode == 0 and checked.stdout.count(" ok\n") == 6, "-check: %s %s" % (checked.stdout, checked.stderr))
sure = {ranks: re.findall(r"^(?:posterior|standard).*", run(ranks, "sure%d" % ranks, "-tikhonov", "1", "-newton", "gauss", "-posterior", "5").stdout, re.M) for ranks in (1, 6)}
expect(len(sure[1]) == 2 and sure[1] == sure[6], "-posterior on 1 and 6 ranks: %s" % sure)

drifts = {ranks: run(ranks, "plume%d" % ranks, "-check", "-dt", "3", "-steps", "120", "-record", "kept%d" % ranks, program=plume) for ranks in (1, 6, 15)}
expect(len({bits(done) for done in drifts.values()}) == 1, "plume: other bits: %s" % [bits(done) for done in drifts.values()])
expect(all(done.stdout.count(" ok\n") == 6 for done in drifts.values()), "plume: -check: %s" % drifts[6].stdout)
again = run(2, "again", "-dt", "3", "-steps", "120", "-replay", "kept6/first", "-window", "24:48", program=plume)
expect(again.returncode == 0 and "same bits in" in again.stdout, "plume: -replay: %s %s" % (again.stdout[-300:], again.stderr))
with h5py.File("plume15/plume_inverse.h5", "r") as found:
    expect(found["flux"].shape == (13, 12) and found["c"].shape == (1, 7, 13, 12), "plume: %s %s" % (found["flux"].shape, found["c"].shape))

with h5py.File("one/block_inverse.h5", "r") as one, h5py.File("cut/block_inverse.h5", "r") as cut:
    expect(one["kappa"].shape == (7, 13, 12) and one["u"].shape == (1, 7, 13, 12), "shapes %s %s" % (one["kappa"].shape, one["u"].shape))
    expect(numpy.array_equal(one["u"], cut["u"]) and numpy.array_equal(one["kappa"], cut["kappa"]), "other results on 15 ranks")
    expect(numpy.allclose(one["z"], (numpy.arange(7) + 0.5) / 7), "z is %s" % one["z"][:])

# Killed after the first evaluations, and resumed.
LONG = ["-nx", "32", "-ny", "32", "-nz", "24", "-dt", "6e-5", "-steps", "200", "-iterations", "3"]
whole = bits(run(2, "whole", *LONG))
shutil.rmtree("killed", ignore_errors=True)
job = subprocess.Popen([source + "/scripts/mpirun", "-n", "2", block, *SMALL, *LONG, "-output", "killed", "-resume"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for _ in range(600):
    if os.path.isdir("killed/evaluations") and len(os.listdir("killed/evaluations")) > 2 or job.poll() is not None:
        break
    time.sleep(0.05)
ranks = subprocess.run(["ps", "-o", "pid=", "--ppid", str(job.pid)], stdout=subprocess.PIPE, text=True).stdout.split()
expect(job.poll() is None, "it ended before it was killed")
for pid in ranks:
    subprocess.run(["kill", "-9", pid])
job.wait()
resumed = run(4, "killed", *LONG, "-resume")
expect(bits(resumed) == whole, "killed and resumed: other bits")
expect("evaluations" in resumed.stdout + resumed.stderr, "it does not say what it took: %s" % resumed.stdout[:500])

refused = run(4, "refused", "-observations", source + "/data/plate.h5")
said = [line for line in refused.stderr.splitlines() if line.startswith("halograd: ")]
expect(refused.returncode and len(said) == 1 and "have no z, but the mesh has some levels" in said[0], "flat observations: %s" % refused.stderr)
if problems:
    sys.exit("claim fails: three dimensions: " + "; ".join(problems))
