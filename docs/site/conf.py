# SPDX-License-Identifier: BSD-2-Clause
"""Sphinx's configuration for the site; scripts/docs runs it on the pages that docs/site/pages.py has collected."""
import pathlib
import re
import sys
from unittest.mock import MagicMock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# The docstrings of the Python package, without the library below it and without MPI.
sys.path.insert(0, str(ROOT / "python"))
sys.modules.update({"_halograd": MagicMock(), "mpi4py": MagicMock()})
sys.modules["_halograd"].lib.hg_py_start.return_value = 0
sys.modules["_halograd"].ffi.string.return_value = b""
sys.modules["_halograd"].lib.hg_py_comments = [sys.modules["_halograd"].ffi.NULL]

project = "halograd"
author = copyright = "the halograd developers"
release = re.search(r'define HALOGRAD_VERSION "(.*)"', (ROOT / "mesh/base/version.h").read_text())[1]
extensions = ["myst_parser", "breathe", "sphinx.ext.mathjax", "sphinx.ext.autodoc"]
root_doc = "index"
primary_domain, highlight_language = "c", "none"  # indented text is output and formulas
smartquotes = False  # F'(x) is no quotation

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
myst_update_mathjax = False
suppress_warnings = ["myst.header"]  # a page may leave out a level
mathjax_path = "mathjax/MathJax.js?config=TeX-AMS_SVG"
mathjax2_config = {"showProcessingMessages": False, "messageStyle": "none"}

breathe_projects = {"halograd": str(ROOT / "build-docs/doxygen")}
breathe_default_project = "halograd"
breathe_domain_by_extension = {"h": "c"}
c_id_attributes = ["static"]

html_theme = "furo"
html_title = f"halograd {release}"
html_static_path = [str(ROOT / "docs/site/static"), str(ROOT / "build-docs/static")]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_show_sphinx = False


def written(app, what, name, thing, options, lines):
    """A C function that a docstring names leads to its comment in the C reference. Lines "name   what it is" are a list of definitions."""
    made, inside = [], False
    for line in lines:
        defined = re.match(r"(\w\S*(?: \S+)*) {2,}(\S.*)", line)
        inside = bool(defined) or inside and line.startswith(" ")
        made += [defined[1], "    " + defined[2]] if defined else ["    " + line.lstrip()] if inside else [line]
    lines[:] = [re.sub(r"\b(Hg\w+)\(\)", r":c:func:`\1`", line) for line in made]


def setup(app):
    app.connect("autodoc-process-docstring", written)
