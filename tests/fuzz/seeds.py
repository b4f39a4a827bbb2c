# SPDX-License-Identifier: BSD-2-Clause
# Makes what the fuzzer begins with, DIRECTORY/<reader>/..., from the files that the tests of the readers make, and a dictionary of words.
# usage: seeds.py SOURCE_DIRECTORY DIRECTORY
import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy

source, directory = sys.argv[1:3]


def folder(reader):
    path = os.path.join(directory, reader)
    os.makedirs(path, exist_ok=True)
    return path


def made_by(script, reader, endings, largest=20000):
    """Files of a test's maker, good and bad ones, by ending."""
    place = os.path.join(directory, "made")
    subprocess.run([sys.executable, os.path.join(source, script), place], check=True)
    for name in sorted(os.listdir(place)):
        path = os.path.join(place, name)
        if name.endswith(endings) and os.path.isfile(path) and os.path.getsize(path) <= largest:
            shutil.copy(path, folder(reader))
    shutil.rmtree(place)


def text(reader, name, words):
    with open(os.path.join(folder(reader), name), "w") as f:
        f.write(words)


def image(name, libver="latest"):
    with h5py.File(os.path.join(folder("image"), name), "w", libver=libver) as f:
        f.attrs["format"] = numpy.bytes_("halograd checkpoint 1")
        f["step"] = numpy.array([2], "i8")
        for key, values, unit, kind in (("u", numpy.ones((5, 5)), "K", "field"), ("lamps", numpy.ones(3), "W", "replicated array")):
            d = f.create_dataset("variables/" + key, data=values)
            d.attrs["unit"], d.attrs["kind"] = numpy.bytes_(unit), numpy.bytes_(kind)
            if key == "u":
                d.attrs["range"] = numpy.array([-1, 4, -1, 4], "i4")


def structures():
    """Small files with each way that HDF5 keeps links, attributes and chunks, of each version."""
    chunked = lambda size, most, chunk, **how: lambda f: f.create_dataset("x", data=numpy.ones(size), maxshape=most, chunks=chunk, **how)
    attributes = lambda number, size: lambda f: [f.attrs.__setitem__("a%d" % k, numpy.arange(1 + k % size)) for k in range(number)]
    ways = {
        "single": chunked((5, 5), (5, 5), (5, 5), fletcher32=True),
        "implicit": lambda f: h5py.h5d.create(f.id, b"x", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((4, 4)), early),
        "fixed": chunked((8, 8), (8, 8), (3, 5)),
        "fixed_sums": chunked((8, 8), (8, 8), (3, 5), fletcher32=True),
        "fixed_packed": chunked((8, 8), (8, 8), (3, 5), compression="gzip", shuffle=True),
        "pages": chunked((1500,), (1500,), (1,)),
        "extensible": chunked((300, 2), (None, 2), (1, 1)),
        "extensible_sums": chunked((20, 2), (None, 2), (1, 2), fletcher32=True),
        "tree": chunked((16, 16), (None, None), (1, 2)),
        "tree_sums": chunked((8, 9), (None, None), (3, 1), fletcher32=True),
        "empty": chunked((0, 5), (None, 5), (1, 5)),
        "never": lambda f: f.create_dataset("x", shape=(10, 10), chunks=(5, 5), fillvalue=7.0),
        "attributes": attributes(100, 9),
        "attributes_large": attributes(10, 700),
        "links": lambda f: [f.__setitem__("d%d" % k, k) for k in range(60)],
        "groups": lambda f: [f.create_group("a/b%d/c" % k) for k in range(12)],
        "elsewhere": lambda f: (f.create_group("g").__setitem__("up", f["/"]), f.__setitem__("s", h5py.SoftLink("/g"))),
        "texts": lambda f: (f.__setitem__("s", "words"), f.attrs.__setitem__("t", ["a", "b"])),
        "types": lambda f: [f.__setitem__(t, numpy.zeros(3, t)) for t in ("i1", ">u4", "f2", ">f8", "S5", "?", "c16", "f4,i8", "(2,)i2")],
    }
    early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    early.set_chunk((3, 3))
    early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    for name, make in ways.items():
        for libver in "latest", "v108", "earliest":
            with h5py.File(os.path.join(folder("structure"), "%s-%s.h5" % (name, libver)), "w", libver=libver, track_order=libver == "latest") as f:
                make(f)


structures()
for reader in "observations", "results":
    made_by("tests/mesh/io/alien_make.py", reader, ".h5")
made_by("tests/apps/ocean/topography_make.py", "topography_text", (".asc", ".tt2", ".tt3"))
made_by("tests/apps/ocean/topography_make.py", "topography_hdf5", ".nc")
text("gauges", "two.csv", "# gauge 1 x 1 y 2 [m]\n# gauge b x 3e2 y 4 [m]\n# sigma 0.1 [m]\ntime [s],gauge 1 [m],gauge b [m]\n0,1,-2\n1.5,,3\n")
text("gauges", "one.csv", "# gauge 1 x 1 y 2 [m]\ntime [s],elevation [m]\n0,1\n10,2\n")
text("gauges", "claw.txt", "# gauge_id= 7 location=( 1 2 ) num_var= 4\n# level, time, q[ 1 2 3 ], eta\n1 0 9 0 0 1\n1 5 9 0 0 2\n")
rows = "".join("2011 03 11 %02d %02d 00 %d %.3f\n" % (h, m, 1 + m % 3, 5000 + h * 0.1 - m * 0.01) for h in range(4, 8) for m in (0, 15, 46, 47))
text("dart", "some.txt", "#YY  MM DD hh mm ss T   HEIGHT\n#yr  mo dy hr mn  s -        m\n" + rows)
text("dart", "few.txt", rows.replace("\n", "\r\n", 3)[:200] + "2011 03 11 06 00 15 2 9999.000\n")
image("image.h5")
at = "0 J 0x1p+0 at 0123456789abcdef gradient 0123456789abcdef pieces "
for count in 1, 3:
    text("manifest", "%d.txt" % count, "halograd evaluation 2\n%s%d\n" % (at, count) + "".join("0 2 0 2 16 0123456789abcdef -rank-%d.h5\n" % r for r in range(count)))
text("options", "plain", "0-nx 5 # cells\n-dt 1e-3\n-options_file other\n-tao_view ascii:file\n\"-a b\" c\n")
text("options", "yaml", "1nx: 5\ntao:\n  type: blmvm\n  max_it: [1, 2]\na: {b: 'c', d: \"e\"}\nf: |\n  text\n")
head = "# halograd recording 1\napplication: a\nprogram: heat\nversion: 0.1.0\ngrid: [16, 16]\npatches: [1, 1]\nperiodic: [0, 0]\norigin: [0.05, 0.05] # m\n"
head += "spacing: [0.05, 0.05] # m\nsteps: 145\ndt: 0.0003 # s\nsweeps: 2\nstates: 1\nobserved: 5:6:1 11:12:1 # first:last:every step that J looks at\nvariables:\n"
head += '- {role: carried, kind: field, size: 0, name: "u", unit: "K"}\n- {role: constant, kind: field, size: 0, name: "kappa", unit: "m^2/s"}\n'
text("recording", "head", head + 'options:\n- "-nx 16"\n')
with open(os.path.join(source, "adjoint/record/ledger.c")) as f:
    titles = eval("".join(re.search(r"head\[\] =(.*?\");", f.read(), re.S).group(1).split("\n")))
text("recording", "ledger", titles + 'forward,0,0,u,"K",0,0,0,0,0,0,0,742b843ce8015715\nreverse,100,0.03,u,"1/K",2,-2.3,12,3,3.1,4,11,6f1858c894dcd405\n')
words = "# gauge |# sigma | [m]|time [s]|elevation [m]|# gauge_id= |location=( |num_var= |# level, time, q[|], eta|ncols|nrows|xllcorner"
words += "|end | pieces |variables:\\x0a|options:|- {role: |, kind: |, name: |observed:|forward,|reverse,|- |: |&a |*a|-options_file |options_file: "
words += "|yllcenter|cellsize|nodata_value|1e308|-1e-320|nan|inf|0x1p9|1e400|\\x0d\\x0a|\\xef\\xbb\\xbf"
with open(os.path.join(directory, "words"), "w") as f:
    f.write("".join('"%s"\n' % w for w in words.split("|")))
