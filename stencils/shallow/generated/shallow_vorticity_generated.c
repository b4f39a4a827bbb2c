/* shallow_vorticity_generated.c -- written by hgstencil 7 from shallow_vorticity.stencil:
     change that, not this.

     q' = z / depth */
/* clang-format off */
#include <halograd/shallow_vorticity_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double rx, ry;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  (void)params;
  const double rx = 1 / box->dx;
  const double ry = 1 / box->dy;
  return (Weights){.rx = rx, .ry = ry};
}

/* rx = 1 / dx
   ry = 1 / dy
   z = f + (rx * (v_E - v) - ry * (u_N - u))
   depth = 0.25 * (h + h_E + (h_N + h_NE))
   q' = z / depth */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *q_next = y[0][j];
    const double *f = x[0][j], *v = x[2][j], *u_N = x[1][j + 1], *u = x[1][j], *h = x[3][j],
        *h_N = x[3][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double z = f[i] + (k.rx * (v[i + 1] - v[i]) - k.ry * (u_N[i] - u[i]));
      const double depth = 0.25 * (h[i] + h[i + 1] + (h_N[i] + h_N[i + 1]));
      q_next[i] = z / depth;
    }
  }
}

/* dq' = (df + (rx * (dv_E - dv) - ry * (du_N - du)) - z / depth * (0.25 * (dh + dh_E + (dh_N +
     dh_NE)))) / depth */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *dq_next = dy[0][j];
    const double *f = x[0][j], *v = x[2][j], *u_N = x[1][j + 1], *u = x[1][j], *h = x[3][j],
        *h_N = x[3][j + 1], *df = dx[0][j], *dv = dx[2][j], *du_N = dx[1][j + 1], *du = dx[1][j],
        *dh = dx[3][j], *dh_N = dx[3][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double z = f[i] + (k.rx * (v[i + 1] - v[i]) - k.ry * (u_N[i] - u[i]));
      const double depth = 0.25 * (h[i] + h[i + 1] + (h_N[i] + h_N[i + 1]));
      dq_next[i] = (df[i] + (k.rx * (dv[i + 1] - dv[i]) - k.ry * (du_N[i] - du[i])) -
          z / depth * (0.25 * (dh[i] + dh[i + 1] + (dh_N[i] + dh_N[i + 1])))) / depth;
    }
  }
}

typedef struct {
  double s1[PART + 1], s2[PART + 1];
} AdjointStage0;

/* s1 = z * (1 / depth) * (w * (1 / depth))
   s2 = w * (1 / depth) */
static inline void adjoint_stage0(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, AdjointStage0 *to) {
  double *s1 = to->s1 + 1 - box->i0, *s2 = to->s2 + 1 - box->i0;
  const double *f = x[0][j], *v = x[2][j], *u_N = x[1][j + 1], *u = x[1][j], *h = x[3][j],
      *h_N = x[3][j + 1], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++) {
    const double z = f[i] + (k.rx * (v[i + 1] - v[i]) - k.ry * (u_N[i] - u[i]));
    const double depth = 0.25 * (h[i] + h[i + 1] + (h_N[i] + h_N[i + 1]));
    const double t2 = 1 / depth;
    const double t3 = w[i] * t2;
    s1[i] = z * t2 * t3;
    s2[i] = t3;
  }
}

/* f_bar += s2 */
static inline void f_bar_row(const HgBox *box, const AdjointStage0 stage0[], int j,
    HgCotangent f_bar) {
  const double *s2 = stage0[(j - box->j0 + 1) % 2].s2 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(f_bar, i, s2[i]);
}

/* u_bar += ry * (s2 - s2_S) */
static inline void u_bar_row(const HgBox *box, Weights k, const AdjointStage0 stage0[], int j,
    HgCotangent u_bar) {
  const double *s2 = stage0[(j - box->j0 + 1) % 2].s2 + 1 - box->i0,
      *s2_S = stage0[(j - box->j0) % 2].s2 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(u_bar, i, k.ry * (s2[i] - s2_S[i]));
}

/* v_bar += rx * (s2_W - s2) */
static inline void v_bar_row(const HgBox *box, Weights k, const AdjointStage0 stage0[], int j,
    HgCotangent v_bar) {
  const double *s2 = stage0[(j - box->j0 + 1) % 2].s2 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(v_bar, i, k.rx * (s2[i - 1] - s2[i]));
}

/* h_bar += -(0.25 * (s1 + s1_W + s1_S + s1_SW)) */
static inline void h_bar_row(const HgBox *box, const AdjointStage0 stage0[], int j,
    HgCotangent h_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 2].s1 + 1 - box->i0,
      *s1_S = stage0[(j - box->j0) % 2].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(h_bar, i, -(0.25 * (s1[i] + s1[i - 1] + s1_S[i] + s1_S[i - 1])));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together0_bar_rows(const HgBox *box, Weights k, const AdjointStage0 stage0[],
    int j, HgCotangent f_bar, HgCotangent u_bar, HgCotangent v_bar) {
  const double *s2 = stage0[(j - box->j0 + 1) % 2].s2 + 1 - box->i0,
      *s2_S = stage0[(j - box->j0) % 2].s2 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(f_bar, i, s2[i]);
    HgContribute(u_bar, i, k.ry * (s2[i] - s2_S[i]));
    HgContribute(v_bar, i, k.rx * (s2[i - 1] - s2[i]));
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
    AdjointStage0 stage0[2];
    for (int j = part.j0 - 1; (x_bar[0] || x_bar[1] || x_bar[2] || x_bar[3]) && j < part.j0; j++)
      adjoint_stage0(&part, k, x, y_bar, j, &stage0[(j - part.j0 + 1) % 2]);
    for (int j = part.j0; j < part.j1; j++) {
      if (x_bar[0] || x_bar[1] || x_bar[2] || x_bar[3])
        adjoint_stage0(&part, k, x, y_bar, j, &stage0[(j - part.j0 + 1) % 2]);
      const HgCotangent f_bar = HgCotangentRow(box, x_bar, 0, j),
          u_bar = HgCotangentRow(box, x_bar, 1, j), v_bar = HgCotangentRow(box, x_bar, 2, j),
          h_bar = HgCotangentRow(box, x_bar, 3, j);
      if (f_bar.row && u_bar.row && v_bar.row) {
        together0_bar_rows(&part, k, stage0, j, f_bar, u_bar, v_bar);
      } else {
        if (f_bar.row) f_bar_row(&part, stage0, j, f_bar);
        if (u_bar.row) u_bar_row(&part, k, stage0, j, u_bar);
        if (v_bar.row) v_bar_row(&part, k, stage0, j, v_bar);
      }
      if (h_bar.row) h_bar_row(&part, stage0, j, h_bar);
    }
  }
}

typedef struct {
  double s0[PART + 1], s1[PART + 1];
} SecondStage0;

/* s0 = w * (1 / depth) * (1 / depth * (df + (rx * (dv_E - dv) - ry * (du_N - du))) - z * ((1 /
     depth)^2 * (0.25 * (dh + dh_E + (dh_N + dh_NE))))) + z * (1 / depth) * (1 / depth * dw - w
     * ((1 / depth)^2 * (0.25 * (dh + dh_E + (dh_N + dh_NE)))))
   s1 = 1 / depth * dw - w * ((1 / depth)^2 * (0.25 * (dh + dh_E + (dh_N + dh_NE)))) */
static inline void second_stage0(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, SecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0, *s1 = to->s1 + 1 - box->i0;
  const double *h = x[3][j], *h_N = x[3][j + 1], *f = x[0][j], *v = x[2][j], *u_N = x[1][j + 1],
      *u = x[1][j], *dh = dx[3][j], *dh_N = dx[3][j + 1], *dw = dy_bar[0][j], *w = y_bar[0][j],
      *df = dx[0][j], *dv = dx[2][j], *du_N = dx[1][j + 1], *du = dx[1][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++) {
    const double depth = 0.25 * (h[i] + h[i + 1] + (h_N[i] + h_N[i + 1]));
    const double t1 = 1 / depth;
    const double z = f[i] + (k.rx * (v[i + 1] - v[i]) - k.ry * (u_N[i] - u[i]));
    const double t3 = t1 * t1 * (0.25 * (dh[i] + dh[i + 1] + (dh_N[i] + dh_N[i + 1])));
    const double t4 = t1 * dw[i] - w[i] * t3;
    s0[i] = w[i] * t1 * (t1 * (df[i] + (k.rx * (dv[i + 1] - dv[i]) - k.ry * (du_N[i] - du[i]))) -
        z * t3) + z * t1 * t4;
    s1[i] = t4;
  }
}

/* df_bar += s1 */
static inline void df_bar_row(const HgBox *box, const SecondStage0 stage0[], int j,
    HgCotangent df_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 2].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(df_bar, i, s1[i]);
}

/* du_bar += ry * (s1 - s1_S) */
static inline void du_bar_row(const HgBox *box, Weights k, const SecondStage0 stage0[], int j,
    HgCotangent du_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 2].s1 + 1 - box->i0,
      *s1_S = stage0[(j - box->j0) % 2].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(du_bar, i, k.ry * (s1[i] - s1_S[i]));
}

/* dv_bar += rx * (s1_W - s1) */
static inline void dv_bar_row(const HgBox *box, Weights k, const SecondStage0 stage0[], int j,
    HgCotangent dv_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 2].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dv_bar, i, k.rx * (s1[i - 1] - s1[i]));
}

/* dh_bar += -(0.25 * (s0 + s0_W + s0_S + s0_SW)) */
static inline void dh_bar_row(const HgBox *box, const SecondStage0 stage0[], int j,
    HgCotangent dh_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 2].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 2].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dh_bar, i, -(0.25 * (s0[i] + s0[i - 1] + s0_S[i] + s0_S[i - 1])));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether0_bar_rows(const HgBox *box, Weights k, const SecondStage0 stage0[],
    int j, HgCotangent df_bar, HgCotangent du_bar, HgCotangent dv_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 2].s1 + 1 - box->i0,
      *s1_S = stage0[(j - box->j0) % 2].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(df_bar, i, s1[i]);
    HgContribute(du_bar, i, k.ry * (s1[i] - s1_S[i]));
    HgContribute(dv_bar, i, k.rx * (s1[i - 1] - s1[i]));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_shallow_vorticity_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                           const HgRows dx[], const HgRows y_bar[],
                                           const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    SecondStage0 stage0[2];
    for (int j = part.j0 - 1; (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3]) && j < part.j0;
        j++)
      second_stage0(&part, k, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 2]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3])
        second_stage0(&part, k, x, dx, y_bar, dy_bar, j, &stage0[(j - part.j0 + 1) % 2]);
      const HgCotangent df_bar = HgCotangentRow(box, dx_bar, 0, j),
          du_bar = HgCotangentRow(box, dx_bar, 1, j), dv_bar = HgCotangentRow(box, dx_bar, 2, j),
          dh_bar = HgCotangentRow(box, dx_bar, 3, j);
      if (df_bar.row && du_bar.row && dv_bar.row) {
        dtogether0_bar_rows(&part, k, stage0, j, df_bar, du_bar, dv_bar);
      } else {
        if (df_bar.row) df_bar_row(&part, stage0, j, df_bar);
        if (du_bar.row) du_bar_row(&part, k, stage0, j, du_bar);
        if (dv_bar.row) dv_bar_row(&part, k, stage0, j, dv_bar);
      }
      if (dh_bar.row) dh_bar_row(&part, stage0, j, dh_bar);
    }
  }
}

const HgStencil hg_shallow_vorticity_generated = {
    .name = "shallow_vorticity",
    .reads = (const HgRead[]){{"f", 0, 1}, {"u", 1, 1}, {"v", 1, 1}, {"h", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"q", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_shallow_vorticity_generated_second,
    .sets = true,
    .stated = (const HgStated[]){{"f", "1/s", HG_CORNER}, {"u", "m/s", HG_X_FACE},
        {"v", "m/s", HG_Y_FACE}, {"h", "m", HG_CENTRE}, {"q", "1/(m s)", HG_CORNER},
        {NULL, NULL, 0}},
};
