/* shallow_thickness.c -- fluxes of the thickness, and what they do to it:

     F = (h + h_E)/2 u,  G = (h + h_N)/2 v
     h' = h + dt (a r + b h_t),  h_t' = r = -(F - F_W)/dx - (G - G_S)/dy */
#include "shallow_private.h"

enum { H, U, V };

static inline double east(HgAround h, int i) { return 0.5 * (h.at[i] + h.at[i + 1]); }

static inline double north(HgAround h, int i) { return 0.5 * (h.at[i] + h.north[i]); }

static void fluxes_apply(const HgBox *b, const void *params, const HgRows x[],
                         const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround h = HgRowsAround(x[H], j);
    const double *u = x[U][j], *v = x[V][j];
    double *F = y[0][j], *G = y[1][j];
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
    const double *u = x[U][j], *v = x[V][j], *du = dx[U][j], *dv = dx[V][j];
    double *dF = dy[0][j], *dG = dy[1][j];
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
    const double *u = x[U][j], *v = x[V][j], *v_south = x[V][j - 1];
    const double *F = y_bar[0][j], *G = y_bar[1][j], *G_south = y_bar[1][j - 1];
    const HgCotangent h_bar = HgCotangentRow(b, x_bar, H, j),
                      u_bar = HgCotangentRow(b, x_bar, U, j),
                      v_bar = HgCotangentRow(b, x_bar, V, j);
    if (h_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(
            h_bar, i,
            0.5 * ((F[i] * u[i] + F[i - 1] * u[i - 1]) + (G[i] * v[i] + G_south[i] * v_south[i])));
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
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};

enum { F = 1, G, H_T }; /* after h */

static inline double outflow(Shallow k, const double *F, const double *G, const double *G_south,
                             int i) {
  return k.rx * (F[i] - F[i - 1]) + k.ry * (G[i] - G_south[i]);
}

static void mass_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const double *h = x[H][j], *f = x[F][j], *g = x[G][j], *g_south = x[G][j - 1], *old = x[H_T][j];
    double *h_next = y[0][j], *h_t = y[1][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const double rate = -outflow(k, f, g, g_south, i);
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
  const double now = k.dt * k.a, before = k.dt * k.b;
  (void)x;
  for (int j = b->j0; j < b->j1; j++) {
    const double *w = y_bar[0][j], *w_north = y_bar[0][j + 1];
    const double *t = y_bar[1][j], *t_north = y_bar[1][j + 1];
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
