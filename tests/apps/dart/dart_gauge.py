# SPDX-License-Identifier: BSD-2-Clause
# Claim: dart_gauge makes the tables of gauges in data/ from NDBC's raw text, the same bytes on any number of ranks; tohoku_inverse takes them; what is
# asked of it and cannot be done is one sentence, and the table of before stays.
# usage: dart_gauge.py SOURCE_DIRECTORY dart_gauge tohoku_inverse DIRECTORY_OF_MANY
import json
import os
import re
import subprocess
import sys

source, program, inverse, many = sys.argv[1:5]
sys.path.insert(0, source + "/tests/apps")
from many_starts import end, problems, require, Refusals

data = source + "/data/tohoku/"
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # what ends by an error frees nothing
SIGMA = {"21418": 0.06, "21401": 0.03, "21419": 0.03, "21413": 0.03}


def run(ranks, *words):
    launch = [source + "/scripts/mpirun", "-n", str(ranks)] + list(words)
    return subprocess.run(launch, capture_output=True, text=True)


def table(path):
    with open(path) as file:
        lines = file.read().split("\n")
    head = [line for line in lines if line.startswith(("# gauge", "# sigma", "time"))]
    return head, {float(t): float(eta) for t, eta in (line.split(",") for line in lines if line[:1].isdigit())}


def plain(line):
    """Words, and numbers however they are written."""
    return [float(word) if word[-1].isdigit() and word[0] in "-0123456789" else word for word in line.split()]


def words(name, **other):
    with open(data + "dart%s.csv" % name) as file:
        line = next(line for line in file if line.startswith("# gauge")).split()
    options = {"raw": data + name + "_ndbc.txt", "gauge": name, "longitude": line[4], "latitude": line[6], "origin_time": "2011-03-11T05:46:24",
               "sigma": str(SIGMA[name]), "table": name + ".csv"}
    options.update(other)
    return [word for key, value in options.items() if value is not None for word in ("-" + key, value)] + ["-equal_weights"]


# What ships has six digits.
for name in SIGMA:
    done = run(1, program, *words(name))
    require(done.returncode == 0, "gauge " + name, done.stdout, done.stderr)
    if done.returncode:
        continue
    (head, made), (ships_head, ships) = table(name + ".csv"), table(data + "dart%s.csv" % name)
    require(sorted(made) == sorted(ships), name + ": times", len(made), len(ships))
    require(all(abs(made[t] - ships[t]) < 5.1e-7 for t in ships if t in made), name + ": elevations")
    require([plain(line) for line in head] == [plain(line) for line in ships_head], name + ": head", head, ships_head)
    require("readings in %s.csv, the highest " % name in done.stdout, name + ": what it says", done.stdout)
with open("21418.csv", "rb") as file:
    one = file.read()
done = run(3, program, *words("21418"))
with open("21418.csv", "rb") as file:
    require(done.returncode == 0 and file.read() == one, "three ranks make other bytes", done.stderr)


# A record that goes on in the file of the next year.
with open(data + "21418_ndbc.txt") as raw:
    rows = raw.read().split("\n")
for name, part in ("old", rows[: len(rows) // 2]), ("new", ["YY MM DD hh mm ss T HEIGHT", "2011 03 01 00 00 00 1 0.000", *rows[len(rows) // 2 :]]):
    with open(name + ".txt", "w") as file:
        file.write("\n".join(part) + "\n")
done = run(2, program, *words("21418", raw="new.txt,old.txt", table="joined.csv"))
require("gauge 21418: 1 heights of 0 m left out" in done.stdout, "heights of 0 are counted", done.stdout, done.stderr)
with open("joined.csv", "rb") as file:
    require(file.read() == one, "the record of two files is that of one")

# From the text to an inversion.
done = run(3, inverse, "-gauges", "21418.csv,21413.csv", "-windows", "1296,3000,3900,6300", "-iterations", "2", "-output", "found")
require(done.returncode == 0 and "gauge 21413: misfit" in done.stdout, "an inversion from it", done.stdout[-500:], done.stderr)
if done.returncode == 0:
    with open("found/run.json") as file:
        require(json.load(file)["iterations"] == 2, "iterations of run.json")

with open(data + "21418_ndbc.txt") as raw, open("own.txt", "w") as own:
    own.write(raw.read())
if not os.path.exists("link.txt"):
    os.link("own.txt", "link.txt")
refusals = Refusals(source + "/scripts/mpirun", many)
for missing in "raw", "gauge", "longitude", "latitude", "origin_time", "table":
    refusals.add("option -%s: not given, expected" % missing, words("21418", **{missing: None}), "dart_gauge", 1)
for what, says in (
    ({"origin_time": "11 March 2011"}, "its origin time is '11 March 2011', expected one in UTC and whole seconds such as 2011-03-11T05:46:24"),
    ({"origin_time": "2001-03-11T05:46:24"}, "0 readings from"),
    ({"raw": data + "dart21418.csv"}, "line 4: 'time [s],gauge 21418 [m]', expected year month day"),
    ({"raw": "nothing.txt"}, "No such file"),
    ({"gauge": "two words"}, "a gauge is called 'two words', expected"),
    ({"longitude": "1e9"}, "option -longitude"),
    ({"degree": "61"}, "option -degree"),
    ({"last": "200000"}, "expected times that are not negative, waves within the tide"),
    ({"table": "no/folder/21418.csv"}, "no/folder/21418.csv"),
    ({"table": "a,b.csv"}, "option -table: 'a,b.csv', expected a name without commas"),
    ({"raw": "own.txt", "table": "./link.txt"}, "option -table: './link.txt' is the file of -raw"),
    ({"raw": "own.txt,new.txt,./own.txt"}, "option -raw: './own.txt' is given twice, expected every file once"),
    ({"raw": "new.txt,own.txt", "table": "./link.txt"}, "option -table: './link.txt' is the file of -raw"),
    ({"sigma": "1e300"}, "option -sigma"),
    ({"colour": "red"}, "option -colour"),
):
    refusals.add(re.escape(says), words("21418", **what), "dart_gauge", 2)
problems += refusals.wrong()
with open("21418.csv", "rb") as file:
    require(file.read() == one, "the table changed by a refusal")
end("dart_gauge makes the tables that ship")
