# SPDX-License-Identifier: BSD-2-Clause
# Claim: a run leaves results that h5py reads, a picture and a run.json whose figures agree with them, and which, as the exit status
# does, tells how an inversion ended; run.json is gone while a run has not come to its end.
# usage: outputs.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS
import json
import math
import os
import signal
import struct
import subprocess
import sys
import time

from many_starts import end, require

import h5py
import numpy

source, programs = sys.argv[1:3]
NX, NY = 20, 18


def command(ranks, program, arguments):
    grid = ["-nx", str(NX), "-ny", str(NY)]
    return [source + "/scripts/mpirun", "-n", str(ranks), "%s/%s" % (programs, program)] + grid + arguments


def run(ranks, program, arguments):
    done = subprocess.run(command(ranks, program, arguments), stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("claim fails: %s runs: exit status %d" % (program, done.returncode))
    return done.stdout


def look(program, output, names):
    """What both programs leave; returns the report and the open results."""
    found = sorted(os.listdir(output))
    expected = sorted([program, program + ".h5", program + ".png", program + ".pvd", "run.json"])
    require(found == expected, output + " holds what it must and nothing else", found)
    picture = open("%s/%s.png" % (output, program), "rb").read()
    require(picture[:8] == b"\x89PNG\r\n\x1a\n" and picture[-8:-4] == b"IEND", "the picture is a whole PNG")
    width, height = struct.unpack(">II", picture[16:24])
    require(width > 400 and height > 200, "the picture has a size to look at", width, height)
    results = h5py.File("%s/%s.h5" % (output, program), "r")
    for name in names:
        require(name in results, name + " is in the results")
        require(results[name].shape[-2:] == (NY, NX), name + " has the shape of the grid", results[name].shape)
        require(bool(numpy.isfinite(results[name][()]).all()), name + " is finite")
    require(results["u"].attrs["units"] in (b"K", "K"), "u is in K", results["u"].attrs["units"])
    report = json.load(open(output + "/run.json"))
    require(report["program"] == program and report["ranks"] == 4, "run.json names program and ranks", report["program"], report["ranks"])
    require(report["options"]["nx"] == str(NX), "run.json holds the options", report["options"])
    require(report["mesh"]["nx"] == NX and report["mesh"]["px"] * report["mesh"]["py"] == 4, "run.json holds the mesh", report["mesh"])
    require(0 < report["seconds"] < 3600, "seconds", report["seconds"])
    require(1 << 20 < report["peak_bytes"] < 1 << 33, "peak_bytes", report["peak_bytes"])
    require({"halograd", "petsc", "mpi", "hdf5"} <= set(report["versions"]), "versions", report["versions"])
    return report, results


def check_gradient(report):
    d = report["digest"]
    require(math.isfinite(float.fromhex(d["J"])) and len(d["gradient"]) == len(d["state"]) == 16, "digest", d)
    require(1 <= report["recompute_factor"] < 10, "recompute_factor", report["recompute_factor"])
    require(0 < report["gradient_over_forward"] < math.inf, "gradient_over_forward", report["gradient_over_forward"])
    plan = report["plan"]
    require(plan["recompute_factor"] == report["recompute_factor"], "the recompute factor was predicted", plan, report["recompute_factor"])
    require([plan["memory_bytes"], plan["file_bytes"]] == list(report["checkpoint_bytes"].values()), "the bytes were predicted", plan)
    require(plan["policy"] in ("store-all", "store-start", "revolve", "multistage"), "policy", plan)
    require(0 < sum(report["checkpoint_bytes"].values()) < 1 << 26, "checkpoint_bytes", report["checkpoint_bytes"])


# heat_forward: its observations are what its state shows
run(4, "heat_forward", ["-digest", "-noise", "0", "-frames", "5", "-output", "forward", "-observations", "sensors.h5"])
report, results = look("heat_forward", "forward", ["u", "kappa"])
check_gradient(report)
require(5 <= results["u"].shape[0] <= 8 and not results["u"][0].any(), "u starts at 0 and has some 5 frames", results["u"].shape)
require(results["time"][0] == 0 and (numpy.diff(results["time"][()]) > 0).all(), "times increase", results["time"][()])
with h5py.File("sensors.h5", "r") as sensors:
    values = sensors["u"][()]
    require(values.shape == (len(sensors["time"]), len(sensors["x"])), "observations have times x sensors", values.shape)
    top = results["u"][()].max()
    require(0.5 * top < values.max() <= top, "the warmest sensor is near the warmest cell", values.max(), top)
    square = 0.5 * float(((values / sensors["u_sigma"][()]) ** 2).sum())
# J of heat_forward is half the sum of squares with sigma 1; sensors.h5 has sigma = the largest value
require(abs(report["J"] / (0.5 * float((values**2).sum())) - 1) < 1e-12, "J is that of the sensors", report["J"], square)
# heat_inverse
said = run(4, "heat_inverse", ["-iterations", "5", "-output", "inverse", "-store", "hdf5", "-slots", "20"])
report, results = look("heat_inverse", "inverse", ["u", "kappa", "kappa_truth"])
check_gradient(report)
kappa, truth = results["kappa"][()], results["kappa_truth"][()]
error = float(numpy.linalg.norm(kappa - truth) / numpy.linalg.norm(truth))
start = float(numpy.linalg.norm(1 - truth) / numpy.linalg.norm(truth))
require(abs(report["error_end"] / error - 1) < 1e-12, "error_end is that of the results", report["error_end"], error)
require(abs(report["error_start"] / start - 1) < 1e-12, "error_start is that of kappa = 1", report["error_start"], start)
require(error < start, "the error falls", start, error)
require(report["misfit_ratio"] > 0 and report["evaluations"] >= report["iterations"] > 0, "misfit_ratio, evaluations", report["misfit_ratio"])
history = report["history"]["J"]
require(len(history) == report["iterations"] + 1 and all(a > b for a, b in zip(history, history[1:])), "J falls", history)
require("%.4f" % report["misfit_ratio"] in said, "what is printed is what is reported")
# How an inversion ended, which a script can test; what it found is whole in any case.
with h5py.File("blind.h5", "w", libver="v110") as blind:  # read before anything depends on kappa
    for name, value, unit in (("x", [0.5], "m"), ("y", [0.5], "m"), ("time", [0.0], "s"), ("u", [[3.0]], "K"), ("u_sigma", 1.0, "K")):
        blind[name] = value
        blind[name].attrs["units"] = numpy.bytes_(unit)
    blind.attrs["observed"] = numpy.bytes_("u")
BUDGETS = ["-checkpoint_memory", "102400", "-checkpoint_disk", "70000"]
for ranks, status, ended, arguments in (
    (1, 0, "converged", ["-tolerance", "0.1"] + BUDGETS),
    (1, 0, "limit reached", ["-iterations", "0"]),
    (1, 2, "failed", ["-tao_ls_max_funcs", "1"]),
    (4, 2, "failed", ["-tao_ls_max_funcs", "2", "-tao_type", "bncg"]),
    (4, 3, "nothing to do", ["-observations", "blind.h5"]),
    (1, 3, "nothing to do", ["-observations", "blind.h5", "-iterations", "0"]),
):
    done = subprocess.run(command(ranks, "heat_inverse", arguments + ["-output", "ended"]), capture_output=True, text=True)
    require(done.returncode == status, "%s ends with %d" % (arguments, status), done.returncode, done.stderr)
    report = json.load(open("ended/run.json"))
    require([report["ended"], report["status"], report["converged"]] == [ended, status, ended == "converged"], "run.json", arguments, report)
    if BUDGETS[0] in arguments:
        bytes_used = report["checkpoint_bytes"]
        require(0 < bytes_used["memory"] <= 102400 and 0 < bytes_used["files"] <= 70000, "checkpoints stay within their budgets", bytes_used)
    told = {0: "", 2: "heat_inverse: the inversion failed: ", 3: "nothing to do: J does not depend on the controls"}[status]
    require(done.stderr.count(told) == 1 if told else not done.stderr, "the ending is told once", arguments, done.stderr)
    require(status != 3 or "with -envelope, a first guess whose waves reach a sensor" in done.stderr, "what to do", done.stderr)
    with h5py.File("ended/heat_inverse.h5", "r") as results:
        require(bool(numpy.isfinite(results["kappa"][()]).all()), "the results are whole", arguments)
# A killed run leaves no run.json, although an earlier one left its own.
long = subprocess.Popen(command(1, "heat_forward", ["-steps", "100000000", "-output", "forward"]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for _ in range(600):
    if not os.path.exists("forward/run.json"):
        break
    time.sleep(0.1)
time.sleep(1)
require(long.poll() is None, "the long run is running")
second = subprocess.run(command(1, "heat_forward", ["-output", "forward"]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
require(second.returncode == 1 and "directory 'forward': another run is using it" in second.stderr, "a second run is refused", second)
require(long.poll() is None and not os.path.exists("forward/run.json"), "the first run goes on")
long.send_signal(signal.SIGTERM)
long.wait()
require(not os.path.exists("forward/run.json"), "a killed run leaves no run.json")
with h5py.File("forward/heat_forward.h5", "r") as before:
    require(before["u"].shape[0] <= 8, "a killed run leaves the results of the one before", before["u"].shape)
# What cannot be printed, or opened, is told.
bare = command(1, "heat_forward", [])[3:]
lost = subprocess.run(bare + ["-output", "lost"], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE, text=True)
require(lost.returncode == 1 and "could not all be written to the standard output" in lost.stderr, "lost output is told", lost)
closed = subprocess.run(["sh", "-c", 'exec "$@" <&- >&-', "sh"] + bare + ["-output", "lost"], stderr=subprocess.PIPE, text=True)
require(closed.returncode == 1 and "could not all be written to the standard output" in closed.stderr, "closed output is told", closed)
few = command(2, "heat_forward", [])[:3] + ["bash", "-c", 'ulimit -n 18; exec "$@"', "bash"] + bare + ["-output", "few"]
few = subprocess.run(few, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
require(few.returncode == 1 and "may open 18 files, expected at least 64" in few.stderr, "too few descriptors are told", few)
uneven = command(1, "heat_forward", [])[:3] + bare + [":", "-n", "1", "env", "OMP_NUM_THREADS=x"] + bare
uneven = subprocess.run(uneven, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
require(uneven.returncode and uneven.stderr.count("OMP_NUM_THREADS: 'x', expected 1 to 1024") == 1, "a rank's own environment is told", uneven)
end("outputs")
