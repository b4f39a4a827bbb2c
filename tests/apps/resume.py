# SPDX-License-Identifier: BSD-2-Clause
# Claim: an inversion that is killed (SIGKILL, KILLS times at random moments, on changing numbers of ranks) goes on with -resume, loses at
# most one evaluation each time, and ends with the bits of one that was never killed; other options, damage and company are noticed.
# usage: resume.py SOURCE_DIRECTORY heat_inverse KILLS
import os
import random
import re
import shutil
import subprocess
import sys
import time

from many_starts import end, require
import kills

source, heat, kills_wanted = sys.argv[1:4]
ARGUMENTS = ["-nx", "28", "-ny", "26", "-iterations", "14", "-slots", "20", "-digest", "-output", "out"]
KILLS, SEED = int(kills_wanted), 7
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # what ends by an error frees nothing


def start(ranks, more, arguments=ARGUMENTS):
    return kills.start(source, ranks, [heat] + arguments + more)


def digest(process):
    said, wrong = process.communicate()
    found = re.findall(r"^J .*$", said, re.M)
    require(process.returncode == 0 and not wrong and len(found) == 1, "a run ends well", process.returncode, wrong)
    return found, said


def kept():
    """Evaluations whose text is there: they count as whole."""
    k = 0
    while os.path.exists("out/evaluations/evaluation-%d.txt" % k):
        k += 1
    return k


def refused(words, ranks, more):
    command = [source + "/tests/expect_refusal", "-t", "60", "^halograd: .*(%s)" % words]
    command += ([source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []) + [heat] + ARGUMENTS + more
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    require(told.returncode == 0, told.stdout)


def looks(verb, status, says):
    """The program halograd on one and on two ranks."""
    for ranks in 1, 2:
        run = subprocess.run([source + "/scripts/mpirun", "-n", str(ranks), os.path.dirname(heat) + "/halograd", verb, "out/evaluations"],
                             capture_output=True, text=True)
        told = run.stdout + run.stderr
        require(bool(run.returncode) == bool(status) and re.search(says, told, re.M), verb + " of evaluations", run.returncode, told[-500:])


draw = random.Random(SEED)
shutil.rmtree("out", ignore_errors=True)
expected, _ = digest(start(4, []))
require(not os.path.exists("out/evaluations"), "without -resume nothing is kept")
killed = ends = most = 0
while killed < KILLS and ends < 4 * KILLS:
    before = kept()
    run = start(draw.choice((1, 2, 3, 4)), ["-resume"])
    until = before + draw.randint(0, 4)  # by what it has done, as time says little on a busy machine
    while kept() < until and run.poll() is None:
        time.sleep(0.002)
    try:
        run.wait(draw.uniform(0, 0.3))
    except subprocess.TimeoutExpired:
        kills.kill(run, draw)
        killed += 1
        require(kept() >= before, "what is kept stays", before, kept())
        most = max(most, kept())
        if kept() > 14 and killed < KILLS:  # all of them: who goes on from there has nothing more to lose
            shutil.rmtree("out/evaluations")
        continue
    ends += 1  # it was through before its time had come: from the beginning
    require(digest(run)[0] == expected, "killed %d times: the same bits" % killed, expected)
    shutil.rmtree("out/evaluations")
require(killed == KILLS, "so many kills come in time", killed, ends)
before = kept()
last, said = digest(start(4, ["-resume"]))
require(last == expected, "killed %d times: the same bits" % killed, last, expected)
require("resume: %d evaluations found" % before in said and "damaged" not in said, "no kill leaves damage", before, said[:200])
require(most >= 3, "some kills were late enough to count", most)
require(digest(start(2, ["-resume", "-resume_compare", "0"]))[0] == expected, "nothing computed again: the same bits")
# Another form of the same: all evaluations are there, one more iteration is wanted.
more = [a if a != "14" else "15" for a in ARGUMENTS]
grown, said = digest(start(2, ["-resume"], more))
alone, _ = digest(start(2, [], more))
require(grown == alone and "resume: %d evaluations" % kept() not in said, "an inversion that has ended can go on", grown, alone)
total = kept()
# What is not of this run, or not whole.
ANOTHER = "are of another J: expected the options, data and precision of the run that was killed"
subprocess.run([heat.replace("heat_inverse", "heat_forward"), "-nx", "28", "-ny", "26", "-observations", "other.h5", "-output", "other"], check=True,
               stdout=subprocess.DEVNULL)
for compared, other in ((0, ["-h1", "31"]), (1, ["-h1", "31"]), (2, ["-tikhonov", "1e-9"]), (0, ["-steps", "700"]), (1, ["-parametrise", "affine"]),
                        (0, ["-observations", "other.h5"]), (0, ["-ny", "27"])):
    refused(ANOTHER, 2 if compared else 1, ["-resume", "-resume_compare", str(compared)] + other)
os.remove("out/evaluations/functional.txt")  # as an older version left it: what is computed again tells
refused("gave J = .*expected the options and data of the run that was killed", 2, ["-resume", "-h1", "31"])
os.remove("out/evaluations/functional.txt")
looks("verify", 0, r"'out/evaluations': %d kept, [0-9.]+ MiB; every file is what was written$" % total)
with open("out/evaluations/evaluation-%d-rank-0.h5" % (total // 2), "r+b") as image:
    image.seek(-9, os.SEEK_END)
    byte = image.read(1)
    image.seek(-9, os.SEEK_END)
    image.write(bytes([byte[0] ^ 1]))
damaged = "evaluation-%d-rank-0.h5' is not what was written: .* XXH3" % (total // 2)
looks("verify", 1, r"^halograd: error \[file-damaged\]: .*" + damaged)
looks("list", 1, r"(?s)  evaluation-%d: evaluation, J [0-9.]+, .* MiB, damaged\n  evaluation-%d: .*" % (total // 2, total // 2 + 1) + damaged)
run = start(2, ["-resume"])
said, wrong = run.communicate()
require("resume: %d evaluations found" % (total // 2) in said and "XXH3" in wrong, "damage is noticed", said[:300], wrong)
require(re.findall(r"^J .*$", said, re.M) == expected and run.returncode == 0, "what is before the damage serves", said[-300:])
with open("out/evaluations/evaluation-2.txt", "r+") as text:
    text.write("halograd evaluation 1")
run = start(1, ["-resume"])
said, wrong = run.communicate()
require("resume: 2 evaluations found" in said and "evaluation-2.txt' is not what was written" in wrong, "damage is noticed", said[:300], wrong)
require(re.findall(r"^J .*$", said, re.M) == expected and run.returncode == 0, "what is before the damage serves", said[-300:])
shutil.rmtree("out/evaluations")
living = start(2, ["-resume"], [a if a != "14" else "1000000" for a in ARGUMENTS] + ["-tolerance", "0"])
while kept() < 2 and living.poll() is None:
    time.sleep(0.1)
refused("directory 'out': another run is using it", 2, ["-resume"])
require(living.poll() is None, "the run that was first goes on")
kills.kill(living, draw)
shutil.rmtree("out/evaluations")
open("out/evaluations", "w").close()
refused("cannot (make|write in) directory 'out/evaluations'", 2, ["-resume"])
end("resume, seed %d, %d runs came to their end" % (SEED, ends))
