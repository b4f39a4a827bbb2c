# SPDX-License-Identifier: BSD-2-Clause
# Claim: what one of four groups of ranks finds wrong is said at once, in one sentence, and ends every rank with a status that is not 0,
# whatever the other groups are at; what all groups find wrong is said once, too.
# usage: groups_errors.py SOURCE_DIRECTORY test_adjoint_learning_groups_planted, in a directory of its own
import glob
import os
import re
import shutil
import subprocess
import sys
import time

source, planted = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # what ends by an error frees nothing
os.environ["OMPI_MCA_odls_base_sigkill_timeout"] = "2"  # sanitizers are slow to end, and a killed rank writes no status
os.environ["STATUS"] = os.path.abspath("status")

# Every rank tells its own exit status and waits for the others: mpirun ends them at the first that is not 0.
EACH = """trap : TERM
"$@" &
while kill -0 $! 2>/dev/null; do wait $!; code=$?; done
echo $code >"$STATUS.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
waited=0
while [ "$(ls "$STATUS".* | wc -l)" -lt "${OMPI_COMM_WORLD_SIZE:-$PMI_SIZE}" ] && [ $waited -lt 30 ]; do
  sleep 0.1
  waited=$((waited + 1))
done
exit $code"""


def fails(what, sentence, most):
    for old in glob.glob("status.*"):
        os.remove(old)
    shutil.rmtree("evaluations", ignore_errors=True)
    began = time.monotonic()
    job = subprocess.Popen([source + "/scripts/mpirun", "-n", "4", "sh", "-c", EACH, "sh", planted, "-what", what],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said, first = "", None
    for line in job.stderr:
        said += line
        if line.startswith("halograd: ") and first is None:
            first = time.monotonic() - began
    code, seconds = job.wait(), time.monotonic() - began
    told = re.findall(r"^halograd: .*$", said, re.M)
    require(len(told) == 1 and re.search(sentence, told[0]), "%s: one sentence, '%s'" % (what, sentence), told, said)
    require(code != 0, what + ": the job fails", code)
    require(first is not None and first < most and seconds < most + 8, "%s: said at once, and ended" % what, first, seconds)
    for rank in range(4):
        status = open("status.%d" % rank).read().strip() if os.path.exists("status.%d" % rank) else "none"
        require(status not in ("none", "0"), "%s: rank %d ends with an error" % (what, rank), status)


fails("experiment", "planted: experiment of group 2 fails", 12)
fails("between", "planted: group 2 fails", 12)
fails("all", "planted: group 0 fails", 12)
fails("late", "planted: group 0 fails", 12)
fails("journal", "journal: another run is using 'evaluations'", 12)
end("errors of groups")
