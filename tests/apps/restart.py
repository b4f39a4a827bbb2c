# SPDX-License-Identifier: BSD-2-Clause
# Claim: inversions of heat and shallow water that are killed (SIGKILL, KILLS times at least, at random moments of either sweep, on 2 and 4 ranks)
# go on inside of a gradient with -resume and end with the J, gradient and iterates of runs that were never killed; what was whole on
# disk stays so, nothing hangs. Prints a table if there is a SEED, to be run by hand: restart.py . build/bin 1000 1
# usage: restart.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS KILLS [SEED]
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import kills

source, programs = (os.path.abspath(a) for a in sys.argv[1:3])
KILLS, SEED, TABLE = int(sys.argv[3]), int((sys.argv + ["1"])[4]), len(sys.argv) > 4
PATIENCE = 120  # [s]
LANES = 4  # side by side, as most of the time is that of starts
CASES = {
    "heat_inverse": ["-nx", "14", "-ny", "12", "-iterations", "1", "-slots", "9"],
    "shallow_water_inverse": ["-control", "bathymetry", "-nx", "18", "-ny", "14", "-iterations", "1", "-slots", "12"],
}
problems = []
enough = threading.Event()
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"


class Lane(threading.Thread):
    """The kills of one program, one after another."""

    def __init__(self, program, lane):
        super().__init__()
        self.program, self.wanted, self.draw = program, KILLS // LANES, random.Random(1000 * SEED + lane)
        self.output = "out_%d" % lane
        self.gradients = self.output + "/evaluations/gradient"
        self.killed = self.ends = self.went_on = self.before = 0
        self.sweeps = {"first": 0, "reverse": 0}
        self.seconds = 0

    def require(self, holds, text, *values):
        if not holds:
            problems.append(self.program + ": " + text + (": " + ", ".join(str(v) for v in values) if values else ""))

    def launch(self, ranks, more):
        return kills.start(source, ranks, [programs + "/" + self.program] + CASES[self.program] + ["-digest", "-output", self.output] + more)

    def outcome(self, said):
        """Digests and iterates, without their times."""
        return re.findall(r"^J .*$", said, re.M), [line.split()[:6] for line in said.splitlines() if re.match(r" *\d+ .* s ", line)]

    def texts(self):
        """The generations that count, the newest last."""
        try:
            names = [n for n in os.listdir(self.gradients) if n.endswith(".txt")]
        except FileNotFoundError:
            return []
        return sorted(names, key=lambda n: int(n[17:-4]))

    def check_whole(self):
        """Of what was killed: every image of every text is there, with its size."""
        for name in self.texts():
            lines = open(self.gradients + "/" + name).read().splitlines()
            stem, pieces = self.gradients + "/" + name[:-4], int(lines[1].split()[-1])
            sizes = sorted(int(line.split()[4]) for line in lines[2 : 2 + pieces])
            there = sorted(os.path.getsize(self.gradients + "/" + n) for n in os.listdir(self.gradients) if n.startswith(name[:-4] + "-") and n.endswith(".h5"))
            self.require(sizes == there, "every image of '%s' is there" % stem, sizes, there)
        return self.texts()

    def number(self):
        """Of the newest generation."""
        texts = self.texts()
        return int(texts[-1][17:-4]) if texts else 0

    def sweep(self):
        """That of the newest generation, first or reverse; None: there is none, or it was replaced meanwhile."""
        try:
            return open(self.gradients + "/" + self.texts()[-1]).read().split("\n")[1].split()[1]
        except (FileNotFoundError, IndexError):
            return None

    def wait_and_kill(self, run, before, aim):
        """Some generations after it has written the first, or some time, whichever comes first; with an aim, in that sweep; None: it has ended."""
        generations, seconds, begun = self.draw.randint(1, 80), self.draw.uniform(0, 0.5), None
        while run.poll() is None and (aim or begun is None or time.monotonic() - begun < seconds):
            number = self.number()
            if number > before and begun is None:
                begun = time.monotonic()
            if number > before and self.sweep() == aim if aim else number >= before + generations:
                break
            time.sleep(0.002)
        time.sleep(0 if aim else self.draw.uniform(0, 0.01))
        return kills.kill(run, self.draw) if run.poll() is None else None

    def ended(self, run):
        try:
            said, wrong = run.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            said, wrong = kills.kill(run)
            self.require(False, "no run hangs", said[-300:])
        self.require(run.returncode == 0 and not wrong, "a run ends well", run.returncode, wrong)
        self.require(self.outcome(said) == self.expected, "killed %d times: the same J, gradient and iterates" % self.killed, self.outcome(said), self.expected)
        self.require("damaged" not in said, "no kill leaves damage")
        self.require(not os.path.exists(self.gradients), "nothing is left of gradients that are through")
        self.went_on += said.count("restart: a gradient")
        self.ends += 1
        shutil.rmtree(self.output)

    def lacks(self):
        """Is there a sweep in which its program has not been killed so far, or has no gradient gone on?"""
        return min(sums_of(self.program)[1:4]) == 0

    def aim(self):
        """The sweep in which it has not been killed, once all kills at random moments are through; None: any moment will do."""
        missed = [sweep for sweep, kills_in_it in zip(("first", "reverse"), sums_of(self.program)[1:3]) if not kills_in_it]
        return missed[0] if missed and self.killed >= self.wanted else None

    def go(self):
        shutil.rmtree(self.output, ignore_errors=True)
        said, _ = self.launch(4, []).communicate(timeout=PATIENCE)
        self.expected = self.outcome(said)
        self.require(len(self.expected[0]) == 1 and len(self.expected[1]) >= 2, "the run that is not killed", said)
        since = 0  # the last run that ended
        while (self.killed < self.wanted or (self.lacks() and self.killed < 4 * self.wanted)) and not enough.is_set():
            if since >= 10:  # by now there is much to go on from
                self.ended(self.launch(self.draw.choice((2, 4)), ["-resume"]))
                since = 0
            before, aim = self.number(), self.aim()
            run = self.launch(self.draw.choice((2, 4)), ["-resume", "-record_interval", "0" if aim else self.draw.choice(("0", "0.002", "0.02"))])
            if self.wait_and_kill(run, before, aim) is None:
                self.ended(run)
                since = 0
                continue
            self.killed, since = self.killed + 1, since + 1
            texts = self.check_whole()
            if texts and self.number() > before:
                self.sweeps[self.sweep()] += 1
            else:
                self.before += 1
        if os.path.exists(self.gradients):  # what a kill may leave in a folder that is being made
            open(self.gradients + "/.halograd.1.tmp", "w").close()
        self.ended(self.launch(3, ["-resume"]))

    def run(self):
        begin = time.monotonic()
        try:
            self.go()
        except Exception as wrong:  # of a thread: told at the end
            self.require(False, repr(wrong))
        self.seconds = time.monotonic() - begin


def sums_of(program):
    """Kills; of them in the first sweep and in the reverse one; gradients that went on; kills before anything was written; ends."""
    of = [lane for lane in lanes if lane.program == program]
    return [sum(n) for n in zip(*((lane.killed, lane.sweeps["first"], lane.sweeps["reverse"], lane.went_on, lane.before, lane.ends) for lane in of))]


lanes = [Lane(list(CASES)[k % len(CASES)], k) for k in range(LANES)]
for lane in lanes:
    lane.start()
signal.signal(signal.SIGINT, lambda *_: enough.set())  # by hand: so many are enough
for lane in lanes:
    lane.join()
rows = []
for program in CASES:
    sums = sums_of(program)
    rows.append((program, *sums, max(lane.seconds for lane in lanes if lane.program == program)))
    if min(sums[1:4]) == 0:
        problems.append("%s: kills in both sweeps, and gradients that went on: %s" % (program, sums))
if TABLE:
    print("%-22s %6s %12s %14s %8s %12s %6s %8s" % ("program", "kills", "first sweep", "reverse sweep", "went on", "nothing yet", "ends", "seconds"))
    for row in rows:
        print("%-22s %6d %12d %14d %8d %12d %6d %8.0f" % row)
    print("all ends with the J, gradient and iterates of runs that were never killed: %s" % ("no" if problems else "yes"))
if problems:
    sys.exit("claim fails: restart, seed %d: " % SEED + "; ".join(problems[:8]))
