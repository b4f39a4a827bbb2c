/* shallow_energy_generated.c -- written by hgstencil 7 from shallow_energy.stencil: change
     that, not this.

     P' = gravity * (h + b) + 0.25 * ((u * u + u_W * u_W) + (v * v + v_S * v_S)) */
/* clang-format off */
#include <halograd/shallow_energy_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* What is the same in all cells. */
typedef struct {
  double gravity;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  const HgShallowWaterParams *p = params;
  (void)box;
  return (Weights){.gravity = p->gravity};
}

/* P' = gravity * (h + b) + 0.25 * ((u * u + u_W * u_W) + (v * v + v_S * v_S)) */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *P_next = y[0][j];
    const double *h = x[0][j], *b_ = x[1][j], *u = x[2][j], *v = x[3][j], *v_S = x[3][j - 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      P_next[i] = k.gravity * (h[i] + b_[i]) +
          0.25 * (u[i] * u[i] + u[i - 1] * u[i - 1] + (v[i] * v[i] + v_S[i] * v_S[i]));
    }
  }
}

/* dP' = gravity * (dh + db) + 0.25 * (u * du + u * du + (u_W * du_W + u_W * du_W) + (v * dv + v
     * dv + (v_S * dv_S + v_S * dv_S))) */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *dP_next = dy[0][j];
    const double *u = x[2][j], *du = dx[2][j], *v = x[3][j], *dv = dx[3][j], *v_S = x[3][j - 1],
        *dv_S = dx[3][j - 1], *dh = dx[0][j], *db = dx[1][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = u[i] * du[i];
      const double t1 = u[i - 1] * du[i - 1];
      const double t2 = v[i] * dv[i];
      const double t3 = v_S[i] * dv_S[i];
      dP_next[i] = k.gravity * (dh[i] + db[i]) +
          0.25 * (t0 + t0 + (t1 + t1) + (t2 + t2 + (t3 + t3)));
    }
  }
}

/* h_bar += gravity * w */
static inline void h_bar_row(const HgBox *box, Weights k, const HgRows y_bar[], int j,
    HgCotangent h_bar) {
  const double *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(h_bar, i, k.gravity * w[i]);
}

/* b_bar += gravity * w */
static inline void b_bar_row(const HgBox *box, Weights k, const HgRows y_bar[], int j,
    HgCotangent b_bar) {
  const double *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(b_bar, i, k.gravity * w[i]);
}

/* u_bar += 0.5 * (u * (w + w_E)) */
static inline void u_bar_row(const HgBox *box, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent u_bar) {
  const double *u = x[2][j], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(u_bar, i, 0.5 * (u[i] * (w[i] + w[i + 1])));
}

/* v_bar += 0.5 * (v * (w + w_N)) */
static inline void v_bar_row(const HgBox *box, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent v_bar) {
  const double *v = x[3][j], *w = y_bar[0][j], *w_N = y_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(v_bar, i, 0.5 * (v[i] * (w[i] + w_N[i])));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent h_bar, HgCotangent b_bar, HgCotangent u_bar) {
  const double *w = y_bar[0][j], *u = x[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = k.gravity * w[i];
    HgContribute(u_bar, i, 0.5 * (u[i] * (w[i] + w[i + 1])));
    HgContribute(h_bar, i, t0);
    HgContribute(b_bar, i, t0);
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent h_bar = HgCotangentRow(box, x_bar, 0, j),
        b_bar = HgCotangentRow(box, x_bar, 1, j), u_bar = HgCotangentRow(box, x_bar, 2, j),
        v_bar = HgCotangentRow(box, x_bar, 3, j);
    if (h_bar.row && b_bar.row && u_bar.row) {
      together0_bar_rows(box, k, x, y_bar, j, h_bar, b_bar, u_bar);
    } else {
      if (h_bar.row) h_bar_row(box, k, y_bar, j, h_bar);
      if (b_bar.row) b_bar_row(box, k, y_bar, j, b_bar);
      if (u_bar.row) u_bar_row(box, x, y_bar, j, u_bar);
    }
    if (v_bar.row) v_bar_row(box, x, y_bar, j, v_bar);
  }
}

/* dh_bar += gravity * dw */
static inline void dh_bar_row(const HgBox *box, Weights k, const HgRows dy_bar[], int j,
    HgCotangent dh_bar) {
  const double *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dh_bar, i, k.gravity * dw[i]);
}

/* db_bar += gravity * dw */
static inline void db_bar_row(const HgBox *box, Weights k, const HgRows dy_bar[], int j,
    HgCotangent db_bar) {
  const double *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(db_bar, i, k.gravity * dw[i]);
}

/* du_bar += 0.5 * ((w + w_E) * du + u * (dw + dw_E)) */
static inline void du_bar_row(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent du_bar) {
  const double *w = y_bar[0][j], *du = dx[2][j], *u = x[2][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(du_bar, i, 0.5 * ((w[i] + w[i + 1]) * du[i] + u[i] * (dw[i] + dw[i + 1])));
}

/* dv_bar += 0.5 * ((w + w_N) * dv + v * (dw + dw_N)) */
static inline void dv_bar_row(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dv_bar) {
  const double *w = y_bar[0][j], *w_N = y_bar[0][j + 1], *dv = dx[3][j], *v = x[3][j],
      *dw = dy_bar[0][j], *dw_N = dy_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dv_bar, i, 0.5 * ((w[i] + w_N[i]) * dv[i] + v[i] * (dw[i] + dw_N[i])));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dh_bar,
    HgCotangent db_bar, HgCotangent du_bar) {
  const double *dw = dy_bar[0][j], *w = y_bar[0][j], *du = dx[2][j], *u = x[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = k.gravity * dw[i];
    HgContribute(du_bar, i, 0.5 * ((w[i] + w[i + 1]) * du[i] + u[i] * (dw[i] + dw[i + 1])));
    HgContribute(dh_bar, i, t0);
    HgContribute(db_bar, i, t0);
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_shallow_energy_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                        const HgRows dx[], const HgRows y_bar[],
                                        const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent dh_bar = HgCotangentRow(box, dx_bar, 0, j),
        db_bar = HgCotangentRow(box, dx_bar, 1, j), du_bar = HgCotangentRow(box, dx_bar, 2, j),
        dv_bar = HgCotangentRow(box, dx_bar, 3, j);
    if (dh_bar.row && db_bar.row && du_bar.row) {
      dtogether0_bar_rows(box, k, x, dx, y_bar, dy_bar, j, dh_bar, db_bar, du_bar);
    } else {
      if (dh_bar.row) dh_bar_row(box, k, dy_bar, j, dh_bar);
      if (db_bar.row) db_bar_row(box, k, dy_bar, j, db_bar);
      if (du_bar.row) du_bar_row(box, x, dx, y_bar, dy_bar, j, du_bar);
    }
    if (dv_bar.row) dv_bar_row(box, x, dx, y_bar, dy_bar, j, dv_bar);
  }
}

const HgStencil hg_shallow_energy_generated = {
    .name = "shallow_energy",
    .reads = (const HgRead[]){{"h", 0, HG_ADJOINT_UNUSED}, {"b", 0, HG_ADJOINT_UNUSED}, {"u", 1, 0},
        {"v", 1, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"P", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_shallow_energy_generated_second,
    .only_for = (const char *const[][2]){{"u", "u"}, {"v", "v"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
    .params_name = "HgShallowWaterParams",
    .stated = (const HgStated[]){{"h", "m", HG_CENTRE}, {"b", "m", HG_CENTRE},
        {"u", "m/s", HG_X_FACE}, {"v", "m/s", HG_Y_FACE}, {"P", "m^2/s^2", HG_CENTRE},
        {NULL, NULL, 0}},
};
