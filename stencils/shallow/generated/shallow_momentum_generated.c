/* shallow_momentum_generated.c -- written by hgstencil 7 from shallow_momentum.stencil: change
     that, not this.

     u_r' = 0.25 * (q * (G + G_E) + q_S * (G_S + G_SE)) - rx * (P_E - P)
     v_r' = -0.25 * (q * (F + F_N) + q_W * (F_W + F_NW)) - ry * (P_N - P)
     u' = u + dt * (now * r + before * u_t)
     u_t' = r
     v' = v + dt * (now * s + before * v_t)
     v_t' = s */
/* clang-format off */
#include <halograd/shallow_momentum_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double rx, ry;
} ShallowAccelerationWeights;

static inline ShallowAccelerationWeights shallow_acceleration_weights(const HgBox *box, const void *params) {
  (void)params;
  const double rx = 1 / box->dx;
  const double ry = 1 / box->dy;
  return (ShallowAccelerationWeights){.rx = rx, .ry = ry};
}

/* rx = 1 / dx
   ry = 1 / dy
   u_r' = 0.25 * (q * (G + G_E) + q_S * (G_S + G_SE)) - rx * (P_E - P)
   v_r' = -0.25 * (q * (F + F_N) + q_W * (F_W + F_NW)) - ry * (P_N - P) */
static void shallow_acceleration_apply(const HgBox *box, const void *params, const HgRows x[],
                                       const HgRowsOut y[]) {
  const ShallowAccelerationWeights k = shallow_acceleration_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_r_next = y[0][j], *v_r_next = y[1][j];
    const double *q = x[2][j], *G = x[1][j], *q_S = x[2][j - 1], *G_S = x[1][j - 1], *P = x[3][j],
        *F = x[0][j], *F_N = x[0][j + 1], *P_N = x[3][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = 0.25 * (q[i] * (G[i] + G[i + 1]) + q_S[i] * (G_S[i] + G_S[i + 1])) -
          k.rx * (P[i + 1] - P[i]);
      const double t1 = -0.25 * (q[i] * (F[i] + F_N[i]) + q[i - 1] * (F[i - 1] + F_N[i - 1])) -
          k.ry * (P_N[i] - P[i]);
      u_r_next[i] = t0;
      v_r_next[i] = t1;
    }
  }
}

/* du_r' = 0.25 * ((G + G_E) * dq + q * (dG + dG_E) + ((G_S + G_SE) * dq_S + q_S * (dG_S +
     dG_SE))) - rx * (dP_E - dP)
   dv_r' = -(0.25 * ((F + F_N) * dq + q * (dF + dF_N) + ((F_W + F_NW) * dq_W + q_W * (dF_W +
     dF_NW)))) - ry * (dP_N - dP) */
static void shallow_acceleration_tangent(const HgBox *box, const void *params, const HgRows x[],
                                         const HgRows dx[], const HgRowsOut dy[]) {
  const ShallowAccelerationWeights k = shallow_acceleration_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_r_next = dy[0][j], *dv_r_next = dy[1][j];
    const double *G = x[1][j], *dq = dx[2][j], *q = x[2][j], *dG = dx[1][j], *G_S = x[1][j - 1],
        *dq_S = dx[2][j - 1], *q_S = x[2][j - 1], *dG_S = dx[1][j - 1], *dP = dx[3][j],
        *F = x[0][j], *F_N = x[0][j + 1], *dF = dx[0][j], *dF_N = dx[0][j + 1],
        *dP_N = dx[3][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = 0.25 * ((G[i] + G[i + 1]) * dq[i] + q[i] * (dG[i] + dG[i + 1]) +
          ((G_S[i] + G_S[i + 1]) * dq_S[i] + q_S[i] * (dG_S[i] + dG_S[i + 1]))) -
          k.rx * (dP[i + 1] - dP[i]);
      const double t1 = -(0.25 * ((F[i] + F_N[i]) * dq[i] + q[i] * (dF[i] + dF_N[i]) +
          ((F[i - 1] + F_N[i - 1]) * dq[i - 1] + q[i - 1] * (dF[i - 1] + dF_N[i - 1])))) -
          k.ry * (dP_N[i] - dP[i]);
      du_r_next[i] = t0;
      dv_r_next[i] = t1;
    }
  }
}

/* F_bar += -(0.25 * (q * (w_v_r + w_v_r_E) + q_S * (w_v_r_S + w_v_r_SE))) */
static inline void shallow_acceleration_F_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent F_bar) {
  const double *q = x[2][j], *w_v_r = y_bar[1][j], *q_S = x[2][j - 1], *w_v_r_S = y_bar[1][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(F_bar, i, -(0.25 * (q[i] * (w_v_r[i] + w_v_r[i + 1]) +
        q_S[i] * (w_v_r_S[i] + w_v_r_S[i + 1]))));
  }
}

/* G_bar += 0.25 * (q * (w_u_r + w_u_r_N) + q_W * (w_u_r_W + w_u_r_NW)) */
static inline void shallow_acceleration_G_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent G_bar) {
  const double *q = x[2][j], *w_u_r = y_bar[0][j], *w_u_r_N = y_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(G_bar, i, 0.25 * (q[i] * (w_u_r[i] + w_u_r_N[i]) +
        q[i - 1] * (w_u_r[i - 1] + w_u_r_N[i - 1])));
  }
}

/* q_bar += 0.25 * ((G + G_E) * (w_u_r + w_u_r_N) - (F + F_N) * (w_v_r + w_v_r_E)) */
static inline void shallow_acceleration_q_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent q_bar) {
  const double *G = x[1][j], *w_u_r = y_bar[0][j], *w_u_r_N = y_bar[0][j + 1], *F = x[0][j],
      *F_N = x[0][j + 1], *w_v_r = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(q_bar, i, 0.25 * ((G[i] + G[i + 1]) * (w_u_r[i] + w_u_r_N[i]) -
        (F[i] + F_N[i]) * (w_v_r[i] + w_v_r[i + 1])));
  }
}

/* P_bar += rx * (w_u_r - w_u_r_W) + ry * (w_v_r - w_v_r_S) */
static inline void shallow_acceleration_P_bar_row(const HgBox *box, ShallowAccelerationWeights k,
    const HgRows y_bar[], int j, HgCotangent P_bar) {
  const double *w_u_r = y_bar[0][j], *w_v_r = y_bar[1][j], *w_v_r_S = y_bar[1][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(P_bar, i, k.rx * (w_u_r[i] - w_u_r[i - 1]) + k.ry * (w_v_r[i] - w_v_r_S[i]));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_acceleration_together0_bar_rows(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent F_bar, HgCotangent G_bar, HgCotangent q_bar) {
  const double *w_v_r = y_bar[1][j], *q = x[2][j], *q_S = x[2][j - 1], *w_v_r_S = y_bar[1][j - 1],
      *w_u_r = y_bar[0][j], *w_u_r_N = y_bar[0][j + 1], *G = x[1][j], *F = x[0][j],
      *F_N = x[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = w_v_r[i] + w_v_r[i + 1];
    HgContribute(F_bar, i, -(0.25 * (q[i] * t0 + q_S[i] * (w_v_r_S[i] + w_v_r_S[i + 1]))));
    const double t1 = w_u_r[i] + w_u_r_N[i];
    HgContribute(G_bar, i, 0.25 * (q[i] * t1 + q[i - 1] * (w_u_r[i - 1] + w_u_r_N[i - 1])));
    HgContribute(q_bar, i, 0.25 * ((G[i] + G[i + 1]) * t1 - (F[i] + F_N[i]) * t0));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void shallow_acceleration_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                         const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const ShallowAccelerationWeights k = shallow_acceleration_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent F_bar = HgCotangentRow(box, x_bar, 0, j),
        G_bar = HgCotangentRow(box, x_bar, 1, j), q_bar = HgCotangentRow(box, x_bar, 2, j),
        P_bar = HgCotangentRow(box, x_bar, 3, j);
    if (F_bar.row && G_bar.row && q_bar.row) {
      shallow_acceleration_together0_bar_rows(box, x, y_bar, j, F_bar, G_bar, q_bar);
    } else {
      if (F_bar.row) shallow_acceleration_F_bar_row(box, x, y_bar, j, F_bar);
      if (G_bar.row) shallow_acceleration_G_bar_row(box, x, y_bar, j, G_bar);
      if (q_bar.row) shallow_acceleration_q_bar_row(box, x, y_bar, j, q_bar);
    }
    if (P_bar.row) shallow_acceleration_P_bar_row(box, k, y_bar, j, P_bar);
  }
}

/* dF_bar += -(0.25 * ((w_v_r + w_v_r_E) * dq + q * (dw_v_r + dw_v_r_E) + ((w_v_r_S + w_v_r_SE)
     * dq_S + q_S * (dw_v_r_S + dw_v_r_SE)))) */
static inline void shallow_acceleration_dF_bar_row(const HgBox *box, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dF_bar) {
  const double *w_v_r = y_bar[1][j], *dq = dx[2][j], *q = x[2][j], *dw_v_r = dy_bar[1][j],
      *w_v_r_S = y_bar[1][j - 1], *dq_S = dx[2][j - 1], *q_S = x[2][j - 1],
      *dw_v_r_S = dy_bar[1][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dF_bar, i, -(0.25 *
        ((w_v_r[i] + w_v_r[i + 1]) * dq[i] + q[i] * (dw_v_r[i] + dw_v_r[i + 1]) +
        ((w_v_r_S[i] + w_v_r_S[i + 1]) * dq_S[i] + q_S[i] * (dw_v_r_S[i] + dw_v_r_S[i + 1])))));
  }
}

/* dG_bar += 0.25 * ((w_u_r + w_u_r_N) * dq + q * (dw_u_r + dw_u_r_N) + ((w_u_r_W + w_u_r_NW) *
     dq_W + q_W * (dw_u_r_W + dw_u_r_NW))) */
static inline void shallow_acceleration_dG_bar_row(const HgBox *box, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dG_bar) {
  const double *w_u_r = y_bar[0][j], *w_u_r_N = y_bar[0][j + 1], *dq = dx[2][j], *q = x[2][j],
      *dw_u_r = dy_bar[0][j], *dw_u_r_N = dy_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dG_bar, i, 0.25 * ((w_u_r[i] + w_u_r_N[i]) * dq[i] +
        q[i] * (dw_u_r[i] + dw_u_r_N[i]) +
        ((w_u_r[i - 1] + w_u_r_N[i - 1]) * dq[i - 1] +
        q[i - 1] * (dw_u_r[i - 1] + dw_u_r_N[i - 1]))));
  }
}

/* dq_bar += 0.25 * ((w_u_r + w_u_r_N) * (dG + dG_E) + (G + G_E) * (dw_u_r + dw_u_r_N) - ((w_v_r
     + w_v_r_E) * (dF + dF_N) + (F + F_N) * (dw_v_r + dw_v_r_E))) */
static inline void shallow_acceleration_dq_bar_row(const HgBox *box, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dq_bar) {
  const double *w_u_r = y_bar[0][j], *w_u_r_N = y_bar[0][j + 1], *dG = dx[1][j], *G = x[1][j],
      *dw_u_r = dy_bar[0][j], *dw_u_r_N = dy_bar[0][j + 1], *w_v_r = y_bar[1][j], *dF = dx[0][j],
      *dF_N = dx[0][j + 1], *F = x[0][j], *F_N = x[0][j + 1], *dw_v_r = dy_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dq_bar, i, 0.25 * ((w_u_r[i] + w_u_r_N[i]) * (dG[i] + dG[i + 1]) +
        (G[i] + G[i + 1]) * (dw_u_r[i] + dw_u_r_N[i]) -
        ((w_v_r[i] + w_v_r[i + 1]) * (dF[i] + dF_N[i]) +
        (F[i] + F_N[i]) * (dw_v_r[i] + dw_v_r[i + 1]))));
  }
}

/* dP_bar += rx * (dw_u_r - dw_u_r_W) + ry * (dw_v_r - dw_v_r_S) */
static inline void shallow_acceleration_dP_bar_row(const HgBox *box, ShallowAccelerationWeights k,
    const HgRows dy_bar[], int j, HgCotangent dP_bar) {
  const double *dw_u_r = dy_bar[0][j], *dw_v_r = dy_bar[1][j], *dw_v_r_S = dy_bar[1][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dP_bar, i, k.rx * (dw_u_r[i] - dw_u_r[i - 1]) + k.ry * (dw_v_r[i] - dw_v_r_S[i]));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_acceleration_dtogether0_bar_rows(const HgBox *box,
    ShallowAccelerationWeights k, const HgRows x[], const HgRows dx[], const HgRows y_bar[],
    const HgRows dy_bar[], int j, HgCotangent dF_bar, HgCotangent dP_bar) {
  const double *w_v_r = y_bar[1][j], *dq = dx[2][j], *q = x[2][j], *dw_v_r = dy_bar[1][j],
      *w_v_r_S = y_bar[1][j - 1], *dq_S = dx[2][j - 1], *q_S = x[2][j - 1],
      *dw_v_r_S = dy_bar[1][j - 1], *dw_u_r = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = -(0.25 * ((w_v_r[i] + w_v_r[i + 1]) * dq[i] +
        q[i] * (dw_v_r[i] + dw_v_r[i + 1]) +
        ((w_v_r_S[i] + w_v_r_S[i + 1]) * dq_S[i] + q_S[i] * (dw_v_r_S[i] + dw_v_r_S[i + 1]))));
    const double t1 = k.rx * (dw_u_r[i] - dw_u_r[i - 1]) + k.ry * (dw_v_r[i] - dw_v_r_S[i]);
    HgContribute(dF_bar, i, t0);
    HgContribute(dP_bar, i, t1);
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_shallow_acceleration_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                              const HgRows dx[], const HgRows y_bar[],
                                              const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const ShallowAccelerationWeights k = shallow_acceleration_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent dF_bar = HgCotangentRow(box, dx_bar, 0, j),
        dG_bar = HgCotangentRow(box, dx_bar, 1, j), dq_bar = HgCotangentRow(box, dx_bar, 2, j),
        dP_bar = HgCotangentRow(box, dx_bar, 3, j);
    if (dF_bar.row && dP_bar.row) {
      shallow_acceleration_dtogether0_bar_rows(box, k, x, dx, y_bar, dy_bar, j, dF_bar, dP_bar);
    } else {
      if (dF_bar.row) shallow_acceleration_dF_bar_row(box, x, dx, y_bar, dy_bar, j, dF_bar);
      if (dP_bar.row) shallow_acceleration_dP_bar_row(box, k, dy_bar, j, dP_bar);
    }
    if (dG_bar.row) shallow_acceleration_dG_bar_row(box, x, dx, y_bar, dy_bar, j, dG_bar);
    if (dq_bar.row) shallow_acceleration_dq_bar_row(box, x, dx, y_bar, dy_bar, j, dq_bar);
  }
}

const HgStencil hg_shallow_acceleration_generated = {
    .name = "shallow_acceleration",
    .reads = (const HgRead[]){{"F", 1, 1}, {"G", 1, 1}, {"q", 1, 1}, {"P", 1, HG_ADJOINT_UNUSED},
        {NULL, 0, 0}},
    .writes = (const char *const[]){"u_r", "v_r", NULL},
    .apply = shallow_acceleration_apply,
    .tangent = shallow_acceleration_tangent,
    .adjoint = shallow_acceleration_adjoint,
    .second = hg_shallow_acceleration_generated_second,
    .only_for = (const char *const[][2]){{"F", "q"}, {"G", "q"}, {"q", "F"}, {"q", "G"},
        {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"F", "m^2/s", HG_X_FACE}, {"G", "m^2/s", HG_Y_FACE},
        {"q", "1/(m s)", HG_CORNER}, {"P", "m^2/s^2", HG_CENTRE}, {"u_r", "m/s^2", HG_X_FACE},
        {"v_r", "m/s^2", HG_Y_FACE}, {NULL, NULL, 0}},
};

/* What is the same in all cells. */
typedef struct {
  double rx, dt, now, before, ry, c5, c6, dt_now, dt_before;
} ShallowMomentumWeights;

static inline ShallowMomentumWeights shallow_momentum_weights(const HgBox *box, const void *params) {
  const HgShallowWaterParams *p = params;
  const double rx = 1 / box->dx;
  const double now = (double)box->step == 0 ? 1.0 : 1.5 + p->scheme.epsilon;
  const double before = (double)box->step == 0 ? 0.0 : -(0.5 + p->scheme.epsilon);
  const double ry = 1 / box->dy;
  return (ShallowMomentumWeights){.rx = rx, .dt = box->dt, .now = now, .before = before, .ry = ry,
      .c5 = (double)box->step == 0, .c6 = 0.5 + p->scheme.epsilon, .dt_now = box->dt * now,
      .dt_before = box->dt * before};
}

/* now = step == 0 ? 1 : 1.5 + epsilon
   rx = 1 / dx
   r = 0.25 * (q * (G + G_E) + q_S * (G_S + G_SE)) - rx * (P_E - P)
   before = step == 0 ? 0 : -(0.5 + epsilon)
   ry = 1 / dy
   s = -0.25 * (q * (F + F_N) + q_W * (F_W + F_NW)) - ry * (P_N - P)
   u' = u + dt * (now * r + before * u_t)
   u_t' = r
   v' = v + dt * (now * s + before * v_t)
   v_t' = s */
static void shallow_momentum_apply(const HgBox *box, const void *params, const HgRows x[],
                                   const HgRowsOut y[]) {
  const ShallowMomentumWeights k = shallow_momentum_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_next = y[0][j], *u_t_next = y[1][j], *v_next = y[2][j], *v_t_next = y[3][j];
    const double *q = x[2][j], *G = x[1][j], *q_S = x[2][j - 1], *G_S = x[1][j - 1], *P = x[3][j],
        *u = x[4][j], *u_t = x[5][j], *F = x[0][j], *F_N = x[0][j + 1], *P_N = x[3][j + 1],
        *v = x[6][j], *v_t = x[7][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double r = 0.25 * (q[i] * (G[i] + G[i + 1]) + q_S[i] * (G_S[i] + G_S[i + 1])) -
          k.rx * (P[i + 1] - P[i]);
      const double t1 = u[i] + k.dt * (k.now * r + k.before * u_t[i]);
      const double s = -0.25 * (q[i] * (F[i] + F_N[i]) + q[i - 1] * (F[i - 1] + F_N[i - 1])) -
          k.ry * (P_N[i] - P[i]);
      const double t3 = v[i] + k.dt * (k.now * s + k.before * v_t[i]);
      u_next[i] = t1;
      u_t_next[i] = r;
      v_next[i] = t3;
      v_t_next[i] = s;
    }
  }
}

/* du' = du + dt * (now * (0.25 * ((G + G_E) * dq + q * (dG + dG_E) + ((G_S + G_SE) * dq_S + q_S
     * (dG_S + dG_SE))) - rx * (dP_E - dP)) + (step == 0 ? 0 : -((0.5 + epsilon) * du_t)))
   du_t' = 0.25 * ((G + G_E) * dq + q * (dG + dG_E) + ((G_S + G_SE) * dq_S + q_S * (dG_S +
     dG_SE))) - rx * (dP_E - dP)
   dv' = dv + dt * (now * (-(0.25 * ((F + F_N) * dq + q * (dF + dF_N) + ((F_W + F_NW) * dq_W +
     q_W * (dF_W + dF_NW)))) - ry * (dP_N - dP)) + (step == 0 ? 0 : -((0.5 + epsilon) * dv_t)))
   dv_t' = -(0.25 * ((F + F_N) * dq + q * (dF + dF_N) + ((F_W + F_NW) * dq_W + q_W * (dF_W +
     dF_NW)))) - ry * (dP_N - dP) */
static void shallow_momentum_tangent(const HgBox *box, const void *params, const HgRows x[],
                                     const HgRows dx[], const HgRowsOut dy[]) {
  const ShallowMomentumWeights k = shallow_momentum_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_next = dy[0][j], *du_t_next = dy[1][j], *dv_next = dy[2][j], *dv_t_next = dy[3][j];
    const double *G = x[1][j], *dq = dx[2][j], *q = x[2][j], *dG = dx[1][j], *G_S = x[1][j - 1],
        *dq_S = dx[2][j - 1], *q_S = x[2][j - 1], *dG_S = dx[1][j - 1], *dP = dx[3][j],
        *du = dx[4][j], *du_t = dx[5][j], *F = x[0][j], *F_N = x[0][j + 1], *dF = dx[0][j],
        *dF_N = dx[0][j + 1], *dP_N = dx[3][j + 1], *dv = dx[6][j], *dv_t = dx[7][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = 0.25 * ((G[i] + G[i + 1]) * dq[i] + q[i] * (dG[i] + dG[i + 1]) +
          ((G_S[i] + G_S[i + 1]) * dq_S[i] + q_S[i] * (dG_S[i] + dG_S[i + 1]))) -
          k.rx * (dP[i + 1] - dP[i]);
      const double t1 = du[i] + k.dt * (k.now * t0 + (k.c5 ? 0.0 : -(k.c6 * du_t[i])));
      const double t2 = -(0.25 * ((F[i] + F_N[i]) * dq[i] + q[i] * (dF[i] + dF_N[i]) +
          ((F[i - 1] + F_N[i - 1]) * dq[i - 1] + q[i - 1] * (dF[i - 1] + dF_N[i - 1])))) -
          k.ry * (dP_N[i] - dP[i]);
      const double t3 = dv[i] + k.dt * (k.now * t2 + (k.c5 ? 0.0 : -(k.c6 * dv_t[i])));
      du_next[i] = t1;
      du_t_next[i] = t0;
      dv_next[i] = t3;
      dv_t_next[i] = t2;
    }
  }
}

typedef struct {
  double s0[PART + 2], s1[PART + 2];
} ShallowMomentumAdjointStage0;

/* s0 = w_v_t + dt * now * w_v
   s1 = w_u_t + dt * now * w_u */
static inline void shallow_momentum_adjoint_stage0(const HgBox *box, ShallowMomentumWeights k,
    const HgRows y_bar[], int j, ShallowMomentumAdjointStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0, *s1 = to->s1 + 1 - box->i0;
  const double *w_v_t = y_bar[3][j], *w_v = y_bar[2][j], *w_u_t = y_bar[1][j], *w_u = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++) {
    s0[i] = w_v_t[i] + k.dt_now * w_v[i];
    s1[i] = w_u_t[i] + k.dt_now * w_u[i];
  }
}

/* F_bar += -(0.25 * (q * (s0 + s0_E) + q_S * (s0_S + s0_SE))) */
static inline void shallow_momentum_F_bar_row(const HgBox *box, const HgRows x[],
    const ShallowMomentumAdjointStage0 stage0[], int j, HgCotangent F_bar) {
  const double *q = x[2][j], *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0,
      *q_S = x[2][j - 1], *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(F_bar, i, -(0.25 * (q[i] * (s0[i] + s0[i + 1]) +
        q_S[i] * (s0_S[i] + s0_S[i + 1]))));
  }
}

/* G_bar += 0.25 * (q * (s1 + s1_N) + q_W * (s1_W + s1_NW)) */
static inline void shallow_momentum_G_bar_row(const HgBox *box, const HgRows x[],
    const ShallowMomentumAdjointStage0 stage0[], int j, HgCotangent G_bar) {
  const double *q = x[2][j], *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s1_N = stage0[(j - box->j0 + 2) % 3].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(G_bar, i, 0.25 * (q[i] * (s1[i] + s1_N[i]) +
        q[i - 1] * (s1[i - 1] + s1_N[i - 1])));
  }
}

/* q_bar += 0.25 * ((G + G_E) * (s1 + s1_N) - (F + F_N) * (s0 + s0_E)) */
static inline void shallow_momentum_q_bar_row(const HgBox *box, const HgRows x[],
    const ShallowMomentumAdjointStage0 stage0[], int j, HgCotangent q_bar) {
  const double *G = x[1][j], *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s1_N = stage0[(j - box->j0 + 2) % 3].s1 + 1 - box->i0, *F = x[0][j], *F_N = x[0][j + 1],
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(q_bar, i, 0.25 * ((G[i] + G[i + 1]) * (s1[i] + s1_N[i]) -
        (F[i] + F_N[i]) * (s0[i] + s0[i + 1])));
  }
}

/* P_bar += rx * (s1 - s1_W) + ry * (s0 - s0_S) */
static inline void shallow_momentum_P_bar_row(const HgBox *box, ShallowMomentumWeights k,
    const ShallowMomentumAdjointStage0 stage0[], int j, HgCotangent P_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(P_bar, i, k.rx * (s1[i] - s1[i - 1]) + k.ry * (s0[i] - s0_S[i]));
}

/* u_bar += w_u */
static inline void shallow_momentum_u_bar_row(const HgBox *box, const HgRows y_bar[], int j,
    HgCotangent u_bar) {
  const double *w_u = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(u_bar, i, w_u[i]);
}

/* u_t_bar += dt * before * w_u */
static inline void shallow_momentum_u_t_bar_row(const HgBox *box, ShallowMomentumWeights k,
    const HgRows y_bar[], int j, HgCotangent u_t_bar) {
  const double *w_u = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(u_t_bar, i, k.dt_before * w_u[i]);
}

/* v_bar += w_v */
static inline void shallow_momentum_v_bar_row(const HgBox *box, const HgRows y_bar[], int j,
    HgCotangent v_bar) {
  const double *w_v = y_bar[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(v_bar, i, w_v[i]);
}

/* v_t_bar += dt * before * w_v */
static inline void shallow_momentum_v_t_bar_row(const HgBox *box, ShallowMomentumWeights k,
    const HgRows y_bar[], int j, HgCotangent v_t_bar) {
  const double *w_v = y_bar[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(v_t_bar, i, k.dt_before * w_v[i]);
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_momentum_together0_bar_rows(const HgBox *box, const HgRows x[],
    const ShallowMomentumAdjointStage0 stage0[], int j, HgCotangent F_bar, HgCotangent G_bar,
    HgCotangent q_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0, *q = x[2][j],
      *q_S = x[2][j - 1], *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0,
      *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s1_N = stage0[(j - box->j0 + 2) % 3].s1 + 1 - box->i0, *G = x[1][j], *F = x[0][j],
      *F_N = x[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = s0[i] + s0[i + 1];
    HgContribute(F_bar, i, -(0.25 * (q[i] * t0 + q_S[i] * (s0_S[i] + s0_S[i + 1]))));
    const double t1 = s1[i] + s1_N[i];
    HgContribute(G_bar, i, 0.25 * (q[i] * t1 + q[i - 1] * (s1[i - 1] + s1_N[i - 1])));
    HgContribute(q_bar, i, 0.25 * ((G[i] + G[i + 1]) * t1 - (F[i] + F_N[i]) * t0));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_momentum_together1_bar_rows(const HgBox *box, ShallowMomentumWeights k,
    const HgRows y_bar[], int j, HgCotangent u_bar, HgCotangent u_t_bar) {
  const double *w_u = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(u_bar, i, w_u[i]);
    HgContribute(u_t_bar, i, k.dt_before * w_u[i]);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_momentum_together2_bar_rows(const HgBox *box, ShallowMomentumWeights k,
    const HgRows y_bar[], int j, HgCotangent v_bar, HgCotangent v_t_bar) {
  const double *w_v = y_bar[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(v_bar, i, w_v[i]);
    HgContribute(v_t_bar, i, k.dt_before * w_v[i]);
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void shallow_momentum_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                     const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const ShallowMomentumWeights k = shallow_momentum_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    ShallowMomentumAdjointStage0 stage0[3];
    for (int j = part.j0 - 1; (x_bar[0] || x_bar[1] || x_bar[2] || x_bar[3]) && j < part.j0 +
        1; j++)
      shallow_momentum_adjoint_stage0(&part, k, y_bar, j, &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (x_bar[0] || x_bar[1] || x_bar[2] || x_bar[3])
        shallow_momentum_adjoint_stage0(&part, k, y_bar, j + 1, &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent F_bar = HgCotangentRow(box, x_bar, 0, j),
          G_bar = HgCotangentRow(box, x_bar, 1, j), q_bar = HgCotangentRow(box, x_bar, 2, j),
          P_bar = HgCotangentRow(box, x_bar, 3, j), u_bar = HgCotangentRow(box, x_bar, 4, j),
          u_t_bar = HgCotangentRow(box, x_bar, 5, j), v_bar = HgCotangentRow(box, x_bar, 6, j),
          v_t_bar = HgCotangentRow(box, x_bar, 7, j);
      if (F_bar.row && G_bar.row && q_bar.row) {
        shallow_momentum_together0_bar_rows(&part, x, stage0, j, F_bar, G_bar, q_bar);
      } else {
        if (F_bar.row) shallow_momentum_F_bar_row(&part, x, stage0, j, F_bar);
        if (G_bar.row) shallow_momentum_G_bar_row(&part, x, stage0, j, G_bar);
        if (q_bar.row) shallow_momentum_q_bar_row(&part, x, stage0, j, q_bar);
      }
      if (u_bar.row && u_t_bar.row) {
        shallow_momentum_together1_bar_rows(&part, k, y_bar, j, u_bar, u_t_bar);
      } else {
        if (u_bar.row) shallow_momentum_u_bar_row(&part, y_bar, j, u_bar);
        if (u_t_bar.row) shallow_momentum_u_t_bar_row(&part, k, y_bar, j, u_t_bar);
      }
      if (v_bar.row && v_t_bar.row) {
        shallow_momentum_together2_bar_rows(&part, k, y_bar, j, v_bar, v_t_bar);
      } else {
        if (v_bar.row) shallow_momentum_v_bar_row(&part, y_bar, j, v_bar);
        if (v_t_bar.row) shallow_momentum_v_t_bar_row(&part, k, y_bar, j, v_t_bar);
      }
      if (P_bar.row) shallow_momentum_P_bar_row(&part, k, stage0, j, P_bar);
    }
  }
}

typedef struct {
  double s0[PART + 2], s1[PART + 2], s2[PART + 2], s3[PART + 2];
} ShallowMomentumSecondStage0;

/* s0 = w_v_t + dt * now * w_v
   s1 = w_u_t + dt * now * w_u
   s2 = dw_v_t + dt * now * dw_v
   s3 = dw_u_t + dt * now * dw_u */
static inline void shallow_momentum_second_stage0(const HgBox *box, ShallowMomentumWeights k,
    const HgRows y_bar[], const HgRows dy_bar[], int j, ShallowMomentumSecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0, *s1 = to->s1 + 1 - box->i0, *s2 = to->s2 + 1 - box->i0,
      *s3 = to->s3 + 1 - box->i0;
  const double *w_v_t = y_bar[3][j], *w_v = y_bar[2][j], *w_u_t = y_bar[1][j], *w_u = y_bar[0][j],
      *dw_v_t = dy_bar[3][j], *dw_v = dy_bar[2][j], *dw_u_t = dy_bar[1][j], *dw_u = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++) {
    s0[i] = w_v_t[i] + k.dt_now * w_v[i];
    s1[i] = w_u_t[i] + k.dt_now * w_u[i];
    s2[i] = dw_v_t[i] + k.dt_now * dw_v[i];
    s3[i] = dw_u_t[i] + k.dt_now * dw_u[i];
  }
}

/* dF_bar += -(0.25 * ((s0 + s0_E) * dq + q * (s2 + s2_E) + ((s0_S + s0_SE) * dq_S + q_S * (s2_S
     + s2_SE)))) */
static inline void shallow_momentum_dF_bar_row(const HgBox *box, const HgRows x[],
    const HgRows dx[], const ShallowMomentumSecondStage0 stage0[], int j, HgCotangent dF_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0, *dq = dx[2][j], *q = x[2][j],
      *s2 = stage0[(j - box->j0 + 1) % 3].s2 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0, *dq_S = dx[2][j - 1], *q_S = x[2][j - 1],
      *s2_S = stage0[(j - box->j0) % 3].s2 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dF_bar, i, -(0.25 *
        ((s0[i] + s0[i + 1]) * dq[i] + q[i] * (s2[i] + s2[i + 1]) +
        ((s0_S[i] + s0_S[i + 1]) * dq_S[i] + q_S[i] * (s2_S[i] + s2_S[i + 1])))));
  }
}

/* dG_bar += 0.25 * ((s1 + s1_N) * dq + q * (s3 + s3_N) + ((s1_W + s1_NW) * dq_W + q_W * (s3_W +
     s3_NW))) */
static inline void shallow_momentum_dG_bar_row(const HgBox *box, const HgRows x[],
    const HgRows dx[], const ShallowMomentumSecondStage0 stage0[], int j, HgCotangent dG_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s1_N = stage0[(j - box->j0 + 2) % 3].s1 + 1 - box->i0, *dq = dx[2][j], *q = x[2][j],
      *s3 = stage0[(j - box->j0 + 1) % 3].s3 + 1 - box->i0,
      *s3_N = stage0[(j - box->j0 + 2) % 3].s3 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dG_bar, i, 0.25 * ((s1[i] + s1_N[i]) * dq[i] + q[i] * (s3[i] + s3_N[i]) +
        ((s1[i - 1] + s1_N[i - 1]) * dq[i - 1] + q[i - 1] * (s3[i - 1] + s3_N[i - 1]))));
  }
}

/* dq_bar += 0.25 * ((s1 + s1_N) * (dG + dG_E) + (G + G_E) * (s3 + s3_N) - ((s0 + s0_E) * (dF +
     dF_N) + (F + F_N) * (s2 + s2_E))) */
static inline void shallow_momentum_dq_bar_row(const HgBox *box, const HgRows x[],
    const HgRows dx[], const ShallowMomentumSecondStage0 stage0[], int j, HgCotangent dq_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s1_N = stage0[(j - box->j0 + 2) % 3].s1 + 1 - box->i0, *dG = dx[1][j], *G = x[1][j],
      *s3 = stage0[(j - box->j0 + 1) % 3].s3 + 1 - box->i0,
      *s3_N = stage0[(j - box->j0 + 2) % 3].s3 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0, *dF = dx[0][j], *dF_N = dx[0][j + 1],
      *F = x[0][j], *F_N = x[0][j + 1], *s2 = stage0[(j - box->j0 + 1) % 3].s2 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dq_bar, i, 0.25 * ((s1[i] + s1_N[i]) * (dG[i] + dG[i + 1]) +
        (G[i] + G[i + 1]) * (s3[i] + s3_N[i]) -
        ((s0[i] + s0[i + 1]) * (dF[i] + dF_N[i]) + (F[i] + F_N[i]) * (s2[i] + s2[i + 1]))));
  }
}

/* dP_bar += rx * (s3 - s3_W) + ry * (s2 - s2_S) */
static inline void shallow_momentum_dP_bar_row(const HgBox *box, ShallowMomentumWeights k,
    const ShallowMomentumSecondStage0 stage0[], int j, HgCotangent dP_bar) {
  const double *s3 = stage0[(j - box->j0 + 1) % 3].s3 + 1 - box->i0,
      *s2 = stage0[(j - box->j0 + 1) % 3].s2 + 1 - box->i0,
      *s2_S = stage0[(j - box->j0) % 3].s2 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dP_bar, i, k.rx * (s3[i] - s3[i - 1]) + k.ry * (s2[i] - s2_S[i]));
}

/* du_bar += dw_u */
static inline void shallow_momentum_du_bar_row(const HgBox *box, const HgRows dy_bar[], int j,
    HgCotangent du_bar) {
  const double *dw_u = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(du_bar, i, dw_u[i]);
}

/* du_t_bar += dt * before * dw_u */
static inline void shallow_momentum_du_t_bar_row(const HgBox *box, ShallowMomentumWeights k,
    const HgRows dy_bar[], int j, HgCotangent du_t_bar) {
  const double *dw_u = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(du_t_bar, i, k.dt_before * dw_u[i]);
}

/* dv_bar += dw_v */
static inline void shallow_momentum_dv_bar_row(const HgBox *box, const HgRows dy_bar[], int j,
    HgCotangent dv_bar) {
  const double *dw_v = dy_bar[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dv_bar, i, dw_v[i]);
}

/* dv_t_bar += dt * before * dw_v */
static inline void shallow_momentum_dv_t_bar_row(const HgBox *box, ShallowMomentumWeights k,
    const HgRows dy_bar[], int j, HgCotangent dv_t_bar) {
  const double *dw_v = dy_bar[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dv_t_bar, i, k.dt_before * dw_v[i]);
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_momentum_dtogether0_bar_rows(const HgBox *box, ShallowMomentumWeights k,
    const HgRows x[], const HgRows dx[], const ShallowMomentumSecondStage0 stage0[], int j,
    HgCotangent dF_bar, HgCotangent dP_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0, *dq = dx[2][j], *q = x[2][j],
      *s2 = stage0[(j - box->j0 + 1) % 3].s2 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 3].s0 + 1 - box->i0, *dq_S = dx[2][j - 1], *q_S = x[2][j - 1],
      *s2_S = stage0[(j - box->j0) % 3].s2 + 1 - box->i0,
      *s3 = stage0[(j - box->j0 + 1) % 3].s3 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = -(0.25 * ((s0[i] + s0[i + 1]) * dq[i] + q[i] * (s2[i] + s2[i + 1]) +
        ((s0_S[i] + s0_S[i + 1]) * dq_S[i] + q_S[i] * (s2_S[i] + s2_S[i + 1]))));
    const double t1 = k.rx * (s3[i] - s3[i - 1]) + k.ry * (s2[i] - s2_S[i]);
    HgContribute(dF_bar, i, t0);
    HgContribute(dP_bar, i, t1);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_momentum_dtogether1_bar_rows(const HgBox *box, ShallowMomentumWeights k,
    const HgRows dy_bar[], int j, HgCotangent du_bar, HgCotangent du_t_bar) {
  const double *dw_u = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw_u[i]);
    HgContribute(du_t_bar, i, k.dt_before * dw_u[i]);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_momentum_dtogether2_bar_rows(const HgBox *box, ShallowMomentumWeights k,
    const HgRows dy_bar[], int j, HgCotangent dv_bar, HgCotangent dv_t_bar) {
  const double *dw_v = dy_bar[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dv_bar, i, dw_v[i]);
    HgContribute(dv_t_bar, i, k.dt_before * dw_v[i]);
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_shallow_momentum_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                          const HgRows dx[], const HgRows y_bar[],
                                          const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const ShallowMomentumWeights k = shallow_momentum_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    ShallowMomentumSecondStage0 stage0[3];
    for (int j = part.j0 - 1; (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3]) && j < part.j0 +
        1; j++)
      shallow_momentum_second_stage0(&part, k, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3])
        shallow_momentum_second_stage0(&part, k, y_bar, dy_bar, j + 1,
            &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent dF_bar = HgCotangentRow(box, dx_bar, 0, j),
          dG_bar = HgCotangentRow(box, dx_bar, 1, j), dq_bar = HgCotangentRow(box, dx_bar, 2, j),
          dP_bar = HgCotangentRow(box, dx_bar, 3, j), du_bar = HgCotangentRow(box, dx_bar, 4, j),
          du_t_bar = HgCotangentRow(box, dx_bar, 5, j), dv_bar = HgCotangentRow(box, dx_bar, 6, j),
          dv_t_bar = HgCotangentRow(box, dx_bar, 7, j);
      if (dF_bar.row && dP_bar.row) {
        shallow_momentum_dtogether0_bar_rows(&part, k, x, dx, stage0, j, dF_bar, dP_bar);
      } else {
        if (dF_bar.row) shallow_momentum_dF_bar_row(&part, x, dx, stage0, j, dF_bar);
        if (dP_bar.row) shallow_momentum_dP_bar_row(&part, k, stage0, j, dP_bar);
      }
      if (du_bar.row && du_t_bar.row) {
        shallow_momentum_dtogether1_bar_rows(&part, k, dy_bar, j, du_bar, du_t_bar);
      } else {
        if (du_bar.row) shallow_momentum_du_bar_row(&part, dy_bar, j, du_bar);
        if (du_t_bar.row) shallow_momentum_du_t_bar_row(&part, k, dy_bar, j, du_t_bar);
      }
      if (dv_bar.row && dv_t_bar.row) {
        shallow_momentum_dtogether2_bar_rows(&part, k, dy_bar, j, dv_bar, dv_t_bar);
      } else {
        if (dv_bar.row) shallow_momentum_dv_bar_row(&part, dy_bar, j, dv_bar);
        if (dv_t_bar.row) shallow_momentum_dv_t_bar_row(&part, k, dy_bar, j, dv_t_bar);
      }
      if (dG_bar.row) shallow_momentum_dG_bar_row(&part, x, dx, stage0, j, dG_bar);
      if (dq_bar.row) shallow_momentum_dq_bar_row(&part, x, dx, stage0, j, dq_bar);
    }
  }
}

const HgStencil hg_shallow_momentum_generated = {
    .name = "shallow_momentum",
    .reads = (const HgRead[]){{"F", 1, 1}, {"G", 1, 1}, {"q", 1, 1}, {"P", 1, HG_ADJOINT_UNUSED},
        {"u", 0, HG_ADJOINT_UNUSED}, {"u_t", 0, HG_ADJOINT_UNUSED}, {"v", 0, HG_ADJOINT_UNUSED},
        {"v_t", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "u_t", "v", "v_t", NULL},
    .apply = shallow_momentum_apply,
    .tangent = shallow_momentum_tangent,
    .adjoint = shallow_momentum_adjoint,
    .second = hg_shallow_momentum_generated_second,
    .only_for = (const char *const[][2]){{"F", "q"}, {"G", "q"}, {"q", "F"}, {"q", "G"},
        {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
    .params_name = "HgShallowWaterParams",
    .stated = (const HgStated[]){{"F", "m^2/s", HG_X_FACE}, {"G", "m^2/s", HG_Y_FACE},
        {"q", "1/(m s)", HG_CORNER}, {"P", "m^2/s^2", HG_CENTRE}, {"u", "m/s", HG_X_FACE},
        {"u_t", "m/s^2", HG_X_FACE}, {"v", "m/s", HG_Y_FACE}, {"v_t", "m/s^2", HG_Y_FACE},
        {NULL, NULL, 0}},
};
