/* tsunami_east_generated.c -- written by hgstencil 7 from tsunami_east.stencil: change that,
     not this.

     u' = keep_u * (u + (turn * ((v + v_E) + (v_S + v_SE)) - slope * (eta_E - eta))) */
/* clang-format off */
#include <halograd/tsunami_east_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double dt, c1, gravity, dx_, c4;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  const HgTsunamiParams *p = params;
  return (Weights){.dt = box->dt, .c1 = 2 * p->rotation, .gravity = p->gravity, .dx_ = box->dx,
      .c4 = 0.5 * p->rotation * box->dt};
}

/* turn = 0.25 * (dt * (2 * rotation * sine))
   slope = dt * (gravity / (cosine * dx))
   u' = keep_u * (u + (turn * ((v + v_E) + (v_S + v_SE)) - slope * (eta_E - eta))) */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_next = y[0][j];
    const double *keep_u = x[0][j], *u = x[1][j], *v = x[2][j], *v_S = x[2][j - 1], *eta = x[3][j];
    const double sine = HgLatitudeOfRow(box, j).sine;
    const double turn = 0.25 * (k.dt * (k.c1 * sine));
    const double cosine = HgLatitudeOfRow(box, j).cosine;
    const double slope = k.dt * (k.gravity / (cosine * k.dx_));
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      u_next[i] = keep_u[i] * (u[i] +
          (turn * (v[i] + v[i + 1] + (v_S[i] + v_S[i + 1])) - slope * (eta[i + 1] - eta[i])));
    }
  }
}

/* du' = (u + (turn * (v + v_E + (v_S + v_SE)) - slope * (eta_E - eta))) * dkeep_u + keep_u *
     (du + (turn * (dv + dv_E + (dv_S + dv_SE)) - slope * (deta_E - deta))) */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_next = dy[0][j];
    const double *u = x[1][j], *v = x[2][j], *v_S = x[2][j - 1], *eta = x[3][j],
        *dkeep_u = dx[0][j], *keep_u = x[0][j], *du = dx[1][j], *dv = dx[2][j],
        *dv_S = dx[2][j - 1], *deta = dx[3][j];
    const double sine = HgLatitudeOfRow(box, j).sine;
    const double turn = 0.25 * (k.dt * (k.c1 * sine));
    const double cosine = HgLatitudeOfRow(box, j).cosine;
    const double slope = k.dt * (k.gravity / (cosine * k.dx_));
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      du_next[i] = (u[i] + (turn * (v[i] + v[i + 1] + (v_S[i] + v_S[i + 1])) -
          slope * (eta[i + 1] - eta[i]))) * dkeep_u[i] +
          keep_u[i] * (du[i] + (turn * (dv[i] + dv[i + 1] + (dv_S[i] + dv_S[i + 1])) -
          slope * (deta[i + 1] - deta[i])));
    }
  }
}

/* keep_u_bar += w * (u + (turn * (v + v_E + (v_S + v_SE)) - slope * (eta_E - eta))) */
static inline void keep_u_bar_row(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent keep_u_bar) {
  const double *w = y_bar[0][j], *u = x[1][j], *v = x[2][j], *v_S = x[2][j - 1], *eta = x[3][j];
  const double sine = HgLatitudeOfRow(box, j).sine;
  const double turn = 0.25 * (k.dt * (k.c1 * sine));
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double slope = k.dt * (k.gravity / (cosine * k.dx_));
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(keep_u_bar, i, w[i] *
        (u[i] + (turn * (v[i] + v[i + 1] + (v_S[i] + v_S[i + 1])) -
        slope * (eta[i + 1] - eta[i]))));
  }
}

/* u_bar += keep_u * w */
static inline void u_bar_row(const HgBox *box, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent u_bar) {
  const double *keep_u = x[0][j], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(u_bar, i, keep_u[i] * w[i]);
}

/* v_bar += 0.5 * rotation * dt * (sine * (keep_u * w + keep_u_W * w_W) + sine_N * (keep_u_N *
     w_N + keep_u_NW * w_NW)) */
static inline void v_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent v_bar) {
  const double *keep_u = x[0][j], *w = y_bar[0][j], *keep_u_N = x[0][j + 1], *w_N = y_bar[0][j + 1];
  const double sine = HgLatitudeOfRow(box, j).sine;
  const double sine_N = HgLatitudeOfRow(box, j + 1).sine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(v_bar, i, k.c4 * (sine * (keep_u[i] * w[i] + keep_u[i - 1] * w[i - 1]) +
        sine_N * (keep_u_N[i] * w_N[i] + keep_u_N[i - 1] * w_N[i - 1])));
  }
}

/* eta_bar += dt * (gravity / (cosine * dx) * (keep_u * w - keep_u_W * w_W)) */
static inline void eta_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent eta_bar) {
  const double *keep_u = x[0][j], *w = y_bar[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double t1 = k.gravity / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(eta_bar, i, k.dt * (t1 * (keep_u[i] * w[i] - keep_u[i - 1] * w[i - 1])));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent keep_u_bar, HgCotangent v_bar, HgCotangent eta_bar) {
  const double *w = y_bar[0][j], *u = x[1][j], *v = x[2][j], *v_S = x[2][j - 1], *eta = x[3][j],
      *keep_u = x[0][j], *keep_u_N = x[0][j + 1], *w_N = y_bar[0][j + 1];
  const double sine = HgLatitudeOfRow(box, j).sine;
  const double turn = 0.25 * (k.dt * (k.c1 * sine));
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double t3 = k.gravity / (cosine * k.dx_);
  const double slope = k.dt * t3;
  const double sine_N = HgLatitudeOfRow(box, j + 1).sine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(keep_u_bar, i, w[i] *
        (u[i] + (turn * (v[i] + v[i + 1] + (v_S[i] + v_S[i + 1])) -
        slope * (eta[i + 1] - eta[i]))));
    const double t5 = keep_u[i] * w[i];
    const double t6 = keep_u[i - 1] * w[i - 1];
    HgContribute(v_bar, i, k.c4 * (sine * (t5 + t6) +
        sine_N * (keep_u_N[i] * w_N[i] + keep_u_N[i - 1] * w_N[i - 1])));
    HgContribute(eta_bar, i, k.dt * (t3 * (t5 - t6)));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent keep_u_bar = HgCotangentRow(box, x_bar, 0, j),
        u_bar = HgCotangentRow(box, x_bar, 1, j), v_bar = HgCotangentRow(box, x_bar, 2, j),
        eta_bar = HgCotangentRow(box, x_bar, 3, j);
    if (keep_u_bar.row && v_bar.row && eta_bar.row) {
      together0_bar_rows(box, k, x, y_bar, j, keep_u_bar, v_bar, eta_bar);
    } else {
      if (keep_u_bar.row) keep_u_bar_row(box, k, x, y_bar, j, keep_u_bar);
      if (v_bar.row) v_bar_row(box, k, x, y_bar, j, v_bar);
      if (eta_bar.row) eta_bar_row(box, k, x, y_bar, j, eta_bar);
    }
    if (u_bar.row) u_bar_row(box, x, y_bar, j, u_bar);
  }
}

typedef struct {
  double s0[PART + 1];
} SecondStage0;

/* s0 = w * dkeep_u + keep_u * dw */
static inline void second_stage0(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, SecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *w = y_bar[0][j], *dkeep_u = dx[0][j], *keep_u = x[0][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++)
    s0[i] = w[i] * dkeep_u[i] + keep_u[i] * dw[i];
}

/* dkeep_u_bar += (u + (turn * (v + v_E + (v_S + v_SE)) - slope * (eta_E - eta))) * dw + w * (du
     + (turn * (dv + dv_E + (dv_S + dv_SE)) - slope * (deta_E - deta))) */
static inline void dkeep_u_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dkeep_u_bar) {
  const double *u = x[1][j], *v = x[2][j], *v_S = x[2][j - 1], *eta = x[3][j], *dw = dy_bar[0][j],
      *w = y_bar[0][j], *du = dx[1][j], *dv = dx[2][j], *dv_S = dx[2][j - 1], *deta = dx[3][j];
  const double sine = HgLatitudeOfRow(box, j).sine;
  const double turn = 0.25 * (k.dt * (k.c1 * sine));
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double slope = k.dt * (k.gravity / (cosine * k.dx_));
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dkeep_u_bar, i, (u[i] +
        (turn * (v[i] + v[i + 1] + (v_S[i] + v_S[i + 1])) - slope * (eta[i + 1] - eta[i]))) *
        dw[i] + w[i] * (du[i] + (turn * (dv[i] + dv[i + 1] + (dv_S[i] + dv_S[i + 1])) -
        slope * (deta[i + 1] - deta[i]))));
  }
}

/* du_bar += s0 */
static inline void du_bar_row(const HgBox *box, const SecondStage0 stage0[], int j,
    HgCotangent du_bar) {
  const double *s0 = stage0[(j - box->j0) % 2].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(du_bar, i, s0[i]);
}

/* dv_bar += 0.5 * rotation * dt * (sine * (s0 + s0_W) + sine_N * (s0_N + s0_NW)) */
static inline void dv_bar_row(const HgBox *box, Weights k, const SecondStage0 stage0[], int j,
    HgCotangent dv_bar) {
  const double *s0 = stage0[(j - box->j0) % 2].s0 + 1 - box->i0,
      *s0_N = stage0[(j - box->j0 + 1) % 2].s0 + 1 - box->i0;
  const double sine = HgLatitudeOfRow(box, j).sine;
  const double sine_N = HgLatitudeOfRow(box, j + 1).sine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dv_bar, i, k.c4 * (sine * (s0[i] + s0[i - 1]) + sine_N * (s0_N[i] + s0_N[i - 1])));
}

/* deta_bar += dt * (gravity / (cosine * dx) * (s0 - s0_W)) */
static inline void deta_bar_row(const HgBox *box, Weights k, const SecondStage0 stage0[], int j,
    HgCotangent deta_bar) {
  const double *s0 = stage0[(j - box->j0) % 2].s0 + 1 - box->i0;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double t1 = k.gravity / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(deta_bar, i, k.dt * (t1 * (s0[i] - s0[i - 1])));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether0_bar_rows(const HgBox *box, Weights k, const SecondStage0 stage0[],
    int j, HgCotangent du_bar, HgCotangent dv_bar, HgCotangent deta_bar) {
  const double *s0 = stage0[(j - box->j0) % 2].s0 + 1 - box->i0,
      *s0_N = stage0[(j - box->j0 + 1) % 2].s0 + 1 - box->i0;
  const double sine = HgLatitudeOfRow(box, j).sine;
  const double sine_N = HgLatitudeOfRow(box, j + 1).sine;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double t3 = k.gravity / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, s0[i]);
    HgContribute(dv_bar, i, k.c4 * (sine * (s0[i] + s0[i - 1]) + sine_N * (s0_N[i] + s0_N[i - 1])));
    HgContribute(deta_bar, i, k.dt * (t3 * (s0[i] - s0[i - 1])));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_tsunami_east_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                      const HgRows dx[], const HgRows y_bar[],
                                      const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    SecondStage0 stage0[2];
    for (int j = part.j0; (dx_bar[1] || dx_bar[2] || dx_bar[3]) && j < part.j0 + 1; j++)
      second_stage0(&part, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0) % 2]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[1] || dx_bar[2] || dx_bar[3])
        second_stage0(&part, x, dx, y_bar, dy_bar, j + 1, &stage0[(j - part.j0 + 1) % 2]);
      const HgCotangent dkeep_u_bar = HgCotangentRow(box, dx_bar, 0, j),
          du_bar = HgCotangentRow(box, dx_bar, 1, j), dv_bar = HgCotangentRow(box, dx_bar, 2, j),
          deta_bar = HgCotangentRow(box, dx_bar, 3, j);
      if (du_bar.row && dv_bar.row && deta_bar.row) {
        dtogether0_bar_rows(&part, k, stage0, j, du_bar, dv_bar, deta_bar);
      } else {
        if (du_bar.row) du_bar_row(&part, stage0, j, du_bar);
        if (dv_bar.row) dv_bar_row(&part, k, stage0, j, dv_bar);
        if (deta_bar.row) deta_bar_row(&part, k, stage0, j, deta_bar);
      }
      if (dkeep_u_bar.row) dkeep_u_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dkeep_u_bar);
    }
  }
}

const HgStencil hg_tsunami_east_generated = {
    .name = "tsunami_east",
    .reads = (const HgRead[]){{"keep_u", 0, 1}, {"u", 0, 0}, {"v", 1, 1}, {"eta", 1, 1},
        {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_tsunami_east_generated_second,
    .only_for = (const char *const[][2]){{"u", "keep_u"}, {"v", "keep_u"}, {"eta", "keep_u"},
        {NULL, NULL}},
    .sets = true,
    .spherical = true,
    .params_size = sizeof(HgTsunamiParams),
    .params_name = "HgTsunamiParams",
    .stated = (const HgStated[]){{"keep_u", NULL, HG_X_FACE}, {"u", "m/s", HG_X_FACE},
        {"v", "m/s", HG_Y_FACE}, {"eta", "m", HG_CENTRE}, {NULL, NULL, 0}},
};
