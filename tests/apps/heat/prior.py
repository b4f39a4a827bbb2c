# SPDX-License-Identifier: BSD-2-Clause
# Claim: with -prior_mean a control that its prior holds tightly is found to be what the file says, with the same bits on 1 and 4 ranks;
# a file that is not there, lacks the control or has a number that is not finite, and a mean beside no prior, are refused; total variation
# has the same bits on 1 and 4 ranks, by quasi-Newton steps and by Newton's, and one without its epsilon is refused.
# usage: prior.py SOURCE_DIRECTORY PROGRAM
import subprocess
import sys

import h5py
import numpy

source, program = sys.argv[1:3]
problems = []
nx, ny = 16, 14
TIGHT = ["-prior_deviation", "1e-4", "-prior_length", "0.3", "-precondition", "-tolerance", "1e-10"]


def run(ranks, output, arguments):
    command = [source + "/scripts/mpirun", "-n", ranks, program, "-nx", str(nx), "-ny", str(ny), "-steps", "150", "-output", output] + arguments
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def write(name, field, dataset="m"):
    with h5py.File(name, "w", libver="v110") as file:
        file[dataset] = field
        file[dataset].attrs["units"] = numpy.bytes_("1")
    return name


j, i = numpy.mgrid[:ny, :nx]
mean = 0.2 * numpy.cos(0.4 * i) + 0.1 * numpy.sin(0.3 * j)
found = {}
for ranks in ("1", "4"):
    done = run(ranks, ranks, ["-digest", "-prior_mean", write("mean.h5", mean)] + TIGHT)
    if done.returncode:
        sys.exit("claim fails: -prior_mean on %s ranks: %s %s" % (ranks, done.stdout[-300:], done.stderr))
    found[ranks] = [line for line in done.stdout.splitlines() if line.startswith("J 0x")]
    with h5py.File(ranks + "/heat_inverse.h5", "r") as results:
        off = abs(numpy.log(results["kappa"][:]) - mean).max()
    if not off < 1e-2:
        problems.append("%s ranks: log kappa is %g away from its tight prior" % (ranks, off))
if not found["1"] or found["1"] != found["4"]:
    problems.append("bits differ: %s" % found)

for more in ([], ["-tao_type", "bntr", "-newton", "gauss", "-precondition"]):
    bits = {}
    for ranks in ("1", "4"):
        done = run(ranks, "tv", ["-tv", "20", "-tv_epsilon", "0.3", "-iterations", "4", "-digest", "-check"] + more)
        bits[ranks] = [line for line in done.stdout.splitlines() if line.startswith("J 0x")]
        if done.returncode or done.stdout.count(" ok\n") != 6:
            problems.append("total variation %s: status %d, %s" % (more, done.returncode, (done.stdout + done.stderr)[-400:]))
    if not bits["1"] or bits["1"] != bits["4"]:
        problems.append("total variation %s: bits differ: %s" % (more, bits))

spoilt = numpy.where((i == 3) & (j == 2), numpy.nan, mean)
for arguments, expected in (
    (["-prior_mean", "none.h5"] + TIGHT, "none.h5"),
    (["-prior_mean", write("other.h5", mean, "kappa")] + TIGHT, "'m'"),
    (["-prior_mean", write("spoilt.h5", spoilt)] + TIGHT, "nan"),
    (["-prior_mean", "mean.h5", "-h1", "0"], "option -prior_mean: the problem of"),
    (["-tv", "1", "-tv_epsilon", "1e300"], "(-tv_epsilon)"),
    (["-tv", "1", "-tv_epsilon", "1e-300"], "(-tv_epsilon)"),
    (["-prior_deviation", "1e300", "-prior_length", "0.3"], "(-prior_deviation)"),
    (["-prior_deviation", "1e-300", "-prior_length", "0.3"], "(-prior_deviation)"),
    (["-tv", "1"], "option -tv: given without -tv_epsilon, expected both"),
    (["-tv", "1", "-tv_epsilon", "1", "-tikhonov", "1", "-posterior", "4", "-samples", "4"], "option -samples: given with a total variation of 'm'"),
    (["-tv", "1", "-tv_epsilon", "1"] + TIGHT, "option -tv: given with -prior_deviation"),
    (["-prior_mean", "mean.h5", "-parametrise", "affine"], "option -prior_mean: given with -parametrise affine"),
):
    done = run("4", "refused", arguments)
    said = done.stdout + done.stderr
    if done.returncode == 0 or expected not in said or said.count("halograd: error") != 1:
        problems.append("%s: status %d, %s" % (" ".join(arguments), done.returncode, said[-400:]))
if problems:
    sys.exit("claim fails: -prior_mean: " + "; ".join(problems))
