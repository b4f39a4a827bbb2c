/* tsunami_north_generated.c -- written by hgstencil 7 from tsunami_north.stencil: change that,
     not this.

     v' = keep_v * (v - (turn * ((u_W + u) + (u_NW + u_N)) + slope * (eta_N - eta))) */
/* clang-format off */
#include <halograd/tsunami_north_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double dt, c1, slope, c3;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  const HgTsunamiParams *p = params;
  const double slope = box->dt * (p->gravity / box->dy);
  return (Weights){.dt = box->dt, .c1 = 2 * p->rotation, .slope = slope,
      .c3 = 0.5 * p->rotation * box->dt};
}

/* turn = 0.25 * (dt * (2 * rotation * north_sine))
   slope = dt * (gravity / dy)
   v' = keep_v * (v - (turn * ((u_W + u) + (u_NW + u_N)) + slope * (eta_N - eta))) */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *v_next = y[0][j];
    const double *keep_v = x[0][j], *v = x[1][j], *u = x[2][j], *u_N = x[2][j + 1],
        *eta_N = x[3][j + 1], *eta = x[3][j];
    const double north_sine = HgLatitudeOfRow(box, j).north_sine;
    const double turn = 0.25 * (k.dt * (k.c1 * north_sine));
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      v_next[i] = keep_v[i] * (v[i] -
          (turn * (u[i - 1] + u[i] + (u_N[i - 1] + u_N[i])) + k.slope * (eta_N[i] - eta[i])));
    }
  }
}

/* dv' = (v - (turn * (u_W + u + (u_NW + u_N)) + slope * (eta_N - eta))) * dkeep_v + keep_v *
     (dv - (turn * (du_W + du + (du_NW + du_N)) + slope * (deta_N - deta))) */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *dv_next = dy[0][j];
    const double *v = x[1][j], *u = x[2][j], *u_N = x[2][j + 1], *eta_N = x[3][j + 1],
        *eta = x[3][j], *dkeep_v = dx[0][j], *keep_v = x[0][j], *dv = dx[1][j], *du = dx[2][j],
        *du_N = dx[2][j + 1], *deta_N = dx[3][j + 1], *deta = dx[3][j];
    const double north_sine = HgLatitudeOfRow(box, j).north_sine;
    const double turn = 0.25 * (k.dt * (k.c1 * north_sine));
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      dv_next[i] = (v[i] - (turn * (u[i - 1] + u[i] + (u_N[i - 1] + u_N[i])) +
          k.slope * (eta_N[i] - eta[i]))) * dkeep_v[i] +
          keep_v[i] * (dv[i] - (turn * (du[i - 1] + du[i] + (du_N[i - 1] + du_N[i])) +
          k.slope * (deta_N[i] - deta[i])));
    }
  }
}

/* keep_v_bar += w * (v - (turn * (u_W + u + (u_NW + u_N)) + slope * (eta_N - eta))) */
static inline void keep_v_bar_row(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent keep_v_bar) {
  const double *w = y_bar[0][j], *v = x[1][j], *u = x[2][j], *u_N = x[2][j + 1],
      *eta_N = x[3][j + 1], *eta = x[3][j];
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double turn = 0.25 * (k.dt * (k.c1 * north_sine));
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(keep_v_bar, i, w[i] *
        (v[i] - (turn * (u[i - 1] + u[i] + (u_N[i - 1] + u_N[i])) +
        k.slope * (eta_N[i] - eta[i]))));
  }
}

/* v_bar += keep_v * w */
static inline void v_bar_row(const HgBox *box, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent v_bar) {
  const double *keep_v = x[0][j], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(v_bar, i, keep_v[i] * w[i]);
}

/* u_bar += -(0.5 * rotation * dt * (north_sine * (keep_v_E * w_E + keep_v * w) + north_sine_S *
     (keep_v_SE * w_SE + keep_v_S * w_S))) */
static inline void u_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent u_bar) {
  const double *keep_v = x[0][j], *w = y_bar[0][j], *keep_v_S = x[0][j - 1], *w_S = y_bar[0][j - 1];
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double north_sine_S = HgLatitudeOfRow(box, j - 1).north_sine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(u_bar, i, -(k.c3 * (north_sine * (keep_v[i + 1] * w[i + 1] + keep_v[i] * w[i]) +
        north_sine_S * (keep_v_S[i + 1] * w_S[i + 1] + keep_v_S[i] * w_S[i]))));
  }
}

/* eta_bar += slope * (keep_v * w - keep_v_S * w_S) */
static inline void eta_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent eta_bar) {
  const double *keep_v = x[0][j], *w = y_bar[0][j], *keep_v_S = x[0][j - 1], *w_S = y_bar[0][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(eta_bar, i, k.slope * (keep_v[i] * w[i] - keep_v_S[i] * w_S[i]));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent keep_v_bar, HgCotangent u_bar, HgCotangent eta_bar) {
  const double *w = y_bar[0][j], *v = x[1][j], *u = x[2][j], *u_N = x[2][j + 1],
      *eta_N = x[3][j + 1], *eta = x[3][j], *keep_v = x[0][j], *keep_v_S = x[0][j - 1],
      *w_S = y_bar[0][j - 1];
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double turn = 0.25 * (k.dt * (k.c1 * north_sine));
  const double north_sine_S = HgLatitudeOfRow(box, j - 1).north_sine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(keep_v_bar, i, w[i] *
        (v[i] - (turn * (u[i - 1] + u[i] + (u_N[i - 1] + u_N[i])) +
        k.slope * (eta_N[i] - eta[i]))));
    const double t2 = keep_v[i] * w[i];
    const double t4 = keep_v_S[i] * w_S[i];
    HgContribute(u_bar, i, -(k.c3 * (north_sine * (keep_v[i + 1] * w[i + 1] + t2) +
        north_sine_S * (keep_v_S[i + 1] * w_S[i + 1] + t4))));
    HgContribute(eta_bar, i, k.slope * (t2 - t4));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent keep_v_bar = HgCotangentRow(box, x_bar, 0, j),
        v_bar = HgCotangentRow(box, x_bar, 1, j), u_bar = HgCotangentRow(box, x_bar, 2, j),
        eta_bar = HgCotangentRow(box, x_bar, 3, j);
    if (keep_v_bar.row && u_bar.row && eta_bar.row) {
      together0_bar_rows(box, k, x, y_bar, j, keep_v_bar, u_bar, eta_bar);
    } else {
      if (keep_v_bar.row) keep_v_bar_row(box, k, x, y_bar, j, keep_v_bar);
      if (u_bar.row) u_bar_row(box, k, x, y_bar, j, u_bar);
      if (eta_bar.row) eta_bar_row(box, k, x, y_bar, j, eta_bar);
    }
    if (v_bar.row) v_bar_row(box, x, y_bar, j, v_bar);
  }
}

typedef struct {
  double s0[PART + 1];
} SecondStage0;

/* s0 = w * dkeep_v + keep_v * dw */
static inline void second_stage0(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, SecondStage0 *to) {
  double *s0 = to->s0 - box->i0;
  const double *w = y_bar[0][j], *dkeep_v = dx[0][j], *keep_v = x[0][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1 + 1; i++)
    s0[i] = w[i] * dkeep_v[i] + keep_v[i] * dw[i];
}

/* dkeep_v_bar += (v - (turn * (u_W + u + (u_NW + u_N)) + slope * (eta_N - eta))) * dw + w * (dv
     - (turn * (du_W + du + (du_NW + du_N)) + slope * (deta_N - deta))) */
static inline void dkeep_v_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dkeep_v_bar) {
  const double *v = x[1][j], *u = x[2][j], *u_N = x[2][j + 1], *eta_N = x[3][j + 1], *eta = x[3][j],
      *dw = dy_bar[0][j], *w = y_bar[0][j], *dv = dx[1][j], *du = dx[2][j], *du_N = dx[2][j + 1],
      *deta_N = dx[3][j + 1], *deta = dx[3][j];
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double turn = 0.25 * (k.dt * (k.c1 * north_sine));
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dkeep_v_bar, i, (v[i] -
        (turn * (u[i - 1] + u[i] + (u_N[i - 1] + u_N[i])) + k.slope * (eta_N[i] - eta[i]))) *
        dw[i] + w[i] * (dv[i] - (turn * (du[i - 1] + du[i] + (du_N[i - 1] + du_N[i])) +
        k.slope * (deta_N[i] - deta[i]))));
  }
}

/* dv_bar += s0 */
static inline void dv_bar_row(const HgBox *box, const SecondStage0 stage0[], int j,
    HgCotangent dv_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 2].s0 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dv_bar, i, s0[i]);
}

/* du_bar += -(0.5 * rotation * dt * (north_sine * (s0_E + s0) + north_sine_S * (s0_SE + s0_S))) */
static inline void du_bar_row(const HgBox *box, Weights k, const SecondStage0 stage0[], int j,
    HgCotangent du_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 2].s0 - box->i0,
      *s0_S = stage0[(j - box->j0) % 2].s0 - box->i0;
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double north_sine_S = HgLatitudeOfRow(box, j - 1).north_sine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, -(k.c3 *
        (north_sine * (s0[i + 1] + s0[i]) + north_sine_S * (s0_S[i + 1] + s0_S[i]))));
  }
}

/* deta_bar += slope * (s0 - s0_S) */
static inline void deta_bar_row(const HgBox *box, Weights k, const SecondStage0 stage0[], int j,
    HgCotangent deta_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 2].s0 - box->i0,
      *s0_S = stage0[(j - box->j0) % 2].s0 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(deta_bar, i, k.slope * (s0[i] - s0_S[i]));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether0_bar_rows(const HgBox *box, Weights k, const SecondStage0 stage0[],
    int j, HgCotangent dv_bar, HgCotangent du_bar, HgCotangent deta_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 2].s0 - box->i0,
      *s0_S = stage0[(j - box->j0) % 2].s0 - box->i0;
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double north_sine_S = HgLatitudeOfRow(box, j - 1).north_sine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dv_bar, i, s0[i]);
    HgContribute(du_bar, i, -(k.c3 *
        (north_sine * (s0[i + 1] + s0[i]) + north_sine_S * (s0_S[i + 1] + s0_S[i]))));
    HgContribute(deta_bar, i, k.slope * (s0[i] - s0_S[i]));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_tsunami_north_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                       const HgRows dx[], const HgRows y_bar[],
                                       const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    SecondStage0 stage0[2];
    for (int j = part.j0 - 1; (dx_bar[1] || dx_bar[2] || dx_bar[3]) && j < part.j0; j++)
      second_stage0(&part, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 2]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[1] || dx_bar[2] || dx_bar[3])
        second_stage0(&part, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 2]);
      const HgCotangent dkeep_v_bar = HgCotangentRow(box, dx_bar, 0, j),
          dv_bar = HgCotangentRow(box, dx_bar, 1, j), du_bar = HgCotangentRow(box, dx_bar, 2, j),
          deta_bar = HgCotangentRow(box, dx_bar, 3, j);
      if (dv_bar.row && du_bar.row && deta_bar.row) {
        dtogether0_bar_rows(&part, k, stage0, j, dv_bar, du_bar, deta_bar);
      } else {
        if (dv_bar.row) dv_bar_row(&part, stage0, j, dv_bar);
        if (du_bar.row) du_bar_row(&part, k, stage0, j, du_bar);
        if (deta_bar.row) deta_bar_row(&part, k, stage0, j, deta_bar);
      }
      if (dkeep_v_bar.row) dkeep_v_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dkeep_v_bar);
    }
  }
}

const HgStencil hg_tsunami_north_generated = {
    .name = "tsunami_north",
    .reads = (const HgRead[]){{"keep_v", 0, 1}, {"v", 0, 0}, {"u", 1, 1}, {"eta", 1, 1},
        {NULL, 0, 0}},
    .writes = (const char *const[]){"v", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_tsunami_north_generated_second,
    .only_for = (const char *const[][2]){{"v", "keep_v"}, {"u", "keep_v"}, {"eta", "keep_v"},
        {NULL, NULL}},
    .sets = true,
    .spherical = true,
    .params_size = sizeof(HgTsunamiParams),
    .params_name = "HgTsunamiParams",
    .stated = (const HgStated[]){{"keep_v", NULL, HG_Y_FACE}, {"v", "m/s", HG_Y_FACE},
        {"u", "m/s", HG_X_FACE}, {"eta", "m", HG_CENTRE}, {NULL, NULL, 0}},
};
