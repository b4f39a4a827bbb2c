# Claim: heat_forward, heat_inverse, shallow_water and shallow_water_inverse print the same bits of J, gradient and final state on any
# decomposition, schedule and store.
# usage: digest.py PROGRAM SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS
import re
import subprocess
import sys

program, source, programs = sys.argv[1:4]
GRID = ["-nx", "20", "-ny", "21"]
LAYOUTS = [(1, 1), (1, 4), (4, 1), (2, 3), (3, 5), (4, 4)]
# those of 15 and 16 ranks recompute nothing
WAYS = [("memory", "1000"), ("hdf5", "3"), ("memory", "3"), ("hdf5", "9 -memory_slots 4"), ("hdf5", "1000")]
own = {
    "heat_forward": [],
    "heat_inverse": ["-form", "conservative"],
    "shallow_water": ["-steps", "60", "-interval", "0"],
    "shallow_water_inverse": ["-control", "bathymetry"],
}[program]


def digest(px, py, store, slots, iterations):
    arguments = GRID + own + (["-iterations", str(iterations)] if program.endswith("inverse") else []) + ["-digest", "-px", str(px), "-py", str(py), "-store", store, "-slots"] + slots.split()
    launch = [source + "/scripts/mpirun", "-n", str(px * py), programs + "/" + program]
    done = subprocess.run(launch + arguments, stdout=subprocess.PIPE, text=True)
    lines = re.findall(r"^J (-?0x[0-9a-f.]+p[-+]\d+) gradient ([0-9a-f]{16}) state ([0-9a-f]{16})$", done.stdout, re.M)
    if done.returncode or len(lines) != 1:
        sys.exit("claim fails: %s prints one line of digests: exit status %d, it said:\n%s" % (" ".join(arguments), done.returncode, done.stdout))
    return lines[0]


first = {iterations: digest(1, 1, "memory", "1000", iterations) for iterations in (1, 3)}
for one in first.values():
    if float.fromhex(one[0]) <= 0 or one[1] == one[2]:
        sys.exit("claim fails: the digests tell something: %s" % (one,))
for px, py in LAYOUTS:
    # every store and schedule on one rank and on uneven patches of an inversion; one of them on each of the others
    all_ways = program != "heat_forward" and (px, py) in ((1, 1), (2, 3))
    iterations = 1 if px * py > 6 else 3  # two cores take long for many ranks
    for store, slots in WAYS if all_ways else [WAYS[LAYOUTS.index((px, py)) % len(WAYS)]]:
        now = digest(px, py, store, slots, iterations)
        if now != first[iterations]:
            sys.exit("claim fails: %d x %d patches, -store %s -slots %s, %d iterations: J, gradient, state %s, on one patch %s" % (
                px, py, store, slots, iterations, now, first[iterations]))
