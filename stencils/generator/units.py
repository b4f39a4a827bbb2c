# SPDX-License-Identifier: BSD-2-Clause
"""Units as powers of symbols: m^2/s is {'m': 2, 's': -1}. Hz, N, Pa, J and W are what the SI makes of kg, m and s; other symbols are
themselves. Known are the SI's symbols, with prefixes or not, what the SI accepts beside them, and what a file declares."""
from fractions import Fraction

ONE = {}
LARGEST, MOST_SYMBOLS = 1000, 16  # numbers of a power
TOO_LARGE = f"a unit has at most {MOST_SYMBOLS} symbols, their powers are fractions of numbers up to {LARGEST}"
DERIVED = {"Hz": {"s": -1}, "N": {"kg": 1, "m": 1, "s": -2}, "Pa": {"kg": 1, "m": -1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2},
           "W": {"kg": 1, "m": 2, "s": -3}}

SI = "m g s A K mol cd rad sr Hz N Pa J W C V F ohm S Wb T H lm lx Bq Gy Sv kat eV bar L l".split()
PREFIXES = ("", "f", "p", "n", "u", "m", "c", "d", "da", "h", "k", "M", "G", "T", "P")
KNOWN = {prefix + symbol for symbol in SI for prefix in PREFIXES} | set("min h d day year t ha deg degree degrees degC dB".split())


def symbol(name):
    return {s: Fraction(p) for s, p in DERIVED.get(name, {name: 1}).items()}


def product(a, b, sign=1):
    """a b, or a/b with sign -1; None is a unit that was not stated."""
    if a is None or b is None:
        return None
    powers = dict(a)
    for symbol, power in b.items():
        powers[symbol] = powers.get(symbol, 0) + sign * power
    return {s: p for s, p in powers.items() if p}


def power(a, exponent):
    return None if a is None else {s: p * Fraction(exponent) for s, p in a.items()}


def fits(unit):
    """Are its powers, and its symbols, as few as a unit has? Others would only grow."""
    return not unit or len(unit) <= MOST_SYMBOLS and all(max(p, -p) <= LARGEST and p.denominator <= LARGEST for p in unit.values())


def text(unit):
    """As it is written: m^2/s, 1/(m s), m^(1/2), 1."""

    def part(sign):
        return [s + ("" if sign * p == 1 else f"^{sign * p}" if p.denominator == 1 else f"^({sign * p})") for s, p in sorted(unit.items()) if sign * p > 0]

    above, below = part(1), part(-1)
    if not below:
        return " ".join(above) or "1"
    return (" ".join(above) or "1") + "/" + (below[0] if len(below) == 1 else "(" + " ".join(below) + ")")
