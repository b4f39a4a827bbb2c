# SPDX-License-Identifier: BSD-2-Clause
"""What is wrong with a .stencil, said like a compiler: file:line:column, the line, a caret, and what may have been meant."""
import difflib

MOST_SHOWN = 1000  # characters of a line


class Source:
    """The text of a file, and where in it something stands."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.lines = text.split("\n")

    def place(self, at):
        """(line, column) of a character, both from 1."""
        line = self.text.count("\n", 0, at) + 1
        return line, at - (self.text.rfind("\n", 0, at) + 1) + 1

    def shown(self, at, length):
        """The line of a character, or what of a long one is near, with carets below it."""
        line, column = self.place(at)
        begin = max(0, column - 1 - MOST_SHOWN // 2)
        text = "".join(c if c.isprintable() or c == "\t" else "?" for c in self.lines[line - 1].rstrip("\r")[begin : begin + MOST_SHOWN])
        width = max(1, min(length, len(text) - column + 1 + begin))
        blank = "".join("\t" if c == "\t" else " " for c in text[: column - 1 - begin])
        return f"  {text}\n  {blank}{'^' * width}"


MOST_NOTES = 8  # calls within calls


class StencilError(Exception):
    """A sentence, the span it is about, and further spans: notes [(sentence, span)]. A span is (at, length)."""

    def __init__(self, sentence, span, notes=()):
        super().__init__(sentence)
        self.sentence, self.span, self.notes = sentence, span, list(notes)

    def text(self, source, kind="error"):
        parts = []
        for kind, sentence, span in [(kind, self.sentence, self.span), *(("note", s, p) for s, p in self.notes[:MOST_NOTES])]:
            line, column = source.place(span[0])
            parts.append(f"{source.name}:{line}:{column}: {kind}: {sentence}\n{source.shown(*span)}")
        return "\n".join(parts)


# What other languages have, and how it is written here.
ELSEWHERE = {"pi": "give it as a number, 3.141592653589793", "if": "a choice is written condition ? a : b", "pow": "a power is written k^2, with a number as exponent",
             "**": "a power is written k^2"}


def meant(word, words):
    """': ...' of a word of other languages, '; did you mean ...?' where one of the words is close, else ''."""
    if word in ELSEWHERE:
        return f": {ELSEWHERE[word]}"
    close = [w for w in sorted(words) if w.lower() == word.lower()][:1]
    if not close:
        close = difflib.get_close_matches(word, sorted(words), 1, 0.6 if len(word) > 3 else 0.5)
    return f"; did you mean '{close[0]}'?" if close else ""


def listed(words):
    """'a', 'b' and 'c'"""
    words = [f"'{w}'" for w in words]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
