# SPDX-License-Identifier: BSD-2-Clause
# Claims about fwi, by the last argument:
#   bits     the same bits on 1 rank, and on 4 ranks in 1, 2 and 4 groups; each stage brings the speed nearer to the hidden one, and the sea
#            stays as it is; the derivatives are right
#   resume   killed twice, in the first stage and in the second, and resumed in other groups: the bits of a run that was never killed
#   refusals what it cannot run is refused in one sentence, on every rank
# usage: fwi.py SOURCE_DIRECTORY fwi bits|resume|refusals, in a directory of its own; silent if the claim holds
import glob
import os
import re
import shutil
import subprocess
import sys
import time

import h5py
import numpy

source, fwi, what = sys.argv[1:4]
sys.path.insert(0, source + "/tests/apps")
import kills
SMALL = ["-nx", "60", "-ny", "40", "-shots", "4", "-receivers", "30", "-frequencies", "3,5", "-tolerance", "0", "-output", "out"]
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # what ends by an error frees nothing


def fail(claim, said=""):
    sys.exit("claim fails: %s%s" % (claim, "; it said:\n" + said if said else ""))


def run(ranks, more):
    if "-resume" not in more:
        shutil.rmtree("out", ignore_errors=True)
    process = kills.start(source, ranks, [fwi] + SMALL + ["-digest"] + more)
    said, wrong = process.communicate()
    digests = re.findall(r"^J 0x.*$", said, re.M)
    if process.returncode or len(digests) != 1:
        fail("fwi %s on %d ranks ends with 0 and a line of digests" % (" ".join(more), ranks), said + wrong)
    return digests[0], said


def bits():
    few = ["-iterations", "4"]
    expected, said = run(1, few + ["-check"])
    errors = [float(number) for pair in re.findall(r"^error ([0-9.]+) -> ([0-9.]+)", said, re.M) for number in pair]
    if len(errors) != 4 or errors[0] != errors[2] or not errors[0] > errors[1] > errors[3]:
        fail("each stage brings the speed nearer: %s" % errors, said)
    with h5py.File("out/fwi.h5") as results:
        truth, first, found = (results[name][:] for name in ("speed_truth", "speed_first", "speed"))
    sea = truth == 1500
    if not sea[-3:].all() or (abs(found - truth)[sea] > 1e-9).any() or (found == first)[~sea].any():
        fail("the sea stays as it is, all below changes")
    apart = [numpy.linalg.norm(v - truth) / numpy.linalg.norm(truth) for v in (first, found)]
    if max(abs(apart[0] - errors[0]), abs(apart[1] - errors[3])) > 1e-4:
        fail("what is told of the error is that of the results: %s, %s" % (apart, errors))
    for groups in "1", "2", "4":
        now, _ = run(4, few + ["-groups", groups])
        if now != expected:
            fail("the same bits in %s groups: %s, on one rank %s" % (groups, now, expected))


def kept(stage):
    return len(glob.glob("out/evaluations/stage-%s/evaluation-*.txt" % stage))


def resume():
    long = ["-iterations", "16"]
    expected, _ = run(4, long)
    for stage, groups in ("1-3Hz", "4"), ("2-5Hz", "2"):
        process = kills.start(source, 4, [fwi] + SMALL + long + ["-resume", "-groups", groups])
        until = time.time() + 120
        while kept(stage) < 3 and process.poll() is None and time.time() < until:
            time.sleep(0.002)
        said = kills.kill(process)
        if kept(stage) < 3 or "what it wrote" in said[0]:
            fail("it is killed within stage %s" % stage, "".join(said))
    found, said = run(4, long + ["-resume", "-groups", "1"])
    taken = [int(n) for n in re.findall(r"^resume: (\d+) evaluations found in out/evaluations/stage-", said, re.M)]
    if len(taken) != 2 or taken[0] < 17 or not 3 <= taken[1]:
        fail("the first stage is whole and a part of the second: %s" % taken, said)
    if found != expected:
        fail("killed twice: the same bits, %s, not %s" % (found, expected), said)


def refusals():
    for ranks, words, more in (
        (4, "option -shots .*'0'", ["-shots", "0"]),
        (4, "4 experiments on 4 ranks cannot be dealt evenly to 8 groups, expected .*: 1, 2, 4", ["-groups", "8"]),
        (4, "6 experiments on 4 ranks cannot be dealt evenly to 4 groups, expected .*: 1, 2", ["-shots", "6", "-groups", "4"]),
        (1, "option -frequencies: a wave of 9 Hz is 166.667 m long in water, expected at least 300 m", ["-frequencies", "4,9"]),
        (1, "option -frequencies .*0", ["-frequencies", "4,0"]),
        (1, "option -noise .*0", ["-noise", "0"]),
        (1, "option -receivers .*0", ["-receivers", "0"]),
        (1, "option -observations: given in a twin experiment, where it changes nothing", ["-observations", "data.h5"]),
    ):
        command = [source + "/tests/expect_refusal", "-t", "60", "^halograd: .*(%s)" % words]
        command += ([source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []) + [fwi] + SMALL + more
        told = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if told.returncode:
            fail("fwi %s on %d ranks: %s" % (" ".join(more), ranks, told.stdout))


{"bits": bits, "resume": resume, "refusals": refusals}[what]()
