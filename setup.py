# SPDX-License-Identifier: BSD-2-Clause
"""The version, which the C headers have, and the C extension: see pyproject.toml."""
import atexit
import pathlib
import re
import shutil
import sys
import tempfile

from setuptools import setup

root = pathlib.Path(__file__).parent
sys.path.insert(0, str(root / "python"))
version = re.search(r'define HALOGRAD_VERSION "(.*)"', (root / "mesh/base/version.h").read_text())[1]
place = tempfile.mkdtemp(prefix="halograd-")  # what setuptools writes stays out of the tree
atexit.register(shutil.rmtree, place, ignore_errors=True)
setup(version=version, cffi_modules=[f"python/build_halograd.py:{of}" for of in ("of_pip", "of_pip_single")], options={"build": {"build_base": place}, "egg_info": {"egg_base": place}})
