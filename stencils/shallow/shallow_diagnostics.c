/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_diagnostics.c -- what the tendencies are made of:

     q = z / D   potential vorticity on the north-east corner,
                 z = f + (v_E - v)/dx - (u_N - u)/dy,  D = (h + h_E + h_N + h_NE)/4
     P = g (h + b) + (u^2 + u_W^2 + v^2 + v_S^2)/4     the Bernoulli function at the centre
     F = (h + h_E)/2 u,  G = (h + h_N)/2 v             fluxes of the thickness

   h + b comes first: water at rest stays at rest. */
#include "shallow_private.h"

enum { CORIOLIS, U, V, H, B };

enum { Q, P, F, G };

/* Without b, which the adjoint does not read. */
typedef struct {
  const HgReal *f;
  HgAround u, v, h;
} Rows;

static inline Rows rows_of(const HgRows x[], int j) {
  return (Rows){x[CORIOLIS][j], HgRowsAround(x[U], j), HgRowsAround(x[V], j),
                HgRowsAround(x[H], j)};
}

/* What the corners of row j read: this row and the one north of it. */
static inline HgAround north_of(HgRows u, int j) { return (HgAround){NULL, u[j], u[j + 1]}; }

static inline Rows rows_of_corners(const HgRows x[], int j) {
  return (Rows){x[CORIOLIS][j], north_of(x[U], j), north_of(x[V], j), north_of(x[H], j)};
}

static inline HgReal vorticity(Shallow k, Rows at, int i) {
  return at.f[i] + (k.rx * (at.v.at[i + 1] - at.v.at[i]) - k.ry * (at.u.north[i] - at.u.at[i]));
}

static inline HgReal depth(HgAround h, int i) {
  return QUARTER * ((h.at[i] + h.at[i + 1]) + (h.north[i] + h.north[i + 1]));
}

static inline HgReal potential(Shallow k, HgAround h, const HgReal *bottom, int i) {
  return k.g * (h.at[i] + bottom[i]);
}

/* u p + u_W p_W + v r + v_S r_S */
static inline HgReal sum_of_products(HgAround u, HgAround p, HgAround v, HgAround r, int i) {
  return (u.at[i] * p.at[i] + u.at[i - 1] * p.at[i - 1]) +
         (v.at[i] * r.at[i] + v.south[i] * r.south[i]);
}

static inline HgReal east(HgAround h, int i) { return HALF * (h.at[i] + h.at[i + 1]); }

static inline HgReal north(HgAround h, int i) { return HALF * (h.at[i] + h.north[i]); }

static void diagnostics_apply(const HgBox *b, const void *params, const HgRows x[],
                              const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j);
    const HgReal *bottom = x[B][j];
    HgReal *q = y[Q][j], *p = y[P][j], *flux_x = y[F][j], *flux_y = y[G][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      q[i] = vorticity(k, at, i) / depth(at.h, i);
      p[i] = potential(k, at.h, bottom, i) + QUARTER * sum_of_products(at.u, at.u, at.v, at.v, i);
      flux_x[i] = east(at.h, i) * at.u.at[i];
      flux_y[i] = north(at.h, i) * at.v.at[i];
    }
  }
}

static void diagnostics_tangent(const HgBox *b, const void *params, const HgRows x[],
                                const HgRows dx[], const HgRowsOut dy[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j), d = rows_of(dx, j);
    const HgReal *dbottom = dx[B][j];
    HgReal *dq = dy[Q][j], *dp = dy[P][j], *dflux_x = dy[F][j], *dflux_y = dy[G][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal D = depth(at.h, i), q = vorticity(k, at, i) / D;
      dq[i] = (vorticity(k, d, i) - q * depth(d.h, i)) / D;
      dp[i] = potential(k, d.h, dbottom, i) + HALF * sum_of_products(at.u, d.u, at.v, d.v, i);
      dflux_x[i] = east(at.h, i) * d.u.at[i] + east(d.h, i) * at.u.at[i];
      dflux_y[i] = north(at.h, i) * d.v.at[i] + north(d.h, i) * at.v.at[i];
    }
  }
}

/* The cotangents of z and D on the corners of a part of a row, from the one to the west of it on:
   they cost a division each, and two columns and two rows ask for them. */
enum { PART = 256 };

typedef struct {
  HgReal z[PART + 1], D[PART + 1];
} Corners;

static inline void corners_bar(Shallow k, const HgBox *b, const HgRows x[], HgRows q_bar, int j,
                               Corners *o) {
  const Rows at = rows_of_corners(x, j);
  const HgReal *w = q_bar[j];
  HG_VECTOR
  for (int i = b->i0 - 1; i < b->i1; i++) {
    const HgReal per_depth = 1 / depth(at.h, i);
    const HgReal z = w[i] * per_depth;
    o->z[i - b->i0 + 1] = z;
    o->D[i - b->i0 + 1] = -z * (vorticity(k, at, i) * per_depth);
  }
}

/* Row j of h_bar, u_bar, v_bar, from the cotangents of corners in this row and the one below. */
static void collect(Shallow k, const HgBox *b, const Corners *corner, const Corners *below,
                    const HgRows x[], const HgRows y_bar[], int j, const HgRowsOut x_bar[]) {
  const HgReal *z = corner->z + 1 - b->i0, *z_south = below->z + 1 - b->i0;
  const HgReal *D = corner->D + 1 - b->i0, *D_south = below->D + 1 - b->i0;
  const HgReal *w = y_bar[P][j], *w_north = y_bar[P][j + 1];
  const HgReal *f = y_bar[F][j], *g = y_bar[G][j], *g_south = y_bar[G][j - 1];
  const Rows at = rows_of(x, j);
  const HgReal *u = at.u.at, *v = at.v.at, *v_south = at.v.south;
  const HgCotangent h_bar = HgCotangentRow(b, x_bar, H, j), u_bar = HgCotangentRow(b, x_bar, U, j),
                    v_bar = HgCotangentRow(b, x_bar, V, j);
  if (h_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal of_F = f[i] * u[i] + f[i - 1] * u[i - 1];
      const HgReal of_G = g[i] * v[i] + g_south[i] * v_south[i];
      const HgReal of_q = QUARTER * ((D[i] + D[i - 1]) + (D_south[i] + D_south[i - 1]));
      h_bar.row[i] = ((h_bar.before[i] + HALF * (of_F + of_G)) + k.g * w[i]) + of_q;
    }
  }
  if (u_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal of_F = east(at.h, i) * f[i], of_q = k.ry * (z[i] - z_south[i]);
      const HgReal of_P = HALF * u[i] * (w[i] + w[i + 1]);
      u_bar.row[i] = ((u_bar.before[i] + of_F) + of_P) + of_q;
    }
  }
  if (v_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal of_G = north(at.h, i) * g[i], of_q = k.rx * (z[i - 1] - z[i]);
      const HgReal of_P = HALF * v[i] * (w[i] + w_north[i]);
      v_bar.row[i] = ((v_bar.before[i] + of_G) + of_P) + of_q;
    }
  }
}

/* Row j of f_bar and b_bar. */
static void collect_constants(Shallow k, const HgBox *b, const Corners *corner,
                              const HgRows y_bar[], int j, const HgRowsOut x_bar[]) {
  const HgReal *z = corner->z + 1 - b->i0, *w = y_bar[P][j];
  const HgCotangent f_bar = HgCotangentRow(b, x_bar, CORIOLIS, j),
                    b_bar = HgCotangentRow(b, x_bar, B, j);
  if (f_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(f_bar, i, z[i]);
  }
  if (b_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(b_bar, i, k.g * w[i]);
  }
}

static void diagnostics_adjoint(const HgBox *b, const void *params, const HgRows x[],
                                const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Shallow k = shallow(b, params);
  HgBox part = *b;
  for (part.i0 = b->i0; part.i0 < b->i1; part.i0 = part.i1) {
    part.i1 = b->i1 - part.i0 > PART ? part.i0 + PART : b->i1;
    Corners from[2];
    corners_bar(k, &part, x, y_bar[Q], b->j0 - 1, &from[0]);
    for (int j = b->j0, at = 1; j < b->j1; j++, at = 1 - at) {
      corners_bar(k, &part, x, y_bar[Q], j, &from[at]);
      collect(k, &part, &from[at], &from[1 - at], x, y_bar, j, x_bar);
      collect_constants(k, &part, &from[at], y_bar, j, x_bar);
    }
  }
}

const HgStencil hg_shallow_diagnostics = {
    .name = "shallow_diagnostics",
    .reads = (const HgRead[]){{"f", 0, 1},
                              {"u", 1, 1},
                              {"v", 1, 1},
                              {"h", 1, 1},
                              {"b", 0, HG_ADJOINT_UNUSED},
                              {NULL, 0, 0}},
    .writes = (const char *const[]){"q", "P", "F", "G", NULL},
    .apply = diagnostics_apply,
    .tangent = diagnostics_tangent,
    .adjoint = diagnostics_adjoint,
    .second = hg_shallow_diagnostics_generated_second,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
