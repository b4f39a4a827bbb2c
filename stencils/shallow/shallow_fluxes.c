/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_fluxes.c -- fluxes of the thickness: F = (h + h_E)/2 u,  G = (h + h_N)/2 v */
#include "shallow_private.h"

enum { H, U, V };

static inline HgReal east(HgAround h, int i) { return HALF * (h.at[i] + h.at[i + 1]); }

static inline HgReal north(HgAround h, int i) { return HALF * (h.at[i] + h.north[i]); }

static void fluxes_apply(const HgBox *b, const void *params, const HgRows x[],
                         const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround h = HgRowsAround(x[H], j);
    const HgReal *u = x[U][j], *v = x[V][j];
    HgReal *F = y[0][j], *G = y[1][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      F[i] = east(h, i) * u[i];
      G[i] = north(h, i) * v[i];
    }
  }
}

static void fluxes_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                           const HgRowsOut dy[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround h = HgRowsAround(x[H], j), dh = HgRowsAround(dx[H], j);
    const HgReal *u = x[U][j], *v = x[V][j], *du = dx[U][j], *dv = dx[V][j];
    HgReal *dF = dy[0][j], *dG = dy[1][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      dF[i] = east(h, i) * du[i] + east(dh, i) * u[i];
      dG[i] = north(h, i) * dv[i] + north(dh, i) * v[i];
    }
  }
}

static void fluxes_adjoint(const HgBox *b, const void *params, const HgRows x[],
                           const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround h = HgRowsAround(x[H], j);
    const HgReal *u = x[U][j], *v = x[V][j], *v_south = x[V][j - 1];
    const HgReal *F = y_bar[0][j], *G = y_bar[1][j], *G_south = y_bar[1][j - 1];
    const HgCotangent h_bar = HgCotangentRow(b, x_bar, H, j),
                      u_bar = HgCotangentRow(b, x_bar, U, j),
                      v_bar = HgCotangentRow(b, x_bar, V, j);
    if (h_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(
            h_bar, i,
            HALF * ((F[i] * u[i] + F[i - 1] * u[i - 1]) + (G[i] * v[i] + G_south[i] * v_south[i])));
    }
    if (u_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(u_bar, i, east(h, i) * F[i]);
    }
    if (v_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(v_bar, i, north(h, i) * G[i]);
    }
  }
}

const HgStencil hg_shallow_fluxes = {
    .name = "shallow_fluxes",
    .reads = (const HgRead[]){{"h", 1, 1}, {"u", 0, 1}, {"v", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"F", "G", NULL},
    .apply = fluxes_apply,
    .tangent = fluxes_tangent,
    .adjoint = fluxes_adjoint,
    .second = hg_shallow_fluxes_generated_second,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
