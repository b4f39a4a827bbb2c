# SPDX-License-Identifier: BSD-2-Clause
"""Claim: the top of the tree, as git keeps it, has the rooms and the files that docs/design.md names, and nothing left behind; each
source file names the licence at its top.
usage: top.py SOURCE; silent if the claim holds, if SOURCE is no clone, or without git"""
import pathlib
import shutil
import subprocess
import sys

from rooms import TOP, tell

EXPECTED = {*TOP, "tests", "bench", "data", "docs", "cmake", "scripts", "debian", ".ci", "python", "pyproject.toml", "setup.py", "CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "NOTICE", "CITATION.cff",
            "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", ".readthedocs.yaml", ".clang-format", ".editorconfig", ".gitignore"}

root = pathlib.Path(sys.argv[1])
if not (root / ".git").exists() or not shutil.which("git"):
    sys.exit(0)
git = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"], stdout=subprocess.PIPE, check=True)
names = [name for name in git.stdout.decode().split("\0") if name]
found = {name.split("/")[0] for name in names}
failures = [f"'{name}' stands at the top of the tree" for name in sorted(found - EXPECTED)]
failures += [f"'{name}' is missing at the top of the tree" for name in sorted(EXPECTED - found)]
sources = [name for name in names if name.endswith((".c", ".h", ".py", ".cmake", ".stencil", "CMakeLists.txt")) or name.startswith("scripts/")]
failures += [f"{name} has no line 'SPDX-License-Identifier: BSD-2-Clause' at its top" for name in sources
             if (root / name).exists() and "SPDX-License-Identifier: BSD-2-Clause" not in "".join((root / name).open().readlines()[:2])]
sys.exit(tell("the top of the tree", failures))
