/* cahn_hilliard.c -- written by hgstencil 7 from cahn_hilliard.stencil: change that, not this.

     c' = c + dt * lap(mu) */
/* clang-format off */
#include "cahn_hilliard.h"
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double dx_dx, dy_dy, dt, c3, c4, c5, c6, c7, c8, c9, c10;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  (void)params;
  const double c0 = 2 * box->dt;
  const double c1 = 1 / (box->dy * box->dy);
  const double c2 = 1 / (box->dx * box->dx);
  const double c3 = box->dt * c1;
  return (Weights){.dx_dx = box->dx * box->dx, .dy_dy = box->dy * box->dy, .dt = box->dt,
      .c3 = -(c0 * c1) - c0 * c2, .c4 = c3 * c1, .c5 = c1, .c6 = c2, .c7 = box->dt * c2 * c2,
      .c8 = c3 * c2, .c9 = box->dt * c2, .c10 = c3};
}

typedef struct {
  double s0[PART + 2];
} ApplyStage0;

/* s0 = c_N^3 - c_N - gamma_N * ((c_NW + c_NE - 2 * c_N) / (dx * dx) + (c + c[0, 2] - 2 * c_N) /
     (dy * dy)) */
static inline void apply_stage0(const HgBox *box, Weights k, const HgRows x[], int j,
    ApplyStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *c_N = x[0][j + 1], *gamma_N = x[1][j + 1], *c = x[0][j], *c_2N = x[0][j + 2];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++) {
    s0[i] = c_N[i] * c_N[i] * c_N[i] - c_N[i] -
        gamma_N[i] * ((c_N[i - 1] + c_N[i + 1] - 2 * c_N[i]) / k.dx_dx +
        (c[i] + c_2N[i] - 2 * c_N[i]) / k.dy_dy);
  }
}

/* lap_c = (c_W + c_E - 2 * c) / (dx * dx) + (c_S + c_N - 2 * c) / (dy * dy)
   mu = c^3 - c - gamma * lap_c
   c' = c + dt * lap(mu) */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    ApplyStage0 stage0[3];
    for (int j = part.j0 - 2; j < part.j0; j++)
      apply_stage0(&part, k, x, j, &stage0[(j - part.j0 + 2) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      apply_stage0(&part, k, x, j, &stage0[(j - part.j0 + 2) % 3]);
      double *c_next = y[0][j];
      const double *c = x[0][j], *s0_S = stage0[(j - part.j0 + 1) % 3].s0 + 1 - part.i0,
          *s0_2S = stage0[(j - part.j0) % 3].s0 + 1 - part.i0,
          *s0 = stage0[(j - part.j0 + 2) % 3].s0 + 1 - part.i0;
      HG_VECTOR
      for (int i = part.i0; i < part.i1; i++) {
        c_next[i] = c[i] + k.dt * ((s0_S[i - 1] + s0_S[i + 1] - 2 * s0_S[i]) / k.dx_dx +
            (s0_2S[i] + s0[i] - 2 * s0_S[i]) / k.dy_dy);
      }
    }
  }
}

typedef struct {
  double s0[PART + 2];
} TangentStage0;

/* s0 = 3 * c_N^2 * dc_N - dc_N - (((c_NW + c_NE - 2 * c_N) / (dx * dx) + (c + c[0, 2] - 2 *
     c_N) / (dy * dy)) * dgamma_N + gamma_N * ((dc_NW + dc_NE - 2 * dc_N) / (dx * dx) + (dc +
     dc[0, 2] - 2 * dc_N) / (dy * dy))) */
static inline void tangent_stage0(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    int j, TangentStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *c_N = x[0][j + 1], *dc_N = dx[0][j + 1], *c = x[0][j], *c_2N = x[0][j + 2],
      *dgamma_N = dx[1][j + 1], *gamma_N = x[1][j + 1], *dc = dx[0][j], *dc_2N = dx[0][j + 2];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++) {
    s0[i] = 3 * (c_N[i] * c_N[i]) * dc_N[i] - dc_N[i] -
        (((c_N[i - 1] + c_N[i + 1] - 2 * c_N[i]) / k.dx_dx +
        (c[i] + c_2N[i] - 2 * c_N[i]) / k.dy_dy) * dgamma_N[i] +
        gamma_N[i] * ((dc_N[i - 1] + dc_N[i + 1] - 2 * dc_N[i]) / k.dx_dx +
        (dc[i] + dc_2N[i] - 2 * dc_N[i]) / k.dy_dy));
  }
}

/* dc' = as in the loop below */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    TangentStage0 stage0[3];
    for (int j = part.j0 - 2; j < part.j0; j++)
      tangent_stage0(&part, k, x, dx, j, &stage0[(j - part.j0 + 2) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      tangent_stage0(&part, k, x, dx, j, &stage0[(j - part.j0 + 2) % 3]);
      double *dc_next = dy[0][j];
      const double *dc = dx[0][j], *s0_S = stage0[(j - part.j0 + 1) % 3].s0 + 1 - part.i0,
          *s0_2S = stage0[(j - part.j0) % 3].s0 + 1 - part.i0,
          *s0 = stage0[(j - part.j0 + 2) % 3].s0 + 1 - part.i0;
      HG_VECTOR
      for (int i = part.i0; i < part.i1; i++) {
        dc_next[i] = dc[i] + k.dt * ((s0_S[i - 1] + s0_S[i + 1] - 2 * s0_S[i]) / k.dx_dx +
            (s0_2S[i] + s0[i] - 2 * s0_S[i]) / k.dy_dy);
      }
    }
  }
}

/* c_bar += as in the loop below */
static inline void c_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent c_bar) {
  const double *w = y_bar[0][j], *c = x[0][j], *w_N = y_bar[0][j + 1], *w_S = y_bar[0][j - 1],
      *gamma_ = x[1][j], *gamma_N = x[1][j + 1], *w_2N = y_bar[0][j + 2], *gamma_S = x[1][j - 1],
      *w_2S = y_bar[0][j - 2];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = k.c3 * w[i];
    const double t1 = c[i] * c[i];
    const double t2 = w_N[i] + w_S[i];
    const double t3 = 2 * (gamma_[i] * t0);
    const double t4 = w[i + 1] + w[i - 1];
    HgContribute(c_bar, i, w[i] + t0 * (-1.0 + 3 * t1) +
        k.c4 * (gamma_[i] * (2 * t2) -
        (gamma_N[i] * (w[i] + w_2N[i]) + gamma_S[i] * (w[i] + w_2S[i]))) +
        k.c5 * (t3 - (gamma_N[i] * (k.c3 * w_N[i]) + gamma_S[i] * (k.c3 * w_S[i]))) +
        k.c6 * (t3 - (gamma_[i + 1] * (k.c3 * w[i + 1]) + gamma_[i - 1] * (k.c3 * w[i - 1]))) +
        k.c7 * (gamma_[i] * (2 * t4) -
        (gamma_[i + 1] * (w[i] + w[i + 2]) + gamma_[i - 1] * (w[i] + w[i - 2]))) +
        k.c8 * (gamma_[i] * (2 * (t4 + t2)) -
        (gamma_[i + 1] * (w_N[i + 1] + w_S[i + 1]) + gamma_[i - 1] * (w_N[i - 1] + w_S[i - 1])) -
        (gamma_N[i] * (w_N[i + 1] + w_N[i - 1]) + gamma_S[i] * (w_S[i + 1] + w_S[i - 1]))) +
        k.c9 * (t1 * (3 * t4) - t4) + k.c10 * (t1 * (3 * t2) - t2));
  }
}

/* gamma_bar += -(dt * (1 / (dx * dx)) * (lap_c * (w_E + w_W)) + lap_c * ((-(2 * dt * (1 / (dy *
     dy))) - 2 * dt * (1 / (dx * dx))) * w) + dt * (1 / (dy * dy)) * (lap_c * (w_N + w_S))) */
static inline void gamma_bar_row(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent gamma_bar) {
  const double *c = x[0][j], *c_S = x[0][j - 1], *c_N = x[0][j + 1], *w = y_bar[0][j],
      *w_N = y_bar[0][j + 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap_c = (c[i - 1] + c[i + 1] - 2 * c[i]) / k.dx_dx +
        (c_S[i] + c_N[i] - 2 * c[i]) / k.dy_dy;
    HgContribute(gamma_bar, i, -(k.c9 * (lap_c * (w[i + 1] + w[i - 1])) + lap_c * (k.c3 * w[i]) +
        k.c10 * (lap_c * (w_N[i] + w_S[i]))));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent c_bar = HgCotangentRow(box, x_bar, 0, j),
        gamma_bar = HgCotangentRow(box, x_bar, 1, j);
    if (c_bar.row) c_bar_row(box, k, x, y_bar, j, c_bar);
    if (gamma_bar.row) gamma_bar_row(box, k, x, y_bar, j, gamma_bar);
  }
}

typedef struct {
  double s0[PART + 2];
} SecondStage0;

typedef struct {
  double s1[PART + 2];
} SecondStage1;

typedef struct {
  double s2[PART + 2];
} SecondStage2;

/* s0 = (-(2 * dt * (1 / (dy * dy))) - 2 * dt * (1 / (dx * dx))) * w * dgamma + gamma * ((-(2 *
     dt * (1 / (dy * dy))) - 2 * dt * (1 / (dx * dx))) * dw) */
static HG_APART void second_stage0(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, SecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *w = y_bar[0][j], *dgamma = dx[1][j], *gamma_ = x[1][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++)
    s0[i] = k.c3 * w[i] * dgamma[i] + gamma_[i] * (k.c3 * dw[i]);
}

/* s1 = (w + w[0, 2]) * dgamma_N + gamma_N * (dw + dw[0, 2]) */
static HG_APART void second_stage1(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, SecondStage1 *to) {
  double *s1 = to->s1 + 1 - box->i0;
  const double *w = y_bar[0][j], *w_2N = y_bar[0][j + 2], *dgamma_N = dx[1][j + 1],
      *gamma_N = x[1][j + 1], *dw = dy_bar[0][j], *dw_2N = dy_bar[0][j + 2];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++)
    s1[i] = (w[i] + w_2N[i]) * dgamma_N[i] + gamma_N[i] * (dw[i] + dw_2N[i]);
}

/* s2 = (w + w[2, 0]) * dgamma_E + gamma_E * (dw + dw[2, 0]) */
static HG_APART void second_stage2(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, SecondStage2 *to) {
  double *s2 = to->s2 + 2 - box->i0;
  const double *w = y_bar[0][j], *dgamma = dx[1][j], *gamma_ = x[1][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 2; i < box->i1; i++)
    s2[i] = (w[i] + w[i + 2]) * dgamma[i + 1] + gamma_[i + 1] * (dw[i] + dw[i + 2]);
}

/* dc_bar += as in the loop below */
static inline void dc_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], const SecondStage0 stage0[],
    const SecondStage1 stage1[], const SecondStage2 stage2[], int j, HgCotangent dc_bar) {
  const double *c = x[0][j], *dc = dx[0][j], *w_N = y_bar[0][j + 1], *w_S = y_bar[0][j - 1],
      *dw_N = dy_bar[0][j + 1], *dw_S = dy_bar[0][j - 1], *w = y_bar[0][j], *dw = dy_bar[0][j],
      *dgamma = dx[1][j], *gamma_ = x[1][j], *s1 = stage1[(j - box->j0 + 2) % 3].s1 + 1 - box->i0,
      *s1_2S = stage1[(j - box->j0) % 3].s1 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0,
      *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0,
      *s2 = stage2[(j - box->j0 + 1) % 3].s2 + 2 - box->i0,
      *s1_S = stage1[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s2_N = stage2[(j - box->j0 + 2) % 3].s2 + 2 - box->i0,
      *s2_S = stage2[(j - box->j0) % 3].s2 + 2 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = c[i] * c[i];
    const double t1 = 2 * c[i] * dc[i];
    const double t2 = w_N[i] + w_S[i];
    const double t3 = dw_N[i] + dw_S[i];
    const double t4 = w[i + 1] + w[i - 1];
    const double t5 = dw[i + 1] + dw[i - 1];
    HgContribute(dc_bar, i, dw[i] + ((-1.0 + 3 * t0) * (k.c3 * dw[i]) + k.c3 * w[i] * (3 * t1)) +
        k.c4 * (2 * t2 * dgamma[i] + gamma_[i] * (2 * t3) - (s1[i] + s1_2S[i])) +
        k.c5 * (2 * s0[i] - (s0_N[i] + s0_S[i])) + k.c6 * (2 * s0[i] - (s0[i + 1] + s0[i - 1])) +
        k.c7 * (2 * t4 * dgamma[i] + gamma_[i] * (2 * t5) - (s2[i] + s2[i - 2])) +
        k.c8 * (2 * (t4 + t2) * dgamma[i] + gamma_[i] * (2 * (t5 + t3)) -
        (s1_S[i + 1] + s1_S[i - 1]) - (s2_N[i - 1] + s2_S[i - 1])) +
        k.c9 * (3 * t4 * t1 + t0 * (3 * t5) - t5) + k.c10 * (3 * t2 * t1 + t0 * (3 * t3) - t3));
  }
}

/* dgamma_bar += -(dt * (1 / (dx * dx)) * ((w_E + w_W) * ((dc_W + dc_E - 2 * dc) / (dx * dx) +
     (dc_S + dc_N - 2 * dc) / (dy * dy)) + lap_c * (dw_E + dw_W)) + ((-(2 * dt * (1 / (dy *
     dy))) - 2 * dt * (1 / (dx * dx))) * w * ((dc_W + dc_E - 2 * dc) / (dx * dx) + (dc_S + dc_N
     - 2 * dc) / (dy * dy)) + lap_c * ((-(2 * dt * (1 / (dy * dy))) - 2 * dt * (1 / (dx * dx)))
     * dw)) + dt * (1 / (dy * dy)) * ((w_N + w_S) * ((dc_W + dc_E - 2 * dc) / (dx * dx) + (dc_S
     + dc_N - 2 * dc) / (dy * dy)) + lap_c * (dw_N + dw_S))) */
static inline void dgamma_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dgamma_bar) {
  const double *dc = dx[0][j], *dc_S = dx[0][j - 1], *dc_N = dx[0][j + 1], *c = x[0][j],
      *c_S = x[0][j - 1], *c_N = x[0][j + 1], *w = y_bar[0][j], *dw = dy_bar[0][j],
      *w_N = y_bar[0][j + 1], *w_S = y_bar[0][j - 1], *dw_N = dy_bar[0][j + 1],
      *dw_S = dy_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = (dc[i - 1] + dc[i + 1] - 2 * dc[i]) / k.dx_dx +
        (dc_S[i] + dc_N[i] - 2 * dc[i]) / k.dy_dy;
    const double lap_c = (c[i - 1] + c[i + 1] - 2 * c[i]) / k.dx_dx +
        (c_S[i] + c_N[i] - 2 * c[i]) / k.dy_dy;
    HgContribute(dgamma_bar, i, -(k.c9 *
        ((w[i + 1] + w[i - 1]) * t0 + lap_c * (dw[i + 1] + dw[i - 1])) +
        (k.c3 * w[i] * t0 + lap_c * (k.c3 * dw[i])) +
        k.c10 * ((w_N[i] + w_S[i]) * t0 + lap_c * (dw_N[i] + dw_S[i]))));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void cahn_hilliard_second(const HgBox *box, const void *params, const HgRows x[],
                          const HgRows dx[], const HgRows y_bar[],
                          const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    SecondStage0 stage0[3];
    SecondStage1 stage1[3];
    SecondStage2 stage2[3];
    for (int j = part.j0 - 1; dx_bar[0] && j < part.j0 + 1; j++)
      second_stage0(&part, k, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0 - 2; dx_bar[0] && j < part.j0; j++)
      second_stage1(&part, x, dx, y_bar, dy_bar, j, &stage1[(j - part.j0 + 2) % 3]);
    for (int j = part.j0 - 1; dx_bar[0] && j < part.j0 + 1; j++)
      second_stage2(&part, x, dx, y_bar, dy_bar, j, &stage2[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0])
        second_stage0(&part, k, x, dx, y_bar, dy_bar, j + 1, &stage0[(j - part.j0 + 2) % 3]);
      if (dx_bar[0])
        second_stage1(&part, x, dx, y_bar, dy_bar, j, &stage1[(j - part.j0 + 2) % 3]);
      if (dx_bar[0])
        second_stage2(&part, x, dx, y_bar, dy_bar, j + 1, &stage2[(j - part.j0 + 2) % 3]);
      const HgCotangent dc_bar = HgCotangentRow(box, dx_bar, 0, j),
          dgamma_bar = HgCotangentRow(box, dx_bar, 1, j);
      if (dc_bar.row) dc_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0, stage1, stage2, j, dc_bar);
      if (dgamma_bar.row) dgamma_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dgamma_bar);
    }
  }
}

const HgStencil cahn_hilliard = {
    .name = "cahn_hilliard",
    .reads = (const HgRead[]){{"c", 2, 1}, {"gamma", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"c", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = cahn_hilliard_second,
    .sets = true,
};
