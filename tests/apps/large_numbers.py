# SPDX-License-Identifier: BSD-2-Clause
# Claim: time and memory are not in proportion to numbers that a user writes: with 10^9 steps every program begins its run within 5 s of work
# and 512 MiB, whoever looks on, however states are kept and steps reversed, or ends in one sentence that says what it would take.
# usage: large_numbers.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS [WORD in the name of a case]
import os
import re
import resource
import shutil
import subprocess
import sys

source, programs = sys.argv[1:3]
word = sys.argv[3] if len(sys.argv) > 3 else ""
SECONDS, MEMORY = 5, 512 << 20
# A run that has begun ends in an error that is made at its 30th exchange of ghosts, which is none of the start.
BEGUN = "the exchange of ghosts cannot start"
MANY = ["-steps", "1000000000"]
tried, problems = 0, []


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def run(program, options):
    """Its status, what it says, and the bytes that it had at most."""
    shutil.rmtree("out", ignore_errors=True)
    with open("said", "wb") as said:
        child = subprocess.Popen([programs + "/" + program, "-output", "out", "-hg_fault", "exchange:30"] + options, stdout=said, stderr=said,
                                 preexec_fn=limits)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    with open("said", errors="replace") as f:
        return child.returncode, f.read(), used.ru_maxrss << 10


def claim(program, options, words=BEGUN):
    """`words`: of the one sentence in which it ends."""
    global tried
    name = " ".join([program] + options)
    if word not in name:
        return
    tried += 1
    status, said, bytes_used = run(program, options)
    told = re.findall(r"^halograd: .*$", said, re.M)
    if status <= 0 or len(told) != 1 or not re.search(words, told[0]) or bytes_used > MEMORY:
        problems.append("%s: '%s' expected, status %d with %d MiB: %s" % (name, words, status, bytes_used >> 20, told or said[-300:]))


small = {"shallow_water": ["-nx", "36", "-ny", "20"], "heat_sgd": ["-method", "lbfgs"]}
inversions = ["heat_inverse", "shallow_water_inverse", "tracer_inverse", "burgers_inverse", "heat_sgd"]
OF_GRADIENTS = [["-adjoint_monitor"], ["-adjoint_monitor", "1"]]
LOOK_ON = [["-record", "out/r"], ["-record", "out/r", "-record_every", "1"],
           ["-record", "out/r", "-record_every", "7"],
           ["-record", "out/r", "-record_steps", "0,1000000000"], ["-show", "q@film"], ["-show", "q@1000000000"], ["-check"]]
REVERSE = [["-show", "lambda@film"], ["-show", "lambda@0,lambda@1000000000"], ["-slots", "1"], ["-slots", "2"], ["-store", "hdf5", "-slots", "500"],
           ["-store", "hdf5", "-slots", "500", "-memory_slots", "300", "-hg_file_cost", "1000000"], ["-checkpoint_memory", "3MiB", "-checkpoint_disk", "3MiB"],
           ["-hg_reverse", "start"], ["-hg_reverse", "single"], ["-hg_reverse", "stored"], ["-hg_time_block", "1"], ["-hg_program_view"],
           ["-resume", "-record_interval", "0"]]
for program in inversions + ["shallow_water", "heat_forward"]:
    claim(program, small.get(program, []) + MANY)
    for options in LOOK_ON if program not in inversions[2:] else [["-record", "out/r", "-record_every", "1"]]:
        claim(program, small.get(program, []) + MANY + options)
    for options in OF_GRADIENTS if program not in inversions[2:] else []:
        claim(program, small.get(program, []) + MANY + options, *([] if program in inversions else ["this run of '%s' makes values only" % program]))
for program in inversions[:2]:
    for options in REVERSE:
        claim(program, MANY + options)

DOCTOR = r"doctor of '.*': keeps the tangents of 1000000000 steps, .* GiB on each rank, .* expected at most 100000 files"
for program in inversions[:2] + ["shallow_water", "heat_forward"]:
    claim(program, small.get(program, []) + MANY + ["-doctor"], DOCTOR)
for program in inversions[:2]:
    claim(program, MANY + ["-nx", "200", "-ny", "200", "-slots", "1000000"], r"no memory for 1000000 slots of \d+ bytes per rank: \d+ bytes")
    claim(program, MANY + ["-nx", "700", "-ny", "700", "-checkpoint_disk", "1000000TiB"], r"cannot reserve 1000000 slots of \d+ bytes .* asked for .* free")
    claim(program, ["-dt", "1e-300"], r"-dt: 1e-300 s would need .* steps, expected at most 1e\+09")
claim("heat_forward", MANY + ["-frames", "100000"])
claim("shallow_water", small["shallow_water"] + MANY + ["-interval", "1e-9"])
claim("shallow_water", small["shallow_water"] + MANY + ["-interval", "1e300"])
claim("shallow_water_inverse", ["-time", "1e30"], "options -nx 60 -ny 40: .* steps to 1e.30 s, expected at most 1e.09")

shutil.rmtree("out", ignore_errors=True)
if word and not tried:
    problems.append("no case has '%s' in its name" % word)
if problems:
    sys.exit("\n".join(problems))
print("%d runs" % tried)
