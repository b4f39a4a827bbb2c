# SPDX-License-Identifier: BSD-2-Clause
# Claim: where the file system has no locks, whatever it says instead, a run reads, writes, records, keeps checkpoints in files and goes on from them as
# elsewhere, and says once that nothing keeps a second run away; a file that another program has locked is said to be so, not damaged.
# usage: no_locks.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS LIBRARY
import fcntl
import os
import shutil
import subprocess
import sys

source, programs, library = sys.argv[1:4]
GRID = ["-nx", "16", "-ny", "12"]
problems = []


def run(ranks, program, arguments, why=None):
    launch = [source + "/scripts/mpirun", "-n", str(ranks)]
    if why:
        launch += ["env", "LD_PRELOAD=" + library, "FLOCK_ERRNO=%d" % why]
    done = subprocess.run(launch + ["%s/%s" % (programs, program)] + GRID + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


for folder in ("out", "rec", "forward"):
    shutil.rmtree(folder, ignore_errors=True)
status, _, said = run(1, "heat_forward", ["-output", "forward", "-observations", "sensors.h5"])
if status:
    sys.exit("claim fails: heat_forward runs: " + said)
EVERYTHING = ["-observations", "sensors.h5", "-iterations", "1", "-store", "hdf5", "-slots", "10", "-output", "out", "-record", "rec", "-resume"]
for why, found in ((37, 0), (95, 2), (524, 2)):  # ENOLCK, EOPNOTSUPP, ENOTSUPP
    status, printed, said = run(2, "heat_inverse", EVERYTHING, why)
    if status or "resume: %d evaluations found" % found not in printed or printed.count("locks: there are none where 'out/.lock' is (errno %d)" % why) != 1:
        problems.append("with errno %d: status %d, it printed %s and said %s" % (why, status, printed[-500:], said[-500:]))
    if said.count("halograd:"):
        problems.append("with errno %d it said %s" % (why, said))
with open("sensors.h5", "rb") as other:
    fcntl.flock(other, fcntl.LOCK_EX)
    status, _, said = run(2, "heat_inverse", ["-observations", "sensors.h5", "-iterations", "0", "-output", "out"])
if not status or "file 'sensors.h5': another program is writing it" not in said or "HDF5_USE_FILE_LOCKING=FALSE" not in said:
    problems.append("a locked file: status %d, it said %s" % (status, said))
if problems:
    sys.exit("claim fails: no locks: " + "; ".join(problems))
