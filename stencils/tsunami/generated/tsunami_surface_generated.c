/* tsunami_surface_generated.c -- written by hgstencil 7 from tsunami_surface.stencil: change
     that, not this.

     eta' = keep * (eta - (r * (U - U_W) + s * (V - V_S))) */
/* clang-format off */
#include <halograd/tsunami_surface_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* What is the same in all cells. */
typedef struct {
  double dt, dx_, dy_;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  (void)params;
  return (Weights){.dt = box->dt, .dx_ = box->dx, .dy_ = box->dy};
}

/* r = dt / (cosine * dx)
   U = h_u * u
   s = dt / (cosine * dy)
   V = north_cosine * (h_v * v)
   eta' = keep * (eta - (r * (U - U_W) + s * (V - V_S))) */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *eta_next = y[0][j];
    const double *h_u = x[1][j], *u = x[4][j], *h_v = x[2][j], *v = x[5][j], *keep = x[0][j],
        *eta = x[3][j], *h_v_S = x[2][j - 1], *v_S = x[5][j - 1];
    const double cosine = HgLatitudeOfRow(box, j).cosine;
    const double r = k.dt / (cosine * k.dx_);
    const double s = k.dt / (cosine * k.dy_);
    const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
    const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double U = h_u[i] * u[i];
      const double V = north_cosine * (h_v[i] * v[i]);
      eta_next[i] = keep[i] * (eta[i] -
          (r * (U - h_u[i - 1] * u[i - 1]) + s * (V - north_cosine_S * (h_v_S[i] * v_S[i]))));
    }
  }
}

/* deta' = (eta - (r * (U - h_u_W * u_W) + s * (V - north_cosine_S * (h_v_S * v_S)))) * dkeep +
     keep * (deta - (r * (u * dh_u + h_u * du - (u_W * dh_u_W + h_u_W * du_W)) + s *
     (north_cosine * (v * dh_v + h_v * dv) - north_cosine_S * (v_S * dh_v_S + h_v_S * dv_S)))) */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *deta_next = dy[0][j];
    const double *h_u = x[1][j], *u = x[4][j], *h_v = x[2][j], *v = x[5][j], *eta = x[3][j],
        *h_v_S = x[2][j - 1], *v_S = x[5][j - 1], *dkeep = dx[0][j], *keep = x[0][j],
        *deta = dx[3][j], *dh_u = dx[1][j], *du = dx[4][j], *dh_v = dx[2][j], *dv = dx[5][j],
        *dh_v_S = dx[2][j - 1], *dv_S = dx[5][j - 1];
    const double cosine = HgLatitudeOfRow(box, j).cosine;
    const double r = k.dt / (cosine * k.dx_);
    const double s = k.dt / (cosine * k.dy_);
    const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
    const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double U = h_u[i] * u[i];
      const double V = north_cosine * (h_v[i] * v[i]);
      deta_next[i] = (eta[i] - (r * (U - h_u[i - 1] * u[i - 1]) +
          s * (V - north_cosine_S * (h_v_S[i] * v_S[i])))) * dkeep[i] +
          keep[i] * (deta[i] - (r * (u[i] * dh_u[i] + h_u[i] * du[i] -
          (u[i - 1] * dh_u[i - 1] + h_u[i - 1] * du[i - 1])) +
          s * (north_cosine * (v[i] * dh_v[i] + h_v[i] * dv[i]) -
          north_cosine_S * (v_S[i] * dh_v_S[i] + h_v_S[i] * dv_S[i]))));
    }
  }
}

/* keep_bar += w * (eta - (r * (U - h_u_W * u_W) + s * (V - north_cosine_S * (h_v_S * v_S)))) */
static inline void keep_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent keep_bar) {
  const double *h_u = x[1][j], *u = x[4][j], *h_v = x[2][j], *v = x[5][j], *w = y_bar[0][j],
      *eta = x[3][j], *h_v_S = x[2][j - 1], *v_S = x[5][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double r = k.dt / (cosine * k.dx_);
  const double s = k.dt / (cosine * k.dy_);
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double U = h_u[i] * u[i];
    const double V = north_cosine * (h_v[i] * v[i]);
    HgContribute(keep_bar, i, w[i] *
        (eta[i] - (r * (U - h_u[i - 1] * u[i - 1]) +
        s * (V - north_cosine_S * (h_v_S[i] * v_S[i])))));
  }
}

/* h_u_bar += u * (r * (keep_E * w_E - keep * w)) */
static inline void h_u_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent h_u_bar) {
  const double *u = x[4][j], *keep = x[0][j], *w = y_bar[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double r = k.dt / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(h_u_bar, i, u[i] * (r * (keep[i + 1] * w[i + 1] - keep[i] * w[i])));
}

/* h_v_bar += v * (north_cosine * (keep_N * (dt / (cosine_N * dy)) * w_N - keep * s * w)) */
static inline void h_v_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent h_v_bar) {
  const double *v = x[5][j], *keep_N = x[0][j + 1], *w_N = y_bar[0][j + 1], *keep = x[0][j],
      *w = y_bar[0][j];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double s_N = k.dt / (cosine_N * k.dy_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double s = k.dt / (cosine * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(h_v_bar, i, v[i] * (north_cosine *
        (keep_N[i] * s_N * w_N[i] - keep[i] * s * w[i])));
  }
}

/* eta_bar += keep * w */
static inline void eta_bar_row(const HgBox *box, const HgRows x[], const HgRows y_bar[], int j,
    HgCotangent eta_bar) {
  const double *keep = x[0][j], *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(eta_bar, i, keep[i] * w[i]);
}

/* u_bar += h_u * (r * (keep_E * w_E - keep * w)) */
static inline void u_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent u_bar) {
  const double *h_u = x[1][j], *keep = x[0][j], *w = y_bar[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double r = k.dt / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(u_bar, i, h_u[i] * (r * (keep[i + 1] * w[i + 1] - keep[i] * w[i])));
}

/* v_bar += h_v * (north_cosine * (keep_N * (dt / (cosine_N * dy)) * w_N - keep * s * w)) */
static inline void v_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent v_bar) {
  const double *h_v = x[2][j], *keep_N = x[0][j + 1], *w_N = y_bar[0][j + 1], *keep = x[0][j],
      *w = y_bar[0][j];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double s_N = k.dt / (cosine_N * k.dy_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double s = k.dt / (cosine * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(v_bar, i, h_v[i] * (north_cosine *
        (keep_N[i] * s_N * w_N[i] - keep[i] * s * w[i])));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent keep_bar, HgCotangent h_u_bar, HgCotangent eta_bar,
    HgCotangent u_bar) {
  const double *h_u = x[1][j], *u = x[4][j], *h_v = x[2][j], *v = x[5][j], *w = y_bar[0][j],
      *eta = x[3][j], *h_v_S = x[2][j - 1], *v_S = x[5][j - 1], *keep = x[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double r = k.dt / (cosine * k.dx_);
  const double s = k.dt / (cosine * k.dy_);
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double U = h_u[i] * u[i];
    const double V = north_cosine * (h_v[i] * v[i]);
    HgContribute(keep_bar, i, w[i] *
        (eta[i] - (r * (U - h_u[i - 1] * u[i - 1]) +
        s * (V - north_cosine_S * (h_v_S[i] * v_S[i])))));
    const double t7 = keep[i] * w[i];
    const double t8 = r * (keep[i + 1] * w[i + 1] - t7);
    HgContribute(h_u_bar, i, u[i] * t8);
    HgContribute(u_bar, i, h_u[i] * t8);
    HgContribute(eta_bar, i, t7);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together1_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent h_v_bar, HgCotangent v_bar) {
  const double *keep_N = x[0][j + 1], *w_N = y_bar[0][j + 1], *keep = x[0][j], *w = y_bar[0][j],
      *v = x[5][j], *h_v = x[2][j];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double s_N = k.dt / (cosine_N * k.dy_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double s = k.dt / (cosine * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t5 = north_cosine * (keep_N[i] * s_N * w_N[i] - keep[i] * s * w[i]);
    HgContribute(h_v_bar, i, v[i] * t5);
    HgContribute(v_bar, i, h_v[i] * t5);
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent keep_bar = HgCotangentRow(box, x_bar, 0, j),
        h_u_bar = HgCotangentRow(box, x_bar, 1, j), h_v_bar = HgCotangentRow(box, x_bar, 2, j),
        eta_bar = HgCotangentRow(box, x_bar, 3, j), u_bar = HgCotangentRow(box, x_bar, 4, j),
        v_bar = HgCotangentRow(box, x_bar, 5, j);
    if (keep_bar.row && h_u_bar.row && eta_bar.row && u_bar.row) {
      together0_bar_rows(box, k, x, y_bar, j, keep_bar, h_u_bar, eta_bar, u_bar);
    } else {
      if (keep_bar.row) keep_bar_row(box, k, x, y_bar, j, keep_bar);
      if (h_u_bar.row) h_u_bar_row(box, k, x, y_bar, j, h_u_bar);
      if (eta_bar.row) eta_bar_row(box, x, y_bar, j, eta_bar);
      if (u_bar.row) u_bar_row(box, k, x, y_bar, j, u_bar);
    }
    if (h_v_bar.row && v_bar.row) {
      together1_bar_rows(box, k, x, y_bar, j, h_v_bar, v_bar);
    } else {
      if (h_v_bar.row) h_v_bar_row(box, k, x, y_bar, j, h_v_bar);
      if (v_bar.row) v_bar_row(box, k, x, y_bar, j, v_bar);
    }
  }
}

/* dkeep_bar += (eta - (r * (U - h_u_W * u_W) + s * (V - north_cosine_S * (h_v_S * v_S)))) * dw
     + w * (deta - (r * (u * dh_u + h_u * du - (u_W * dh_u_W + h_u_W * du_W)) + s *
     (north_cosine * (v * dh_v + h_v * dv) - north_cosine_S * (v_S * dh_v_S + h_v_S * dv_S)))) */
static inline void dkeep_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dkeep_bar) {
  const double *h_u = x[1][j], *u = x[4][j], *h_v = x[2][j], *v = x[5][j], *eta = x[3][j],
      *h_v_S = x[2][j - 1], *v_S = x[5][j - 1], *dw = dy_bar[0][j], *w = y_bar[0][j],
      *deta = dx[3][j], *dh_u = dx[1][j], *du = dx[4][j], *dh_v = dx[2][j], *dv = dx[5][j],
      *dh_v_S = dx[2][j - 1], *dv_S = dx[5][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double r = k.dt / (cosine * k.dx_);
  const double s = k.dt / (cosine * k.dy_);
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double U = h_u[i] * u[i];
    const double V = north_cosine * (h_v[i] * v[i]);
    HgContribute(dkeep_bar, i, (eta[i] -
        (r * (U - h_u[i - 1] * u[i - 1]) + s * (V - north_cosine_S * (h_v_S[i] * v_S[i])))) *
        dw[i] + w[i] * (deta[i] - (r *
        (u[i] * dh_u[i] + h_u[i] * du[i] - (u[i - 1] * dh_u[i - 1] + h_u[i - 1] * du[i - 1])) +
        s * (north_cosine * (v[i] * dh_v[i] + h_v[i] * dv[i]) -
        north_cosine_S * (v_S[i] * dh_v_S[i] + h_v_S[i] * dv_S[i])))));
  }
}

/* dh_u_bar += r * (keep_E * w_E - keep * w) * du + u * (r * (w_E * dkeep_E + keep_E * dw_E - (w
     * dkeep + keep * dw))) */
static inline void dh_u_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dh_u_bar) {
  const double *keep = x[0][j], *w = y_bar[0][j], *du = dx[4][j], *u = x[4][j], *dkeep = dx[0][j],
      *dw = dy_bar[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double r = k.dt / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dh_u_bar, i, r * (keep[i + 1] * w[i + 1] - keep[i] * w[i]) * du[i] +
        u[i] * (r * (w[i + 1] * dkeep[i + 1] + keep[i + 1] * dw[i + 1] -
        (w[i] * dkeep[i] + keep[i] * dw[i]))));
  }
}

/* dh_v_bar += north_cosine * (keep_N * (dt / (cosine_N * dy)) * w_N - keep * s * w) * dv + v *
     (north_cosine * (w_N * (dt / (cosine_N * dy) * dkeep_N) + keep_N * (dt / (cosine_N * dy)) *
     dw_N - (w * (s * dkeep) + keep * s * dw))) */
static inline void dh_v_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dh_v_bar) {
  const double *keep_N = x[0][j + 1], *keep = x[0][j], *w_N = y_bar[0][j + 1], *w = y_bar[0][j],
      *dv = dx[5][j], *v = x[5][j], *dkeep_N = dx[0][j + 1], *dw_N = dy_bar[0][j + 1],
      *dkeep = dx[0][j], *dw = dy_bar[0][j];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double s_N = k.dt / (cosine_N * k.dy_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double s = k.dt / (cosine * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t3 = keep_N[i] * s_N;
    const double t6 = keep[i] * s;
    HgContribute(dh_v_bar, i, north_cosine * (t3 * w_N[i] - t6 * w[i]) * dv[i] +
        v[i] * (north_cosine * (w_N[i] * (s_N * dkeep_N[i]) + t3 * dw_N[i] -
        (w[i] * (s * dkeep[i]) + t6 * dw[i]))));
  }
}

/* deta_bar += w * dkeep + keep * dw */
static inline void deta_bar_row(const HgBox *box, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent deta_bar) {
  const double *w = y_bar[0][j], *dkeep = dx[0][j], *keep = x[0][j], *dw = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(deta_bar, i, w[i] * dkeep[i] + keep[i] * dw[i]);
}

/* du_bar += r * (keep_E * w_E - keep * w) * dh_u + h_u * (r * (w_E * dkeep_E + keep_E * dw_E -
     (w * dkeep + keep * dw))) */
static inline void du_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent du_bar) {
  const double *keep = x[0][j], *w = y_bar[0][j], *dh_u = dx[1][j], *h_u = x[1][j],
      *dkeep = dx[0][j], *dw = dy_bar[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double r = k.dt / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, r * (keep[i + 1] * w[i + 1] - keep[i] * w[i]) * dh_u[i] +
        h_u[i] * (r * (w[i + 1] * dkeep[i + 1] + keep[i + 1] * dw[i + 1] -
        (w[i] * dkeep[i] + keep[i] * dw[i]))));
  }
}

/* dv_bar += north_cosine * (keep_N * (dt / (cosine_N * dy)) * w_N - keep * s * w) * dh_v + h_v
     * (north_cosine * (w_N * (dt / (cosine_N * dy) * dkeep_N) + keep_N * (dt / (cosine_N * dy))
     * dw_N - (w * (s * dkeep) + keep * s * dw))) */
static inline void dv_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dv_bar) {
  const double *keep_N = x[0][j + 1], *keep = x[0][j], *w_N = y_bar[0][j + 1], *w = y_bar[0][j],
      *dh_v = dx[2][j], *h_v = x[2][j], *dkeep_N = dx[0][j + 1], *dw_N = dy_bar[0][j + 1],
      *dkeep = dx[0][j], *dw = dy_bar[0][j];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double s_N = k.dt / (cosine_N * k.dy_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double s = k.dt / (cosine * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t3 = keep_N[i] * s_N;
    const double t6 = keep[i] * s;
    HgContribute(dv_bar, i, north_cosine * (t3 * w_N[i] - t6 * w[i]) * dh_v[i] +
        h_v[i] * (north_cosine * (w_N[i] * (s_N * dkeep_N[i]) + t3 * dw_N[i] -
        (w[i] * (s * dkeep[i]) + t6 * dw[i]))));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether0_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dh_u_bar,
    HgCotangent deta_bar, HgCotangent du_bar) {
  const double *keep = x[0][j], *w = y_bar[0][j], *dkeep = dx[0][j], *dw = dy_bar[0][j],
      *du = dx[4][j], *u = x[4][j], *dh_u = dx[1][j], *h_u = x[1][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double r = k.dt / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t2 = r * (keep[i + 1] * w[i + 1] - keep[i] * w[i]);
    const double t3 = w[i] * dkeep[i] + keep[i] * dw[i];
    const double t4 = r * (w[i + 1] * dkeep[i + 1] + keep[i + 1] * dw[i + 1] - t3);
    HgContribute(dh_u_bar, i, t2 * du[i] + u[i] * t4);
    HgContribute(du_bar, i, t2 * dh_u[i] + h_u[i] * t4);
    HgContribute(deta_bar, i, t3);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void dtogether1_bar_rows(const HgBox *box, Weights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dh_v_bar,
    HgCotangent dv_bar) {
  const double *keep_N = x[0][j + 1], *keep = x[0][j], *w_N = y_bar[0][j + 1], *w = y_bar[0][j],
      *dkeep_N = dx[0][j + 1], *dw_N = dy_bar[0][j + 1], *dkeep = dx[0][j], *dw = dy_bar[0][j],
      *dv = dx[5][j], *v = x[5][j], *dh_v = dx[2][j], *h_v = x[2][j];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double s_N = k.dt / (cosine_N * k.dy_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double s = k.dt / (cosine * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t3 = keep_N[i] * s_N;
    const double t6 = keep[i] * s;
    const double t7 = north_cosine * (t3 * w_N[i] - t6 * w[i]);
    const double t8 = north_cosine *
        (w_N[i] * (s_N * dkeep_N[i]) + t3 * dw_N[i] - (w[i] * (s * dkeep[i]) + t6 * dw[i]));
    HgContribute(dh_v_bar, i, t7 * dv[i] + v[i] * t8);
    HgContribute(dv_bar, i, t7 * dh_v[i] + h_v[i] * t8);
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_tsunami_surface_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                         const HgRows dx[], const HgRows y_bar[],
                                         const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent dkeep_bar = HgCotangentRow(box, dx_bar, 0, j),
        dh_u_bar = HgCotangentRow(box, dx_bar, 1, j), dh_v_bar = HgCotangentRow(box, dx_bar, 2, j),
        deta_bar = HgCotangentRow(box, dx_bar, 3, j), du_bar = HgCotangentRow(box, dx_bar, 4, j),
        dv_bar = HgCotangentRow(box, dx_bar, 5, j);
    if (dh_u_bar.row && deta_bar.row && du_bar.row) {
      dtogether0_bar_rows(box, k, x, dx, y_bar, dy_bar, j, dh_u_bar, deta_bar, du_bar);
    } else {
      if (dh_u_bar.row) dh_u_bar_row(box, k, x, dx, y_bar, dy_bar, j, dh_u_bar);
      if (deta_bar.row) deta_bar_row(box, x, dx, y_bar, dy_bar, j, deta_bar);
      if (du_bar.row) du_bar_row(box, k, x, dx, y_bar, dy_bar, j, du_bar);
    }
    if (dh_v_bar.row && dv_bar.row) {
      dtogether1_bar_rows(box, k, x, dx, y_bar, dy_bar, j, dh_v_bar, dv_bar);
    } else {
      if (dh_v_bar.row) dh_v_bar_row(box, k, x, dx, y_bar, dy_bar, j, dh_v_bar);
      if (dv_bar.row) dv_bar_row(box, k, x, dx, y_bar, dy_bar, j, dv_bar);
    }
    if (dkeep_bar.row) dkeep_bar_row(box, k, x, dx, y_bar, dy_bar, j, dkeep_bar);
  }
}

const HgStencil hg_tsunami_surface_generated = {
    .name = "tsunami_surface",
    .reads = (const HgRead[]){{"keep", 0, 1}, {"h_u", 1, 1}, {"h_v", 1, 1}, {"eta", 0, 0},
        {"u", 1, 1}, {"v", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"eta", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_tsunami_surface_generated_second,
    .only_for = (const char *const[][2]){{"h_u", "keep"}, {"h_u", "u"}, {"h_v", "keep"},
        {"h_v", "v"}, {"eta", "keep"}, {"u", "keep"}, {"u", "h_u"}, {"v", "keep"}, {"v", "h_v"},
        {NULL, NULL}},
    .sets = true,
    .spherical = true,
    .stated = (const HgStated[]){{"keep", NULL, HG_CENTRE}, {"h_u", "m", HG_X_FACE},
        {"h_v", "m", HG_Y_FACE}, {"eta", "m", HG_CENTRE}, {"u", "m/s", HG_X_FACE},
        {"v", "m/s", HG_Y_FACE}, {NULL, NULL, 0}},
};
