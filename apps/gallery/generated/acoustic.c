/* acoustic.c -- written by hgstencil 7 from acoustic.stencil: change that, not this.

     p' = (2 * p - (1 - dt * damping) * p_old + dt * dt * force) / (1 + dt * damping)
     p_old' = p */
/* clang-format off */
#include "acoustic.h"
#include <halograd/five_point.h>
#include <stddef.h>

/* An entry of a table by step; 0 before and after it. */
static inline double entry(const double *table, long count, long at) {
  return at >= 0 && at < count ? table[at] : 0;
}

/* to = from, a row of the box. */
static inline void copy_row(const HgBox *box, const double *from, double *to) {
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) to[i] = from[i];
}

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double dt, rx, ry, c3, dt_dt, c5, dt_dt_rx, c7, dt_dt_ry, c9, c10, c11, c12;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  const AcousticParams *p = params;
  const double rx = 1 / (box->dx * box->dx);
  const double ry = 1 / (box->dy * box->dy);
  const double c2 = box->dt * box->dt;
  const double c3 = c2 * ry;
  const double c4 = 205.0 / 72.0;
  const double c5 = c2 * rx;
  const double c6 = 8.0 / 315.0;
  const double c7 = 1.0 / 560.0;
  return (Weights){.dt = box->dt, .rx = rx, .ry = ry,
      .c3 = entry(p->wavelet, p->wavelet_count, box->step), .dt_dt = c2, .c5 = -(c3 * c4) - c5 * c4,
      .dt_dt_rx = c5, .c7 = c5 * c6, .dt_dt_ry = c3, .c9 = c3 * c6, .c10 = c5 * c7, .c11 = c3 * c7,
      .c12 = c2 * entry(p->wavelet, p->wavelet_count, box->step)};
}

/* rx = 1 / (dx * dx)
   far_x_p = 8 / 315 * (p[-3, 0] + p[3, 0]) - 1 / 560 * (p[-4, 0] + p[4, 0])
   p_xx = rx * (1.6 * (p_W + p_E) - 0.2 * (p[-2, 0] + p[2, 0]) + far_x_p - 205 / 72 * p)
   ry = 1 / (dy * dy)
   far_y_p = 8 / 315 * (p[0, -3] + p[0, 3]) - 1 / 560 * (p[0, -4] + p[0, 4])
   p_yy = ry * (1.6 * (p_S + p_N) - 0.2 * (p[0, -2] + p[0, 2]) + far_y_p - 205 / 72 * p)
   force = m * (p_xx + p_yy) + wavelet[step] * source
   p' = (2 * p - (1 - dt * damping) * p_old + dt * dt * force) / (1 + dt * damping)
   p_old' = p */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *p_next = y[0][j];
    const double *damping = x[3][j], *p_ = x[0][j], *p_3S = x[0][j - 3], *p_3N = x[0][j + 3],
        *p_4S = x[0][j - 4], *p_4N = x[0][j + 4], *p_S = x[0][j - 1], *p_N = x[0][j + 1],
        *p_2S = x[0][j - 2], *p_2N = x[0][j + 2], *m = x[2][j], *source = x[4][j], *p_old = x[1][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = k.dt * damping[i];
      const double far_x_p = 8.0 / 315.0 * (p_[i - 3] + p_[i + 3]) -
          1.0 / 560.0 * (p_[i - 4] + p_[i + 4]);
      const double t2 = 205.0 / 72.0 * p_[i];
      const double p_xx = k.rx * (1.6 * (p_[i - 1] + p_[i + 1]) - 0.2 * (p_[i - 2] + p_[i + 2]) +
          far_x_p - t2);
      const double far_y_p = 8.0 / 315.0 * (p_3S[i] + p_3N[i]) - 1.0 / 560.0 * (p_4S[i] + p_4N[i]);
      const double p_yy = k.ry * (1.6 * (p_S[i] + p_N[i]) - 0.2 * (p_2S[i] + p_2N[i]) + far_y_p -
          t2);
      const double force = m[i] * (p_xx + p_yy) + k.c3 * source[i];
      p_next[i] = (2 * p_[i] - (1 - t0) * p_old[i] + k.dt_dt * force) / (1 + t0);
    }
    if (y[1]) copy_row(box, x[0][j], y[1][j]);
  }
}

/* dp' = as in the loop below
   dp_old' = dp */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *dp_next = dy[0][j];
    const double *damping = x[3][j], *ddamping = dx[3][j], *p_ = x[0][j], *p_3S = x[0][j - 3],
        *p_3N = x[0][j + 3], *p_4S = x[0][j - 4], *p_4N = x[0][j + 4], *p_S = x[0][j - 1],
        *p_N = x[0][j + 1], *p_2S = x[0][j - 2], *p_2N = x[0][j + 2], *dp = dx[0][j], *m = x[2][j],
        *source = x[4][j], *dp_old = dx[1][j], *p_old = x[1][j], *dm = dx[2][j],
        *dp_S = dx[0][j - 1], *dp_N = dx[0][j + 1], *dp_2S = dx[0][j - 2], *dp_2N = dx[0][j + 2],
        *dp_3S = dx[0][j - 3], *dp_3N = dx[0][j + 3], *dp_4S = dx[0][j - 4], *dp_4N = dx[0][j + 4],
        *dsource = dx[4][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = k.dt * damping[i];
      const double t1 = 1 - t0;
      const double t2 = k.dt * ddamping[i];
      const double far_x_p = 8.0 / 315.0 * (p_[i - 3] + p_[i + 3]) -
          1.0 / 560.0 * (p_[i - 4] + p_[i + 4]);
      const double t4 = 205.0 / 72.0 * p_[i];
      const double p_xx = k.rx * (1.6 * (p_[i - 1] + p_[i + 1]) - 0.2 * (p_[i - 2] + p_[i + 2]) +
          far_x_p - t4);
      const double far_y_p = 8.0 / 315.0 * (p_3S[i] + p_3N[i]) - 1.0 / 560.0 * (p_4S[i] + p_4N[i]);
      const double p_yy = k.ry * (1.6 * (p_S[i] + p_N[i]) - 0.2 * (p_2S[i] + p_2N[i]) + far_y_p -
          t4);
      const double t8 = p_xx + p_yy;
      const double t9 = 205.0 / 72.0 * dp[i];
      const double force = m[i] * t8 + k.c3 * source[i];
      const double t11 = 1 + t0;
      dp_next[i] = (2 * dp[i] - (t1 * dp_old[i] - p_old[i] * t2) +
          k.dt_dt * (t8 * dm[i] + m[i] *
          (k.rx * (1.6 * (dp[i - 1] + dp[i + 1]) - 0.2 * (dp[i - 2] + dp[i + 2]) +
          (8.0 / 315.0 * (dp[i - 3] + dp[i + 3]) - 1.0 / 560.0 * (dp[i - 4] + dp[i + 4])) - t9) +
          k.ry * (1.6 * (dp_S[i] + dp_N[i]) - 0.2 * (dp_2S[i] + dp_2N[i]) +
          (8.0 / 315.0 * (dp_3S[i] + dp_3N[i]) - 1.0 / 560.0 * (dp_4S[i] + dp_4N[i])) - t9)) +
          k.c3 * dsource[i]) - (2 * p_[i] - t1 * p_old[i] + k.dt_dt * force) / t11 * t2) / t11;
    }
    if (dy[1]) copy_row(box, dx[0][j], dy[1][j]);
  }
}

typedef struct {
  double s0[PART + 8], s1[PART + 8];
} AdjointStage0;

/* s0 = m * (w_p * (1 / (1 + dt * damping)))
   s1 = 1 / (1 + dt * damping) */
static inline void adjoint_stage0(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, AdjointStage0 *to) {
  double *s0 = to->s0 + 4 - box->i0, *s1 = to->s1 + 4 - box->i0;
  const double *damping = x[3][j], *m = x[2][j], *w_p = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 4; i < box->i1 + 4; i++) {
    const double t0 = 1 / (1 + k.dt * damping[i]);
    s0[i] = m[i] * (w_p[i] * t0);
    s1[i] = t0;
  }
}

/* p_bar += w_p_old + 2 * (w_p * s1) + (-(dt * dt * ry * (205 / 72)) - dt * dt * rx * (205 /
     72)) * s0 + dt * dt * rx * (1.6 * (s0_E + s0_W) - 0.2 * (s0[2, 0] + s0[-2, 0])) + dt * dt *
     rx * (8 / 315) * (s0[3, 0] + s0[-3, 0]) + dt * dt * ry * (1.6 * (s0_N + s0_S) - 0.2 *
     (s0[0, 2] + s0[0, -2])) + dt * dt * ry * (8 / 315) * (s0[0, 3] + s0[0, -3]) - dt * dt * rx
     * (1 / 560) * (s0[4, 0] + s0[-4, 0]) - dt * dt * ry * (1 / 560) * (s0[0, 4] + s0[0, -4]) */
static inline void p_bar_row(const HgBox *box, Weights k, const HgRows y_bar[],
    const AdjointStage0 stage0[], int j, HgCotangent p_bar) {
  const double *w_p_old = y_bar[1][j], *w_p = y_bar[0][j],
      *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0,
      *s0 = stage0[(j - box->j0 + 4) % 9].s0 + 4 - box->i0,
      *s0_N = stage0[(j - box->j0 + 5) % 9].s0 + 4 - box->i0,
      *s0_S = stage0[(j - box->j0 + 3) % 9].s0 + 4 - box->i0,
      *s0_2N = stage0[(j - box->j0 + 6) % 9].s0 + 4 - box->i0,
      *s0_2S = stage0[(j - box->j0 + 2) % 9].s0 + 4 - box->i0,
      *s0_3N = stage0[(j - box->j0 + 7) % 9].s0 + 4 - box->i0,
      *s0_3S = stage0[(j - box->j0 + 1) % 9].s0 + 4 - box->i0,
      *s0_4N = stage0[(j - box->j0 + 8) % 9].s0 + 4 - box->i0,
      *s0_4S = stage0[(j - box->j0) % 9].s0 + 4 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(p_bar, i, w_p_old[i] + 2 * (w_p[i] * s1[i]) + k.c5 * s0[i] +
        k.dt_dt_rx * (1.6 * (s0[i + 1] + s0[i - 1]) - 0.2 * (s0[i + 2] + s0[i - 2])) +
        k.c7 * (s0[i + 3] + s0[i - 3]) +
        k.dt_dt_ry * (1.6 * (s0_N[i] + s0_S[i]) - 0.2 * (s0_2N[i] + s0_2S[i])) +
        k.c9 * (s0_3N[i] + s0_3S[i]) - k.c10 * (s0[i + 4] + s0[i - 4]) -
        k.c11 * (s0_4N[i] + s0_4S[i]));
  }
}

/* p_old_bar += -((1 - dt * damping) * (w_p * s1)) */
static inline void p_old_bar_row(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], const AdjointStage0 stage0[], int j, HgCotangent p_old_bar) {
  const double *damping = x[3][j], *w_p = y_bar[0][j],
      *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(p_old_bar, i, -((1 - k.dt * damping[i]) * (w_p[i] * s1[i])));
}

/* m_bar += dt * dt * ((p_xx + p_yy) * (w_p * s1)) */
static inline void m_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    const AdjointStage0 stage0[], int j, HgCotangent m_bar) {
  const double *p_ = x[0][j], *p_3S = x[0][j - 3], *p_3N = x[0][j + 3], *p_4S = x[0][j - 4],
      *p_4N = x[0][j + 4], *p_S = x[0][j - 1], *p_N = x[0][j + 1], *p_2S = x[0][j - 2],
      *p_2N = x[0][j + 2], *w_p = y_bar[0][j], *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double far_x_p = 8.0 / 315.0 * (p_[i - 3] + p_[i + 3]) -
        1.0 / 560.0 * (p_[i - 4] + p_[i + 4]);
    const double t1 = 205.0 / 72.0 * p_[i];
    const double p_xx = k.rx * (1.6 * (p_[i - 1] + p_[i + 1]) - 0.2 * (p_[i - 2] + p_[i + 2]) +
        far_x_p - t1);
    const double far_y_p = 8.0 / 315.0 * (p_3S[i] + p_3N[i]) - 1.0 / 560.0 * (p_4S[i] + p_4N[i]);
    const double p_yy = k.ry * (1.6 * (p_S[i] + p_N[i]) - 0.2 * (p_2S[i] + p_2N[i]) + far_y_p - t1);
    HgContribute(m_bar, i, k.dt_dt * ((p_xx + p_yy) * (w_p[i] * s1[i])));
  }
}

/* damping_bar += dt * (w_p * s1 * (p_old - (2 * p - (1 - dt * damping) * p_old + dt * dt *
     force) * s1)) */
static inline void damping_bar_row(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], const AdjointStage0 stage0[], int j, HgCotangent damping_bar) {
  const double *p_ = x[0][j], *p_3S = x[0][j - 3], *p_3N = x[0][j + 3], *p_4S = x[0][j - 4],
      *p_4N = x[0][j + 4], *p_S = x[0][j - 1], *p_N = x[0][j + 1], *p_2S = x[0][j - 2],
      *p_2N = x[0][j + 2], *m = x[2][j], *source = x[4][j], *w_p = y_bar[0][j],
      *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0, *p_old = x[1][j], *damping = x[3][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double far_x_p = 8.0 / 315.0 * (p_[i - 3] + p_[i + 3]) -
        1.0 / 560.0 * (p_[i - 4] + p_[i + 4]);
    const double t1 = 205.0 / 72.0 * p_[i];
    const double p_xx = k.rx * (1.6 * (p_[i - 1] + p_[i + 1]) - 0.2 * (p_[i - 2] + p_[i + 2]) +
        far_x_p - t1);
    const double far_y_p = 8.0 / 315.0 * (p_3S[i] + p_3N[i]) - 1.0 / 560.0 * (p_4S[i] + p_4N[i]);
    const double p_yy = k.ry * (1.6 * (p_S[i] + p_N[i]) - 0.2 * (p_2S[i] + p_2N[i]) + far_y_p - t1);
    const double force = m[i] * (p_xx + p_yy) + k.c3 * source[i];
    HgContribute(damping_bar, i, k.dt *
        (w_p[i] * s1[i] * (p_old[i] - (2 * p_[i] - (1 - k.dt * damping[i]) * p_old[i] +
        k.dt_dt * force) * s1[i])));
  }
}

/* source_bar += dt * dt * wavelet[step] * (w_p * s1) */
static inline void source_bar_row(const HgBox *box, Weights k, const HgRows y_bar[],
    const AdjointStage0 stage0[], int j, HgCotangent source_bar) {
  const double *w_p = y_bar[0][j], *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(source_bar, i, k.c12 * (w_p[i] * s1[i]));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together0_bar_rows(const HgBox *box, Weights k, const HgRows y_bar[],
    const AdjointStage0 stage0[], int j, HgCotangent p_bar, HgCotangent source_bar) {
  const double *w_p = y_bar[0][j], *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0,
      *w_p_old = y_bar[1][j], *s0 = stage0[(j - box->j0 + 4) % 9].s0 + 4 - box->i0,
      *s0_N = stage0[(j - box->j0 + 5) % 9].s0 + 4 - box->i0,
      *s0_S = stage0[(j - box->j0 + 3) % 9].s0 + 4 - box->i0,
      *s0_2N = stage0[(j - box->j0 + 6) % 9].s0 + 4 - box->i0,
      *s0_2S = stage0[(j - box->j0 + 2) % 9].s0 + 4 - box->i0,
      *s0_3N = stage0[(j - box->j0 + 7) % 9].s0 + 4 - box->i0,
      *s0_3S = stage0[(j - box->j0 + 1) % 9].s0 + 4 - box->i0,
      *s0_4N = stage0[(j - box->j0 + 8) % 9].s0 + 4 - box->i0,
      *s0_4S = stage0[(j - box->j0) % 9].s0 + 4 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = w_p[i] * s1[i];
    HgContribute(p_bar, i, w_p_old[i] + 2 * t0 + k.c5 * s0[i] +
        k.dt_dt_rx * (1.6 * (s0[i + 1] + s0[i - 1]) - 0.2 * (s0[i + 2] + s0[i - 2])) +
        k.c7 * (s0[i + 3] + s0[i - 3]) +
        k.dt_dt_ry * (1.6 * (s0_N[i] + s0_S[i]) - 0.2 * (s0_2N[i] + s0_2S[i])) +
        k.c9 * (s0_3N[i] + s0_3S[i]) - k.c10 * (s0[i + 4] + s0[i - 4]) -
        k.c11 * (s0_4N[i] + s0_4S[i]));
    HgContribute(source_bar, i, k.c12 * t0);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together1_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], const AdjointStage0 stage0[], int j, HgCotangent p_old_bar,
    HgCotangent damping_bar) {
  const double *damping = x[3][j], *w_p = y_bar[0][j],
      *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0, *p_ = x[0][j], *p_3S = x[0][j - 3],
      *p_3N = x[0][j + 3], *p_4S = x[0][j - 4], *p_4N = x[0][j + 4], *p_S = x[0][j - 1],
      *p_N = x[0][j + 1], *p_2S = x[0][j - 2], *p_2N = x[0][j + 2], *m = x[2][j], *source = x[4][j],
      *p_old = x[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 1 - k.dt * damping[i];
    const double t1 = w_p[i] * s1[i];
    HgContribute(p_old_bar, i, -(t0 * t1));
    const double far_x_p = 8.0 / 315.0 * (p_[i - 3] + p_[i + 3]) -
        1.0 / 560.0 * (p_[i - 4] + p_[i + 4]);
    const double t3 = 205.0 / 72.0 * p_[i];
    const double p_xx = k.rx * (1.6 * (p_[i - 1] + p_[i + 1]) - 0.2 * (p_[i - 2] + p_[i + 2]) +
        far_x_p - t3);
    const double far_y_p = 8.0 / 315.0 * (p_3S[i] + p_3N[i]) - 1.0 / 560.0 * (p_4S[i] + p_4N[i]);
    const double p_yy = k.ry * (1.6 * (p_S[i] + p_N[i]) - 0.2 * (p_2S[i] + p_2N[i]) + far_y_p - t3);
    const double force = m[i] * (p_xx + p_yy) + k.c3 * source[i];
    HgContribute(damping_bar, i, k.dt *
        (t1 * (p_old[i] - (2 * p_[i] - t0 * p_old[i] + k.dt_dt * force) * s1[i])));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    AdjointStage0 stage0[9];
    for (int j = part.j0 - 4; (x_bar[0] || x_bar[1] || x_bar[2] || x_bar[3] || x_bar[4]) && j <
        part.j0 + 4; j++)
      adjoint_stage0(&part, k, x, y_bar, j, &stage0[(j - part.j0 + 4) % 9]);
    for (int j = part.j0; j < part.j1; j++) {
      if (x_bar[0] || x_bar[1] || x_bar[2] || x_bar[3] || x_bar[4])
        adjoint_stage0(&part, k, x, y_bar, j + 4, &stage0[(j - part.j0 + 8) % 9]);
      const HgCotangent p_bar = HgCotangentRow(box, x_bar, 0, j),
          p_old_bar = HgCotangentRow(box, x_bar, 1, j), m_bar = HgCotangentRow(box, x_bar, 2, j),
          damping_bar = HgCotangentRow(box, x_bar, 3, j),
          source_bar = HgCotangentRow(box, x_bar, 4, j);
      if (p_bar.row && source_bar.row) {
        together0_bar_rows(&part, k, y_bar, stage0, j, p_bar, source_bar);
      } else {
        if (p_bar.row) p_bar_row(&part, k, y_bar, stage0, j, p_bar);
        if (source_bar.row) source_bar_row(&part, k, y_bar, stage0, j, source_bar);
      }
      if (p_old_bar.row && damping_bar.row) {
        together1_bar_rows(&part, k, x, y_bar, stage0, j, p_old_bar, damping_bar);
      } else {
        if (p_old_bar.row) p_old_bar_row(&part, k, x, y_bar, stage0, j, p_old_bar);
        if (damping_bar.row) damping_bar_row(&part, k, x, y_bar, stage0, j, damping_bar);
      }
      if (m_bar.row) m_bar_row(&part, k, x, y_bar, stage0, j, m_bar);
    }
  }
}

typedef struct {
  double s0[PART + 8], s1[PART + 8];
} SecondStage0;

/* s0 = w_p * (1 / (1 + dt * damping)) * dm + m * (1 / (1 + dt * damping) * dw_p - w_p * ((1 /
     (1 + dt * damping))^2 * (dt * ddamping)))
   s1 = 1 / (1 + dt * damping) */
static inline void second_stage0(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, SecondStage0 *to) {
  double *s0 = to->s0 + 4 - box->i0, *s1 = to->s1 + 4 - box->i0;
  const double *damping = x[3][j], *w_p = y_bar[0][j], *dm = dx[2][j], *m = x[2][j],
      *dw_p = dy_bar[0][j], *ddamping = dx[3][j];
  HG_VECTOR
  for (int i = box->i0 - 4; i < box->i1 + 4; i++) {
    const double t0 = 1 / (1 + k.dt * damping[i]);
    const double t1 = w_p[i] * t0 * dm[i] +
        m[i] * (t0 * dw_p[i] - w_p[i] * (t0 * t0 * (k.dt * ddamping[i])));
    s0[i] = t1;
    s1[i] = t0;
  }
}

/* dp_bar += dw_p_old + 2 * (s1 * dw_p - w_p * (s1^2 * (dt * ddamping))) + (-(dt * dt * ry *
     (205 / 72)) - dt * dt * rx * (205 / 72)) * s0 + dt * dt * rx * (1.6 * (s0_E + s0_W) - 0.2 *
     (s0[2, 0] + s0[-2, 0])) + dt * dt * rx * (8 / 315) * (s0[3, 0] + s0[-3, 0]) + dt * dt * ry
     * (1.6 * (s0_N + s0_S) - 0.2 * (s0[0, 2] + s0[0, -2])) + dt * dt * ry * (8 / 315) * (s0[0,
     3] + s0[0, -3]) - dt * dt * rx * (1 / 560) * (s0[4, 0] + s0[-4, 0]) - dt * dt * ry * (1 /
     560) * (s0[0, 4] + s0[0, -4]) */
static inline void dp_bar_row(const HgBox *box, Weights k, const HgRows dx[], const HgRows y_bar[],
    const HgRows dy_bar[], const SecondStage0 stage0[], int j, HgCotangent dp_bar) {
  const double *dw_p_old = dy_bar[1][j], *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0,
      *dw_p = dy_bar[0][j], *w_p = y_bar[0][j], *ddamping = dx[3][j],
      *s0 = stage0[(j - box->j0 + 4) % 9].s0 + 4 - box->i0,
      *s0_N = stage0[(j - box->j0 + 5) % 9].s0 + 4 - box->i0,
      *s0_S = stage0[(j - box->j0 + 3) % 9].s0 + 4 - box->i0,
      *s0_2N = stage0[(j - box->j0 + 6) % 9].s0 + 4 - box->i0,
      *s0_2S = stage0[(j - box->j0 + 2) % 9].s0 + 4 - box->i0,
      *s0_3N = stage0[(j - box->j0 + 7) % 9].s0 + 4 - box->i0,
      *s0_3S = stage0[(j - box->j0 + 1) % 9].s0 + 4 - box->i0,
      *s0_4N = stage0[(j - box->j0 + 8) % 9].s0 + 4 - box->i0,
      *s0_4S = stage0[(j - box->j0) % 9].s0 + 4 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dp_bar, i, dw_p_old[i] +
        2 * (s1[i] * dw_p[i] - w_p[i] * (s1[i] * s1[i] * (k.dt * ddamping[i]))) + k.c5 * s0[i] +
        k.dt_dt_rx * (1.6 * (s0[i + 1] + s0[i - 1]) - 0.2 * (s0[i + 2] + s0[i - 2])) +
        k.c7 * (s0[i + 3] + s0[i - 3]) +
        k.dt_dt_ry * (1.6 * (s0_N[i] + s0_S[i]) - 0.2 * (s0_2N[i] + s0_2S[i])) +
        k.c9 * (s0_3N[i] + s0_3S[i]) - k.c10 * (s0[i + 4] + s0[i - 4]) -
        k.c11 * (s0_4N[i] + s0_4S[i]));
  }
}

/* dp_old_bar += -((1 - dt * damping) * (s1 * dw_p - w_p * (s1^2 * (dt * ddamping))) - w_p * s1
     * (dt * ddamping)) */
static inline void dp_old_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[], int j,
    HgCotangent dp_old_bar) {
  const double *ddamping = dx[3][j], *damping = x[3][j],
      *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0, *dw_p = dy_bar[0][j],
      *w_p = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = k.dt * ddamping[i];
    HgContribute(dp_old_bar, i, -((1 - k.dt * damping[i]) *
        (s1[i] * dw_p[i] - w_p[i] * (s1[i] * s1[i] * t0)) - w_p[i] * s1[i] * t0));
  }
}

/* dm_bar += dt * dt * (w_p * s1 * (rx * (1.6 * (dp_W + dp_E) - 0.2 * (dp[-2, 0] + dp[2, 0]) +
     (8 / 315 * (dp[-3, 0] + dp[3, 0]) - 1 / 560 * (dp[-4, 0] + dp[4, 0])) - 205 / 72 * dp) + ry
     * (1.6 * (dp_S + dp_N) - 0.2 * (dp[0, -2] + dp[0, 2]) + (8 / 315 * (dp[0, -3] + dp[0, 3]) -
     1 / 560 * (dp[0, -4] + dp[0, 4])) - 205 / 72 * dp)) + (p_xx + p_yy) * (s1 * dw_p - w_p *
     (s1^2 * (dt * ddamping)))) */
static inline void dm_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[], int j,
    HgCotangent dm_bar) {
  const double *dp = dx[0][j], *p_ = x[0][j], *p_3S = x[0][j - 3], *p_3N = x[0][j + 3],
      *p_4S = x[0][j - 4], *p_4N = x[0][j + 4], *p_S = x[0][j - 1], *p_N = x[0][j + 1],
      *p_2S = x[0][j - 2], *p_2N = x[0][j + 2], *w_p = y_bar[0][j],
      *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0, *dp_S = dx[0][j - 1],
      *dp_N = dx[0][j + 1], *dp_2S = dx[0][j - 2], *dp_2N = dx[0][j + 2], *dp_3S = dx[0][j - 3],
      *dp_3N = dx[0][j + 3], *dp_4S = dx[0][j - 4], *dp_4N = dx[0][j + 4], *dw_p = dy_bar[0][j],
      *ddamping = dx[3][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 205.0 / 72.0 * dp[i];
    const double far_x_p = 8.0 / 315.0 * (p_[i - 3] + p_[i + 3]) -
        1.0 / 560.0 * (p_[i - 4] + p_[i + 4]);
    const double t2 = 205.0 / 72.0 * p_[i];
    const double p_xx = k.rx * (1.6 * (p_[i - 1] + p_[i + 1]) - 0.2 * (p_[i - 2] + p_[i + 2]) +
        far_x_p - t2);
    const double far_y_p = 8.0 / 315.0 * (p_3S[i] + p_3N[i]) - 1.0 / 560.0 * (p_4S[i] + p_4N[i]);
    const double p_yy = k.ry * (1.6 * (p_S[i] + p_N[i]) - 0.2 * (p_2S[i] + p_2N[i]) + far_y_p - t2);
    HgContribute(dm_bar, i, k.dt_dt *
        (w_p[i] * s1[i] * (k.rx * (1.6 * (dp[i - 1] + dp[i + 1]) - 0.2 * (dp[i - 2] + dp[i + 2]) +
        (8.0 / 315.0 * (dp[i - 3] + dp[i + 3]) - 1.0 / 560.0 * (dp[i - 4] + dp[i + 4])) - t0) +
        k.ry * (1.6 * (dp_S[i] + dp_N[i]) - 0.2 * (dp_2S[i] + dp_2N[i]) +
        (8.0 / 315.0 * (dp_3S[i] + dp_3N[i]) - 1.0 / 560.0 * (dp_4S[i] + dp_4N[i])) - t0)) +
        (p_xx + p_yy) * (s1[i] * dw_p[i] - w_p[i] * (s1[i] * s1[i] * (k.dt * ddamping[i])))));
  }
}

/* ddamping_bar += as in the loop below */
static inline void ddamping_bar_row(const HgBox *box, Weights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[],
    int j, HgCotangent ddamping_bar) {
  const double *damping = x[3][j], *p_ = x[0][j], *p_3S = x[0][j - 3], *p_3N = x[0][j + 3],
      *p_4S = x[0][j - 4], *p_4N = x[0][j + 4], *p_S = x[0][j - 1], *p_N = x[0][j + 1],
      *p_2S = x[0][j - 2], *p_2N = x[0][j + 2], *m = x[2][j], *source = x[4][j], *p_old = x[1][j],
      *ddamping = dx[3][j], *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0, *dp = dx[0][j],
      *dw_p = dy_bar[0][j], *w_p = y_bar[0][j], *dp_old = dx[1][j], *dm = dx[2][j],
      *dp_S = dx[0][j - 1], *dp_N = dx[0][j + 1], *dp_2S = dx[0][j - 2], *dp_2N = dx[0][j + 2],
      *dp_3S = dx[0][j - 3], *dp_3N = dx[0][j + 3], *dp_4S = dx[0][j - 4], *dp_4N = dx[0][j + 4],
      *dsource = dx[4][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 1 - k.dt * damping[i];
    const double far_x_p = 8.0 / 315.0 * (p_[i - 3] + p_[i + 3]) -
        1.0 / 560.0 * (p_[i - 4] + p_[i + 4]);
    const double t2 = 205.0 / 72.0 * p_[i];
    const double p_xx = k.rx * (1.6 * (p_[i - 1] + p_[i + 1]) - 0.2 * (p_[i - 2] + p_[i + 2]) +
        far_x_p - t2);
    const double far_y_p = 8.0 / 315.0 * (p_3S[i] + p_3N[i]) - 1.0 / 560.0 * (p_4S[i] + p_4N[i]);
    const double p_yy = k.ry * (1.6 * (p_S[i] + p_N[i]) - 0.2 * (p_2S[i] + p_2N[i]) + far_y_p - t2);
    const double t6 = p_xx + p_yy;
    const double force = m[i] * t6 + k.c3 * source[i];
    const double t8 = 2 * p_[i] - t0 * p_old[i] + k.dt_dt * force;
    const double t9 = k.dt * ddamping[i];
    const double t10 = s1[i] * s1[i] * t9;
    const double t11 = 205.0 / 72.0 * dp[i];
    HgContribute(ddamping_bar, i, k.dt *
        ((p_old[i] - t8 * s1[i]) * (s1[i] * dw_p[i] - w_p[i] * t10) +
        w_p[i] * s1[i] * (dp_old[i] - (s1[i] *
        (2 * dp[i] - (t0 * dp_old[i] - p_old[i] * t9) +
        k.dt_dt * (t6 * dm[i] + m[i] *
        (k.rx * (1.6 * (dp[i - 1] + dp[i + 1]) - 0.2 * (dp[i - 2] + dp[i + 2]) +
        (8.0 / 315.0 * (dp[i - 3] + dp[i + 3]) - 1.0 / 560.0 * (dp[i - 4] + dp[i + 4])) - t11) +
        k.ry * (1.6 * (dp_S[i] + dp_N[i]) - 0.2 * (dp_2S[i] + dp_2N[i]) +
        (8.0 / 315.0 * (dp_3S[i] + dp_3N[i]) - 1.0 / 560.0 * (dp_4S[i] + dp_4N[i])) - t11)) +
        k.c3 * dsource[i])) - t8 * t10))));
  }
}

/* dsource_bar += dt * dt * wavelet[step] * (s1 * dw_p - w_p * (s1^2 * (dt * ddamping))) */
static inline void dsource_bar_row(const HgBox *box, Weights k, const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[], int j,
    HgCotangent dsource_bar) {
  const double *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0, *dw_p = dy_bar[0][j],
      *w_p = y_bar[0][j], *ddamping = dx[3][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dsource_bar, i, k.c12 *
        (s1[i] * dw_p[i] - w_p[i] * (s1[i] * s1[i] * (k.dt * ddamping[i]))));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[],
    int j, HgCotangent dp_bar, HgCotangent dp_old_bar, HgCotangent dsource_bar) {
  const double *ddamping = dx[3][j], *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0,
      *dw_p = dy_bar[0][j], *w_p = y_bar[0][j], *dw_p_old = dy_bar[1][j],
      *s0 = stage0[(j - box->j0 + 4) % 9].s0 + 4 - box->i0,
      *s0_N = stage0[(j - box->j0 + 5) % 9].s0 + 4 - box->i0,
      *s0_S = stage0[(j - box->j0 + 3) % 9].s0 + 4 - box->i0,
      *s0_2N = stage0[(j - box->j0 + 6) % 9].s0 + 4 - box->i0,
      *s0_2S = stage0[(j - box->j0 + 2) % 9].s0 + 4 - box->i0,
      *s0_3N = stage0[(j - box->j0 + 7) % 9].s0 + 4 - box->i0,
      *s0_3S = stage0[(j - box->j0 + 1) % 9].s0 + 4 - box->i0,
      *s0_4N = stage0[(j - box->j0 + 8) % 9].s0 + 4 - box->i0,
      *s0_4S = stage0[(j - box->j0) % 9].s0 + 4 - box->i0, *damping = x[3][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = k.dt * ddamping[i];
    const double t1 = s1[i] * dw_p[i] - w_p[i] * (s1[i] * s1[i] * t0);
    HgContribute(dp_bar, i, dw_p_old[i] + 2 * t1 + k.c5 * s0[i] +
        k.dt_dt_rx * (1.6 * (s0[i + 1] + s0[i - 1]) - 0.2 * (s0[i + 2] + s0[i - 2])) +
        k.c7 * (s0[i + 3] + s0[i - 3]) +
        k.dt_dt_ry * (1.6 * (s0_N[i] + s0_S[i]) - 0.2 * (s0_2N[i] + s0_2S[i])) +
        k.c9 * (s0_3N[i] + s0_3S[i]) - k.c10 * (s0[i + 4] + s0[i - 4]) -
        k.c11 * (s0_4N[i] + s0_4S[i]));
    HgContribute(dp_old_bar, i, -((1 - k.dt * damping[i]) * t1 - w_p[i] * s1[i] * t0));
    HgContribute(dsource_bar, i, k.c12 * t1);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether1_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[],
    int j, HgCotangent dm_bar, HgCotangent ddamping_bar) {
  const double *w_p = y_bar[0][j], *s1 = stage0[(j - box->j0 + 4) % 9].s1 + 4 - box->i0,
      *dp = dx[0][j], *dp_S = dx[0][j - 1], *dp_N = dx[0][j + 1], *dp_2S = dx[0][j - 2],
      *dp_2N = dx[0][j + 2], *dp_3S = dx[0][j - 3], *dp_3N = dx[0][j + 3], *dp_4S = dx[0][j - 4],
      *dp_4N = dx[0][j + 4], *p_ = x[0][j], *p_3S = x[0][j - 3], *p_3N = x[0][j + 3],
      *p_4S = x[0][j - 4], *p_4N = x[0][j + 4], *p_S = x[0][j - 1], *p_N = x[0][j + 1],
      *p_2S = x[0][j - 2], *p_2N = x[0][j + 2], *ddamping = dx[3][j], *dw_p = dy_bar[0][j],
      *damping = x[3][j], *m = x[2][j], *source = x[4][j], *p_old = x[1][j], *dp_old = dx[1][j],
      *dm = dx[2][j], *dsource = dx[4][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = w_p[i] * s1[i];
    const double t1 = 205.0 / 72.0 * dp[i];
    const double t2 = k.rx * (1.6 * (dp[i - 1] + dp[i + 1]) - 0.2 * (dp[i - 2] + dp[i + 2]) +
        (8.0 / 315.0 * (dp[i - 3] + dp[i + 3]) - 1.0 / 560.0 * (dp[i - 4] + dp[i + 4])) - t1) +
        k.ry * (1.6 * (dp_S[i] + dp_N[i]) - 0.2 * (dp_2S[i] + dp_2N[i]) +
        (8.0 / 315.0 * (dp_3S[i] + dp_3N[i]) - 1.0 / 560.0 * (dp_4S[i] + dp_4N[i])) - t1);
    const double far_x_p = 8.0 / 315.0 * (p_[i - 3] + p_[i + 3]) -
        1.0 / 560.0 * (p_[i - 4] + p_[i + 4]);
    const double t4 = 205.0 / 72.0 * p_[i];
    const double p_xx = k.rx * (1.6 * (p_[i - 1] + p_[i + 1]) - 0.2 * (p_[i - 2] + p_[i + 2]) +
        far_x_p - t4);
    const double far_y_p = 8.0 / 315.0 * (p_3S[i] + p_3N[i]) - 1.0 / 560.0 * (p_4S[i] + p_4N[i]);
    const double p_yy = k.ry * (1.6 * (p_S[i] + p_N[i]) - 0.2 * (p_2S[i] + p_2N[i]) + far_y_p - t4);
    const double t8 = p_xx + p_yy;
    const double t9 = k.dt * ddamping[i];
    const double t10 = s1[i] * s1[i] * t9;
    const double t11 = s1[i] * dw_p[i] - w_p[i] * t10;
    HgContribute(dm_bar, i, k.dt_dt * (t0 * t2 + t8 * t11));
    const double t12 = 1 - k.dt * damping[i];
    const double force = m[i] * t8 + k.c3 * source[i];
    const double t14 = 2 * p_[i] - t12 * p_old[i] + k.dt_dt * force;
    HgContribute(ddamping_bar, i, k.dt *
        ((p_old[i] - t14 * s1[i]) * t11 +
        t0 * (dp_old[i] - (s1[i] * (2 * dp[i] - (t12 * dp_old[i] - p_old[i] * t9) +
        k.dt_dt * (t8 * dm[i] + m[i] * t2 + k.c3 * dsource[i])) - t14 * t10))));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void acoustic_second(const HgBox *box, const void *params, const HgRows x[],
                     const HgRows dx[], const HgRows y_bar[],
                     const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    SecondStage0 stage0[9];
    for (int j = part.j0 - 4; (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3] || dx_bar[4]) && j <
        part.j0 + 4; j++)
      second_stage0(&part, k, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 4) % 9]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3] || dx_bar[4])
        second_stage0(&part, k, x, dx, y_bar, dy_bar, j + 4, &stage0[(j - part.j0 + 8) % 9]);
      const HgCotangent dp_bar = HgCotangentRow(box, dx_bar, 0, j),
          dp_old_bar = HgCotangentRow(box, dx_bar, 1, j), dm_bar = HgCotangentRow(box, dx_bar, 2, j),
          ddamping_bar = HgCotangentRow(box, dx_bar, 3, j),
          dsource_bar = HgCotangentRow(box, dx_bar, 4, j);
      if (dp_bar.row && dp_old_bar.row && dsource_bar.row) {
        dtogether0_bar_rows(&part, k, x, dx, y_bar, dy_bar, stage0, j, dp_bar, dp_old_bar,
            dsource_bar);
      } else {
        if (dp_bar.row) dp_bar_row(&part, k, dx, y_bar, dy_bar, stage0, j, dp_bar);
        if (dp_old_bar.row) dp_old_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0, j, dp_old_bar);
        if (dsource_bar.row) dsource_bar_row(&part, k, dx, y_bar, dy_bar, stage0, j, dsource_bar);
      }
      if (dm_bar.row && ddamping_bar.row) {
        dtogether1_bar_rows(&part, k, x, dx, y_bar, dy_bar, stage0, j, dm_bar, ddamping_bar);
      } else {
        if (dm_bar.row) dm_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0, j, dm_bar);
        if (ddamping_bar.row) ddamping_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0, j,
            ddamping_bar);
      }
    }
  }
}

const HgStencil acoustic = {
    .name = "acoustic",
    .reads = (const HgRead[]){{"p", 4, 4}, {"p_old", 0, 0}, {"m", 0, 4}, {"damping", 0, 4},
        {"source", 0, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"p", "p_old", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = acoustic_second,
    .only_for = (const char *const[][2]){{"p", "m"}, {"p", "damping"}, {"p_old", "damping"},
        {"source", "damping"}, {NULL, NULL}},
    .copies = (const char *const[][2]){{"p_old", "p"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(AcousticParams),
    .params_name = "AcousticParams",
    .stated = (const HgStated[]){{"p", "kg/(m s^2)", HG_ANYWHERE},
        {"p_old", "kg/(m s^2)", HG_ANYWHERE}, {"m", "m^2/s^2", HG_ANYWHERE},
        {"damping", "1/s", HG_ANYWHERE}, {"source", "kg/(m s^4)", HG_ANYWHERE}, {NULL, NULL, 0}},
};
