# SPDX-License-Identifier: BSD-2-Clause
# Claim: -hg_trace tells every message and collective of every rank, the same on both ends; -hg_watchdog leaves a healthy run alone and
# explains one that hangs, ending every rank.
# usage: trace.py trace|watchdog SOURCE_DIRECTORY heat_inverse operators test_adjoint_trace_planted libhalograd libhalograd_trace.so
import collections
import glob
import os
import re
import shlex
import signal
import subprocess
import sys
import time

what, source, heat, operators, planted, library, in_front = sys.argv[1:8]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require
FRONT = ["env", "LD_PRELOAD=" + in_front]
# Functions of MPI that wait for no other rank, or of which the trace can say nothing.
LOCAL = set("""Abort Cancel Comm_compare Comm_create_keyval Comm_free_keyval Comm_get_attr Comm_group Comm_rank Comm_set_attr Comm_size Comm_test_inter Finalized
Get_count Get_library_version Get_processor_name Group_difference Group_free Group_size Group_translate_ranks Init_thread Initialized Type_commit Type_contiguous Type_free Type_size Wtime""".split())
SMALL = [heat, "-nx", "12", "-ny", "11", "-iterations", "1", "-slots", "8", "-digest"]
os.environ["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0"  # what ends by an error, or by the watchdog, frees nothing


def run(ranks, words, wrapper=()):
    launch = [source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []
    start = time.monotonic()
    done = subprocess.run(launch + list(wrapper) + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    done.seconds = time.monotonic() - start
    return done


def parse(text):
    lines = []
    for line in text.splitlines():
        require(re.match(r"trace rank=\d+ time=\d+\.\d{6} ([a-z_]+=(\"[^\"]*\"|[^ \"]+) ?)+$", line), "a line has its form", line)
        lines.append(dict(word.split("=", 1) for word in shlex.split(line)[1:]))
    return lines


def check_pairs(ranks, lines):
    """Every send has its receive and the reverse, in order: messages of two ranks, a tag and a communicator do not overtake."""
    sent, got, posted = (collections.defaultdict(list) for _ in range(3))
    for line in lines:
        me, peer, key = line["rank"], line.get("peer"), (line.get("tag"), line.get("communicator"))
        if line["event"] == "send":
            sent[(me, peer) + key].append(line["bytes"])
        elif line["event"] == "got":
            got[(peer, me) + key].append(line["bytes"])
        elif line["event"] == "recv" and peer != "-":
            posted[(peer, me) + key].append(line["bytes"])
    for pair in set(sent) | set(got):
        require(sent[pair] == got[pair], "%s ranks: what is sent is got, (from, to, tag, communicator) %s" % (ranks, pair),
                len(sent[pair]), len(got[pair]))
    for pair in posted:
        require(posted[pair] == sent[pair], "%s ranks: every send has its receive posted, %s" % (ranks, pair))
    require(len(sent) > ranks - 1, "%s ranks: there are messages" % ranks, len(sent))


def check_collectives(ranks, lines):
    """All ranks give the same collectives, in the same order, to the communicators of all of them."""
    keys = ("event", "communicator", "number", "bytes", "root", "operator", "step", "direction")
    seen = [[tuple(line[k] for k in keys) for line in lines if line["rank"] == str(rank) and line.get("ranks") == str(ranks)
             and line["event"] in ("allreduce", "barrier", "bcast")] for rank in range(ranks)]
    require(all(s == seen[0] for s in seen) and len(seen[0]) > 10, "%s ranks: the same collectives on all of them" % ranks, *map(len, seen))


def check_trace(ranks):
    for old in glob.glob("trace_of_%d.*" % ranks):
        os.remove(old)
    done = run(ranks, SMALL + ["-hg_time_block", "1", "-hg_trace_files", "trace_of_%d" % ranks])
    require(done.returncode == 0 and not done.stderr, "a traced run works, and with files its stderr is empty", done.stderr)
    each = [parse(open("trace_of_%d.%d" % (ranks, rank)).read()) for rank in range(ranks)]
    lines = [line for one in each for line in one]
    for rank, one in enumerate(each):
        last = one[-1]
        require(all(line["rank"] == str(rank) for line in one), "a line tells its own rank")
        require([line["event"] for line in one].count("done") == 1 and last["event"] == "done", "done is said once, last", last)
        count = collections.Counter(line["event"] for line in one)
        require((int(last["sends"]), int(last["receives"])) == (count["send"], count["got"]), "done tells the messages", last)
        collectives = sum(count.values()) - sum(count[k] for k in ("send", "recv", "got", "probe", "done"))
        require(int(last["collectives"]) == collectives, "done tells the collectives", last, collectives)
    check_pairs(ranks, lines)
    check_collectives(ranks, lines)
    directions = {line["direction"] for line in lines if line["event"] == "send"}
    require({"forward", "adjoint"} <= directions, "messages of both directions", directions)
    operators = {line.get("operator") for line in lines} | {line.get("within") for line in lines}
    require({"heat trajectory", "regularisation", "J"} <= operators, "operators are named", operators)
    # heat's own messages name the stencil or the objective, the trajectory around it, and every step, in both directions
    for direction in ("forward", "adjoint"):
        own = [line for line in lines if line["event"] == "send" and line["within"] == "heat trajectory" and line["direction"] == direction]
        names = {line["operator"] for line in own}
        require(names == ({"heat_forced", "objective"} if direction == "forward" else {"heat_forced"}), "stencils are named, " + direction, names)
        steps = {int(line["step"]) for line in own}
        require(len(steps) > 50 and steps == set(range(max(steps) + 1)), "every step is named, " + direction, sorted(steps)[:9], len(steps))
    return done


def digest(done):
    return re.findall(r"^J .*$", done.stdout, re.M)


def check_turned():
    """The adjoint of a send is a receive and the reverse; of what rank 0 gets from each, what it gives to each."""
    done = run(3, [operators, "-hg_trace_files", "trace_of_operators"])
    require(done.returncode == 0, "a traced run of operators works", done.stderr)
    lines = [line for rank in range(3) for line in parse(open("trace_of_operators.%d" % rank).read())]
    ways = {d: {(line["rank"], line["peer"], line["bytes"]) for line in lines if line.get("operator") == "sendrecv" and line["event"] == "send"
                and line["direction"] == d} for d in ("forward", "tangent", "adjoint")}
    require(len(ways["forward"]) == 4 and ways["forward"] == ways["tangent"], "tangents go the way of values", ways)
    require(ways["adjoint"] == {(b, a, n) for a, b, n in ways["forward"]}, "adjoints come back", ways)
    check_pairs(3, lines)
    # what travels without waiting is MPI's own collective, named with its operator
    for name, direction, event in (("broadcast", "forward", "bcast"), ("broadcast", "adjoint", "gather"), ("reduce", "forward", "gather"),
                                   ("reduce", "adjoint", "bcast"), ("gather", "tangent", "gather"), ("scatter", "forward", "scatter"),
                                   ("alltoall", "adjoint", "alltoall"), ("allgather", "forward", "allgather"),
                                   ("barrier", "adjoint", "barrier"), ("sum", "adjoint", "allreduce")):
        events = {line["event"] for line in lines if line.get("operator") == name and line["direction"] == direction}
        require(event in events, "%s of %s is a %s" % (direction, name, event), events)


def check_in_front():
    """The library alone traces its own calls and stands in nobody's way; with libhalograd_trace all calls are traced, PETSc's too."""
    defined = subprocess.run(["nm", "--defined-only", library], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    require("HgMPI_Allreduce" in defined and not re.search(r" P?MPI_\w+$", defined, re.M), "halograd defines no name of MPI")
    if library.endswith(".a"):  # which has a list for each object
        called = subprocess.run(["nm", "-A", "--undefined-only", library], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        unseen = {name for source, name in re.findall(r":([^:]+):\s+U MPI_(\w+)$", called, re.M) if "trace_" not in source} - LOCAL
        require(not unseen, "every call of the library that may wait is in own_calls_private.h", unseen)
    own = run(2, SMALL + ["-hg_trace_files", "trace_of_own"])
    both = run(2, SMALL + ["-hg_trace_all", "-hg_trace_files", "trace_of_all"], FRONT)
    require(both.returncode == 0 and digest(own) == digest(both), "the same bits with all calls traced", both.stderr[-300:])
    lines = {name: [parse(open("%s.%d" % (name, rank)).read()) for rank in range(2)] for name in ("trace_of_own", "trace_of_all")}
    count = [sum(line["event"] == "allreduce" for line in each[0]) for each in lines.values()]
    require(10 < count[0] < count[1], "PETSc's sums are traced as well", count)
    check_pairs(2, sum(lines["trace_of_all"], []))


def check_foreign():
    """Peers are ranks of the world, whatever the communicator calls them."""
    done = run(4, [planted, "-foreign", "-hg_trace"], FRONT)
    require(done.returncode == 0, "messages on other communicators", done.stderr)
    lines = [line for line in parse(done.stderr) if line.get("tag") in ("77", "78", "79")]
    sent = {(line["tag"], line["rank"], line["peer"]) for line in lines if line["event"] == "send"}
    got = {(line["tag"], line["peer"], line["rank"]) for line in lines if line["event"] == "got"}
    require(sent == got == {("77", "0", "2"), ("78", "0", "3"), ("79", "0", "1")}, "peers are ranks of the world", sent, got)
    numbers = [line["communicator"] for line in lines if line["event"] == "send"]
    require(len(set(numbers)) == 3, "a communicator that is gone gives its number to none", numbers)


def check_lost():
    """A full disk, and a pipe that nobody reads, end in a sentence, one of each rank that meets them."""
    for name, make in (("full", lambda path: os.symlink("/dev/full", path)), ("pipe", os.mkfifo)):
        for rank in range(2):
            if os.path.lexists("%s.%d" % (name, rank)):
                os.remove("%s.%d" % (name, rank))
        make(name + ".1")
        done, codes = run_each(2, SMALL + ["-hg_trace_files", name], ["timeout", "60"])
        sentences = re.findall("^halograd: .*$", done.stderr, re.M)
        # all ranks know: else mpirun, at the first that ends with 1, may kill one that has not written its last line
        require(codes == ["1", "1"], "%s: a trace that is not kept is an error on every rank" % name, codes)
        require(len(sentences) == 1 and "-hg_trace_files" in sentences[0] and name + ".1" in sentences[0], "%s: one sentence" % name, done.stderr)
        if name == "full":
            require("lines are lost: No space left on device" in done.stderr and len(digest(done)) == 1, "the run itself goes on", done.stderr)
            require("event=done" in open("full.0").read(), "rank 0 keeps its own trace")


def check_switches():
    plain = run(2, SMALL)
    require(plain.returncode == 0 and not plain.stderr, "off by default: nothing on stderr", plain.stderr)
    both = run(2, SMALL + ["-hg_trace", "-hg_watchdog", "60"])
    lines = both.stderr.splitlines()
    require(len(lines) > 100 and sum("event=done" in line for line in lines) == 2, "-hg_trace prints to stderr", len(lines))
    require(len(digest(plain)) == 1 and digest(plain) == digest(both), "traced and watched: the same bits", digest(plain), digest(both))
    off = run(1, SMALL + ["-hg_trace", "no", "-hg_watchdog", "0"])
    require(off.returncode == 0 and not off.stderr, "switched off: nothing on stderr", off.stderr)
    alone = run(1, SMALL + ["-hg_trace"])
    require(parse(alone.stderr)[-1]["event"] == "done", "one rank without mpirun is traced too")
    help_text = run(1, [heat, "-help"]).stdout
    require(all(name in help_text for name in ("-hg_trace", "-hg_trace_files", "-hg_watchdog", "-hg_watchdog_all")), "-help tells the options")


def check_refusals():
    for words, expected in (
        (["-hg_watchdog", "-1"], "expected a number in .0, 1e6. .s., got '-1'"),
        (["-hg_watchdog", "nan"], "got 'nan'"),
        (["-hg_watchdog", "1e400"], "got '1e400'"),
        (["-hg_watchdog", "2000000"], "got '2000000'"),
        (["-hg_watchdog", "soon"], "got 'soon'"),
        (["-hg_watchdog"], "got no value"),
        (["-hg_watchdog_all", "-2"], "expected a number in .0, 1e6. .s., got '-2'"),
        (["-hg_trace", "please"], "got 'please'"),
        (["-hg_trace_all"], "nothing stands in front of MPI, expected libhalograd_trace.so there"),
        (["-hg_trace_files"], "got no value"),
        (["-hg_trace_files", "/nonexistent/x"], "'/nonexistent/x.0' cannot be written: No such file"),
        (["-hg_wachdog", "3"], "did you mean -hg_watchdog"),
    ):
        for ranks in (1, 4) if words[0] == "-hg_trace_files" else (1,):
            launch = [source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []
            told = subprocess.run([source + "/tests/expect_refusal", "^halograd: .*" + expected] + launch + SMALL + words,
                                  stdout=subprocess.PIPE, text=True)
            require(told.returncode == 0, told.stdout)


# Every rank tells its own exit status and waits for the others: mpirun ends them at the first that is not 0, with a signal that only
# the program is to answer.
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
EXCHANGE = r"has waited for [1-9]\d*\.\d s in MPI_Waitall \(operator \"exchange\", step %d, %s\): recv from rank 1, tag \d+, \d+ bytes$"
SUM = r"has waited for [1-9]\d*\.\d s in MPI_Allreduce \(operator \"sum of squares\", step %d, %s\): allreduce of 4 ranks, number %s on communicator \d+, \d+ bytes$"

GATHERED = r"has waited for [1-9]\d*\.\d s in MPI_Waitall \(operator \"allgather\", step %d, %s\): %s of 4 ranks, number \d+ on communicator \d+, %d bytes$"


def run_each(ranks, words, wrapper=()):
    """A run and the exit status of each rank, "none" of one that was killed."""
    for old in glob.glob("status.*"):
        os.remove(old)
    os.environ["STATUS"] = os.path.abspath("status")
    # mpirun sleeps that long [s] before it kills what it has told to end: sanitizers are slow, and a killed rank writes no status
    os.environ["OMPI_MCA_odls_base_sigkill_timeout"] = "4" if "-asan" in planted else "2"
    done = run(ranks, words, ["sh", "-c", EACH, "sh"] + list(wrapper))
    names = ["status.%d" % rank for rank in range(ranks)]
    return done, [open(name).read().strip() if os.path.exists(name) else "none" for name in names]


def hang(words, each, watchdog="-hg_watchdog", kept=()):
    """One rank does not what the others do: all must say so and end. `each`: what rank 1 says, and what the others say; `kept`: the
    sentences that were held."""
    done, codes = run_each(4, [planted, watchdog, "1"] + words)
    name = " ".join([watchdog] + words)
    told = re.findall(r"^halograd: error \[[a-z-]+\]: (.*)$", done.stderr, re.M)
    require(told == list(kept), name + ": what is held is said, once", told, done.stderr)
    require(done.returncode != 0, name + ": the job fails", done.returncode)
    require(done.seconds < 20, name + ": it ends in time", done.seconds)
    for rank in range(4):
        pattern = each[rank != 1]
        said = re.findall(r"^halograd: watchdog: .*rank %d .*$" % rank, done.stderr, re.M)
        require(len(said) == 1 and re.search(pattern, said[0]), "%s: rank %d says '%s'" % (name, rank, pattern), said, done.stderr)
        require(codes[rank] == "1", "%s: rank %d ends with 1" % (name, rank), codes)


def check_hangs():
    hang(["-skip", "exchange", "-at", "3"], (SUM % (3, "forward", r"\d+"), EXCHANGE % (3, "forward")))
    hang(["-skip", "exchange", "-at", "2", "-way", "adjoint"], (SUM % (2, "adjoint", r"\d+"), EXCHANGE % (2, "adjoint")))
    waits = r"in MPI_Waitall \(operator \"exchange\", step 3, forward\): recv from rank 0.*; recv from rank 2.*; recv from rank 3"
    hang(["-skip", "sum", "-at", "2"], (waits, SUM % (2, "forward", r"\d+")))
    hang(["-skip", "collective", "-at", "3"], (SUM % (3, "forward", r"\d+"), GATHERED % (3, "forward", "allgather", 8)))
    hang(["-skip", "collective", "-at", "1", "-way", "adjoint"], (SUM % (1, "adjoint", r"\d+"), GATHERED % (1, "adjoint", "alltoall", 32)))
    # At the very end: rank 1 is on its way out.
    hang(["-skip", "sum", "-at", "0", "-way", "adjoint"], (r"has waited .* in MPI_\w+ \(outside all operators\)", SUM % (0, "adjoint", r"\d+")))
    late = r"told to end: rank 1 waits for no other rank \(outside all operators, step 2, forward\); its last call was MPI_\w+, \d+\.\d s ago; .* \(operator \"sum of squares\", step 1, forward\)"
    hang(["-busy", "20", "-at", "2"], (late, EXCHANGE % (2, "forward")))


    deadlock = (waits, SUM % (2, "forward", r"\d+"))
    hang(["-skip", "sum", "-at", "2"], deadlock, "-hg_watchdog_all")
    for watchdog in ("-hg_watchdog", "-hg_watchdog_all"):
        hang(["-skip", "sum", "-at", "2", "-keep"], deadlock, watchdog, ["planted: this is kept in step 2"])


def children(pid):
    return [int(p) for p in subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], stdout=subprocess.PIPE, text=True).stdout.split()]


def stopped(seconds, words):
    """The run, one of its ranks being stopped for a while in the middle of it; the time it took."""
    began = time.monotonic()
    job = subprocess.Popen([source + "/scripts/mpirun", "-n", "4", planted] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ranks = []
    while len(ranks) != 4 and job.poll() is None:  # however long a start takes
        time.sleep(0.1)
        ranks = children(job.pid)
        if len(ranks) == 1:  # MPICH's proxy
            ranks = children(ranks[0])
    time.sleep(2)
    require(len(ranks) == 4, "four ranks run", ranks)
    if ranks:
        os.kill(ranks[1], signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(ranks[1], signal.SIGCONT)
    said, wrong = job.communicate()
    return job.returncode, wrong, time.monotonic() - began


def check_health():
    # Somebody computes, or is stopped: that the others wait is nobody's fault.
    done = run(4, [planted, "-hg_watchdog_all", "1", "-busy", "5", "-at", "2"])
    require(done.seconds > 5 and done.returncode == 0 and not done.stderr, "-hg_watchdog_all leaves a rank that computes alone", done.seconds, done.stderr)
    code, wrong, seconds = stopped(5, ["-hg_watchdog_all", "1", "-pace", "0.5"])
    require(seconds > 7 and not code and not wrong, "-hg_watchdog_all leaves a rank that is stopped alone", seconds, code, wrong)
    done = run(4, [planted, "-hg_watchdog", "8", "-pace", "0.8"])  # a busy machine may keep a rank waiting for seconds
    require(done.seconds > 9, "the healthy run is long", done.seconds)
    require(done.returncode == 0 and not done.stderr, "a long run in which nobody waits long is left alone", done.returncode, done.stderr)


if what == "trace":
    for ranks in (2, 3, 4):
        check_trace(ranks)
    check_turned()
    check_in_front()
    check_foreign()
    check_lost()
    check_switches()
    check_refusals()
else:
    check_hangs()
    check_health()
end("%s" % what)
