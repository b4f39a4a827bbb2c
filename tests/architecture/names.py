# SPDX-License-Identifier: BSD-2-Clause
"""Claim: no type, constant or function is defined by two headers, public or private: one word has one meaning.
usage: names.py SOURCE; silent if the claim holds"""
import pathlib
import re
import sys

from rooms import USES, files_of, tell

root = pathlib.Path(sys.argv[1])
places, failures = {}, []
for room in USES:
    for header in files_of(root, room, ".h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        names = re.findall(r"^(?:\} |typedef .*?[ *])(Hg\w+|HG_\w+)(?:_s)?;", text, re.M)  # typedefs
        names += re.findall(r"^#define (\w+)", text, re.M)
        for body in re.findall(r"enum (?:\w+ )?\{(.*?)\}", text, re.S):
            names += re.findall(r"\b(HG_\w+)\b(?=\s*(?:=|,|$))", body, re.M)
        names += re.findall(r"^[a-zA-Z].*?\b\*?(Hg\w+)\([^;{]*[;{]", text, re.M)
        for name in set(names):
            places.setdefault(name, []).append(str(header.relative_to(root)))
for name, where in sorted(places.items()):
    if len(where) > 1:
        failures.append(f"'{name}' stands in {' and '.join(where)}")
if len(places) < 400:
    failures.append(f"only {len(places)} names were found")
sys.exit(tell("every name is defined once", failures))
