# SPDX-License-Identifier: BSD-2-Clause
# Claims about heat_sgd, by the first argument:
#   bits     synchronous runs and L-BFGS have the same bits on any split of ranks into groups and patches, from the twin or from files
#   refusals what it cannot run is refused in one sentence, on every rank
#   workers  gradients are at most as old as -max_staleness says; a slow worker is waited for; one that stops for ever, or dies, is
#            named, the others finish, the result is kept and the job ends with an error
#   resume   L-BFGS that is killed goes on with -resume and ends with the same bits, whatever the split into groups was and is
# usage: heat_sgd.py bits|refusals|workers|resume SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS many_heat_sgd, in a directory of its own; silent if the claim holds
import csv
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from many_starts import Refusals, printed_together

what, source, programs, many = sys.argv[1:5]
if what != "bits":  # who refuses or is abandoned frees nothing, and malloc() must be able to say no under the sanitizer too
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0:allocator_may_return_null=1"
TWIN = ["-sensors", "5"]
SMALL = ["-nx", "9", "-ny", "10", *TWIN]
STEPS, LBFGS = ["-batch", "3", "-epochs", "2"], ["-iterations", "3"]


def fail(claim, said=""):
    sys.exit("claim fails: %s%s" % (claim, "; it said:\n" + said if said else ""))


def start(ranks, arguments, launch=()):
    if "-resume" not in arguments:
        shutil.rmtree("out", ignore_errors=True)
    command = [source + "/scripts/mpirun", *launch, "-n", str(ranks), programs + "/heat_sgd", "-output", "out"] + arguments
    return subprocess.Popen(command, stdout=open("said", "w"), stderr=open("errors", "w"), stdin=subprocess.DEVNULL)


def run(ranks, arguments):
    code = start(ranks, arguments).wait()
    said = open("said").read()
    if code:
        fail("heat_sgd %s on %d ranks ends with 0, not %d" % (" ".join(arguments), ranks, code), said + open("errors").read())
    return said


def digests(ranks, starts):
    """Of each of the arguments, one after another in the same processes."""
    if "-resume" not in starts[0]:
        shutil.rmtree("out", ignore_errors=True)
    each = [(".", arguments + ["-digest", "-output", "out"]) for arguments in starts]
    printed, wrong = printed_together(source + "/scripts/mpirun", many, ranks, each, "notes")
    lines = [re.findall(r"^J 0x.*$", said, re.M) for said in printed]
    if wrong or any(len(line) != 1 for line in lines):
        fail("one line of digests on %d ranks, not %s; %s" % (ranks, lines, wrong))
    return [line for line, in lines]


def digest(ranks, arguments):
    return digests(ranks, [arguments])[0]


def bits():
    ways = {
        "adam": [*STEPS, "-method", "sync"],
        "momentum": [*STEPS, "-method", "sync", "-rule", "momentum", "-decay", "0.1", "-batch", "5"],
        "lbfgs": [*LBFGS, "-method", "lbfgs"],
        "prior": [*LBFGS, "-method", "lbfgs", "-prior_deviation", "0.3", "-prior_length", "0.3", "-precondition", "-huber", "2"],
        # gradients that are never stale are those of a synchronous run
        "never stale": [*STEPS, "-method", "async", "-max_staleness", "0"],
    }
    splits = {"adam": [(1, 1), (4, 1), (2, 2), (4, 2), (4, 4), (6, 2), (6, 6), (12, 12)], "momentum": [(1, 1), (3, 3), (6, 3)],
              "lbfgs": [(1, 1), (4, 4), (6, 2)], "prior": [(1, 1), (4, 2), (6, 6)], "never stale": [(4, 4)]}
    first, together = {}, {}
    for name, cuts in splits.items():
        for ranks, groups in cuts:
            together.setdefault(ranks, []).append((name, groups))
    for ranks, cuts in sorted(together.items()):
        starts = [SMALL + ["-experiments", "12"] + ways[name] + ["-groups", str(groups)] for name, groups in cuts]
        for (name, groups), now in zip(cuts, digests(ranks, starts)):
            known = first.setdefault("adam" if name == "never stale" else name, now)
            if now != known:
                fail("%s on %d ranks in %d groups: %s, on one rank %s" % (name, ranks, groups, now, known))
    arguments = SMALL + STEPS + ["-experiments", "4", "-method", "sync"]
    saved = digest(4, arguments + ["-save_observations", "lamp-%d.h5"])
    if sorted(glob.glob("lamp-*.h5")) != ["lamp-%d.h5" % e for e in range(4)]:
        fail("one file for each experiment is saved")
    read = [word for word in arguments if word not in TWIN] + ["-observations", "lamp-%d.h5"]
    alone, other = digests(1, [read, arguments + ["-seed", "2"]])
    if alone != saved or digest(2, read) != saved:
        fail("the same bits from the saved files")
    if saved == other:
        fail("another seed gives other data")


def refused_together(ranks, cases):
    """Each (words, arguments) is refused, one after another in the same processes."""
    together = Refusals(source + "/scripts/mpirun", os.path.dirname(many))
    for words, arguments in cases:
        together.add(words, arguments + ["-output", "out"], "heat_sgd", ranks)
    problems = together.wrong()
    if problems:
        fail("heat_sgd refuses: " + "; ".join(problems))


def refused(ranks, words, arguments):
    expect = [source + "/tests/expect_refusal", "-t", "100", "^halograd: .*(%s)" % words]
    command = expect + [source + "/scripts/mpirun", "-n", str(ranks), programs + "/heat_sgd", "-output", "out"] + arguments
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if told.returncode:
        fail("on %d ranks: %s" % (ranks, told.stdout))


def refusals():
    run(1, [*SMALL[:4], "-method", "lbfgs", "-experiments", "2", "-iterations", "1"])  # fewer than a mini-batch has unless it is said
    four = SMALL + ["-experiments", "4"]
    run(4, four + ["-batch", "2", "-epochs", "2", "-method", "sync", "-save_observations", "lamp-%d.h5"])
    os.remove("lamp-2.h5")
    read = [word for word in four if word not in TWIN]
    idle = {"lbfgs": ["-batch 2", "-epochs 2", "-rule adam", "-rate 0.1", "-decay 0.1", "-momentum 0.5", "-max_staleness 1", "-patience 9"],
            "sync": ["-max_staleness 1", "-patience 9", "-iterations 3", "-tolerance 0.1", "-precondition"], "async": ["-iterations 3"]}
    both = [
        ("'lamp-2.h5'.*No such file", read + ["-method", "sync", "-observations", "lamp-%d.h5"]),
        ("-observations: 'lamp.h5' is one file for all experiments, expected .*%d", read + ["-observations", "lamp.h5"]),
        ("option -sensors: given with -observations, which does not take it", four + ["-observations", "lamp-%d.h5"]),
        ("-batch: 5 experiments .* at most 4", four + ["-batch", "5"]),
        ("-rate: expected|-rate.*'0'|-rate.*0", four + ["-rate", "0"]),
        ("-rate.*-1", four + ["-rate", "-1"]),
        ("-momentum.*1", four + ["-momentum", "1"]),
        ("-patience.*0", four + ["-patience", "0"]),
        ("-max_staleness.*-2", four + ["-max_staleness", "-2"]),
        ("-method.*hogwild", four + ["-method", "hogwild"]),
        *(("option %s: given with -method %s, which does not take it" % (option.split()[0], way), four + ["-method", way, *option.split()])
          for way in idle for option in idle[way]),
    ]
    for ranks in 1, 4:
        refused(ranks, *both[0])
        refused_together(ranks, both)
    refused(6, "4 experiments on 6 ranks cannot be dealt evenly to 4 groups, expected .*: 1, 2", four)
    refused(1, "-method async: one group of ranks", four + ["-method", "async"])
    refused(1, "option -max_staleness: given with one group of ranks, which does not take it", four + ["-max_staleness", "1"])
    run(1, four + ["-batch", "2", "-epochs", "2", *LBFGS])  # as it is called first: the ways that one group has
    if re.findall("^(lbfgs|sync|async): (J|left out)", open("said").read(), re.M) != [("lbfgs", "J"), ("sync", "J"), ("async", "left out")]:
        fail("one group learns in two ways", open("said").read())
    four_ranks = [
        ("4 experiments on 4 ranks cannot be dealt evenly to 3 groups, expected .*: 1, 2, 4", four + ["-groups", "3"]),
        # what every group finds wrong is told once
        ("px x py is 2 x 1 patches", four + ["-groups", "4", "-px", "2", "-py", "1"]),
        ("-tao_typ is used by nothing", four + ["-method", "lbfgs", "-tao_typ", "blmvm"]),
    ]
    refused_together(4, four_ranks)
    refused(4, *four_ranks[2])
    refused(4, "no memory for [0-9]+ bytes", four + ["-nx", "900000", "-ny", "900000", "-steps", "1", "-dt", "1e-300"])


def updates(bound):
    """Checks the log of updates; returns the workers that took part."""
    rows = list(csv.DictReader(open("out/updates.csv")))
    if [int(row["update"]) for row in rows] != list(range(1, len(rows) + 1)) or not rows:
        fail("updates are logged one after another: %s" % rows[:3])
    batches = [int(row["mini_batch"]) for row in rows]
    if len(set(batches)) != len(batches):
        fail("no mini-batch comes twice: %s" % batches)
    worst = max(int(row["staleness"]) for row in rows)
    if bound >= 0 and worst > bound:
        fail("staleness at most %d, not %d" % (bound, worst))
    return {row["worker"] for row in rows}, len(rows)


def rank_of(job, rank):
    """The process of that rank, a grandchild of the shell that starts mpirun."""
    for path in glob.glob("/proc/[0-9]*"):
        try:
            environment = open(path + "/environ", "rb").read().split(b"\0")
            here = os.readlink(path + "/cwd") == os.getcwd() and os.readlink(path + "/exe").endswith("/heat_sgd")
        except OSError:
            continue
        if here and (b"OMPI_COMM_WORLD_RANK=%d" % rank in environment or b"PMI_RANK=%d" % rank in environment):
            return int(os.path.basename(path))
    fail("rank %d runs" % rank, open("said").read() + open("errors").read())


def until_learning(job):
    """Waits until updates are under way."""
    for _ in range(600):
        if len(re.findall("^async ", open("said").read(), re.M)) > 3:
            return
        if job.poll() is not None:
            fail("it runs until it is stopped", open("said").read() + open("errors").read())
        time.sleep(0.1)
    fail("updates come within a minute")


def workers():
    small = SMALL + ["-epochs", "2", "-experiments", "4", "-batch", "1", "-method", "async"]
    for bound in 0, 1, 2:
        run(4, small + ["-epochs", "8", "-max_staleness", str(bound)])
        _, count = updates(bound)
        if count != 32:
            fail("4 experiments and 8 epochs are 32 updates, not %d" % count)
    # a slow worker
    long = small + ["-epochs", "400"]
    job = start(4, long)
    until_learning(job)
    slow = rank_of(job, 2)
    os.kill(slow, signal.SIGSTOP)
    time.sleep(2)
    os.kill(slow, signal.SIGCONT)
    if job.wait():
        fail("a run with a slow worker ends with 0", open("said").read() + open("errors").read())
    if updates(-1) != ({"1", "2", "3"}, 1600):
        fail("all workers take part in 1600 updates: %s" % (updates(-1),))
    # one that never comes back: it stops, or is killed where mpirun lets the others live (and then, in Open MPI 4.1, ends with 0
    # whatever the ranks ended with)
    for ranks, victim, how, launch in ((4, 2, signal.SIGSTOP, ()), (4, 3, signal.SIGKILL, ("--enable-recovery",)), (6, 5, signal.SIGSTOP, ())):
        groups = ["-groups", str(4 if ranks == 4 else 2)]
        job = start(ranks, long + groups + ["-patience", "5"], launch)
        until_learning(job)
        os.kill(rank_of(job, victim), how)
        try:
            code = job.wait(100)
        except subprocess.TimeoutExpired:
            fail("the job ends without rank %d" % victim, open("said").read() + open("errors").read())
        worker = victim if ranks == 4 else 1
        first = worker * ranks // int(groups[1])
        sentence = r"^halograd: error \[rank-lost\]: parameter server: worker %d \(ranks %d to %d\) has been silent for 5 s with mini-batch \d+; the others" % (
            worker, first, first + ranks // int(groups[1]) - 1)
        errors = open("errors").read()
        if (code == 0 and not launch) or len(re.findall("^halograd: ", errors, re.M)) != 1 or not re.search(sentence, errors, re.M):
            fail("worker %d, rank %d, is named and the job ends with an error, not %d" % (worker, victim, code), errors)
        count = updates(-1)[1]
        if not os.path.getsize("out/heat_sgd.h5") or os.path.exists("out/run.json") or (ranks == 4 and count != 1600):
            fail("what was found is kept, by %d updates" % count, errors)


def kept():
    return len(glob.glob("out/evaluations/evaluation-*.txt"))


def resume():
    """Four groups, killed; two groups of two ranks, killed; one rank."""
    arguments = SMALL + ["-experiments", "4", "-method", "lbfgs", "-tolerance", "0", "-iterations"]
    expected = digest(4, arguments + ["8"])
    for groups in 4, 2:
        before = kept()
        job = start(4, arguments + ["1000000", "-resume", "-groups", str(groups)])
        for _ in range(600):
            if kept() >= before + 3 or job.poll() is not None:
                break
            time.sleep(0.1)
        else:
            fail("evaluations are kept within a minute", open("said").read() + open("errors").read())
        os.kill(rank_of(job, groups - 1), signal.SIGKILL)
        if not job.wait() or kept() < before + 3:
            fail("a killed run of %d groups leaves evaluations, not %d" % (groups, kept()), open("said").read() + open("errors").read())
        if before and "resume: %d evaluations found in out/evaluations\n" % before not in open("said").read():
            fail("%d evaluations are found" % before, open("said").read())
    for ranks in 1, 4:
        if digest(ranks, arguments + ["8", "-resume"]) != expected:
            fail("the same bits on %d ranks after %d evaluations" % (ranks, kept()))
    refused(4, "-resume: given with -method sync, expected lbfgs", SMALL + ["-experiments", "4", "-method", "sync", "-resume"])


{"resume": resume, "bits": bits, "refusals": refusals, "workers": workers}[what]()
