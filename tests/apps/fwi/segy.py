# SPDX-License-Identifier: BSD-2-Clause
"""Claim: python/examples/segy_shots.py makes of a SEG-Y file, which segyio has written, shots that fwi reads: places and times to the digits
of the headers, traces to float32, without dead ones; and what fwi makes of them is what it makes of the readings themselves.
usage: segy.py SOURCE fwi, in a directory of its own; silent if the claim holds"""
import re
import subprocess
import sys

import h5py
import numpy

try:
    import segyio
except ImportError:
    print("skipped: no segyio; Debian has it as python3-segyio, PyPI as segyio")
    sys.exit()
source, fwi = sys.argv[1:3]
SMALL = "-nx 60 -ny 40 -frequencies 3 -iterations 2 -digest -output out -wavelet pulse.csv -dt 0.005 -steps 460".split()
SHOTS, RECEIVERS, ORIGIN = 4, 20, (500000.0, 6000000.0)


def fail(claim, said=""):
    sys.exit("claim fails: %s%s" % (claim, "; it said:\n" + said if said else ""))


def run(words):
    ran = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode:
        fail("'%s' ends with 0" % " ".join(words), ran.stdout)
    return ran.stdout


def J_of(more):
    said = run([source + "/scripts/mpirun", "-n", "2", fwi] + SMALL + more)
    return float.fromhex(re.search(r"^J (\S+)", said, re.M).group(1))


def write_segy(path, shots):
    """Traces of all shots, in turns, and a dead one of each; on a line to the north-east, in centimetres."""
    time = shots[0]["time"]
    spec = segyio.spec()
    spec.format, spec.samples, spec.tracecount = 5, 1000 * time, SHOTS * (RECEIVERS + 1)
    with segyio.create(path, spec) as f:
        f.bin.update({segyio.BinField.Interval: round(1e6 * (time[1] - time[0])), segyio.BinField.Samples: len(time)})
        for n in range(spec.tracecount):
            shot, k = shots[n % SHOTS], n // SHOTS
            dead = k == RECEIVERS
            place = lambda along: [round(100 * (axis + along / 2**0.5)) for axis in ORIGIN]
            (sx, sy), (gx, gy) = place(shot["shot"]), place(0 if dead else shot["x"][k])
            field = segyio.TraceField
            f.header[n] = {
                field.TraceIdentificationCode: 2 if dead else 1, field.SourceGroupScalar: -100, field.ElevationScalar: -10,
                field.SourceX: sx, field.SourceY: sy, field.GroupX: gx, field.GroupY: gy,
                field.SourceDepth: 300, field.ReceiverGroupElevation: -300,
                field.DelayRecordingTime: round(1000 * time[0]), field.TRACE_SAMPLE_INTERVAL: round(1e6 * (time[1] - time[0])),
                field.TRACE_SAMPLE_COUNT: len(time),
            }  # fmt: skip
            f.trace[n] = numpy.full(len(time), 7, "f4") if dead else shot["p"][:, k].astype("f4")


with open("pulse.csv", "w") as file:
    file.write("time [s],wavelet [1]\n" + "".join("%g,%g\n" % (0.01 * n, numpy.sin(0.1 * n) ** 3) for n in range(32)))
expected = J_of(["-shots", str(SHOTS), "-receivers", str(RECEIVERS), "-save_observations", "twin-%d.h5"])
twin = []
for e in range(SHOTS):
    with h5py.File("twin-%d.h5" % e) as file:
        twin.append({name: file[name][()] for name in ("time", "x", "y", "p")})
        twin[e]["shot"] = 150 + 4200 * e / (SHOTS - 1)
write_segy("survey.sgy", twin)
there = [axis + 1 for axis in ORIGIN]
said = run([sys.executable, source + "/python/examples/segy_shots.py", "survey.sgy", "shots", "--line", "%f,%f,%f,%f" % (*ORIGIN, *there)])
if "%d shots, %d traces of 460 readings, 0.005 s apart; %d dead" % (SHOTS, SHOTS * RECEIVERS, SHOTS) not in said:
    fail("it says how many shots and traces there are", said)
for e, shot in enumerate(twin):
    with h5py.File("shots/shot-%d.h5" % e) as file:
        if file["p"].dtype != "f4" or not (file["p"][()] == shot["p"].astype("f4")).all():
            fail("traces of shot %d are those of the file" % e)
        apart = [abs(file[name][()] - shot[name]).max() for name in ("time", "x", "y")]
    if apart[0] > 1e-6 or max(apart[1:]) > 0.01:
        fail("times and places of shot %d are those of the headers: off by %s" % (e, apart))
found = J_of(["-shots_table", "shots/survey.csv", "-observations", "shots/shot-%d.h5"])
if not abs(found - expected) < 0.02 * expected:
    fail("fwi makes of the converted shots what it makes of the readings: J %g, %g" % (found, expected))
