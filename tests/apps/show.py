# SPDX-License-Identifier: BSD-2-Clause
# Claim: -show writes q_n, lambda_n and the gradient so far of any application: the same bytes on 1, 4 and 6 ranks, the numbers that -record
# keeps, in proper units, from a run, from a recording and from a window of it; what cannot be shown is refused in one sentence.
# usage: show.py SOURCE_DIRECTORY DIRECTORY_OF_MANY: programs are started as many_<name> (many_starts.c)
import filecmp
import glob
import os
import shutil
import subprocess
import sys

import h5py
import numpy

from many_starts import end, problems, require, start_together, Refusals

source, many = sys.argv[1:3]
HEAT = ["-nx", "24", "-ny", "20", "-iterations", "0", "-slots", "20"]
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # what ends by an error frees nothing
os.environ["PATH"] = ":".join(p for p in os.environ["PATH"].split(":") if not os.path.exists(p + "/ffmpeg"))  # frames alone


def look(ranks, folder, *words, wrong=""):
    """The program halograd; `wrong`: it fails with a sentence that has this text."""
    launch = [source + "/scripts/mpirun", "-n", str(ranks)] if ranks > 1 else []
    told = subprocess.run([*launch, os.path.abspath(many + "/../bin/halograd"), *words], cwd=folder, capture_output=True, text=True)
    require((told.returncode != 0) == bool(wrong) and wrong in told.stderr, "halograd " + " ".join(words), told.stdout[-300:], told.stderr[-300:])


def runs(ranks, program, starts):
    """(folder, arguments), one after another in the same processes; what each prints."""
    for folder, _ in starts:
        os.makedirs(folder, exist_ok=True)
    told, wrong = start_together(source + "/scripts/mpirun", many + "/many_" + program, ranks, starts, os.path.abspath("notes"))
    require(not wrong, program + " on %d ranks" % ranks, wrong)
    for (_, arguments), start in zip(starts, told):
        require(start.codes == ["0"] * ranks, "status of " + " ".join(arguments), start.codes, start.printed[-300:], start.said[-300:])
    return [start.printed for start in told] + [""] * (len(starts) - len(told))


refusals = Refusals(source + "/scripts/mpirun", many)


def refused(words, arguments, ranks=1, program="heat_inverse"):
    refusals.add(words, arguments, program, ranks)


def shown(folder):
    """All files of a show, by name."""
    names = [n for k in ["q", "lambda", "gradient"] for n in glob.glob(folder + "/out/%s_*" % k) + glob.glob(folder + "/out/frames/%s_*" % k)]
    names += glob.glob(folder + "/out/*_*/*.vti")
    return sorted(os.path.relpath(n, folder) for n in names if os.path.isfile(n))


def fields(path):
    with h5py.File(path, "r") as f:
        return {n: (f[n][0], f[n].attrs["units"], f["time"][0]) for n in f if n not in ("time", "x", "y")}


shutil.rmtree("show", ignore_errors=True)
UNITS = {"heat": {"lambda_u": "1/K", "gradient_kappa": "1/(m^2/s)"}, "tracer": {}, "shallow": {"lambda_h": "1/m", "lambda_u": "1/(m/s)"}}
CASES = [("heat", "heat_inverse", HEAT, 120), ("tracer", "tracer_inverse", ["-nx", "30", "-ny", "26", "-iterations", "0"], 10),
         ("shallow", "shallow_water", ["-nx", "40", "-ny", "24", "-steps", "16", "-interval", "0", "-digest"], 8)]
for name, program, arguments, n in CASES:
    constants = name != "tracer"  # which seeks its first state alone
    what = ["-output", "out", "-show", "lambda@%d,q@%d,q@0,lambda@film" % (n, n) + (",gradient@%d,gradient@0" % n if constants else "")]
    place = "show/%s-%%d" % name
    # The same numbers as in a recording, which shows them again, on other ranks, with the bits of before. |q_n| and |lambda_n| are drawn beside
    # what was recorded, and anew.
    by_two, whole = place % 2, os.path.abspath(place % 2) + "/rec/first"
    before = "lambda@%d" % (n - 3) + (",gradient@%d" % (n - 3) if constants else "")  # not recorded
    window = arguments + ["-output", "window", "-replay", whole, "-window", "1:%d" % (n + 1), "-show", "norms,q@%d," % n + before]
    runs(2, program, [(by_two, arguments + ["-output", "out", "-record", "rec", "-record_every", str(n)]),
                      (by_two, arguments + ["-output", "more", "-show", before])])
    runs(1, program, [(place % 1, arguments + what)])
    for ranks in (1, 3):
        look(ranks, by_two, "plot", whole, "-output", "norms-%d" % ranks)
    look(3, by_two, "export", whole, "lambda@%d,q@%d" % (n, n), "-output", "again")
    said = runs(4, program, [(place % 4, arguments + what), (by_two, window)])[1]
    require("same bits" in said, name + ": replayed", said)
    require(os.path.exists(by_two + "/window/replay/norms.png"), name + ": norms of a window")
    runs(6, program, [(place % 6, arguments + what)])
    for ranks in (1, 4, 6):
        files = shown(place % ranks)
        if ranks == 1:
            one = files
            require(len(files) >= (50 if name == "heat" else 16 if constants else 8), name + ": files", files)
        require(files == one, name + ": the same files", ranks, set(files) ^ set(one))
        for f in files:
            require(filecmp.cmp(os.path.join(place % 1, f), os.path.join(place % ranks, f), False), name + ": the same bytes", ranks, f)
    for kind, sweep, state in [("q", "forward", "q"), ("lambda", "reverse", "lambda")]:
        for variable, (values, unit, time) in fields("%s/out/%s_%d.h5" % (place % 1, kind, n)).items():
            own = variable if kind == "q" else variable[len(kind) + 1:]
            for rank in range(2):
                with h5py.File("%s/%s-%09d-%s-rank-%d.h5" % (whole, sweep, n, state, rank), "r") as image:
                    i0, i1, j0, j1 = [int(v) for v in image.attrs["patch"]]
                    data = image["variables"][own]
                    r = [int(v) for v in data.attrs["range"]]
                    cut = data[()].reshape(r[3] - r[2], r[1] - r[0])[j0 - r[2]:j1 - r[2], i0 - r[0]:i1 - r[0]]
                    require(numpy.array_equal(values[j0:j1, i0:i1], cut), name + ": the numbers of the recording", variable, rank)
            unit = unit.decode() if isinstance(unit, bytes) else unit
            require(unit == UNITS[name].get(variable, unit), name + ": unit", variable, unit)
    for ranks in (1, 3):
        drawn = "%s/norms-%d/norms.png" % (by_two, ranks)
        require(filecmp.cmp(whole + "/norms.png", drawn, False), name + ": norms drawn alike", ranks)
    require(open(drawn, "rb").read(8) == b"\x89PNG\r\n\x1a\n", name + ": a picture of norms")
    for a, b in [("../%s-1/out/lambda_%d" % (name, n), "again/lambda_%d" % n), ("../%s-1/out/q_%d" % (name, n), "again/q_%d" % n),
                 ("../%s-1/out/q_%d" % (name, n), "window/q_%d" % n), ("more/lambda_%d" % (n - 3), "window/lambda_%d" % (n - 3)),
                 ("more/gradient_%d" % (n - 3), "window/gradient_%d" % (n - 3))][:5 if constants else 4]:
        x, y = [fields(os.path.join(place % 2, p + ".h5")) for p in (a, b)]
        require(x.keys() == y.keys() and all(numpy.array_equal(x[k][0], y[k][0]) and x[k][1] == y[k][1] and x[k][2] == y[k][2] for k in x),
                name + ": shown alike", a, b)
# What cannot be shown.
BAD = HEAT + ["-output", "out", "-show"]
refused("show: 'lamda@3' is nothing that can be shown, expected q@N, lambda@N", BAD + ["lamda@3"])
refused("show: 'lambda' names no step", BAD + ["lambda"])
refused("show: 'lambda@1x' names no step, expected lambda@N", BAD + ["lambda@1x"], ranks=2)
refused("show: 'q@3' is listed twice", BAD + ["q@3,q@3"])
refused("show: '' is nothing that can be shown", BAD + ["q@3,"])
refused("option -show .*got no value", BAD)
refused("option -show: norms are those of a recording, expected -record or -replay", BAD + ["norms"], ranks=2)
refused("show: q@100000 asked for, expected a step from 0 to 267, the run's last", BAD + ["q@100000"], ranks=2)
refused("option -show: this run of 'heat_forward' makes values only", ["-output", "out", "-show", "lambda@3"], program="heat_forward")
monitored = ["-nx", "24", "-ny", "20", "-output", "out", "-adjoint_monitor"]
refused("option -adjoint_monitor: this run of 'heat_forward' makes values only", monitored, program="heat_forward")
refused("option -adjoint_monitor: this run of 'heat_forward' made no gradient", monitored + ["-check"], program="heat_forward")
refused("show: 'lambda@3' asked for, but this run of program 'heat' made no gradient",
        ["-nx", "24", "-ny", "20", "-output", "out", "-check", "-show", "lambda@3"], program="heat_forward")
refused("show: gradient@3 asked for, but program '.*' has no active constant", CASES[1][2] + ["-output", "out", "-show", "gradient@3"], ranks=2, program="tracer_inverse")
look(1, ".", "export", "show/heat-2/rec", "lambda@7", wrong="no state of step 7 of the reverse sweep")
look(2, ".", "export", "show/heat-2/rec", "gradient@120", wrong="asked for, expected -replay DIR -window a:b -show of its program")
refused("made no gradient that came by there", BAD + ["lambda@200", "-replay", "show/heat-2/rec/first", "-window", "0:120"])
# What is refused at the end does not keep results from being whole.
done = subprocess.run([many + "/../bin/heat_forward", "-nx", "24", "-ny", "20", "-output", "whole", "-check", "-show", "lambda@3"], capture_output=True, text=True)
require(done.returncode and "made no gradient" in done.stderr and os.path.exists("whole/run.json"), "a run that cannot show what it is asked for ends whole", done.stderr)
problems += refusals.wrong()
end("show")
