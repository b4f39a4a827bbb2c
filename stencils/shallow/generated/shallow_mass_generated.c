/* shallow_mass_generated.c -- written by hgstencil 7 from shallow_mass.stencil: change that,
     not this.

     h_r' = -(rx * (F - F_W) + ry * (G - G_S))
     h' = h + dt * (now * rate + before * h_t)
     h_t' = rate */
/* clang-format off */
#include <halograd/shallow_mass_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* What is the same in all cells. */
typedef struct {
  double rx, ry;
} ShallowConvergenceWeights;

static inline ShallowConvergenceWeights shallow_convergence_weights(const HgBox *box, const void *params) {
  (void)params;
  const double rx = 1 / box->dx;
  const double ry = 1 / box->dy;
  return (ShallowConvergenceWeights){.rx = rx, .ry = ry};
}

/* rx = 1 / dx
   ry = 1 / dy
   h_r' = -(rx * (F - F_W) + ry * (G - G_S)) */
static void shallow_convergence_apply(const HgBox *box, const void *params, const HgRows x[],
                                      const HgRowsOut y[]) {
  const ShallowConvergenceWeights k = shallow_convergence_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *h_r_next = y[0][j];
    const double *F = x[0][j], *G = x[1][j], *G_S = x[1][j - 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++)
      h_r_next[i] = -(k.rx * (F[i] - F[i - 1]) + k.ry * (G[i] - G_S[i]));
  }
}

/* dh_r' = -(rx * (dF - dF_W) + ry * (dG - dG_S)) */
static void shallow_convergence_tangent(const HgBox *box, const void *params, const HgRows x[],
                                        const HgRows dx[], const HgRowsOut dy[]) {
  const ShallowConvergenceWeights k = shallow_convergence_weights(box, params);
  (void)x;
  for (int j = box->j0; j < box->j1; j++) {
    double *dh_r_next = dy[0][j];
    const double *dF = dx[0][j], *dG = dx[1][j], *dG_S = dx[1][j - 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++)
      dh_r_next[i] = -(k.rx * (dF[i] - dF[i - 1]) + k.ry * (dG[i] - dG_S[i]));
  }
}

/* F_bar += rx * (w_E - w) */
static inline void shallow_convergence_F_bar_row(const HgBox *box, ShallowConvergenceWeights k,
    const HgRows y_bar[], int j, HgCotangent F_bar) {
  const double *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(F_bar, i, k.rx * (w[i + 1] - w[i]));
}

/* G_bar += ry * (w_N - w) */
static inline void shallow_convergence_G_bar_row(const HgBox *box, ShallowConvergenceWeights k,
    const HgRows y_bar[], int j, HgCotangent G_bar) {
  const double *w_N = y_bar[0][j + 1], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(G_bar, i, k.ry * (w_N[i] - w[i]));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_convergence_together0_bar_rows(const HgBox *box,
    ShallowConvergenceWeights k, const HgRows y_bar[], int j, HgCotangent F_bar,
    HgCotangent G_bar) {
  const double *w = y_bar[0][j], *w_N = y_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(F_bar, i, k.rx * (w[i + 1] - w[i]));
    HgContribute(G_bar, i, k.ry * (w_N[i] - w[i]));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void shallow_convergence_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                        const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const ShallowConvergenceWeights k = shallow_convergence_weights(box, params);
  (void)x;
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent F_bar = HgCotangentRow(box, x_bar, 0, j),
        G_bar = HgCotangentRow(box, x_bar, 1, j);
    if (F_bar.row && G_bar.row) {
      shallow_convergence_together0_bar_rows(box, k, y_bar, j, F_bar, G_bar);
    } else {
      if (F_bar.row) shallow_convergence_F_bar_row(box, k, y_bar, j, F_bar);
      if (G_bar.row) shallow_convergence_G_bar_row(box, k, y_bar, j, G_bar);
    }
  }
}

const HgStencil hg_shallow_convergence_generated = {
    .name = "shallow_convergence",
    .reads = (const HgRead[]){{"F", 1, HG_ADJOINT_UNUSED}, {"G", 1, HG_ADJOINT_UNUSED},
        {NULL, 0, 0}},
    .writes = (const char *const[]){"h_r", NULL},
    .apply = shallow_convergence_apply,
    .tangent = shallow_convergence_tangent,
    .adjoint = shallow_convergence_adjoint,
    .sets = true,
    .stated = (const HgStated[]){{"F", "m^2/s", HG_X_FACE}, {"G", "m^2/s", HG_Y_FACE},
        {"h_r", "m/s", HG_CENTRE}, {NULL, NULL, 0}},
};

/* What is the same in all cells. */
typedef struct {
  double rx, ry, dt, now, before, c5, c6, dt_now, dt_before;
} ShallowMassWeights;

static inline ShallowMassWeights shallow_mass_weights(const HgBox *box, const void *params) {
  const HgShallowWaterParams *p = params;
  const double rx = 1 / box->dx;
  const double ry = 1 / box->dy;
  const double now = (double)box->step == 0 ? 1.0 : 1.5 + p->scheme.epsilon;
  const double before = (double)box->step == 0 ? 0.0 : -(0.5 + p->scheme.epsilon);
  return (ShallowMassWeights){.rx = rx, .ry = ry, .dt = box->dt, .now = now, .before = before,
      .c5 = (double)box->step == 0, .c6 = 0.5 + p->scheme.epsilon, .dt_now = box->dt * now,
      .dt_before = box->dt * before};
}

/* now = step == 0 ? 1 : 1.5 + epsilon
   rx = 1 / dx
   ry = 1 / dy
   rate = -(rx * (F - F_W) + ry * (G - G_S))
   before = step == 0 ? 0 : -(0.5 + epsilon)
   h' = h + dt * (now * rate + before * h_t)
   h_t' = rate */
static void shallow_mass_apply(const HgBox *box, const void *params, const HgRows x[],
                               const HgRowsOut y[]) {
  const ShallowMassWeights k = shallow_mass_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *h_next = y[0][j], *h_t_next = y[1][j];
    const double *F = x[1][j], *G = x[2][j], *G_S = x[2][j - 1], *h = x[0][j], *h_t = x[3][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double rate = -(k.rx * (F[i] - F[i - 1]) + k.ry * (G[i] - G_S[i]));
      h_next[i] = h[i] + k.dt * (k.now * rate + k.before * h_t[i]);
      h_t_next[i] = rate;
    }
  }
}

/* dh' = dh + dt * ((step == 0 ? 0 : -((0.5 + epsilon) * dh_t)) - now * (rx * (dF - dF_W) + ry *
     (dG - dG_S)))
   dh_t' = -(rx * (dF - dF_W) + ry * (dG - dG_S)) */
static void shallow_mass_tangent(const HgBox *box, const void *params, const HgRows x[],
                                 const HgRows dx[], const HgRowsOut dy[]) {
  const ShallowMassWeights k = shallow_mass_weights(box, params);
  (void)x;
  for (int j = box->j0; j < box->j1; j++) {
    double *dh_next = dy[0][j], *dh_t_next = dy[1][j];
    const double *dF = dx[1][j], *dG = dx[2][j], *dG_S = dx[2][j - 1], *dh = dx[0][j],
        *dh_t = dx[3][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = k.rx * (dF[i] - dF[i - 1]) + k.ry * (dG[i] - dG_S[i]);
      dh_next[i] = dh[i] + k.dt * ((k.c5 ? 0.0 : -(k.c6 * dh_t[i])) - k.now * t0);
      dh_t_next[i] = -t0;
    }
  }
}

/* h_bar += w_h */
static inline void shallow_mass_h_bar_row(const HgBox *box, const HgRows y_bar[], int j,
    HgCotangent h_bar) {
  const double *w_h = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(h_bar, i, w_h[i]);
}

/* F_bar += rx * (w_h_t_E + dt * now * w_h_E - (w_h_t + dt * now * w_h)) */
static inline void shallow_mass_F_bar_row(const HgBox *box, ShallowMassWeights k,
    const HgRows y_bar[], int j, HgCotangent F_bar) {
  const double *w_h_t = y_bar[1][j], *w_h = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(F_bar, i, k.rx * (w_h_t[i + 1] + k.dt_now * w_h[i + 1] -
        (w_h_t[i] + k.dt_now * w_h[i])));
  }
}

/* G_bar += ry * (w_h_t_N + dt * now * w_h_N - (w_h_t + dt * now * w_h)) */
static inline void shallow_mass_G_bar_row(const HgBox *box, ShallowMassWeights k,
    const HgRows y_bar[], int j, HgCotangent G_bar) {
  const double *w_h_t_N = y_bar[1][j + 1], *w_h_N = y_bar[0][j + 1], *w_h_t = y_bar[1][j],
      *w_h = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(G_bar, i, k.ry * (w_h_t_N[i] + k.dt_now * w_h_N[i] -
        (w_h_t[i] + k.dt_now * w_h[i])));
  }
}

/* h_t_bar += dt * before * w_h */
static inline void shallow_mass_h_t_bar_row(const HgBox *box, ShallowMassWeights k,
    const HgRows y_bar[], int j, HgCotangent h_t_bar) {
  const double *w_h = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(h_t_bar, i, k.dt_before * w_h[i]);
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void shallow_mass_together0_bar_rows(const HgBox *box, ShallowMassWeights k,
    const HgRows y_bar[], int j, HgCotangent h_bar, HgCotangent F_bar, HgCotangent G_bar,
    HgCotangent h_t_bar) {
  const double *w_h = y_bar[0][j], *w_h_t = y_bar[1][j], *w_h_t_N = y_bar[1][j + 1],
      *w_h_N = y_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(h_bar, i, w_h[i]);
    const double t0 = w_h_t[i] + k.dt_now * w_h[i];
    HgContribute(F_bar, i, k.rx * (w_h_t[i + 1] + k.dt_now * w_h[i + 1] - t0));
    HgContribute(G_bar, i, k.ry * (w_h_t_N[i] + k.dt_now * w_h_N[i] - t0));
    HgContribute(h_t_bar, i, k.dt_before * w_h[i]);
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void shallow_mass_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                 const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const ShallowMassWeights k = shallow_mass_weights(box, params);
  (void)x;
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent h_bar = HgCotangentRow(box, x_bar, 0, j),
        F_bar = HgCotangentRow(box, x_bar, 1, j), G_bar = HgCotangentRow(box, x_bar, 2, j),
        h_t_bar = HgCotangentRow(box, x_bar, 3, j);
    if (h_bar.row && F_bar.row && G_bar.row && h_t_bar.row) {
      shallow_mass_together0_bar_rows(box, k, y_bar, j, h_bar, F_bar, G_bar, h_t_bar);
    } else {
      if (h_bar.row) shallow_mass_h_bar_row(box, y_bar, j, h_bar);
      if (F_bar.row) shallow_mass_F_bar_row(box, k, y_bar, j, F_bar);
      if (G_bar.row) shallow_mass_G_bar_row(box, k, y_bar, j, G_bar);
      if (h_t_bar.row) shallow_mass_h_t_bar_row(box, k, y_bar, j, h_t_bar);
    }
  }
}

const HgStencil hg_shallow_mass_generated = {
    .name = "shallow_mass",
    .reads = (const HgRead[]){{"h", 0, HG_ADJOINT_UNUSED}, {"F", 1, HG_ADJOINT_UNUSED},
        {"G", 1, HG_ADJOINT_UNUSED}, {"h_t", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"h", "h_t", NULL},
    .apply = shallow_mass_apply,
    .tangent = shallow_mass_tangent,
    .adjoint = shallow_mass_adjoint,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
    .params_name = "HgShallowWaterParams",
    .stated = (const HgStated[]){{"h", "m", HG_CENTRE}, {"F", "m^2/s", HG_X_FACE},
        {"G", "m^2/s", HG_Y_FACE}, {"h_t", "m/s", HG_CENTRE}, {NULL, NULL, 0}},
};
