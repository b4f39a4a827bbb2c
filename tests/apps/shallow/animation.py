# SPDX-License-Identifier: BSD-2-Clause
# Claim: shallow_water leaves one whole PNG for each result and a film of them; where ffmpeg is missing, fails, writes nothing or hangs
# there is none, a sentence says why, and the run is a good one all the same.
# usage: animation.py SOURCE PROGRAM, in a directory of its own. Programs in the place of ffmpeg play its part; ffmpeg itself is tried if
# it is there.
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import time
import zlib

import h5py

source, program = sys.argv[1:3]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, require
CASE = ["-nx", "40", "-ny", "20", "-interval", "600"]
FRAMES = 4  # of 120 steps
START = """#!/bin/sh
printf '%s\\n' "$@" >arguments
for to; do :; done
"""
PLAYERS = {  # what ffmpeg does: its script, the reason that must be told (None: there is a film), frames
    "missing": (None, "there is no ffmpeg in PATH", FRAMES),
    "made": (START + 'printf film >"$to"', None, FRAMES),
    "failed": (START + 'printf half >"$to"; printf "at first\\nno such codec\\n\\n" >&2; exit 3', "ffmpeg failed with exit status 3: no such codec", FRAMES),
    "killed": (START + 'printf half >"$to"; kill -9 $$', "ffmpeg was ended by signal 9", FRAMES),
    "nothing": (START, "ffmpeg wrote nothing", FRAMES),
    "hanging": (START + 'printf half >"$to"; echo stuck >&2; exec sleep 1000', "ffmpeg was not ready after 12 s: stuck", 2),
    "no-program": ("#!/nonexistent\n", "there is no ffmpeg in PATH|ffmpeg cannot be started", FRAMES),
}


def run(output, frames, path, more=()):
    """`path`: PATH of the program itself; mpirun keeps its own."""
    steps = ["-steps", "120" if frames == FRAMES else "35", "-output", output] + list(more)
    launch = [source + "/scripts/mpirun", "-n", "4", "env", "PATH=" + path, program]
    done = subprocess.run(launch + CASE + steps, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
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


def look(output, frames, film):
    found = sorted(os.listdir(output + "/frames"))
    require(found == ["shallow_water_%04d.png" % k for k in range(frames)], output + ": frames", found)
    pictures = [open(path, "rb").read() for path in glob.glob(glob.escape(output) + "/frames/*")]
    require(len(set(pictures)) == frames, output + ": frames differ from each other", len(set(pictures)))
    for name in found:
        require(whole_png(output + "/frames/" + name), output + ": a whole PNG", name)
    with h5py.File(output + "/shallow_water.h5", "r") as results:
        require(len(results["time"]) == frames, output + ": as many frames as results", len(results["time"]))
    left = [name for name in os.listdir(output) if "mp4" in name]
    require(left == (["shallow_water.mp4"] if film else []), output + ": films", left)


shutil.rmtree("work", ignore_errors=True)  # of an earlier run
os.makedirs("work")
os.chdir("work")
for name, (script, reason, frames) in PLAYERS.items():
    place = os.path.abspath("bin-" + name)
    os.makedirs(place)
    if script:
        with open(place + "/ffmpeg", "w") as f:
            f.write(script)
        os.chmod(place + "/ffmpeg", 0o755)
    began = time.time()
    said = run(name, frames, place + (":/usr/bin:/bin" if script and name != "no-program" else ""))
    require(time.time() - began < 60, name + ": it ends in time", time.time() - began)
    look(name, frames, reason is None)
    wanted = "^animation: none, as (%s).*; its %d frames are in %s/frames$" % (reason, frames, name)
    if reason is None:
        wanted = "^animation: %s/shallow_water.mp4 of %d frames$" % (name, frames)
    require(len(re.findall(wanted, said, re.M)) == 1 == len(re.findall("^animation: ", said, re.M)), name + ": it says '%s'" % wanted, said)
with open("hanging/arguments") as f:
    words = f.read().split("\n")
require("frames/shallow_water_%04d.png" in words, "no shell has changed the arguments", words)
# fewer frames than before leave no older ones, nor an older film
fake = os.path.abspath("bin-made") + ":/usr/bin:/bin"
run("made", 2, os.path.abspath("bin-missing"))
look("made", 2, False)
said = run("off", FRAMES, fake, ["-frames", "off"])
require(not os.path.exists("off/frames") and "animation" not in said, "-frames off: no frame, no word", said)
said = run("none", FRAMES, fake, ["-interval", "0"])
require(not os.path.exists("none/frames") and "animation" not in said, "-interval 0: no frame, no word", said)
if shutil.which("ffmpeg"):
    odd = "o 100%d:$(x) é"
    run(odd, FRAMES, os.environ["PATH"])
    look(odd, FRAMES, True)
    film = open(odd + "/shallow_water.mp4", "rb").read()
    require(film[4:8] == b"ftyp" and b"moov" in film and len(film) > 2000, "ffmpeg's film is an MP4", film[:12], len(film))
    if shutil.which("ffprobe"):
        asked = ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,pix_fmt,r_frame_rate", "-of", "csv=p=0"]
        told = subprocess.run(["ffprobe"] + asked + [odd + "/shallow_water.mp4"], stdout=subprocess.PIPE, text=True).stdout.strip()
        require(told == "yuv420p,24/1,%d" % FRAMES, "the film's frames", told)
end("frames and film")
