# SPDX-License-Identifier: BSD-2-Clause
# Claim: heat_forward, heat_inverse, shallow_water and shallow_water_inverse print the same bits of J, gradient and final state on any
# decomposition, schedule and store.
# usage: digest.py PROGRAM SOURCE_DIRECTORY many_PROGRAM, in a directory of its own
import re
import sys

from many_starts import printed_together

program, source, many = sys.argv[1:4]
GRID = ["-nx", "20", "-ny", "21"]
MANY = {"heat_forward": [(3, 5)], "shallow_water_inverse": [(4, 4)]}.get(program, [])
LAYOUTS = [(1, 1), (1, 4), (4, 1), (2, 3), *MANY]
BUDGETS = "-checkpoint_memory 1MiB -checkpoint_disk 4MiB"
# those of 15 and 16 ranks recompute nothing
WAYS = [("memory", "1000"), ("hdf5", "3"), (BUDGETS, ""), ("hdf5", "9 -memory_slots 4"), ("hdf5", "1000")]
own = {
    "heat_forward": [],
    "heat_inverse": ["-form", "conservative"],
    "shallow_water": ["-steps", "60", "-interval", "0"],
    "shallow_water_inverse": ["-control", "bathymetry"],
}[program]


def where(store, slots):
    return ["-store", store, "-slots"] + slots.split() if slots else store.split()


def arguments(px, py, store, slots, iterations):
    inverse = ["-iterations", str(iterations)] if program.endswith("inverse") else []
    return GRID + own + inverse + ["-digest", "-px", str(px), "-py", str(py)] + where(store, slots)


def digests(runs):
    """Of runs on equally many ranks, each (px, py, store, slots, iterations)."""
    starts = [(".", arguments(*run)) for run in runs]
    printed, wrong = printed_together(source + "/scripts/mpirun", many, runs[0][0] * runs[0][1], starts, "notes")
    if wrong:
        sys.exit("claim fails: %s prints digests: %s" % (program, wrong))
    found = []
    for run, said in zip(runs, printed):
        lines = re.findall(r"^J (-?0x[0-9a-f.]+p[-+]\d+) gradient ([0-9a-f]{16}) state ([0-9a-f]{16})$", said, re.M)
        if len(lines) != 1:
            sys.exit("claim fails: %s %s prints one line of digests, it said:\n%s" % (program, " ".join(arguments(*run)), said))
        found += lines
    return found


first = dict(zip((1, 2), digests([(1, 1, "memory", "1000", iterations) for iterations in (1, 2)])))
for one in first.values():
    if float.fromhex(one[0]) <= 0 or one[1] == one[2]:
        sys.exit("claim fails: the digests tell something: %s" % (one,))
together = {}
for px, py in LAYOUTS:
    # every store and schedule on one rank and on uneven patches of an inversion; one of them on each of the others
    all_ways = program != "heat_forward" and (px, py) in ((1, 1), (2, 3))
    iterations = 1 if px * py > 4 else 2  # two cores take long for many ranks
    for store, slots in WAYS if all_ways else [WAYS[LAYOUTS.index((px, py)) % len(WAYS)]]:
        together.setdefault(px * py, []).append((px, py, store, slots, iterations))
for runs in together.values():
    for run, now in zip(runs, digests(runs)):
        if now != first[run[-1]]:
            sys.exit("claim fails: %d x %d patches, -store %s -slots %s, %d iterations: J, gradient, state %s, on one patch %s" % (*run, now, first[run[-1]]))
