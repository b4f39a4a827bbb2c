# SPDX-License-Identifier: BSD-2-Clause
"""Claim: a physics is the stencils that it stands for, with what it declares once: the same kernels as stencils that declare it all, each
field with its unit, location and walls, numbers and tables in one struct, a largest step. A stencil is also written
with the one before it inlined where it alone reads what that writes, in the cell itself."""
import unittest

from generator import c_and_header, c_of, physics_of

WAVE = """physics wave {
  field u [m] at x_face closed in x copied in y, v [m / s], c [m/s] fixed -2.5 > 0, e [Pa] mirrored, o mirrored -1 in y frozen in x;
  number g [1/s] > 0, unused_by_kernels [s];
  table w[step] [m];
  let lap(f) = (f_W + f_E - 2 * f) / dx^2;
  stencil first { u' = u + dt * v + w[step]; }
  stencil second {
    let push = c^2 * lap(u);
    v' = v + dt * (push - g * v);
    e' = e + 0 * v_E / v;
    o' = o * e / e_N;
  }
  stable dt <= dx / max(abs(v)) + min(c) / (max(c) * g);
  stable dt <= unused_by_kernels;
}
"""
SERIES = """physics plate {
  field T [K] mirrored, wall;
  number q[step] [K/s] > 0, calm[step], decay [1/s], w[step, 2] >= 0, side[step, j] [1] > 0;
  let flux = wall * q[step];
  stencil heat { T' = T + dt * (flux_E + flux - decay * T) * calm[step]; }
  stencil still { wall' = wall_E * w[step, 1] * side[step, j] + w[step, 0]; }
}
"""
WRITTEN_OUT = """stencil second {
  reads u [m] at x_face, v [m/s], c [m/s] > 0, e [Pa], o;
  params P from <p.h>: g [1/s] > 0;
  let lap(f) = (f_W + f_E - 2 * f) / dx^2;
  let push = c^2 * lap(u);
  v' = v + dt * (push - g * v);
  e' = e + 0 * v_E / v;
  o' = o * e / e_N;
}
"""


def kernels(text, name):
    """The functions of a stencil."""
    return [f for f in text.split("\n\n") if f"{name}_" in f.split("(")[0]]


class Physics(unittest.TestCase):
    def test_kernels_are_those_of_its_stencils(self):
        apart = WAVE.replace("{ u' =", "{ z' =").replace(" o mirrored", " z, o mirrored")  # what a step writes decides which loops are one
        inside = kernels(c_of(apart, '"a.h"'), "second")
        apart = kernels(c_of("stencil first { reads u; u' = u_E; }\n" + WRITTEN_OUT, '"a.h"'), "second")
        self.assertGreater(len(inside), 5)
        self.assertEqual([f.replace("WaveParams", "P") for f in inside], apart)

    def test_what_it_declares(self):
        text, header = c_of(WAVE), c_and_header(WAVE)[1]
        for part in ('{"u", "m", HG_X_FACE, {{HG_CLOSED, 0}, {HG_CLOSED, 0}, {HG_COPY, 0}, {HG_COPY, 0}, {HG_UNSTATED, 0}, {HG_UNSTATED, 0}}, false}', '{"v", "m/s", HG_CENTRE, HG_ALL_SIDES(HG_UNSTATED, 0), false}',
                     '{"c", "m/s", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, -2.5), false}', '{"e", "Pa", HG_CENTRE, HG_ALL_SIDES(HG_MIRROR, 1), false}',
                     '{"o", NULL, HG_CENTRE, {{HG_FROZEN, 0}, {HG_FROZEN, 0}, {HG_MIRROR, -1.0}, {HG_MIRROR, -1.0}, {HG_UNSTATED, 0}, {HG_UNSTATED, 0}}, false}',
                     "{&first, &second, NULL}", '{"g", "1/s", offsetof(WaveParams, g), HG_POSITIVE}', '{"unused_by_kernels", "s", offsetof(WaveParams, unused_by_kernels), HG_ANY_SIGN}', '.positive = (const char *const[]){"c", NULL}', '{"w", "m", offsetof(WaveParams, w), offsetof(WaveParams, w_count)}',
                     "dx / fmax(fabs(range[1].least), fabs(range[1].largest)) + range[2].least / (range[2].largest * p->g)", "dt = fmin(dt, p->unused_by_kernels);"):
            self.assertIn(" ".join(part.split()), " ".join(text.split()))
        self.assertIn('{"u", "s^0.5 m", HG_CENTRE', c_of("physics a { field u [s^0.5 m]; u' = u_E; }"))
        self.assertIn("extern const HgPhysics wave_physics;", header)
        self.assertEqual(header.count("typedef struct"), 1)
        self.assertEqual(text.count("typedef struct {\n  double g;\n  double unused_by_kernels;\n  const double *w;"), 1)

    def test_numbers_by_step(self):
        text, (_, header) = c_of(SERIES), c_and_header(SERIES)
        for part in ('{"q[step]", "K/s", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0), false}, {"calm[step]", NULL, HG_CENTRE',
                     '.series = (const HgPhysicsSeries[]){ {"q", "q[step]", offsetof(PlateParams, q_count), 1, 0, 0}, {"calm", "calm[step]", offsetof(PlateParams, calm_count), 1, 0, 0}, {"w", "w[step, 0]", offsetof(PlateParams, w_count), 2, 0, 0}, {"w", "w[step, 1]", offsetof(PlateParams, w_count), 2, 1, 0}, {"side", "side[step, j]", offsetof(PlateParams, side_count), 1, 0, \'j\'}',
                     # fields like others, so that stages, adjoints beyond walls and checks need not know of them
                     '{{"T", 0, 0}, {"wall", 1, 1}, {"q[step]", 1, 1}, {"calm[step]", 0, 1}, {NULL, 0, 0}}', "wall[i + 1] * q[i + 1] + flux",
                     '.positive = (const char *const[]){"q", "side", NULL}', '{{"wall", 1, 1}, {"w[step, 0]", 0, HG_ADJOINT_UNUSED}, {"w[step, 1]", 0, 1}, {"side[step, j]", 0, 1}, {NULL, 0, 0}}', "wall[i + 1] * w_1[i] * side[i] + w_0[i];",
                     '.stated = (const HgStated[]){{"T", "K", HG_ANYWHERE, false}, {"q[step]", "K/s", HG_ANYWHERE, false}'):
            self.assertIn(" ".join(part.split()), " ".join(text.split()))
        self.assertEqual(header.count("double decay;\n  long q_count; /* steps that it has numbers for */\n  long calm_count; /* steps that it has numbers for */\n  long w_count; /* steps that it has numbers for */\n  long side_count;"), 1)


PAIR = """physics pair {{ field u, a > 0, b, c, s;
  {zero}
  stencil first {{ let e = u_E; let half = 0.5; a' = half * (e - u){also}; b' = u; }}
  stencil second {{ let e = u_W; u' = e + {value}; s' = s + c; }}
  {third}
}}
"""


class Inlined(unittest.TestCase):
    def test_what_the_next_stencil_alone_reads_in_the_cell(self):
        inlined = lambda value="a * b", zero="", also="", third="": ".inlined = &first_and_second" in c_of(PAIR.format(**locals()))  # noqa: E731
        self.assertTrue(inlined())
        self.assertTrue(inlined("sqrt(a) * b / a"))  # what is declared of it still holds
        self.assertTrue(inlined(third="stencil third { c' = c_E + u; }", zero="stencil zero { c' = c_N; }"))
        self.assertFalse(inlined("a_E * b"))
        self.assertFalse(inlined("a * b + b[0, 2]"))
        self.assertFalse(inlined("a"))  # b is for others
        self.assertFalse(inlined(also=" + b"))
        self.assertFalse(inlined(third="stencil third { c' = c_E + a; }"))
        self.assertFalse(inlined(zero="stencil zero { c' = c_E + b; }"))
        self.assertFalse(inlined(zero="stencil zero { b' = c_E; }"))
        self.assertFalse(inlined(third="stencil first_and_second { c' = c_E; }"))
        column = lambda of: c_of(PAIR.replace("pair {{", "pair in xyz {{").format(value="a * b", zero=f"column c' = above({of});", also="", third=""))  # noqa: E731
        self.assertTrue(".inlined = &first_and_second" in column("u"))
        self.assertFalse(".inlined" in column("b"))
        self.assertFalse(".inlined" in c_of("physics p in xyz { field u, a, b; column a' = above(u); stencil second { u' = u + a; b' = b + u; } }"))

    def test_what_it_takes_is_not_counted_for_the_file(self):
        second = physics_of(PAIR.format(value="a * b", zero="", also="", third=""))[1]
        self.assertIsNot(second.inlined.graph.effort, second.graph.effort)


if __name__ == "__main__":
    unittest.main()
