/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/okada.h>
#include <math.h>
#include <stdbool.h>

static const double pi = 3.14159265358979323846;
static const double ratio = 0.5; /* mu / (lambda + mu) */

/* A corner of the fault as seen from a point: the paper's xi, eta, q, y~, d~ and R. */
typedef struct {
  double xi, eta, q, y, d, r;
  double sine, cosine; /* of the dip */
  bool vertical;
} Corner;

/* Shared by both kinds of slip: the paper's I_1 to I_5, atan(xi eta / (q R)), 1/(R + eta) and
   1/(R + xi). */
typedef struct {
  double i1, i2, i3, i4, i5, angle, by_eta, by_xi;
} Parts;

static Corner corner_at(double xi, double eta, double q, double sine, double cosine) {
  Corner c = {.xi = xi, .eta = eta, .q = q, .sine = sine, .cosine = cosine};
  c.y = eta * cosine + q * sine;
  c.d = eta * sine - q * cosine;
  c.r = sqrt(xi * xi + eta * eta + q * q);
  c.vertical = fabs(cosine) < 1e-5;
  return c;
}

/* R + s for s = eta or xi without cancellation, `rest` the sum of the other two squares: 0 on the
   prolongation of an edge beyond its end. */
static double radius_plus(double r, double s, double rest) {
  return s > 0 ? r + s : rest / (r - s);
}

/* Where R + eta = 0, -log(R - eta) stands for log(R + eta), and what is divided by it counts as 0.
   */
static double log_of(double plus, double r, double eta) {
  return plus > 0 ? log(plus) : -log(r - eta);
}

/* Of a dip of 90 degrees, where those below are 0/0. */
static void add_vertical(Corner c, double logarithm, Parts *p) {
  const double to = c.r + c.d, near = to > 0 ? 1 / to : 0;
  p->i1 = -ratio / 2 * c.xi * c.q * (near * near);
  p->i3 = ratio / 2 * (c.eta * near + c.y * c.q * (near * near) - logarithm);
  p->i4 = -ratio * c.q * near;
  p->i5 = -ratio * c.xi * c.sine * near;
}

static void add_inclined(Corner c, double logarithm, Parts *p) {
  const double to = c.r + c.d, x = sqrt(c.xi * c.xi + c.q * c.q), near = to > 0 ? 1 / to : 0,
               tangent = c.sine / c.cosine,
               rise = c.eta * (x + c.q * c.cosine) + x * (c.r + x) * c.sine,
               run = c.xi * (c.r + x) * c.cosine;
  p->i5 = c.xi == 0 ? 0 : 2 * ratio / c.cosine * atan(rise / run);
  p->i4 = ratio / c.cosine * ((to > 0 ? log(to) : 0) - c.sine * logarithm);
  p->i3 = ratio * (c.y * near / c.cosine - logarithm) + tangent * p->i4;
  p->i1 = -ratio * c.xi * near / c.cosine - tangent * p->i5;
}

static Parts parts_of(Corner c) {
  const double plus_eta = radius_plus(c.r, c.eta, c.xi * c.xi + c.q * c.q),
               plus_xi = radius_plus(c.r, c.xi, c.eta * c.eta + c.q * c.q),
               logarithm = log_of(plus_eta, c.r, c.eta);
  Parts p = {.by_eta = plus_eta > 0 ? 1 / plus_eta : 0, .by_xi = plus_xi > 0 ? 1 / plus_xi : 0};
  p.angle = c.q == 0 ? 0 : atan(c.xi * c.eta / (c.q * c.r));
  if (c.vertical) add_vertical(c, logarithm, &p);
  else add_inclined(c, logarithm, &p);
  p.i2 = -ratio * logarithm - p.i3;
  return p;
}

/* Adds `sign` times the terms of a corner, before the factor -1/(2 pi). */
static void add_corner(Corner c, double sign, HgOkadaSlip u, HgOkadaMotion *to) {
  if (c.r == 0) return;
  const Parts p = parts_of(c);
  const double q_r = c.q / c.r, both = c.sine * c.cosine, q_q = c.q * q_r * p.by_eta;
  /* (y~/R + cos(dip)) q/(R + eta) and (d~/R + sin(dip)) q/(R + eta) without cancellation */
  const HgOkadaMotion strike = {c.xi * q_r * p.by_eta + p.angle + p.i1 * c.sine,
                                q_r * c.cosine + q_q * c.sine + p.i2 * c.sine,
                                q_r * c.sine - q_q * c.cosine + p.i4 * c.sine};
  const HgOkadaMotion dip = {q_r - p.i3 * both,
                             c.y * q_r * p.by_xi + c.cosine * p.angle - p.i1 * both,
                             c.d * q_r * p.by_xi + c.sine * p.angle - p.i5 * both};
  to->x += sign * (u.strike * strike.x + u.dip * dip.x);
  to->y += sign * (u.strike * strike.y + u.dip * dip.y);
  to->z += sign * (u.strike * strike.z + u.dip * dip.z);
}

HgOkadaMotion HgOkadaSurface(const HgOkadaFault *f, HgOkadaSlip slip, double x, double y) {
  const double sine = sin(f->dip * (pi / 180)), cosine = cos(f->dip * (pi / 180)),
               p = y * cosine + f->depth * sine, q = y * sine - f->depth * cosine,
               scale = -1 / (2 * pi);
  HgOkadaMotion sum = {0, 0, 0};
  add_corner(corner_at(x, p, q, sine, cosine), 1, slip, &sum);
  add_corner(corner_at(x, p - f->width, q, sine, cosine), -1, slip, &sum);
  add_corner(corner_at(x - f->length, p, q, sine, cosine), -1, slip, &sum);
  add_corner(corner_at(x - f->length, p - f->width, q, sine, cosine), 1, slip, &sum);
  return (HgOkadaMotion){scale * sum.x, scale * sum.y, scale * sum.z};
}
