/* burgers.c -- written by hgstencil 7 from burgers.stencil: change that, not this.

     sx' = limited(u - u_W, u_E - u)
     sy' = limited(u - u_S, u_N - u)
     X' = flux(u + 0.5 * sx, u_E - 0.5 * sx_E)
     Y' = flux(u + 0.5 * sy, u_N - 0.5 * sy_N)
     u' = u + dt * (nu * lap - ((X - X_W) / dx + (Y - Y_S) / dy)) */
/* clang-format off */
#include "burgers.h"
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* sx' = limited(u - u_W, u_E - u)
   sy' = limited(u - u_S, u_N - u) */
static void burgers_slopes_apply(const HgBox *box, const void *params, const HgRows x[],
                                 const HgRowsOut y[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    double *sx_next = y[0][j], *sy_next = y[1][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = u[i] - u[i - 1];
      const double t1 = u[i + 1] - u[i];
      sx_next[i] = t0 * t1 > 0 ? 2 * t0 * t1 / (t0 + t1) : 0.0;
      const double t2 = u[i] - u_S[i];
      const double t3 = u_N[i] - u[i];
      sy_next[i] = t2 * t3 > 0 ? 2 * t2 * t3 / (t2 + t3) : 0.0;
    }
  }
}

/* dsx' = (u - u_W) * (u_E - u) > 0 ? ((u_E - u) * (2 * (du - du_W)) + 2 * (u - u_W) * (du_E -
     du) - 2 * (u - u_W) * (u_E - u) / (u - u_W + (u_E - u)) * (du - du_W + (du_E - du))) / (u -
     u_W + (u_E - u)) : 0
   dsy' = (u - u_S) * (u_N - u) > 0 ? ((u_N - u) * (2 * (du - du_S)) + 2 * (u - u_S) * (du_N -
     du) - 2 * (u - u_S) * (u_N - u) / (u - u_S + (u_N - u)) * (du - du_S + (du_N - du))) / (u -
     u_S + (u_N - u)) : 0 */
static void burgers_slopes_tangent(const HgBox *box, const void *params, const HgRows x[],
                                   const HgRows dx[], const HgRowsOut dy[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    double *dsx_next = dy[0][j], *dsy_next = dy[1][j];
    const double *u = x[0][j], *du = dx[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1],
        *du_S = dx[0][j - 1], *du_N = dx[0][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = u[i] - u[i - 1];
      const double t1 = u[i + 1] - u[i];
      const double t2 = du[i] - du[i - 1];
      const double t3 = 2 * t0;
      const double t4 = du[i + 1] - du[i];
      const double t5 = t0 + t1;
      dsx_next[i] = t0 * t1 > 0 ? (t1 * (2 * t2) + t3 * t4 - t3 * t1 / t5 * (t2 + t4)) / t5 : 0.0;
      const double t6 = u[i] - u_S[i];
      const double t7 = u_N[i] - u[i];
      const double t8 = du[i] - du_S[i];
      const double t9 = 2 * t6;
      const double t10 = du_N[i] - du[i];
      const double t11 = t6 + t7;
      dsy_next[i] = t6 * t7 > 0 ? (t7 * (2 * t8) + t9 * t10 - t9 * t7 / t11 * (t8 + t10)) / t11 :
          0.0;
    }
  }
}

typedef struct {
  double s0[PART + 2], s1[PART + 2];
} BurgersSlopesAdjointStage0;

/* s0 = 1 / (u_N - u + (u[0, 2] - u_N))
   s1 = 1 / (u_E - u + (u[2, 0] - u_E)) */
static inline void burgers_slopes_adjoint_stage0(const HgBox *box, const HgRows x[], int j,
    BurgersSlopesAdjointStage0 *to) {
  double *s0 = to->s0 + 2 - box->i0, *s1 = to->s1 + 2 - box->i0;
  const double *u_N = x[0][j + 1], *u = x[0][j], *u_2N = x[0][j + 2];
  HG_VECTOR
  for (int i = box->i0 - 2; i < box->i1; i++) {
    const double t0 = 1 / (u_N[i] - u[i] + (u_2N[i] - u_N[i]));
    const double t1 = 1 / (u[i + 1] - u[i] + (u[i + 2] - u[i + 1]));
    s0[i] = t0;
    s1[i] = t1;
  }
}

/* u_bar += as in the loop below */
static inline void burgers_slopes_u_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], const BurgersSlopesAdjointStage0 stage0[], int j, HgCotangent u_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w_sy = y_bar[1][j],
      *s0_S = stage0[(j - box->j0 + 1) % 3].s0 + 2 - box->i0, *w_sx = y_bar[0][j],
      *s1 = stage0[(j - box->j0 + 2) % 3].s1 + 2 - box->i0, *w_sy_S = y_bar[1][j - 1],
      *s0_2S = stage0[(j - box->j0) % 3].s0 + 2 - box->i0, *u_2S = x[0][j - 2],
      *w_sy_N = y_bar[1][j + 1], *s0 = stage0[(j - box->j0 + 2) % 3].s0 + 2 - box->i0,
      *u_2N = x[0][j + 2];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = u[i] - u_S[i];
    const double t1 = u_N[i] - u[i];
    const double t2 = w_sy[i] * s0_S[i];
    const double t3 = u_S[i] - u[i];
    const double t4 = u[i] - u_N[i];
    const double t5 = t0 * t1 > 0 ? s0_S[i] * t2 * t3 * t4 : 0.0;
    const double t6 = u[i] - u[i - 1];
    const double t7 = u[i + 1] - u[i];
    const double t8 = w_sx[i] * s1[i - 1];
    const double t9 = u[i - 1] - u[i];
    const double t10 = u[i] - u[i + 1];
    const double t11 = t6 * t7 > 0 ? s1[i - 1] * t8 * t9 * t10 : 0.0;
    const double t12 = w_sx[i - 1] * s1[i - 2];
    const double t13 = u[i - 2] - u[i - 1];
    const double t14 = w_sx[i + 1] * s1[i];
    const double t15 = u[i + 1] - u[i + 2];
    const double t16 = w_sy_S[i] * s0_2S[i];
    const double t17 = u_2S[i] - u_S[i];
    const double t18 = w_sy_N[i] * s0[i];
    const double t19 = u_N[i] - u_2N[i];
    HgContribute(u_bar, i, (t0 * t1 > 0 ? -(2 * (t5 + (t0 * t1 > 0 ? t2 * t4 : 0.0))) : 0.0) +
        (t6 * t7 > 0 ? -(2 * (t11 + (t6 * t7 > 0 ? t8 * t10 : 0.0))) : 0.0) +
        (((u[i - 1] - u[i - 2]) * t6 > 0 ?
        -(2 * (((u[i - 1] - u[i - 2]) * t6 > 0 ? s1[i - 2] * t12 * t13 * t9 : 0.0) +
        ((u[i - 1] - u[i - 2]) * t6 > 0 ? t12 * t13 : 0.0))) : 0.0) -
        (t7 * (u[i + 2] - u[i + 1]) > 0 ?
        -(2 * ((t7 * (u[i + 2] - u[i + 1]) > 0 ? s1[i] * t14 * t10 * t15 : 0.0) +
        (t7 * (u[i + 2] - u[i + 1]) > 0 ? t14 * t15 : 0.0))) : 0.0)) +
        (((u_S[i] - u_2S[i]) * t0 > 0 ?
        -(2 * (((u_S[i] - u_2S[i]) * t0 > 0 ? s0_2S[i] * t16 * t17 * t3 : 0.0) +
        ((u_S[i] - u_2S[i]) * t0 > 0 ? t16 * t17 : 0.0))) : 0.0) -
        (t1 * (u_2N[i] - u_N[i]) > 0 ?
        -(2 * ((t1 * (u_2N[i] - u_N[i]) > 0 ? s0[i] * t18 * t4 * t19 : 0.0) +
        (t1 * (u_2N[i] - u_N[i]) > 0 ? t18 * t19 : 0.0))) : 0.0)) -
        (t0 * t1 > 0 ? -(2 * (t5 + (t0 * t1 > 0 ? t2 * t3 : 0.0))) : 0.0) -
        (t6 * t7 > 0 ? -(2 * (t11 + (t6 * t7 > 0 ? t8 * t9 : 0.0))) : 0.0));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void burgers_slopes_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                   const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params;
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    BurgersSlopesAdjointStage0 stage0[3];
    for (int j = part.j0 - 2; x_bar[0] && j < part.j0; j++)
      burgers_slopes_adjoint_stage0(&part, x, j, &stage0[(j - part.j0 + 2) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (x_bar[0])
        burgers_slopes_adjoint_stage0(&part, x, j, &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent u_bar = HgCotangentRow(box, x_bar, 0, j);
      if (u_bar.row) burgers_slopes_u_bar_row(&part, x, y_bar, stage0, j, u_bar);
    }
  }
}

const HgStencil burgers_slopes = {
    .name = "burgers_slopes",
    .reads = (const HgRead[]){{"u", 1, 2}, {NULL, 0, 0}},
    .writes = (const char *const[]){"sx", "sy", NULL},
    .apply = burgers_slopes_apply,
    .tangent = burgers_slopes_tangent,
    .adjoint = burgers_slopes_adjoint,
    .sets = true,
    .stated = (const HgStated[]){{"u", "m/s", HG_CENTRE}, {NULL, NULL, 0}},
};

/* X' = flux(u + 0.5 * sx, u_E - 0.5 * sx_E)
   Y' = flux(u + 0.5 * sy, u_N - 0.5 * sy_N) */
static void burgers_fluxes_apply(const HgBox *box, const void *params, const HgRows x[],
                                 const HgRowsOut y[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    double *X_next = y[0][j], *Y_next = y[1][j];
    const double *u = x[0][j], *sx = x[1][j], *sy = x[2][j], *u_N = x[0][j + 1],
        *sy_N = x[2][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = u[i] + 0.5 * sx[i];
      const double t1 = 0.0 < t0 ? t0 : 0.0;
      const double t2 = u[i + 1] - 0.5 * sx[i + 1];
      const double t3 = t2 < 0.0 ? t2 : 0.0;
      X_next[i] = 0.5 * (t1 * t1 + t3 * t3);
      const double t4 = u[i] + 0.5 * sy[i];
      const double t5 = 0.0 < t4 ? t4 : 0.0;
      const double t6 = u_N[i] - 0.5 * sy_N[i];
      const double t7 = t6 < 0.0 ? t6 : 0.0;
      Y_next[i] = 0.5 * (t5 * t5 + t7 * t7);
    }
  }
}

/* dX' = 0.5 * ((0 < u + 0.5 * sx ? (du + 0.5 * dsx) * (2 * max(u + 0.5 * sx, 0)) : 0) + (u_E -
     0.5 * sx_E < 0 ? (du_E - 0.5 * dsx_E) * (2 * min(u_E - 0.5 * sx_E, 0)) : 0))
   dY' = 0.5 * ((0 < u + 0.5 * sy ? (du + 0.5 * dsy) * (2 * max(u + 0.5 * sy, 0)) : 0) + (u_N -
     0.5 * sy_N < 0 ? (du_N - 0.5 * dsy_N) * (2 * min(u_N - 0.5 * sy_N, 0)) : 0)) */
static void burgers_fluxes_tangent(const HgBox *box, const void *params, const HgRows x[],
                                   const HgRows dx[], const HgRowsOut dy[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    double *dX_next = dy[0][j], *dY_next = dy[1][j];
    const double *u = x[0][j], *sx = x[1][j], *du = dx[0][j], *dsx = dx[1][j], *sy = x[2][j],
        *u_N = x[0][j + 1], *sy_N = x[2][j + 1], *dsy = dx[2][j], *du_N = dx[0][j + 1],
        *dsy_N = dx[2][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = u[i] + 0.5 * sx[i];
      const double t1 = u[i + 1] - 0.5 * sx[i + 1];
      dX_next[i] = 0.5 * ((0 < t0 ? (du[i] + 0.5 * dsx[i]) * (2 * (0.0 < t0 ? t0 : 0.0)) : 0.0) +
          (t1 < 0 ? (du[i + 1] - 0.5 * dsx[i + 1]) * (2 * (t1 < 0.0 ? t1 : 0.0)) : 0.0));
      const double t2 = u[i] + 0.5 * sy[i];
      const double t3 = u_N[i] - 0.5 * sy_N[i];
      dY_next[i] = 0.5 * ((0 < t2 ? (du[i] + 0.5 * dsy[i]) * (2 * (0.0 < t2 ? t2 : 0.0)) : 0.0) +
          (t3 < 0 ? (du_N[i] - 0.5 * dsy_N[i]) * (2 * (t3 < 0.0 ? t3 : 0.0)) : 0.0));
    }
  }
}

/* u_bar += (0 < u + 0.5 * sy ? max(u + 0.5 * sy, 0) * w_Y : 0) + (0 < u + 0.5 * sx ? max(u +
     0.5 * sx, 0) * w_X : 0) + (u - 0.5 * sx < 0 ? min(u - 0.5 * sx, 0) * w_X_W : 0) + (u - 0.5
     * sy < 0 ? min(u - 0.5 * sy, 0) * w_Y_S : 0) */
static inline void burgers_fluxes_u_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent u_bar) {
  const double *u = x[0][j], *sy = x[2][j], *sx = x[1][j], *w_Y = y_bar[1][j], *w_X = y_bar[0][j],
      *w_Y_S = y_bar[1][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = u[i] + 0.5 * sy[i];
    const double t1 = u[i] + 0.5 * sx[i];
    const double t2 = u[i] - 0.5 * sx[i];
    const double t3 = u[i] - 0.5 * sy[i];
    HgContribute(u_bar, i, (0 < t0 ? (0.0 < t0 ? t0 : 0.0) * w_Y[i] : 0.0) +
        (0 < t1 ? (0.0 < t1 ? t1 : 0.0) * w_X[i] : 0.0) +
        (t2 < 0 ? (t2 < 0.0 ? t2 : 0.0) * w_X[i - 1] : 0.0) +
        (t3 < 0 ? (t3 < 0.0 ? t3 : 0.0) * w_Y_S[i] : 0.0));
  }
}

/* sx_bar += 0.5 * ((0 < u + 0.5 * sx ? max(u + 0.5 * sx, 0) * w_X : 0) - (u - 0.5 * sx < 0 ?
     min(u - 0.5 * sx, 0) * w_X_W : 0)) */
static inline void burgers_fluxes_sx_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent sx_bar) {
  const double *u = x[0][j], *sx = x[1][j], *w_X = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = u[i] + 0.5 * sx[i];
    const double t1 = u[i] - 0.5 * sx[i];
    HgContribute(sx_bar, i, 0.5 * ((0 < t0 ? (0.0 < t0 ? t0 : 0.0) * w_X[i] : 0.0) -
        (t1 < 0 ? (t1 < 0.0 ? t1 : 0.0) * w_X[i - 1] : 0.0)));
  }
}

/* sy_bar += 0.5 * ((0 < u + 0.5 * sy ? max(u + 0.5 * sy, 0) * w_Y : 0) - (u - 0.5 * sy < 0 ?
     min(u - 0.5 * sy, 0) * w_Y_S : 0)) */
static inline void burgers_fluxes_sy_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent sy_bar) {
  const double *u = x[0][j], *sy = x[2][j], *w_Y = y_bar[1][j], *w_Y_S = y_bar[1][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = u[i] + 0.5 * sy[i];
    const double t1 = u[i] - 0.5 * sy[i];
    HgContribute(sy_bar, i, 0.5 * ((0 < t0 ? (0.0 < t0 ? t0 : 0.0) * w_Y[i] : 0.0) -
        (t1 < 0 ? (t1 < 0.0 ? t1 : 0.0) * w_Y_S[i] : 0.0)));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void burgers_fluxes_together0_bar_rows(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent u_bar, HgCotangent sx_bar, HgCotangent sy_bar) {
  const double *u = x[0][j], *sy = x[2][j], *w_Y = y_bar[1][j], *sx = x[1][j], *w_X = y_bar[0][j],
      *w_Y_S = y_bar[1][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = u[i] + 0.5 * sy[i];
    const double t1 = 0 < t0 ? (0.0 < t0 ? t0 : 0.0) * w_Y[i] : 0.0;
    const double t2 = u[i] + 0.5 * sx[i];
    const double t3 = 0 < t2 ? (0.0 < t2 ? t2 : 0.0) * w_X[i] : 0.0;
    const double t4 = u[i] - 0.5 * sx[i];
    const double t5 = t4 < 0 ? (t4 < 0.0 ? t4 : 0.0) * w_X[i - 1] : 0.0;
    const double t6 = u[i] - 0.5 * sy[i];
    const double t7 = t6 < 0 ? (t6 < 0.0 ? t6 : 0.0) * w_Y_S[i] : 0.0;
    HgContribute(u_bar, i, t1 + t3 + t5 + t7);
    HgContribute(sx_bar, i, 0.5 * (t3 - t5));
    HgContribute(sy_bar, i, 0.5 * (t1 - t7));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void burgers_fluxes_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                   const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent u_bar = HgCotangentRow(box, x_bar, 0, j),
        sx_bar = HgCotangentRow(box, x_bar, 1, j), sy_bar = HgCotangentRow(box, x_bar, 2, j);
    if (u_bar.row && sx_bar.row && sy_bar.row) {
      burgers_fluxes_together0_bar_rows(box, x, y_bar, j, u_bar, sx_bar, sy_bar);
    } else {
      if (u_bar.row) burgers_fluxes_u_bar_row(box, x, y_bar, j, u_bar);
      if (sx_bar.row) burgers_fluxes_sx_bar_row(box, x, y_bar, j, sx_bar);
      if (sy_bar.row) burgers_fluxes_sy_bar_row(box, x, y_bar, j, sy_bar);
    }
  }
}

const HgStencil burgers_fluxes = {
    .name = "burgers_fluxes",
    .reads = (const HgRead[]){{"u", 1, 0}, {"sx", 1, 0}, {"sy", 1, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"X", "Y", NULL},
    .apply = burgers_fluxes_apply,
    .tangent = burgers_fluxes_tangent,
    .adjoint = burgers_fluxes_adjoint,
    .only_for = (const char *const[][2]){{"sx", "u"}, {"sx", "sx"}, {"sy", "u"}, {"sy", "sy"},
        {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"u", "m/s", HG_ANYWHERE}, {"sx", "m/s", HG_ANYWHERE},
        {"sy", "m/s", HG_ANYWHERE}, {"X", "m^2/s^2", HG_X_FACE}, {"Y", "m^2/s^2", HG_Y_FACE},
        {NULL, NULL, 0}},
};

/* What is the same in all cells. */
typedef struct {
  double dx_dx, dy_dy, dt, dx_, dy_, c5, c6, c7, c8;
} BurgersWeights;

static inline BurgersWeights burgers_weights(const HgBox *box, const void *params) {
  (void)params;
  return (BurgersWeights){.dx_dx = box->dx * box->dx, .dy_dy = box->dy * box->dy, .dt = box->dt,
      .dx_ = box->dx, .dy_ = box->dy, .c5 = box->dt * (1 / (box->dy * box->dy)),
      .c6 = box->dt * (1 / (box->dx * box->dx)), .c7 = box->dt * (1 / box->dx),
      .c8 = box->dt * (1 / box->dy)};
}

/* lap = (u_W + u_E - 2 * u) / (dx * dx) + (u_S + u_N - 2 * u) / (dy * dy)
   u' = u + dt * (nu * lap - ((X - X_W) / dx + (Y - Y_S) / dy)) */
static void burgers_apply(const HgBox *box, const void *params, const HgRows x[],
                          const HgRowsOut y[]) {
  const BurgersWeights k = burgers_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_next = y[0][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *nu = x[3][j], *X = x[1][j],
        *Y = x[2][j], *Y_S = x[2][j - 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap = (u[i - 1] + u[i + 1] - 2 * u[i]) / k.dx_dx +
          (u_S[i] + u_N[i] - 2 * u[i]) / k.dy_dy;
      u_next[i] = u[i] + k.dt * (nu[i] * lap -
          ((X[i] - X[i - 1]) / k.dx_ + (Y[i] - Y_S[i]) / k.dy_));
    }
  }
}

/* du' = du + dt * (lap * dnu + nu * ((du_W + du_E - 2 * du) / (dx * dx) + (du_S + du_N - 2 *
     du) / (dy * dy)) - ((dX - dX_W) / dx + (dY - dY_S) / dy)) */
static void burgers_tangent(const HgBox *box, const void *params, const HgRows x[],
                            const HgRows dx[], const HgRowsOut dy[]) {
  const BurgersWeights k = burgers_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_next = dy[0][j];
    const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *du = dx[0][j],
        *dnu = dx[3][j], *nu = x[3][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1], *dX = dx[1][j],
        *dY = dx[2][j], *dY_S = dx[2][j - 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double lap = (u[i - 1] + u[i + 1] - 2 * u[i]) / k.dx_dx +
          (u_S[i] + u_N[i] - 2 * u[i]) / k.dy_dy;
      du_next[i] = du[i] + k.dt * (lap * dnu[i] +
          nu[i] * ((du[i - 1] + du[i + 1] - 2 * du[i]) / k.dx_dx +
          (du_S[i] + du_N[i] - 2 * du[i]) / k.dy_dy) -
          ((dX[i] - dX[i - 1]) / k.dx_ + (dY[i] - dY_S[i]) / k.dy_));
    }
  }
}

/* u_bar += w + dt * (1 / (dy * dy)) * (nu_N * w_N + nu_S * w_S - 2 * (nu * w)) + dt * (1 / (dx
     * dx)) * (nu_E * w_E + nu_W * w_W - 2 * (nu * w)) */
static inline void burgers_u_bar_row(const HgBox *box, BurgersWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent u_bar) {
  const double *nu = x[3][j], *w = y_bar[0][j], *nu_N = x[3][j + 1], *w_N = y_bar[0][j + 1],
      *nu_S = x[3][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (nu[i] * w[i]);
    HgContribute(u_bar, i, w[i] + k.c5 * (nu_N[i] * w_N[i] + nu_S[i] * w_S[i] - t0) +
        k.c6 * (nu[i + 1] * w[i + 1] + nu[i - 1] * w[i - 1] - t0));
  }
}

/* X_bar += dt * (1 / dx) * (w_E - w) */
static inline void burgers_X_bar_row(const HgBox *box, BurgersWeights k, const HgRows y_bar[],
    int j, HgCotangent X_bar) {
  const double *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(X_bar, i, k.c7 * (w[i + 1] - w[i]));
}

/* Y_bar += dt * (1 / dy) * (w_N - w) */
static inline void burgers_Y_bar_row(const HgBox *box, BurgersWeights k, const HgRows y_bar[],
    int j, HgCotangent Y_bar) {
  const double *w_N = y_bar[0][j + 1], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(Y_bar, i, k.c8 * (w_N[i] - w[i]));
}

/* nu_bar += dt * (lap * w) */
static inline void burgers_nu_bar_row(const HgBox *box, BurgersWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent nu_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap = (u[i - 1] + u[i + 1] - 2 * u[i]) / k.dx_dx +
        (u_S[i] + u_N[i] - 2 * u[i]) / k.dy_dy;
    HgContribute(nu_bar, i, k.dt * (lap * w[i]));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void burgers_together0_bar_rows(const HgBox *box, BurgersWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent u_bar, HgCotangent X_bar, HgCotangent Y_bar) {
  const double *nu = x[3][j], *w = y_bar[0][j], *nu_N = x[3][j + 1], *w_N = y_bar[0][j + 1],
      *nu_S = x[3][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 2 * (nu[i] * w[i]);
    HgContribute(u_bar, i, w[i] + k.c5 * (nu_N[i] * w_N[i] + nu_S[i] * w_S[i] - t0) +
        k.c6 * (nu[i + 1] * w[i + 1] + nu[i - 1] * w[i - 1] - t0));
    HgContribute(X_bar, i, k.c7 * (w[i + 1] - w[i]));
    HgContribute(Y_bar, i, k.c8 * (w_N[i] - w[i]));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void burgers_adjoint(const HgBox *box, const void *params, const HgRows x[],
                            const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const BurgersWeights k = burgers_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent u_bar = HgCotangentRow(box, x_bar, 0, j),
        X_bar = HgCotangentRow(box, x_bar, 1, j), Y_bar = HgCotangentRow(box, x_bar, 2, j),
        nu_bar = HgCotangentRow(box, x_bar, 3, j);
    if (u_bar.row && X_bar.row && Y_bar.row) {
      burgers_together0_bar_rows(box, k, x, y_bar, j, u_bar, X_bar, Y_bar);
    } else {
      if (u_bar.row) burgers_u_bar_row(box, k, x, y_bar, j, u_bar);
      if (X_bar.row) burgers_X_bar_row(box, k, y_bar, j, X_bar);
      if (Y_bar.row) burgers_Y_bar_row(box, k, y_bar, j, Y_bar);
    }
    if (nu_bar.row) burgers_nu_bar_row(box, k, x, y_bar, j, nu_bar);
  }
}

typedef struct {
  double s0[PART + 2];
} BurgersSecondStage0;

/* s0 = w * dnu + nu * dw */
static inline void burgers_second_stage0(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, BurgersSecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *w = y_bar[0][j], *dnu = dx[3][j], *nu = x[3][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++)
    s0[i] = w[i] * dnu[i] + nu[i] * dw[i];
}

/* du_bar += dw + dt * (1 / (dy * dy)) * (s0_N + s0_S - 2 * s0) + dt * (1 / (dx * dx)) * (s0_E +
     s0_W - 2 * s0) */
static inline void burgers_du_bar_row(const HgBox *box, BurgersWeights k, const HgRows dy_bar[],
    const BurgersSecondStage0 stage0[], int j, HgCotangent du_bar) {
  const double *dw = dy_bar[0][j], *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw[i] + k.c5 * (s0_N[i] + s0_S[i] - 2 * s0[i]) +
        k.c6 * (s0[i + 1] + s0[i - 1] - 2 * s0[i]));
  }
}

/* dX_bar += dt * (1 / dx) * (dw_E - dw) */
static inline void burgers_dX_bar_row(const HgBox *box, BurgersWeights k, const HgRows dy_bar[],
    int j, HgCotangent dX_bar) {
  const double *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dX_bar, i, k.c7 * (dw[i + 1] - dw[i]));
}

/* dY_bar += dt * (1 / dy) * (dw_N - dw) */
static inline void burgers_dY_bar_row(const HgBox *box, BurgersWeights k, const HgRows dy_bar[],
    int j, HgCotangent dY_bar) {
  const double *dw_N = dy_bar[0][j + 1], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dY_bar, i, k.c8 * (dw_N[i] - dw[i]));
}

/* dnu_bar += dt * (w * ((du_W + du_E - 2 * du) / (dx * dx) + (du_S + du_N - 2 * du) / (dy *
     dy)) + lap * dw) */
static inline void burgers_dnu_bar_row(const HgBox *box, BurgersWeights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dnu_bar) {
  const double *u = x[0][j], *u_S = x[0][j - 1], *u_N = x[0][j + 1], *w = y_bar[0][j],
      *du = dx[0][j], *du_S = dx[0][j - 1], *du_N = dx[0][j + 1], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double lap = (u[i - 1] + u[i + 1] - 2 * u[i]) / k.dx_dx +
        (u_S[i] + u_N[i] - 2 * u[i]) / k.dy_dy;
    HgContribute(dnu_bar, i, k.dt * (w[i] *
        ((du[i - 1] + du[i + 1] - 2 * du[i]) / k.dx_dx +
        (du_S[i] + du_N[i] - 2 * du[i]) / k.dy_dy) + lap * dw[i]));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void burgers_dtogether0_bar_rows(const HgBox *box, BurgersWeights k,
    const HgRows dy_bar[], const BurgersSecondStage0 stage0[], int j, HgCotangent du_bar,
    HgCotangent dX_bar) {
  const double *dw = dy_bar[0][j], *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw[i] + k.c5 * (s0_N[i] + s0_S[i] - 2 * s0[i]) +
        k.c6 * (s0[i + 1] + s0[i - 1] - 2 * s0[i]));
    HgContribute(dX_bar, i, k.c7 * (dw[i + 1] - dw[i]));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void burgers_second(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRows y_bar[],
                    const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const BurgersWeights k = burgers_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    BurgersSecondStage0 stage0[3];
    for (int j = part.j0 - 1; dx_bar[0] && j < part.j0 + 1; j++)
      burgers_second_stage0(&part, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0])
        burgers_second_stage0(&part, x, dx, y_bar, dy_bar, j + 1, &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent du_bar = HgCotangentRow(box, dx_bar, 0, j),
          dX_bar = HgCotangentRow(box, dx_bar, 1, j), dY_bar = HgCotangentRow(box, dx_bar, 2, j),
          dnu_bar = HgCotangentRow(box, dx_bar, 3, j);
      if (du_bar.row && dX_bar.row) {
        burgers_dtogether0_bar_rows(&part, k, dy_bar, stage0, j, du_bar, dX_bar);
      } else {
        if (du_bar.row) burgers_du_bar_row(&part, k, dy_bar, stage0, j, du_bar);
        if (dX_bar.row) burgers_dX_bar_row(&part, k, dy_bar, j, dX_bar);
      }
      if (dY_bar.row) burgers_dY_bar_row(&part, k, dy_bar, j, dY_bar);
      if (dnu_bar.row) burgers_dnu_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dnu_bar);
    }
  }
}

const HgStencil burgers = {
    .name = "burgers",
    .reads = (const HgRead[]){{"u", 1, 1}, {"X", 1, HG_ADJOINT_UNUSED}, {"Y", 1, HG_ADJOINT_UNUSED},
        {"nu", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = burgers_apply,
    .tangent = burgers_tangent,
    .adjoint = burgers_adjoint,
    .second = burgers_second,
    .only_for = (const char *const[][2]){{"u", "nu"}, {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"u", "m/s", HG_CENTRE}, {"X", "m^2/s^2", HG_X_FACE},
        {"Y", "m^2/s^2", HG_Y_FACE}, {"nu", "m^2/s", HG_CENTRE}, {NULL, NULL, 0}},
};
