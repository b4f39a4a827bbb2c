/* SPDX-License-Identifier: BSD-2-Clause */
/* heat.c -- u' = u + dt (kappa lap(u) + s f); see heat.h. One expression per cell, in a fixed
   order. */
#include "heat_private.h"

typedef HgHeatWeights Weights;

static Weights weights(const HgBox *b, const void *params) { return heat_weights(b, params, 1); }

double HgHeatLargestStep(double kappa_largest, double dx, double dy) {
  return 1 / (2 * kappa_largest * (1 / (dx * dx) + 1 / (dy * dy)));
}

/* kappa lap(u) */
static inline HgReal rate(Weights c, HgAround kappa, HgAround u, int i) {
  return kappa.at[i] * HgLaplacian(c.rx, c.ry, u, i);
}

/* lap(kappa w) */
static inline HgReal to_u(Weights c, HgAround kappa, HgAround w, int i) {
  return heat_laplacian_of_product(c.rx, c.ry, kappa, w, i);
}

/* w lap(u) */
static inline HgReal to_kappa(Weights c, HgAround u, HgAround w, int i) {
  return w.at[i] * HgLaplacian(c.rx, c.ry, u, i);
}

static void tendency_apply(const HgBox *b, const void *params, const HgRows x[],
                           const HgRowsOut y[]) {
  heat_apply(b, rate, 0, HG_HEAT_TENDENCY, weights(b, params), x, y[0]);
}

static void tendency_tangent(const HgBox *b, const void *params, const HgRows x[],
                             const HgRows dx[], const HgRowsOut dy[]) {
  heat_tangent(b, rate, 0, HG_HEAT_TENDENCY, weights(b, params), x, dx, dy[0]);
}

static void tendency_adjoint(const HgBox *b, const void *params, const HgRows x[],
                             const HgRows y_bar[], const HgRowsOut x_bar[]) {
  heat_adjoint(b, to_u, to_kappa, HG_HEAT_TENDENCY, weights(b, params), x, y_bar[0], x_bar);
}

static void plain_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  heat_apply(b, rate, 0, HG_HEAT_STEP, weights(b, params), x, y[0]);
}

static void plain_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                          const HgRowsOut dy[]) {
  heat_tangent(b, rate, 0, HG_HEAT_STEP, weights(b, params), x, dx, dy[0]);
}

static void plain_adjoint(const HgBox *b, const void *params, const HgRows x[],
                          const HgRows y_bar[], const HgRowsOut x_bar[]) {
  heat_adjoint(b, to_u, to_kappa, HG_HEAT_STEP, weights(b, params), x, y_bar[0], x_bar);
}

static void forced_apply(const HgBox *b, const void *params, const HgRows x[],
                         const HgRowsOut y[]) {
  heat_apply(b, rate, 0, HG_HEAT_FORCED, weights(b, params), x, y[0]);
}

static void forced_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                           const HgRowsOut dy[]) {
  heat_tangent(b, rate, 0, HG_HEAT_FORCED, weights(b, params), x, dx, dy[0]);
}

static void forced_adjoint(const HgBox *b, const void *params, const HgRows x[],
                           const HgRows y_bar[], const HgRowsOut x_bar[]) {
  heat_adjoint(b, to_u, to_kappa, HG_HEAT_FORCED, weights(b, params), x, y_bar[0], x_bar);
}

const HgStencil hg_heat_tendency = {
    .name = "heat_tendency",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u_r", NULL},
    .apply = tendency_apply,
    .tangent = tendency_tangent,
    .adjoint = tendency_adjoint,
    .second = hg_heat_tendency_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .sets = true,
};

const HgStencil hg_heat = {
    .name = "heat",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = plain_apply,
    .tangent = plain_tangent,
    .adjoint = plain_adjoint,
    .second = hg_heat_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .sets = true,
};

const HgStencil hg_heat_forced = {
    .name = "heat_forced",
    .reads =
        (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {"f", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = forced_apply,
    .tangent = forced_tangent,
    .adjoint = forced_adjoint,
    .second = hg_heat_forced_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgHeatParams),
};
