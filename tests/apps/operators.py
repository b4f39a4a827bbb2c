# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the operators between ranks have the values and derivatives worked out by hand, and the driver with its workers finds the same
root, to the last digit, on any number of ranks.
usage: operators.py SOURCE DIRECTORY_OF_PROGRAMS"""
import re
import subprocess
import sys

source, programs = sys.argv[1:3]
# On four ranks r = 0..3; 1 = (1, .., 1) has ten entries. "value, tangent along dx = 1, derivative on rank 0 | 1 | 2 | 3"; the tangent is
# always the sum of all entries of the derivative.
BY_HAND = {
    # b = (1..10) (0 + 1 + 2 + 3), L = 6 * 55. Each entry of each a is in L once: 1. Tangent: 4 ranks * 10 entries.
    "sum": "330 40 1 | 1 | 1 | 1",
    # b = 3 on each of 4 ranks: L = 4 * 10 * 9. dL/db = 2 b = 6 on each rank; the broadcast's adjoint adds four of them: 24 on rank 3.
    "broadcast": "360 240 - | - | - | 24",
    # a' = a, but a' = a_2 on rank 0: L = 10 (4 + 1 + 4 + 9). dL/da' = 2 a' = (4, 2, 4, 6). Rank 0 lost its own a: 0. It sends its 4 back
    # to rank 2, which adds its own 4: 8.
    "send, recv": "180 160 0 | 2 | 8 | 6",
    # b = 1 + 2 + 3 + 4 = 10 on 4 ranks, every copy counts: L = 4 * 50, dL/da = 4 * 10.
    "total": "200 160 40 | 40 | 40 | 40",
    # b = 10 on one rank: L = 50, dL/da = 10.
    "reduce": "50 40 10 | 10 | 10 | 10",
    "allreduce": "200 160 40 | 40 | 40 | 40",
    # b = 24 on 4 ranks: L = 4 * 576 / 2; dL/da_r = 4 * 24 * (24 / a_r) = 2304 / (r + 1).
    "product": "1152 4800 2304 | 1152 | 768 | 576",
    # b = 1 on 4 ranks, from rank 0: L = 4 / 2, dL/da_0 = 4 * 1.
    "minimum": "2 4 4 | 0 | 0 | 0",
    # b = 4 on 4 ranks, from rank 3: L = 4 * 16 / 2, dL/da_3 = 4 * 4.
    "maximum": "32 16 0 | 0 | 0 | 16",
    # b = 1, 3, 6, 10: L = (1 + 9 + 36 + 100) / 2; a_r is in b_r and all later ones: 20, 19, 16, 10.
    "scan": "73 65 20 | 19 | 16 | 10",
    # four copies of one number 3: L = 4 * 9 / 2, derivative 4 * 3, known to every rank, counted once.
    "spread": "18 12 12 | 12 | 12 | 12",
    # b = (1, 2, 3, 4) once: L = 30 / 2, derivative a.
    "gather": "15 10 1 | 2 | 3 | 4",
    # b = (1, 2, 3, 4) on 4 ranks: four times as much.
    "allgather": "60 40 4 | 8 | 12 | 16",
    "scatter": "15 10 - | 1 2 3 4 | - | -",
    # all products (r + 1)(s + 1) once: L = 30 * 30 / 2, derivative a.
    "alltoall": "450 100 1 2 3 4 | 2 4 6 8 | 3 6 9 12 | 4 8 12 16",
    "sendrecv": "15 10 1 | 2 | 3 | 4",
    "barrier": "0 0 - | - | - | -",
}


def run(ranks, program, *arguments, status=0):
    done = subprocess.run([source + "/scripts/mpirun", "-n", str(ranks), programs + "/" + program, *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if bool(done.returncode) != bool(status):
        sys.exit("claim fails: %s on %d ranks ends with %d: %s%s" % (program, ranks, done.returncode, done.stdout, done.stderr))
    return done.stderr if status else done.stdout


def claim(holds, what):
    if not holds:
        sys.exit("claim fails: the operators have the values worked out by hand: " + what)


said = run(4, "operators")
found = {name.strip(): " ".join(rest) for name, *rest in
         re.findall(r"^(.{12}) .*: value (\S+) tangent (\S+) derivative (.*)$", said, re.M)}
for name, numbers in BY_HAND.items():
    claim(found.get(name) == numbers, "%s: '%s', expected '%s'" % (name, found.get(name), numbers))
claim(len(found) == len(BY_HAND), "%d lines, expected %d" % (len(found), len(BY_HAND)))
# f(2) = 1 + 2 + 4 + 8, f'(2) = 0 + 1 + 2 * 2 + 3 * 4
claim(re.search(r"^power +theta 2\.?: value 15 derivative 17$", said, re.M), "power: " + said)
claim(re.fullmatch(r"f\(2\.?\) = 15\.?, f'\(2\.?\) = 17\.?\n", run(4, "power")), "power on plain arrays: " + run(4, "power"))
# at 1.5: 1 + 1.5 + 2.25 and 1 + 3 on three ranks
claim("theta 1.5: value 4.75 derivative 4\n" in run(3, "operators", "-theta", "1.5"), "power at 1.5")
claim("value 1 derivative 1\n" in run(2, "operators", "-theta", "0"), "power at 0")
# theta + theta^2 + theta^3 + theta^4 = 2 by bisection
low, high = 0.0, 1.0
for _ in range(60):
    middle = (low + high) / 2
    low, high = (middle, high) if middle + middle**2 + middle**3 + middle**4 < 2 else (low, middle)
driver = re.search(r"^driver .*: theta (\S+), .*$", said, re.M)
claim(driver and abs(float(driver[1]) - low) < 1e-14, "driver: '%s', expected theta = %.17g" % (driver and driver[0], low))
for ranks in (1, 2, 3, 7, 16):
    claim(driver[0] + "\n" in run(ranks, "operators"), "driver on %d ranks, expected '%s'" % (ranks, driver[0]))
for bad in ("nan", "1e400", "x"):
    claim("-theta" in run(2, "operators", "-theta", bad, status=1), "-theta %s is refused by name" % bad)
