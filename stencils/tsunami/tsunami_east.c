/* tsunami_east.c -- the current through eastern faces:

     u' = keep_u (u + dt (f vbar - g (eta_E - eta) / (c dx)))

   vbar = (v + v_E + v_S + v_SE)/4. In reverse, with w = keep_u u'_bar: u_bar += w,
   v_bar += dt (f (w + w_W) + f_N (w_N + w_NW))/4, eta_bar += dt g/(c dx) (w - w_W). */
#include "tsunami_private.h"

enum { KEEP, U, V, ETA };

/* dt f/4 and dt g/(c dx) of a row. */
typedef struct {
  double turn, slope;
} Row;

static Row row_of(const HgBox *b, const void *params, int j) {
  const HgTsunamiParams *p = params;
  const HgLatitude at = HgLatitudeOfRow(b, j);
  return (Row){0.25 * (b->dt * tsunami_coriolis(p, at)),
               b->dt * (p->gravity / (at.cosine * b->dx))};
}

static inline double four(const double *v, const double *v_south, int i) {
  return (v[i] + v[i + 1]) + (v_south[i] + v_south[i + 1]);
}

/* u' before keep_u */
static inline double moved(Row k, const double *u, const double *v, const double *v_south,
                           const double *eta, int i) {
  return u[i] + (k.turn * four(v, v_south, i) - k.slope * (eta[i + 1] - eta[i]));
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  for (int j = b->j0; j < b->j1; j++) {
    const Row k = row_of(b, params, j);
    const double *keep = x[KEEP][j], *u = x[U][j], *v = x[V][j], *v_south = x[V][j - 1];
    const double *eta = x[ETA][j];
    double *u_next = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) u_next[i] = keep[i] * moved(k, u, v, v_south, eta, i);
  }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  for (int j = b->j0; j < b->j1; j++) {
    const Row k = row_of(b, params, j);
    const double *keep = x[KEEP][j], *u = x[U][j], *v = x[V][j], *v_south = x[V][j - 1];
    const double *eta = x[ETA][j];
    const double *dkeep = dx[KEEP][j], *du = dx[U][j], *dv = dx[V][j], *dv_south = dx[V][j - 1];
    const double *deta = dx[ETA][j];
    double *du_next = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      du_next[i] = keep[i] * moved(k, du, dv, dv_south, deta, i) +
                   dkeep[i] * moved(k, u, v, v_south, eta, i);
  }
}

/* What u'_bar does to the current along the row's northern faces, and to the surface. */
static inline double to_v(Row k, Row n, const double *keep, const double *keep_north,
                          const double *w, const double *w_north, int i) {
  return k.turn * (keep[i] * w[i] + keep[i - 1] * w[i - 1]) +
         n.turn * (keep_north[i] * w_north[i] + keep_north[i - 1] * w_north[i - 1]);
}

static inline double to_eta(Row k, const double *keep, const double *w, int i) {
  return k.slope * (keep[i] * w[i] - keep[i - 1] * w[i - 1]);
}

static void of_state(const HgBox *b, const void *params, const HgRows x[], HgRows y_bar,
                     const HgRowsOut x_bar[], int j) {
  const Row k = row_of(b, params, j), n = row_of(b, params, j + 1);
  const double *keep = x[KEEP][j], *keep_north = x[KEEP][j + 1];
  const double *w = y_bar[j], *w_north = y_bar[j + 1];
  const HgCotangent u_bar = HgCotangentRow(b, x_bar, U, j), v_bar = HgCotangentRow(b, x_bar, V, j),
                    eta_bar = HgCotangentRow(b, x_bar, ETA, j);
  if (u_bar.row && v_bar.row && eta_bar.row) { /* w is read once for all three */
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      HgContribute(u_bar, i, keep[i] * w[i]);
      HgContribute(v_bar, i, to_v(k, n, keep, keep_north, w, w_north, i));
      HgContribute(eta_bar, i, to_eta(k, keep, w, i));
    }
    return;
  }
  if (u_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(u_bar, i, keep[i] * w[i]);
  }
  if (v_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(v_bar, i, to_v(k, n, keep, keep_north, w, w_north, i));
  }
  if (eta_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(eta_bar, i, to_eta(k, keep, w, i));
  }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  for (int j = b->j0; j < b->j1; j++) {
    const HgCotangent keep_bar = HgCotangentRow(b, x_bar, KEEP, j);
    if (keep_bar.row) {
      const Row k = row_of(b, params, j);
      const double *u = x[U][j], *v = x[V][j], *v_south = x[V][j - 1], *eta = x[ETA][j];
      const double *w = y_bar[0][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(keep_bar, i, w[i] * moved(k, u, v, v_south, eta, i));
    }
    of_state(b, params, x, y_bar[0], x_bar, j);
  }
}

const HgStencil hg_tsunami_east = {
    .name = "tsunami_east",
    .reads =
        (const HgRead[]){{"keep_u", 0, 1}, {"u", 0, 0}, {"v", 1, 1}, {"eta", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_tsunami_east_generated_second,
    .only_for =
        (const char *const[][2]){{"u", "keep_u"}, {"v", "keep_u"}, {"eta", "keep_u"}, {NULL, NULL}},
    .sets = true,
    .spherical = true,
    .params_size = sizeof(HgTsunamiParams),
};
