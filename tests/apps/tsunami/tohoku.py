# SPDX-License-Identifier: BSD-2-Clause
# Claim: tohoku_inverse has the same bits on any layout, tells in run.json what it found; published sources raise and send the waves that another
# program computed, within 1 % and one reading, and films them; it refuses what is wrong with gauges, windows, times, topography, box and subfaults in
# one sentence.
# usage: tohoku.py SOURCE PROGRAM DIRECTORY_OF_MANY, in an empty directory
import glob
import json
import os
import re
import subprocess
import sys

source, program, many = sys.argv[1:4]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, problems, require, Refusals



def run(ranks, *options):
    launch = [source + "/scripts/mpirun", "-n", str(ranks), program, *options]
    return subprocess.run(launch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


# ---- the same bits, and what run.json has, of cells four times as wide ----
WIDE = "-cell 0.4 -nx 63 -ny 58".split()
COARSE = [*WIDE, *"-dt 50 -steps 131".split()]
digests = set()
for ranks, layout in ((1, []), (6, ["-px", "3", "-py", "2"])):
    output = "layout-%d" % ranks
    told = run(ranks, *layout, *COARSE, "-iterations", "1", "-digest", "-output", output)
    line = re.findall("^J .*", told.stdout, re.M)
    require(told.returncode == 0 and len(line) == 1, "%d ranks: it runs" % ranks, told.stdout[-2000:])
    digests.update(line)
    if told.returncode:
        continue
    with open(output + "/run.json") as file:
        report = json.load(file)
    for key in "J misfit_ratio volume_km3 positive_km3 centroid_east centroid_north maximum correlation correlation_unsmoothed seconds".split():
        require(isinstance(report.get(key), float), "run.json has '%s'" % key, report.get(key))
    for gauge in "21418 21401 21419 21413".split():
        require(isinstance(report["gauges"][gauge]["variance_reduction"], float), "run.json has the variance reduction of " + gauge)
    require(abs(report["history"]["J"][0] / 5958.435702028335 - 1) < 1e-9, "J at 0", report["history"]["J"][0])
require(len(digests) == 1, "the same bits on every layout", *digests)
require(os.path.exists("layout-6/tohoku_inverse.png"), "there is a picture")

# What is checked, or differs by its layout alone, is a coarser sea with the nearest gauge, read 6 s earlier so that steps of 30 s meet its readings.
with open(source + "/data/tohoku/dart21418.csv") as file:
    readings = file.read()
with open("nearest.csv", "w") as file:
    file.write(re.sub(r"(?m)^(\d+)6,", r"\g<1>0,", readings))
NEAREST = "-gauges nearest.csv -windows 1290,3000 -cell 0.2 -nx 126 -ny 116 -dt 30 -steps 120".split()

# ---- nonlinear waves ----
told = run(1, *COARSE, "-physics", "nonlinear", "-iterations", "1", "-output", "nonlinear")
require(told.returncode == 0 and "steps of 50 s, at most 88.00 s under a surface 20 m high" in told.stdout, "nonlinear waves say their limit", told.stdout[-2000:])
if not told.returncode:
    with open("nonlinear/run.json") as file:
        after = json.load(file)["history"]["J"]
    require(abs(after[0] / 5958.435702028335 - 1) < 1e-9 and 0 < abs(after[1] / report["history"]["J"][1] - 1) < 0.01, "they are nearly linear", after)
digests = set()
for ranks, layout in ((1, ["-check"]), (4, ["-px", "1", "-py", "4"])):
    told = run(ranks, *layout, *NEAREST, *WIDE, "-tau", "60", "-physics", "nonlinear", "-iterations", "1", "-digest", "-output", "nearest-%d" % ranks)
    require(told.returncode == 0 and (ranks > 1 or re.search("^check J: .* ok$", told.stdout, re.M)), "their J is checked", told.stdout[-2000:])
    digests.update(re.findall("^J .*", told.stdout, re.M))
require(", no uplift above 1 m, maximum 0." in told.stdout and "nan" not in told.stdout, "a low source has no centroid", told.stdout[-2000:])
require(len(digests) == 1, "nonlinear waves have the same bits on every layout", *digests)

# ---- a gauge that is left out is predicted, and does not count ----
told = run(1, *COARSE, "-leave_out", "21413", "-iterations", "1", "-output", "left-out", "-frames", "-interval", "1800")
require(told.returncode == 0 and "gauge 21413 (left out): misfit" in told.stdout, "a gauge left out", told.stdout[-2000:])
require(len(glob.glob("left-out/frames/tohoku_inverse_*.png")) == 4, "a frame every half an hour, of 109 minutes, from the start on", told.stdout[-300:])

# ---- slip is sought instead ----
told = run(1, *NEAREST, "-tau", "60", "-source", "slip", "-iterations", "2", "-check", "-output", "slip")
require(told.returncode == 0 and re.search("^check controls: .* ok$", told.stdout, re.M), "slip is sought, its lines are checked", told.stdout[-2000:])
if not told.returncode:
    with open("slip/run.json") as file:
        report = json.load(file)
    require(len(report["slip"]) == 55 and min(report["slip"]) >= 0 and max(report["slip"]) > 0, "slip is not negative", report["slip"])
    require(report["history"]["J"][2] < report["history"]["J"][0] / 2, "slip fits", report["history"]["J"])

digests, checked = set(), []
for ranks in (1, 6):
    output = "onsets-%d" % ranks
    told = run(ranks, *NEAREST, "-source", "slip", "-onsets", "-iterations", "6", "-digest", "-output", output, *([] if ranks > 1 else ["-check"]))
    require(told.returncode == 0, "onsets are sought", told.stdout[-2000:])
    digests.update(re.findall("^J .*", told.stdout, re.M))
    checked += re.findall("^check rupture: .* ok$", told.stdout, re.M)
require(checked, "a rupture is checked", told.stdout[-2000:])
require(len(digests) == 1, "onsets have the same bits on every layout", *digests)
if not told.returncode:
    with open("onsets-6/run.json") as file:
        report = json.load(file)
    require(len(report["onset"]) == 55 and 0 <= min(report["onset"]) and max(report["onset"]) < 480, "onsets lie within their bounds", report["onset"])
    require(0 < report["moment_time"] < 480 and abs(report["published"]["moment_time"] - 125) < 1, "mean times of moments", report["moment_time"], report["published"])
    require(report["history"]["J"][6] < report["history"]["J"][0] / 2, "onsets fit", report["history"]["J"])


# ---- published sources ----
def near(value, expected, what):
    require(abs(value / expected - 1) < 0.01, what + " within 1 %", value, expected)


reports, frames = [], []
for ranks in (1, 6):
    told = run(ranks, "-forward", "published", "-digest", "-output", "forward-%d" % ranks, "-frames", "-interval", "2400")
    frames.append([open(name, "rb").read() for name in sorted(glob.glob("forward-%d/frames/*.png" % ranks))])
    require(told.returncode == 0, "the published source runs", told.stdout[-2000:])
    with open("forward-%d/run.json" % ranks) as file:
        report = json.load(file)
    reports.append([report["published"], report["gauges"], re.findall("^J .*", told.stdout, re.M)])
require(reports[0] == reports[1], "the same numbers on 1 and 6 ranks", *reports)
require(frames[0] == frames[1] and len(set(frames[0])) == 3, "three frames, of the same bytes on 1 and 6 ranks", *(len(f) for f in frames))
published, gauges, digest = reports[0]
require(len(digest) == 1, "-digest tells of it", digest)
for key, expected in {"volume_km3": 104.1, "positive_km3": 142.3, "centroid_east": 143.34, "centroid_north": 38.06, "maximum": 14.55}.items():
    near(published[key], expected, "published " + key)
for gauge, height, time in (("21418", 1.740, 1956), ("21401", 0.550, 3996), ("21419", 0.497, 5436), ("21413", 0.683, 4836)):
    near(gauges[gauge]["peak"], height, "peak at " + gauge)
    require(abs(gauges[gauge]["peak_time"] - time) <= 60, "time of the peak at " + gauge, gauges[gauge]["peak_time"], time)

# ---- Chile: the vertical motion alone, which is what the other program had ----
told = run(4, "-chile", "-vertical_motion", "-output", "chile")
require(told.returncode == 0, "the source of 27 February 2010 runs", told.stdout[-2000:])
with open("chile/run.json") as file:
    gauge = json.load(file)["gauges"]["32412"]
near(gauge["peak"], 0.1818, "peak at 32412")
require(abs(gauge["peak_time"] - 12000) <= 60 and gauge["correlation"] > 0.7, "32412 is like its record", gauge)

# ---- refusals ----
def table(name, old, new):
    with open(name, "w") as file:
        file.write(readings.replace(old, new))
    return ["-gauges", name, "-windows", "1296,3000"]


with open("small.asc", "w") as file:
    file.write("ncols 3\nnrows 3\nxllcenter 140\nyllcenter 35\ncellsize 1\n" + "-4000 " * 9)
OWN = "-box_west 140 -box_east 146 -box_south 35 -box_north 41 -tau 72 -prior_longitude 142 -prior_latitude 38".split()
wrong = [
    (table("land.csv", "x 148.694 y 38.711", "x 139.94 y 36.95"), r"gauge '21418' .* beside land.* nearest wet cell is that at \(14\d(\.\d)?, 3\d(\.\d)?\)"),
    (table("outside.csv", "x 148.694 y 38.711", "x 178.2 y 36.9"), "'21418'.* x = 178.2 degrees, expected inside the domain, 134.95 to 160.05 degrees"),
    (["-windows", "1296,3000,3000,5400,4200,6700,3900,6300"], "'21419', 4200 to 6700 s, reaches beyond the run"),
    (["-windows", "1296,3000,3000,5400,6600,4200,3900,6300"], "'21419' is 6600 to 4200 s, expected an end after"),
    (["-windows", "1296,3000,3000,5400"], "4 numbers for 4 gauges, expected a first and a last second for all, or for each"),
    (["-topography", "small.asc", *OWN], "small.asc.* from x = 140 to 142 degrees, expected to cover .* 135 to 160 degrees"),
    (["-box_west", "139", "-box_east", "140", "-box_south", "36", "-box_north", "37"], "no wet cell between 139 and 140 E, 36 and 37 N"),
    (["-frames", "-interval", "50"], "-interval: 50 s, expected whole steps of 12 s"),
    (["-leave_out", "21414"], "'21414': expected one of the 4 gauges"),
    (["-dt", "24", "-steps", "273"], "24 s is beyond the stability limit, expected at most 21.17"),
    (["-dt", "24", "-steps", "273", "-physics", "nonlinear"], "24 s is beyond the stability limit, expected at most 21.15"),
    (["-topography", source + "/data/tohoku/japan_6min.asc", "-forward", "published", *OWN[:8]], "-forward: expected a file of subfaults"),
    (["-forward", "published", "-check", *WIDE], "option -check: expected an inversion"),
    (["-chile", "-source", "slip"], "option -source slip: expected an inversion"),
    (["-forward", "published", "-iterations", "3"], "option -iterations: given with -forward published, which does not take it"),
    (["-forward", "published", "-adjoint_monitor", "5"], "option -adjoint_monitor: given with -forward published, which does not take it"),
    (["-forward", "published", "-prior_longitude", "3"], "option -prior_longitude: given with -forward published, which does not take it"),
    (["-forward", "published", "-checkpoint_memory", "1MiB"], "option -checkpoint_memory: given with -forward published, which does not take it"),
    (["-forward", "published", "-checkpoint_storage", "single"], "option -checkpoint_storage: given with -forward published, which does not take it"),
    (["-forward", "published", "-record", "rec"], "option -record: given with -forward published, which does not take it"),
    *((["-forward", "published", *option.split()], "option %s: given with -forward published, which does not take it" % option.split()[0])
      for option in ("-discrepancy", "-posterior 5", "-newton gauss", "-huber 2", "-student 4", "-correlation 60", "-relative 0.1")),
    (["-chile", "-precondition"], "option -precondition: given with -chile, which does not take it"),
    (["-chile", "-h1", "3"], "option -h1: given with -chile, which does not take it"),
    (["-chile", "-forward", "no"], "option -forward: no with -chile, .* expected published"),
    (["-chile", "-show", "q@3"], "option -show: given with -chile, which does not take it"),
    (["-source", "slip", "-prior_radius", "1e5"], "option -prior_radius: given with -source slip, which does not take it"),
    (["-prior_deviation", "1", "-prior_length", "6e4", "-prior_radius", "1e5"], "option -prior_radius: given with -prior_deviation, the same in all of the box"),
    (["-source", "slip", "-prior_deviation", "1", "-prior_length", "6e4"], "option -prior_deviation: given with -source slip, which does not take it"),
    (["-source", "slip", "-prior_latitude", "3"], "option -prior_latitude: given with -source slip without -onsets, which does not take it"),
    (["-observations", "x.h5"], "option -observations: 'x.h5' given, but gauges are text tables, expected -gauges"),
    (["-interval", "30"], "option -interval: given without -frames, where it changes nothing"),
    (["-onsets"], "option -onsets: expected -source slip"),
    (["-rise", "30"], "option -rise: given without -onsets, where it changes nothing"),
    (["-source", "slip", "-tv", "3", "-tv_epsilon", "1"], "option -tv: given with -source slip, which does not take it"),
    (["-source", "slip", "-h1", "3"], "option -h1: given with -source slip, which does not take it"),
    (["-source", "slip", "-onsets", "-tau", "240", "-steps", "530", *WIDE], r"-tau: 240 s with -onsets, expected at least 3\d\d(\.\d+)? s, when the last"),
    (["-source", "slip", "-onsets", "-rise", "400", *WIDE], r"-tau: 480 s with -onsets, expected at least 6"),
    (["-subfaults", "small.asc"], "small.asc', line 1: column 1 is 'ncols 3', expected 'name'"),
    (["-south", "80"], "reaches from 79.85 to 103.15 degrees north, expected latitudes between the poles"),
]
refusals = Refusals(source + "/scripts/mpirun", many)
for k, (options, expected) in enumerate(wrong):
    refusals.add(expected, options + ["-output", "wrong-%d" % k], "tohoku_inverse", 2)
problems += refusals.wrong()
require(not glob.glob("wrong-*/run.json"), "a refused run leaves no run.json")
end("tohoku_inverse")
