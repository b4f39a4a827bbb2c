/* advection_diffusion_generated.c -- written by hgstencil 7 from advection_diffusion.stencil:
     change that, not this.

     c' = c + dt * (D * lap - (vx * (hx * (c_E - c_W)) + vy * (hy * (c_N - c_S)))) */
/* clang-format off */
#include <halograd/advection_diffusion_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

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
    const HgRows y_bar[], int j, HgCotangent vx_bar, HgCotangent D_bar) {
  const double *w = y_bar[0][j], *c = x[0][j], *c_S = x[0][j - 1], *c_N = x[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(vx_bar, i, k.dt_hx * (w[i] * (c[i - 1] - c[i + 1])));
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
    if (vx_bar.row && D_bar.row) {
      together0_bar_rows(box, k, x, y_bar, j, vx_bar, D_bar);
    } else {
      if (vx_bar.row) vx_bar_row(box, k, x, y_bar, j, vx_bar);
      if (D_bar.row) D_bar_row(box, k, x, y_bar, j, D_bar);
    }
    if (c_bar.row) c_bar_row(box, k, x, y_bar, j, c_bar);
    if (vy_bar.row) vy_bar_row(box, k, x, y_bar, j, vy_bar);
  }
}

typedef struct {
  double s0[PART + 2];
} SecondStage0;

/* s0 = w * dD + D * dw */
static inline void second_stage0(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, SecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *w = y_bar[0][j], *dD = dx[3][j], *D = x[3][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++)
    s0[i] = w[i] * dD[i] + D[i] * dw[i];
}

/* dc_bar += dw + dt * ry * (s0_N + s0_S - 2 * s0) + dt * rx * (s0_E + s0_W - 2 * s0) + dt * hx
     * (w_E * dvx_E + vx_E * dw_E - (w_W * dvx_W + vx_W * dw_W)) + dt * hy * (w_N * dvy_N + vy_N
     * dw_N - (w_S * dvy_S + vy_S * dw_S)) */
static inline void dc_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[], int j,
    HgCotangent dc_bar) {
  const double *dw = dy_bar[0][j], *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0, *w = y_bar[0][j], *dvx = dx[1][j],
      *vx = x[1][j], *w_N = y_bar[0][j + 1], *dvy_N = dx[2][j + 1], *vy_N = x[2][j + 1],
      *dw_N = dy_bar[0][j + 1], *w_S = y_bar[0][j - 1], *dvy_S = dx[2][j - 1], *vy_S = x[2][j - 1],
      *dw_S = dy_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dc_bar, i, dw[i] + k.dt_ry * (s0_N[i] + s0_S[i] - 2 * s0[i]) +
        k.dt_rx * (s0[i + 1] + s0[i - 1] - 2 * s0[i]) +
        k.dt_hx * (w[i + 1] * dvx[i + 1] + vx[i + 1] * dw[i + 1] -
        (w[i - 1] * dvx[i - 1] + vx[i - 1] * dw[i - 1])) +
        k.dt_hy * (w_N[i] * dvy_N[i] + vy_N[i] * dw_N[i] -
        (w_S[i] * dvy_S[i] + vy_S[i] * dw_S[i])));
  }
}

/* dvx_bar += dt * hx * ((c_W - c_E) * dw + w * (dc_W - dc_E)) */
static inline void dvx_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dvx_bar) {
  const double *c = x[0][j], *dw = dy_bar[0][j], *w = y_bar[0][j], *dc = dx[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dvx_bar, i, k.dt_hx *
        ((c[i - 1] - c[i + 1]) * dw[i] + w[i] * (dc[i - 1] - dc[i + 1])));
  }
}

/* dvy_bar += dt * hy * ((c_S - c_N) * dw + w * (dc_S - dc_N)) */
static inline void dvy_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dvy_bar) {
  const double *c_S = x[0][j - 1], *c_N = x[0][j + 1], *dw = dy_bar[0][j], *w = y_bar[0][j],
      *dc_S = dx[0][j - 1], *dc_N = dx[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dvy_bar, i, k.dt_hy * ((c_S[i] - c_N[i]) * dw[i] + w[i] * (dc_S[i] - dc_N[i])));
}

/* dD_bar += dt * (w * (rx * (dc_W + dc_E - 2 * dc) + ry * (dc_S + dc_N - 2 * dc)) + lap * dw) */
static inline void dD_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dD_bar) {
  const double *c = x[0][j], *c_S = x[0][j - 1], *c_N = x[0][j + 1], *w = y_bar[0][j],
      *dc = dx[0][j], *dc_S = dx[0][j - 1], *dc_N = dx[0][j + 1], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap = k.rx * (c[i - 1] + c[i + 1] - 2 * c[i]) +
        k.ry * (c_S[i] + c_N[i] - 2 * c[i]);
    HgContribute(dD_bar, i, k.dt * (w[i] *
        (k.rx * (dc[i - 1] + dc[i + 1] - 2 * dc[i]) + k.ry * (dc_S[i] + dc_N[i] - 2 * dc[i])) +
        lap * dw[i]));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dvx_bar,
    HgCotangent dvy_bar) {
  const double *c = x[0][j], *dw = dy_bar[0][j], *w = y_bar[0][j], *dc = dx[0][j],
      *c_S = x[0][j - 1], *c_N = x[0][j + 1], *dc_S = dx[0][j - 1], *dc_N = dx[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = k.dt_hx * ((c[i - 1] - c[i + 1]) * dw[i] + w[i] * (dc[i - 1] - dc[i + 1]));
    const double t1 = k.dt_hy * ((c_S[i] - c_N[i]) * dw[i] + w[i] * (dc_S[i] - dc_N[i]));
    HgContribute(dvx_bar, i, t0);
    HgContribute(dvy_bar, i, t1);
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_advection_diffusion_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                             const HgRows dx[], const HgRows y_bar[],
                                             const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    SecondStage0 stage0[3];
    for (int j = part.j0 - 1; dx_bar[0] && j < part.j0 + 1; j++)
      second_stage0(&part, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0])
        second_stage0(&part, x, dx, y_bar, dy_bar, j + 1, &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent dc_bar = HgCotangentRow(box, dx_bar, 0, j),
          dvx_bar = HgCotangentRow(box, dx_bar, 1, j), dvy_bar = HgCotangentRow(box, dx_bar, 2, j),
          dD_bar = HgCotangentRow(box, dx_bar, 3, j);
      if (dvx_bar.row && dvy_bar.row) {
        dtogether0_bar_rows(&part, k, x, dx, y_bar, dy_bar, j, dvx_bar, dvy_bar);
      } else {
        if (dvx_bar.row) dvx_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dvx_bar);
        if (dvy_bar.row) dvy_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dvy_bar);
      }
      if (dc_bar.row) dc_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0, j, dc_bar);
      if (dD_bar.row) dD_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dD_bar);
    }
  }
}

const HgStencil hg_advection_diffusion_generated = {
    .name = "advection_diffusion",
    .reads = (const HgRead[]){{"c", 1, 1}, {"vx", 0, 1}, {"vy", 0, 1}, {"D", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"c", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_advection_diffusion_generated_second,
    .only_for = (const char *const[][2]){{"c", "vx"}, {"c", "vy"}, {"c", "D"}, {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"c", "kg/m^3", HG_ANYWHERE}, {"vx", "m/s", HG_ANYWHERE},
        {"vy", "m/s", HG_ANYWHERE}, {"D", "m^2/s", HG_ANYWHERE}, {NULL, NULL, 0}},
};
