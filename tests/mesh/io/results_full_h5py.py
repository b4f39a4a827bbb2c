# SPDX-License-Identifier: BSD-2-Clause
# Claim: what results_full.c kept when there was no more room is whole: in HDF5, in .pvd and in .vti files the same times.
# usage: results_full_h5py.py DIRECTORY
import os
import re
import sys

import h5py
import numpy

directory = sys.argv[1]
problems = []
for name, least in ("full", 10), ("again", 1):
    with h5py.File("%s/%s.h5" % (directory, name), "r") as results:
        u, times = results["u"][:], list(results["time"][:])
    if len(times) < least or u.shape != (len(times), 96, 96):
        problems.append("%s: times %s, u of shape %s" % (name, times, u.shape))
    size = os.path.getsize("%s/%s.h5" % (directory, name))
    if size > u.nbytes + 20000:
        problems.append("%s: %d bytes for %d of u" % (name, size, u.nbytes))
    if name == "full" and not numpy.all(u == numpy.arange(len(times))[:, None, None]):
        problems.append("%s: u is not what was written" % name)
    listed = re.findall(r'timestep="(.*?)".*file="(.*?)"', open("%s/%s.pvd" % (directory, name)).read())
    if [float(time) for time, _ in listed] != times:
        problems.append("%s.pvd lists %s, expected %s" % (name, listed, times))
    if sorted(os.listdir("%s/%s" % (directory, name))) != sorted(os.path.basename(file) for _, file in listed):
        problems.append("%s.pvd lists %s of %s" % (name, listed, os.listdir("%s/%s" % (directory, name))))
if problems:
    sys.exit("claim fails: results_full: " + "; ".join(problems))
