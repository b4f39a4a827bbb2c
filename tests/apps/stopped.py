# SPDX-License-Identifier: BSD-2-Clause
# Claim: with -resume, SIGUSR1 to mpirun or to one rank, and SIGTERM to the ranks, end a run in either sweep of a gradient with one sentence,
# status 75 and the gradient under way on disk, from where the next run goes on, on other ranks and in groups, with the same bits; without
# -resume SIGTERM ends it as ever.
# usage: stopped.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from many_starts import end, require
import kills

source, programs = sys.argv[1:3]
CASES = {
    "heat_inverse": ["-nx", "20", "-ny", "20", "-iterations", "1", "-slots", "30"],
    "tracer_inverse": ["-nx", "26", "-ny", "26", "-steps", "28", "-dt", "0.035", "-iterations", "1", "-slots", "30"],
    "heat_sgd": ["-nx", "20", "-ny", "20", "-method", "lbfgs", "-iterations", "1", "-experiments", "4", "-groups", "2"],
}
AT_ONCE = ["-record_interval", "0", "-hg_time_block", "1"]  # the ranks agree after every step: they stop at the one where they are told to
expected = {}  # of each program: what a run prints that nobody stops
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"


def launch(program, ranks, more):
    return kills.start(source, ranks, [programs + "/" + program] + CASES[program] + ["-digest", "-output", "out"] + more)


def digest(process):
    said, wrong = process.communicate(timeout=300)
    require(process.returncode == 0 and not wrong, "a run ends well", process.returncode, wrong)
    return re.findall(r"^J .*$", said, re.M), said


def unbroken(program):
    if program not in expected:
        shutil.rmtree("out", ignore_errors=True)
        expected[program] = digest(launch(program, 4, []))[0]
    return expected[program]


def generations():
    return [n for _, _, names in os.walk("out/evaluations/gradient") for n in names if n.endswith(".txt")]


def stop(program, ranks, more, what, whom, step):
    """The last rank pauses at so many steps (of those that are made at once); then the signal is sent, and the rank goes on."""
    shutil.rmtree("out", ignore_errors=True)
    run = launch(program, ranks, more + ["-hg_fault", "pause:%d:%d" % (step, ranks - 1)])
    every, paused = [], []
    while run.poll() is None and not paused:
        time.sleep(0.01)
        every = kills.ranks_of(run) if ranks > 1 else [run.pid]
        paused = [pid for pid in every if kills.state(pid) == "T"]
    for pid in {"mpirun": [run.pid], "ranks": every, "one": paused}[whom] if paused else []:
        (kills.send_to_stopped if pid in paused else kills.send)(pid, what)
    for pid in paused:
        while run.poll() is None and not kills.pending(pid, what):
            time.sleep(0.01)
        kills.send(pid, signal.SIGCONT)
    said, wrong = run.communicate(timeout=300)
    require(paused, "a rank of %s pauses" % program, said[-300:], wrong)
    return run.returncode, re.findall(r"^halograd: .*$", wrong, re.M)


def claim_stops(program, ranks, what, whom, step, more=(), stops=r"at step \d+ of \d+ in the \w+ sweep of"):
    words = "%s to %s of %s" % (what.name, whom, program)
    status, told = stop(program, ranks, ["-resume"] + list(more), what, whom, step)
    form = r"halograd: error \[stopped\]: %s: stopped %s a gradient of '" % (what.name, stops)
    require(status == 75 and len(told) == 1 and re.match(form, told[0]), words + ": one sentence and status 75", status, told)
    require(generations(), words + ": the gradient is on disk")
    others = ranks if program == "heat_sgd" else ranks % 4 + 1  # groups have folders of their own
    found, said = digest(launch(program, others, ["-resume"]))
    require(found == unbroken(program), words + ": the next run has the same bits", found)
    require("goes on at step" in said, words + ": the next run goes on", said[:300])
    require(not generations(), words + ": nothing is left", generations())


for program in CASES:
    unbroken(program)
claim_stops("heat_inverse", 3, signal.SIGUSR1, "mpirun", 5)
claim_stops("heat_inverse", 2, signal.SIGUSR1, "one", 400, AT_ONCE, r"at step \d+ of 221 in the reverse sweep of")
claim_stops("heat_inverse", 4, signal.SIGTERM, "ranks", 20, AT_ONCE + ["-store", "hdf5"], "at step 20 of 221 in the first sweep of")
claim_stops("heat_inverse", 1, signal.SIGTERM, "one", 5)
claim_stops("tracer_inverse", 2, signal.SIGUSR1, "ranks", 40, AT_ONCE, r"at step \d+ of 28 in the reverse sweep of")
# one group is stopped in a gradient; the sentence may be that of the other one, which may have come to its next gradient
claim_stops("heat_sgd", 4, signal.SIGUSR1, "mpirun", 5, stops=r"(at step \d+ of 221 in the \w+ sweep of|before)")
status, told = stop("heat_inverse", 1, [], signal.SIGTERM, "one", 5)
require(status == -signal.SIGTERM and not told, "without -resume SIGTERM ends a run as ever", status, told)
for interval in ("0", "600"):
    said = digest(launch("heat_inverse", 1, ["-resume", "-record_interval", interval]))[1]
    require(("-record_interval 0 writes where a gradient is whenever" in said) == (interval == "0"), "what takes so long is told", interval, said[:600])
for option in ("-record_interval", "-resume_compare"):
    said = subprocess.run([programs + "/heat_inverse", option, "1"], stderr=subprocess.PIPE, text=True)
    require(said.returncode == 1 and said.stderr == "halograd: error [option-conflict]: option %s: given without -resume, expected both\n" % option, option + " alone is refused", said.stderr)
end("stopped")
