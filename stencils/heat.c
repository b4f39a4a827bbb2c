/* heat.c -- see heat.h. Every loop body is one expression per cell, in a fixed order. */
#include <halograd/five_point.h>
#include <halograd/heat.h>
#include <math.h>
#include <stddef.h>
typedef struct {
  double dt, s, rx, ry;
} Weights;
static Weights weights(const HgBox *b, const void *params) {
  const HgHeatParams *p = params;
  return (Weights){p->dt, exp(-p->decay * b->t), 1 / (b->dx * b->dx), 1 / (b->dy * b->dy)};
}
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
/* All cotangents of one row before the next: w and kappa come from memory once. */
static void heat_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  const Weights c = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround w = HgRowsAround(y_bar[0], j);
    if (x_bar[0]) {
      const HgAround kappa = HgRowsAround(x[1], j);
      double *u_bar = x_bar[0][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        u_bar[i] += w.at[i] + c.dt * HgLaplacianOfProduct(c.rx, c.ry, kappa, w, i);
    }
    if (x_bar[1]) {
      const HgAround u = HgRowsAround(x[0], j);
      double *kappa_bar = x_bar[1][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        kappa_bar[i] += c.dt * (w.at[i] * HgLaplacian(c.rx, c.ry, u, i));
    }
  }
}
static void forced_adjoint(const HgBox *b, const void *params, const HgRows x[],
                           const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights c = weights(b, params);
  heat_adjoint(b, params, x, y_bar, x_bar);
  if (!x_bar[2]) return;
  for (int j = b->j0; j < b->j1; j++) {
    const double *w = y_bar[0][j];
    double *f_bar = x_bar[2][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) f_bar[i] += c.dt * (c.s * w[i]);
  }
}
const HgStencil hg_heat = {
    .name = "heat",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = heat_apply,
    .tangent = heat_tangent,
    .adjoint = heat_adjoint,
};
const HgStencil hg_heat_forced = {
    .name = "heat_forced",
    .reads =
        (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {"f", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = forced_apply,
    .tangent = forced_tangent,
    .adjoint = forced_adjoint,
};
