# SPDX-License-Identifier: BSD-2-Clause
# Claim: after ten windows of 4D-Var the analysis is off by less than 0.3 of the free run. Under a wind that the model lacks, seeking a push as
# well leaves less than 0.7 of the error over all windows; without wind it adds less than 0.2 of it. Then derivatives are right; on 1, 4 and 6
# ranks, and killed in the middle of a window and resumed on 2, every window has the same bits; weights of another prior are refused,
# and so is the replay of a later window, whose moorings are others.
# usage: assimilate.py SOURCE PROGRAM, in an empty directory
import json
import os
import re
import shutil
import subprocess
import sys
import time

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
import kills
from many_starts import end, require

os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # what ends by an error frees nothing
SMALL = ["-nx", "26", "-ny", "24", "-moorings", "8", "-iterations", "15", "-output", "out"]


def run(ranks, *more):
    done = kills.start(source, ranks, [program, *SMALL, "-digest", *more])
    said, wrong = done.communicate()
    require(done.returncode == 0, "it ends with 0", done.returncode, said[-2000:] + wrong)
    return re.findall(r"^J 0x.*$|^window .* off by .*$", said, re.M), said


def error(*more):
    run(1, *more)
    report = json.load(open("out/run.json"))
    require(report["error"] < 0.3 * report["error_free"], "the analysis is better than the free run", report["error"], report["error_free"])
    return report["error_all"]


WIND, PUSH = ("-wind", "1"), ("-model_error", "0.3")
calm, windy = error(), error(*WIND)
idle = error(*PUSH)
require(idle < 1.2 * calm, "a push that is not there costs little", idle, calm)
SMALL += [*WIND, *PUSH]
expected, said = run(1, "-check")
require(len(expected) == 20, "ten windows", len(expected))
found = json.load(open("out/run.json"))["error_all"]
require(found < 0.7 * windy, "a push that is there is found", found, windy)
for ranks, windows, *more in ((6, 2), (4, 3, "-px", "4", "-py", "1", "-hg_fault", "count")):
    found, said = run(ranks, "-windows", str(windows), *more)
    same = [line.replace("of %d:" % windows, "of 10:") for line in found]
    require(same == expected[: 2 * windows], "the same bits on %d ranks" % ranks, same, expected[: 2 * windows])

blocks = int(re.search(r"^rank 0 .* (\d+)$", said, re.M).group(1))  # of three windows
shutil.rmtree("out")
SMALL += ["-windows", "5"]
process = kills.start(source, 4, [program, *SMALL, "-px", "4", "-py", "1", "-resume", "-hg_fault", "pause:%d" % (blocks + blocks // 6)])
until = time.time() + 120
while time.time() < until and process.poll() is None and [kills.state(rank) for rank in kills.ranks_of(process)] != ["T"] * 4:
    time.sleep(0.02)
killed = kills.kill(process)
require("window 3 of" in killed[0] and "window 4 of" not in killed[0], "it is killed within the fourth window", killed[0][-500:])
found, said = run(2, "-resume")
taken = [int(n) for n in re.findall(r"^resume: (\d+) evaluations found", said, re.M)]
require(len(taken) >= 4 and all(n > 2 for n in taken[:4]), "evaluations of four windows are found", taken)
found = [line.replace("of 5:", "of 10:") for line in found]
require(found == expected[:10], "resumed, the same bits", [pair for pair in zip(found, expected) if pair[0] != pair[1]][:2])

run(2, "-windows", "2", "-record", "rec")
run(1, "-replay", "rec/first", "-window", "0:9")
for more, says in (
    (["-replay", "rec/last", "-window", "0:9"], "replay of 'rec/last': recorded in window-2, expected a recording of window-1"),
    (["-h1", "3"], "option -h1: given to windows, whose prior is -deviation_h"),
    (["-length", "9e3"], "option -length: 9000 m, expected at least two cells, "),
    (["-model_error", "1", "-model_error_length", "5e5"], "option -model_error_length: 500000 m, expected at least two cells, "),
    (["-model_error", "0", "-model_error_kept", "0.5"], "option -model_error_kept: given without -model_error"),
):
    done = subprocess.run([program, *SMALL, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    require(done.returncode == 1 and says in done.stdout, "%s is refused" % more[-2], done.stdout[-300:])
end("windows of 4D-Var")
