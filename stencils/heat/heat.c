/* heat.c -- see heat.h. Every loop body is one expression per cell, in a fixed order. */
#include "heat_private.h"

typedef HgHeatWeights Weights;

static Weights weights(const HgBox *b, const void *params) { return heat_weights(b, params, 1); }

double HgHeatLargestStep(double kappa_largest, double dx, double dy) {
  return 1 / (2 * kappa_largest * (1 / (dx * dx) + 1 / (dy * dy)));
}

static void heat_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Weights c = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j);
    const double *kappa = x[1][j];
    double *u_next = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      u_next[i] = u.at[i] + c.dt * (kappa[i] * HgLaplacian(c.rx, c.ry, u, i));
  }
}

static void forced_apply(const HgBox *b, const void *params, const HgRows x[],
                         const HgRowsOut y[]) {
  const Weights c = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j);
    const double *kappa = x[1][j], *f = x[2][j];
    double *u_next = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      u_next[i] = u.at[i] + c.dt * (kappa[i] * HgLaplacian(c.rx, c.ry, u, i) + c.s * f[i]);
  }
}

static void heat_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  const Weights c = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j), du = HgRowsAround(dx[0], j);
    const double *kappa = x[1][j], *dkappa = dx[1][j];
    double *du_next = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      du_next[i] = du.at[i] + c.dt * (kappa[i] * HgLaplacian(c.rx, c.ry, du, i) +
                                      dkappa[i] * HgLaplacian(c.rx, c.ry, u, i));
  }
}

static void forced_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                           const HgRowsOut dy[]) {
  const Weights c = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j), du = HgRowsAround(dx[0], j);
    const double *kappa = x[1][j], *dkappa = dx[1][j], *df = dx[2][j];
    double *du_next = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      du_next[i] = du.at[i] + c.dt * (kappa[i] * HgLaplacian(c.rx, c.ry, du, i) +
                                      dkappa[i] * HgLaplacian(c.rx, c.ry, u, i) + c.s * df[i]);
  }
}

/* The contributions of w around a cell to its u_bar and kappa_bar. */
static inline double u_owed(Weights c, HgAround kappa, HgAround w, int i) {
  return w.at[i] + c.dt * HgLaplacianOfProduct(c.rx, c.ry, kappa, w, i);
}

static inline double kappa_owed(Weights c, HgAround u, HgAround w, int i) {
  return c.dt * (w.at[i] * HgLaplacian(c.rx, c.ry, u, i));
}

static void heat_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  heat_gather(b, weights(b, params), u_owed, kappa_owed, x, y_bar[0], x_bar[0], x_bar[1], NULL);
}

static void forced_adjoint(const HgBox *b, const void *params, const HgRows x[],
                           const HgRows y_bar[], const HgRowsOut x_bar[]) {
  heat_gather(b, weights(b, params), u_owed, kappa_owed, x, y_bar[0], x_bar[0], x_bar[1], x_bar[2]);
}

const HgStencil hg_heat = {
    .name = "heat",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = heat_apply,
    .tangent = heat_tangent,
    .adjoint = heat_adjoint,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
};
const HgStencil hg_heat_forced = {
    .name = "heat_forced",
    .reads =
        (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {"f", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = forced_apply,
    .tangent = forced_tangent,
    .adjoint = forced_adjoint,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .params_size = sizeof(HgHeatParams),
};
