/* SPDX-License-Identifier: BSD-2-Clause */
/* The tendencies of u and v and their transposes, cell by cell, for shallow_acceleration.c and
   shallow_momentum.c. */
#ifndef HALOGRAD_SHALLOW_ACCELERATION_PRIVATE_H
#define HALOGRAD_SHALLOW_ACCELERATION_PRIVATE_H

#include "shallow_private.h"

/* What they read, in this order. */
enum { F, G, Q, P };

/* Rows j - 1, j, j + 1 of what the tendencies read. */
typedef struct {
  HgAround F, G, q, P;
} Rows;

static inline Rows rows_of(const HgRows x[], int j) {
  return (Rows){HgRowsAround(x[F], j), HgRowsAround(x[G], j), HgRowsAround(x[Q], j),
                HgRowsAround(x[P], j)};
}

static inline HgReal pressure_gradient_x(Shallow k, HgAround P, int i) {
  return k.rx * (P.at[i + 1] - P.at[i]);
}

static inline HgReal pressure_gradient_y(Shallow k, HgAround P, int i) {
  return k.ry * (P.north[i] - P.at[i]);
}

/* (q (G + G_E) + q_S (G_S + G_SE))/4 */
static inline HgReal vorticity_flux_x(HgAround q, HgAround G, int i) {
  return QUARTER * (q.at[i] * (G.at[i] + G.at[i + 1]) + q.south[i] * (G.south[i] + G.south[i + 1]));
}

/* -(q (F + F_N) + q_W (F_W + F_NW))/4 */
static inline HgReal vorticity_flux_y(HgAround q, HgAround F, int i) {
  return -QUARTER *
         (q.at[i] * (F.at[i] + F.north[i]) + q.at[i - 1] * (F.at[i - 1] + F.north[i - 1]));
}

/* u_t = -(P_E - P)/dx + (q (G + G_E) + q_S (G_S + G_SE))/4 */
static inline HgReal acceleration_x(Shallow k, Rows at, int i) {
  return vorticity_flux_x(at.q, at.G, i) - pressure_gradient_x(k, at.P, i);
}

/* v_t = -(P_N - P)/dy - (q (F + F_N) + q_W (F_W + F_NW))/4 */
static inline HgReal acceleration_y(Shallow k, Rows at, int i) {
  return vorticity_flux_y(at.q, at.F, i) - pressure_gradient_y(k, at.P, i);
}

/* Of the tangent: the fluxes are bilinear. */
static inline HgReal acceleration_dx(Shallow k, Rows at, Rows d, int i) {
  return (vorticity_flux_x(d.q, at.G, i) + vorticity_flux_x(at.q, d.G, i)) -
         pressure_gradient_x(k, d.P, i);
}

static inline HgReal acceleration_dy(Shallow k, Rows at, Rows d, int i) {
  return (vorticity_flux_y(d.q, at.F, i) + vorticity_flux_y(at.q, d.F, i)) -
         pressure_gradient_y(k, d.P, i);
}

/* ---- in reverse: r and s are the cotangents of u_t and v_t ---- */

typedef struct {
  Shallow k;
  HgAround r, s, F, G, q;
} Reverse;

/* A corner turns the u of its own row and of the row to the north, the v of its own column and of
   the column to the east. */
static inline HgReal r_turned(Reverse x, int i) { return x.r.at[i] + x.r.north[i]; }

static inline HgReal s_turned(Reverse x, int i) { return x.s.at[i] + x.s.at[i + 1]; }

static inline HgReal s_turned_south(Reverse x, int i) { return x.s.south[i] + x.s.south[i + 1]; }

static inline HgReal P_contribution(Reverse x, int i) {
  return x.k.rx * (x.r.at[i] - x.r.at[i - 1]) + x.k.ry * (x.s.at[i] - x.s.south[i]);
}

static inline HgReal F_contribution(Reverse x, int i) {
  return -QUARTER * (x.q.at[i] * s_turned(x, i) + x.q.south[i] * s_turned_south(x, i));
}

static inline HgReal G_contribution(Reverse x, int i) {
  return QUARTER * (x.q.at[i] * r_turned(x, i) + x.q.at[i - 1] * r_turned(x, i - 1));
}

static inline HgReal q_contribution(Reverse x, int i) {
  return QUARTER * ((x.G.at[i] + x.G.at[i + 1]) * r_turned(x, i) -
                    (x.F.at[i] + x.F.north[i]) * s_turned(x, i));
}

/* Row of F_bar, G_bar, q_bar, P_bar. Wanted all together, as in a whole step, they share what they
   are made of. */
static inline void acceleration_transposed(const HgBox *b, Reverse x, const HgCotangent to[]) {
  if (to[F].row && to[G].row && to[Q].row && to[P].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      HgContribute(to[F], i, F_contribution(x, i));
      HgContribute(to[G], i, G_contribution(x, i));
      HgContribute(to[Q], i, q_contribution(x, i));
      HgContribute(to[P], i, P_contribution(x, i));
    }
    return;
  }
  for (int i = b->i0; to[F].row && i < b->i1; i++) HgContribute(to[F], i, F_contribution(x, i));
  for (int i = b->i0; to[G].row && i < b->i1; i++) HgContribute(to[G], i, G_contribution(x, i));
  for (int i = b->i0; to[Q].row && i < b->i1; i++) HgContribute(to[Q], i, q_contribution(x, i));
  for (int i = b->i0; to[P].row && i < b->i1; i++) HgContribute(to[P], i, P_contribution(x, i));
}

#endif
