# SPDX-License-Identifier: BSD-2-Clause
# Claim: files in data/ have the checksums of SHA256SUMS, data/README.md quotes those of its own files, and the commands that it gives for
# synthetic observations make these once more: the same names, units and command, numbers to 1e-12 of the largest (bits are those of one libm).
# usage: data.py SOURCE_DIRECTORY heat_forward
import hashlib
import os
import re
import shlex
import subprocess
import sys

import h5py
import numpy

from many_starts import end, require

source, program = sys.argv[1:3]
data = source + "/data/"


def checksum(name):
    with open(data + name, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def alike(name):
    """Is the file made here the one that ships?"""
    with h5py.File(data + name, "r") as ships, h5py.File(name, "r") as made:
        require(sorted(ships) == sorted(made), name + ": datasets", sorted(made))
        require(str(dict(ships.attrs)) == str(dict(made.attrs)), name + ": attributes", dict(made.attrs), dict(ships.attrs))
        for k in ships:
            a, b = ships[k][()], made[k][()]
            require(a.shape == b.shape and ships[k].attrs.get("units") == made[k].attrs.get("units"), name + ": shape and unit", k)
            if a.shape == b.shape and numpy.issubdtype(a.dtype, numpy.floating):
                require(numpy.abs(a - b).max() <= 1e-12 * numpy.abs(a).max(), name + ": numbers", k, numpy.abs(a - b).max())


with open(data + "SHA256SUMS") as sums:
    listed = dict(reversed(line.split()) for line in sums)
with open(data + "README.md") as page:
    readme = page.read()
for name, digest in listed.items():
    require(checksum(name) == digest, name + ": checksum, expected as in SHA256SUMS", checksum(name))
    if "/" not in name:
        row = re.search(r"\| `%s` \|.*\| ([0-9 ]+) bytes \| `([0-9a-f]+)` \|" % re.escape(name), readme)
        require(row and row.group(2) == digest and int(row.group(1).replace(" ", "")) == os.path.getsize(data + name), name + ": row of data/README.md", row)
kept = [os.path.relpath(os.path.join(path, n), data) for path, _, names in os.walk(data) for n in names]
require(sorted(listed) == sorted(n for n in kept if not n.endswith("README.md") and n != "SHA256SUMS"), "SHA256SUMS lists every file", kept)
require(sum(os.path.getsize(data + n) for n in kept) <= 5e6, "data/ has at most 5 MB")
os.environ["PATH"] = os.path.dirname(program) + ":" + os.environ["PATH"]
for command in re.findall(r"^    mpirun (-n 4 .* (?:-observations|-twin) \w+\.h5.*)$", readme, re.M):
    done = subprocess.run([source + "/scripts/mpirun"] + shlex.split(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    require(done.returncode == 0, command, done.stdout[-300:])
    alike(re.search(r"(\w+\.h5)", command).group(1))
end("data")
