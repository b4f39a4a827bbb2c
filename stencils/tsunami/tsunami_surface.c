/* tsunami_surface.c -- the surface rises where more water comes than goes:

     eta' = keep (eta - dt ((h_u u - (h_u u)_W) / (c dx) + (c_N h_v v - (c_N h_v v)_S) / (c dy)))

   In reverse, with w = keep eta'_bar and the rows' weights r = dt/(c dx), s = dt/(c dy): eta_bar +=
   w, u_bar += h_u r (w_E - w), v_bar += c_N h_v (s_N w_N - s w), and h_u_bar, h_v_bar likewise. */
#include "tsunami_private.h"

enum { KEEP, H_U, H_V, ETA, U, V };

/* dt/(c dx), dt/(c dy); the cosines of the northern and the southern faces of a row. */
typedef struct {
  double r, s, north, south;
} Row;

static Row row_of(const HgBox *b, int j) {
  const HgLatitude at = HgLatitudeOfRow(b, j), below = HgLatitudeOfRow(b, j - 1);
  return (Row){b->dt / (at.cosine * b->dx), b->dt / (at.cosine * b->dy), at.north_cosine,
               below.north_cosine};
}

/* dt div(h u): rows of h_u, u, h_v, v and of the latter two in the south */
static inline double outflow(Row k, const double *h_u, const double *u, const double *h_v,
                             const double *v, const double *h_v_south, const double *v_south,
                             int i) {
  return k.r * (h_u[i] * u[i] - h_u[i - 1] * u[i - 1]) +
         k.s * (k.north * (h_v[i] * v[i]) - k.south * (h_v_south[i] * v_south[i]));
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const Row k = row_of(b, j);
    const double *keep = x[KEEP][j], *eta = x[ETA][j], *u = x[U][j], *v = x[V][j];
    const double *v_south = x[V][j - 1], *h_u = x[H_U][j], *h_v = x[H_V][j];
    const double *h_v_south = x[H_V][j - 1];
    double *eta_next = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      eta_next[i] = keep[i] * (eta[i] - outflow(k, h_u, u, h_v, v, h_v_south, v_south, i));
  }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const Row k = row_of(b, j);
    const double *keep = x[KEEP][j], *eta = x[ETA][j], *u = x[U][j], *v = x[V][j];
    const double *v_south = x[V][j - 1], *h_u = x[H_U][j], *h_v = x[H_V][j];
    const double *h_v_south = x[H_V][j - 1];
    const double *dkeep = dx[KEEP][j], *deta = dx[ETA][j], *du = dx[U][j], *dv = dx[V][j];
    const double *dv_south = dx[V][j - 1], *dh_u = dx[H_U][j], *dh_v = dx[H_V][j];
    const double *dh_v_south = dx[H_V][j - 1];
    double *deta_next = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      deta_next[i] = keep[i] * (deta[i] - (outflow(k, h_u, du, h_v, dv, h_v_south, dv_south, i) +
                                           outflow(k, dh_u, u, dh_v, v, dh_v_south, v_south, i))) +
                     dkeep[i] * (eta[i] - outflow(k, h_u, u, h_v, v, h_v_south, v_south, i));
  }
}

/* What a flux of 1 through an eastern and through a northern face does to J. */
static inline double flux_east(Row k, const double *keep, const double *w, int i) {
  return k.r * (keep[i + 1] * w[i + 1] - keep[i] * w[i]);
}

static inline double flux_north(Row k, Row n, const double *keep, const double *keep_north,
                                const double *w, const double *w_north, int i) {
  return k.north * (n.s * (keep_north[i] * w_north[i]) - k.s * (keep[i] * w[i]));
}

static void of_state(const HgBox *b, const HgRows x[], HgRows y_bar, const HgRowsOut x_bar[],
                     int j) {
  const Row k = row_of(b, j), n = row_of(b, j + 1);
  const double *keep = x[KEEP][j], *keep_north = x[KEEP][j + 1], *h_u = x[H_U][j], *h_v = x[H_V][j];
  const double *w = y_bar[j], *w_north = y_bar[j + 1];
  const HgCotangent eta_bar = HgCotangentRow(b, x_bar, ETA, j),
                    u_bar = HgCotangentRow(b, x_bar, U, j), v_bar = HgCotangentRow(b, x_bar, V, j);
  if (eta_bar.row && u_bar.row && v_bar.row) { /* w is read once for all three */
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const double east = flux_east(k, keep, w, i);
      const double north = flux_north(k, n, keep, keep_north, w, w_north, i);
      HgContribute(eta_bar, i, keep[i] * w[i]);
      HgContribute(u_bar, i, h_u[i] * east);
      HgContribute(v_bar, i, h_v[i] * north);
    }
    return;
  }
  if (eta_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(eta_bar, i, keep[i] * w[i]);
  }
  if (u_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(u_bar, i, h_u[i] * flux_east(k, keep, w, i));
  }
  if (v_bar.row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(v_bar, i, h_v[i] * flux_north(k, n, keep, keep_north, w, w_north, i));
  }
}

static void of_constants(const HgBox *b, const HgRows x[], HgRows y_bar, const HgRowsOut x_bar[],
                         int j) {
  const Row k = row_of(b, j), n = row_of(b, j + 1);
  const double *keep = x[KEEP][j], *keep_north = x[KEEP][j + 1];
  const double *w = y_bar[j], *w_north = y_bar[j + 1];
  const HgCotangent keep_bar = HgCotangentRow(b, x_bar, KEEP, j),
                    h_u_bar = HgCotangentRow(b, x_bar, H_U, j),
                    h_v_bar = HgCotangentRow(b, x_bar, H_V, j);
  if (keep_bar.row) {
    const double *h_u = x[H_U][j], *h_v = x[H_V][j], *h_v_south = x[H_V][j - 1];
    const double *eta = x[ETA][j], *u = x[U][j], *v = x[V][j], *v_south = x[V][j - 1];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(keep_bar, i,
                   w[i] * (eta[i] - outflow(k, h_u, u, h_v, v, h_v_south, v_south, i)));
  }
  if (h_u_bar.row) {
    const double *u = x[U][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(h_u_bar, i, u[i] * flux_east(k, keep, w, i));
  }
  if (h_v_bar.row) {
    const double *v = x[V][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgContribute(h_v_bar, i, v[i] * flux_north(k, n, keep, keep_north, w, w_north, i));
  }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    of_state(b, x, y_bar[0], x_bar, j);
    of_constants(b, x, y_bar[0], x_bar, j);
  }
}

const HgStencil hg_tsunami_surface = {
    .name = "tsunami_surface",
    .reads = (const HgRead[]){{"keep", 0, 1},
                              {"h_u", 1, 1},
                              {"h_v", 1, 1},
                              {"eta", 0, 0},
                              {"u", 1, 1},
                              {"v", 1, 1},
                              {NULL, 0, 0}},
    .writes = (const char *const[]){"eta", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_tsunami_surface_generated_second,
    .only_for = (const char *const[][2]){{"eta", "keep"},
                                         {"u", "keep"},
                                         {"u", "h_u"},
                                         {"v", "keep"},
                                         {"v", "h_v"},
                                         {NULL, NULL}},
    .sets = true,
    .spherical = true,
    .params_size = sizeof(HgTsunamiParams),
};
