/* advection_diffusion_generated.c -- written by hgstencil 1 from advection_diffusion.stencil:
     change that, not this.

     c' = c + dt * (D * lap - (vx * (hx * (c_E - c_W)) + vy * (hy * (c_N - c_S)))) */
/* clang-format off */
#include <halograd/advection_diffusion_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* What is the same in all cells. */
typedef struct {
  double rx, ry, dt, hx, hy, dt_ry, dt_rx, dt_hx, dt_hy;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  (void)params;
  const double rx = 1 / (box->dx * box->dx);
  const double ry = 1 / (box->dy * box->dy);
  const double hx = 0.5 / box->dx;
  const double hy = 0.5 / box->dy;
  return (Weights){.rx = rx, .ry = ry, .dt = box->dt, .hx = hx, .hy = hy, .dt_ry = box->dt * ry,
      .dt_rx = box->dt * rx, .dt_hx = box->dt * hx, .dt_hy = box->dt * hy};
}

/* rx = 1 / (dx * dx)
   ry = 1 / (dy * dy)
   lap = rx * (c_W + c_E - 2 * c) + ry * (c_S + c_N - 2 * c)
   hx = 0.5 / dx
   hy = 0.5 / dy
   c' = c + dt * (D * lap - (vx * (hx * (c_E - c_W)) + vy * (hy * (c_N - c_S)))) */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *c_next = y[0][j];
    const double *c = x[0][j], *c_S = x[0][j - 1], *c_N = x[0][j + 1], *D = x[3][j], *vx = x[1][j],
        *vy = x[2][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap = k.rx * (c[i - 1] + c[i + 1] - 2 * c[i]) +
          k.ry * (c_S[i] + c_N[i] - 2 * c[i]);
      c_next[i] = c[i] + k.dt * (D[i] * lap -
          (vx[i] * (k.hx * (c[i + 1] - c[i - 1])) + vy[i] * (k.hy * (c_N[i] - c_S[i]))));
    }
  }
}

/* dc' = dc + dt * (lap * dD + D * (rx * (dc_W + dc_E - 2 * dc) + ry * (dc_S + dc_N - 2 * dc)) -
     (hx * (c_E - c_W) * dvx + vx * (hx * (dc_E - dc_W)) + (hy * (c_N - c_S) * dvy + vy * (hy *
     (dc_N - dc_S))))) */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *dc_next = dy[0][j];
    const double *c = x[0][j], *c_S = x[0][j - 1], *c_N = x[0][j + 1], *dc = dx[0][j],
        *dD = dx[3][j], *D = x[3][j], *dc_S = dx[0][j - 1], *dc_N = dx[0][j + 1], *dvx = dx[1][j],
        *vx = x[1][j], *dvy = dx[2][j], *vy = x[2][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap = k.rx * (c[i - 1] + c[i + 1] - 2 * c[i]) +
          k.ry * (c_S[i] + c_N[i] - 2 * c[i]);
      dc_next[i] = dc[i] + k.dt * (lap * dD[i] +
          D[i] * (k.rx * (dc[i - 1] + dc[i + 1] - 2 * dc[i]) +
          k.ry * (dc_S[i] + dc_N[i] - 2 * dc[i])) -
          (k.hx * (c[i + 1] - c[i - 1]) * dvx[i] + vx[i] * (k.hx * (dc[i + 1] - dc[i - 1])) +
          (k.hy * (c_N[i] - c_S[i]) * dvy[i] + vy[i] * (k.hy * (dc_N[i] - dc_S[i])))));
    }
  }
}

/* c_bar += w + dt * ry * (D_N * w_N + D_S * w_S - 2 * (D * w)) + dt * rx * (D_E * w_E + D_W *
     w_W - 2 * (D * w)) + dt * hx * (vx_E * w_E - vx_W * w_W) + dt * hy * (vy_N * w_N - vy_S *
     w_S) */
static inline void c_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent c_bar) {
  const double *D = x[3][j], *w = y_bar[0][j], *D_N = x[3][j + 1], *w_N = y_bar[0][j + 1],
      *D_S = x[3][j - 1], *w_S = y_bar[0][j - 1], *vx = x[1][j], *vy_N = x[2][j + 1],
      *vy_S = x[2][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (D[i] * w[i]);
    HgContribute(c_bar, i, w[i] + k.dt_ry * (D_N[i] * w_N[i] + D_S[i] * w_S[i] - t0) +
        k.dt_rx * (D[i + 1] * w[i + 1] + D[i - 1] * w[i - 1] - t0) +
        k.dt_hx * (vx[i + 1] * w[i + 1] - vx[i - 1] * w[i - 1]) +
        k.dt_hy * (vy_N[i] * w_N[i] - vy_S[i] * w_S[i]));
  }
}

/* vx_bar += dt * hx * (w * (c_W - c_E)) */
static inline void vx_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent vx_bar) {
  const double *w = y_bar[0][j], *c = x[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(vx_bar, i, k.dt_hx * (w[i] * (c[i - 1] - c[i + 1])));
}

/* vy_bar += dt * hy * (w * (c_S - c_N)) */
static inline void vy_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent vy_bar) {
  const double *w = y_bar[0][j], *c_S = x[0][j - 1], *c_N = x[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(vy_bar, i, k.dt_hy * (w[i] * (c_S[i] - c_N[i])));
}

/* D_bar += dt * (lap * w) */
static inline void D_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent D_bar) {
  const double *c = x[0][j], *c_S = x[0][j - 1], *c_N = x[0][j + 1], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap = k.rx * (c[i - 1] + c[i + 1] - 2 * c[i]) +
        k.ry * (c_S[i] + c_N[i] - 2 * c[i]);
    HgContribute(D_bar, i, k.dt * (lap * w[i]));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent vx_bar, HgCotangent vy_bar, HgCotangent D_bar) {
  const double *w = y_bar[0][j], *c = x[0][j], *c_S = x[0][j - 1], *c_N = x[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(vx_bar, i, k.dt_hx * (w[i] * (c[i - 1] - c[i + 1])));
    HgContribute(vy_bar, i, k.dt_hy * (w[i] * (c_S[i] - c_N[i])));
    const double lap = k.rx * (c[i - 1] + c[i + 1] - 2 * c[i]) +
        k.ry * (c_S[i] + c_N[i] - 2 * c[i]);
    HgContribute(D_bar, i, k.dt * (lap * w[i]));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent c_bar = HgCotangentRow(box, x_bar, 0, j),
        vx_bar = HgCotangentRow(box, x_bar, 1, j), vy_bar = HgCotangentRow(box, x_bar, 2, j),
        D_bar = HgCotangentRow(box, x_bar, 3, j);
    if (vx_bar.row && vy_bar.row && D_bar.row) {
      together0_bar_rows(box, k, x, y_bar, j, vx_bar, vy_bar, D_bar);
    } else {
      if (vx_bar.row) vx_bar_row(box, k, x, y_bar, j, vx_bar);
      if (vy_bar.row) vy_bar_row(box, k, x, y_bar, j, vy_bar);
      if (D_bar.row) D_bar_row(box, k, x, y_bar, j, D_bar);
    }
    if (c_bar.row) c_bar_row(box, k, x, y_bar, j, c_bar);
  }
}

const HgStencil hg_advection_diffusion_generated = {
    .name = "advection_diffusion",
    .reads = (const HgRead[]){{"c", 1, 1}, {"vx", 0, 1}, {"vy", 0, 1}, {"D", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"c", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .only_for = (const char *const[][2]){{"c", "vx"}, {"c", "vy"}, {"c", "D"}, {NULL, NULL}},
    .sets = true,
};
