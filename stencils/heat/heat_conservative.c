/* SPDX-License-Identifier: BSD-2-Clause */
/* heat_conservative.c -- u' = u + dt (div(kappa grad u) + s f); see heat.h. One
   expression per cell, in a fixed order. */
#include "heat_private.h"
#include <halograd/heat.h>

typedef HgHeatWeights Weights;

/* rx and ry are halved, for the mean of two kappa. */
static Weights weights(const HgBox *b, const void *params) { return heat_weights(b, params, 0.5); }

/* div(k grad u), in u its own transpose: east and west of a face see the same flux, with opposite
   signs, to the last bit */
static inline HgReal diffusion(Weights c, HgAround k, HgAround u, int i) {
  return c.rx * ((k.at[i] + k.at[i - 1]) * (u.at[i - 1] - u.at[i]) +
                 (k.at[i] + k.at[i + 1]) * (u.at[i + 1] - u.at[i])) +
         c.ry * ((k.at[i] + k.south[i]) * (u.south[i] - u.at[i]) +
                 (k.at[i] + k.north[i]) * (u.north[i] - u.at[i]));
}

/* Each of the four faces of the cell contributes half of -du dw / h^2. */
static inline HgReal to_kappa(Weights c, HgAround u, HgAround w, int i) {
  return -(c.rx * ((u.at[i - 1] - u.at[i]) * (w.at[i - 1] - w.at[i]) +
                   (u.at[i + 1] - u.at[i]) * (w.at[i + 1] - w.at[i])) +
           c.ry * ((u.south[i] - u.at[i]) * (w.south[i] - w.at[i]) +
                   (u.north[i] - u.at[i]) * (w.north[i] - w.at[i])));
}

static void plain_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  heat_apply(b, diffusion, 1, HG_HEAT_STEP, weights(b, params), x, y[0]);
}

static void plain_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                          const HgRowsOut dy[]) {
  heat_tangent(b, diffusion, 1, HG_HEAT_STEP, weights(b, params), x, dx, dy[0]);
}

static void plain_adjoint(const HgBox *b, const void *params, const HgRows x[],
                          const HgRows y_bar[], const HgRowsOut x_bar[]) {
  heat_adjoint(b, diffusion, to_kappa, HG_HEAT_STEP, weights(b, params), x, y_bar[0], x_bar);
}

static void forced_apply(const HgBox *b, const void *params, const HgRows x[],
                         const HgRowsOut y[]) {
  heat_apply(b, diffusion, 1, HG_HEAT_FORCED, weights(b, params), x, y[0]);
}

static void forced_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                           const HgRowsOut dy[]) {
  heat_tangent(b, diffusion, 1, HG_HEAT_FORCED, weights(b, params), x, dx, dy[0]);
}

static void forced_adjoint(const HgBox *b, const void *params, const HgRows x[],
                           const HgRows y_bar[], const HgRowsOut x_bar[]) {
  heat_adjoint(b, diffusion, to_kappa, HG_HEAT_FORCED, weights(b, params), x, y_bar[0], x_bar);
}

const HgStencil hg_heat_conservative = {
    .name = "heat_conservative",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = plain_apply,
    .tangent = plain_tangent,
    .adjoint = plain_adjoint,
    .second = hg_heat_conservative_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .sets = true,
};

const HgStencil hg_heat_conservative_forced = {
    .name = "heat_conservative_forced",
    .reads =
        (const HgRead[]){{"u", 1, 1}, {"kappa", 1, 1}, {"f", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = forced_apply,
    .tangent = forced_tangent,
    .adjoint = forced_adjoint,
    .second = hg_heat_conservative_forced_generated_second,
    .only_for = (const char *const[][2]){{"u", "kappa"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgHeatParams),
};
