# SPDX-License-Identifier: BSD-2-Clause
# Claim: a file that claims more than it holds, or more than memory is meant for, ends in one sentence that says so, on 1 and on 3 ranks,
# within 5 s and 256 MiB of memory on each; what claims a little, or what -input_memory lets in, is read.
# usage: claimed.py SOURCE_DIRECTORY DIRECTORY_OF_PROGRAMS [WORD in the name of a case]
import os
import re
import resource
import shutil
import subprocess
import sys

import h5py
import numpy

source, programs = sys.argv[1:3]
word = sys.argv[3] if len(sys.argv) > 3 else ""
SECONDS, MEMORY = 5, 256 << 20
busy = 4 if "ASAN_OPTIONS" in os.environ else 1  # the sanitizer is slower, and keeps what was freed
problems, cases = [], []


def case(name, make, words, program, arguments=()):
    """`make` writes the file; FILE stands for it in the arguments."""
    cases.append((name, make, words, program, list(arguments)))


# ---- HDF5: datasets without data, or with data that are holes ----
def observations(path, times, sensors, layout, sigma_of=()):
    """`layout`: "absent": claimed and never written; "hole": the room is there, and is a hole; "chunks": chunks never written."""
    with h5py.File(path, "w", libver="v110") as f:
        f.attrs["observed"] = numpy.bytes_("u")

        def numbers(name, shape, unit):
            plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            if layout == "chunks" and shape:
                plan.set_chunk(tuple(min(n, 1 << 12) for n in shape))
            elif layout == "hole":
                plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            space = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
            d = h5py.Dataset(h5py.h5d.create(f.id, name.encode(), h5py.h5t.IEEE_F64LE, space, plan))
            d.attrs["units"] = numpy.bytes_(unit)
            return d

        numbers("time", (times,), "s")[:] = numpy.arange(times, dtype="f8")
        for axis in "xy":
            numbers(axis, (sensors,), "m")
        numbers("u", (times, sensors), "K")
        numbers("u_sigma", sigma_of, "K")
    if layout == "absent":  # so that no length gives it away
        with open(path, "r+b") as f:
            f.truncate(16 * (times + 3) * sensors)


def filler(path):
    """As many bytes as are claimed, but others."""
    observations(path, 1, 3 << 20, "chunks")
    with open(path, "ab") as f:
        f.write(b"x" * (25 << 20))


def topography(path, nx, ny, layout):
    with h5py.File(path, "w", libver="v110") as f:
        plan = dict(chunks=(min(ny, 256), min(nx, 256))) if layout == "chunks" else {}
        z = f.create_dataset("z", (ny, nx), "f8", fillvalue=-4000.0, **plan)
        z.attrs["units"] = numpy.bytes_("m")
        for k, (name, size) in enumerate((("y", ny), ("x", nx))):
            a = f.create_dataset(name, (size,), "f8", **(dict(chunks=(min(size, 1 << 16),)) if layout == "chunks" else {}))
            if size <= 1 << 20:
                a[:] = numpy.linspace(-1e6, 1e6, size)
            a.attrs["units"] = numpy.bytes_("m")
            a.make_scale(name)
            z.dims[k].attach_scale(a)
    with open(path, "r+b") as f:
        f.truncate(max(os.path.getsize(path), 8 * nx * ny))


HEAT = ["-observations", "FILE"]
CHART = ["-topography", "FILE", "-twin", "made.csv"]
GAUGES = ["-gauges", "FILE"]
for layout, words in (("absent", "claims 1.* bytes, but the file has .*, holes not counted"), ("hole", "holes not counted"), ("chunks", "claims .* bytes, but")):
    case("sensors_%s.h5" % layout, lambda p, l=layout: observations(p, 1, 200000000, l), words, "heat_inverse", HEAT)
    case("table_%s.h5" % layout, lambda p, l=layout: observations(p, 60000, 40000, l), "claims .* bytes, but", "heat_inverse", HEAT)
case("sensors_2e29.h5", lambda p: observations(p, 1, 1 << 29, "absent"), "claims .* bytes, but", "heat_inverse", HEAT)
case("sensors_filler.h5", filler, "dataset .x. claims 25165824 bytes, but only 0 were written", "heat_inverse", HEAT)
for layout in "absent", "chunks":
    case("chart_%s.nc" % layout, lambda p, l=layout: topography(p, 16000, 16000, l), "claims 2048000000 bytes, but", "shallow_water_inverse", CHART)
    case("axis_%s.nc" % layout, lambda p, l=layout: topography(p, 2, 250000000, l), "claims .* bytes, but", "shallow_water_inverse", CHART)


# ---- text ----
def text(beginning, size, end=""):
    def make(path):
        with open(path, "w") as f:
            f.write(beginning)
            f.truncate(size)
            f.seek(0, 2)
            f.write(end)

    return make


ESRI = "ncols %d\nnrows %d\nxllcenter -1e6\nyllcenter -1e6\ncellsize %s\n"
case("chart_sparse.asc", text(ESRI % (40000, 25000, "50") + "1 2 3\n", 2 << 30), "40000 x 25000 elevations claims 1999999999 bytes, but", "shallow_water_inverse", CHART)
case("chart_long.asc", text(ESRI % (2, 50000000, "50") + "1 2\n", 1 << 28), "claims .* holes not counted", "shallow_water_inverse", CHART)
case("chart_word.asc", text(ESRI % (2, 2, "2e6") + "1 2 3 ", 8 << 30), "in row 2, column 2, expected a number", "shallow_water_inverse", CHART)
case("chart_tail.asc", text(ESRI % (2, 2, "2e6") + "1 2 3 4 ", 8 << 30), "more than 2 x 2", "shallow_water_inverse", CHART)
case("chart_header.asc", text(ESRI % (2, 2, "2e6"), 8 << 30), "no elevations in its first 65536 bytes", "shallow_water_inverse", CHART)
case("chart_nothing.asc", text("", 8 << 30), "no elevations in its first 65536 bytes", "shallow_water_inverse", CHART)
case("chart_line.asc", text("ncols " + "2" * 70000, 70006), "header", "shallow_water_inverse", CHART)
case("gauges_sparse.csv", text("# gauge 1 x 1 y 2 [m]\n", 1 << 28), "claims 268435456 bytes, .* holes not counted", "shallow_water_inverse", GAUGES)
case("gauges_larger.csv", text("# gauge 1 x 1 y 2 [m]\n", 1 << 40), "expected at most 268435456 bytes", "shallow_water_inverse", GAUGES)


def table(path, gauges=20000, rows=40000):
    with open(path, "w") as f:
        for k in range(gauges):
            f.write("# gauge %x x 1 y 2 [m]\n" % k)
        f.write("time [s]" + "".join(",gauge %x [m]" % k for k in range(gauges)) + "\n")
        f.write("".join("%d\n" % k for k in range(rows)))


def join(path):
    """Rows of one file by gauges of another: 1e8 readings, nearly all of them gaps."""
    with open(path, "w") as f:
        f.write("# gauge a x 1 y 2 [m]\ntime [s],elevation [m]\n" + "".join("%d,0\n" % k for k in range(30000)))
    with open(path + ".b", "w") as f:
        gauges = range(3000)
        f.write("".join("# gauge %d x %d y 2 [m]\n" % (k, k) for k in gauges))
        f.write("time [s]" + "".join(",gauge %d [m]" % k for k in gauges) + "\n0.5" + ",0" * len(gauges) + "\n")


def everywhere_once(path):
    """Gauges that are all at one place, none of which says what another says; and one that does in the last row."""
    gauges, rows = range(20000), 20
    with open(path, "w") as f:
        f.write("".join("# gauge %d x 7 y 7 [m]\n" % k for k in gauges) + "time [s]" + "".join(",gauge %d [m]" % k for k in gauges) + "\n")
        for row in range(rows):
            f.write("%d" % row + "".join(",%d" % (k if row < rows - 1 or k else 5) for k in gauges) + "\n")
    with open(path + ".b", "w") as f:
        f.write("# gauge a x 7 y 8 [m]\ntime [s],elevation [m]\n0,0\n")


case("gauges_table.csv", table, "its table of 40000 x 20000 numbers claims 800040000 bytes, but the file has", "shallow_water_inverse", GAUGES)
case("gauges_join.csv", join, "the joined table needs 1[0-9]* bytes of memory, expected at most 104857600",
     "shallow_water_inverse", ["-gauges", "FILE,FILE.b", "-input_memory", "100MiB"])
case("gauges_place.csv", everywhere_once, "two at .7, 7. both say 5 m at 19 s", "shallow_water_inverse", ["-gauges", "FILE,FILE.b"])
case("gauges_budget.csv", table, "it needs [0-9]* bytes of memory, expected at most 65536 .-input_memory", "shallow_water_inverse",
     GAUGES + ["-input_memory", "64KiB"])
case("budget.h5", lambda p: shutil.copy(source + "/data/plate.h5", p), "its table of [0-9]* x [0-9]* numbers needs [0-9]* bytes of memory, expected at most 1024", "heat_inverse",
     HEAT + ["-input_memory", "1KiB"])
case("no_budget.h5", lambda p: shutil.copy(source + "/data/plate.h5", p), "option -input_memory .*: expected bytes from 1KiB", "heat_inverse",
     HEAT + ["-input_memory", "5"])


def run(program, ranks, arguments):
    command = [os.path.join(programs, program)] + arguments
    if ranks > 1:
        command = [source + "/scripts/mpirun", "-n", str(ranks)] + command
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


# ---- folders that a run goes on from: what is longer than was written is computed again ----
RESUME = ["-iterations", "1", "-resume", "-output", "FILE"]


def evaluation(path, name):
    run("heat_inverse", 1, [path if a == "FILE" else a for a in RESUME])
    os.truncate(os.path.join(path, "evaluations", name), 8 << 30)


for name in "evaluation-0.txt", "evaluation-0-rank-0.h5":
    case("resume_" + name, lambda p, n=name: evaluation(p, n), "expected at most [0-9]* bytes, found 8589934592", "heat_inverse", RESUME)

for name, make, words, program, arguments in cases:
    if word not in name:
        continue
    path = os.path.abspath(name)
    for ranks in 1, 3:
        if ranks == 1 or arguments == RESUME:  # which changes the folder
            shutil.rmtree(path, ignore_errors=True)
            make(path)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        output = [] if "-output" in arguments else ["-output", "out"]
        done = run(program, ranks, [a.replace("FILE", path) for a in arguments] + output)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / ranks  # a rank that waits computes
        most = after.ru_maxrss << 10
        said = [line for line in done.stderr.split("\n") if line.startswith("halograd: ")]
        where = "%s, %d ranks: " % (name, ranks)
        if (done.returncode == 0) != (arguments == RESUME) or len(said) != 1 or not re.search(words, said[0]):
            problems.append(where + "exit status %d, '%s', expected '%s'" % (done.returncode, " ".join(said)[:600] or done.stderr[-300:], words))
        if took > SECONDS * busy:
            problems.append(where + "%.1f s" % took)
        if most > MEMORY * busy:
            problems.append(where + "%.0f MiB" % (most / 2**20))
            break
        if word:
            print(where + "%.2f s, %.0f MiB, %s" % (took, most / 2**20, " ".join(said)[:300]))
    for left in path, path + ".b":
        shutil.rmtree(left, ignore_errors=True) if os.path.isdir(left) else os.path.exists(left) and os.unlink(left)
shutil.rmtree("out", ignore_errors=True)
if problems:
    sys.exit("claim fails:\n" + "\n".join(problems))
