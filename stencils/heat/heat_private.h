/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the two forms of heat: the weights of a step, and loops into which a form is
   inlined. */
#ifndef HALOGRAD_HEAT_PRIVATE_H
#define HALOGRAD_HEAT_PRIVATE_H

#include <halograd/heat.h>
#include <halograd/kernel.h>
#include <math.h>
#include <stddef.h>

/* lap(kappa w): the transpose of u -> kappa lap(u), since the Laplacian is symmetric. */
static inline HgReal heat_laplacian_of_product(HgReal rx, HgReal ry, HgAround kappa, HgAround w,
                                               int i) {
  const HgReal twice = 2 * (kappa.at[i] * w.at[i]);
  return rx * ((kappa.at[i - 1] * w.at[i - 1] + kappa.at[i + 1] * w.at[i + 1]) - twice) +
         ry * ((kappa.south[i] * w.south[i] + kappa.north[i] * w.north[i]) - twice);
}

/* Written by hgstencil from heat.stencil and heat_conservative.stencil, as are their twins. */
extern HgSecondFn hg_heat_tendency_generated_second, hg_heat_generated_second,
    hg_heat_forced_generated_second, hg_heat_conservative_generated_second,
    hg_heat_conservative_forced_generated_second;

/* dt [s], s = exp(-decay t), 0 without params; rx = share / dx^2 and ry = share / dy^2 [1/m^2] */
typedef struct {
  HgReal dt, s, rx, ry;
} HgHeatWeights;

static inline HgHeatWeights heat_weights(const HgBox *b, const void *params, double share) {
  const HgHeatParams *p = params;
  return (HgHeatWeights){b->dt, p ? exp(-p->decay * b->t) : 0, share / (b->dx * b->dx),
                         share / (b->dy * b->dy)};
}

#define HG_HEAT_LOOP __attribute__((always_inline)) static inline void

/* The functions of a form of heat at cell i: the rate r = u_t without its source, linear in kappa
   and in u; the contributions of w = r_bar to u_bar, from kappa and w; and to kappa_bar, from u and
   w. */
typedef HgReal HgHeatRate(HgHeatWeights c, HgAround a, HgAround b, int i);

/* What a stencil writes: u_r = rate, u' = u + dt rate, or u' = u + dt (rate + s f). */
typedef enum { HG_HEAT_TENDENCY, HG_HEAT_STEP, HG_HEAT_FORCED } HgHeatKind;

/* The rows of kappa that a rate of that radius reads. */
static inline HgAround heat_kappa(int radius, HgRows kappa, int j) {
  return radius ? HgRowsAround(kappa, j) : (HgAround){NULL, kappa[j], NULL};
}

HG_HEAT_LOOP heat_apply(const HgBox *b, HgHeatRate *rate, int radius, HgHeatKind kind,
                        HgHeatWeights c, const HgRows x[], HgRowsOut y) {
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j), kappa = heat_kappa(radius, x[1], j);
    const HgReal *f = kind == HG_HEAT_FORCED ? x[2][j] : NULL;
    HgReal *out = y[j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal plain = rate(c, kappa, u, i);
      const HgReal r = kind == HG_HEAT_FORCED ? plain + c.s * f[i] : plain;
      out[i] = kind == HG_HEAT_TENDENCY ? r : u.at[i] + c.dt * r;
    }
  }
}

HG_HEAT_LOOP heat_tangent(const HgBox *b, HgHeatRate *rate, int radius, HgHeatKind kind,
                          HgHeatWeights c, const HgRows x[], const HgRows dx[], HgRowsOut dy) {
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j), kappa = heat_kappa(radius, x[1], j);
    const HgAround du = HgRowsAround(dx[0], j), dkappa = heat_kappa(radius, dx[1], j);
    const HgReal *df = kind == HG_HEAT_FORCED ? dx[2][j] : NULL;
    HgReal *out = dy[j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal plain = rate(c, kappa, du, i) + rate(c, dkappa, u, i);
      const HgReal r = kind == HG_HEAT_FORCED ? plain + c.s * df[i] : plain;
      out[i] = kind == HG_HEAT_TENDENCY ? r : du.at[i] + c.dt * r;
    }
  }
}

/* Through u' = u + dt r, or r alone. */
static inline HgReal heat_u_bar(HgHeatKind kind, HgHeatWeights c, HgReal w, HgReal through_rate) {
  return kind == HG_HEAT_TENDENCY ? through_rate : w + c.dt * through_rate;
}

static inline HgReal heat_kappa_bar(HgHeatKind kind, HgHeatWeights c, HgReal through_rate) {
  return kind == HG_HEAT_TENDENCY ? through_rate : c.dt * through_rate;
}

/* w: the cotangent of the result. It goes row by row, so that w comes from memory once. u_bar and
   kappa_bar together, as in every inversion for kappa, are one loop: 1.2 times as fast from memory
   as two. */
HG_HEAT_LOOP heat_adjoint(const HgBox *b, HgHeatRate *to_u, HgHeatRate *to_kappa, HgHeatKind kind,
                          HgHeatWeights c, const HgRows x[], HgRows w_rows,
                          const HgRowsOut x_bar[]) {
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround kappa = HgRowsAround(x[1], j), w = HgRowsAround(w_rows, j);
    const HgAround u = x_bar[1] ? HgRowsAround(x[0], j) : kappa; /* read for kappa_bar only */
    const HgCotangent u_bar = HgCotangentRow(b, x_bar, 0, j),
                      kappa_bar = HgCotangentRow(b, x_bar, 1, j);
    if (u_bar.row && kappa_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) {
        HgContribute(u_bar, i, heat_u_bar(kind, c, w.at[i], to_u(c, kappa, w, i)));
        HgContribute(kappa_bar, i, heat_kappa_bar(kind, c, to_kappa(c, u, w, i)));
      }
    } else if (u_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(u_bar, i, heat_u_bar(kind, c, w.at[i], to_u(c, kappa, w, i)));
    } else if (kappa_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(kappa_bar, i, heat_kappa_bar(kind, c, to_kappa(c, u, w, i)));
    }
    if (kind != HG_HEAT_FORCED || !x_bar[2]) continue;
    const HgCotangent f_bar = HgCotangentRow(b, x_bar, 2, j);
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(f_bar, i, c.dt * (c.s * w.at[i]));
  }
}

#endif
