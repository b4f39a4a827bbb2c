# SPDX-License-Identifier: BSD-2-Clause
# Claim: the checkpoint files of a run that was killed are removed by the next run in its output directory, those of a run that lives are
# not, nor files of others.
# usage: store_killed.py SOURCE_DIRECTORY heat_inverse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

source, heat = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require
SHORT = ["-nx", "12", "-ny", "12", "-iterations", "1", "-slots", "6", "-digest"]
LONG = ["-nx", "12", "-ny", "12", "-iterations", "1000000", "-tolerance", "0", "-slots", "6", "-steps", "2000"]


def start(ranks, arguments, output="out"):
    launch = [source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []
    return subprocess.Popen(launch + [heat] + arguments + ["-output", output], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True)


def folders():
    return set(glob.glob("out/slots-*"))


def wait_for_files(before, files):
    """A new folder that holds `files` images."""
    for _ in range(600):
        for folder in folders() - before:
            if len(glob.glob(folder + "/slot-*")) >= files:
                return folder
        time.sleep(0.1)
    sys.exit("claim fails: a run with -store hdf5 keeps its slots in files: %s" % folders())


def kill_all(process):
    """SIGKILL for mpirun and its ranks, which have process groups of their own."""
    ranks = [int(pid) for pid in re.findall(r"\d+", subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], stdout=subprocess.PIPE,
                                                                       text=True).stdout)]
    for pid in [process.pid] + ranks:
        os.kill(pid, signal.SIGKILL)
    process.wait()
    for pid in ranks:
        while os.path.exists("/proc/%d" % pid) and " Z " not in open("/proc/%d/stat" % pid).read():
            time.sleep(0.05)


def finish(process):
    said, wrong = process.communicate()
    require(process.returncode == 0 and not wrong, "a run ends well", process.returncode, wrong)
    return re.findall(r"^J .*$", said, re.M)


shutil.rmtree("out", ignore_errors=True)
for ranks in (1, 4):
    for store in ("hdf5", "memory"):
        killed = start(ranks, LONG + ["-store", "hdf5"])
        left = wait_for_files(set(), 6 * ranks)
        kill_all(killed)
        require(os.path.exists(left), "SIGKILL leaves the files")
        finish(start(ranks, SHORT + ["-store", store]))
        require(not folders() and not glob.glob("out/.new-slots-*"), "%d ranks, -store %s: the next run removes them" % (ranks, store), folders())
def start_beside(ranks, arguments):
    """A run in the folder of another one, which keeps it out unless somebody removes what it has locked."""
    os.unlink("out/.lock")
    return start(ranks, arguments)


# A run that lives keeps its files, whoever comes and goes beside it; it ends with the bits of a run alone.
expected = finish(start(4, SHORT + ["-store", "hdf5"]))
living = start(4, LONG + ["-store", "hdf5"])
own = wait_for_files(set(), 24)
os.makedirs("out/slots-7")  # somebody's, without a lock
open("out/slots-7/slot-0-rank-0.h5", "w").close()
killed = start_beside(1, LONG + ["-store", "hdf5"])
left = wait_for_files({own, "out/slots-7"}, 6)
kill_all(killed)
open(left + "/notes.txt", "w").close()  # somebody put it there
beside = finish(start_beside(2, SHORT + ["-store", "hdf5"]))
require(beside == expected and len(expected) == 1, "a run beside another has its own bits", beside, expected)
require(living.poll() is None and len(glob.glob(own + "/slot-*")) == 24, "the files of a living run stay", os.listdir(own))
require(glob.glob(left + "/*") == [left + "/notes.txt"], "a file of others stays, ours go", glob.glob(left + "/*"))
require(os.listdir("out/slots-7") == ["slot-0-rank-0.h5"], "a folder that has no lock stays", os.listdir("out/slots-7"))
kill_all(living)
end("store_killed")
