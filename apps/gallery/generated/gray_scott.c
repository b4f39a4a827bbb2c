/* gray_scott.c -- written by hgstencil 7 from gray_scott.stencil: change that, not this.

     u' = u + dt * (Du * lap(u) - r + F * (1 - u))
     v' = v + dt * (Dv * lap(v) + r - (F + K) * v) */
/* clang-format off */
#include "gray_scott.h"
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double rx, ry, dt, dt_ry, dt_rx;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  (void)params;
  const double rx = 1 / (box->dx * box->dx);
  const double ry = 1 / (box->dy * box->dy);
  return (Weights){.rx = rx, .ry = ry, .dt = box->dt, .dt_ry = box->dt * ry, .dt_rx = box->dt * rx};
}

/* rx = 1 / (dx * dx)
   ry = 1 / (dy * dy)
   lap_u = rx * (u_W + u_E - 2 * u) + ry * (u_S + u_N - 2 * u)
   r = u * v^2
   lap_v = rx * (v_W + v_E - 2 * v) + ry * (v_S + v_N - 2 * v)
   u' = u + dt * (Du * lap(u) - r + F * (1 - u))
   v' = v + dt * (Dv * lap(v) + r - (F + K) * v) */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_next = y[0][j], *v_next = y[1][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *v = x[1][j], *Du = x[2][j],
        *F = x[4][j], *v_S = x[1][j - 1], *v_N = x[1][j + 1], *Dv = x[3][j], *K = x[5][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
          k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
      const double r = u[i] * (v[i] * v[i]);
      u_next[i] = u[i] + k.dt * (Du[i] * lap_u - r + F[i] * (1 - u[i]));
      const double lap_v = k.rx * (v[i - 1] + v[i + 1] - 2 * v[i]) +
          k.ry * (v_S[i] + v_N[i] - 2 * v[i]);
      v_next[i] = v[i] + k.dt * (Dv[i] * lap_v + r - (F[i] + K[i]) * v[i]);
    }
  }
}

/* du' = du + dt * (lap_u * dDu + Du * (rx * (du_W + du_E - 2 * du) + ry * (du_S + du_N - 2 *
     du)) - (v^2 * du + u * (2 * v * dv)) + ((1 - u) * dF - F * du))
   dv' = dv + dt * (lap_v * dDv + Dv * (rx * (dv_W + dv_E - 2 * dv) + ry * (dv_S + dv_N - 2 *
     dv)) + (v^2 * du + u * (2 * v * dv)) - (v * (dF + dK) + (F + K) * dv)) */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_next = dy[0][j], *dv_next = dy[1][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *v = x[1][j], *du = dx[0][j],
        *dv = dx[1][j], *dDu = dx[2][j], *Du = x[2][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1],
        *dF = dx[4][j], *F = x[4][j], *v_S = x[1][j - 1], *v_N = x[1][j + 1], *dDv = dx[3][j],
        *Dv = x[3][j], *dv_S = dx[1][j - 1], *dv_N = dx[1][j + 1], *dK = dx[5][j], *K = x[5][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
          k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
      const double t1 = v[i] * v[i] * du[i] + u[i] * (2 * v[i] * dv[i]);
      du_next[i] = du[i] + k.dt * (lap_u * dDu[i] +
          Du[i] * (k.rx * (du[i - 1] + du[i + 1] - 2 * du[i]) +
          k.ry * (du_S[i] + du_N[i] - 2 * du[i])) - t1 + ((1 - u[i]) * dF[i] - F[i] * du[i]));
      const double lap_v = k.rx * (v[i - 1] + v[i + 1] - 2 * v[i]) +
          k.ry * (v_S[i] + v_N[i] - 2 * v[i]);
      dv_next[i] = dv[i] + k.dt * (lap_v * dDv[i] +
          Dv[i] * (k.rx * (dv[i - 1] + dv[i + 1] - 2 * dv[i]) +
          k.ry * (dv_S[i] + dv_N[i] - 2 * dv[i])) + t1 -
          (v[i] * (dF[i] + dK[i]) + (F[i] + K[i]) * dv[i]));
    }
  }
}

/* u_bar += w_u + v^2 * (dt * (w_v - w_u)) + dt * ry * (Du_N * w_u_N + Du_S * w_u_S - 2 * (Du *
     w_u)) + dt * rx * (Du_E * w_u_E + Du_W * w_u_W - 2 * (Du * w_u)) - dt * (F * w_u) */
static inline void u_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent u_bar) {
  const double *Du = x[2][j], *w_u = y_bar[0][j], *v = x[1][j], *w_v = y_bar[1][j],
      *Du_N = x[2][j + 1], *w_u_N = y_bar[0][j + 1], *Du_S = x[2][j - 1], *w_u_S = y_bar[0][j - 1],
      *F = x[4][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (Du[i] * w_u[i]);
    HgContribute(u_bar, i, w_u[i] + v[i] * v[i] * (k.dt * (w_v[i] - w_u[i])) +
        k.dt_ry * (Du_N[i] * w_u_N[i] + Du_S[i] * w_u_S[i] - t0) +
        k.dt_rx * (Du[i + 1] * w_u[i + 1] + Du[i - 1] * w_u[i - 1] - t0) - k.dt * (F[i] * w_u[i]));
  }
}

/* v_bar += w_v + 2 * (u * v * (dt * (w_v - w_u))) + dt * ry * (Dv_N * w_v_N + Dv_S * w_v_S - 2
     * (Dv * w_v)) + dt * rx * (Dv_E * w_v_E + Dv_W * w_v_W - 2 * (Dv * w_v)) - dt * ((F + K) *
     w_v) */
static inline void v_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent v_bar) {
  const double *Dv = x[3][j], *w_v = y_bar[1][j], *u = x[0][j], *v = x[1][j], *w_u = y_bar[0][j],
      *Dv_N = x[3][j + 1], *w_v_N = y_bar[1][j + 1], *Dv_S = x[3][j - 1], *w_v_S = y_bar[1][j - 1],
      *F = x[4][j], *K = x[5][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (Dv[i] * w_v[i]);
    HgContribute(v_bar, i, w_v[i] + 2 * (u[i] * v[i] * (k.dt * (w_v[i] - w_u[i]))) +
        k.dt_ry * (Dv_N[i] * w_v_N[i] + Dv_S[i] * w_v_S[i] - t0) +
        k.dt_rx * (Dv[i + 1] * w_v[i + 1] + Dv[i - 1] * w_v[i - 1] - t0) -
        k.dt * ((F[i] + K[i]) * w_v[i]));
  }
}

/* Du_bar += dt * (lap_u * w_u) */
static inline void Du_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent Du_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w_u = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(Du_bar, i, k.dt * (lap_u * w_u[i]));
  }
}

/* Dv_bar += dt * (lap_v * w_v) */
static inline void Dv_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent Dv_bar) {
  const double *v = x[1][j], *v_S = x[1][j - 1], *v_N = x[1][j + 1], *w_v = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_v = k.rx * (v[i - 1] + v[i + 1] - 2 * v[i]) +
        k.ry * (v_S[i] + v_N[i] - 2 * v[i]);
    HgContribute(Dv_bar, i, k.dt * (lap_v * w_v[i]));
  }
}

/* F_bar += -(dt * (v * w_v + w_u * (u - 1))) */
static inline void F_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent F_bar) {
  const double *v = x[1][j], *w_v = y_bar[1][j], *w_u = y_bar[0][j], *u = x[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(F_bar, i, -(k.dt * (v[i] * w_v[i] + w_u[i] * (u[i] - 1))));
}

/* K_bar += -(dt * (v * w_v)) */
static inline void K_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent K_bar) {
  const double *v = x[1][j], *w_v = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(K_bar, i, -(k.dt * (v[i] * w_v[i])));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent u_bar, HgCotangent K_bar) {
  const double *Du = x[2][j], *w_u = y_bar[0][j], *v = x[1][j], *w_v = y_bar[1][j],
      *Du_N = x[2][j + 1], *w_u_N = y_bar[0][j + 1], *Du_S = x[2][j - 1], *w_u_S = y_bar[0][j - 1],
      *F = x[4][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (Du[i] * w_u[i]);
    HgContribute(u_bar, i, w_u[i] + v[i] * v[i] * (k.dt * (w_v[i] - w_u[i])) +
        k.dt_ry * (Du_N[i] * w_u_N[i] + Du_S[i] * w_u_S[i] - t0) +
        k.dt_rx * (Du[i + 1] * w_u[i + 1] + Du[i - 1] * w_u[i - 1] - t0) - k.dt * (F[i] * w_u[i]));
    HgContribute(K_bar, i, -(k.dt * (v[i] * w_v[i])));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together1_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent Du_bar, HgCotangent F_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w_u = y_bar[0][j],
      *v = x[1][j], *w_v = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(Du_bar, i, k.dt * (lap_u * w_u[i]));
    HgContribute(F_bar, i, -(k.dt * (v[i] * w_v[i] + w_u[i] * (u[i] - 1))));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent u_bar = HgCotangentRow(box, x_bar, 0, j),
        v_bar = HgCotangentRow(box, x_bar, 1, j), Du_bar = HgCotangentRow(box, x_bar, 2, j),
        Dv_bar = HgCotangentRow(box, x_bar, 3, j), F_bar = HgCotangentRow(box, x_bar, 4, j),
        K_bar = HgCotangentRow(box, x_bar, 5, j);
    if (u_bar.row && K_bar.row) {
      together0_bar_rows(box, k, x, y_bar, j, u_bar, K_bar);
    } else {
      if (u_bar.row) u_bar_row(box, k, x, y_bar, j, u_bar);
      if (K_bar.row) K_bar_row(box, k, x, y_bar, j, K_bar);
    }
    if (Du_bar.row && F_bar.row) {
      together1_bar_rows(box, k, x, y_bar, j, Du_bar, F_bar);
    } else {
      if (Du_bar.row) Du_bar_row(box, k, x, y_bar, j, Du_bar);
      if (F_bar.row) F_bar_row(box, k, x, y_bar, j, F_bar);
    }
    if (v_bar.row) v_bar_row(box, k, x, y_bar, j, v_bar);
    if (Dv_bar.row) Dv_bar_row(box, k, x, y_bar, j, Dv_bar);
  }
}

typedef struct {
  double s0[PART + 2], s1[PART + 2];
} SecondStage0;

/* s0 = w_u * dDu + Du * dw_u
   s1 = w_v * dDv + Dv * dw_v */
static inline void second_stage0(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, SecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0, *s1 = to->s1 + 1 - box->i0;
  const double *w_u = y_bar[0][j], *dDu = dx[2][j], *Du = x[2][j], *dw_u = dy_bar[0][j],
      *w_v = y_bar[1][j], *dDv = dx[3][j], *Dv = x[3][j], *dw_v = dy_bar[1][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++) {
    s0[i] = w_u[i] * dDu[i] + Du[i] * dw_u[i];
    s1[i] = w_v[i] * dDv[i] + Dv[i] * dw_v[i];
  }
}

/* du_bar += dw_u + (dt * (w_v - w_u) * (2 * v * dv) + v^2 * (dt * (dw_v - dw_u))) + dt * ry *
     (s0_N + s0_S - 2 * s0) + dt * rx * (s0_E + s0_W - 2 * s0) - dt * (w_u * dF + F * dw_u) */
static inline void du_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[], int j,
    HgCotangent du_bar) {
  const double *dw_u = dy_bar[0][j], *w_v = y_bar[1][j], *w_u = y_bar[0][j], *v = x[1][j],
      *dv = dx[1][j], *dw_v = dy_bar[1][j], *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0, *dF = dx[4][j], *F = x[4][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw_u[i] +
        (k.dt * (w_v[i] - w_u[i]) * (2 * v[i] * dv[i]) +
        v[i] * v[i] * (k.dt * (dw_v[i] - dw_u[i]))) + k.dt_ry * (s0_N[i] + s0_S[i] - 2 * s0[i]) +
        k.dt_rx * (s0[i + 1] + s0[i - 1] - 2 * s0[i]) - k.dt * (w_u[i] * dF[i] + F[i] * dw_u[i]));
  }
}

/* dv_bar += dw_v + 2 * (dt * (w_v - w_u) * (v * du + u * dv) + u * v * (dt * (dw_v - dw_u))) +
     dt * ry * (s1_N + s1_S - 2 * s1) + dt * rx * (s1_E + s1_W - 2 * s1) - dt * (w_v * (dF + dK)
     + (F + K) * dw_v) */
static inline void dv_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[], int j,
    HgCotangent dv_bar) {
  const double *dw_v = dy_bar[1][j], *w_v = y_bar[1][j], *w_u = y_bar[0][j], *v = x[1][j],
      *du = dx[0][j], *u = x[0][j], *dv = dx[1][j], *dw_u = dy_bar[0][j],
      *s1_N = stage0[(j - box->j0 + 2) % 3].s1 + 1 - box->i0,
      *s1_S = stage0[(j - box->j0) % 3].s1 + 1 - box->i0,
      *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0, *dF = dx[4][j], *dK = dx[5][j],
      *F = x[4][j], *K = x[5][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dv_bar, i, dw_v[i] +
        2 * (k.dt * (w_v[i] - w_u[i]) * (v[i] * du[i] + u[i] * dv[i]) +
        u[i] * v[i] * (k.dt * (dw_v[i] - dw_u[i]))) + k.dt_ry * (s1_N[i] + s1_S[i] - 2 * s1[i]) +
        k.dt_rx * (s1[i + 1] + s1[i - 1] - 2 * s1[i]) -
        k.dt * (w_v[i] * (dF[i] + dK[i]) + (F[i] + K[i]) * dw_v[i]));
  }
}

/* dDu_bar += dt * (w_u * (rx * (du_W + du_E - 2 * du) + ry * (du_S + du_N - 2 * du)) + lap_u *
     dw_u) */
static inline void dDu_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dDu_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w_u = y_bar[0][j],
      *du = dx[0][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1], *dw_u = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_u = k.rx * (u[i - 1] + u[i + 1] - 2 * u[i]) +
        k.ry * (u_S[i] + u_N[i] - 2 * u[i]);
    HgContribute(dDu_bar, i, k.dt * (w_u[i] *
        (k.rx * (du[i - 1] + du[i + 1] - 2 * du[i]) + k.ry * (du_S[i] + du_N[i] - 2 * du[i])) +
        lap_u * dw_u[i]));
  }
}

/* dDv_bar += dt * (w_v * (rx * (dv_W + dv_E - 2 * dv) + ry * (dv_S + dv_N - 2 * dv)) + lap_v *
     dw_v) */
static inline void dDv_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dDv_bar) {
  const double *v = x[1][j], *v_S = x[1][j - 1], *v_N = x[1][j + 1], *w_v = y_bar[1][j],
      *dv = dx[1][j], *dv_S = dx[1][j - 1], *dv_N = dx[1][j + 1], *dw_v = dy_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_v = k.rx * (v[i - 1] + v[i + 1] - 2 * v[i]) +
        k.ry * (v_S[i] + v_N[i] - 2 * v[i]);
    HgContribute(dDv_bar, i, k.dt * (w_v[i] *
        (k.rx * (dv[i - 1] + dv[i + 1] - 2 * dv[i]) + k.ry * (dv_S[i] + dv_N[i] - 2 * dv[i])) +
        lap_v * dw_v[i]));
  }
}

/* dF_bar += -(dt * (w_v * dv + v * dw_v + ((u - 1) * dw_u + w_u * du))) */
static inline void dF_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dF_bar) {
  const double *w_v = y_bar[1][j], *dv = dx[1][j], *v = x[1][j], *dw_v = dy_bar[1][j], *u = x[0][j],
      *dw_u = dy_bar[0][j], *w_u = y_bar[0][j], *du = dx[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dF_bar, i, -(k.dt *
        (w_v[i] * dv[i] + v[i] * dw_v[i] + ((u[i] - 1) * dw_u[i] + w_u[i] * du[i]))));
  }
}

/* dK_bar += -(dt * (w_v * dv + v * dw_v)) */
static inline void dK_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dK_bar) {
  const double *w_v = y_bar[1][j], *dv = dx[1][j], *v = x[1][j], *dw_v = dy_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dK_bar, i, -(k.dt * (w_v[i] * dv[i] + v[i] * dw_v[i])));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dDv_bar,
    HgCotangent dK_bar) {
  const double *v = x[1][j], *v_S = x[1][j - 1], *v_N = x[1][j + 1], *w_v = y_bar[1][j],
      *dv = dx[1][j], *dv_S = dx[1][j - 1], *dv_N = dx[1][j + 1], *dw_v = dy_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_v = k.rx * (v[i - 1] + v[i + 1] - 2 * v[i]) +
        k.ry * (v_S[i] + v_N[i] - 2 * v[i]);
    HgContribute(dDv_bar, i, k.dt * (w_v[i] *
        (k.rx * (dv[i - 1] + dv[i + 1] - 2 * dv[i]) + k.ry * (dv_S[i] + dv_N[i] - 2 * dv[i])) +
        lap_v * dw_v[i]));
    HgContribute(dK_bar, i, -(k.dt * (w_v[i] * dv[i] + v[i] * dw_v[i])));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void gray_scott_second(const HgBox *box, const void *params, const HgRows x[],
                       const HgRows dx[], const HgRows y_bar[],
                       const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    SecondStage0 stage0[3];
    for (int j = part.j0 - 1; (dx_bar[0] || dx_bar[1]) && j < part.j0 + 1; j++)
      second_stage0(&part, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0] || dx_bar[1])
        second_stage0(&part, x, dx, y_bar, dy_bar, j + 1, &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent du_bar = HgCotangentRow(box, dx_bar, 0, j),
          dv_bar = HgCotangentRow(box, dx_bar, 1, j), dDu_bar = HgCotangentRow(box, dx_bar, 2, j),
          dDv_bar = HgCotangentRow(box, dx_bar, 3, j), dF_bar = HgCotangentRow(box, dx_bar, 4, j),
          dK_bar = HgCotangentRow(box, dx_bar, 5, j);
      if (dDv_bar.row && dK_bar.row) {
        dtogether0_bar_rows(&part, k, x, dx, y_bar, dy_bar, j, dDv_bar, dK_bar);
      } else {
        if (dDv_bar.row) dDv_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dDv_bar);
        if (dK_bar.row) dK_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dK_bar);
      }
      if (du_bar.row) du_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0, j, du_bar);
      if (dv_bar.row) dv_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0, j, dv_bar);
      if (dDu_bar.row) dDu_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dDu_bar);
      if (dF_bar.row) dF_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dF_bar);
    }
  }
}

const HgStencil gray_scott = {
    .name = "gray_scott",
    .reads = (const HgRead[]){{"u", 1, 1}, {"v", 1, 1}, {"Du", 0, 1}, {"Dv", 0, 1}, {"F", 0, 0},
        {"K", 0, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "v", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = gray_scott_second,
    .sets = true,
};
