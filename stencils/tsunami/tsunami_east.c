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

/* kept, kept_north: keep_u u'_bar */
static inline void of_row(const HgBox *b, const void *params, const HgRows x[], HgRows w,
                          const HgRowsOut x_bar[], int j, const double *kept,
                          const double *kept_north) {
  const Row k = row_of(b, params, j), n = row_of(b, params, j + 1);
  const HgCotangent keep_bar = HgCotangentRow(b, x_bar, KEEP, j),
                    u_bar = HgCotangentRow(b, x_bar, U, j), v_bar = HgCotangentRow(b, x_bar, V, j),
                    eta_bar = HgCotangentRow(b, x_bar, ETA, j);
  if (keep_bar.row) {
    const double *u = x[U][j], *v = x[V][j], *v_south = x[V][j - 1], *eta = x[ETA][j];
    const double *u_next_bar = w[j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(keep_bar, i, u_next_bar[i] * moved(k, u, v, v_south, eta, i));
  }
  if (u_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(u_bar, i, kept[i]);
  }
  if (v_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(v_bar, i,
                   k.turn * (kept[i] + kept[i - 1]) + n.turn * (kept_north[i] + kept_north[i - 1]));
  }
  if (eta_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(eta_bar, i, k.slope * (kept[i] - kept[i - 1]));
  }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  tsunami_in_reverse(b, params, x, y_bar, x_bar, 0, of_row);
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
