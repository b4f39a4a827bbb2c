# SPDX-License-Identifier: BSD-2-Clause
# Claim: with -prior_mean a control that its prior holds tightly is found to be what the file says, with the same bits on 1 and 4 ranks;
# a file that is not there, lacks the control or has a number that is not finite, and a mean beside no prior, are refused; total variation
# has the same bits on 1 and 4 ranks, by quasi-Newton steps and by Newton's, and one without its epsilon is refused.
# usage: prior.py SOURCE_DIRECTORY DIRECTORY_OF_MANY
import re
import sys

import h5py
import numpy

source, many = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, printed_together, problems, require, Refusals

nx, ny = 16, 14
SMALL = ["-nx", str(nx), "-ny", str(ny), "-steps", "150"]
TIGHT = ["-prior_deviation", "1e-4", "-prior_length", "0.3", "-precondition", "-tolerance", "1e-10"]


def write(name, field, dataset="m"):
    with h5py.File(name, "w", libver="v110") as file:
        file[dataset] = field
        file[dataset].attrs["units"] = numpy.bytes_("1")
    return name


j, i = numpy.mgrid[:ny, :nx]
mean = 0.2 * numpy.cos(0.4 * i) + 0.1 * numpy.sin(0.3 * j)
variation = ["-tv", "20", "-tv_epsilon", "0.3", "-iterations", "4", "-digest", "-check"]
found = {}
for ranks in (1, 4):
    cases = [["-digest", "-prior_mean", write("mean.h5", mean), "-output", str(ranks)] + TIGHT, variation, variation + ["-tao_type", "bntr", "-newton", "gauss", "-precondition"]]
    printed, wrong = printed_together(source + "/scripts/mpirun", many + "/many_heat_inverse", ranks, [(".", SMALL + case) for case in cases], "notes")
    if wrong:
        sys.exit("claim fails: -prior_mean on %d ranks: %s" % (ranks, wrong))
    found[ranks] = [re.findall("^J 0x.*", said, re.M) for said in printed]
    with h5py.File("%d/heat_inverse.h5" % ranks, "r") as results:
        off = abs(numpy.log(results["kappa"][:]) - mean).max()
    require(off < 1e-2, "%d ranks: log kappa is %g away from its tight prior" % (ranks, off))
    for said in printed[1:]:
        require(said.count(" ok\n") == 6, "total variation", said[-400:])
require(all(len(digests) == 1 for digests in found[1]) and found[1] == found[4], "the same bits on 1 and 4 ranks", found)

spoilt = numpy.where((i == 3) & (j == 2), numpy.nan, mean)
refusals = Refusals(source + "/scripts/mpirun", many)
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
    refusals.add(".*" + re.escape(expected), SMALL + ["-output", "refused"] + arguments, "heat_inverse", 4)
problems += refusals.wrong()
end("-prior_mean")
