# SPDX-License-Identifier: BSD-2-Clause
"""Claim: shallow_water gives the published case's numbers to 1e-9 relative on 1, 4, 6, 7 and 16 ranks, to the last bit the same,
and refuses in one sentence what it cannot run.
usage: shallow_water.py SOURCE many_shallow_water, in an empty directory; silent if the claim holds"""
import json
import os
import sys

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import not_refused, start_together

bound = 1e-9
names = ("mean_h", "rms_h", "mean_u", "rms_u", "rms_v")
# Double precision, an independent program: docs/shallow-water.md
mean_h = 99.99959649446
table = {
    ("ours", 101): (mean_h, 6.55605567825, 0.704983153044, 2.2319333564, 0.0341015130638),
    ("ours", 501): (mean_h, 6.54692360445, 0.70786056714, 2.23474033976, 0.0314945674781),
    ("published", 101): (mean_h, 6.55606339558, 0.704986950621, 2.23193892344, 0.034065495825),
}
layouts = [(1, 1), (4, 1), (1, 6), (1, 16)]  # patches along x and y; 16 rows of them are uneven
uneven = [(7, 1)]  # and along x
failures = []
runs, told = [], {}  # (variant, steps, px, py); {(arguments, ranks): (where its results are, Start)}


def tell(starts):
    """Makes all of (arguments, ranks), those of as many ranks together."""
    before = len(told)
    for ranks in sorted({ranks for _, ranks in starts}):
        some = [(arguments, "out-%d" % (before + k)) for k, (arguments, n) in enumerate(starts) if n == ranks]
        came, wrong = start_together(source + "/scripts/mpirun", program, ranks, [(".", a + ["-output", out]) for a, out in some], os.path.abspath("notes"))
        failures.extend([wrong] if wrong else [])
        told.update({(tuple(a), ranks): (out, start) for (a, out), start in zip(some, came)})


def arguments(variant, steps, px, py):
    more = ["-published"] if variant == "published" else []
    more += ["-hg_fuse", "true"] if px * py == 6 else []  # their messages are counted: not as is faster here
    return ["-steps", str(steps), "-interval", "0", "-px", str(px), "-py", str(py)] + more


for variant, steps in table:  # 500 steps go the way of 100, on 6 and 16 ranks too
    runs += [(variant, steps, *cut) for cut in (layouts[:2] if steps > 101 else layouts + (uneven if variant == "ours" else []))]
tell([(arguments(*run), run[2] * run[3]) for run in runs])
alone = {}
for variant, steps, px, py in runs:
    where, ranks = f"{variant}, step {steps}, {px} x {py} patches", px * py
    out, start = told.get((tuple(arguments(variant, steps, px, py)), ranks), (None, None))
    if not start or start.codes != ["0"] * ranks:
        failures.append(f"{where}: {start and (start.codes, start.said)}")
        continue
    with open(out + "/run.json") as f:
        report = json.load(f)
    got = [report[name] for name in names]
    first = alone.setdefault((variant, steps), got)
    for name, value, other, known in zip(names, got, first, table[variant, steps]):
        if not abs(value - known) <= bound * abs(known):
            failures.append(f"{where}: {name} is {value!r}, expected {known!r}, relative bound {bound}")
        if value != other:
            failures.append(f"{where}: {name} is {value!r}, but {other!r} on one")
    if not report["cell_steps_per_second"] > 0:
        failures.append(f"{where}: cell_steps_per_second is {report['cell_steps_per_second']}, expected a positive number")
    exchanges = 2 if variant == "published" else 1 / 5  # each with both neighbours; patches of 30 rows have ghosts for five steps
    if ranks == 6 and not 0 < report["messages_per_step"] <= 2 * exchanges:  # fewer where more steps are made at once
        failures.append(f"{where}: {report['messages_per_step']} messages per step, expected at most {2 * exchanges}")
refusals = [
    ("'h' is -[0-9.]+ m in cell \\([0-9]+, [0-9]+\\) on rank [0-9]+ after 0 steps", ["-nx", "7200", "-ny", "400", "-steps", "3"]),
    ("option -dt: 30 s is beyond the stability limit, expected at most 21.[0-9]+ s", ["-dt", "30"]),
    ("option -observations: 'x.h5' given", ["-observations", "x.h5"]),
    ("option -interval.*expected", ["-interval", "-1"]),
    ("option -depth.*expected", ["-depth", "0"]),
    ("option -frames.*expected", ["-frames", "maybe"]),
    ("at least 2 x 2 cells", ["-nx", "1"]),
]
tell([(given, ranks) for _, given in refusals for ranks in (1, 4)])
for words, given in refusals:
    for ranks in (1, 4):
        if (tuple(given), ranks) not in told:
            continue  # tell() has said why
        out, start = told[tuple(given), ranks]
        wrong = not_refused(words, ranks, start.said, start.codes)
        left = [name for _, _, names in os.walk(out) for name in names]
        if left:
            wrong.append(f"it left {left}, expected nothing")
        failures += [f"{' '.join(given)}, {ranks} ranks: {what}" for what in wrong]
for failure in failures:
    print(f"claim fails: the published case's numbers: {failure}")
sys.exit(bool(failures))
