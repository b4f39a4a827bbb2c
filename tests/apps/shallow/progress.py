# SPDX-License-Identifier: BSD-2-Clause
# Claim: on a terminal shallow_water shows a bar with step, model time and ETA, which ends at the last step with a new line; its output
# in a file or a pipe has none, but a line each minute (a clock that is 1000 times too fast makes it soon).
# usage: progress.py SOURCE PROGRAM, in an empty directory
import json
import os
import pty
import re
import subprocess
import sys

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require
SECONDS = 1  # a bar is drawn every 0.2 s: a run must last for several, however fast the machine


def command(ranks, steps):
    launch = [source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []
    return launch + [program, "-nx", "120", "-ny", "60", "-interval", "0", "-steps", str(steps), "-output", "out"]


def steps_of_a_run(ranks):
    subprocess.run(command(ranks, 1000), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    with open("out/run.json") as report:
        return int(SECONDS * json.load(report)["cell_steps_per_second"] / (120 * 60))


def on_terminal(ranks, steps):
    ours, theirs = pty.openpty()
    run = subprocess.Popen(command(ranks, steps), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the last one has closed it
            break
        if not more:
            break
        said += more
    os.close(ours)
    require(run.wait() == 0, "%d ranks on a terminal: exit status %d" % (ranks, run.returncode), said)
    return said.decode()


for ranks in (1, 2):
    last = steps_of_a_run(ranks)
    said = on_terminal(ranks, last)
    bars = re.findall(r"\[(#*)(\.*)\] step (\d+) of %d, t = (\S+) s, ETA (\d+) s" % last, said)
    where = "%d ranks on a terminal" % ranks
    require(len(bars) >= 2 and said.count("ETA") == len(bars), where + ": bars", len(bars), said)
    require(len(re.findall(r"\x1b\[A\[#", said)) == said.count("\x1b") == len(bars) - 1, where + ": each takes the line of the one before", said)
    steps = [int(bar[2]) for bar in bars]
    times = [float(bar[3]) for bar in bars]
    require(steps == sorted(set(steps)) and steps[-1:] == [last], where + ": steps", steps)
    require(times == sorted(times) and times[:1] < times[-1:], where + ": model times, of four digits", times)
    require(all(len(full) + len(rest) == 40 and abs(len(full) - 40 * n / last) <= 1 for (full, rest, *_), n in zip(bars, steps)), where + ": bars show the step", bars)
    require(bars and steps[0] > 0 and int(bars[-1][4]) == 0, where + ": nothing is left in the end", bars[-1:])
    require(re.search(r"step %d of [^\r\n]* *\r?\n" % last, said), where + ": the last bar ends its line", said)
    told = subprocess.run(command(ranks, last), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    require(told.returncode == 0 and "ETA" not in told.stdout and not re.search("[\r\x1b]", told.stdout), "%d ranks in a pipe: no bar" % ranks, told.stdout)
subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", "clock.so"], input="double PMPI_Wtime(void); double MPI_Wtime(void) { return 1000 * PMPI_Wtime(); }", text=True, check=True)
told = subprocess.run(command(1, 30000), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "LD_PRELOAD": os.path.abspath("clock.so")})
lines = re.findall(r"^step (\d+) of 30000, t = \S+ s, ETA \d+ s$", told.stdout, re.M)
with open("out/run.json") as report:
    minutes = json.load(report)["loop_seconds"] / 60
require(told.returncode == 0 and 1 <= len(lines) <= minutes + 1 and not re.search("[\r\x1b]", told.stdout), "in a pipe: a line each minute", minutes, told.stdout)
end("progress")
