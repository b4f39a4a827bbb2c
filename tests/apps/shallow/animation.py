# SPDX-License-Identifier: BSD-2-Clause
# Claim: shallow_water leaves one whole PNG for each result, and says how ffmpeg makes a film of them, which it does if it is there.
# usage: animation.py SOURCE PROGRAM, in a directory of its own.
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib

import h5py

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require
CASE = ["-nx", "40", "-ny", "20", "-interval", "600"]
FRAMES = 4  # of 120 steps


def run(output, frames, more=()):
    steps = ["-steps", "120" if frames == FRAMES else "35", "-output", output] + list(more)
    done = subprocess.run([source + "/scripts/mpirun", "-n", "4", program] + CASE + steps, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    require(done.returncode == 0, "%s: exit status %d, it said" % (output, done.returncode), done.stdout)
    return done.stdout


def whole_png(path):
    data = open(path, "rb").read()
    at, kinds, pixels = 8, [], b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] != zlib.crc32(kind + body):
            return False
        pixels += body if kind == b"IDAT" else b""
        kinds.append(kind)
        at += 12 + size
    width, height = struct.unpack(">II", data[16:24])
    return data[:8] == b"\x89PNG\r\n\x1a\n" and kinds[-1] == b"IEND" and len(zlib.decompress(pixels)) == height * (1 + 3 * width) > 100000


def look(output, frames):
    found = sorted(os.listdir(output + "/frames"))
    require(found == ["shallow_water_%04d.png" % k for k in range(frames)], output + ": frames", found)
    pictures = [open(path, "rb").read() for path in glob.glob(glob.escape(output) + "/frames/*")]
    require(len(set(pictures)) == frames, output + ": frames differ from each other", len(set(pictures)))
    for name in found:
        require(whole_png(output + "/frames/" + name), output + ": a whole PNG", name)
    with h5py.File(output + "/shallow_water.h5", "r") as results:
        require(len(results["time"]) == frames, output + ": as many frames as results", len(results["time"]))


shutil.rmtree("work", ignore_errors=True)  # of an earlier run
os.makedirs("work")
os.chdir("work")
said = run("o o", FRAMES)
look("o o", FRAMES)
command = re.findall("^animation: 4 frames in o o/frames; a film of them: (ffmpeg .*)$", said, re.M)
require(len(command) == 1, "it says how a film is made", said)
# fewer frames than before leave no older ones
run("o o", 2)
look("o o", 2)
for off in (["-frames", "off"], ["-interval", "0"]):
    said = run("off", FRAMES, off)
    require(not os.path.exists("off/frames") and "animation" not in said, "no frame, no word", off, said)
if shutil.which("ffmpeg") and command:
    subprocess.run(command[0] + " -loglevel error -nostdin", shell=True, check=True)
    film = open("o o/shallow_water.mp4", "rb").read()
    require(film[4:8] == b"ftyp" and b"moov" in film and len(film) > 2000, "it is an MP4", film[:12], len(film))
end("frames and film")
