# SPDX-License-Identifier: BSD-2-Clause
# Claim: ten model days of the published case, 43301 steps, stay finite and bounded (thickness 80 to 120 m, velocities below 30 m/s) while
# the jet turns unstable, and no water is lost.
# usage: shallow_long.py SOURCE PROGRAM, in an empty directory
import json
import subprocess
import sys

import h5py
import numpy

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require
DAY = 86400


launch = [source + "/scripts/mpirun", "-n", "1", program, "-interval", str(DAY), "-frames", "off", "-output", "out"]
done = subprocess.run(launch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
if done.returncode:
    sys.exit("claim fails: ten days run: exit status %d: %s" % (done.returncode, done.stdout))
report = json.load(open("out/run.json"))
require(report["options"]["steps"] == "43301" or "43300 steps after the first" in done.stdout, "43301 steps", done.stdout)
with h5py.File("out/shallow_water.h5", "r") as results:
    time, h, u, v = (results[name][()] for name in ("time", "h", "u", "v"))
require(len(time) == 11 and time[-1] >= 10 * DAY, "a result a day", time)
for name, values, low, high in (("h", h, 80, 120), ("u", u, -30, 30), ("v", v, -30, 30)):
    require(bool(numpy.isfinite(values).all()), name + " is finite")
    require(low < values.min() and values.max() < high, "%s is within %g and %g" % (name, low, high), values.min(), values.max())
require(v[0].max() == 0 and v[-1].max() > 3, "the jet turns unstable: v of the first and the last day", v[0].max(), v[-1].max())
mean = [day.mean(dtype=numpy.longdouble) for day in h]
require(max(abs(m / mean[0] - 1) for m in mean) < 1e-13, "no water is lost", mean)
require(abs(report["mean_h"] / 99.99959649446 - 1) < 1e-12, "the mean thickness is the published one", report["mean_h"])
end("ten days")
