# SPDX-License-Identifier: BSD-2-Clause
# Claim: every application records, lists and compares: the same bits on any ranks and in any way to run; a run that is killed (SIGKILL,
# at random moments, KILLS times before its end) leaves whole steps, which are those of the unbroken run; what makes no sense is refused in one sentence.
# usage: record.py SOURCE_DIRECTORY KILLS heat_inverse DIRECTORY_OF_MANY; other programs are started as many_<name> (many_starts.c)
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from many_starts import end, problems, require, start_together, Refusals

source, kills, heat, many = sys.argv[1:5]
SMALL = ["-nx", "24", "-ny", "20", "-iterations", "1", "-slots", "20"]
SEED = 11
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # what ends by an error frees nothing


def command(ranks, arguments, program=heat):
    return ([source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []) + [program] + arguments


def run(ranks, arguments, fails=False, program=heat):
    """In processes of its own, which a fault of an exchange ends."""
    ran = subprocess.run(command(ranks, arguments, program), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    require((ran.returncode != 0) == fails, "status of " + " ".join(arguments), ran.returncode, ran.stdout[-300:], ran.stderr[-300:])
    return ran.stdout + ran.stderr


def look(*words, wrong=""):
    """The program halograd; `wrong`: it fails with a sentence that has this regular expression."""
    told = run(1, list(words), fails=bool(wrong), program=os.path.dirname(heat) + "/halograd")
    require(re.search(wrong, told), "halograd %s says '%s'" % (" ".join(words), wrong), told[-300:])
    return told


def runs(ranks, program, starts):
    """One start after another in the same processes; what each prints and says."""
    told, wrong = start_together(source + "/scripts/mpirun", many + "/many_" + program, ranks, [(".", s) for s in starts], os.path.abspath("notes"))
    require(not wrong, program + " on %d ranks" % ranks, wrong)
    for arguments, start in zip(starts, told):
        require(start.codes == ["0"] * ranks, "status of " + " ".join(arguments), start.codes, start.printed[-300:], start.said[-300:])
    return [start.printed + start.said for start in told] + [""] * (len(starts) - len(told))


refusals = Refusals(source + "/scripts/mpirun", many)


def refused(words, arguments, ranks=1, program="heat_inverse"):
    refusals.add(words, arguments, program, ranks)


for folder in "rec", "out":  # of an earlier run of this test
    shutil.rmtree(folder, ignore_errors=True)
# Every application, on some numbers of ranks; the first run with other blocks and slots than the second. A window once more, on other ranks
# and with other blocks.
for name, program, arguments in [("heat", "heat_inverse", SMALL), ("forward", "heat_forward", ["-nx", "24", "-ny", "20"]),
                                 ("tracer", "tracer_inverse", ["-nx", "30", "-ny", "26", "-iterations", "1"]),
                                 ("shallow", "shallow_water", ["-nx", "40", "-ny", "24", "-steps", "40"])]:
    output = ["-output", "out/" + name]
    parts = "/first" if program.endswith("inverse") else ""
    window = arguments + output + ["-replay", "rec/%s-1%s" % (name, parts), "-window", "9:24"]
    recorded, ahead = runs(1, program, [arguments + output + ["-digest", "-record", "rec/%s-1" % name, "-record_every", "7"],
                                        window + ["-hg_threads", "2"]])
    coarse = arguments + output + ["-record", "rec/%s-3" % name, "-record_every", "14", "-hg_time_block", "1"]
    both = runs(3, program, [coarse, window + ["-hg_time_block", "1"]])[1]
    plain = runs(2, program, [arguments + output + ["-digest"]])[0]
    listed, compared = look("list", "rec/%s-1" % name), look("compare", "rec/%s-1" % name, "rec/%s-3" % name)
    require(re.findall("^J .*$", plain, re.M) == re.findall("^J .*$", recorded, re.M), name + ": recorded, the same bits")
    require(", whole; J" in listed and "damaged" not in listed, name + ": listed", listed)
    for said in compared, ahead, both:
        require("same bits in" in said, name + ": compared, or replayed", said)
require(os.path.isdir("rec/heat-1/last") and not os.path.exists("rec/forward-1/last"), "an inversion records what it found")
# Another kappa is another recording: the first step after q_0 tells.
look("compare", "rec/heat-1/first", "rec/heat-1/last",
     wrong="the same bits in 1 steps, then they part in the forward sweep at step 7, variable 'u', cell \\(\\d+, \\d+\\), rank .*units in the last place")
# Links to folders below those that the user names are not followed: what is behind them stays as it was.
def files_below(top):
    return {os.path.join(path, name): os.stat(os.path.join(path, name)).st_mtime_ns for path, _, names in os.walk(top) for name in names}


os.makedirs("elsewhere", exist_ok=True)
for name in ["evaluation-0.txt", "0123456789abcdef-1.txt", "heat_0000.vti"]:
    open("elsewhere/" + name, "w").write("somebody's\n")
before = files_below("elsewhere"), files_below("rec/heat-1")
shutil.rmtree("linked", ignore_errors=True)
for name, target in [("rec-1/first", "rec/heat-1/first"), ("rec-2/last", "rec/heat-1/last"), ("out-1/evaluations", "elsewhere"),
                     ("out-2/evaluations/gradient", "elsewhere"), ("out-3/heat_inverse", "elsewhere")]:
    os.makedirs(os.path.dirname("linked/" + name))
    os.symlink(os.path.abspath(target), "linked/" + name)
    option = {"rec": ["-output", "out/heat", "-record"], "out": ["-resume", "-record_interval", "0", "-output"]}[name[:3]]
    refused("cannot .*'linked/%s.*: it is a symbolic link" % name, SMALL + option + ["linked/" + name[:5]], 2)
problems += refusals.wrong()
require(before == (files_below("elsewhere"), files_below("rec/heat-1")), "what is behind links stays as it was")
# The monitor: lambda at 20 steps or so, of each gradient.
monitored, _ = runs(2, "heat_inverse", [SMALL + ["-output", "out/heat", "-adjoint_monitor", "-iterations", "0"],
                                        SMALL + ["-output", "out/killed", "-record", "rec/whole", "-record_every", "8"]])
lines = re.findall(r"^adjoint +\d+ .*$", monitored, re.M)
require(20 <= len(lines) / monitored.count("|lambda|") <= 22, "lines of the monitor", len(lines), monitored[:600])
# Kills.
draw = random.Random(SEED)
arguments = SMALL + ["-output", "out/killed", "-record", "rec/killed", "-record_every", "8"]


def lines(ledger):
    return open(ledger).read().count("\n") if os.path.exists(ledger) else 0


all_lines = lines("rec/whole/first/steps.csv")
broken = 0
for k in range(10 * int(kills)):
    if broken == int(kills):
        break
    shutil.rmtree("rec/killed", ignore_errors=True)
    process = subprocess.Popen(command(2, arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = draw.randint(1, all_lines // 2)  # by what it has done, as time says little on a busy machine
    while lines("rec/killed/first/steps.csv") < until and process.poll() is None:
        time.sleep(0.002)
    ranks = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], stdout=subprocess.PIPE, text=True).stdout.split()
    for pid in [int(p) for p in ranks] + [process.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.communicate()
    for pid in ranks:
        while os.path.exists("/proc/" + pid):
            time.sleep(0.02)
    listed = look("list", "rec/killed/first")
    require("damaged" not in listed, "a kill damages nothing", listed[-300:])
    broken += "not whole" in listed
    if "forward: 0" in listed:
        require("same bits in" in look("compare", "rec/killed/first", "rec/whole/first"), "killed: the bits of the unbroken run")
require(broken == int(kills), "so many kills come in time", broken)
runs(2, "heat_inverse", [arguments])
require("same bits in" in look("compare", "rec/killed", "rec/whole"), "the next run takes the place of a killed one")
runs(2, "heat_inverse", [SMALL + ["-output", "out/killed", "-record", "rec/killed", "-iterations", "0"]])
left = look("list", "rec/killed")
require("rec/killed/last" not in left or "-iterations 0" in look("list", "rec/killed/last"), "what an earlier run found does not stay", left)
# With -resume, ended by a fault in the first gradient, between, and in the last one, then on with other ranks: the recordings of the unbroken run.
faults = (100, 300, 500)
resumed = [SMALL + ["-output", "out/resumed-%d" % f, "-record", "rec/resumed-%d" % f, "-record_every", "8", "-resume"] for f in faults]
at_each_step = ["-record_interval", "0", "-hg_fault"]  # a generation
for start, f in zip(resumed, faults):
    run(2, start + at_each_step + ["exchange:%d" % f], fails=True)
goes_on = runs(3, "heat_inverse", resumed)
compared = [look("compare", "rec/resumed-%d" % f, "rec/whole") for f in faults]
for f, said, same in zip(faults, goes_on, compared):
    require("goes on at step" in said and "no recording up to there" not in said, "a gradient goes on", f, said[-600:])
    require(same.count("same bits in 70 steps") == 2, "resumed: the bits of the unbroken run", f, same)
# Experiments on other numbers of groups, and resumed by others: the same recording.
lamps = ["-nx", "20", "-ny", "20", "-method", "lbfgs", "-iterations", "1", "-experiments", "4"]
every = ["-record_every", "40"]
groups = ["1", "2", "4"]
resumed = [lamps + every + ["-output", "out/lamps-" + g, "-record", "rec/lamps-" + g, "-resume"] for g in groups]
runs(4, "heat_sgd", [lamps + every + ["-groups", g, "-output", "out/groups-" + g, "-record", "rec/groups-" + g] for g in groups])
for start, g in zip(resumed, groups):
    run(4, start + at_each_step + ["exchange:300", "-groups", g], fails=True, program=os.path.dirname(heat) + "/heat_sgd")
runs(2, "heat_sgd", [start + ["-groups", "2"] for start in resumed])
for other in ["rec/%s-%s" % (kind, g) for kind in ("groups", "lamps") for g in groups]:
    require("same bits in" in look("compare", "rec/groups-1", other), "groups, or resumed on other groups", other)
for g in groups:
    refused("option -window: given to a run of several experiments, expected one trajectory",
            lamps + ["-groups", g, "-replay", "rec/groups-1/first", "-window", "0:8"], ranks=4, program="heat_sgd")
# What makes no sense.
refused("part in the forward sweep at step 14, variable 'u'",
        SMALL + ["-output", "out/heat", "-form", "conservative", "-replay", "rec/heat-1/last", "-window", "9:24"])
refused("option -window: given without -replay", SMALL + ["-window", "0:3"])
refused("option -window: expected a:b, the first and the last step, got '3'", SMALL + ["-replay", "rec/heat-1/first", "-window", "3"])
refused("window 5:100000, expected steps a:b with 0 <= a < b <= ", SMALL + ["-replay", "rec/heat-1/first", "-window", "5:100000"])
refused("no recorded step lies in the window 8:11, .* of the forward sweep step 0, 7, 14, 21, .* of the reverse sweep step 0, 7, 14, 21, ",
        SMALL + ["-replay", "rec/heat-1/first", "-window", "8:11"], ranks=2)
refused("it is a recording of program 'heat', expected 'shallow water'", ["-replay", "rec/heat-1/first", "-window", "8:11"], program="shallow_water")
refused("option -window: 'rec/heat-1' has two recordings, expected one of them, -replay rec/heat-1/first or -replay rec/heat-1/last",
        SMALL + ["-replay", "rec/heat-1", "-window", "8:15"])
look("export", "rec/heat-1/last", "lambda@8", wrong="no state of step 8 of the reverse sweep, of which it has step 0, 7, 14, ")
said = runs(2, "heat_inverse", [SMALL + ["-output", "out/seen", "-replay", "rec/heat-1/last", "-window", "8:11", "-show", "lambda@9"]])[0]
look("export", "rec/heat-1/last", "q@film", "-output", "out/film")
require("nothing is compared" in said and os.path.exists("out/seen/lambda_9.png"), "a window that is looked at needs no recorded step", said)
require(os.path.exists("out/film/frames/q_0001.png"), "the film of a recording")
refused("recorded on 24 x 20 cells", SMALL + ["-nx", "25", "-replay", "rec/heat-1/first", "-window", "0:7"])
refused("option -record_every: given without -record", SMALL + ["-record_every", "3"])
refused("option -record_every .*expected a whole number from 0 to 1000000000, got '1e3'", SMALL + ["-record", "rec/x", "-record_every", "1e3"])
refused("option -record_steps: step 5 is listed twice", SMALL + ["-record", "rec/x", "-record_steps", "5,7,5"])
refused("option -record_steps .*expected 1 to 16 whole numbers .*got '5,a'", SMALL + ["-record", "rec/x", "-record_steps", "5,a"])
refused("option -show .*expected a text of 1 to 1023 plain bytes, got no value", SMALL + ["-show", ""])
refused("show: 'q@3x' names no step", SMALL + ["-show", "q@3x"])
refused("show: 'gradient@5' is listed twice", SMALL + ["-show", "gradient@5,gradient@5"])
refused("option -doctor .*expected true or false.*got 'maybe'", SMALL + ["-doctor", "maybe"])
part = SMALL + ["-replay", "rec/heat-1/first", "-window", "9:24"]
for option in ("-doctor", "-check", "-resume", "-digest", "-adjoint_monitor"):
    whole = option in ("-doctor", "-check", "-resume")
    if whole:
        refused("option %s: given with -window, which runs a part of what was recorded and nothing else" % option, part + [option])
alone = ["-nx", "24", "-ny", "20", "-output", "out/alone"]  # no gradient is recorded
runs(1, "heat_forward", [alone + ["-record", "rec/alone", "-record_every", "7"]])
terminal, its_end = os.openpty()  # with a bar of progress
fails = "%s/tests/one_rank %s/../bin/heat_forward -output out/alone -hg_fault write:5000:0; true" % (source, many)
with subprocess.Popen(fails, shell=True, stdout=its_end, stderr=its_end) as shell:
    os.close(its_end)
    said = ""
    while not said.endswith("device\r\n"):
        said += os.read(terminal, 4096).decode()
require(re.search(r"ETA [^\n]*\nhalograd: error", said), "an error begins on a line of its own", said[-500:])
refused("option -adjoint_monitor: this run of 'heat_forward' makes values only", alone + ["-replay", "rec/alone", "-window", "9:24", "-adjoint_monitor"],
        program="heat_forward")
refused("option -record: 'rec/heat-1/first' is one recording by itself, expected the folder around it", SMALL + ["-record", "rec/heat-1/first"])
refused("option -noise: 1e-200, expected 0, or a number", ["-noise", "1e-200"], program="heat_forward")
refused("option -record_steps: given with -record_every", SMALL + ["-record", "rec/x", "-record_every", "3", "-record_steps", "0,5"])
for kept, words, more in (("steps", "step 100000 asked for, expected 0 to ", ["-record_steps", "0,100000"]), ("type", "option -tao_type", ["-tao_type", "lmvm"])):
    shutil.copytree("rec/heat-1", "rec/kept-" + kept)
    refused(words, SMALL + ["-record", os.path.abspath("rec/kept-" + kept), *more])
refused("option -replay: given with -record", ["-replay", "rec/heat-1", "-window", "0:7", "-record", "rec/x"])
refused("option -replay: given without -window, .*'halograd list rec/heat-1' lists the recording", ["-replay", "rec/heat-1"], ranks=2)
for words, wrong in ((["list", "rec/nothing"], "'rec/nothing' has nothing that was kept"), (["compare", "rec/heat-1"], "compare: 1 words follow, expected halograd compare DIR DIR"),
                     ([], "no word, expected list, verify, compare, export, plot or new"), (["look", "rec"], "'look', expected list, "),
                     (["compare", "rec/heat-1/first", "rec/shallow-1/first"], "programs 'heat' and '"),
                     (["export", "rec/heat-1/first", "u@3"], "'u@3' is nothing that can be shown"), (["list", "rec/heat-1", "-n", "3"], "unknown option -n")):
    look(*words, wrong=wrong)
require(re.search("recording 'rec/heat-1/first': every file is what was written", look("verify", "rec/heat-1")), "verify says so")
refused("has a recording of program 'heat' of 'heat_inverse'", ["-nx", "24", "-ny", "20", "-record", "rec/heat-1"], program="heat_forward")
refused("cannot make directory '/proc/x'", SMALL + ["-record", "/proc/x"])
refused("cannot write file 'rec/x/first/.*No space left", SMALL + ["-record", "rec/x", "-hg_fault", "write:6:1"], ranks=2)
refused("option -adjoint_monitor.*got 'often'", SMALL + ["-adjoint_monitor", "often"])
problems += refusals.wrong()
for name in [a + b for a in ("steps/", "type/") for b in ("first/recording.yaml", "first/steps.csv", "last/recording.yaml", "last/steps.csv")]:
    kept, earlier = "rec/kept-" + name, "rec/heat-1/" + name.split("/", 1)[1]
    if not os.path.exists(kept) or open(kept).read() != open(earlier).read():
        problems.append("what is refused before it runs has cost an earlier recording " + name)
image = "rec/heat-1/first/reverse-000000007-lambda-rank-0.h5"
with open(image, "r+b") as damaged:
    damaged.seek(-9, os.SEEK_END)
    byte = damaged.read(1)
    damaged.seek(-9, os.SEEK_END)
    damaged.write(bytes([byte[0] ^ 1]))
look("list", "rec/heat-1", wrong=image + "' is not what was written")
problems += refusals.wrong()
end("record, seed %d, %d broken" % (SEED, broken))
