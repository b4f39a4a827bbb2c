/* heat_conservative.c -- see heat_conservative.h. One expression per cell, in a fixed order. */
#include "heat_private.h"
#include <halograd/heat_conservative.h>

typedef HgHeatWeights Weights;

/* rx and ry are halved, for the mean of two kappa. */
static Weights weights(const HgBox *b, const void *params) { return heat_weights(b, params, 0.5); }

/* div(k grad u): east and west of a face see the same flux, with opposite signs, to the last bit */
static inline double diffusion(Weights c, HgAround k, HgAround u, int i) {
  return c.rx * ((k.at[i] + k.at[i - 1]) * (u.at[i - 1] - u.at[i]) +
                 (k.at[i] + k.at[i + 1]) * (u.at[i + 1] - u.at[i])) +
         c.ry * ((k.at[i] + k.south[i]) * (u.south[i] - u.at[i]) +
                 (k.at[i] + k.north[i]) * (u.north[i] - u.at[i]));
}

static void plain_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Weights c = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j), kappa = HgRowsAround(x[1], j);
    double *u_next = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) u_next[i] = u.at[i] + c.dt * diffusion(c, kappa, u, i);
  }
}

static void forced_apply(const HgBox *b, const void *params, const HgRows x[],
                         const HgRowsOut y[]) {
  const Weights c = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j), kappa = HgRowsAround(x[1], j);
    const double *f = x[2][j];
    double *u_next = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      u_next[i] = u.at[i] + c.dt * (diffusion(c, kappa, u, i) + c.s * f[i]);
  }
}

static void plain_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                          const HgRowsOut dy[]) {
  const Weights c = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j), kappa = HgRowsAround(x[1], j);
    const HgAround du = HgRowsAround(dx[0], j), dkappa = HgRowsAround(dx[1], j);
    double *du_next = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      du_next[i] = du.at[i] + c.dt * (diffusion(c, kappa, du, i) + diffusion(c, dkappa, u, i));
  }
}

static void forced_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                           const HgRowsOut dy[]) {
  const Weights c = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j), kappa = HgRowsAround(x[1], j);
    const HgAround du = HgRowsAround(dx[0], j), dkappa = HgRowsAround(dx[1], j);
    const double *df = dx[2][j];
    double *du_next = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      du_next[i] =
          du.at[i] + c.dt * (diffusion(c, kappa, du, i) + diffusion(c, dkappa, u, i) + c.s * df[i]);
  }
}

/* The contributions of w around a cell to its u_bar: diffusion is symmetric in u. */
static inline double u_owed(Weights c, HgAround kappa, HgAround w, int i) {
  return w.at[i] + c.dt * diffusion(c, kappa, w, i);
}

/* kappa_bar: each of the four faces of the cell contributes half of -dt du dw / h^2. */
static inline double kappa_owed(Weights c, HgAround u, HgAround w, int i) {
  return -c.dt * (c.rx * ((u.at[i - 1] - u.at[i]) * (w.at[i - 1] - w.at[i]) +
                          (u.at[i + 1] - u.at[i]) * (w.at[i + 1] - w.at[i])) +
                  c.ry * ((u.south[i] - u.at[i]) * (w.south[i] - w.at[i]) +
                          (u.north[i] - u.at[i]) * (w.north[i] - w.at[i])));
}

static void plain_adjoint(const HgBox *b, const void *params, const HgRows x[],
                          const HgRows y_bar[], const HgRowsOut x_bar[]) {
  heat_gather(b, weights(b, params), u_owed, kappa_owed, x, y_bar[0], x_bar[0], x_bar[1], NULL);
}

static void forced_adjoint(const HgBox *b, const void *params, const HgRows x[],
                           const HgRows y_bar[], const HgRowsOut x_bar[]) {
  heat_gather(b, weights(b, params), u_owed, kappa_owed, x, y_bar[0], x_bar[0], x_bar[1], x_bar[2]);
}

const HgStencil hg_heat_conservative = {
    .name = "heat_conservative",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = plain_apply,
    .tangent = plain_tangent,
    .adjoint = plain_adjoint,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
};
const HgStencil hg_heat_conservative_forced = {
    .name = "heat_conservative_forced",
    .reads =
        (const HgRead[]){{"u", 1, 1}, {"kappa", 1, 1}, {"f", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = forced_apply,
    .tangent = forced_tangent,
    .adjoint = forced_adjoint,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .params_size = sizeof(HgHeatParams),
};
