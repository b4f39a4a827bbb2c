/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_vorticity.c -- potential vorticity on the north-east corner:

     q = z / D,  z = f + (v_E - v)/dx - (u_N - u)/dy,  D = (h + h_E + h_N + h_NE)/4 */
#include "shallow_private.h"

enum { CORIOLIS, U, V, H };

static inline HgReal vorticity(Shallow k, const HgReal *f, const HgReal *u, const HgReal *u_north,
                               const HgReal *v, int i) {
  return f[i] + (k.rx * (v[i + 1] - v[i]) - k.ry * (u_north[i] - u[i]));
}

static inline HgReal depth(const HgReal *h, const HgReal *h_north, int i) {
  return QUARTER * ((h[i] + h[i + 1]) + (h_north[i] + h_north[i + 1]));
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *f = x[CORIOLIS][j], *u = x[U][j], *u_north = x[U][j + 1], *v = x[V][j];
    const HgReal *h = x[H][j], *h_north = x[H][j + 1];
    HgReal *q = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      q[i] = vorticity(k, f, u, u_north, v, i) / depth(h, h_north, i);
  }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *f = x[CORIOLIS][j], *u = x[U][j], *u_north = x[U][j + 1], *v = x[V][j];
    const HgReal *h = x[H][j], *h_north = x[H][j + 1];
    const HgReal *df = dx[CORIOLIS][j], *du = dx[U][j], *du_north = dx[U][j + 1], *dv = dx[V][j];
    const HgReal *dh = dx[H][j], *dh_north = dx[H][j + 1];
    HgReal *dq = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal D = depth(h, h_north, i), q = vorticity(k, f, u, u_north, v, i) / D;
      dq[i] = (vorticity(k, df, du, du_north, dv, i) - q * depth(dh, dh_north, i)) / D;
    }
  }
}

/* The cotangents of z and D on the corners of a part of a row, from the one to the west of it on:
   they cost a division each, and two columns and two rows ask for them. */
enum { PART = 256 };

typedef struct {
  HgReal z[PART + 1], D[PART + 1];
} Contributions;

static inline void contribute(Shallow k, const HgBox *b, const HgRows x[], HgRows y_bar, int j,
                              Contributions *o) {
  const HgReal *f = x[CORIOLIS][j], *u = x[U][j], *u_north = x[U][j + 1], *v = x[V][j];
  const HgReal *h = x[H][j], *h_north = x[H][j + 1], *w = y_bar[j];
  HG_VECTOR
  for (int i = b->i0 - 1; i < b->i1; i++) {
    const HgReal per_depth = 1 / depth(h, h_north, i);
    const HgReal z = w[i] * per_depth;
    o->z[i - b->i0 + 1] = z;
    o->D[i - b->i0 + 1] = -z * (vorticity(k, f, u, u_north, v, i) * per_depth);
  }
}

static void collect(Shallow k, const HgBox *b, const Contributions *at, const Contributions *below,
                    int j, const HgRowsOut x_bar[]) {
  const HgReal *z = at->z + 1 - b->i0, *z_south = below->z + 1 - b->i0;
  const HgReal *D = at->D + 1 - b->i0, *D_south = below->D + 1 - b->i0;
  const HgCotangent f_bar = HgCotangentRow(b, x_bar, CORIOLIS, j),
                    u_bar = HgCotangentRow(b, x_bar, U, j);
  const HgCotangent v_bar = HgCotangentRow(b, x_bar, V, j), h_bar = HgCotangentRow(b, x_bar, H, j);
  if (f_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(f_bar, i, z[i]);
  }
  if (u_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(u_bar, i, k.ry * (z[i] - z_south[i]));
  }
  if (v_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(v_bar, i, k.rx * (z[i - 1] - z[i]));
  }
  if (h_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(h_bar, i, QUARTER * ((D[i] + D[i - 1]) + (D_south[i] + D_south[i - 1])));
  }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const Shallow k = shallow(b, params);
  HgBox part = *b;
  for (part.i0 = b->i0; part.i0 < b->i1; part.i0 = part.i1) {
    part.i1 = b->i1 - part.i0 > PART ? part.i0 + PART : b->i1;
    Contributions from[2];
    contribute(k, &part, x, y_bar[0], b->j0 - 1, &from[0]);
    for (int j = b->j0, at = 1; j < b->j1; j++, at = 1 - at) {
      contribute(k, &part, x, y_bar[0], j, &from[at]);
      collect(k, &part, &from[at], &from[1 - at], j, x_bar);
    }
  }
}

const HgStencil hg_shallow_vorticity = {
    .name = "shallow_vorticity",
    .reads = (const HgRead[]){{"f", 0, 1}, {"u", 1, 1}, {"v", 1, 1}, {"h", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"q", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_shallow_vorticity_generated_second,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
