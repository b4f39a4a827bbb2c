/* tsunami_north.c -- the current through northern faces:

     v' = keep_v (v + dt (-f_north ubar - g (eta_N - eta) / dy))

   ubar = (u + u_W + u_N + u_NW)/4, u being the new one in a step. In reverse, with w = keep_v
   v'_bar: v_bar += w, u_bar -= dt (f_north (w + w_E) + (f_north)_S (w_S + w_SE))/4, eta_bar += dt
   g/dy (w - w_S). */
#include "tsunami_private.h"

enum { KEEP, V, U, ETA };

/* dt f_north/4 and dt g/dy of a row. */
typedef struct {
  double turn, slope;
} Row;

static Row row_of(const HgBox *b, const void *params, int j) {
  const HgTsunamiParams *p = params;
  const double f = tsunami_coriolis_north(p, HgLatitudeOfRow(b, j));
  return (Row){0.25 * (b->dt * f), b->dt * (p->gravity / b->dy)};
}

static inline double four(const double *u, const double *u_north, int i) {
  return (u[i - 1] + u[i]) + (u_north[i - 1] + u_north[i]);
}

/* v' before keep_v */
static inline double moved(Row k, const double *v, const double *u, const double *u_north,
                           const double *eta, const double *eta_north, int i) {
  return v[i] - (k.turn * four(u, u_north, i) + k.slope * (eta_north[i] - eta[i]));
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  for (int j = b->j0; j < b->j1; j++) {
    const Row k = row_of(b, params, j);
    const double *keep = x[KEEP][j], *v = x[V][j], *u = x[U][j], *u_north = x[U][j + 1];
    const double *eta = x[ETA][j], *eta_north = x[ETA][j + 1];
    double *v_next = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      v_next[i] = keep[i] * moved(k, v, u, u_north, eta, eta_north, i);
  }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  for (int j = b->j0; j < b->j1; j++) {
    const Row k = row_of(b, params, j);
    const double *keep = x[KEEP][j], *v = x[V][j], *u = x[U][j], *u_north = x[U][j + 1];
    const double *eta = x[ETA][j], *eta_north = x[ETA][j + 1];
    const double *dkeep = dx[KEEP][j], *dv = dx[V][j], *du = dx[U][j], *du_north = dx[U][j + 1];
    const double *deta = dx[ETA][j], *deta_north = dx[ETA][j + 1];
    double *dv_next = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      dv_next[i] = keep[i] * moved(k, dv, du, du_north, deta, deta_north, i) +
                   dkeep[i] * moved(k, v, u, u_north, eta, eta_north, i);
  }
}

/* kept_south, kept: keep_v v'_bar */
static inline void of_row(const HgBox *b, const void *params, const HgRows x[], HgRows w,
                          const HgRowsOut x_bar[], int j, const double *kept_south,
                          const double *kept) {
  const Row k = row_of(b, params, j), s = row_of(b, params, j - 1);
  const HgCotangent keep_bar = HgCotangentRow(b, x_bar, KEEP, j),
                    v_bar = HgCotangentRow(b, x_bar, V, j), u_bar = HgCotangentRow(b, x_bar, U, j),
                    eta_bar = HgCotangentRow(b, x_bar, ETA, j);
  if (keep_bar.row) {
    const double *v = x[V][j], *u = x[U][j], *u_north = x[U][j + 1];
    const double *eta = x[ETA][j], *eta_north = x[ETA][j + 1], *v_next_bar = w[j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(keep_bar, i, v_next_bar[i] * moved(k, v, u, u_north, eta, eta_north, i));
  }
  if (v_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(v_bar, i, kept[i]);
  }
  if (u_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(
          u_bar, i,
          -(k.turn * (kept[i] + kept[i + 1]) + s.turn * (kept_south[i] + kept_south[i + 1])));
  }
  if (eta_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(eta_bar, i, k.slope * (kept[i] - kept_south[i]));
  }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  tsunami_in_reverse(b, params, x, y_bar, x_bar, -1, of_row);
}

const HgStencil hg_tsunami_north = {
    .name = "tsunami_north",
    .reads =
        (const HgRead[]){{"keep_v", 0, 1}, {"v", 0, 0}, {"u", 1, 1}, {"eta", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"v", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_tsunami_north_generated_second,
    .only_for =
        (const char *const[][2]){{"v", "keep_v"}, {"u", "keep_v"}, {"eta", "keep_v"}, {NULL, NULL}},
    .sets = true,
    .spherical = true,
    .params_size = sizeof(HgTsunamiParams),
};
