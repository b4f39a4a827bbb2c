/* shallow_fluxes_generated.c -- written by hgstencil 7 from shallow_fluxes.stencil: change
     that, not this.

     F' = 0.5 * (h + h_E) * u
     G' = 0.5 * (h + h_N) * v */
/* clang-format off */
#include <halograd/shallow_fluxes_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* F' = 0.5 * (h + h_E) * u
   G' = 0.5 * (h + h_N) * v */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    double *F_next = y[0][j], *G_next = y[1][j];
    const double *h = x[0][j], *u = x[1][j], *h_N = x[0][j + 1], *v = x[2][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      F_next[i] = 0.5 * (h[i] + h[i + 1]) * u[i];
      G_next[i] = 0.5 * (h[i] + h_N[i]) * v[i];
    }
  }
}

/* dF' = u * (0.5 * (dh + dh_E)) + 0.5 * (h + h_E) * du
   dG' = v * (0.5 * (dh + dh_N)) + 0.5 * (h + h_N) * dv */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    double *dF_next = dy[0][j], *dG_next = dy[1][j];
    const double *u = x[1][j], *dh = dx[0][j], *h = x[0][j], *du = dx[1][j], *v = x[2][j],
        *dh_N = dx[0][j + 1], *h_N = x[0][j + 1], *dv = dx[2][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = u[i] * (0.5 * (dh[i] + dh[i + 1])) + 0.5 * (h[i] + h[i + 1]) * du[i];
      const double t1 = v[i] * (0.5 * (dh[i] + dh_N[i])) + 0.5 * (h[i] + h_N[i]) * dv[i];
      dF_next[i] = t0;
      dG_next[i] = t1;
    }
  }
}

/* h_bar += 0.5 * (v * w_G + u * w_F + u_W * w_F_W + v_S * w_G_S) */
static inline void h_bar_row(const HgBox *box, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent h_bar) {
  const double *v = x[2][j], *w_G = y_bar[1][j], *u = x[1][j], *w_F = y_bar[0][j],
      *v_S = x[2][j - 1], *w_G_S = y_bar[1][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(h_bar, i, 0.5 * (v[i] * w_G[i] + u[i] * w_F[i] + u[i - 1] * w_F[i - 1] +
        v_S[i] * w_G_S[i]));
  }
}

/* u_bar += 0.5 * ((h + h_E) * w_F) */
static inline void u_bar_row(const HgBox *box, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent u_bar) {
  const double *h = x[0][j], *w_F = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(u_bar, i, 0.5 * ((h[i] + h[i + 1]) * w_F[i]));
}

/* v_bar += 0.5 * ((h + h_N) * w_G) */
static inline void v_bar_row(const HgBox *box, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent v_bar) {
  const double *h = x[0][j], *h_N = x[0][j + 1], *w_G = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(v_bar, i, 0.5 * ((h[i] + h_N[i]) * w_G[i]));
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent h_bar = HgCotangentRow(box, x_bar, 0, j),
        u_bar = HgCotangentRow(box, x_bar, 1, j), v_bar = HgCotangentRow(box, x_bar, 2, j);
    if (h_bar.row) h_bar_row(box, x, y_bar, j, h_bar);
    if (u_bar.row) u_bar_row(box, x, y_bar, j, u_bar);
    if (v_bar.row) v_bar_row(box, x, y_bar, j, v_bar);
  }
}

/* dh_bar += 0.5 * (w_G * dv + v * dw_G + (w_F * du + u * dw_F) + (w_F_W * du_W + u_W * dw_F_W)
     + (w_G_S * dv_S + v_S * dw_G_S)) */
static inline void dh_bar_row(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dh_bar) {
  const double *w_G = y_bar[1][j], *dv = dx[2][j], *v = x[2][j], *dw_G = dy_bar[1][j],
      *w_F = y_bar[0][j], *du = dx[1][j], *u = x[1][j], *dw_F = dy_bar[0][j],
      *w_G_S = y_bar[1][j - 1], *dv_S = dx[2][j - 1], *v_S = x[2][j - 1],
      *dw_G_S = dy_bar[1][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dh_bar, i, 0.5 * (w_G[i] * dv[i] + v[i] * dw_G[i] +
        (w_F[i] * du[i] + u[i] * dw_F[i]) + (w_F[i - 1] * du[i - 1] + u[i - 1] * dw_F[i - 1]) +
        (w_G_S[i] * dv_S[i] + v_S[i] * dw_G_S[i])));
  }
}

/* du_bar += 0.5 * (w_F * (dh + dh_E) + (h + h_E) * dw_F) */
static inline void du_bar_row(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent du_bar) {
  const double *w_F = y_bar[0][j], *dh = dx[0][j], *h = x[0][j], *dw_F = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(du_bar, i, 0.5 * (w_F[i] * (dh[i] + dh[i + 1]) + (h[i] + h[i + 1]) * dw_F[i]));
}

/* dv_bar += 0.5 * (w_G * (dh + dh_N) + (h + h_N) * dw_G) */
static inline void dv_bar_row(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dv_bar) {
  const double *w_G = y_bar[1][j], *dh = dx[0][j], *dh_N = dx[0][j + 1], *h = x[0][j],
      *h_N = x[0][j + 1], *dw_G = dy_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dv_bar, i, 0.5 * (w_G[i] * (dh[i] + dh_N[i]) + (h[i] + h_N[i]) * dw_G[i]));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether0_bar_rows(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent du_bar, HgCotangent dv_bar) {
  const double *w_F = y_bar[0][j], *dh = dx[0][j], *h = x[0][j], *dw_F = dy_bar[0][j],
      *w_G = y_bar[1][j], *dh_N = dx[0][j + 1], *h_N = x[0][j + 1], *dw_G = dy_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 0.5 * (w_F[i] * (dh[i] + dh[i + 1]) + (h[i] + h[i + 1]) * dw_F[i]);
    const double t1 = 0.5 * (w_G[i] * (dh[i] + dh_N[i]) + (h[i] + h_N[i]) * dw_G[i]);
    HgContribute(du_bar, i, t0);
    HgContribute(dv_bar, i, t1);
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_shallow_fluxes_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                        const HgRows dx[], const HgRows y_bar[],
                                        const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent dh_bar = HgCotangentRow(box, dx_bar, 0, j),
        du_bar = HgCotangentRow(box, dx_bar, 1, j), dv_bar = HgCotangentRow(box, dx_bar, 2, j);
    if (du_bar.row && dv_bar.row) {
      dtogether0_bar_rows(box, x, dx, y_bar, dy_bar, j, du_bar, dv_bar);
    } else {
      if (du_bar.row) du_bar_row(box, x, dx, y_bar, dy_bar, j, du_bar);
      if (dv_bar.row) dv_bar_row(box, x, dx, y_bar, dy_bar, j, dv_bar);
    }
    if (dh_bar.row) dh_bar_row(box, x, dx, y_bar, dy_bar, j, dh_bar);
  }
}

const HgStencil hg_shallow_fluxes_generated = {
    .name = "shallow_fluxes",
    .reads = (const HgRead[]){{"h", 1, 1}, {"u", 0, 1}, {"v", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"F", "G", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_shallow_fluxes_generated_second,
    .only_for = (const char *const[][2]){{"h", "u"}, {"h", "v"}, {"u", "h"}, {"v", "h"},
        {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"h", "m", HG_CENTRE}, {"u", "m/s", HG_X_FACE},
        {"v", "m/s", HG_Y_FACE}, {"F", "m^2/s", HG_X_FACE}, {"G", "m^2/s", HG_Y_FACE},
        {NULL, NULL, 0}},
};
