# SPDX-License-Identifier: BSD-2-Clause
# Claim: shallow_water_inverse takes the same data as text and as HDF5 to the same bits, and a chart of its own bottom to the same
# answer; where the water runs dry it stops, naming cell, rank and step, and keeps the last iterate.
# usage: gauge_inputs.py SOURCE_DIRECTORY many_shallow_water_inverse
import json
import os
import re
import shutil
import sys

import h5py
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkPNGReader

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require, start_together

NX, NY, LENGTH, WIDTH = 30, 20, 480e3, 320e3
GRID = ["-nx", str(NX), "-ny", str(NY)]


def run(ranks, *starts, status="0"):
    """What came of each start, made together on so many ranks."""
    came, wrong = start_together(source + "/scripts/mpirun", program, ranks, [(".", GRID + arguments) for arguments in starts], os.path.abspath("notes"))
    for arguments, start in zip(starts, came):
        if start.codes != [status] * ranks:
            sys.exit("claim fails: %s: exit status %s, it said:\n%s%s" % (" ".join(arguments), start.codes, start.printed, start.said))
    if wrong:
        sys.exit("claim fails: " + wrong)
    return came


def digest(said):
    return re.findall(r"^J 0x.*$", said, re.M)


def chart(name, z):
    """ESRI text whose points are cell centres, from one cell outside the basin on."""
    dx, dy = LENGTH / NX, WIDTH / NY
    x, y = (numpy.arange(NX + 2) - 0.5) * dx, (numpy.arange(NY + 2) - 0.5) * dy
    with open(name, "w") as f:
        f.write("ncols %d\nnrows %d\nxllcenter %.17g\nyllcenter %.17g\n" % (len(x), len(y), x[0], y[0]))
        f.write("dx %.17g\ndy %.17g\n" % (dx, dy))
        for v in y[::-1]:
            f.write(" ".join("%.17g" % z(u, v) for u in x) + "\n")


def bottom(x, y):
    """What docs/shallow-water.md has as the true bottom."""
    bump = lambda x0, y0, r: numpy.exp(-((x - x0) ** 2 + (y - y0) ** 2) / r**2)
    depth = 4000 - 1750 * (1 + numpy.tanh((x - 380e3) / 40e3))
    return -depth * numpy.exp(-0.9 * bump(270e3, 200e3, 45e3) + 0.2 * bump(200e3, 90e3, 50e3))


# a chart in degrees says where on the Earth the basin turns
with open("degrees.asc", "w") as f:
    f.write("ncols 20\nnrows 100\nxllcenter 5\nyllcenter -50\ncellsize 1\n" + "-3000 " * 2000)
places = [["-twin", "at%s.csv" % at, "-topography", "degrees.asc", "-longitude", "10", "-latitude", at, "-time", "600", "-output", "twin"] for at in ("40", "-40")]
run(1, *places, *(["-twin", name, "-noise", "0.2", "-output", "twin"] for name in ("basin.h5", "basin.csv")))
north, south = ([line for line in open("at%s.csv" % latitude) if line[0] != "#"] for latitude in ("40", "-40"))
require(len(north) == len(south) and north != south, "the Earth turns the other way round in the south")
# a standard deviation where the file has none
lines = [line for line in open("basin.csv") if not line.startswith("# sigma")]
open("bare.csv", "w").writelines(lines)
# text and HDF5: somebody's own gauges have no truth to compare with; a chart of the case's own bottom, with the source sought over it, and
# as the first guess of who seeks the bottom
chart("true.asc", bottom)
short, alike = ["-control", "bathymetry", "-iterations", "3", "-digest"], ["-iterations", "3", "-observations", "basin.h5"]
hdf5, bare, _, flat = run(1, short + ["-observations", "basin.h5", "-output", "hdf5"], short + ["-gauges", "bare.csv", "-noise", "0.2", "-output", "bare"],
                    alike + ["-output", "own"], alike + ["-nx", "5", "-ny", "10", "-width", "4e7", "-output", "flat"])
table, _, _ = run(4, short + ["-gauges", "basin.csv", "-output", "text"], alike + ["-topography", "true.asc", "-output", "chart"],
                  ["-control", "bathymetry", "-iterations", "0", "-observations", "basin.h5", "-topography", "true.asc", "-output", "guess"])
require(len(digest(hdf5.printed)) == 1 and digest(hdf5.printed) == digest(table.printed), "the same bits from text", digest(hdf5.printed), digest(table.printed))
require("error_end" in json.load(open("hdf5/run.json")), "a twin's error is told")
require("error_end" not in json.load(open("text/run.json")), "other gauges' error is not made up")
require("error_end" not in json.load(open("flat/run.json")) and "nan" not in flat.printed, "no cell has any of the truth, no error is relative to it", flat.printed)
require(digest(bare.printed) == digest(hdf5.printed), "the same bits with -noise for the standard deviation", digest(bare.printed))
own, other = json.load(open("own/run.json")), json.load(open("chart/run.json"))
require(abs(own["misfit_ratio"] / other["misfit_ratio"] - 1) < 1e-9, "a chart of the bottom", own["misfit_ratio"], other["misfit_ratio"])
with h5py.File("guess/shallow_water_inverse.h5") as f:
    x, y = numpy.meshgrid((numpy.arange(NX) + 0.5) * LENGTH / NX, (numpy.arange(NY) + 0.5) * WIDTH / NY)
    far = abs(f["found"][()] / bottom(x, y) - 1).max()
    require(far < 1e-12 and (f["found"][()] == f["chart"][()]).all(), "the chart is the first guess", far)


# where a gauge has no value the picture has no point: of two gauges that take turns there are half as many
def points_drawn(directory):
    reader = vtkPNGReader()
    reader.SetFileName(directory + "/shallow_water_inverse.png")
    reader.Update()
    pixels = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars()).astype(int)
    return int((abs(pixels - (0, 115, 178)).max(axis=1) < 4).sum())


def write_gauges(name, turns):
    with open(name, "w") as f:
        f.write("# gauge a x 100000 y 100000 [m]\n# gauge b x 300000 y 200000 [m]\n# sigma 0.2 [m]\ntime [s],gauge a [m],gauge b [m]\n")
        for k in range(1, 41):
            value = lambda turn: "%g" % (3 + numpy.sin(k)) if not turns or k % 2 == turn else ""
            f.write("%d,%s,%s\n" % (60 * k, value(0), value(1)))


for turns in False, True:
    write_gauges("turns_%d.csv" % turns, turns)
run(2, *(["-iterations", "0", "-gauges", "turns_%d.csv" % turns, "-output", "turns_%d" % turns] for turns in (False, True)))
drawn = [points_drawn("turns_%d" % turns) for turns in (False, True)]
require(0.35 * drawn[False] < drawn[True] < 0.7 * drawn[False], "gaps are not drawn", drawn)
# water that runs dry on the way: a flat top 1.45 m below the sea level, where the true surface falls by 1.41 m
chart("top.asc", lambda x, y: -1.45 if abs(x - 210e3) < 70e3 and abs(y - 150e3) < 70e3 else -4000)
for ranks in 1, 4:
    output = "dry_%d" % ranks
    shutil.rmtree(output, ignore_errors=True)
    (start,) = run(ranks, ["-topography", "top.asc", "-observations", "basin.h5", "-h1", "3", "-output", output], status="1")
    said, told = start.printed, start.said
    words = re.findall(r"^halograd: error \[limit-broken\]: shallow water: 'h' is -[0-9.e-]+ m in cell \((\d+), (\d+)\) on rank (\d+) after (\d+) steps", told, re.M)
    require(len(words) == 1 and int(words[0][2]) < ranks, "cell, rank and step are named once", told)
    require(not os.path.exists(output + "/run.json"), "no run.json: the run did not come to its end")
    iterates = re.findall(r"^ +(\d+) +[0-9.e+-]+ ", said, re.M)
    with h5py.File(output + "/shallow_water_inverse.h5") as f:
        found = f["found"][()]
        require(numpy.isfinite(found).all() and (abs(found).max() > 0) == (len(iterates) > 1), "the last iterate is kept", iterates)
    if ranks == 1:
        first, kept = words, found
    require([w[:2] + w[3:] for w in words] == [w[:2] + w[3:] for w in first], "the same cell and step", first, words)
    require((found == kept).all(), "the same last iterate on %d ranks" % ranks)
end("gauge_inputs")
