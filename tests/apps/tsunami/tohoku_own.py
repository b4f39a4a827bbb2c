# SPDX-License-Identifier: BSD-2-Clause
# Claim: on a sea of the user's own, with gauges and subfaults of his own, tohoku_inverse counts each slip once and tells numbers, not NaNs; what
# is missing there, or would change nothing, or cannot be right, is refused in one sentence.
# usage: tohoku_own.py SOURCE PROGRAM DIRECTORY_OF_MANY, in an empty directory
import json
import math
import os
import re
import sys

source, program, many = sys.argv[1:4]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, problems, require, Refusals, printed_together

os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # what ends by an error frees nothing
mpirun = source + "/scripts/mpirun"
starts, looks = [], []


# ---- a flat sea at the equator, its gauges, its subfaults ----
def topography(name, west, south, cell, nx, ny, elevation=lambda x, y: -4000, nodata=-9999):
    with open(name, "w") as file:
        file.write("ncols %d\nnrows %d\nxllcenter %.10g\nyllcenter %.10g\ncellsize %.10g\nNODATA_value %g\n" % (nx, ny, west, south, cell, nodata))
        for j in range(ny - 1, -1, -1):
            file.write(" ".join("%g" % elevation(west + i * cell, south + j * cell) for i in range(nx)) + "\n")
    return ["-topography", name]


def gauge(name, x, y, step, last, height=lambda t: 0.3 * math.exp(-(((t - 3000) / 600) ** 2)), first=0):
    rows = "".join("%d,%.5f\n" % (t, height(t)) for t in range(first, last + 1, step))
    with open(name + ".csv", "w") as file:
        file.write("# gauge %s x %g y %g [degrees]\n# sigma 0.05 [m]\ntime [s],elevation [m]\n%s" % (name, x, y, rows))


def subfault(name, start, slip, window="# window 0 [s]\n"):
    titles = "longitude [degrees],latitude [degrees],depth [km],length [km],width [km],strike [degrees],dip [degrees],rake [degrees],start [s],slip [m]"
    with open(name, "w") as file:
        file.write("%sname,%s\nA,172,3,5,100,50,0,20,90,%g,%g\n" % (window, titles, start, slip))
    return ["-subfaults", name]


GRID = "-west 165 -south -9 -cell 0.5 -nx 36 -ny 36 -sponge 5".split()
BOX = "-box_west 170 -box_east 176 -box_south 0 -box_north 6".split()
SEA = topography("sea.asc", 150, -20, 1, 41, 41) + GRID + BOX
gauge("near", 172, 3.5, 12, 600, lambda t: 0.3 * math.sin(t / 20))
gauge("odd", 172, 3.5, 7, 70)
gauge("far", 180, 0, 60, 7200)
gauge("slow", 176, 3, 600, 72000, lambda t: 0)
NEAR = ["-gauges", "near.csv", "-windows", "12,120", "-dt", "1.2", "-steps", "100"]
FAR = "-gauges far.csv -windows 600,6000 -dt 60 -steps 100 -tau 0 -prior_longitude 172 -prior_latitude 3".split()
FORWARD = ["-forward", "published"]


def starts_well(look, *options):
    """`look` gets run.json and what was printed, once all have been started."""
    output = "run-%d" % len(starts)
    starts.append((".", [*options, "-output", output]))
    looks.append((look, output, " ".join(options)))


# ---- each slip counts once ----
peaks = {}
for start in 0, 6, 7.2:
    faults = subfault("start-%g.csv" % start, start, 5)
    starts_well(lambda report, printed, start=start: peaks.update({start: report["gauges"]["near"]["peak"]}), *SEA, *NEAR, *FORWARD, *faults)

# ---- flat records, no slip, a run that ends with its window but for rounding ----
gauge("flat", 180, 0, 60, 7200, lambda t: 0)
flat = ["flat.csv" if word == "far.csv" else word for word in FAR]
starts_well(lambda report, printed: require(report["gauges"]["flat"]["variance_reduction"] == 0, "a flat record has none", report["gauges"]), *SEA, *flat, "-iterations", "1")
starts_well(
    lambda report, printed: require("slip: moment 0 N m, nothing slips" in printed and report["moment_time"] == 0, "no slip has no magnitude", printed),
    *SEA,
    *FAR[:4],
    *"-dt 60 -steps 100 -tau 360 -prior_longitude 172 -prior_latitude 3 -source slip -onsets -iterations 0".split(),
    *subfault("zero.csv", 0, 0),
)
assert 1.4 * 45 < 63
# ---- any number of gauges, one window for all, readings between steps as the model's line has it there ----
with open("many.csv", "w") as file:
    places = [(169 + 0.02 * (k % 25), 1 + 0.02 * (k // 25)) for k in range(300)]
    file.write("".join("# gauge g%d x %.10g y %.10g [degrees]\n" % (k, x, y) for k, (x, y) in enumerate(places)))
    file.write("time [s]" + "".join(",gauge g%d [m]" % k for k in range(300)) + "\n")
    file.write("".join("%d%s\n" % (t, ",0.01" * 300) for t in range(0, 6001, 600)))
MANY = ["many.csv" if word == "far.csv" else word for word in FAR]
starts_well(lambda report, printed: require(len(report["gauges"]) == 300, "300 gauges are told of", len(report["gauges"])), *SEA, *MANY, "-iterations", "1")
between = {}
for times in (1200,), (1260,), (1200, 1223, 1260):
    with open("between-%d.csv" % sum(times), "w") as file:
        file.write("# gauge g x 174 y 3 [degrees]\ntime [s],elevation [m]\n" + "".join("%d,0\n" % t for t in times))
for times, first, last in ((1200,), 1199, 1201), ((1260,), 1259, 1261), ((1200, 1223, 1260), 1222, 1224):
    starts_well(
        lambda report, printed, time=times[len(times) // 2]: between.update({time: report["gauges"]["g"]["peak"]}),
        *SEA, "-gauges", "between-%d.csv" % sum(times), "-windows", "%d,%d" % (first, last), *"-dt 60 -steps 30".split(), *FORWARD, *subfault("good.csv", 0, 5),
    )

# ---- a sea across the date line, from charts with other ends; a box that is a turn away ----
crossing = {}
for west in -180, 0:
    topography("globe%d.asc" % west, west, -20, 1, 361, 41, lambda x, y: -4000 - 10 * abs(x % 360 - 180))
    for box in (-182, -178), (178, -178), (178, 182):
        starts_well(
            lambda report, printed, key=(west, box): crossing.update({key: report["history"]["J"]}),
            *["-topography", "globe%d.asc" % west], *"-west 171 -south -9 -cell 0.5 -nx 36 -ny 36 -sponge 5".split(), *FAR, "-iterations", "1",
            *("-box_west %d -box_east %d -box_south 0 -box_north 6" % box).split(),
        )

# ---- a shallow sea has its own depth if one says so ----
late = {}
for depth in 15, 45:
    shallow = topography("shallow-%d.asc" % depth, 150, -20, 1, 41, 41, lambda x, y: -depth)
    for least in 50, 0:
        starts_well(
            lambda report, printed, key=(depth, least): late.update({key: (report["gauges"]["slow"]["peak_time"], report["cells_made_deeper"], "count as 50 m deep" in printed)}),
            *shallow, *GRID, *BOX, "-gauges", "slow.csv", *"-windows 0,72000 -dt 600 -steps 120".split(), *FORWARD, *subfault("good.csv", 0, 5), "-shallowest", str(least),
        )

starts_well(lambda report, printed: None, *SEA, "-gauges", "odd.csv", *"-windows 0,63 -dt 1.4 -steps 45".split(), *FORWARD, *subfault("good.csv", 0, 5))

# ---- the command of docs/tsunami.md, on cells and steps five times as long ----
with open(source + "/docs/tsunami.md") as file:
    command = re.search(r"(?m)^    tohoku_inverse (-topography (?:.*\\\n)+.*)", file.read()).group(1)
command = re.sub(r"[\\\n]", " ", command).split()
for option, factor in ("-cell", 5), ("-nx", 0.2), ("-ny", 0.2), ("-steps", 0.2):
    at = command.index(option) + 1
    command[at] = "%g" % (factor * float(command[at]))
topography("etopo.asc", 260, -55, 0.5, 81, 81, lambda x, y: 500 if x > 287.5 else -4000)
tau = int(command[command.index("-tau") + 1])
for name, x, y in ("a", 274 - 360, -25), ("b", 270, -40):  # a turn back is the same place
    gauge(name, x, y, 60, 15000, lambda t: 0.3 * math.exp(-(((t - 11000) / 900) ** 2)), first=tau)
starts_well(lambda report, printed: require(report["gauges"]["a"]["misfit_ratio"] > 0, "gauge a is told of", report), *command, *"-dt 60 -iterations 1".split())

# ---- a prior of the same deviation in all of the box, far from its edge ----
starts_well(
    lambda report, printed: require(abs(report["posterior"]["deviation"]["m"]["prior"] - 0.5) < 0.05 and report["posterior"]["told"] > 0, "Matern's prior", report["posterior"]),
    *SEA, *FAR[:-4], *"-prior_deviation 0.5 -prior_length 150e3 -precondition -iterations 20 -posterior 5".split(),
)

# ---- gauges are told of by squares, whatever J counts ----
for more, says in ([], "misfit / expectation"), (["-huber", "2"], "misfit by squares / expectation"):
    starts_well(
        lambda report, printed, says=says: require(len(re.findall("^gauge .*: %s [0-9]" % says, printed, re.M)) == len(report["gauges"]), says, printed[-600:]),
        *SEA, *FAR, "-iterations", "1", *more,
    )

# ---- the prior of 180 E is that of 180 W, and its distances those of its latitude ----
found = {}
for longitude, latitude in (172, 3), (-188, 3), (172, 60):
    options = list(FAR)
    options[options.index("-prior_longitude") + 1], options[options.index("-prior_latitude") + 1] = str(longitude), str(latitude)
    starts_well(
        lambda report, printed, place=(longitude, latitude): found.update({place: report["history"]["J"] + [report["maximum"]]}), *SEA, *options, "-iterations", "3"
    )

told, wrong = printed_together(mpirun, many + "/many_tohoku_inverse", 1, starts, "starts")
require(not wrong, "all runs end well", wrong)
if wrong:
    sys.exit("claim fails: " + wrong)
for (look, output, options), printed in zip(looks, told):
    with open(output + "/run.json") as file:
        look(json.load(file), printed)
    require(not re.search(r"\b-?(nan|inf)\b", printed), "no NaN is told with " + options, printed)
for start in peaks:
    require(abs(peaks[start] / peaks[0] - 1) < 0.02, "slip at once at %g s lifts as much as at 0 s" % start, peaks)

require(crossing and len({tuple(J) for J in crossing.values()}) == 1, "charts from 180 W and from 0, and turned boxes, are one sea", crossing)
a, b = between[1200], between[1260]
require(a != b and abs(between[1223] - (a + 23 / 60 * (b - a))) < 1e-6 * abs(b - a), "a reading between two steps is compared with the line between them", between)
require(late[15, 50] == late[45, 50] == (late[45, 50][0], 36 * 36, True), "seas shallower than 50 m count as 50 m, and that is said", late)
require(late[15, 0][0] > late[45, 0][0] > late[45, 50][0] and late[15, 0][1:] == late[45, 0][1:] == (0, False), "-shallowest 0: the sea's own depth", late)
require(found and found[172, 3] == found[-188, 3] != found[172, 60], "172 E and 188 W are one meridian of the prior", found)

# ---- refusals ----
for name, old, new in ("again", "x 180", "x 179"), ("quote", "gauge far", "gauge O'x"):
    with open("far.csv") as old_file, open(name + ".csv", "w") as new_file:
        new_file.write(old_file.read().replace(old, new))
subfault("away.csv", 0, 5)
with open("away.csv") as file:
    away = file.read().replace("A,172", "A,284")
with open("away.csv", "w") as file:
    file.write(away)
WORLD = topography("world.asc", 0, -45, 5, 73, 19) + "-west 0 -south -45 -cell 5 -nx 72 -ny 19 -sponge 2".split() + BOX
topography("low.asc", 150, -20, 1, 41, 41, lambda x, y: -60)
LOW = ["-topography", "low.asc", *GRID, *BOX]
wrong = [
    (LOW + NEAR + FORWARD + ["-physics", "nonlinear"] + subfault("sunk.csv", 0, -1000), r"'eta' is -\d.* m in cell .* after \d+ steps, expected more than -50 m"),
    (SEA + NEAR + FORWARD + subfault("good.csv", 0, 5) + ["-tao_max_it", "3"], "option -tao_max_it"),
    (SEA + FAR + ["-box_east", "300"], "box of the source: 170 to 300 E, 0 to 6 N, expected inside the sea, 164.75 to 182.75 E, -9.25 to 8.75 N"),
    (SEA + FAR + ["-leave_out", "far"], "-leave_out 'far': it is the only gauge, expected another one that counts"),
    (SEA + FAR[2:] + ["-gauges", "far.csv,again.csv"], "gauges 'far.csv,again.csv': two of them are called 'far', expected a name of its own"),
    (SEA + FAR[2:] + ["-gauges", "quote.csv", "-leave_out", "no"], "expected one of the 1 gauges, 'O'x' the first"),
    (SEA + FAR + ["-subfaults", "away.csv"], "subfaults 'away.csv': 'A' begins at 284 E, 3 N, expected inside the sea, 164.75 to 182.75 E"),
    (SEA + FAR + ["-sponge", "18"], "sea: a sponge of 18 cells along each side of 36 x 36 cells, expected less than half"),
    (WORLD + FAR, "sea: 72 cells of 5 degrees reach all round the globe, expected less"),
    (SEA + FAR[:4] + ["-chile"], "option -chile: expected a file of subfaults"),
    (SEA + FAR + ["-vertical_motion"], "option -vertical_motion: given without -subfaults on a sea of your own, where it changes nothing"),
]
for option, options in (
    ("-box_north", SEA + FAR),
    ("-tau", SEA + FAR),
    ("-prior_longitude", SEA + FAR),
    ("-prior_latitude", SEA + FAR),
    ("-tau", SEA + FAR[:-4] + ["-source", "slip"] + subfault("good.csv", 0, 5)),
    ("-box_west", SEA + FAR[:-6] + FORWARD),
):
    at = options.index(option)
    wrong.append((options[:at] + options[at + 2 :], "option -topography: another sea without %s, expected it" % option))
at = FAR.index("-windows")
wrong.append((SEA + FAR[:at] + FAR[at + 2 :], "option -gauges: other gauges without -windows, expected a first and a last second"))
refusals = Refusals(mpirun, many)
for k, (options, expected) in enumerate(wrong):
    refusals.add(expected, options + ["-output", "wrong-%d" % k], "tohoku_inverse", 2)
problems += refusals.wrong()
end("tohoku_inverse on a sea of one's own")
