/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_mass.c -- the tendency of the thickness, alone and fused with its step:

     convergence   h_r = -(F - F_W)/dx - (G - G_S)/dy
     mass          h' = h + dt (a h_r + b h_t),  h_t' = h_r

   Mass is convergence and HG_AB2("h", "h_r", "h_t") in one: the same bits, without h_r in memory.
   */
#include "shallow_private.h"

/* -div(F, G) */
static inline HgReal inflow(Shallow k, const HgReal *F, const HgReal *G, const HgReal *G_south,
                            int i) {
  return -(k.rx * (F[i] - F[i - 1]) + k.ry * (G[i] - G_south[i]));
}

static void convergence_apply(const HgBox *b, const void *params, const HgRows x[],
                              const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *f = x[0][j], *g = x[1][j], *g_south = x[1][j - 1];
    HgReal *h_r = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) h_r[i] = inflow(k, f, g, g_south, i);
  }
}

static void convergence_tangent(const HgBox *b, const void *params, const HgRows x[],
                                const HgRows dx[], const HgRowsOut dy[]) {
  (void)x; /* linear */
  convergence_apply(b, params, dx, dy);
}

static void convergence_adjoint(const HgBox *b, const void *params, const HgRows x[],
                                const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Shallow k = shallow(b, params);
  (void)x;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *r = y_bar[0][j], *r_north = y_bar[0][j + 1];
    const HgCotangent f_bar = HgCotangentRow(b, x_bar, 0, j),
                      g_bar = HgCotangentRow(b, x_bar, 1, j);
    if (f_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(f_bar, i, k.rx * (r[i + 1] - r[i]));
    }
    if (g_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(g_bar, i, k.ry * (r_north[i] - r[i]));
    }
  }
}

const HgStencil hg_shallow_convergence = {
    .name = "shallow_convergence",
    .reads =
        (const HgRead[]){{"F", 1, HG_ADJOINT_UNUSED}, {"G", 1, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"h_r", NULL},
    .apply = convergence_apply,
    .tangent = convergence_tangent,
    .adjoint = convergence_adjoint,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};

enum { H, F, G, H_T };

static void mass_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *h = x[H][j], *f = x[F][j], *g = x[G][j], *g_south = x[G][j - 1], *old = x[H_T][j];
    HgReal *h_next = y[0][j], *h_t = y[1][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal rate = inflow(k, f, g, g_south, i);
      h_next[i] = h[i] + k.dt * (k.a * rate + k.b * old[i]);
      h_t[i] = rate;
    }
  }
}

static void mass_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  (void)x; /* linear */
  mass_apply(b, params, dx, dy);
}

static void mass_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  const Shallow k = shallow(b, params);
  const HgReal now = k.dt * k.a, before = k.dt * k.b;
  (void)x;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *w = y_bar[0][j], *w_north = y_bar[0][j + 1];
    const HgReal *t = y_bar[1][j], *t_north = y_bar[1][j + 1];
    const HgCotangent h_bar = HgCotangentRow(b, x_bar, H, j),
                      f_bar = HgCotangentRow(b, x_bar, F, j);
    const HgCotangent g_bar = HgCotangentRow(b, x_bar, G, j),
                      old_bar = HgCotangentRow(b, x_bar, H_T, j);
    if (h_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(h_bar, i, w[i]);
    }
    if (f_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(f_bar, i, k.rx * ((t[i + 1] + now * w[i + 1]) - (t[i] + now * w[i])));
    }
    if (g_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(g_bar, i, k.ry * ((t_north[i] + now * w_north[i]) - (t[i] + now * w[i])));
    }
    if (old_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(old_bar, i, before * w[i]);
    }
  }
}

const HgStencil hg_shallow_mass = {
    .name = "shallow_mass",
    .reads = (const HgRead[]){{"h", 0, HG_ADJOINT_UNUSED},
                              {"F", 1, HG_ADJOINT_UNUSED},
                              {"G", 1, HG_ADJOINT_UNUSED},
                              {"h_t", 0, HG_ADJOINT_UNUSED},
                              {NULL, 0, 0}},
    .writes = (const char *const[]){"h", "h_t", NULL},
    .apply = mass_apply,
    .tangent = mass_tangent,
    .adjoint = mass_adjoint,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
