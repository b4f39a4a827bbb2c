# SPDX-License-Identifier: BSD-2-Clause
# Claim: in three dimensions block_inverse has the same bits on 1, 4, 6 and 15 ranks, with checkpoints in files, in time blocks, with levels cut and without
# fused calls, and the same posterior; killed and resumed it has them, too; its results have the axes z, y and x; observations without z are refused.
# plume_inverse, which seeks a surface under a volume, has the same bits on these ranks, its checks hold, and what it records is replayed; sensors
# that it chooses next stand as high as the first ones.
# usage: block.py SOURCE_DIRECTORY BLOCK_INVERSE DIRECTORY_OF_MANY
import json
import re
import shutil
import subprocess
import sys
import time
import os

import h5py
import numpy

source, block, many = sys.argv[1:4]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require as expect, start_together

SMALL = ["-nx", "12", "-ny", "13", "-nz", "7", "-dt", "3e-4", "-steps", "60", "-iterations", "3", "-digest"]
LONG = ["-nx", "32", "-ny", "32", "-nz", "24", "-dt", "6e-5", "-steps", "200", "-iterations", "3"]


def runs(ranks, starts, program="block_inverse"):
    """{output: Start} of {output: options}"""
    told, wrong = start_together(source + "/scripts/mpirun", many + "/many_" + program, ranks, [(".", SMALL + ["-output", output, *more]) for output, more in starts.items()], "notes")
    if wrong:
        sys.exit("claim fails: three dimensions: %s on %d ranks: %s" % (program, ranks, wrong))
    return dict(zip(starts, told))


def bits(start):
    found = re.findall(r"^J (.*)", start.printed, re.M)
    expect(set(start.codes) == {"0"} and len(found) == 1, "digests", start.codes, start.printed[-300:], start.said[-500:])
    return found and found[0]


SURE = ["-tikhonov", "1", "-newton", "gauss", "-posterior", "5"]
one = runs(1, {"plan": ["-nx", "64", "-ny", "64", "-nz", "80", "-dt", "1e-6", "-steps", "8", "-iterations", "0", "-hg_cache_l2", "512KiB", "-hg_fuse", "true", "-hg_program_view"],
               "one": [], "sure1": SURE})
two = runs(2, {"files": ["-store", "hdf5", "-slots", "7"], "decks": ["-hg_time_block", "2", "-hg_tile_levels", "3"], "whole": LONG})
four = runs(4, {"four": [], "blocks": ["-hg_time_block", "3"], "apart": ["-hg_fuse", "0"], "checked": ["-check", "-iterations", "0"],
                "refused": ["-observations", source + "/data/plate.h5"]})
six = runs(6, {"six": [], "sure6": SURE})
found = {name: bits(start) for name, start in [("one", one["one"]), ("six", six["six"]), *runs(15, {"cut": ["-px", "3", "-py", "5"]}).items(), *list(two.items())[:2], *list(four.items())[:3]]}
expect(len(found) == 8 and len(set(found.values())) == 1, "other bits: %s" % found)
plan = one["plan"].printed
expect(re.search(r"^  carried  u .* north fixed 0, below copy, above copy$", plan, re.M), "walls of levels: %s" % plan[:1000])
several = re.search(r" 4 steps in one time block.*?(\d+) tiles of at most 64 columns, (\d+) levels, \d rows at a time", plan, re.S)
expect(several and int(several[1]) > 2 and 16 <= int(several[2]) <= 40, "levels are not cut for a cache of 512 KiB: %s" % plan[-2000:])
expect(set(four["checked"].codes) == {"0"} and four["checked"].printed.count(" ok\n") == 6, "-check: %s %s" % (four["checked"].printed, four["checked"].said))
sure = [re.findall(r"^(?:posterior|standard).*", start.printed, re.M) for start in (one["sure1"], six["sure6"])]
expect(len(sure[0]) == 2 and sure[0] == sure[1], "-posterior on 1 and 6 ranks: %s" % sure)

drifts = [runs(ranks, {"plume%d" % ranks: ["-check", "-dt", "3", "-steps", "120", "-record", "kept%d" % ranks]}, "plume_inverse")["plume%d" % ranks] for ranks in (1, 6, 15)]
expect(len({bits(start) for start in drifts}) == 1, "plume: other bits: %s" % [bits(start) for start in drifts])
expect(all(start.printed.count(" ok\n") == 6 for start in drifts), "plume: -check: %s" % drifts[1].printed)
again = runs(2, {"again": ["-dt", "3", "-steps", "120", "-replay", "kept6/first", "-window", "24:48"]}, "plume_inverse")["again"]
expect(set(again.codes) == {"0"} and "same bits in" in again.printed, "plume: -replay: %s %s" % (again.printed[-300:], again.said))
runs(2, {"next": ["-dt", "3", "-steps", "120", "-tikhonov", "1", "-posterior", "4", "-samples", "3", "-next_sensors", "2", "-candidates", "2,2"]}, "plume_inverse")
with h5py.File("next/plume_inverse.h5", "r") as found, open("next/run.json", encoding="utf-8") as report:
    heights = set(json.load(report)["posterior"]["next_sensors"].get("z", [])) ^ set(found["c_sensor_z"][:])
    expect(not heights, "the next sensors stand elsewhere: %s" % heights)
with h5py.File("plume15/plume_inverse.h5", "r") as found:
    expect(found["flux"].shape == (13, 12) and found["c"].shape == (1, 7, 13, 12), "plume: %s %s" % (found["flux"].shape, found["c"].shape))

with h5py.File("one/block_inverse.h5", "r") as one, h5py.File("cut/block_inverse.h5", "r") as cut:
    expect(one["kappa"].shape == (7, 13, 12) and one["u"].shape == (1, 7, 13, 12), "shapes %s %s" % (one["kappa"].shape, one["u"].shape))
    expect(numpy.array_equal(one["u"], cut["u"]) and numpy.array_equal(one["kappa"], cut["kappa"]), "other results on 15 ranks")
    expect(numpy.allclose(one["z"], (numpy.arange(7) + 0.5) / 7), "z is %s" % one["z"][:])

# Killed after the first evaluations, and resumed.
whole = bits(two["whole"])
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
resumed = runs(4, {"killed": LONG + ["-resume"]})["killed"]
expect(bits(resumed) == whole, "killed and resumed: other bits")
expect("evaluations" in resumed.printed + resumed.said, "it does not say what it took: %s" % resumed.printed[:500])

refused = four["refused"]
said = [line for line in refused.said.splitlines() if line.startswith("halograd: ")]
expect(set(refused.codes) == {"1"} and len(said) == 1 and "have no z, but the mesh has some levels" in said[0], "flat observations: %s" % refused.said)
end("three dimensions")
