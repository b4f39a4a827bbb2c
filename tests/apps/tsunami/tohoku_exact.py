# SPDX-License-Identifier: BSD-2-Clause
# Claim: tohoku_inverse -precompute keeps the map from the source to all readings, of a coarser sea with the same bits on 1, 4 and 6 ranks, of slip on 1 and 6, and -online has the posterior
# of another program from it to 1e-8: J, source, deviations, volume, evidence, each gauge left out, and what was known before; that of slip is numpy's;
# the map times a source is what the waves of that source bring, also between two steps; what cannot have a posterior, or is of another folder, is refused in one sentence.
# usage: tohoku_exact.py SOURCE PROGRAM DIRECTORY_OF_MANY, in an empty directory
import glob
import json
import os
import shutil
import subprocess
import sys

import h5py
import numpy

source, program, many = sys.argv[1:4]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, problems, require, Refusals

GAUGES = ["21418", "21401", "21419", "21413"]


def near(value, expected, what, bound=1e-8):
    require(abs(value - expected) <= bound * abs(expected), what, "%.14g" % value, "expected %.14g" % expected)


def run(ranks, *options):
    launch = [source + "/scripts/mpirun", "-n", str(ranks), program, *options]
    done = subprocess.run(launch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("claim fails: tohoku_inverse %s on %d ranks: %s" % (" ".join(options), ranks, done.stdout[-2000:]))
    return done.stdout


def read(path):
    with h5py.File(path, "r") as file:
        return {name: file[name][:] for name in file}


def report(folder):
    with open(folder + "/run.json") as file:
        return json.load(file)


def read_at(kept):
    """What the gauges read, in the order of a map."""
    tables = [numpy.loadtxt(source + "/data/tohoku/dart%s.csv" % name, delimiter=",", comments=("#", "time")) for name in GAUGES]
    pairs = zip(kept["reading_gauge"][0].astype(int), kept["reading_time"][0] + 72)
    return numpy.array([tables[number][tables[number][:, 0] == second, 1][0] for number, second in pairs])


def misfits(kept, brought, folder):
    """The misfit of each gauge, if heights `brought` came to it, is the one that the run in `folder` tells of."""
    off = (brought - read_at(kept)) / kept["reading_sigma"][0]
    for number, name in enumerate(GAUGES):
        ratio = numpy.mean(off[kept["reading_gauge"][0] == number] ** 2)
        near(ratio, report(folder)["gauges"][name]["misfit_ratio"], "misfit of %s by the map" % name, 1e-9)


def remove_maps():
    for folder in ("map", "slip", "other", "new", "coarse", "coarse-slip", "damaged"):
        shutil.rmtree(folder, ignore_errors=True)


remove_maps()  # of an earlier run that was killed

# ---- the map of a coarser sea: the same bits on any layout; times a source it is what its waves bring, also where readings lie between two steps ----
COARSE = "-cell 0.4 -nx 63 -ny 58 -dt 50 -steps 131".split()
SLIP = ["-source", "slip"]
for what, sought, prior in (("coarse", [], []), ("coarse-slip", SLIP, ["-prior", "auto"])):
    kept = {}
    for ranks, layout in ((1, []), (4, []), (6, ["-px", "3", "-py", "2"]))[:: 2 if sought else 1]:
        run(ranks, *COARSE, *sought, *prior, *layout, "-precompute", what, "-output", "precomputed-slip")
        other = read(what + "/exact.h5")
        kept = kept or other
        for name in kept:
            require(kept[name].tobytes() == other[name].tobytes(), "%s of %s has the same bits on %d ranks" % (name, what, ranks))
    require(numpy.any(kept["reading_time"][0] % 50 != 0), "readings lie between two steps")
    run(2, *COARSE, *sought, "-iterations", "2", "-output", "iterated")
    G = kept["G"][0].reshape(len(kept["reading_time"][0]), -1)
    if sought:
        source_of_waves = report("iterated")["slip"]
    else:
        columns, rows = (numpy.rint((kept[axis][0] - first) / 0.4).astype(int) for axis, first in (("east", 135), ("north", 25)))
        source_of_waves = read("iterated/tohoku_inverse.h5")["source"][rows, columns]
    misfits(kept, G @ source_of_waves, "iterated")

# ---- the map ----
run(4, "-precompute", "map", "-output", "precomputed")
kept = read("map/exact.h5")
times, gauge, sigma = (kept["reading_" + name][0] for name in ("time", "gauge", "sigma"))
readings, east, north = len(times), kept["east"][0], kept["north"][0]
G, L = kept["G"][0].reshape(readings, -1), kept["L"][0].reshape(readings, readings)
require(G.shape == (149, 3514) and numpy.all(numpy.diff(times) >= 0), "149 readings in the order of time, 3514 cells", G.shape)
near(numpy.linalg.norm(G), 2.0251559877872, "norm of G")
cell = numpy.argmin(numpy.hypot(east - 143.5, north - 38))
for number, (second, norm, entry) in enumerate(((1956, 0.26262401478849, 0.0020898562352483), (3996, 0.14851737306839, 0.00094943269649990),
                                                (5376, 0.10933186639653, 0.00062604081438148), (4836, 0.11466843895395, 0.0017734926642042))):
    row = G[(gauge == number) & (times == second - 72)][0]
    near(numpy.linalg.norm(row), norm, "norm of a row of gauge " + GAUGES[number])
    near(row[cell], entry, "entry of that row")
M = L @ L.T
near(numpy.trace(M), 1.0961804493741, "trace of M")
near(numpy.linalg.slogdet(M)[1], -798.24968939136, "log det M")
near(kept["before"][0].sum(), 588.10995501913, "trace of C")
spectrum = numpy.linalg.eigvalsh((M - numpy.diag(sigma**2)) / numpy.outer(sigma, sigma))[::-1]
for value, expected in zip(spectrum[1:4], (23.861442065444, 22.889339186650, 18.610907943870)):
    near(value, expected, "eigenvalue of the data over the prior")

# ---- the posterior of all readings ----
run(2, "-online", "map", "-output", "online", "-frames", "-interval", "1800")
exact = report("online")["exact"]
for key, expected in {"J": 437.60034323311, "misfit": 55.988125478305, "h1": 235.78315286794, "tikhonov": 145.82906486487, "volume_km3": 106.21830483028,
                      "volume_deviation_prior": 13.229028198715, "centroid_east": 143.54068075, "centroid_north": 37.95647814}.items():
    near(exact[key], expected, key)
near(exact["centroid_east_deviation"], 0.06898547, "deviation of the centroid", 1e-7)
near(exact["centroid_north_deviation"], 0.07621953, "deviation of the centroid", 1e-7)
near(exact["log_evidence"], -437.60034323311 + 0.5 * 798.24968939136 - 74.5 * numpy.log(2 * numpy.pi), "log evidence")
for key, expected in {"21418": (0.80011410004, 0.13426201452, 16, 29), "21401": (0.55786727780, 0.07173784883, 40, 40),
                      "21419": (0.46270476403, 0.06613956566, 39, 40)}.items():
    left = exact["left_out"][key]
    near(left["peak"], expected[0], key + " left out")
    near(left["peak_deviation"], expected[1], "deviation of %s left out" % key)
    require((left["inside"], left["readings"]) == expected[2:], key + " left out: inside", left["inside"], left["readings"])
near(exact["left_out"]["21418"]["chi2"], 289.25870602, "chi2 of 21418 left out")
results = read("online/tohoku_inverse.h5")
for x, y, mean, before, after in ((143.5, 38.0, 5.4000370356723, 0.53989654297, 0.45387523428), (142.4, 38.3, 0.097190909057, 0.60386405013, 0.49427897714),
                                  (143.8, 39.5, 1.3164407361439, 0.46374994353, 0.42226701190), (143.0, 37.0, 1.3279563965157, 0.48751630578, 0.44514033326),
                                  (142.0, 36.0, 0.33013366649675, 0.38898978489, 0.38243517038)):
    at = round((y - 25) * 10), round((x - 135) * 10)
    for name, expected in (("source", mean), ("eta_deviation_prior", before), ("eta_deviation", after)):
        near(results[name][at], expected, "%s at %g E, %g N" % (name, x, y))
near(numpy.linalg.norm(results["source"]), 65.568946256852, "norm of the source")
near(results["source"].sum(), 1089.6529087354, "sum of the source")
require(numpy.all(results["eta_deviation"] <= results["eta_deviation_prior"]), "data make no cell less certain")
for name in ("tohoku_inverse.png", "tohoku_left_out.png"):
    require(os.path.exists("online/" + name), "there is a picture " + name)
frames = [open(path, "rb").read() for path in sorted(glob.glob("online/frames/*.png"))]
require(len(frames) == len(set(frames)) == 5, "a frame every half an hour, from the first reading to the last", len(frames))

# ---- what was known before ----
known = exact["known"]
then = known["minutes"].index(90)
near(known["volume_km3"][then], 117.84612122, "volume after 90 minutes")
near(known["volume_deviation"][then], 4.83559316, "its deviation")
near(known["21413"]["peak"][then], 0.71058715, "21413 after 90 minutes")
near(known["21413"]["peak_deviation"][then], 0.02574033, "its deviation", 2e-7)
require(known["readings"][0] == 0 and known["volume_km3"][0] == 0, "after 20 minutes there is only the prior", known)
near(known["volume_deviation"][0], 13.229028198715, "deviation of the volume after 20 minutes")
require(numpy.all(numpy.diff(known["volume_deviation"]) <= 0), "volume becomes more certain", known["volume_deviation"])
run(2, *COARSE, "-online", "coarse", "-output", "online")
known = report("online")["exact"]["known"]
for minutes in ("90", "20"):
    run(1, *COARSE, "-online", "coarse", "-until", minutes, "-output", "until")
    until = report("until")["exact"]
    at = known["minutes"].index(int(minutes))
    require(until["readings"] == known["readings"][at] and until["volume_km3"] == known["volume_km3"][at] and "left_out" not in until, "-until " + minutes, until)

# ---- other priors, of the coarser sea: beside numpy, which has P, a sum over faces of wet cells and over cells ----
with open(source + "/data/tohoku/japan_6min.asc") as file:
    wet = numpy.array([line.split() for line in file if not line[0].isalpha()], float)[::-4, ::4] <= -10


def of_prior(kept, h1, tikhonov):
    """Log evidence, volume and its deviation, and the readings of each gauge inside the band of 95 % that all others predict."""
    cells, north, d, gauge = kept["a"].size, kept["north"][0], read_at(kept), kept["reading_gauge"][0]
    j, i = (numpy.rint((kept[name][0] - first) / 0.4).astype(int) for name, first in (("north", 25), ("east", 135)))
    number = numpy.full(wet.shape, -1)
    number[j, i] = numpy.arange(cells)
    area = (6371e3 * numpy.radians(0.4)) ** 2 * numpy.cos(numpy.radians(north))
    P = numpy.diag(tikhonov * kept["a"][0] * area)
    for to_east, to_north in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        weight = h1 * (1 / numpy.cos(numpy.radians(north)) if to_east else numpy.cos(numpy.radians(north + 0.2 * to_north)))
        weight, other = weight * wet[j + to_north, i + to_east], number[j + to_north, i + to_east]
        P += numpy.diag(weight)
        numpy.subtract.at(P, (numpy.flatnonzero(other >= 0), other[other >= 0]), weight[other >= 0])
    C, G = numpy.linalg.inv(P), kept["G"][0].reshape(len(d), cells)
    M = G @ C @ G.T + numpy.diag(kept["reading_sigma"][0] ** 2)
    evidence = -0.5 * (d @ numpy.linalg.solve(M, d) + numpy.linalg.slogdet(M)[1] + len(d) * numpy.log(2 * numpy.pi))
    seen, inside = G @ (C @ area), []
    volume, square = seen @ numpy.linalg.solve(M, d), area @ C @ area - seen @ numpy.linalg.solve(M, seen)
    for own in (gauge == number for number in range(4)):
        gain = numpy.linalg.solve(M[~own][:, ~own], M[~own][:, own]).T
        off, variance = d[own] - gain @ d[~own], numpy.diag(M[own][:, own] - gain @ M[~own][:, own])
        inside.append(numpy.sum(numpy.abs(off) <= 1.959964 * numpy.sqrt(variance)))
    return evidence, volume / 1e9, numpy.sqrt(square) / 1e9, inside


def same_prior(folder, h1, tikhonov):
    """The run -online of `folder` is numpy's."""
    run(1, *COARSE, "-online", folder, "-output", "other-online")
    found, expected = report("other-online")["exact"], of_prior(read(folder + "/exact.h5"), h1, tikhonov)
    for key, value in zip(("log_evidence", "volume_km3", "volume_deviation"), expected):
        near(found[key], value, key + " of " + folder)
    inside = [found["left_out"][gauge]["inside"] for gauge in GAUGES]
    require(inside == expected[3], "readings inside of " + folder, inside, expected[3])
    return found


run(1, *COARSE, "-precompute", "other", "-h1", "0.32", "-tikhonov", "3.5e-10", "-output", "precomputed")
same_prior("other", 0.32, 3.5e-10)

# By evidence, with a sharper edge.
run(1, *COARSE, "-precompute", "other", "-prior", "auto", "-prior_power", "6", "-output", "precomputed")
auto = report("precomputed")["exact"]["auto"]
near(same_prior("other", auto["h1"], auto["tikhonov"])["log_evidence"], auto["log_evidence"], "the map has the prior by evidence", 1e-12)
for h1, tikhonov in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99)):
    other = of_prior(read("other/exact.h5"), auto["h1"] * h1, auto["tikhonov"] * tikhonov)[0]
    require(other < auto["log_evidence"], "the evidence is largest", h1, tikhonov, other, auto)

# ---- slip: beside numpy ----
slip = read("coarse-slip/exact.h5")
run(2, *COARSE, *SLIP, "-online", "coarse-slip", "-output", "slip-online")
found, prior = report("slip-online")["exact"], report("precomputed-slip")["exact"]["auto"]
G, sigma, d = slip["G"][0].reshape(readings, 55), slip["reading_sigma"][0], read_at(slip)


def evidence(tikhonov, noise):
    M = G @ G.T / tikhonov + numpy.diag((noise * sigma) ** 2)
    return -0.5 * (d @ numpy.linalg.solve(M, d) + numpy.linalg.slogdet(M)[1] + readings * numpy.log(2 * numpy.pi))


best = evidence(prior["tikhonov"], prior["noise"])
near(found["log_evidence"], best, "log evidence of slip")
for one in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99)):
    require(evidence(prior["tikhonov"] * one[0], prior["noise"] * one[1]) < best, "the evidence of slip is largest", one, prior)
weighted = G / (prior["noise"] * sigma)[:, None]
covariance = numpy.linalg.inv(weighted.T @ weighted + prior["tikhonov"] * numpy.eye(55))
mean = covariance @ (weighted.T @ (d / (prior["noise"] * sigma)))
require(numpy.max(numpy.abs(found["slip"] - mean)) < 1e-8 * numpy.max(numpy.abs(mean)), "slip is that of numpy", found["slip"], mean)
require(numpy.allclose(found["slip_deviation"], numpy.sqrt(numpy.diag(covariance)), rtol=1e-8), "so are its deviations", found["slip_deviation"])
with open(source + "/data/tohoku/satake2013.csv") as file:
    rows = [line.split(",") for line in file if not line.startswith("#")]
length, width = (next(k for k, title in enumerate(rows[0]) if title.startswith(name)) for name in ("length", "width"))
weight = 40e9 * numpy.array([float(row[length]) * float(row[width]) for row in rows[1:]]) * 1e6
near(found["moment"], weight @ mean, "moment")
near(found["moment_deviation"], numpy.sqrt(weight @ covariance @ weight), "its deviation")

# ---- refusals ----
os.mkdir("damaged")
with open("coarse/exact.h5", "rb") as whole, open("damaged/exact.h5", "wb") as cut:
    cut.write(whole.read()[:100000])
POND = "-cell 0.2 -nx 126 -ny 116 -dt 25 -steps 262 -box_west 139.9".split()
WINDOWS = "%d,3000,3000,5400,4200,6600,3900,%d"
wrong = [
    (["-online", "nowhere"], "there is no file 'nowhere/exact.h5', expected a folder that -precompute has written"),
    (["-online", "damaged"], "file 'damaged/exact.h5'"),
    (["-online", "coarse", "-sponge", "10"], "'coarse/exact.h5': it is of another sea"),
    (["-online", "coarse", "-dt", "40", "-steps", "164"], "of another sea, of 63 x 58 cells and steps of 50 s, expected this one of 63 x 58 and 40 s"),
    (["-online", "coarse", "-box_west", "141"], "it is of another source, of %d cells, expected the same -box_west" % len(read("coarse/exact.h5")["east"][0])),
    (["-online", "coarse", "-windows", WINDOWS % (1296, 6240)], "of 149 readings of 4 gauges, expected the 148 of 4"),
    (["-online", "coarse", "-tau", "60"], "its reading 1 is that of gauge 1 1224 s after the source with sigma 0.06 m, expected 1, 1236 s"),
    (["-online", "coarse", "-h1", "3"], "option -h1: given with -online, which does not take it"),
    (["-online", "coarse", "-precompute", "new"], "option -online: given with -precompute, expected one run for each"),
    (["-online", "coarse", "-chile"], "option -online: expected an inversion that is linear"),
    (["-precompute", "new", "-prior", "auto", "-prior_power", "20", "-gauges", source + "/data/tohoku/dart21413.csv", "-windows", "3900,6300"],
     "the evidence of these readings still grows where -tikhonov is .*, the end of what is searched"),
    (["-precompute", "new", "-prior", "auto", "-prior_power", "1", "-gauges", source + "/data/tohoku/dart21418.csv", "-windows", "1296,3000", "-steps", "65"],
     "the evidence of these readings still grows where .* and -h1 1e-10, the end of what is searched"),
    (["-online", "coarse", "-prior", "auto"], "option -prior: given without -precompute, where it changes nothing"),
    (["-until", "30"], "option -until: given without -online, where it changes nothing"),
    (["-precompute", "new", "-tikhonov", "0", *POND], "leaves the mean of 1 of 893 cells free, .* expected -tikhonov above 0"),
    (["-precompute", "new", "-tikhonov", "0", "-h1", "0"], "exact posterior: -h1 and -tikhonov are 0, expected a prior, -tikhonov above 0"),
    (["-precompute", "new", "-windows", WINDOWS % (96, 6300)], "'21418': its reading at 96 s sees nothing of the source"),
    (["-precompute", "new", "-physics", "nonlinear"], "option -precompute: expected an inversion that is linear"),
    (["-precompute", "new", "-source", "slip", "-onsets"], "option -precompute: expected an inversion that is linear"),
    (["-precompute", "new", "-source", "slip", "-largest_slip", "3"], "option -largest_slip: given with -precompute, which does not take it"),
    (["-precompute", "new", "-source", "slip", "-slip_tikhonov", "0"], "-slip_tikhonov is 0, .* expected it above 0"),
    (["-online", "coarse-slip"], "it is of slip as the source, expected -source slip with it"),
    (["-online", "coarse-slip", *SLIP, "-vertical_motion"], "it is of another source, of 55 subfaults, expected the same -subfaults"),
    (["-online", "coarse-slip", *SLIP, "-slip_tikhonov", "1"], "option -slip_tikhonov: given with -online, which does not take it"),
    (["-precompute", "new", "-leave_out", "21413"], "option -leave_out: given with -precompute, which does not take it"),
    (["-precompute", "new", "-frames"], "option -frames: given with -precompute, which does not take it"),
    (["-precompute", "new", "-iterations", "3"], "option -iterations: given with -precompute, which does not take it"),
    (["-precompute", "new", "-check"], "option -check: given with -precompute, expected an inversion"),
]
refusals = Refusals(source + "/scripts/mpirun", many)
for k, (options, expected) in enumerate(wrong):
    refusals.add(expected, COARSE + options + ["-output", "wrong-%d" % k], "tohoku_inverse", 2)
problems += refusals.wrong()
require(not os.path.exists("new/exact.h5"), "a refused run leaves no map")
remove_maps()
end("tohoku_inverse -precompute, -online")
