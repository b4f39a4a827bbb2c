# SPDX-License-Identifier: BSD-2-Clause
# Claim: with -posterior heat_inverse writes the standard deviations of what it found before and after the data, the second nowhere
# above the first, with the same bits on 1 and 4 ranks; as many numbers are told as eigenvalues are above 1; the deviation and the
# quantiles of each reading are those of what the samples of -samples predict, which lie within the bounds; sensors chosen next are the
# same on any ranks, and leave less and less, what a sensor of correlated and relative errors at that place leaves; what can have no
# posterior is refused in one sentence before the inversion, and leaves no results; where it turns out later, results are whole.
# usage: posterior.py SOURCE_DIRECTORY DIRECTORY_OF_MANY
import json
import math
import os
import shutil
import sys

import h5py
import numpy

source, many = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, problems, require, start_together

ON_RANKS = ["-posterior", "200", "-tikhonov", "1", "-samples", "20", "-next_sensors", "3", "-candidates", "4,3"]
# One iteration from the first guess the exact Hessian is indefinite, that of Gauss and Newton never.
WEAK = ["-iterations", "1", "-tikhonov", "1e-2", "-h1", "1e-3", "-posterior", "60"]


def run(ranks, cases):
    """A Start of each (output, arguments)."""
    starts = [(".", ["-nx", "16", "-ny", "14", "-output", output] + arguments) for output, arguments in cases]
    told, wrong = start_together(source + "/scripts/mpirun", many + "/many_heat_inverse", ranks, starts, "notes")
    if wrong:
        sys.exit("claim fails: -posterior on %d ranks: %s" % (ranks, wrong))
    return told


def sentences(start):
    return [line for line in start.said.splitlines() if line.startswith("halograd: ")]


def fields(output):
    with h5py.File(output + "/heat_inverse.h5", "r") as results:
        return [results[name][:] for name in ("m_deviation_prior", "m_deviation")]


REFUSED = (
    (["-posterior", "5"], ("[control]", "mean of 'm'", "-tikhonov")),
    (["-posterior", "5", "-h1", "0"], ("[control]", "-tikhonov")),
    (["-posterior", "225", "-tikhonov", "1"], ("[option-range]", "225", "1 to 224")),
    (["-posterior", "5", "-tikhonov", "1", "-samples", "2", "-next_sensors", "5", "-candidates", "2,2"], ("[option-range]", "5 of 2 x 2 candidates")),
    (["-posterior", "5", "-tikhonov", "1", "-samples", "2", "-next_sensors", "5", "-candidates", "4,17"], ("[option-range]", "4 x 17 places", "cells")),
    (["-posterior", "5", "-tikhonov", "1", "-next_sensors", "2"], ("[option-conflict]", "-next_sensors", "-samples")),
    (["-posterior", "5", "-tikhonov", "1", "-samples", "2", "-candidates", "2,2"], ("[option-conflict]", "-candidates", "-next_sensors")),
    (["-samples", "5"], ("[option-conflict]", "-samples", "-posterior")),
    (["-posterior", "5", "-tikhonov", "1", "-samples", "1"], ("[option-range]", "-samples", "at least 2")),
    (["-newton", "gauss"], ("[option-conflict]", "-newton", "-posterior")),
    (["-posterior", "-1", "-tikhonov", "1"], ("[option-range]", "-posterior")),
)
# A candidate where there is a sensor: the samples say what it reads.
shutil.copy(source + "/data/plate.h5", "middle.h5")
with h5py.File("middle.h5", "r+") as file:
    file["x"][0] = file["y"][0] = 0.5
    file["u"][:, 0] = file["u"][:, [65, 66, 77, 78]].mean(1)
MIDDLE = ["-posterior", "60", "-tikhonov", "1", "-newton", "gauss", "-iterations", "10", "-samples", "30", "-next_sensors", "1", "-candidates", "1,1",
          "-observations", "middle.h5", "-correlation", "0.01", "-relative", "0.2"]
shutil.rmtree("refused", ignore_errors=True)
ALL = ["-posterior", "4", "-tikhonov", "1", "-parametrise", "coarse", "-coarse", "2,2", "-iterations", "3"]
one, middle, every = run(1, [("ranks-1", ON_RANKS), ("middle", MIDDLE), ("every", ALL)])
four, exact, gauss, *refused = run(4, [("ranks-4", ON_RANKS), ("exact", WEAK + ["-newton", "exact"]), ("gauss", WEAK + ["-newton", "gauss"])]
                                   + [("refused", arguments) for arguments, _ in REFUSED])
for ranks, start in (1, one), (4, four):
    require(set(start.codes) == {"0"}, "%d ranks" % ranks, start.codes, start.said)
    told = json.load(open("ranks-%d/run.json" % ranks))["posterior"]
    above = sum(value > 1 for value in told["eigenvalues"])
    require(told["told"] == above and 10 < above < 200, "%d ranks: %d numbers are told, of eigenvalues above 1 there are %d" % (ranks, told["told"], above))
    require("the data tell %d numbers" % above in start.printed, "%d ranks: the output does not say that: %s" % (ranks, start.printed))

require("the data tell 4 numbers (eigenvalues above 1)\n" in every.printed, "all eigenpairs: the output does not say that: %s" % every.printed)

following = told["next_sensors"]
require(following == json.load(open("ranks-1/run.json"))["posterior"]["next_sensors"], "1 and 4 ranks choose other sensors")
places = set(zip(following["x"], following["y"]))
require(len(places) == 3 and 1 > following["variance"][0] > following["variance"][1] > following["variance"][2] > 0, "next sensors: %s" % following)
require(set(middle.codes) == {"0"}, "a candidate in the middle", middle.said)
with h5py.File("middle.h5") as file, h5py.File("middle/heat_inverse_samples.h5") as samples:
    times, values, sigma = (file[name][()] for name in ("time", "u", "u_sigma"))
    A, Y = (sample - sample.mean(0) for sample in (samples["m_posterior"][:].reshape(30, -1), samples["u_predicted"][:].reshape(30, len(times), -1)[:, :, 0]))
    noise = numpy.mean(numpy.maximum(sigma, 0.2 * numpy.abs(values)) ** 2) * numpy.exp(-numpy.abs(times[:, None] - times) / 0.01)
    G = A.T @ Y / 29
    left = 1 - numpy.trace(G @ numpy.linalg.solve(Y.T @ Y / 29 + noise, G.T)) / (numpy.sum(A**2) / 29)
    chosen = json.load(open("middle/run.json"))["posterior"]["next_sensors"]["variance"][0]
    require(left < 0.999 and abs((1 - chosen) / (1 - left) - 1) < 1e-9, "a sensor in the middle leaves %.17g of the variance, not %.17g" % (left, chosen))
prior, deviation = fields("ranks-1")
for one, four in zip((prior, deviation), fields("ranks-4")):
    require(one.shape == (14, 16) and numpy.array_equal(one, four), "1 and 4 ranks differ in %d cells" % numpy.sum(one != four))
require(numpy.all(deviation > 0) and numpy.all(deviation <= prior), "deviations lie in %g .. %g of those before" % ((deviation / prior).min(), (deviation / prior).max()))
with h5py.File("ranks-1/heat_inverse.h5") as found, h5py.File("ranks-1/heat_inverse_samples.h5") as samples:
    with h5py.File("ranks-4/heat_inverse_samples.h5") as other:
        differ = [name for name in samples if not numpy.array_equal(samples[name], other[name])]
    require(not differ and samples["m_posterior"].shape == (20, 14, 16), "samples on 1 and 4 ranks differ in %s" % differ)
    for name, side in (("m_prior", "_prior"), ("m_posterior", "")):
        lowest, highest = samples[name][:].min(), samples[name][:].max()
        require(math.log(0.2) <= lowest < highest <= math.log(2.5), "%s lies in %g .. %g" % (name, lowest, highest))
        predicted = samples["u_predicted" + side][:]
        for what, value in (("deviation", predicted.std(0, ddof=1)), ("5", numpy.quantile(predicted, 0.05, 0)), ("95", numpy.quantile(predicted, 0.95, 0))):
            off = numpy.abs(found["u_predicted_" + what + side][:] - value).max()
            require(off <= 1e-12 * numpy.abs(predicted).max(), "u_predicted_%s%s: off by %g" % (what, side, off))
    before, after = (numpy.mean(found["u_predicted_deviation" + side][:]) for side in ("_prior", ""))
    require(after < 0.2 * before, "readings have the deviations %g -> %g" % (before, after))
    plate = h5py.File(source + "/data/plate.h5")
    x, y, times = (plate[name][:] for name in ("x", "y", "time"))
    there = [found["u_sensor_" + name][:].reshape(len(times), len(x)) for name in ("x", "y", "time")]
    require(all(numpy.array_equal(at, numpy.broadcast_to(one, at.shape)) for at, one in zip(there, (x, y, times[:, None]))), "sensors lie elsewhere")
    require(found["u_sensor_x"].attrs["units"] == b"m" and found["u_sensor_time"].attrs["units"] == b"s", "sensors have other units")
    for side in "prior", "posterior":
        off = numpy.abs(samples["kappa_" + side][:] / numpy.exp(samples["m_" + side][:]) - 1).max()
        require(off < 1e-14, "kappa of the samples is not exp(m) %s the data: off by %g" % (side, off))
    count = samples["sample"]
    require("time" not in samples and count.attrs["units"] == b"1" and numpy.array_equal(count[:], 1 + numpy.arange(20)), "samples are not counted")
    residual = found["u_predicted"][:] - found["u_observed"][:]
    sigma, ratio = h5py.File(source + "/data/plate.h5")["u_sigma"][()], json.load(open("ranks-1/run.json"))["misfit_ratio"]
    require(abs(numpy.mean((residual / sigma) ** 2) - ratio) < 1e-9, "what is predicted is not what was found: %g" % ratio)
mean = told["mean"]["m"]
require(0 < mean["posterior"] < told["deviation"]["m"]["posterior"] and mean["posterior"] < mean["prior"], "the mean has the deviations %s" % mean)
size = numpy.sqrt(numpy.mean(deviation**2))
require(abs(size / told["deviation"]["m"]["posterior"] - 1) < 1e-12, "run.json has another mean deviation than the field, %.17g" % size)

for (arguments, words), start in zip(REFUSED, refused):
    said = sentences(start)
    require(set(start.codes) == {"1"} and len(said) == 1 and all(word in said[0] for word in words), "%s: %s, %s" % (arguments, start.codes, said))
    require("iter" not in start.printed, "%s: the inversion ran first" % arguments)
require(not os.path.exists("refused/heat_inverse.h5"), "what is refused leaves no results")
for newton, start, status in ("exact", exact, "2"), ("gauss", gauss, "0"):
    said = sentences(start)
    with h5py.File(newton + "/heat_inverse.h5", "r") as results:
        has = "kappa" in results, "m_deviation" in results
    require(set(start.codes) == {status} and has == (True, status == "0"), "-newton %s: %s, fields %s, %s" % (newton, start.codes, has, said))
    require(status == "0" or ("not positive definite" in said[0] and "-newton gauss" in said[0]), "-newton %s: %s" % (newton, said))
end("-posterior")
