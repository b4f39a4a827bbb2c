#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Doxygen's input filter: the plain comments of a public header as those that Doxygen reads.
A comment directly above a declaration belongs to it, and to the declarations that follow without a blank line, which refer to the first
one. A comment after a declaration or a member, on its line, belongs to that one. A comment that stands alone describes the file.
usage: headers.py HEADER     writes to stdout"""
import re
import sys

SPECIAL = re.compile(r'[\\@<>&#%"]')
ALIGNED = re.compile(r"\S {3,}\S")  # a table or a formula that keeps its columns


def prose(line):
    """A line of text: what is special to Doxygen is quoted, `name` becomes code."""
    parts = line.split("`")
    if len(parts) % 2 == 0:
        parts = [line]
    quoted = [SPECIAL.sub(lambda found: "\\" + found[0], part) for part in parts]
    return "".join(f"<tt>{part}</tt>" if k % 2 else part for k, part in enumerate(quoted))


def described(comment, inside=False):
    """The lines of a comment as Doxygen's text: paragraphs, and what is indented or has columns as it stands."""
    first, *others = comment.strip()[2:-2].rstrip().splitlines()
    left = min((len(line) - len(line.lstrip()) for line in others if line.strip()), default=3) if inside else 3
    lines = [first.strip()] + [line[left:].rstrip() for line in others]
    blocks, block = [], []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            blocks.append(block)
            block = []
    out = []
    for block in blocks:
        columns = any(ALIGNED.search(line) for line in block if not line.startswith(" "))
        kept = [line for line in block if columns or line.startswith("  ")]
        was = False
        for line in block:
            keeps = line in kept
            if keeps != was:
                out.append("@verbatim" if keeps else "@endverbatim")
            out.append(line if keeps else prose(line))
            was = keeps
        out += ["@endverbatim", ""] if was else [""]
    return "\n".join(out).strip()


def name_of(declaration):
    """What a declaration declares, for a reference to it."""
    found = re.search(r"\b(Hg\w+|HG_\w+|hg_\w+)\s*\((?!\*)", declaration)
    if found and not declaration.startswith(("typedef struct", "typedef enum")):
        return found[1] + ("()" if not declaration.startswith("#define") else "")
    names = re.findall(r"\b(?:Hg|HG_|hg_)\w+(?=\s*(?:\[[^]]*\]\s*)?[;=,])", declaration.splitlines()[-1]) or re.findall(r"\b(?:Hg|HG_|hg_)\w+", declaration)
    return names[-1] if names else None


TOKEN = re.compile(r"/\*.*?\*/|\n|[{}();]|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'|[^/\n{}();\"']+|/", re.S)


def pieces(text):
    """The top level of a header: ("comment", text), ("blank", newlines), ("code", declaration or directive, its trailing comment)."""
    tokens, at = TOKEN.findall(text), 0
    while at < len(tokens):
        token = tokens[at]
        if token.startswith("/*"):
            yield "comment", token, None
            at += 1
        elif not token.strip():
            yield "blank", token, None
            at += 1
        else:
            code, depth, directive = "", 0, token.lstrip().startswith("#")
            while at < len(tokens):
                token = tokens[at]
                if directive and token == "\n" and not code.endswith("\\"):
                    break
                code += token
                at += 1
                depth += (token in "{(") - (token in "})")
                if directive or depth:
                    continue
                if token == ";" or (token == "}" and re.match(r"static inline|extern \"C\"", code)):
                    break
            space = ""
            if at + 1 < len(tokens) and not tokens[at].strip(" ") and tokens[at + 1].startswith("/*"):
                space = tokens[at]
                at += 1
            after = tokens[at] if space and tokens[at].startswith("/*") else None
            at += after is not None
            yield "code", code, after


def members(code):
    """The comments inside a struct or an enum."""
    out, tokens = "", TOKEN.findall(code)
    for k, token in enumerate(tokens):
        if token.startswith("/*"):
            before = out.rsplit("\n", 1)[-1].strip()
            token = f"/**< {described(token, True)} */" if before else f"/** {described(token, True)} */"
        out += token
    return out


def of_file(comment):
    """A comment that stands alone, as a part of the file's description; the title of a section alone is none."""
    if not comment or "SPDX-" in comment or re.fullmatch(r"/\* -+ [^\n]* -+ \*/", comment):
        return ""
    text = re.sub(r"^/\* halograd/\S+ -- .*?(\n\n|\*/)", r"/* \1", comment, flags=re.S)  # its title is that of the page
    text = re.sub(r"^/\* -+ (.*?) -+\n", r"/* \1:\n", text)
    return f"/** @file\n{described(text)} */\n" if text.strip("/* \n") else "/** @file */\n"


def converted(text):
    out, waiting, leader, newlines = [], None, None, 0
    for kind, piece, after in pieces(text):
        if kind == "blank":
            newlines += piece.count("\n")
            if newlines > 1:
                out.append(of_file(waiting))
                waiting = leader = None
            out.append(piece)
            continue
        newlines = 0
        if kind == "comment":
            out.append(of_file(waiting))
            waiting, leader = piece, None
        elif piece.startswith("#") and not re.match(r"#define \w+\S* \S", piece):
            out += [of_file(waiting), piece]  # a comment directly above the guard is the file's
            waiting = None
        else:
            doc = described(after) if after else None
            if waiting:
                doc, leader = described(waiting) + (f"\n\n{doc}" if doc else ""), name_of(piece)
            elif not doc and leader:
                doc = f"Described with {leader}."
            waiting = None
            out.append(f"/** {doc} */\n" if doc else "")
            out.append(members(piece) if re.match(r"(typedef )?(struct|enum|union)\b", piece) else piece)
    return "".join(out)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(converted(header.read()))
