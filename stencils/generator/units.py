"""Units as powers of symbols: m^2/s is {'m': 2, 's': -1}. A symbol is itself: N is not kg m/s^2."""
from fractions import Fraction

ONE = {}


def product(a, b, sign=1):
    """a b, or a/b with sign -1; None is a unit that nobody stated."""
    if a is None or b is None:
        return None
    powers = dict(a)
    for symbol, power in b.items():
        powers[symbol] = powers.get(symbol, 0) + sign * power
    return {s: p for s, p in powers.items() if p}


def power(a, exponent):
    return None if a is None else {s: p * Fraction(exponent) for s, p in a.items()}


def text(unit):
    """As it is written: m^2/s, 1/(m s), 1."""

    def part(sign):
        return [s + ("" if sign * p == 1 else f"^{sign * p}") for s, p in sorted(unit.items()) if sign * p > 0]

    above, below = part(1), part(-1)
    if not below:
        return " ".join(above) or "1"
    return (" ".join(above) or "1") + "/" + (below[0] if len(below) == 1 else "(" + " ".join(below) + ")")
