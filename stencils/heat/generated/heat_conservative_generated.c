/* heat_conservative_generated.c -- written by hgstencil 7 from heat_conservative.stencil:
     change that, not this.

     u' = u + dt * (rx * ((kappa + kappa_W) * (u_W - u) + (kappa + kappa_E) * (u_E - u)) + ry *
       ((kappa + kappa_S) * (u_S - u) + (kappa + kappa_N) * (u_N - u)))
     u' = u + dt * (rx * ((kappa + kappa_W) * (u_W - u) + (kappa + kappa_E) * (u_E - u)) + ry *
       ((kappa + kappa_S) * (u_S - u) + (kappa + kappa_N) * (u_N - u)) + s * f) */
/* clang-format off */
#include <halograd/heat_conservative_generated.h>
#include <math.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* What is the same in all cells. */
typedef struct {
  double dt, rx, ry, dt_ry, dt_rx;
} HeatConservativeWeights;

static inline HeatConservativeWeights heat_conservative_weights(const HgBox *box, const void *params) {
  (void)params;
  const double rx = 0.5 / (box->dx * box->dx);
  const double ry = 0.5 / (box->dy * box->dy);
  return (HeatConservativeWeights){.dt = box->dt, .rx = rx, .ry = ry, .dt_ry = box->dt * ry,
      .dt_rx = box->dt * rx};
}

/* rx = 0.5 / (dx * dx)
   ry = 0.5 / (dy * dy)
   u' = u + dt * (rx * ((kappa + kappa_W) * (u_W - u) + (kappa + kappa_E) * (u_E - u)) + ry *
     ((kappa + kappa_S) * (u_S - u) + (kappa + kappa_N) * (u_N - u))) */
static void heat_conservative_apply(const HgBox *box, const void *params, const HgRows x[],
                                    const HgRowsOut y[]) {
  const HeatConservativeWeights k = heat_conservative_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_next = y[0][j];
    const double *u = x[0][j], *kappa = x[1][j], *kappa_S = x[1][j - 1], *u_S = x[0][j - 1],
        *kappa_N = x[1][j + 1], *u_N = x[0][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      u_next[i] = u[i] + k.dt * (k.rx *
          ((kappa[i] + kappa[i - 1]) * (u[i - 1] - u[i]) +
          (kappa[i] + kappa[i + 1]) * (u[i + 1] - u[i])) +
          k.ry * ((kappa[i] + kappa_S[i]) * (u_S[i] - u[i]) +
          (kappa[i] + kappa_N[i]) * (u_N[i] - u[i])));
    }
  }
}

/* du' = du + dt * (rx * ((u_W - u) * (dkappa + dkappa_W) + (kappa + kappa_W) * (du_W - du) +
     ((u_E - u) * (dkappa + dkappa_E) + (kappa + kappa_E) * (du_E - du))) + ry * ((u_S - u) *
     (dkappa + dkappa_S) + (kappa + kappa_S) * (du_S - du) + ((u_N - u) * (dkappa + dkappa_N) +
     (kappa + kappa_N) * (du_N - du)))) */
static void heat_conservative_tangent(const HgBox *box, const void *params, const HgRows x[],
                                      const HgRows dx[], const HgRowsOut dy[]) {
  const HeatConservativeWeights k = heat_conservative_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_next = dy[0][j];
    const double *du = dx[0][j], *u = x[0][j], *dkappa = dx[1][j], *kappa = x[1][j],
        *u_S = x[0][j - 1], *dkappa_S = dx[1][j - 1], *kappa_S = x[1][j - 1], *du_S = dx[0][j - 1],
        *u_N = x[0][j + 1], *dkappa_N = dx[1][j + 1], *kappa_N = x[1][j + 1], *du_N = dx[0][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      du_next[i] = du[i] + k.dt * (k.rx *
          ((u[i - 1] - u[i]) * (dkappa[i] + dkappa[i - 1]) +
          (kappa[i] + kappa[i - 1]) * (du[i - 1] - du[i]) +
          ((u[i + 1] - u[i]) * (dkappa[i] + dkappa[i + 1]) +
          (kappa[i] + kappa[i + 1]) * (du[i + 1] - du[i]))) +
          k.ry * ((u_S[i] - u[i]) * (dkappa[i] + dkappa_S[i]) +
          (kappa[i] + kappa_S[i]) * (du_S[i] - du[i]) +
          ((u_N[i] - u[i]) * (dkappa[i] + dkappa_N[i]) +
          (kappa[i] + kappa_N[i]) * (du_N[i] - du[i]))));
    }
  }
}

/* u_bar += w + dt * ry * ((kappa + kappa_N) * (w_N - w) + (kappa + kappa_S) * (w_S - w)) + dt *
     rx * ((kappa + kappa_E) * (w_E - w) + (kappa + kappa_W) * (w_W - w)) */
static inline void heat_conservative_u_bar_row(const HgBox *box, HeatConservativeWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent u_bar) {
  const double *w = y_bar[0][j], *kappa = x[1][j], *kappa_N = x[1][j + 1], *w_N = y_bar[0][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(u_bar, i, w[i] + k.dt_ry *
        ((kappa[i] + kappa_N[i]) * (w_N[i] - w[i]) + (kappa[i] + kappa_S[i]) * (w_S[i] - w[i])) +
        k.dt_rx * ((kappa[i] + kappa[i + 1]) * (w[i + 1] - w[i]) +
        (kappa[i] + kappa[i - 1]) * (w[i - 1] - w[i])));
  }
}

/* kappa_bar += dt * ry * ((u - u_N) * (w_N - w) + (u_S - u) * (w - w_S)) + dt * rx * ((u - u_E)
     * (w_E - w) + (u_W - u) * (w - w_W)) */
static inline void heat_conservative_kappa_bar_row(const HgBox *box, HeatConservativeWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent kappa_bar) {
  const double *u = x[0][j], *u_N = x[0][j + 1], *w_N = y_bar[0][j + 1], *w = y_bar[0][j],
      *u_S = x[0][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(kappa_bar, i, k.dt_ry *
        ((u[i] - u_N[i]) * (w_N[i] - w[i]) + (u_S[i] - u[i]) * (w[i] - w_S[i])) +
        k.dt_rx * ((u[i] - u[i + 1]) * (w[i + 1] - w[i]) + (u[i - 1] - u[i]) * (w[i] - w[i - 1])));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void heat_conservative_together0_bar_rows(const HgBox *box, HeatConservativeWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent u_bar, HgCotangent kappa_bar) {
  const double *w_N = y_bar[0][j + 1], *w = y_bar[0][j], *kappa = x[1][j], *kappa_N = x[1][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1], *u = x[0][j], *u_N = x[0][j + 1],
      *u_S = x[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = w_N[i] - w[i];
    const double t1 = w[i + 1] - w[i];
    HgContribute(u_bar, i, w[i] + k.dt_ry *
        ((kappa[i] + kappa_N[i]) * t0 + (kappa[i] + kappa_S[i]) * (w_S[i] - w[i])) +
        k.dt_rx * ((kappa[i] + kappa[i + 1]) * t1 + (kappa[i] + kappa[i - 1]) * (w[i - 1] - w[i])));
    HgContribute(kappa_bar, i, k.dt_ry *
        ((u[i] - u_N[i]) * t0 + (u_S[i] - u[i]) * (w[i] - w_S[i])) +
        k.dt_rx * ((u[i] - u[i + 1]) * t1 + (u[i - 1] - u[i]) * (w[i] - w[i - 1])));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void heat_conservative_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                      const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const HeatConservativeWeights k = heat_conservative_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent u_bar = HgCotangentRow(box, x_bar, 0, j),
        kappa_bar = HgCotangentRow(box, x_bar, 1, j);
    if (u_bar.row && kappa_bar.row) {
      heat_conservative_together0_bar_rows(box, k, x, y_bar, j, u_bar, kappa_bar);
    } else {
      if (u_bar.row) heat_conservative_u_bar_row(box, k, x, y_bar, j, u_bar);
      if (kappa_bar.row) heat_conservative_kappa_bar_row(box, k, x, y_bar, j, kappa_bar);
    }
  }
}

/* du_bar += dw + dt * ry * ((w_N - w) * (dkappa + dkappa_N) + (kappa + kappa_N) * (dw_N - dw) +
     ((w_S - w) * (dkappa + dkappa_S) + (kappa + kappa_S) * (dw_S - dw))) + dt * rx * ((w_E - w)
     * (dkappa + dkappa_E) + (kappa + kappa_E) * (dw_E - dw) + ((w_W - w) * (dkappa + dkappa_W)
     + (kappa + kappa_W) * (dw_W - dw))) */
static inline void heat_conservative_du_bar_row(const HgBox *box, HeatConservativeWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent du_bar) {
  const double *dw = dy_bar[0][j], *w_N = y_bar[0][j + 1], *w = y_bar[0][j], *dkappa = dx[1][j],
      *dkappa_N = dx[1][j + 1], *kappa = x[1][j], *kappa_N = x[1][j + 1], *dw_N = dy_bar[0][j + 1],
      *w_S = y_bar[0][j - 1], *dkappa_S = dx[1][j - 1], *kappa_S = x[1][j - 1],
      *dw_S = dy_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw[i] + k.dt_ry *
        ((w_N[i] - w[i]) * (dkappa[i] + dkappa_N[i]) + (kappa[i] + kappa_N[i]) * (dw_N[i] - dw[i]) +
        ((w_S[i] - w[i]) * (dkappa[i] + dkappa_S[i]) +
        (kappa[i] + kappa_S[i]) * (dw_S[i] - dw[i]))) +
        k.dt_rx * ((w[i + 1] - w[i]) * (dkappa[i] + dkappa[i + 1]) +
        (kappa[i] + kappa[i + 1]) * (dw[i + 1] - dw[i]) +
        ((w[i - 1] - w[i]) * (dkappa[i] + dkappa[i - 1]) +
        (kappa[i] + kappa[i - 1]) * (dw[i - 1] - dw[i]))));
  }
}

/* dkappa_bar += dt * ry * ((w_N - w) * (du - du_N) + (u - u_N) * (dw_N - dw) + ((w - w_S) *
     (du_S - du) + (u_S - u) * (dw - dw_S))) + dt * rx * ((w_E - w) * (du - du_E) + (u - u_E) *
     (dw_E - dw) + ((w - w_W) * (du_W - du) + (u_W - u) * (dw - dw_W))) */
static inline void heat_conservative_dkappa_bar_row(const HgBox *box, HeatConservativeWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent dkappa_bar) {
  const double *w_N = y_bar[0][j + 1], *w = y_bar[0][j], *du = dx[0][j], *du_N = dx[0][j + 1],
      *u = x[0][j], *u_N = x[0][j + 1], *dw_N = dy_bar[0][j + 1], *dw = dy_bar[0][j],
      *w_S = y_bar[0][j - 1], *du_S = dx[0][j - 1], *u_S = x[0][j - 1], *dw_S = dy_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dkappa_bar, i, k.dt_ry *
        ((w_N[i] - w[i]) * (du[i] - du_N[i]) + (u[i] - u_N[i]) * (dw_N[i] - dw[i]) +
        ((w[i] - w_S[i]) * (du_S[i] - du[i]) + (u_S[i] - u[i]) * (dw[i] - dw_S[i]))) +
        k.dt_rx * ((w[i + 1] - w[i]) * (du[i] - du[i + 1]) +
        (u[i] - u[i + 1]) * (dw[i + 1] - dw[i]) +
        ((w[i] - w[i - 1]) * (du[i - 1] - du[i]) + (u[i - 1] - u[i]) * (dw[i] - dw[i - 1]))));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_heat_conservative_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                           const HgRows dx[], const HgRows y_bar[],
                                           const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const HeatConservativeWeights k = heat_conservative_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent du_bar = HgCotangentRow(box, dx_bar, 0, j),
        dkappa_bar = HgCotangentRow(box, dx_bar, 1, j);
    if (du_bar.row) heat_conservative_du_bar_row(box, k, x, dx, y_bar, dy_bar, j, du_bar);
    if (dkappa_bar.row) heat_conservative_dkappa_bar_row(box, k, x, dx, y_bar, dy_bar, j,
        dkappa_bar);
  }
}

const HgStencil hg_heat_conservative_generated = {
    .name = "heat_conservative",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = heat_conservative_apply,
    .tangent = heat_conservative_tangent,
    .adjoint = heat_conservative_adjoint,
    .second = hg_heat_conservative_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"u", "K", HG_ANYWHERE}, {"kappa", "m^2/s", HG_ANYWHERE},
        {NULL, NULL, 0}},
};

/* What is the same in all cells. */
typedef struct {
  double dt, rx, ry, s, dt_ry, dt_rx, dt_s;
} HeatConservativeForcedWeights;

static inline HeatConservativeForcedWeights heat_conservative_forced_weights(const HgBox *box, const void *params) {
  const HgHeatParams *p = params;
  const double rx = 0.5 / (box->dx * box->dx);
  const double ry = 0.5 / (box->dy * box->dy);
  const double s = exp(-p->decay * box->t);
  return (HeatConservativeForcedWeights){.dt = box->dt, .rx = rx, .ry = ry, .s = s,
      .dt_ry = box->dt * ry, .dt_rx = box->dt * rx, .dt_s = box->dt * s};
}

/* rx = 0.5 / (dx * dx)
   ry = 0.5 / (dy * dy)
   s = exp(-decay * t)
   u' = u + dt * (rx * ((kappa + kappa_W) * (u_W - u) + (kappa + kappa_E) * (u_E - u)) + ry *
     ((kappa + kappa_S) * (u_S - u) + (kappa + kappa_N) * (u_N - u)) + s * f) */
static void heat_conservative_forced_apply(const HgBox *box, const void *params, const HgRows x[],
                                           const HgRowsOut y[]) {
  const HeatConservativeForcedWeights k = heat_conservative_forced_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_next = y[0][j];
    const double *u = x[0][j], *kappa = x[1][j], *kappa_S = x[1][j - 1], *u_S = x[0][j - 1],
        *kappa_N = x[1][j + 1], *u_N = x[0][j + 1], *f = x[2][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      u_next[i] = u[i] + k.dt * (k.rx *
          ((kappa[i] + kappa[i - 1]) * (u[i - 1] - u[i]) +
          (kappa[i] + kappa[i + 1]) * (u[i + 1] - u[i])) +
          k.ry * ((kappa[i] + kappa_S[i]) * (u_S[i] - u[i]) +
          (kappa[i] + kappa_N[i]) * (u_N[i] - u[i])) + k.s * f[i]);
    }
  }
}

/* du' = du + dt * (rx * ((u_W - u) * (dkappa + dkappa_W) + (kappa + kappa_W) * (du_W - du) +
     ((u_E - u) * (dkappa + dkappa_E) + (kappa + kappa_E) * (du_E - du))) + ry * ((u_S - u) *
     (dkappa + dkappa_S) + (kappa + kappa_S) * (du_S - du) + ((u_N - u) * (dkappa + dkappa_N) +
     (kappa + kappa_N) * (du_N - du))) + s * df) */
static void heat_conservative_forced_tangent(const HgBox *box, const void *params, const HgRows x[],
                                             const HgRows dx[], const HgRowsOut dy[]) {
  const HeatConservativeForcedWeights k = heat_conservative_forced_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_next = dy[0][j];
    const double *du = dx[0][j], *u = x[0][j], *dkappa = dx[1][j], *kappa = x[1][j],
        *u_S = x[0][j - 1], *dkappa_S = dx[1][j - 1], *kappa_S = x[1][j - 1], *du_S = dx[0][j - 1],
        *u_N = x[0][j + 1], *dkappa_N = dx[1][j + 1], *kappa_N = x[1][j + 1], *du_N = dx[0][j + 1],
        *df = dx[2][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      du_next[i] = du[i] + k.dt * (k.rx *
          ((u[i - 1] - u[i]) * (dkappa[i] + dkappa[i - 1]) +
          (kappa[i] + kappa[i - 1]) * (du[i - 1] - du[i]) +
          ((u[i + 1] - u[i]) * (dkappa[i] + dkappa[i + 1]) +
          (kappa[i] + kappa[i + 1]) * (du[i + 1] - du[i]))) +
          k.ry * ((u_S[i] - u[i]) * (dkappa[i] + dkappa_S[i]) +
          (kappa[i] + kappa_S[i]) * (du_S[i] - du[i]) +
          ((u_N[i] - u[i]) * (dkappa[i] + dkappa_N[i]) +
          (kappa[i] + kappa_N[i]) * (du_N[i] - du[i]))) + k.s * df[i]);
    }
  }
}

/* u_bar += w + dt * ry * ((kappa + kappa_N) * (w_N - w) + (kappa + kappa_S) * (w_S - w)) + dt *
     rx * ((kappa + kappa_E) * (w_E - w) + (kappa + kappa_W) * (w_W - w)) */
static inline void heat_conservative_forced_u_bar_row(const HgBox *box,
    HeatConservativeForcedWeights k, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent u_bar) {
  const double *w = y_bar[0][j], *kappa = x[1][j], *kappa_N = x[1][j + 1], *w_N = y_bar[0][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(u_bar, i, w[i] + k.dt_ry *
        ((kappa[i] + kappa_N[i]) * (w_N[i] - w[i]) + (kappa[i] + kappa_S[i]) * (w_S[i] - w[i])) +
        k.dt_rx * ((kappa[i] + kappa[i + 1]) * (w[i + 1] - w[i]) +
        (kappa[i] + kappa[i - 1]) * (w[i - 1] - w[i])));
  }
}

/* kappa_bar += dt * ry * ((u - u_N) * (w_N - w) + (u_S - u) * (w - w_S)) + dt * rx * ((u - u_E)
     * (w_E - w) + (u_W - u) * (w - w_W)) */
static inline void heat_conservative_forced_kappa_bar_row(const HgBox *box,
    HeatConservativeForcedWeights k, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent kappa_bar) {
  const double *u = x[0][j], *u_N = x[0][j + 1], *w_N = y_bar[0][j + 1], *w = y_bar[0][j],
      *u_S = x[0][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(kappa_bar, i, k.dt_ry *
        ((u[i] - u_N[i]) * (w_N[i] - w[i]) + (u_S[i] - u[i]) * (w[i] - w_S[i])) +
        k.dt_rx * ((u[i] - u[i + 1]) * (w[i + 1] - w[i]) + (u[i - 1] - u[i]) * (w[i] - w[i - 1])));
  }
}

/* f_bar += dt * s * w */
static inline void heat_conservative_forced_f_bar_row(const HgBox *box,
    HeatConservativeForcedWeights k, const HgRows y_bar[], int j, HgCotangent f_bar) {
  const double *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(f_bar, i, k.dt_s * w[i]);
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void heat_conservative_forced_together0_bar_rows(const HgBox *box,
    HeatConservativeForcedWeights k, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent u_bar, HgCotangent kappa_bar) {
  const double *w_N = y_bar[0][j + 1], *w = y_bar[0][j], *kappa = x[1][j], *kappa_N = x[1][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1], *u = x[0][j], *u_N = x[0][j + 1],
      *u_S = x[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = w_N[i] - w[i];
    const double t1 = w[i + 1] - w[i];
    HgContribute(u_bar, i, w[i] + k.dt_ry *
        ((kappa[i] + kappa_N[i]) * t0 + (kappa[i] + kappa_S[i]) * (w_S[i] - w[i])) +
        k.dt_rx * ((kappa[i] + kappa[i + 1]) * t1 + (kappa[i] + kappa[i - 1]) * (w[i - 1] - w[i])));
    HgContribute(kappa_bar, i, k.dt_ry *
        ((u[i] - u_N[i]) * t0 + (u_S[i] - u[i]) * (w[i] - w_S[i])) +
        k.dt_rx * ((u[i] - u[i + 1]) * t1 + (u[i - 1] - u[i]) * (w[i] - w[i - 1])));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void heat_conservative_forced_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                             const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const HeatConservativeForcedWeights k = heat_conservative_forced_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent u_bar = HgCotangentRow(box, x_bar, 0, j),
        kappa_bar = HgCotangentRow(box, x_bar, 1, j), f_bar = HgCotangentRow(box, x_bar, 2, j);
    if (u_bar.row && kappa_bar.row) {
      heat_conservative_forced_together0_bar_rows(box, k, x, y_bar, j, u_bar, kappa_bar);
    } else {
      if (u_bar.row) heat_conservative_forced_u_bar_row(box, k, x, y_bar, j, u_bar);
      if (kappa_bar.row) heat_conservative_forced_kappa_bar_row(box, k, x, y_bar, j, kappa_bar);
    }
    if (f_bar.row) heat_conservative_forced_f_bar_row(box, k, y_bar, j, f_bar);
  }
}

/* du_bar += dw + dt * ry * ((w_N - w) * (dkappa + dkappa_N) + (kappa + kappa_N) * (dw_N - dw) +
     ((w_S - w) * (dkappa + dkappa_S) + (kappa + kappa_S) * (dw_S - dw))) + dt * rx * ((w_E - w)
     * (dkappa + dkappa_E) + (kappa + kappa_E) * (dw_E - dw) + ((w_W - w) * (dkappa + dkappa_W)
     + (kappa + kappa_W) * (dw_W - dw))) */
static inline void heat_conservative_forced_du_bar_row(const HgBox *box,
    HeatConservativeForcedWeights k, const HgRows x[], const HgRows dx[], const HgRows y_bar[],
    const HgRows dy_bar[], int j, HgCotangent du_bar) {
  const double *dw = dy_bar[0][j], *w_N = y_bar[0][j + 1], *w = y_bar[0][j], *dkappa = dx[1][j],
      *dkappa_N = dx[1][j + 1], *kappa = x[1][j], *kappa_N = x[1][j + 1], *dw_N = dy_bar[0][j + 1],
      *w_S = y_bar[0][j - 1], *dkappa_S = dx[1][j - 1], *kappa_S = x[1][j - 1],
      *dw_S = dy_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw[i] + k.dt_ry *
        ((w_N[i] - w[i]) * (dkappa[i] + dkappa_N[i]) + (kappa[i] + kappa_N[i]) * (dw_N[i] - dw[i]) +
        ((w_S[i] - w[i]) * (dkappa[i] + dkappa_S[i]) +
        (kappa[i] + kappa_S[i]) * (dw_S[i] - dw[i]))) +
        k.dt_rx * ((w[i + 1] - w[i]) * (dkappa[i] + dkappa[i + 1]) +
        (kappa[i] + kappa[i + 1]) * (dw[i + 1] - dw[i]) +
        ((w[i - 1] - w[i]) * (dkappa[i] + dkappa[i - 1]) +
        (kappa[i] + kappa[i - 1]) * (dw[i - 1] - dw[i]))));
  }
}

/* dkappa_bar += dt * ry * ((w_N - w) * (du - du_N) + (u - u_N) * (dw_N - dw) + ((w - w_S) *
     (du_S - du) + (u_S - u) * (dw - dw_S))) + dt * rx * ((w_E - w) * (du - du_E) + (u - u_E) *
     (dw_E - dw) + ((w - w_W) * (du_W - du) + (u_W - u) * (dw - dw_W))) */
static inline void heat_conservative_forced_dkappa_bar_row(const HgBox *box,
    HeatConservativeForcedWeights k, const HgRows x[], const HgRows dx[], const HgRows y_bar[],
    const HgRows dy_bar[], int j, HgCotangent dkappa_bar) {
  const double *w_N = y_bar[0][j + 1], *w = y_bar[0][j], *du = dx[0][j], *du_N = dx[0][j + 1],
      *u = x[0][j], *u_N = x[0][j + 1], *dw_N = dy_bar[0][j + 1], *dw = dy_bar[0][j],
      *w_S = y_bar[0][j - 1], *du_S = dx[0][j - 1], *u_S = x[0][j - 1], *dw_S = dy_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dkappa_bar, i, k.dt_ry *
        ((w_N[i] - w[i]) * (du[i] - du_N[i]) + (u[i] - u_N[i]) * (dw_N[i] - dw[i]) +
        ((w[i] - w_S[i]) * (du_S[i] - du[i]) + (u_S[i] - u[i]) * (dw[i] - dw_S[i]))) +
        k.dt_rx * ((w[i + 1] - w[i]) * (du[i] - du[i + 1]) +
        (u[i] - u[i + 1]) * (dw[i + 1] - dw[i]) +
        ((w[i] - w[i - 1]) * (du[i - 1] - du[i]) + (u[i - 1] - u[i]) * (dw[i] - dw[i - 1]))));
  }
}

/* df_bar += dt * s * dw */
static inline void heat_conservative_forced_df_bar_row(const HgBox *box,
    HeatConservativeForcedWeights k, const HgRows dy_bar[], int j, HgCotangent df_bar) {
  const double *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(df_bar, i, k.dt_s * dw[i]);
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_heat_conservative_forced_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                                  const HgRows dx[], const HgRows y_bar[],
                                                  const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const HeatConservativeForcedWeights k = heat_conservative_forced_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent du_bar = HgCotangentRow(box, dx_bar, 0, j),
        dkappa_bar = HgCotangentRow(box, dx_bar, 1, j), df_bar = HgCotangentRow(box, dx_bar, 2, j);
    if (du_bar.row) heat_conservative_forced_du_bar_row(box, k, x, dx, y_bar, dy_bar, j, du_bar);
    if (dkappa_bar.row) heat_conservative_forced_dkappa_bar_row(box, k, x, dx, y_bar, dy_bar, j,
        dkappa_bar);
    if (df_bar.row) heat_conservative_forced_df_bar_row(box, k, dy_bar, j, df_bar);
  }
}

const HgStencil hg_heat_conservative_forced_generated = {
    .name = "heat_conservative_forced",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 1, 1}, {"f", 0, HG_ADJOINT_UNUSED},
        {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = heat_conservative_forced_apply,
    .tangent = heat_conservative_forced_tangent,
    .adjoint = heat_conservative_forced_adjoint,
    .second = hg_heat_conservative_forced_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgHeatParams),
    .params_name = "HgHeatParams",
    .stated = (const HgStated[]){{"u", "K", HG_ANYWHERE}, {"kappa", "m^2/s", HG_ANYWHERE},
        {"f", "K/s", HG_ANYWHERE}, {NULL, NULL, 0}},
};
