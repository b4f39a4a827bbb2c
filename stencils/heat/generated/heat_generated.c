/* heat_generated.c -- written by hgstencil 7 from heat.stencil: change that, not this.

     u_r' = kappa * lap(u)
     u' = u + dt * (kappa * lap(u))
     u' = u + dt * (kappa * lap(u) + s * f) */
/* clang-format off */
#include <halograd/heat_generated.h>
#include <math.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double rx, ry;
} HeatTendencyWeights;

static inline HeatTendencyWeights heat_tendency_weights(const HgBox *box, const void *params) {
  (void)params;
  const double rx = 1 / (box->dx * box->dx);
  const double ry = 1 / (box->dy * box->dy);
  return (HeatTendencyWeights){.rx = rx, .ry = ry};
}

/* rx = 1 / (dx * dx)
   ry = 1 / (dy * dy)
   lap_u = rx * (u_W + u_E - 2 * u) + ry * (u_S + u_N - 2 * u)
   u_r' = kappa * lap(u) */
static void heat_tendency_apply(const HgBox *box, const void *params, const HgRows x[],
                                const HgRowsOut y[]) {
  const HeatTendencyWeights k = heat_tendency_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_r_next = y[0][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *kappa = x[1][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
          k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
      u_r_next[i] = kappa[i] * lap_u;
    }
  }
}

/* du_r' = lap_u * dkappa + kappa * (rx * (du_W + du_E - 2 * du) + ry * (du_S + du_N - 2 * du)) */
static void heat_tendency_tangent(const HgBox *box, const void *params, const HgRows x[],
                                  const HgRows dx[], const HgRowsOut dy[]) {
  const HeatTendencyWeights k = heat_tendency_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_r_next = dy[0][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *dkappa = dx[1][j],
        *kappa = x[1][j], *du = dx[0][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
          k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
      du_r_next[i] = lap_u * dkappa[i] +
          kappa[i] * (k.rx * (du[i - 1] + du[i + 1] - 2 * du[i]) +
          k.ry * (du_S[i] + du_N[i] - 2 * du[i]));
    }
  }
}

/* u_bar += rx * (kappa_E * w_E + kappa_W * w_W - 2 * (kappa * w)) + ry * (kappa_N * w_N +
     kappa_S * w_S - 2 * (kappa * w)) */
static inline void heat_tendency_u_bar_row(const HgBox *box, HeatTendencyWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent u_bar) {
  const double *kappa = x[1][j], *w = y_bar[0][j], *kappa_N = x[1][j + 1], *w_N = y_bar[0][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (kappa[i] * w[i]);
    HgContribute(u_bar, i, k.rx * (kappa[i + 1] * w[i + 1] + kappa[i - 1] * w[i - 1] - t0) +
        k.ry * (kappa_N[i] * w_N[i] + kappa_S[i] * w_S[i] - t0));
  }
}

/* kappa_bar += w * lap_u */
static inline void heat_tendency_kappa_bar_row(const HgBox *box, HeatTendencyWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent kappa_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(kappa_bar, i, w[i] * lap_u);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void heat_tendency_together0_bar_rows(const HgBox *box, HeatTendencyWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent u_bar, HgCotangent kappa_bar) {
  const double *kappa = x[1][j], *w = y_bar[0][j], *kappa_N = x[1][j + 1], *w_N = y_bar[0][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1], *u = x[0][j], *u_S = x[0][j - 1],
      *u_N = x[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (kappa[i] * w[i]);
    HgContribute(u_bar, i, k.rx * (kappa[i + 1] * w[i + 1] + kappa[i - 1] * w[i - 1] - t0) +
        k.ry * (kappa_N[i] * w_N[i] + kappa_S[i] * w_S[i] - t0));
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(kappa_bar, i, w[i] * lap_u);
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void heat_tendency_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                  const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const HeatTendencyWeights k = heat_tendency_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent u_bar = HgCotangentRow(box, x_bar, 0, j),
        kappa_bar = HgCotangentRow(box, x_bar, 1, j);
    if (u_bar.row && kappa_bar.row) {
      heat_tendency_together0_bar_rows(box, k, x, y_bar, j, u_bar, kappa_bar);
    } else {
      if (u_bar.row) heat_tendency_u_bar_row(box, k, x, y_bar, j, u_bar);
      if (kappa_bar.row) heat_tendency_kappa_bar_row(box, k, x, y_bar, j, kappa_bar);
    }
  }
}

typedef struct {
  double s0[PART + 2];
} HeatTendencySecondStage0;

/* s0 = w * dkappa + kappa * dw */
static inline void heat_tendency_second_stage0(const HgBox *box, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HeatTendencySecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *w = y_bar[0][j], *dkappa = dx[1][j], *kappa = x[1][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++)
    s0[i] = w[i] * dkappa[i] + kappa[i] * dw[i];
}

/* du_bar += rx * (s0_E + s0_W - 2 * s0) + ry * (s0_N + s0_S - 2 * s0) */
static inline void heat_tendency_du_bar_row(const HgBox *box, HeatTendencyWeights k,
    const HeatTendencySecondStage0 stage0[], int j, HgCotangent du_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0,
      *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, k.rx * (s0[i + 1] + s0[i - 1] - 2 * s0[i]) +
        k.ry * (s0_N[i] + s0_S[i] - 2 * s0[i]));
  }
}

/* dkappa_bar += lap_u * dw + w * (rx * (du_W + du_E - 2 * du) + ry * (du_S + du_N - 2 * du)) */
static inline void heat_tendency_dkappa_bar_row(const HgBox *box, HeatTendencyWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent dkappa_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *dw = dy_bar[0][j],
      *w = y_bar[0][j], *du = dx[0][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(dkappa_bar, i, lap_u * dw[i] +
        w[i] * (k.rx * (du[i - 1] + du[i + 1] - 2 * du[i]) +
        k.ry * (du_S[i] + du_N[i] - 2 * du[i])));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_heat_tendency_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                       const HgRows dx[], const HgRows y_bar[],
                                       const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const HeatTendencyWeights k = heat_tendency_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    HeatTendencySecondStage0 stage0[3];
    for (int j = part.j0 - 1; dx_bar[0] && j < part.j0 + 1; j++)
      heat_tendency_second_stage0(&part, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0])
        heat_tendency_second_stage0(&part, x, dx, y_bar, dy_bar, j + 1,
            &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent du_bar = HgCotangentRow(box, dx_bar, 0, j),
          dkappa_bar = HgCotangentRow(box, dx_bar, 1, j);
      if (du_bar.row) heat_tendency_du_bar_row(&part, k, stage0, j, du_bar);
      if (dkappa_bar.row) heat_tendency_dkappa_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dkappa_bar);
    }
  }
}

const HgStencil hg_heat_tendency_generated = {
    .name = "heat_tendency",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u_r", NULL},
    .apply = heat_tendency_apply,
    .tangent = heat_tendency_tangent,
    .adjoint = heat_tendency_adjoint,
    .second = hg_heat_tendency_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {"kappa", "u"}, {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"u", "K", HG_ANYWHERE}, {"kappa", "m^2/s", HG_ANYWHERE},
        {"u_r", "K/s", HG_ANYWHERE}, {NULL, NULL, 0}},
};

/* What is the same in all cells. */
typedef struct {
  double rx, ry, dt, dt_ry, dt_rx;
} HeatWeights;

static inline HeatWeights heat_weights(const HgBox *box, const void *params) {
  (void)params;
  const double rx = 1 / (box->dx * box->dx);
  const double ry = 1 / (box->dy * box->dy);
  return (HeatWeights){.rx = rx, .ry = ry, .dt = box->dt, .dt_ry = box->dt * ry,
      .dt_rx = box->dt * rx};
}

/* rx = 1 / (dx * dx)
   ry = 1 / (dy * dy)
   lap_u = rx * (u_W + u_E - 2 * u) + ry * (u_S + u_N - 2 * u)
   u' = u + dt * (kappa * lap(u)) */
static void heat_apply(const HgBox *box, const void *params, const HgRows x[],
                       const HgRowsOut y[]) {
  const HeatWeights k = heat_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_next = y[0][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *kappa = x[1][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
          k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
      u_next[i] = u[i] + k.dt * (kappa[i] * lap_u);
    }
  }
}

/* du' = du + dt * (lap_u * dkappa + kappa * (rx * (du_W + du_E - 2 * du) + ry * (du_S + du_N -
     2 * du))) */
static void heat_tangent(const HgBox *box, const void *params, const HgRows x[],
                         const HgRows dx[], const HgRowsOut dy[]) {
  const HeatWeights k = heat_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_next = dy[0][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *du = dx[0][j],
        *dkappa = dx[1][j], *kappa = x[1][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
          k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
      du_next[i] = du[i] + k.dt * (lap_u * dkappa[i] +
          kappa[i] * (k.rx * (du[i - 1] + du[i + 1] - 2 * du[i]) +
          k.ry * (du_S[i] + du_N[i] - 2 * du[i])));
    }
  }
}

/* u_bar += w + dt * ry * (kappa_N * w_N + kappa_S * w_S - 2 * (kappa * w)) + dt * rx * (kappa_E
     * w_E + kappa_W * w_W - 2 * (kappa * w)) */
static inline void heat_u_bar_row(const HgBox *box, HeatWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent u_bar) {
  const double *kappa = x[1][j], *w = y_bar[0][j], *kappa_N = x[1][j + 1], *w_N = y_bar[0][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (kappa[i] * w[i]);
    HgContribute(u_bar, i, w[i] + k.dt_ry * (kappa_N[i] * w_N[i] + kappa_S[i] * w_S[i] - t0) +
        k.dt_rx * (kappa[i + 1] * w[i + 1] + kappa[i - 1] * w[i - 1] - t0));
  }
}

/* kappa_bar += dt * (lap_u * w) */
static inline void heat_kappa_bar_row(const HgBox *box, HeatWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent kappa_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(kappa_bar, i, k.dt * (lap_u * w[i]));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void heat_together0_bar_rows(const HgBox *box, HeatWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent u_bar, HgCotangent kappa_bar) {
  const double *kappa = x[1][j], *w = y_bar[0][j], *kappa_N = x[1][j + 1], *w_N = y_bar[0][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1], *u = x[0][j], *u_S = x[0][j - 1],
      *u_N = x[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (kappa[i] * w[i]);
    HgContribute(u_bar, i, w[i] + k.dt_ry * (kappa_N[i] * w_N[i] + kappa_S[i] * w_S[i] - t0) +
        k.dt_rx * (kappa[i + 1] * w[i + 1] + kappa[i - 1] * w[i - 1] - t0));
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(kappa_bar, i, k.dt * (lap_u * w[i]));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void heat_adjoint(const HgBox *box, const void *params, const HgRows x[],
                         const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const HeatWeights k = heat_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent u_bar = HgCotangentRow(box, x_bar, 0, j),
        kappa_bar = HgCotangentRow(box, x_bar, 1, j);
    if (u_bar.row && kappa_bar.row) {
      heat_together0_bar_rows(box, k, x, y_bar, j, u_bar, kappa_bar);
    } else {
      if (u_bar.row) heat_u_bar_row(box, k, x, y_bar, j, u_bar);
      if (kappa_bar.row) heat_kappa_bar_row(box, k, x, y_bar, j, kappa_bar);
    }
  }
}

typedef struct {
  double s0[PART + 2];
} HeatSecondStage0;

/* s0 = w * dkappa + kappa * dw */
static inline void heat_second_stage0(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HeatSecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *w = y_bar[0][j], *dkappa = dx[1][j], *kappa = x[1][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++)
    s0[i] = w[i] * dkappa[i] + kappa[i] * dw[i];
}

/* du_bar += dw + dt * ry * (s0_N + s0_S - 2 * s0) + dt * rx * (s0_E + s0_W - 2 * s0) */
static inline void heat_du_bar_row(const HgBox *box, HeatWeights k, const HgRows dy_bar[],
    const HeatSecondStage0 stage0[], int j, HgCotangent du_bar) {
  const double *dw = dy_bar[0][j], *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw[i] + k.dt_ry * (s0_N[i] + s0_S[i] - 2 * s0[i]) +
        k.dt_rx * (s0[i + 1] + s0[i - 1] - 2 * s0[i]));
  }
}

/* dkappa_bar += dt * (w * (rx * (du_W + du_E - 2 * du) + ry * (du_S + du_N - 2 * du)) + lap_u *
     dw) */
static inline void heat_dkappa_bar_row(const HgBox *box, HeatWeights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dkappa_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w = y_bar[0][j],
      *du = dx[0][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(dkappa_bar, i, k.dt *
        (w[i] * (k.rx * (du[i - 1] + du[i + 1] - 2 * du[i]) +
        k.ry * (du_S[i] + du_N[i] - 2 * du[i])) + lap_u * dw[i]));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_heat_generated_second(const HgBox *box, const void *params, const HgRows x[],
                              const HgRows dx[], const HgRows y_bar[],
                              const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const HeatWeights k = heat_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    HeatSecondStage0 stage0[3];
    for (int j = part.j0 - 1; dx_bar[0] && j < part.j0 + 1; j++)
      heat_second_stage0(&part, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0])
        heat_second_stage0(&part, x, dx, y_bar, dy_bar, j + 1, &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent du_bar = HgCotangentRow(box, dx_bar, 0, j),
          dkappa_bar = HgCotangentRow(box, dx_bar, 1, j);
      if (du_bar.row) heat_du_bar_row(&part, k, dy_bar, stage0, j, du_bar);
      if (dkappa_bar.row) heat_dkappa_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dkappa_bar);
    }
  }
}

const HgStencil hg_heat_generated = {
    .name = "heat",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = heat_apply,
    .tangent = heat_tangent,
    .adjoint = heat_adjoint,
    .second = hg_heat_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"u", "K", HG_ANYWHERE}, {"kappa", "m^2/s", HG_ANYWHERE},
        {NULL, NULL, 0}},
};

/* What is the same in all cells. */
typedef struct {
  double rx, ry, dt, s, dt_ry, dt_rx, dt_s;
} HeatForcedWeights;

static inline HeatForcedWeights heat_forced_weights(const HgBox *box, const void *params) {
  const HgHeatParams *p = params;
  const double rx = 1 / (box->dx * box->dx);
  const double ry = 1 / (box->dy * box->dy);
  const double s = exp(-p->decay * box->t);
  return (HeatForcedWeights){.rx = rx, .ry = ry, .dt = box->dt, .s = s, .dt_ry = box->dt * ry,
      .dt_rx = box->dt * rx, .dt_s = box->dt * s};
}

/* rx = 1 / (dx * dx)
   ry = 1 / (dy * dy)
   lap_u = rx * (u_W + u_E - 2 * u) + ry * (u_S + u_N - 2 * u)
   s = exp(-decay * t)
   u' = u + dt * (kappa * lap(u) + s * f) */
static void heat_forced_apply(const HgBox *box, const void *params, const HgRows x[],
                              const HgRowsOut y[]) {
  const HeatForcedWeights k = heat_forced_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_next = y[0][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *kappa = x[1][j],
        *f = x[2][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
          k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
      u_next[i] = u[i] + k.dt * (kappa[i] * lap_u + k.s * f[i]);
    }
  }
}

/* du' = du + dt * (lap_u * dkappa + kappa * (rx * (du_W + du_E - 2 * du) + ry * (du_S + du_N -
     2 * du)) + s * df) */
static void heat_forced_tangent(const HgBox *box, const void *params, const HgRows x[],
                                const HgRows dx[], const HgRowsOut dy[]) {
  const HeatForcedWeights k = heat_forced_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_next = dy[0][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *du = dx[0][j],
        *dkappa = dx[1][j], *kappa = x[1][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1],
        *df = dx[2][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
          k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
      du_next[i] = du[i] + k.dt * (lap_u * dkappa[i] +
          kappa[i] * (k.rx * (du[i - 1] + du[i + 1] - 2 * du[i]) +
          k.ry * (du_S[i] + du_N[i] - 2 * du[i])) + k.s * df[i]);
    }
  }
}

/* u_bar += w + dt * ry * (kappa_N * w_N + kappa_S * w_S - 2 * (kappa * w)) + dt * rx * (kappa_E
     * w_E + kappa_W * w_W - 2 * (kappa * w)) */
static inline void heat_forced_u_bar_row(const HgBox *box, HeatForcedWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent u_bar) {
  const double *kappa = x[1][j], *w = y_bar[0][j], *kappa_N = x[1][j + 1], *w_N = y_bar[0][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (kappa[i] * w[i]);
    HgContribute(u_bar, i, w[i] + k.dt_ry * (kappa_N[i] * w_N[i] + kappa_S[i] * w_S[i] - t0) +
        k.dt_rx * (kappa[i + 1] * w[i + 1] + kappa[i - 1] * w[i - 1] - t0));
  }
}

/* kappa_bar += dt * (lap_u * w) */
static inline void heat_forced_kappa_bar_row(const HgBox *box, HeatForcedWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent kappa_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(kappa_bar, i, k.dt * (lap_u * w[i]));
  }
}

/* f_bar += dt * s * w */
static inline void heat_forced_f_bar_row(const HgBox *box, HeatForcedWeights k,
    const HgRows y_bar[], int j, HgCotangent f_bar) {
  const double *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(f_bar, i, k.dt_s * w[i]);
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void heat_forced_together0_bar_rows(const HgBox *box, HeatForcedWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent u_bar, HgCotangent kappa_bar) {
  const double *kappa = x[1][j], *w = y_bar[0][j], *kappa_N = x[1][j + 1], *w_N = y_bar[0][j + 1],
      *kappa_S = x[1][j - 1], *w_S = y_bar[0][j - 1], *u = x[0][j], *u_S = x[0][j - 1],
      *u_N = x[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (kappa[i] * w[i]);
    HgContribute(u_bar, i, w[i] + k.dt_ry * (kappa_N[i] * w_N[i] + kappa_S[i] * w_S[i] - t0) +
        k.dt_rx * (kappa[i + 1] * w[i + 1] + kappa[i - 1] * w[i - 1] - t0));
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(kappa_bar, i, k.dt * (lap_u * w[i]));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void heat_forced_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const HeatForcedWeights k = heat_forced_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent u_bar = HgCotangentRow(box, x_bar, 0, j),
        kappa_bar = HgCotangentRow(box, x_bar, 1, j), f_bar = HgCotangentRow(box, x_bar, 2, j);
    if (u_bar.row && kappa_bar.row) {
      heat_forced_together0_bar_rows(box, k, x, y_bar, j, u_bar, kappa_bar);
    } else {
      if (u_bar.row) heat_forced_u_bar_row(box, k, x, y_bar, j, u_bar);
      if (kappa_bar.row) heat_forced_kappa_bar_row(box, k, x, y_bar, j, kappa_bar);
    }
    if (f_bar.row) heat_forced_f_bar_row(box, k, y_bar, j, f_bar);
  }
}

typedef struct {
  double s0[PART + 2];
} HeatForcedSecondStage0;

/* s0 = w * dkappa + kappa * dw */
static inline void heat_forced_second_stage0(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HeatForcedSecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *w = y_bar[0][j], *dkappa = dx[1][j], *kappa = x[1][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++)
    s0[i] = w[i] * dkappa[i] + kappa[i] * dw[i];
}

/* du_bar += dw + dt * ry * (s0_N + s0_S - 2 * s0) + dt * rx * (s0_E + s0_W - 2 * s0) */
static inline void heat_forced_du_bar_row(const HgBox *box, HeatForcedWeights k,
    const HgRows dy_bar[], const HeatForcedSecondStage0 stage0[], int j, HgCotangent du_bar) {
  const double *dw = dy_bar[0][j], *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw[i] + k.dt_ry * (s0_N[i] + s0_S[i] - 2 * s0[i]) +
        k.dt_rx * (s0[i + 1] + s0[i - 1] - 2 * s0[i]));
  }
}

/* dkappa_bar += dt * (w * (rx * (du_W + du_E - 2 * du) + ry * (du_S + du_N - 2 * du)) + lap_u *
     dw) */
static inline void heat_forced_dkappa_bar_row(const HgBox *box, HeatForcedWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent dkappa_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w = y_bar[0][j],
      *du = dx[0][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(dkappa_bar, i, k.dt *
        (w[i] * (k.rx * (du[i - 1] + du[i + 1] - 2 * du[i]) +
        k.ry * (du_S[i] + du_N[i] - 2 * du[i])) + lap_u * dw[i]));
  }
}

/* df_bar += dt * s * dw */
static inline void heat_forced_df_bar_row(const HgBox *box, HeatForcedWeights k,
    const HgRows dy_bar[], int j, HgCotangent df_bar) {
  const double *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(df_bar, i, k.dt_s * dw[i]);
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void heat_forced_dtogether0_bar_rows(const HgBox *box, HeatForcedWeights k,
    const HgRows dy_bar[], const HeatForcedSecondStage0 stage0[], int j, HgCotangent du_bar,
    HgCotangent df_bar) {
  const double *dw = dy_bar[0][j], *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw[i] + k.dt_ry * (s0_N[i] + s0_S[i] - 2 * s0[i]) +
        k.dt_rx * (s0[i + 1] + s0[i - 1] - 2 * s0[i]));
    HgContribute(df_bar, i, k.dt_s * dw[i]);
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_heat_forced_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                     const HgRows dx[], const HgRows y_bar[],
                                     const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const HeatForcedWeights k = heat_forced_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    HeatForcedSecondStage0 stage0[3];
    for (int j = part.j0 - 1; dx_bar[0] && j < part.j0 + 1; j++)
      heat_forced_second_stage0(&part, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0])
        heat_forced_second_stage0(&part, x, dx, y_bar, dy_bar, j + 1,
            &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent du_bar = HgCotangentRow(box, dx_bar, 0, j),
          dkappa_bar = HgCotangentRow(box, dx_bar, 1, j), df_bar = HgCotangentRow(box, dx_bar, 2, j);
      if (du_bar.row && df_bar.row) {
        heat_forced_dtogether0_bar_rows(&part, k, dy_bar, stage0, j, du_bar, df_bar);
      } else {
        if (du_bar.row) heat_forced_du_bar_row(&part, k, dy_bar, stage0, j, du_bar);
        if (df_bar.row) heat_forced_df_bar_row(&part, k, dy_bar, j, df_bar);
      }
      if (dkappa_bar.row) heat_forced_dkappa_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dkappa_bar);
    }
  }
}

const HgStencil hg_heat_forced_generated = {
    .name = "heat_forced",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {"f", 0, HG_ADJOINT_UNUSED},
        {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = heat_forced_apply,
    .tangent = heat_forced_tangent,
    .adjoint = heat_forced_adjoint,
    .second = hg_heat_forced_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgHeatParams),
    .params_name = "HgHeatParams",
    .stated = (const HgStated[]){{"u", "K", HG_ANYWHERE}, {"kappa", "m^2/s", HG_ANYWHERE},
        {"f", "K/s", HG_ANYWHERE}, {NULL, NULL, 0}},
};
