# Claim: with -resume, SIGUSR1 to mpirun or to one rank, and SIGTERM to the ranks, end a run within a second or so with one sentence, status 75
# and the gradient under way on disk, from where the next run goes on, on other ranks and in groups, with the same bits; without
# -resume SIGTERM ends it as ever.
# usage: stopped.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import kills

source, programs = sys.argv[1:3]
CASES = {  # a grid, and the rest; where a run is over before the signal comes, a larger grid is taken
    "heat_inverse": (64, ["-iterations", "2", "-slots", "30"]),
    "tracer_inverse": (128, ["-iterations", "3", "-slots", "30"]),
    "heat_sgd": (40, ["-method", "lbfgs", "-iterations", "2", "-experiments", "4", "-groups", "2"]),
}
LARGER = (1, 1.5, 2, 3, 4)
problems = []
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"


def require(holds, text, *values):
    if not holds:
        problems.append(text + (": " + ", ".join(str(v) for v in values) if values else ""))


def launch(program, ranks, more, larger):
    cells, own = CASES[program]
    grid = ["-nx", str(int(larger * cells)), "-ny", str(int(larger * cells)), "-digest", "-output", "out"]
    return kills.start(source, ranks, [programs + "/" + program] + grid + own + more)


def digest(process):
    said, wrong = process.communicate(timeout=300)
    require(process.returncode == 0 and not wrong, "a run ends well", process.returncode, wrong)
    return re.findall(r"^J .*$", said, re.M), said


def generations():
    return [n for _, _, names in os.walk("out/evaluations/gradient") for n in names if n.endswith(".txt")]


expected = {}


def unbroken(program, larger):
    if (program, larger) not in expected:
        shutil.rmtree("out", ignore_errors=True)
        expected[program, larger] = digest(launch(program, 4, [], larger))[0]
    return expected[program, larger]


def stop(program, ranks, more, what, whom, larger):
    """Sends the signal once a gradient is under way."""
    shutil.rmtree("out", ignore_errors=True)
    run = launch(program, ranks, more, larger)
    while run.poll() is None and not (os.path.exists("out/evaluations/lock") if more else kills.ranks_of(run)):
        time.sleep(0.01)
    while more and "0.001" in more and not generations() and run.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)
    every = kills.ranks_of(run) if ranks > 1 else [run.pid]
    for pid in {"mpirun": [run.pid], "ranks": every, "one": every[-1:]}[whom] if run.poll() is None else []:
        kills.send(pid, what)
    said, wrong = run.communicate(timeout=300)
    return run.returncode, re.findall(r"^halograd: .*$", wrong, re.M)


def claim_stops(program, ranks, what, whom, more=()):
    words = "%s to %s of %s" % (what.name, whom, program)
    for larger in LARGER:
        bits = unbroken(program, larger)
        status, told = stop(program, ranks, ["-resume"] + list(more), what, whom, larger)
        if status == 75 or told:
            break
    require(status == 75 and len(told) == 1 and told[0].startswith("halograd: %s: stopped" % what.name), words + ": one sentence and status 75", status, told)
    before = generations()
    require(("at step" in told[0]) == (len(before) > 0) if told else False, words + ": the gradient is on disk", told, before)
    found, said = digest(launch(program, ranks, ["-resume"], larger))
    require(found == bits, words + ": the next run has the same bits", found, bits)
    require(not before or "goes on at step" in said, words + ": the next run goes on", said[:300])
    require(not generations(), words + ": nothing is left", generations())


claim_stops("heat_inverse", 3, signal.SIGUSR1, "mpirun")
claim_stops("heat_inverse", 2, signal.SIGUSR1, "one", ["-record_interval", "0.001"])
claim_stops("heat_inverse", 4, signal.SIGTERM, "ranks", ["-store", "hdf5"])
claim_stops("heat_inverse", 1, signal.SIGTERM, "one")
claim_stops("tracer_inverse", 2, signal.SIGUSR1, "ranks", ["-record_interval", "0.001"])
claim_stops("heat_sgd", 4, signal.SIGUSR1, "mpirun")
for larger in LARGER:
    status, told = stop("heat_inverse", 1, [], signal.SIGTERM, "one", larger)
    if status:
        break
require(status == -signal.SIGTERM and not told, "without -resume SIGTERM ends a run as ever", status, told)
for option in ("-record_interval", "-resume_compare"):
    said = subprocess.run([programs + "/heat_inverse", option, "1"], stderr=subprocess.PIPE, text=True)
    require(said.returncode == 1 and said.stderr == "halograd: option %s: given without -resume, expected both\n" % option, option + " alone is refused", said.stderr)
if problems:
    sys.exit("claim fails: stopped: " + "; ".join(problems[:8]))
