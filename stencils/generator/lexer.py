# SPDX-License-Identifier: BSD-2-Clause
"""A .stencil as tokens, each with its place in the text."""
import re
from collections import namedtuple

from errors import StencilError


class Token(namedtuple("Token", "kind text at")):
    """kind: name, number, mark, end; at: the index of its first character."""

    @property
    def span(self):
        return self.at, max(1, len(self.text))


PATTERN = re.compile(
    r"(?P<blank>[ \t\r\n]+|#[^\n]*)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<mark><=|>=|==|!=|&&|\|\||[-+*/^(){}\[\],;:='?<>!.])"
)
LONGEST, LONGEST_NAME = 100000, 63  # characters of a file; of a name, as C has them


def tokens_of(source):
    """All tokens, an end at last. Names and numbers do not touch: 2u is an error, not a product."""
    text, at, tokens = source.text, 0, []
    if len(text) > LONGEST:
        raise StencilError(f"the file has more than {LONGEST} characters", (0, 1))
    while at < len(text):
        match = PATTERN.match(text, at)
        if not match:
            raise StencilError(f"unexpected character {text[at]!a}", (at, 1))
        if match.lastgroup != "blank":
            tokens.append(Token(match.lastgroup, match.group(), at))
            if match.lastgroup == "name" and len(match.group()) > LONGEST_NAME:
                raise StencilError(f"a name has at most {LONGEST_NAME} characters", (at, len(match.group())))
            if match.lastgroup == "number" and match.end() < len(text) and re.match(r"[A-Za-z_.]", text[match.end()]):
                raise StencilError(f"unexpected '{text[match.end()]}' after the number {match.group()}: a product is written with '*'", (match.end(), 1))
        at = match.end()
    tokens.append(Token("end", "", max(0, len(text.rstrip()) - 1)))
    return tokens
