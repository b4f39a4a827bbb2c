#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the pages of the C reference, one for each public header, from Doxygen's XML. Fails if a public function, or the handle of an object, has no text.
usage: reference.py XML OUTPUT"""
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROOMS = {
    "mesh": "Grids, states, files and pictures",
    "halo": "Between patches",
    "stencils": "Kernels and physics",
    "adjoint": "Derivatives and inversions",
}
OF_GUARD = re.compile(r"HALOGRAD_\w+_H")


def text_of(element):
    """All text of an element's description."""
    return "".join("".join(part.itertext()) for name in ("briefdescription", "detaileddescription") for part in element.findall(name)).strip()


def title_of(path):
    """What follows the header's name in its first comment."""
    found = re.search(r"/\* halograd/(\S+) -- (.*?)(?:\n\n|\*/|\n *\n)", path.read_text(), re.S)
    if not found:
        sys.exit(f"{path}: its first comment does not say 'halograd/{path.name} -- what it is'")
    return " ".join(found[2].split()).rstrip(".:")


def main(xml, output):
    pages, missing, functions = {room: [] for room in ROOMS}, [], 0
    for file in sorted(xml.glob("*_8h.xml")):
        compound = tree.parse(file).getroot().find("compounddef")
        path = ROOT / compound.find("location").get("file")
        room, name = path.relative_to(ROOT).parts[0], path.name
        for member in compound.iter("memberdef"):
            if member.get("kind") == "define" and OF_GUARD.fullmatch(member.findtext("name")):
                continue
            handle = member.get("kind") == "typedef" and member.findtext("type").startswith("struct ")
            functions += member.get("kind") == "function"
            if (member.get("kind") == "function" or handle) and not text_of(member):
                missing.append(f"{path.relative_to(ROOT)}: {member.findtext('name')} has no comment")
        title = title_of(path)
        heading = f"{name}: {title}"
        (output / f"{path.stem}.rst").write_text(
            f"{name}\n{'=' * len(name)}\n\n*{title[0].upper()}{title[1:]}.*\n\n.. code-block:: c\n\n   #include <halograd/{name}>\n\n.. doxygenfile:: {name}\n   :project: halograd\n   :sections: detaileddescription func typedef enum innerclass define var\n"
        )
        pages[room].append((path.stem, heading))
    lines = ["C reference", "===========", "", "One page for each public header; ``<halograd.h>`` includes them all. Functions return a ``PetscErrorCode``",
             "and are called through ``PetscCall()``, unless their type says otherwise. The pages are made from the", "comments of the headers. :ref:`genindex` lists all names.", ""]
    for room, title in ROOMS.items():
        lines += ["", title, "-" * len(title), "", ".. list-table::", "   :widths: 28 72", ""]
        for stem, heading in sorted(pages[room]):
            lines += [f"   * - :doc:`{stem}.h <{stem}>`", f"     - {heading.split(': ', 1)[1]}"]
        lines += ["", ".. toctree::", "   :hidden:", "", *[f"   {stem}.h <{stem}>" for stem, _ in sorted(pages[room])]]
    (output / "index.rst").write_text("\n".join(lines) + "\n")
    if functions < 200:
        sys.exit(f"reference.py: only {functions} functions were found in {xml}")
    if missing:
        sys.exit("\n".join(missing) + f"\nreference.py: {len(missing)} public names have no text")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
