# SPDX-License-Identifier: BSD-2-Clause
"""What a script claims: require(holds, what, values) for each thing, end(title) at its end."""
import sys

problems = []


def require(holds, what, *values):
    if not holds:
        problems.append(what + (": " + ", ".join(str(v) for v in values) if values else ""))


def end(title):
    if problems:
        sys.exit("claim fails: " + title + ": " + "; ".join(problems[:10]))
