# SPDX-License-Identifier: BSD-2-Clause
"""Claim: coefficients of faces as papers have them (means of any kind, upwind values, limiters) live half-way between the cells that they
are made of, and where those do; what mixes places is refused with a way out.
usage: locations.py"""
import unittest

from generator import complaint

READS = "D [m^2/s] at centre > 0, h at centre, u at x_face, v at y_face"
# Of values at centres, at the x face.
AT_X_FACE = [
    "D + D_E", "D_E - D", "D * D_E", "(2 * D) * D_E", "D_E / D", "max(D, D_E)", "min(2 * D, D_E)", "sqrt(D * D_E)", "sqrt(D) * sqrt(D_E)",
    "(D_E > D ? D : D_E)", "(u > 0 ? h : h_E)", "2 * D * D_E / (D + D_E)", "2 * D * D_E / (D + D_E) * (h_E - h)", "2 / (1 / D + 1 / D_E)",
    "u * (u > 0 ? h : h_E)", "u * max(h, h_E)", "(u > 0 ? u * (h + h_E) : 0)", "abs(u) * (h_E - h)", "(u > 0 ? 1.5 * h - 0.5 * h_W : 1.5 * h_E - 0.5 * h_EE)",
    "max(0, min(h - h_W, h_E - h))", "k(D, D_E)", "K * K_E", "sqrt(D * D_E) * h_E * h", "max(max(D, D_E), max(D_N, D_NE)) * (D + D_E)",
]
AT_CENTRE = ["D * D_E", "u * u_W", "max(u, u_W)", "(u > 0 ? u : u_W)", "D * h", "u * u_W + v * v_S", "sqrt(u^2 * u_W^2)"]
AT_CORNER = ["D * D_E * D_N * D_NE", "max(max(D, D_E), max(D_N, D_NE))", "u * u_N", "(v > v_E ? v : v_E)"]
# Where it is wrong to say that they live at the x face.
NOT_AT_X_FACE = ["D", "D * h", "D * h_E", "D * (h_E - h)", "max(D, h_E)", "(D_E > D ? D : h_E)", "D * D_EE", "D * D_N", "sqrt(D)", "max(D, D_N)",
                 "D * D_E * h", "D^2", "K"]
MIXED = ["D * u", "h * v", "max(h, u)", "(u > 0 ? u * h : u * h_E)", "u * v", "u * (h * h_EE)", "(h > 0 ? u : u_W) * v", "D * D_E * v"]


def stencil(expression, where):
    return (f"stencil a {{\n  reads {READS};\n  writes F at {where};\n  let k(a, b) = 2 * a * b / (a + b);\n  let K = D * h;\n"
            f"  F' = {expression};\n  all' = k(D, h) * K;\n  wind' = u;\n  side' = v;\n}}")


class Locations(unittest.TestCase):
    def test_means_of_any_kind_lie_half_way(self):
        for where, expressions in (("x_face", AT_X_FACE), ("centre", AT_CENTRE), ("corner", AT_CORNER)):
            for expression in expressions:
                with self.subTest(expression=expression, where=where):
                    self.assertEqual(complaint(stencil(expression, where)), "")

    def test_what_lies_elsewhere_is_refused(self):
        for expression in NOT_AT_X_FACE:
            with self.subTest(expression=expression):
                self.assertIn("'F' lives at x_face, but this at ", complaint(stencil(expression, "x_face")))

    def test_places_that_do_not_meet_are_refused_with_a_way_out(self):
        for expression in MIXED:
            with self.subTest(expression=expression):
                said = complaint(stencil(expression, "x_face"))
                self.assertIn("a product or choice of what lives at ", said)
                self.assertIn("lies half-way too, and a variable without 'at' anywhere", said)


if __name__ == "__main__":
    unittest.main(verbosity=0)
