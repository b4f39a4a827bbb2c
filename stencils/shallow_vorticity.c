/* shallow_vorticity.c -- potential vorticity on the north-east corner:

     q = z / H,  z = f + (v_E - v)/dx - (u_N - u)/dy,  H = (hc + hc_E + hc_N + hc_NE)/4 */
#include "shallow_private.h"
enum { CORIOLIS, U, V, HC };
static inline double vorticity(Shallow k, const double *f, const double *u, const double *u_north,
                               const double *v, int i) {
  return f[i] + (k.rx * (v[i + 1] - v[i]) - k.ry * (u_north[i] - u[i]));
}
static inline double depth(const double *hc, const double *hc_north, int i) {
  return 0.25 * ((hc[i] + hc[i + 1]) + (hc_north[i] + hc_north[i + 1]));
}
static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const double *f = x[CORIOLIS][j], *u = x[U][j], *u_north = x[U][j + 1], *v = x[V][j];
    const double *hc = x[HC][j], *hc_north = x[HC][j + 1];
    double *q = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      q[i] = vorticity(k, f, u, u_north, v, i) / depth(hc, hc_north, i);
  }
}
static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const double *f = x[CORIOLIS][j], *u = x[U][j], *u_north = x[U][j + 1], *v = x[V][j];
    const double *hc = x[HC][j], *hc_north = x[HC][j + 1];
    const double *df = dx[CORIOLIS][j], *du = dx[U][j], *du_north = dx[U][j + 1], *dv = dx[V][j];
    const double *dhc = dx[HC][j], *dhc_north = dx[HC][j + 1];
    double *dq = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const double H = depth(hc, hc_north, i), q = vorticity(k, f, u, u_north, v, i) / H;
      dq[i] = (vorticity(k, df, du, du_north, dv, i) - q * depth(dhc, dhc_north, i)) / H;
    }
  }
}
/* Row j of everything, and row j + 1: what the corners of row j are made of. */
typedef struct {
  const double *w, *f, *u, *u_north, *v, *hc, *hc_north;
} Corners;
static inline Corners corners_of(HgRows w, const HgRows x[], int j) {
  return (Corners){w[j], x[CORIOLIS][j], x[U][j], x[U][j + 1], x[V][j], x[HC][j], x[HC][j + 1]};
}
/* What corner i owes to z and to H. */
static inline double z_owed(Corners c, int i) { return c.w[i] / depth(c.hc, c.hc_north, i); }
static inline double depth_owed(Shallow k, Corners c, int i) {
  const double H = depth(c.hc, c.hc_north, i);
  return -c.w[i] * vorticity(k, c.f, c.u, c.u_north, c.v, i) / (H * H);
}
static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Corners c = corners_of(y_bar[0], x, j), s = corners_of(y_bar[0], x, j - 1);
    if (x_bar[CORIOLIS]) {
      double *f_bar = x_bar[CORIOLIS][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) f_bar[i] += z_owed(c, i);
    }
    if (x_bar[U]) {
      double *u_bar = x_bar[U][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) u_bar[i] += k.ry * (z_owed(c, i) - z_owed(s, i));
    }
    if (x_bar[V]) {
      double *v_bar = x_bar[V][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) v_bar[i] += k.rx * (z_owed(c, i - 1) - z_owed(c, i));
    }
    if (x_bar[HC]) {
      double *hc_bar = x_bar[HC][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        hc_bar[i] += 0.25 * ((depth_owed(k, c, i) + depth_owed(k, c, i - 1)) +
                             (depth_owed(k, s, i) + depth_owed(k, s, i - 1)));
    }
  }
}
const HgStencil hg_shallow_vorticity = {
    .name = "shallow_vorticity",
    .reads = (const HgRead[]){{"f", 0, 1}, {"u", 1, 1}, {"v", 1, 1}, {"hc", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"q", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
};
