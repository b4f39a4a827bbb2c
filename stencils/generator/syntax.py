# SPDX-License-Identifier: BSD-2-Clause
"""The tree of a .stencil, as the parser hands it to the meaning. Each has the span (at, length) of its text."""
from collections import namedtuple

# ---- expressions ----
Number = namedtuple("Number", "text unit span")  # unit: None, or as in Variable
Name = namedtuple("Name", "text span")  # u, u_E, dt, a let
Offset = namedtuple("Offset", "base x y z span")  # u[2, 0], u[2, 0, -1]
Index = namedtuple("Index", "base index shift which span")  # wavelet[step + 1], w[step, 2]: base, 'step', 1, which: '', '2', 'j'
Call = namedtuple("Call", "function arguments span")  # function: a Name
Unary = namedtuple("Unary", "op argument span")  # - !
Binary = namedtuple("Binary", "op left right span")  # * / < <= > >= == != && ||
Sum = namedtuple("Sum", "terms span")  # [(sign, term)]: the order is that of the additions
Power = namedtuple("Power", "base exponent span")  # exponent: Fraction
Choice = namedtuple("Choice", "condition yes no span")

# ---- statements ----
# sign: None, '>' or '>='; surface: one level only; by_step: None, or the numbers by step of which it is one
Variable = namedtuple("Variable", "name unit location sign surface span by_step", defaults=(None,))
ByStep = namedtuple("ByStep", "array of which")  # of: so many a step; which: '' the only one, '2' that of 0, 1, ..., 'i' or 'j' that of the cell
Parameter = namedtuple("Parameter", "member name unit sign span")  # member of the C struct
Table = namedtuple("Table", "name axis unit span")  # axis: step, i or j
Let = namedtuple("Let", "name arguments value span")  # arguments: None, or names
Equation = namedtuple("Equation", "name value span text")
# of two stencils as one (inline.py): a result of the first, as the second reads it; and the names of lets that end with the first
Held = namedtuple("Held", "variable value span")
Forget = namedtuple("Forget", "names")
Field = namedtuple("Field", "variable sides unit")  # of a physics; in C: sides {"x": (kind, value), "y": ...}, its unit
# levels: do cells lie in levels, `in xyz`?
Physics = namedtuple("Physics", "name symbol fields numbers series tables lets stencils stable levels span")
# of a physics: target' = kind(source), a sum over levels
Column = namedtuple("Column", "kind name symbol target source span struct parameters tables", defaults=(None, (), ()))
Stencil = namedtuple("Stencil", "name symbol reads carries writes struct parameters tables body levels span")
