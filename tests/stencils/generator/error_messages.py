# SPDX-License-Identifier: BSD-2-Clause
"""Claim: what is wrong in a .stencil is said with file, line and column, the line and a caret, and what may have been meant; each
sentence of the generator has a case here."""
import re
import unittest

from generator import GENERATOR, StencilError, c_of, complaint, warned

START = "stencil a {\n  reads u, v;\n"


def body(text, start=START):
    return f"{start}  {text}\n}}\n"


ONE = "physics a {\n  field u [m], k [m^2/s];\n  %s\n}\n"
STEP = "u' = u + dt * k * (u_E - u) / dx^2;"


# (text, line:column, a part of the sentence)
CASES = [
    # ---- physics ----
    ("physics a {", "1:1", "'physics a {' is not closed by '}'"),
    ("physics a { field u; }", "1:9", "the physics 'a' writes nothing: an equation is \"u' = ...\""),
    ("physics a { field u; stable dt < 1; u' = u; }", "1:32", "expected '<=': 'stable dt <= ...', not '<'"),
    ("physics a { field u; u' = u_E; stencil b { u' = u; } }", "1:22", "equations stand in the physics or in its stencils, not in both"),
    ("physics a { field u; stencil b { reads u; u' = u_E; } }", "1:34", "a stencil of a physics uses what the physics declares, not 'reads'"),
    ("physics a { field u; v' = u_E; }", "1:22", "'v' is no field of the physics 'a'"),
    ("physics a { field u, u; u' = u_E; }", "1:22", "'u' is declared twice"),
    ("physics a { field u, v; u' = u_E; }", "1:22", "the field 'v' is used by no stencil of the physics"),
    ("physics a { field u; number g; u' = u_E; }", "1:29", "the number 'g' is used by no stencil of the physics"),
    ("physics a { field u; number q[step]; u' = u_E; }", "1:29", "the number 'q[step]' is used by no stencil of the physics"),
    ("physics a { field u; number q[step], q; u' = q[step] * u_E; }", "1:29", "'q' is declared twice"),
    ("physics a { field u; number q[step]; u' = q * u_E; }", "1:43", "numbers by step are read as q[step]"),
    ("physics a { field u; number q[step]; u' = q_E * u_E; }", "1:43", "numbers by step are read as q[step]"),
    ("physics a { field u; number q[step]; u' = q[step - 1] * u_E; }", "1:43", "numbers by step are read as q[step]"),
    ("physics a { field u; number q[step]; u' = q[i] * u_E; }", "1:43", "numbers by step are read as q[step]"),
    ("physics a { field u; number q[step], my_q[step]; u' = q[step] * my_q_E * u_E; }", "1:65", "numbers by step are read as my_q[step]"),
    ("physics a { field u; number q[step]; u' = q[step, 0] * u_E; }", "1:43", "numbers by step are read as q[step]"),
    ("physics a { field u; number q[step, 3]; let f(c) = c * q[step, 0] * q[step, 1]; u' = f(u_E); }", "1:29", "the number 'q[step, 2]' is used by no stencil of the physics"),
    ("physics a { field u; number q[step, 2]; u' = q[step, 0] * q[step, 2] * u_E; }", "1:59", "numbers by step are read as q[step, 0] to q[step, 1]"),
    ("physics a { field u; number q[step, 2]; stencil b { u' = q[step, 0] * q[step, 1] * u_E; } stencil c { u' = q * u_E; } }", "1:108", "numbers by step are read as q[step, 0] to q[step, 1]"),
    ("physics a { field u; number q[step, 2]; u' = q[step, 0] * q[step, 1] * q_1 * u_E; }", "1:72", "numbers by step are read as q[step, 1]"),
    ("physics a { field u; number q[step, 2], q_1; u' = q[step, 0] * q[step, 1] * q_1 * u_E; }", "1:29", "'q_1' is declared twice"),
    ("physics a { field u; number q[step, 2], q[step]; u' = q[step, 0] * q[step, 1] * q[step] * u_E; }", "1:41", "'q' is declared twice"),
    ("physics a { field u; number q[step, j]; u' = q[step, i] * u_E; }", "1:46", "numbers by step are read as q[step, j]"),
    ("physics a { field u; number q[step, j]; u' = q[step] * u_E; }", "1:46", "numbers by step are read as q[step, j]"),
    ("physics a { field u; number q[step, j]; u' = q[step, j] * q_N * u_E; }", "1:59", "numbers by step are read as q[step, j]"),
    ("physics a { field u; number q[step, ny]; u' = q[step, j] * u_E; }", "1:37", "expected w[step], w[step, 4] with 2 to 32 numbers a step, or w[step, j] or w[step, i] with one for each row or column of cells"),
    ("physics a { field u; number q[step, 1]; u' = q[step, 0] * u_E; }", "1:37", "with 2 to 32 numbers a step"),
    ("physics a { field u; number q[step, 33]; u' = q[step, 0] * u_E; }", "1:37", "with 2 to 32 numbers a step"),
    ("physics a { field u; number w[i]; u' = w[i] * u_E; }", "1:31", "expected w[step], w[step, 4] with 2 to 32 numbers a step, or w[step, j] or w[step, i] with one for each row or column of cells; numbers that are known are a table, 'table w[i];'"),
    ("physics a { field u; number w[j, step] [K]; u' = w[j, step] * u_E; }", "1:31", "expected w[step], "),
    ("physics a { field u; number w[4]; u' = w[3] * u_E; }", "1:31", "expected w[step], "),
    ("physics a { field u; table w[step]; u' = u_E * w[step, 0]; }", "1:50", "'w' is read by 'step', not by 'step, 0'"),
    ("physics a { field u; u' = u_E * u[step, 0]; }", "1:33", "'u' is no table"),
    ("physics a { field u; number q[step]; q' = u; u' = u_E; }", "1:38", "'q' is no field of the physics 'a'"),
    ("physics a { field u; number q[step]; u' = q[step] * u_E; stable dt <= q[step]; }", "1:71", "the largest step depends on dx, dy, numbers of all steps, and"),
    ("physics a { field u; number q; u' = q[step] * u_E; }", "1:37", "'q' is one number of all steps and cells; numbers by step are declared as 'number q[step]'"),
    ("physics a { field u; number q[step, 100000]; u' = q[step, 1] * u_E; }", "1:37", "whole numbers in brackets are below 1000"),
    ("physics a { field u; let g = 1; u' = u_E; }", "1:26", "the let 'g' is used by no stencil of the physics"),
    ("physics a { field u fixed; u' = u_E; }", "1:26", "expected the number that is held outside the wall, not ';'"),
    ("physics a { field u fixed 1e999; u' = u_E; }", "1:27", "this number is infinite"),
    ("physics a { field u mirrored 2; u' = u_E; }", "1:30", "a mirror has the sign 1 or -1"),
    ("physics a { field u closed in z; u' = u_E; }", "1:31", "walls lie in x or in y, not in 'z'"),
    ("physics a { field u; number int; u' = int * u_E; }", "1:29", "'int' cannot be a member of a struct in C"),
    # ---- as other languages have it ----
    ("stencil a { reads u; u' = 2 * pi * u; }", "1:31", "'pi' is not declared: give it as a number, 3.14"),
    ("stencil a { reads u; u' = pow(u, 2); }", "1:27", "there is no function 'pow': a power is written k^2, with a number as exponent"),
    ("stencil a { reads u; u' = u**2; }", "1:29", "expected an expression, not '**': a power is written k^2"),
    ("stencil a { reads u; u' = if(u > 0, u, 1); }", "1:27", "there is no function 'if': a choice is written condition ? a : b"),
    ("stencil a { reads u; u' = u if u > 0 else 1; }", "1:29", "not 'if': a choice is written condition ? a : b"),
    ("stencil a { reads u; if (u > 0) u' = u; }", "1:22", "'if' begins no statement: a choice is written condition ? a : b"),
    # ---- levels ----
    ("physics a in xz { field u; u' = u_E; }", "1:14", "a text is 'in xy' or 'in xyz', not in 'xz'"),
    ("physics a { field u, p; column p' = above(u); stencil b { u' = p; } }", "1:25", "a column needs levels: write 'physics a in xyz {'"),
    ("physics a in xyz { field u, p; column p' = abov(u); }", "1:44", "expected one of above, below, sum, not 'abov'; did you mean 'above'?"),
    ("physics a in xyz { field u, p; column p = above(u); }", "1:41", "expected ''': \"column p' = above(w);\", not '='"),
    ("physics a in xyz { field u, p; column p' above(u); }", "1:42", "expected '=': \"column p' = above(w);\", not 'above'"),
    ("physics a in xyz { field u, p; column 3' = above(u); }", "1:39", "expected the field that is written, as in \"column p' = above(w);\", not '3'"),
    ("physics a in xyz { field u, p; column p' = 2; }", "1:44", "expected one of above, below, sum, not '2'"),
    ("physics a in xyz { field u, p; column p' = above(2); }", "1:50", "expected the name of a field, whose levels are summed, not '2'"),
    ("physics a in xyz { field u, p; column p' = above(u * u); }", "1:52", "expected ')': a column sums one field, which a stencil before it may write, not '*'"),
    ("physics a in xyz { field u, p; column p' = above(u) + 1; }", "1:53", "expected ';' after the column, not '+'"),
    ("physics a in xyz { field u, p; column p' = above(v); }", "1:50", "'v' is no field of the physics 'a'"),
    ("physics a in xyz { field u, p; column v' = above(u); }", "1:39", "'v' is no field of the physics 'a'"),
    ("physics a in xyz { field u, s surface; column u' = above(s); }", "1:58", "'s' is a surface, and a column sums levels"),
    ("physics a in xyz { field u, p; column u' = above(u); }", "1:39", "a column of 'u' cannot be written to itself: name another field"),
    ("physics a in xyz { field u, p; column p' = sum(u); }", "1:39", "'p' has levels, but sum() has one value for all of them: declare 'p' a surface"),
    ("physics a in xyz { field u, p surface; column p' = above(u); }", "1:47", "'p' is a surface, but above() has a value at each level: write sum()"),
    ("physics a in xyz { field u [m], p [s]; column p' = above(u); }", "1:47", "'p' is in [s], the sum of 'u' in [m]"),
    ("physics a in xyz { field u at x_face, p at centre; column p' = above(u); }", "1:59", "'p' lives at the centre, the sum of 'u' at the x_face"),
    ("physics a in xyz { field u, p; column p' = above(u); column p' = above(u); }", "1:54", "a stencil 'p_above' stands twice"),
    ("physics a in xyz { field u, p; u' = u + p; column p' = above(u); }", "1:32", "equations stand in the physics or in its stencils, not in both"),
    ("physics a { field u surface; u' = u_E; }", "1:21", "a surface lies over levels, and this text has none: 'in xyz' behind its name"),
    ("physics a { field u at z_face; u' = u_E; }", "1:24", "there is no location 'z_face': a text with levels says 'in xyz' behind its name"),
    ("physics a { field u; u' = u_U; }", "1:27", "'u' has no neighbour 'U': a text in three dimensions says 'in xyz' behind its name"),
    ("physics a { field u; u' = u[1, 0, 2]; }", "1:33", "expected ']': a text in three dimensions says 'in xyz' behind its name, not ','"),
    ("physics a in xyz { field u; u' = u[1, 0, 2, 1]; }", "1:43", "expected ']': a neighbour has three offsets, not ','"),
    ("physics a in xyz { field u, s surface; u' = u * s_U; }", "1:49", "'s' is a surface: it has one level"),
    ("physics a in xyz { field u, s surface; s' = s + u_U; u' = u; }", "1:29", "'s' is a surface, and this stencil computes levels: write it in a stencil that reads surfaces alone"),
    ("physics a in xyz { field u closed in w; u' = u_E; }", "1:38", "walls lie in x or in y or in z, not in 'w'"),
    (ONE % (STEP + " stable dt <= dx;"), "3:52", "a time step is in [s], but this in [m]"),
    (ONE % (STEP + " stable dt <= dx^2 / k;"), "3:59", "'k' differs from cell to cell: max(k) or min(k)"),
    (ONE % (STEP + " stable dt <= dx^2 / max(k * k);"), "3:59", "max(...) of one argument is that of a field, max(u), or max(abs(u))"),
    (ONE % (STEP + " stable dt <= dt;"), "3:52", "the largest step depends on dx, dy, numbers of all steps, and max(u) and min(u) of fields alone"),
    (ONE % (STEP + " stable dt <= x * dx / max(k);"), "3:52", "the largest step depends on dx, dy, numbers of all steps, and max(u) and min(u) of fields alone"),
    (ONE % (STEP + " stable dt <= sqrt(dx^4 / max(k)^2) * (max(k) / max(k))^(1/2);"), "3:77", "may be negative"),
    ("physics a { field u; u' = u_E; } stencil a { reads u; u' = u_E; }", "1:42", "a stencil 'a' stands twice"),
    # ---- characters and grammar ----
    (body("u' = u $ v;"), "3:10", "unexpected character '$'"),
    (body("u' = 2u;"), "3:9", "unexpected 'u' after the number 2: a product is written with '*'"),
    ("", "1:1", "expected 'physics NAME {' or 'stencil NAME {', not the end of the file"),
    ("stencils a {}", "1:1", "expected 'physics NAME {' or 'stencil NAME {', not 'stencils'"),
    ("stencil a {\n  reads u;\n  u' = u;\n", "1:1", "'stencil a {' is not closed by '}'"),
    (body("u' = u + ;"), "3:12", "expected an expression, not ';'"),
    (body("u' = u v;"), "3:10", "expected ';' after the expression, or an operator, not 'v'"),
    (body("u' = (u + v;"), "3:14", "expected ')', not ';'"),
    (body("u = u + v;"), "3:3", "what is written has a prime, \"u' = ...\""),
    (body("lett a = u;"), "3:3", "'lett' begins no statement; did you mean 'let'?"),
    (body("; u' = u;"), "3:3", "expected a statement: reads"),
    ("stencil a {\n  reads u\n  v;\n", "3:3", "expected ';' before it, not 'v'"),
    ("stencil a {\n  reads u at center;\n", "2:14", "there is no location 'center'; did you mean 'centre'?"),
    ("stencil a {\n  reads u at 2;\n", "2:14", "expected 'centre', 'x_face', 'y_face' or 'corner', not '2'"),
    ("stencil a {\n  reads u > 1;\n", "2:13", "expected 0, not '1'"),
    ("stencil a {\n  reads u [m^];\n", "2:14", "expected a number as exponent, such as ^2, ^-1 or ^(1/3), not ']'"),
    ("stencil a {\n  reads u [+];\n", "2:12", "expected a unit such as [m^2/s], not '+'"),
    ("stencil a {\n  params P from heat.h: d;\n", "2:17", "expected '<', not 'heat'"),
    ("stencil a {\n  params P from <heat.h: d;\n", "2:17", "expected a header such as <halograd/heat.h>: a path below the folders of headers, of letters, digits and _ . + -"),
    *((f"stencil a {{\n  params P from {header}: d;\n", "2:17", "expected a header such as <halograd/heat.h>") for header in (
        "</etc/passwd>", "<../a.h>", "<a/../../b.h>", "<.a.h>", "<a//b.h>", "<>", "<a b.h>", "<a.h\n>", "<a.h>=", "<a*.h>", "<stddef.h>=\n#include <stdlib.h>\n// >")),
    ("stencil a {\n  params 2;\n", "2:10", "expected the name of a parameter, not '2'"),
    ("stencil a {\n  params a.2;\n", "2:11", "expected ';' or ',', not '.2'"),
    ("stencil a {\n  table w[k];\n", "2:11", "a table is read by 'step', 'i' or 'j', not by 'k'"),
    ("stencil a {\n  table w[2];\n", "2:11", "expected 'step', 'i' or 'j', not '2'"),
    ("stencil 2 {", "1:9", "expected the name of the stencil, not '2'"),
    ("stencil a as 2 {", "1:14", "expected the name of its HgStencil in C, not '2'"),
    (body("let 2 = u;"), "3:7", "expected the name of the let, not '2'"),
    (body("let f(2) = u;"), "3:9", "expected the name of an argument, not '2'"),
    ("stencil a {\n  reads 2;", "2:9", "expected the name of a variable, not '2'"),
    ("stencil a {\n  table 2;", "2:9", "expected the name of a table, not '2'"),
    ("stencil a {\n  params a.b.;", "2:14", "expected the name of a member, not ';'"),
    ("stencil a {\n  params a as 2;", "2:15", "expected the name of the parameter here, not '2'"),
    (body("u' = u ? v;"), "3:13", "expected ':' of 'condition ? yes : no', not ';'"),
    (body("u' = u < v < 1 ? u : v;"), "3:14", "comparisons are joined by '&&'"),
    (body("u' = u^2^2;"), "3:11", "expected one exponent; (u^2)^3 needs brackets, not '^'"),
    (body("u' = u^v;"), "3:10", "expected a number as exponent"),
    (body("u' = u^(1/0);"), "3:14", "expected an exponent that is not divided by 0"),
    (body("u' = u^2000;"), "3:10", "exponents are fractions of numbers up to 1000"),
    (body("u' = u[1];"), "3:11", "expected ',': a neighbour has two offsets, u[2, 0], not ']'"),
    (body("u' = u[1, x];"), "3:13", "expected a whole number of cells, not 'x'"),
    (body("u' = u[1, 1.5];"), "3:13", "expected a whole number of cells, not '1.5'"),
    (body("u' = u[1, 1000];"), "3:13", "whole numbers in brackets are below 1000"),
    (body("u' = " + "(" * 80 + "u" + ")" * 80 + ";"), "3:68", "more than 60 brackets inside one another"),
    (body("u' = " + "-" * 80 + "u;"), "3:67", "more than 60 signs and brackets inside one another"),
    (body("u' = u" + " + u" * 400 + ";"), "3:8", "a sum has at most 400 terms"),
    ("stencil a {\n  reads u;\n" + "#" * 100001, "1:1", "the file has more than 100000 characters"),
    (f"stencil a {{\n  reads {'u' * 64};\n", "2:9", "a name has at most 63 characters"),
    *((body(f"u' = u^{exponent};"), "3:10", "exponents are fractions of numbers up to 1000") for exponent in (
        "1e999999999", "1e-999999999", "0e999999999", "0.00000000000000000001", "-1001", "1.00000000000000001", "9" * 5000)),
    (body("u' = u^(1/3e200);"), "3:13", "exponents are fractions of numbers up to 1000"),
    (body("u' = u^((1/999)/999);"), "3:10", "exponents are fractions of numbers up to 1000"),
    (body("u' = u^" + "(" * 80 + "2" + ")" * 80 + ";"), "3:70", "more than 60 brackets inside one another"),
    ("stencil a {\n  reads u [((m^1000)^1000)^1000];\n", "2:13", "a unit has at most 16 symbols, their powers are fractions of numbers up to 1000"),
    ("stencil a {\n  reads u [m^600];\n  u' = u * u;\n}", "3:8", "a unit has at most 16 symbols"),
    # ---- names ----
    (body("u' = u + w;"), "3:12", "'w' is not declared"),
    ("stencil a {\n  reads kappa;\n  kappa' = kapa;\n}", "3:12", "'kapa' is not declared; did you mean 'kappa'?"),
    ("stencil a {\n  reads u, u;\n  u' = u;\n}", "2:12", "'u' is declared twice"),
    (body("u' = u_EW;"), "3:8", "'u' has no neighbour 'EW': they are 'E', 'W', 'N', 'S', 'NE'"),
    (body("let r = u;\n  let r = v;\n  u' = r;"), "4:7", "'r' is declared twice"),
    (body("let dt = u;\n  u' = dt;"), "3:7", "'dt' is given: the time step [s]"),
    (body("let nx = u;\n  u' = nx;"), "3:7", "'nx' is given: it belongs to the grid"),
    (body("let sine = u;\n  u' = sine;"), "3:7", "'sine' is given: the sine of the latitude of the row's centres"),
    (body("let north_cosine = u;\n  u' = v;"), "3:7", "'north_cosine' is given: the cosine of the latitude of its northern faces"),
    (body("u' = u * cosine + v * x;"), "1:9", "'x' is a position on a plane, but this stencil is for a sphere too: it reads the latitude"),
    (body("let exp = u;\n  u' = exp;"), "3:7", "'exp' is a function of the language"),
    ("stencil a {\n  reads u, u_E;\n  u' = u_E;\n}", "2:12", "'u_E' would also be the neighbour E of 'u'"),
    ("stencil a {\n  reads u_E, u;\n  u' = u_E;\n}", "2:14", "'u_E' would also be a neighbour of 'u'"),
    ("stencil a {\n  reads u;\n  params x0;\n  u' = u * (x - x0);\n}", "3:10", "'x0' is the centre of the grid's first cell, of which x counts"),
    ("stencil a {\n  reads c_W, u;\n  let lap(c) = c_W + c_E;\n  u' = lap(u) * c_W;\n}", "3:11", "'c_W' would also be a neighbour of the argument 'c'"),
    ("stencil a {\n  reads u;\n  table w[step];\n  let f(w) = w + u;\n  u' = f(u);\n}", "4:9", "'w' is a table, and cannot be an argument"),
    *((f"stencil {name} {{\n  reads u;\n  u' = u;\n}}", "1:9", f"'{name}' cannot be the name of a stencil in C: write 'stencil {name} as another_name'") for name in (
        "apply", "weights", "HgStencil", "HG_VECTOR", "size_t", "NAN", "INFINITY", "M_PI", "if", "asm", "NULL", "main", "read", "malloc", "sin", "floorf", "u_bar_row", "PART")),
    ("stencil a {\n  reads u;\n  u' = u;\n}\nstencil a_second {\n  reads u;\n  u' = u;\n}", "5:9", "'a_second' cannot be the name of a stencil in C"),
    *((f"stencil a {{\n  reads u;\n  params {name} as b;\n  u' = u * b;\n}}", "3:10", f"'{name}' cannot be a member of a struct in C") for name in ("if", "NAN", "HgBox", "c.d")),
    *((f"stencil a {{\n  reads u;\n  params P from <a.h>: {name} as b;\n  u' = u * b;\n}}", "3:24", f"'{name}' cannot be a member of a struct in C") for name in ("c.if", "NULL.d")),
    ("stencil a {\n  reads u;\n  table double[i];\n  u' = u * double[i];\n}", "3:9", "'double' cannot be a member of a struct in C"),
    ("stencil a {\n  reads u;\n  params int from <a.h>: c;\n  u' = u * c;\n}", "3:10", "'int' cannot be the name of a struct in C"),
    ("stencil a {\n  reads u;\n  params k, k as l;\n  u' = u * k * l;\n}", "3:13", "'k' is a parameter twice"),
    ("stencil a {\n  reads u;\n  params w_count;\n  table w[step];\n  u' = u * w[step] * w_count;\n}", "3:10", "'w_count' belongs to the table 'w'"),
    ("stencil a {\n  reads u, v;\n  u' = u * (1e200 * 1e200 * v);\n}", "1:1", "a product of its numbers is too large"),
    (body("u' = r; let r = u + v;"), "3:8", "'r' is used above its let"),
    (body("u' = exp + u + v;"), "3:8", "'exp' is a function: exp(...)"),
    (body("u' = ex(u) + v;"), "3:8", "there is no function 'ex'; did you mean 'exp'?"),
    (body("u' = u(v);"), "3:8", "'u' is no function; a product is written with '*'"),
    (body("u' = u + v + dt_E;"), "3:16", "'dt' is the same in every cell: it has no neighbours"),
    (body("u' = u + v + dt[1, 0];"), "3:16", "'dt' is the same in every cell: it has no neighbours"),
    (body("let c = 2 * dt; u' = u + v + c_E;"), "3:32", "'c' is the same in every cell: it has no neighbours"),
    (body("u' = u + v[17, 0];"), "3:12", "this reads more than 16 cells away"),
    (body("u' = u + v[step];"), "3:12", "'v' is no table; it is that of this step; an earlier one is kept in a variable, \"v_old' = v\", and a sum over steps is one, \"s' = s + dt * v\""),
    (body("u' = u + v[step - 1];"), "3:12", "'v' is no table; it is that of this step"),
    (body("u' = u + v[i];"), "3:12", "'v' is no table; its neighbours are v[2, 0]"),
    (body("u' = u + v[i - 1];"), "3:12", "'v' is no table; its neighbours are v[-1, 0]"),
    (body("u' = u + v[j + 1];"), "3:12", "'v' is no table; its neighbours are v[0, 1]"),
    *((body(f"u' = u + v{index};"), "3:12", f"a neighbour is written by its offsets from the cell alone, to the east and to the north: v{offsets}") for index, offsets in (
        ("[i+1, j]", "[1, 0]"), ("[i, j]", "[0, 0]"), ("[i - 2, j + 3]", "[-2, 3]"), ("[j+1, i-1]", "[-1, 1]"), ("[1, j]", "[1, 0]"), ("[0, j - 1]", "[0, -1]"),
        ("[i+1][j]", "[1, 0]"), ("[i][j-1]", "[0, -1]"), ("[i+1, 0]", "[1, 0]"))),
    (body("u' = u + v(i + 1, j);"), "3:12", "'v' is no function; a product is written with '*', and a neighbour by its offsets, v[1, 0]"),
    (body("u' = u + v + w[step];"), "3:16", "there is no table 'w'"),
    (body("table w[step]; u' = u + v + w;"), "3:31", "'w' is a table: w[step]"),
    (body("table w[step]; u' = u + v + w[i];"), "3:33", "'w' is read by 'step', not by 'i'"),
    (body("carries e; u' = u + v + e;"), "3:27", "'e' is carried, which says that nothing reads it"),
    (body("let f(c) = c + 1; u' = f(u, v);"), "3:26", "'f' takes 1 argument, not 2"),
    (body("u' = min(u) + v;"), "3:8", "'min' takes 2 arguments, not 1"),
    (body("let f(c, c) = c + 1; u' = f(u, v);"), "3:12", "the argument 'c' stands twice"),
    (body("let f(c) = u; u' = f(u);"), "3:9", "the argument 'c' is not used"),
    (body("let f(dt) = dt * u; u' = f(v);"), "3:9", "'dt' is given, and cannot be an argument"),
    (body("let f(c) = f(c) + u; u' = f(v);"), "3:14", "there is no function 'f'"),
    # ---- what is used ----
    (body("u' = u;"), "2:12", "'v' is read by no equation; 'carries v' where that is meant"),
    (body("params p; u' = u + v;"), "3:10", "'p' is not used"),
    (body("let r = u; u' = u + v;"), "3:7", "'r' is not used"),
    (body("let f(c) = c + 1; u' = u + v;"), "3:7", "'f' is not used"),
    (body("table w[step]; u' = u + v;"), "3:9", "'w' is not used"),
    (body("u' = u + v; u' = v;"), "3:15", "'u' is written twice"),
    (body("let r = u + v; r' = r;"), "3:18", "'r' is a let: only variables are written"),
    (body("params p; p' = u + v + p;"), "3:13", "'p' is a parameter: only variables are written"),
    (body("writes q; u' = u + v;"), "3:10", "no equation writes 'q'"),
    (body("u' = dt;"), "3:8", "'u' does not depend on any variable"),
    ("stencil a {\n  reads u;\n}", "1:9", "the stencil 'a' writes nothing"),
    ("stencil a {\n  u' = i;\n}", "1:9", "the stencil 'a' reads nothing"),
    (body("u' = u + v;") * 2, "5:9", "a stencil 'a' stands twice"),
    ("stencil a {\n  reads " + ", ".join(f"u{n}" for n in range(40)) + ";\n  w' = " + " + ".join(f"u{n}" for n in range(40)) + ";\n}", "2:159", "a stencil reads at most 32 variables"),
    (body(" ".join(f"w{n}' = u + v;" for n in range(40))), "3:441", "a stencil writes at most 32 variables"),
    # ---- numbers and conditions ----
    (body("u' = u / 0 + v;"), "3:12", "a division by 0"),
    (body("u' = u + v + 1e999;"), "3:16", "this number is infinite"),
    (body("u' = u^0 + v;"), "3:8", "the exponent 0 makes it 1: write that"),
    (body("u' = 0^-1 + u + v;"), "3:8", "a division by 0"),
    (body("u' = u^0.5 + v;"), "3:8", "a power of 1/2 of what may be negative: declare 'reads h > 0'"),
    (body("u' = u^(1/3) + v;"), "3:8", "a power of 1/3 of what may be negative"),
    (body("u' = (u^2)^(-1/2) + v;"), "3:9", "a power of -1/2 of what may be 0"),
    (body("u' = sqrt(u - v);"), "3:13", "sqrt of what may be negative"),
    (body("u' = log(u^2) + v;"), "3:12", "log of what may be 0"),
    (body("u' = exp(1) + u + v;"), "3:8", "exp of a constant: write its value"),
    (body("u' = u > 0;\n v' = v;"), "3:8", "this is a condition, not a number"),
    (body("u' = u ? u : v;"), "3:8", "this is a number, not a condition such as 'u > 0'"),
    (body("u' = !u ? u : v;"), "3:9", "this is a number, not a condition"),
    # ---- units ----
    ("stencil a {\n  reads u [banana];\n  u' = u;\n}", "2:12", "'banana' is no unit of the SI, nor is it declared: 'unit banana;' above the stencils makes it one"),
    ("stencil a {\n  reads s[step];\n  s' = s;\n}", "2:11", "'step' is no unit of the SI; numbers by step are a table, 'table w[step];', and a sum over steps is a variable that is read and written, \"s' = s + dt * u\""),
    ("stencil a {\n  reads u [m2/s];\n  u' = u;\n}", "2:12", "'m2' is no unit of the SI; did you mean 'm^2'?"),
    ("stencil a {\n  reads u [m/sec];\n  u' = u;\n}", "2:14", "'sec' is no unit of the SI"),
    ("stencil a {\n  reads u;\n  u' = u * (1 [cell]);\n}", "3:16", "'cell' is no unit of the SI"),
    ("unit PSU;\nstencil a {\n  reads u [PSU], v [psu];\n  u' = u;\n}", "3:21", "'psu' is no unit of the SI; did you mean 'PSU'?"),
    ("unit 2;\n", "1:6", "expected the name of a unit, not '2'"),
    ("stencil a {\n  reads u [s^0.5], v [s];\n  u' = u + v;\n}", "3:12", "a sum of [s^(1/2)] and [s]"),
    ("stencil a {\n  reads u [m], v [s];\n  u' = u + v;\n}", "3:12", "a sum of [m] and [s]"),
    ("stencil a {\n  reads u [m], v [s];\n  u' = min(u, v);\n}", "3:15", "min of [m] and [s]"),
    ("stencil a {\n  reads u [m], v [s];\n  u' = u < v ? u : u;\n}", "3:12", "a comparison of [m] and [s]"),
    ("stencil a {\n  reads u [m], v [s];\n  u' = u < 0 ? u : v;\n}", "3:20", "a choice of [m] and [s]"),
    ("stencil a {\n  reads u [m];\n  u' = u + 1;\n}", "3:12", "a sum of [m] and [1]"),
    ("stencil a {\n  reads u [m/s], s [Pa], r [kg/m^3];\n  u' = u + s / r / u + s;\n}", "3:24", "a sum of [m/s] and [kg/(m s^2)]"),
    ("stencil a {\n  reads u [m/s];\n  u' = u * dt;\n}", "3:8", "'u' is in [m/s], but this in [m]"),
    ("stencil a {\n  reads u [K];\n  u' = exp(u) * u;\n}", "3:12", "exp of something in [K], expected a number without unit"),
    # ---- locations ----
    ("stencil a {\n  reads h at centre, u at x_face;\n  h' = h + u;\n}", "3:12", "a sum of what lives at centre and at x_face"),
    ("stencil a {\n  reads h at centre, u at x_face;\n  h' = h * u;\n}", "3:12", "a product or choice of what lives at centre and at x_face"),
    ("stencil a {\n  reads h at centre;\n  writes F at y_face;\n  F' = h + h_E;\n}", "4:8", "'F' lives at y_face, but this at centre or x_face"),
]
MANY = "".join(f"  w{n}' = " + "+".join(f"u*{n}{k}" for k in range(390)) + ";\n" for n in range(1, 29))
CASES.append(("stencil a {\n  reads u;\n" + MANY + "}\n", "21:10", "more than 20000 different expressions"))
POWERS = "".join(f"  let a{n + 1} = a{n} * a{n};\n" for n in range(400))
CASES.append((f"stencil a {{\n  reads u;\n  let a0 = u + u_E;\n{POWERS}  u' = a400;\n}}\n", "1:9", "this takes too long: expected fewer or smaller expressions"))
CALLS = "".join(f"  let f{n + 1}(c) = f{n}(c) + f{n}(c);\n" for n in range(40))
CALLED = f"stencil a {{\n  reads u;\n  let f0(c) = c;\n{CALLS}  u' = f40(u);\n}}\n"  # refused somewhere within 2^40 calls


# (text, line:column, a part of the sentence) of what is written all the same
WARNINGS = [
    (body("u' = u + sqrt(u^2 + v^2) * u;"), "3:17", "sqrt of what may be 0, where its derivative is infinite and a gradient nan: add what is small there, such as 1e-12, or write a condition, a > 0 ? sqrt(a) : 0"),
    ("stencil a {\n  reads u [m/s], v [m/s];\n  u' = sqrt(u * u + v_E^2);\n}", "3:13", "add what is small there, such as 1e-12 [m^2/s^2]"),
    ("stencil a {\n  reads h >= 0;\n  h' = sqrt(h);\n}", "3:13", "sqrt of what may be 0"),
    ("stencil a {\n  reads h;\n  let speed(c) = sqrt(abs(c - c_W));\n  h' = speed(h) + speed(h_E);\n}", "3:23", "sqrt of what may be 0"),
    (body("u' = (u^2 + v^2)^0.5;"), "3:9", "a power of 1/2 of what may be 0"),
    (body("u' = max(u, 0)^(1/3) + v;"), "3:8", "a power of 1/3 of what may be 0"),
    (body("u' = u^2 + v^2 >= 0 ? sqrt(u^2 + v^2) : 0;"), "3:30", "sqrt of what may be 0"),
]
# What has a derivative wherever it is computed.
QUIET = ["sqrt(u^2 + v^2 + 1e-12) * u", "(u^2 + v^2 > 0 ? sqrt(u^2 + v^2) * u : 0)", "(0 < u && v > 0 ? sqrt(u * v) : 0)", "(u^2)^1.5 * v", "sqrt(exp(u) + abs(v))",
         "sqrt(dt / 1 [s]) * u * v", "sqrt(max(u, 1)) * v", "(u^2 + v^2)^(4/3)"]


# A file that a program loads.
LOADED, WHOLE = "loaded", "physics one { field u; u' = u; }"


class Errors(unittest.TestCase):
    def test_infinite_derivatives_are_warned_of(self):
        for text, place, sentence in WARNINGS:
            with self.subTest(text=text):
                said = warned(text)
                self.assertTrue(said.startswith(f"a.stencil:{place}: warning: "), said)
                self.assertIn(sentence, said)
                self.assertEqual(said.count("warning"), 1)
                self.assertEqual(complaint(text), "")
        for expression in QUIET:
            self.assertEqual(warned(body(f"u' = {expression};")), "", expression)

    def test_each_is_said_where_it_is(self):
        for text, place, sentence in CASES:
            with self.subTest(sentence=sentence):
                said = complaint(text)
                first, line, caret = (said.split("\n") + ["", "", ""])[:3]
                self.assertTrue(first.startswith(f"a.stencil:{place}: error: "), f"{place}: {said}")
                self.assertIn(sentence, first)
                row, column = (int(n) for n in place.split(":"))
                whole = (text.split("\n") + [""])[row - 1]
                begin = max(0, column - 501)  # of a long line what is near is shown
                self.assertEqual(line[2:], whole[begin : begin + 1000])
                self.assertEqual(caret.index("^"), column + 1 - begin)

    def test_what_is_loaded_is_one_physics(self):
        self.assertIn(f"{LOADED} = &one_physics;", c_of(WHOLE, None, LOADED))
        for text, count in ((WHOLE + WHOLE.replace("one", "two"), 2), ("stencil a { reads u; u' = u; }", 0)):
            with self.assertRaisesRegex(StencilError, f"expected one physics, found {count}"):
                c_of(text, None, LOADED)

    def test_both_places_are_shown(self):
        said = complaint("stencil a {\n  reads u [m], v [s];\n  u' = u + v;\n}")
        self.assertIn("a.stencil:3:8: note: [m]", said)
        said = complaint("stencil a {\n  reads u;\n  let f(c) = c_E + dt_E;\n  u' = f(u);\n}")
        self.assertIn("a.stencil:4:8: note: in this call of 'f'", said)
        self.assertRegex(complaint(CALLED), r"^a\.stencil:\d+:\d+: error: this takes too long")

    def test_every_sentence_has_a_case(self):
        """A sentence of the source is matched by its longest part without {}."""
        said = "\n".join([complaint(text) for text, _, _ in CASES] + [warned(text) for text, _, _ in WARNINGS])
        said += "expected one physics, found "  # of the test above: only a file that is loaded must be one
        missing = []
        for file in sorted(GENERATOR.glob("*.py")):
            for sentence in re.findall(r"StencilError\(\s*f?\"((?:[^\"\\]|\\.)*)\"", file.read_text()):
                part = max(re.split(r"\{[^}]*\}", sentence.replace('\\"', '"')), key=len)
                if part not in said:
                    missing.append(f"{file.name}: {sentence}")
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main(verbosity=0)
