# Makes what the fuzzer begins with, DIRECTORY/<reader>/..., from the files that the tests of the readers make, and a dictionary of words.
# usage: seeds.py SOURCE_DIRECTORY DIRECTORY
import os
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


made_by("tests/mesh/io/alien_make.py", "observations", ".h5")
made_by("tests/apps/ocean/topography_make.py", "topography_text", (".asc", ".tt2", ".tt3"))
made_by("tests/apps/ocean/topography_make.py", "topography_hdf5", ".nc")
text("gauges", "two.csv", "# gauge 1 x 1 y 2 [m]\n# gauge b x 3e2 y 4 [m]\n# sigma 0.1 [m]\ntime [s],gauge 1 [m],gauge b [m]\n0,1,-2\n1.5,,3\n")
text("gauges", "one.csv", "# gauge 1 x 1 y 2 [m]\ntime [s],elevation [m]\n0,1\n10,2\n")
text("gauges", "claw.txt", "# gauge_id= 7 location=( 1 2 ) num_var= 4\n# level, time, q[ 1 2 3 ], eta\n1 0 9 0 0 1\n1 5 9 0 0 2\n")
image("image.h5")
words = "# gauge |# sigma | [m]|time [s]|elevation [m]|# gauge_id= |location=( |num_var= |# level, time, q[|], eta|ncols|nrows|xllcorner"
words += "|yllcenter|cellsize|nodata_value|1e308|-1e-320|nan|inf|0x1p9|1e400|\\x0d\\x0a|\\xef\\xbb\\xbf"
with open(os.path.join(directory, "words"), "w") as f:
    f.write("".join('"%s"\n' % w for w in words.split("|")))
