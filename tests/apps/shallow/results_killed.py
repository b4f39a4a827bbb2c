# SPDX-License-Identifier: BSD-2-Clause
# Claim: the results of a run that is killed (kill -9 of a rank, SIGTERM) can be read up to the last time, by h5py and as .pvd lists them;
# a second run into the same results is refused, and the first one's are as if it had never been.
# usage: results_killed.py SOURCE_DIRECTORY shallow_water
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, problems, require
LONG = ["-nx", "48", "-ny", "24", "-steps", "1000000", "-interval", "10000", "-frames", "off"]


def start(ranks, output, arguments):
    return subprocess.Popen([source + "/scripts/mpirun", "-n", str(ranks), program, "-output", output] + arguments, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def wait_for(output, times, job):
    for _ in range(2000):
        if len(glob.glob(output + "/shallow_water/*.vti")) > times:
            return
        time.sleep(0.1)
    job.terminate()
    sys.exit("claim fails: results_killed: no results after 200 s")


def listed(output):
    return re.findall(r'timestep="(.*?)".*file="(.*?)"', open(output + "/shallow_water.pvd").read())


def require_readable(output, case):
    pvd = listed(output)
    require(len(pvd) >= 4, case + ": .pvd lists the times", pvd)
    for _, file in pvd:
        require(open(output + "/" + file, "rb").read().endswith(b"</VTKFile>\n"), case + ": whole", file)
    with h5py.File(output + "/shallow_water.h5.part", "r") as results:
        times = results["time"][:]
        require(0 <= len(pvd) - len(times) <= 1, case + ": HDF5 has the times too", len(pvd), len(times))
        for name in "huv":
            require(results[name].shape == (len(times), 24, 48) and numpy.all(numpy.isfinite(results[name][:])), case + ": numbers", name)
        require(numpy.all(results["h"][:] > 50), case + ": the thickness is one")
    require([float(t) for t, _ in pvd][: len(times)] == list(times), case + ": the same times")


def ranks_of(job):
    return [int(pid) for pid in subprocess.run(["ps", "-o", "pid=", "--ppid", str(job.pid)], stdout=subprocess.PIPE, text=True).stdout.split()]


def wait_for_end(job, ranks):
    job.communicate()
    for pid in ranks:
        try:
            while " Z " not in open("/proc/%d/stat" % pid).read():
                time.sleep(0.05)
        except (FileNotFoundError, ProcessLookupError):
            pass


for case, ranks in ("kill", 4), ("kill", 1), ("term", 4):
    output = "%s_%d" % (case, ranks)
    shutil.rmtree(output, ignore_errors=True)
    job = start(ranks, output, LONG)
    wait_for(output, 12, job)
    pids = ranks_of(job)
    if case == "kill":
        os.kill(pids[-1], signal.SIGKILL)
    else:
        job.send_signal(signal.SIGTERM)
    wait_for_end(job, pids)
    require(job.returncode != 0, output + ": the job ends", job.returncode)
    require_readable(output, output)
    again = start(2, output, LONG[:4] + ["-steps", "20", "-interval", "4000"])
    said = again.communicate()
    require(again.returncode == 0, output + ": the next run is well", said)
    require(not os.path.exists(output + "/shallow_water.h5.part"), output + ": and leaves no other file")

shutil.rmtree("two", ignore_errors=True)
first = start(2, "two", LONG)
wait_for("two", 2, first)
for _ in range(50):  # who looks on may find a time half written, but is not kept out
    try:
        with h5py.File("two/shallow_water.h5.part", "r") as results:
            require(results["time"].shape[0] > 0, "results of a run that lives")
        break
    except (OSError, KeyError) as error:
        seen = str(error)
        time.sleep(0.2)
else:
    problems.append("results of a run that lives can be read: " + seen)
second = start(2, "two", ["-nx", "40", "-ny", "20", "-steps", "20"])
said = second.communicate()[1]
require(first.poll() is None, "the first run still lives")
require(second.returncode != 0 and "another run is using it" in said, "a second run is refused", second.returncode, said)
wait_for("two", len(listed("two")) + 2, first)
pids = ranks_of(first)
os.kill(pids[-1], signal.SIGKILL)
wait_for_end(first, pids)
require_readable("two", "two")
end("results_killed")
