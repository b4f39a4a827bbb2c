# SPDX-License-Identifier: BSD-2-Clause
# Claim: every bad input of heat_forward, heat_inverse and shallow_water_inverse, and a disk that fills under shallow_water, ends in one
# sentence, an exit status that is not 0 on every rank, no hang, and no file left in the output directory but whole results of a disk that filled.
# usage: refusals.py options|files|gauges SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS DIRECTORY_OF_MANY_STARTS
# Each case runs in a directory of its own, in which afterwards there must be no file (where a disk fills: whole results). Every case runs
# on 1 and on 4 ranks together with the others of its program, in one process for each rank (many_starts.c), as a start costs ten times
# what a refusal does; one in some starts alone, where tests/expect_refusal looks at what was said. One rank is then the bare program.
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

from many_starts import not_refused, start_together

what, source, programs, many = sys.argv[1:5]
work = os.getcwd()
inputs = os.path.join(work, "inputs")
LIMIT = 60  # s, for a machine that is busy with other things
# `alone`: never with others, as it takes what the process would not give back.
Case = collections.namedtuple("Case", "program ranks words arguments output before keeps alone", defaults=[None, None, False, False])
# Who refuses frees nothing, and malloc() must be able to say no under the sanitizer too.
os.environ["ASAN_OPTIONS"] = "detect_leaks=0:allocator_may_return_null=1"
SMALL = ["-nx", "12", "-ny", "12"]
# Every rank tells its own exit status and waits for the others: mpirun ends them at the first that is not 0.
EACH = """"$@"
code=$? waited=0
echo $code >"$STATUS.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
while [ "$(ls "$STATUS".* | wc -l)" -lt "${OMPI_COMM_WORLD_SIZE:-$PMI_SIZE}" ] && [ $waited -lt 100 ]; do
  sleep 0.1
  waited=$((waited + 1))
done
exit $code"""


def not_kept(left):
    """Of what a full disk left: all but results up to the last time that found room, the same times in HDF5, .pvd and .vti."""
    import h5py

    for pvd in [path for path in left if path.endswith(".pvd")]:
        listed = re.findall(r'timestep="(.*?)".*file="(.*?)"', open(pvd).read())
        vti = [os.path.join(os.path.dirname(pvd), file) for _, file in listed]
        with h5py.File(pvd[:-4] + ".h5", "r") as results:
            if [float(time) for time, _ in listed] == list(results["time"][:]) and set(vti) <= set(left):
                left = [path for path in left if path not in vti + [pvd, pvd[:-4] + ".h5", os.path.join(pvd[:-4], "kappa.vti")]]
    return left


def run(number, case):
    directory = os.path.join(work, "case-%d" % number)
    os.makedirs(directory)
    status = os.path.join(work, "status-%d" % number)
    output = case.output or os.path.join(directory, "out")
    if case.before:
        case.before(directory)
    program = [os.path.join(programs, case.program)] + case.arguments
    if "-output" not in case.arguments:
        program += ["-output", output]
    if case.ranks > 1:
        program = [source + "/scripts/mpirun", "-n", str(case.ranks), "sh", "-c", EACH, "sh"] + program
    command = [source + "/tests/expect_refusal", "-t", str(LIMIT), "^halograd: .*(%s)" % case.words] + program
    # Two cases run at a time: a session directory for each mpirun, since of two that make the same one at once one ends with "File exists".
    own = os.path.join(work, "t%d" % number)
    os.makedirs(own, exist_ok=True)
    environment = dict(os.environ, STATUS=status, OMPI_MCA_orte_tmpdir_base=own)
    told = subprocess.run(command, cwd=directory, env=environment, stdout=subprocess.PIPE, text=True)
    problems = [told.stdout.strip()] if told.returncode else []
    codes = []
    for rank in range(case.ranks if case.ranks > 1 else 0):
        try:
            codes.append(open("%s.%d" % (status, rank)).read().strip())
        except OSError:
            codes.append("none")
    if any(code != "1" for code in codes):
        problems.append("claim: every rank ends with 1; exit statuses %s" % " ".join(codes))
    left = [os.path.join(path, name) for top in {directory, output} for path, _, names in os.walk(top) for name in names]
    left = [path for path in left if not path.endswith(".keep")]
    if case.keeps:
        if not any(path.endswith(".pvd") for path in left):
            problems.append("claim: a disk that fills keeps the times before")
        left = not_kept(left)
    if left:
        problems.append("claim: a refused run leaves no file; found %s" % " ".join(sorted(left)[:5]))
    if problems:
        problems.append("  case: %s on %d ranks, %s" % (case.program, case.ranks, " ".join(case.arguments)))
    else:
        shutil.rmtree(directory)
    return "\n".join(problems)


def run_together(program, ranks, cases):
    """All cases of a program in one process of each rank; problems."""
    if not cases:
        return []
    top = os.path.join(work, "case-%s-%d" % (program, ranks))
    starts = []
    for k, case in enumerate(cases):
        os.makedirs("%s/%d" % (top, k))
        starts.append(("%s/%d" % (top, k), case.arguments if "-output" in case.arguments else case.arguments + ["-output", "out"]))
    each, wrong = start_together(source + "/scripts/mpirun", many + "/many_" + program, ranks, starts, top + "/notes")
    all_problems = ["claim: %s on %d ranks goes on after a refusal: %s" % (program, ranks, wrong)] if wrong else []
    for case, (directory, _), start in zip(cases, starts, each):
        problems = not_refused(case.words, ranks, start.said, start.codes)
        left = [os.path.join(path, name) for path, _, names in os.walk(directory) for name in names]
        if left:
            problems.append("claim: a refused run leaves no file; found %s" % " ".join(sorted(left)[:5]))
        if problems:
            all_problems.append("\n".join(problems + ["  case: %s on %d ranks, with others, %s" % (program, ranks, " ".join(case.arguments))]))
    return all_problems


def run_all(cases, alone):
    """Every case but those that are `alone` on 1 and on 4 ranks with the others of its program; and each of `alone` by itself."""
    for name in os.listdir(work):
        if re.match(r"case-|status-|t\d+$", name):
            path = os.path.join(work, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    problems, count = [], len(alone)
    for program in sorted({case.program for case in cases}):
        for ranks in 1, 4:
            some = [case for case in cases if (case.program, case.ranks) == (program, ranks) and case not in alone]
            problems += run_together(program, ranks, some)
            count += len(some)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems += [p for p in pool.map(run, range(len(alone)), alone) if p]
    print("\n".join(problems[:20]))
    if problems:
        sys.exit("%d of %d cases fail" % (len(problems), count))


def some_alone(cases, every):
    """Those that must start alone, and one in `every` of the others."""
    own = [case for case in cases if case.alone or case.keeps or case.output or case.before]
    return own + [case for case in cases if case not in own][::every]


def options():
    """Every option x every kind of bad value, on 1 rank and on 4."""
    numbers = ["-1", "4294967360", "nan", "inf", "1e400", "four", "0x10", "3,5", ""]
    whole = numbers + ["0", "1.5"]
    common = {
        "-nx": whole, "-ny": whole, "-steps": whole, "-slots": whole,
        "-px": [v for v in whole if v != "0"], "-py": [v for v in whole if v != "0"],  # 0: chosen
        "-dt": [v for v in numbers if v != "4294967360"] + ["0", "-0", "1e-400"],
        "-checkpoint_memory": ["-1", "nan", "1e400", "2GB", "", "MiB"], "-checkpoint_disk": ["-1", "1.5", "four"],
        "-store": ["-1", "0", "nan", "tape", "Memory", ""], "-memory_slots": [v for v in whole if v != "0"],
        "-case": ["-1", "0", "inf", "plates", ""], "-form": ["0", "conservativ", ""], "-walls": ["1", "open", ""],
        "-observations": [""], "-output": [""],
        "-check": ["maybe", "2"], "-digest": ["nan", "-1"],
    }
    of_program = {
        "heat_forward": {
            "-noise": [v for v in numbers] + ["1.5"],
            "-seed": [v for v in whole if v != "0"],
            "-frames": whole,
            "-sensors": [v for v in whole if v != "0"] + ["101"],
        },
        "heat_inverse": {
            "-parametrise": ["0", "nan", "linear", ""],
            "-coarse": whole + ["8", "1,8", "8,8,8", "8,4294967360", "8,", "8,x"],
            "-net": whole + ["20,0", "65", "1,2,3,4,5,6,7,8,9", "20,,20", "20x20"],
            "-net_seed": [v for v in whole if v != "0"],
            "-tikhonov": [v for v in numbers if v != "4294967360"],
            "-h1": [v for v in numbers if v != "4294967360"],
            "-tolerance": [v for v in numbers] + ["1"],
            "-iterations": [v for v in whole if v != "0"],
        },
    }
    cases = []
    for program, own in of_program.items():
        for option, values in {**common, **own}.items():
            for value in values:
                given = [option] + ([value] if value else [])
                # a missing value at the end of the line and before the next option
                for rest in [SMALL + given, given + ["-digest"]] if not value else [given]:
                    for ranks in 1, 4:
                        cases.append(Case(program, ranks, "option " + option + ".*expected", rest))
            typo = option + "s" if option != "-steps" else "-step"
            nearest = "unknown option %s; did you mean %s\\?" % (typo, option)
            cases.append(Case(program, 1, nearest, [typo, "3"]))
        cases.append(Case(program, 4, "unknown option -stepz", ["-stepz", "3"]))
        cases.append(Case(program, 1, "belongs to no option", SMALL + ["12"]))
        cases.append(Case(program, 1, "unknown option -nx=12; expected .*-nx 12", ["-nx=12"]))
    return cases


def make_inputs():
    """Observation files: one that is right, and everything that can be wrong with it."""
    import h5py
    import numpy

    shutil.rmtree(inputs, ignore_errors=True)
    os.makedirs(inputs)
    good = os.path.join(inputs, "good.h5")
    made = [os.path.join(programs, "heat_forward")] + SMALL + ["-output", inputs + "/out", "-observations", good]
    done = subprocess.run(made, stdout=subprocess.DEVNULL, timeout=LIMIT)
    if done.returncode:
        sys.exit("claim: heat_forward makes observations; exit status %d" % done.returncode)

    def altered(name, change):
        shutil.copy(good, os.path.join(inputs, name))
        with h5py.File(os.path.join(inputs, name), "r+", libver="latest") as f:
            change(f)

    def remove(key):
        return lambda f: f.__delitem__(key)

    def put(key, index, value):
        return lambda f: f[key].__setitem__(index, value)

    def unit(text, *keys):
        return lambda f: [f[key].attrs.__setitem__("units", numpy.bytes_(text)) for key in keys]

    def shape(key, cut):
        def change(f):
            values, text = f[key][()][cut], f[key].attrs["units"]
            del f[key]
            f[key] = values
            f[key].attrs["units"] = text

        return change

    for key in ("time", "x", "y", "u", "u_sigma"):
        altered("no_%s.h5" % key, remove(key))
    altered("unit.h5", unit("degC", "u", "u_sigma"))
    altered("unit_sigma.h5", unit("degC", "u_sigma"))
    altered("unit_time.h5", unit("min", "time"))
    altered("shape.h5", shape("u", numpy.s_[:, 1:]))
    altered("shape_time.h5", shape("time", numpy.s_[1:]))
    altered("nan.h5", put("u", (3, 7), numpy.nan))
    altered("inf.h5", put("x", 2, numpy.inf))
    altered("sigma.h5", put("u_sigma", (), 0.0))
    altered("outside.h5", put("x", 5, 1.25))
    altered("outside_y.h5", put("y", 0, -0.25))
    altered("late.h5", put("time", -1, 0.5))
    altered("early.h5", put("time", 0, -1e-3))
    altered("unsorted.h5", put("time", 1, 1e-9))
    altered("other.h5", lambda f: (f.move("u", "v"), f.move("u_sigma", "v_sigma"), f.attrs.__setitem__("observed", numpy.bytes_("v"))))
    data = open(good, "rb").read()
    for name, content in (
        ("short.h5", data[: len(data) // 2]),
        ("empty.h5", b""),
        ("text.h5", b"time, x, y, u\n0.1, 0.5, 0.5, 3\n" * 20),
        ("png.h5", b"\x89PNG\r\n\x1a\n" + bytes(1000)),
        ("damaged.h5", data[:2000] + bytes(100) + data[2100:]),
    ):
        with open(os.path.join(inputs, name), "wb") as f:
            f.write(content)


def stale_report(directory):
    os.makedirs(directory + "/out")
    with open(directory + "/out/run.json", "w") as f:
        f.write('{"exit": "completed"}\n')


def small_disk(directory, size):
    """A file system of `size` bytes at directory; False where we may not mount."""
    os.makedirs(directory, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=%s" % size, "none", directory]
    return os.geteuid() == 0 and subprocess.run(mount, stderr=subprocess.DEVNULL).returncode == 0


def files(disk):
    forward, inverse = "heat_forward", "heat_inverse"
    good = inputs + "/good.h5"
    regular = inputs + "/regular.keep"
    open(regular, "w").close()
    read = lambda name: SMALL + ["-observations", os.path.join(inputs, name)]
    pairs = [
        # observations
        (inverse, "'%s/missing.h5'.*No such file" % inputs, read("missing.h5")),
        (inverse, "'%s' is not a regular file" % inputs, SMALL + ["-observations", inputs]),
        (inverse, "/dev/null", SMALL + ["-observations", "/dev/null"]),
        (inverse, "short.h5", read("short.h5")),
        (inverse, "empty.h5", read("empty.h5")),
        (inverse, "text.h5.*HDF5", read("text.h5")),
        (inverse, "png.h5.*HDF5", read("png.h5")),
        (inverse, "damaged.h5", read("damaged.h5")),
        (inverse, "no dataset.*'time'|'time'.*no dataset", read("no_time.h5")),
        (inverse, "'x'.*no dataset|no dataset.*'x'", read("no_x.h5")),
        (inverse, "'y'.*no dataset|no dataset.*'y'", read("no_y.h5")),
        (inverse, "'u'.*no dataset|no dataset.*'u'", read("no_u.h5")),
        (inverse, "'u_sigma'.*no dataset|no dataset.*'u_sigma'", read("no_u_sigma.h5")),
        (inverse, r"'u' .*unit.h5.*\[degC\], expected \[K\]", read("unit.h5")),
        (inverse, "'u_sigma'.*'degC'.*'K'", read("unit_sigma.h5")),
        (inverse, "'time'.*'min'", read("unit_time.h5")),
        (inverse, "'u'.*(143|144)", read("shape.h5")),
        (inverse, "'u'.*24", read("shape_time.h5")),
        (inverse, "nan.h5.*'u'.*nan", read("nan.h5")),
        (inverse, "inf.h5.*inf", read("inf.h5")),
        (inverse, "sigma.h5.*deviation.*above 0", read("sigma.h5")),
        (inverse, "sensor 5 .of .*outside.h5.*x = 1.25 m, expected inside the domain", read("outside.h5")),
        (inverse, "sensor 0 .*y = -0.25 m, expected inside the domain", read("outside_y.h5")),
        (inverse, "observation time 24 is 0.5 s, expected 0 to 0.05 s.*late.h5", read("late.h5")),
        (inverse, "observation time 1 is 0.004 s, expected 0 to 0.002 s", read("good.h5") + ["-steps", "20", "-dt", "1e-4"]),
        (inverse, "observation time 0 is -0.001 s, expected 0 to 0.05 s", read("early.h5")),
        (inverse, r"time\[1\].*increasing", read("unsorted.h5")),
        (inverse, "no variable 'v'.*u", read("other.h5")),
        # parametrisations
        (inverse, "coarse .*'kappa': 13 x 4 nodes.* at most 12 x 12", read("good.h5") + ["-parametrise", "coarse", "-coarse", "13,4"]),
        (inverse, "coarse .*'kappa': 4 x 13 nodes.* at most 12 x 12", read("good.h5") + ["-parametrise", "coarse", "-coarse", "4,13"]),
        (inverse, "option -coarse: given with -parametrise log, expected -parametrise coarse", read("good.h5") + ["-coarse", "4,4"]),
        (inverse, "option -h1: given with -parametrise affine, which does not take it", read("good.h5") + ["-parametrise", "affine", "-h1", "2"]),
        (inverse, "option -net: given with -parametrise field", read("good.h5") + ["-parametrise", "field", "-net", "4,4"]),
        (inverse, "option -net_seed: given with -parametrise coarse", read("good.h5") + ["-parametrise", "coarse", "-net_seed", "4"]),
        # grid, patches and time
        ("both", r"-dt: 1 s .*stability limit.*at most [0-9.e-]+ s", SMALL + ["-dt", "1"]),
        ("both", r"-steps: 3 steps.*stability limit of [0-9.e-]+ s.*at least [0-9]+ steps", SMALL + ["-steps", "3"]),
        ("both", "-dt: 1e-300 s would need", SMALL + ["-dt", "1e-300"]),
        ("both", "-nx 1000000 -ny 3: .*steps", ["-nx", "1000000", "-ny", "3"]),
        ("both", "px x py is 3 x 1 patches.* (1|4) ranks", SMALL + ["-px", "3", "-py", "1"]),
        ("both", "px x py is 5 x 0 patches.* (1|4) ranks", SMALL + ["-px", "5"]),
        ("both", "no memory for [0-9]+ bytes", ["-nx", "1000000", "-ny", "1000000", "-steps", "1", "-dt", "1e-300"]),
        ("both", "no memory for [0-9]+ slots", ["-nx", "1000", "-ny", "1000", "-slots", "1000000", "-digest"]),
        ("both", "-memory_slots: given with -store memory, expected -store hdf5", SMALL + ["-memory_slots", "2"]),
        ("both", "-memory_slots: 9 of 8 slots, expected at most", SMALL + ["-store", "hdf5", "-slots", "8", "-memory_slots", "9"]),
        ("both", "-slots: given with -checkpoint_memory, expected either", SMALL + ["-checkpoint_memory", "1MiB", "-slots", "4"]),
        ("both", "-store: given with -checkpoint_disk, expected either", SMALL + ["-checkpoint_disk", "1MiB", "-store", "hdf5"]),
        ("both", "-checkpoint_memory 100 -checkpoint_disk 0: expected at least [0-9]+ bytes, one state",
         SMALL + ["-checkpoint_memory", "100", "-digest"]),
        (forward, "-noise: given without -observations, where it changes nothing", SMALL + ["-noise", "0.1"]),
        (forward, "-seed: given without -observations, where it changes nothing", SMALL + ["-seed", "4"]),
        (forward, "-slots: given to a run that makes values only", SMALL + ["-slots", "4"]),
        (forward, "-store: given to a run that makes values only", SMALL + ["-store", "memory"]),
        (forward, "-checkpoint_memory: given to a run that makes values only", SMALL + ["-checkpoint_memory", "1MiB"]),
        # output
        ("both", "'%s'.*Not a directory" % regular, SMALL + ["-output", regular + "/out"]),
        ("both", "'%s'.*Not a directory" % regular, SMALL + ["-output", regular]),
        ("both", "'/proc/halograd'.*No such file", SMALL + ["-output", "/proc/halograd"]),
        ("both", "'/proc'", SMALL + ["-output", "/proc"]),
        ("both", "'/dev/null/x'", SMALL + ["-output", "/dev/null/x"]),
        (forward, "'/nonexistent/o.h5': No such file", SMALL + ["-observations", "/nonexistent/o.h5"]),
        (forward, "it is a directory", SMALL + ["-observations", inputs]),
        (forward, "no regular file", SMALL + ["-observations", "/dev/null"]),
        (forward, "'/proc/o.h5'", SMALL + ["-observations", "/proc/o.h5"]),
        # PETSc's own options
        (inverse, "-tao_typ.*-tao_type", read("good.h5") + ["-tao_typ", "blmvm"]),
        (inverse, "-tao_type: TAO has no method 'nosuch'", read("good.h5") + ["-tao_type", "nosuch"]),
        (inverse, "-tao_type: 'tron' needs second derivatives of J as a matrix", read("good.h5") + ["-tao_type", "tron"]),
        (inverse, "-tao_type: 'ntr' does not look at bounds, but controls have some", read("good.h5") + ["-tao_type", "ntr"]),
        (inverse, "-tao_type: 'owlqn' adds a regularisation of its own", read("good.h5") + ["-tao_type", "owlqn"]),
        (inverse, "-tao_gttol: nan, expected a finite number", read("good.h5") + ["-tao_gttol", "nan"]),
        (forward, "-tao_type is used by nothing", SMALL + ["-tao_type", "blmvm"]),
        (inverse, "-options_file.*/nonexistent", ["-options_file", "/nonexistent"]),
    ]
    cases = []
    for program, words, arguments in pairs:
        alone = words.startswith("no memory")
        for name in (forward, inverse) if program == "both" else (program,):
            if name == inverse and "-observations" not in arguments:
                arguments = arguments + ["-observations", good]
            for ranks in 1, 4:
                cases.append(Case(name, ranks, words, arguments, alone=alone))
    for program in forward, inverse:
        cases.append(Case(program, 4, "4 x 1 patches need at least as many", ["-nx", "3", "-ny", "1", "-px", "4", "-py", "1"]))
        cases.append(Case(program, 4, "patches need at least as many", ["-nx", "1", "-ny", "1"]))
        # what an earlier run said must not be taken for this one's
        cases.append(Case(program, 1, "stability", SMALL + ["-dt", "1"], before=stale_report))
    for arguments in (["-walls", "insulated"], ["-case", "exercise"]):
        cases.append(Case(inverse, 4, "option %s: the thermometers that come with heat_inverse" % arguments[0], SMALL + arguments))
    water = "shallow_water"
    own = {forward: SMALL + ["-digest"], inverse: read("good.h5") + ["-iterations", "1"]}
    own[water] = ["-nx", "48", "-ny", "24", "-steps", "4000", "-interval", "200", "-frames", "off"]
    for name, program, ranks, words, more in (
        ("tiny-forward", forward, 1, "no room|No space", []),
        ("tiny-inverse", inverse, 1, "no room|No space", []),
        ("slots-forward", forward, 4, "cannot reserve .* No space", ["-store", "hdf5"]),
        ("slots-inverse", inverse, 4, "cannot reserve .* No space", ["-store", "hdf5"]),
        ("small", forward, 1, "(no room|cannot write).*No space", []),
        ("water", water, 4, "(no room|cannot write).*No space", []),
    ):
        if name in disk:
            arguments = own[program] + more + ["-output", disk[name]]
            cases.append(Case(program, ranks, words, arguments, output=disk[name], keeps=name in ("small", "water")))
    return cases


def gauges():
    """What only shallow_water_inverse takes: gauges as text or HDF5, a chart of the bottom, a basin's size."""
    import h5py
    import numpy

    program = "shallow_water_inverse"
    shutil.rmtree(inputs, ignore_errors=True)
    os.makedirs(inputs)
    path = lambda name: os.path.join(inputs, name)
    for name in "good.h5", "good.csv":
        made = [os.path.join(programs, program)] + SMALL + ["-output", inputs + "/out", "-twin", path(name)]
        if subprocess.run(made, stdout=subprocess.DEVNULL, timeout=LIMIT).returncode:
            sys.exit("claim: %s makes %s" % (program, name))
    table = open(path("good.csv")).read().splitlines(True)
    row = next(n for n, line in enumerate(table) if line.startswith("30,"))
    place = next(n for n, line in enumerate(table) if line.startswith("# gauge"))

    def text(name, line, content):
        with open(path(name), "w") as f:
            f.writelines(table[:line] + content + table[line + 1 :])

    def hdf5(name, change):
        shutil.copy(path("good.h5"), path(name))
        with h5py.File(path(name), "r+", libver="latest") as f:
            change(f)

    text("outside.csv", place, [table[place].replace("x 30000 ", "x 490000 ")])
    text("unsorted.csv", row, ["90" + table[row][2:]])
    text("twice.csv", row, [table[row], table[row]])
    text("late.csv", len(table) - 1, ["2401," + table[-1].split(",", 1)[1]])
    text("nan.csv", row, ["30,nan," + table[row].split(",", 2)[2]])
    text("short_row.csv", row, ["30,0.5\n"])
    hdf5("outside.h5", lambda f: f["y"].__setitem__(7, 320001.0))
    hdf5("late.h5", lambda f: f["time"].__setitem__(-1, 2401.0))
    hdf5("unit.h5", lambda f: [f[key].attrs.__setitem__("units", numpy.bytes_("cm")) for key in ("eta", "eta_sigma")])

    def chart(name, z, first=0.0, size=40000.0, cells=(13, 9)):
        with open(path(name), "w") as f:
            f.write("ncols %d\nnrows %d\nxllcenter %g\nyllcenter %g\ncellsize %g\n" % (*cells, first, first, size))
            for j in range(cells[1])[::-1]:
                f.write(" ".join(str(z(i * size, j * size)) for i in range(cells[0])) + "\n")

    def damaged(name, header):
        """A netCDF-4 chart of which one byte in the header-th object's header is another one."""
        with h5py.File(path(name), "w", libver="latest") as f:
            f["x"], f["y"], f["z"] = 40e3 * numpy.arange(13), 40e3 * numpy.arange(9), numpy.full((9, 13), -3000.0)
            for k, scale in enumerate("yx"):
                f[scale].make_scale(scale)
                f["z"].dims[k].attach_scale(f[scale])
        with open(path(name), "r+b") as f:
            content = f.read()
            f.seek([m.start() for m in re.finditer(b"OHDR", content)][header] + 20)
            f.write(bytes([content[f.tell()] ^ 0x81]))

    damaged("root.nc", 0)
    damaged("dataset.nc", 1)
    chart("sea.asc", lambda x, y: -3000)
    chart("island.asc", lambda x, y: 12.5 if (x, y) == (240e3, 160e3) else -3000)
    chart("puddle.asc", lambda x, y: -1.2)
    chart("part.asc", lambda x, y: -3000, first=80000.0)
    bad = {
        "-control": ["0", "bottom", ""], "-twin": [""], "-gauges": [""], "-topography": [""],
        "-noise": ["0", "-1", "nan", "101", ""], "-seed": ["-1", "1.5", "nan", ""],
        "-longitude": ["361", "nan", ""], "-latitude": ["90", "-90", "nan", ""],
        "-length": ["0", "-5", "inf", ""], "-width": ["0", "nan", ""], "-time": ["0", "-1", "1e400", ""],
    }
    cases = []
    for option, values in bad.items():
        for value in values:
            ranks = 4 if value == values[0] else 1
            cases.append(Case(program, ranks, "option " + option + ".*expected", SMALL + [option] + ([value] if value else [])))
    observed = lambda name: ["-gauges" if name.endswith("csv") else "-observations", path(name)]
    for words, arguments in (
        ("'%s'.*No such file" % path("none.csv"), observed("none.csv")),
        ("sensor 0 .gauge '1' of 'outside.csv'. is at x = 490000 m, expected inside the domain, 0 to 480000 m", observed("outside.csv")),
        ("sensor 7 .*y = 320001 m, expected inside the domain, 0 to 320000 m", observed("outside.h5")),
        ("observation time 79 is 2401 s, expected 0 to 2400 s .*gauge '1' of 'late.csv'", observed("late.csv")),
        ("observation time 79 is 2401 s, expected 0 to 2400 s", observed("late.h5")),
        ("observation time 40 is 1230 s, expected 0 to 1200 s", observed("good.csv") + ["-time", "1200"]),
        ("unsorted.csv.*60.*90", observed("unsorted.csv")),
        ("twice.csv.*30", observed("twice.csv")),
        ("nan.csv.*nan", observed("nan.csv")),
        ("short_row.csv", observed("short_row.csv")),
        ("two at .30000, 32000. both say .* at 30 s, expected each reading once", ["-gauges", path("good.csv") + "," + path("good.csv")]),
        (r"'eta' .*unit.h5.*\[cm\], expected \[m\]", observed("unit.h5")),
        ("expected one of them", observed("good.csv") + observed("good.h5")),
        ("-twin 't.csv': .*expected neither", ["-twin", "t.csv"] + observed("good.csv")),
        *(("option %s: given with -twin, which does not take it" % option.split()[0], ["-twin", "t.csv", *option.split()])
          for option in ("-check", "-huber 1", "-posterior 3", "-precondition", "-slots 3", "-record rec", "-show q@3")),
        ("option -noise: given without -twin and -gauges, where it changes nothing", ["-noise", "0.1"] + observed("good.h5")),
        ("option -seed: given without -twin and -gauges, where it changes nothing", ["-seed", "9"]),
        ("-dt: 100 s .*stability limit.*at most [0-9.]+ s", ["-dt", "100"]),
        ("-steps: 3 steps.*stability limit of [0-9.]+ s.*at least [0-9]+ steps", ["-steps", "3"]),
        ("'%s'.*No such file" % path("none.asc"), ["-topography", path("none.asc")] + observed("good.h5")),
        ("good.h5", ["-topography", path("good.h5")] + observed("good.h5")),
        ("root.nc'.*: the checksum of a part of '/' is damaged", ["-topography", path("root.nc")] + observed("good.h5")),
        ("dataset.nc'.*: the checksum of a part of 'x' is damaged", ["-topography", path("dataset.nc")] + observed("good.h5")),
        ("part.asc.*(cover|outside)", ["-topography", path("part.asc")] + observed("good.h5")),
        ("sea.asc", ["-topography", path("sea.asc"), "-length", "600e3"] + observed("good.h5")),
        ("240000|12.5|elevation", ["-topography", path("island.asc"), "-nx", "25", "-ny", "17"] + observed("good.h5")),
        ("'h' is -[0-9.]+ m in cell .* after 0 steps, expected more than 0 m", ["-topography", path("puddle.asc")] + observed("good.h5")),
        ("-topography 'sea.asc': a chart of your own, expected -gauges, -observations or -twin", ["-topography", "sea.asc"]),
        ("option -longitude: given without -topography, where it changes nothing", ["-longitude", "3"]),
        ("option -latitude: missing with -longitude, expected both", ["-topography", path("sea.asc"), "-longitude", "3"] + observed("good.h5")),
        ("'/nonexistent/o.h5': No such file", ["-twin", "/nonexistent/o.h5"]),
    ):
        for ranks in 1, 4:
            cases.append(Case(program, ranks, words, SMALL + arguments))
    return cases


if what == "gauges":
    cases = gauges()
    run_all(cases, some_alone(cases, 10))
elif what == "options":
    cases = options()
    run_all(cases, some_alone(cases, 29))
else:
    make_inputs()
    # Some disks cannot even hold the results' first bytes or the checkpoints, the others hold some of the results. Each case has its own:
    # another's checkpoints, which are still there, must not be taken for what a refused run has left.
    sizes = {"tiny-forward": "8k", "tiny-inverse": "8k", "slots-forward": "64k", "slots-inverse": "64k", "small": "1100k", "water": "1100k"}
    disk = {name: os.path.join(work, "disk-" + name) for name in sizes}
    mounted = [name for name in disk if small_disk(disk[name], sizes[name])]
    try:
        cases = files({name: disk[name] for name in mounted})
        run_all(cases, some_alone(cases, 10))
    finally:
        for name in mounted:
            subprocess.run(["umount", disk[name]])
