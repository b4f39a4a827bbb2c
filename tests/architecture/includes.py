# SPDX-License-Identifier: BSD-2-Clause
"""Claim: a source file of the library can include exactly the public and library headers of the rooms that its own may use, and a program
exactly the public ones; each compiles alone, a public one as ISO C11; no arrow points back and no circle of rooms exists.
usage: includes.py SOURCE BUILD COMPILER; silent if the claim holds. BUILD/compile_commands.json says how each source is compiled."""
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys

from rooms import TOP, USES, files_of, library_headers, may_see, public_headers, tell

root, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
failures, above = [], []

# No arrow points back, so there is no circle either.
for room, uses in USES.items():
    for other in uses.split():
        if other not in above:
            failures.append(f"{room} uses {other}, expected a room that stands above it")
        elif TOP.index(other.split("/")[0]) > TOP.index(room.split("/")[0]):
            failures.append(f"{room} uses {other}, against the arrows {' -> '.join(TOP)}")
    above.append(room)

# Every folder with C files is a room, or holds programs of apps/.
for folder in sorted({f.parent for top in TOP for f in (root / top).rglob("*.[ch]")}):
    name = str(folder.relative_to(root))
    if name not in USES and not name.startswith("apps/"):
        failures.append(f"{name} is no room of the table")

# Which headers the compiler finds for a source of each room.
directories = {}
for command in json.loads((build / "compile_commands.json").read_text()):
    room = str(pathlib.Path(command["file"]).parent.relative_to(root))
    if room in USES or room.startswith("apps/"):
        words = shlex.split(command["command"])
        directories.setdefault(room, {w[2:] for w in words if w.startswith("-I")} | {b for a, b in zip(words, words[1:]) if a == "-isystem"})
public = {h: room for room in USES for h in public_headers(root, room)}
library = {h: room for room in USES for h in library_headers(root, room)}
headers = {**public, **library}
tried = 0
for room in USES:
    if room not in directories:
        if files_of(root, room, ".c"):
            failures.append(f"{room} is compiled by nothing")
        continue
    for header, owner in headers.items():
        found = any(pathlib.Path(d, "halograd", header.name).exists() for d in directories[room])
        allowed = owner in may_see(room)
        tried += 1
        if found != allowed:
            failures.append(f"<halograd/{header.name}> in {room}: expected {'found' if allowed else 'not found'}")
    if room.startswith("stencils"):
        for name in ("mpi.h", "petscsys.h"):
            if any(pathlib.Path(d, name).exists() for d in directories[room]):
                failures.append(f"<{name}> in {room}: a kernel should not see it")
for folder in set(directories) - set(USES):
    for header in headers:
        found = any(pathlib.Path(d, "halograd", header.name).exists() for d in directories[folder])
        if found != (header in public):
            failures.append(f"<halograd/{header.name}> in {folder}: expected {'found' if header in public else 'not found'}")
if tried < 1000 or len(headers) < 40:
    failures.append(f"only {len(headers)} headers and {tried} pairs were tried")


def alone(item):
    header, owner = item
    places = directories.get(owner, directories["stencils/heat"])
    standard = ["-std=gnu11"]
    if header in public:  # which includes no library header
        standard = ["-std=c11", "-pedantic"]
        places = [d for d in places if "/include/library/" not in d]
    flags = [f"-I{d}" if d.startswith(str(build)) else f"-isystem{d}" for d in places]  # other people's headers may warn
    ran = subprocess.run([compiler, *standard, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *flags, "-x", "c", "-"],
                         input=f"#include <halograd/{header.name}>\nextern int nothing;\n", text=True, capture_output=True)
    return None if ran.returncode == 0 else f"<halograd/{header.name}> should compile on its own ({standard[0]}), but: {ran.stderr.strip()}"


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    failures += [failure for failure in pool.map(alone, headers.items()) if failure]

# "name_private.h" stays in its room.
for room in USES:
    for source in files_of(root, room, ".c", ".h"):
        for name in re.findall(r'#include "([^"]+)"', source.read_text()):
            if not name.endswith("_private.h") or not (root / room / name).exists():
                failures.append(f'{source.relative_to(root)} includes "{name}"')
sys.exit(tell("a source includes what its room may use", failures))
