/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_energy.c -- the Bernoulli function at the centre: potential and kinetic energy per mass,

     P = g (h + b) + (u^2 + u_W^2 + v^2 + v_S^2)/4

   h + b comes first: water at rest stays at rest. */
#include "shallow_private.h"

enum { H, B, U, V };

static inline HgReal potential(Shallow k, const HgReal *h, const HgReal *b, int i) {
  return k.g * (h[i] + b[i]);
}

static inline HgReal sum_of_products(const HgReal *u, const HgReal *p, const HgReal *v,
                                     const HgReal *v_south, const HgReal *r, const HgReal *r_south,
                                     int i) {
  return (u[i] * p[i] + u[i - 1] * p[i - 1]) + (v[i] * r[i] + v_south[i] * r_south[i]);
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *h = x[H][j], *bottom = x[B][j];
    const HgReal *u = x[U][j], *v = x[V][j], *v_south = x[V][j - 1];
    HgReal *P = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      P[i] =
          potential(k, h, bottom, i) + QUARTER * sum_of_products(u, u, v, v_south, v, v_south, i);
  }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *u = x[U][j], *v = x[V][j], *v_south = x[V][j - 1];
    const HgReal *dh = dx[H][j], *db = dx[B][j];
    const HgReal *du = dx[U][j], *dv = dx[V][j], *dv_south = dx[V][j - 1];
    HgReal *dP = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      dP[i] = potential(k, dh, db, i) + HALF * sum_of_products(u, du, v, v_south, dv, dv_south, i);
  }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *w = y_bar[0][j], *w_north = y_bar[0][j + 1], *u = x[U][j], *v = x[V][j];
    for (int n = H; n <= B; n++) {
      const HgCotangent bar = HgCotangentRow(b, x_bar, n, j);
      if (!bar.row) continue;
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(bar, i, k.g * w[i]);
    }
    const HgCotangent u_bar = HgCotangentRow(b, x_bar, U, j),
                      v_bar = HgCotangentRow(b, x_bar, V, j);
    if (u_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(u_bar, i, HALF * u[i] * (w[i] + w[i + 1]));
    }
    if (v_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(v_bar, i, HALF * v[i] * (w[i] + w_north[i]));
    }
  }
}

const HgStencil hg_shallow_energy = {
    .name = "shallow_energy",
    .reads = (const HgRead[]){{"h", 0, HG_ADJOINT_UNUSED},
                              {"b", 0, HG_ADJOINT_UNUSED},
                              {"u", 1, 0},
                              {"v", 1, 0},
                              {NULL, 0, 0}},
    .writes = (const char *const[]){"P", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_shallow_energy_generated_second,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
