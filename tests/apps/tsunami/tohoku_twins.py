# SPDX-License-Identifier: BSD-2-Clause
# Claim: of 200 twins whose source is drawn from the prior that tohoku_inverse -precompute was given, and whose readings have noise of their sigmas, the
# 95 % intervals of what it keeps cover the truth in 92 to 98 %: in the cells, of the volume, and of gauges that are left out; also with the readings of
# the first hour alone.
# usage: tohoku_twins.py SOURCE PROGRAM, in an empty directory
import os
import subprocess
import sys

import h5py
import numpy
import scipy.sparse
import scipy.sparse.linalg

source, program = sys.argv[1:3]
TWINS, H1, TIKHONOV = 200, 2, 4e-9
subprocess.run([source + "/scripts/mpirun", "-n", "2", program, "-precompute", "map", "-h1", str(H1), "-tikhonov", str(TIKHONOV)],
               check=True, stdout=subprocess.DEVNULL)
with h5py.File("map/exact.h5", "r") as file:
    kept = {name: file[name][0] for name in "G X L R before a east north reading_time reading_gauge reading_sigma".split()}
os.remove("map/exact.h5")
readings, cells = len(kept["reading_time"]), len(kept["east"])
G, X = kept["G"].reshape(readings, cells), kept["X"].reshape(readings, cells)
L, R = kept["L"].reshape(readings, readings), kept["R"].reshape(readings, readings)
sigma, before = kept["reading_sigma"][:, None], kept["before"][:, None]

# ---- P = B^T B, a row of B for each face of wet cells and each cell; B^T z / P has the covariance 1 / P ----
with open(source + "/data/tohoku/japan_6min.asc") as file:
    lines = [line.split() for line in file]
wet = numpy.array([line for line in lines if not line[0][0].isalpha()], float)[::-1] <= -10
i, j = (numpy.rint(10 * (kept[name] - first)).astype(int) for name, first in (("east", 135), ("north", 25)))
number = numpy.full(wet.shape, -1)
number[j, i] = numpy.arange(cells)
faces = []  # cell, its neighbour or -1, weight
for east, north in ((1, 0), (-1, 0), (0, 1), (0, -1)):
    there = wet[j + north, i + east]
    other = number[j + north, i + east]
    weight = 1 / numpy.cos(numpy.radians(25 + 0.1 * j)) if east else numpy.cos(numpy.radians(25 + 0.1 * j + 0.05 * north))
    faces += [(c, other[c], weight[c]) for c in numpy.flatnonzero(there & (other < numpy.arange(cells)))]
area = (6371e3 * numpy.radians(0.1)) ** 2 * numpy.cos(numpy.radians(kept["north"]))
B = scipy.sparse.lil_matrix((len(faces) + cells, cells))
for row, (cell, other, weight) in enumerate(faces):
    B[row, cell] = numpy.sqrt(H1 * weight)
    if other >= 0:
        B[row, other] = -numpy.sqrt(H1 * weight)
B[numpy.arange(len(faces), len(faces) + cells), numpy.arange(cells)] = numpy.sqrt(TIKHONOV * kept["a"] * area)
B = B.tocsc()
random = numpy.random.default_rng(11)
truth = scipy.sparse.linalg.spsolve((B.T @ B).tocsc(), B.T @ random.standard_normal((B.shape[0], TWINS)))
heights = G @ truth
d = heights + sigma * random.standard_normal(heights.shape)

# ---- what -online makes of them ----
problems = []


def covers(what, error, deviation):
    part, narrow = (numpy.mean(numpy.abs(error) <= 1.959964 * width * deviation) for width in (1, 0.8))
    if not 0.92 <= part <= 0.98 or narrow >= 0.92:
        problems.append("%s: %.4f covered, by bands of 0.8 of the width %.4f, which must be seen" % (what, part, narrow))


for count in (readings, numpy.searchsorted(kept["reading_time"], 3600 - 72)):
    y = numpy.linalg.solve(L[:count, :count], d[:count])
    error = X[:count].T @ y - truth
    when = " after %d readings" % count
    covers("cells" + when, error, numpy.sqrt(before - numpy.sum(X[:count] ** 2, axis=0)[:, None]))
    volumes = X[:count] @ area
    whole = area @ scipy.sparse.linalg.spsolve((B.T @ B).tocsc(), area)
    covers("volume" + when, area @ error, numpy.sqrt(whole - volumes @ volumes))
left_out = R @ numpy.linalg.solve(L @ L.T, d)
for gauge in range(4):
    own = kept["reading_gauge"] == gauge
    covers("gauge %d left out" % (gauge + 1), left_out[own], numpy.sqrt(numpy.diag(R)[own])[:, None])
if problems:
    sys.exit("claim fails: twins of the exact posterior: " + "; ".join(problems))
