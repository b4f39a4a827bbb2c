# SPDX-License-Identifier: BSD-2-Clause
"""Claim: a function is public because somebody calls it: an app, a bench, the Python package, a program outside the project (tests/install), a page, generated
C or a public header. What only the library and its tests call belongs into a header NAME_library.h.
usage: public.py SOURCE; silent if the claim holds"""
import pathlib
import re
import sys

from rooms import USES, files_of, tell

root = pathlib.Path(sys.argv[1])
FUNCTION = re.compile(r"^(?!typedef)(?:static inline )?[A-Za-z_][\w \*]*?\b(Hg\w+)\s*\([^;{]*[;{]", re.M)
CALLERS = ["apps/**/*.[ch]", "bench/**/*.[ch]", "python/**/*.py", "tests/install/**/*.c", "stencils/generator/*.py", "docs/*.md", "README.md"]


def of_c(path):
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)


declared, called = {}, set()
for room in USES:
    for header in files_of(root, room, ".h"):
        if not header.name.endswith(("_library.h", "_private.h")):
            text = of_c(header)
            declared |= {name: header for name in FUNCTION.findall(text)}
            called |= set(re.findall(r"\bHg\w+", FUNCTION.sub("", text)))
for pattern in CALLERS:
    for path in root.glob(pattern):
        called |= set(re.findall(r"\bHg\w+", of_c(path)))
failures = [f"{header.relative_to(root)}: {name}() is called by none" for name, header in sorted(declared.items()) if name not in called]
if len(declared) < 200:
    failures.append(f"only {len(declared)} functions were found")
sys.exit(tell("a function is public because somebody calls it", failures))
