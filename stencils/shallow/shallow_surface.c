/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_surface.c -- the surface, which gauges see: eta' = h + b. It reads the old eta, whose
   cotangent is 0, so that eta is a carried variable: those can be observed. */
#include "shallow_private.h"

enum { H, B };

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *h = x[H][j], *bottom = x[B][j];
    HgReal *eta = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) eta[i] = h[i] + bottom[i];
  }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)x; /* linear */
  apply(b, params, dx, dy);
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int k = H; k <= B; k++)
    for (int j = b->j0; x_bar[k] && j < b->j1; j++) {
      const HgReal *w = y_bar[0][j];
      HgReal *bar = x_bar[k][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) bar[i] += w[i];
    }
}

const HgStencil hg_shallow_surface = {
    .name = "shallow_surface",
    .reads = (const HgRead[]){{"h", 0, HG_ADJOINT_UNUSED},
                              {"b", 0, HG_ADJOINT_UNUSED},
                              {"eta", 0, HG_ADJOINT_UNUSED},
                              {NULL, 0, 0}},
    .writes = (const char *const[]){"eta", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .params_size = sizeof(HgShallowWaterParams),
};
