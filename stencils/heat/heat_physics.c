/* SPDX-License-Identifier: BSD-2-Clause */
/* heat_physics.c -- the heat equation as a physics: walls held at 0, kappa copied outwards. */
#include <halograd/heat.h>
#include <stddef.h>

#define U                                                                                          \
  { "u", "K", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0) }
#define KAPPA                                                                                      \
  { "kappa", "m^2/s", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0) }
#define SOURCE                                                                                     \
  { "f", "K/s", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0) }

static const HgPhysicsVariable plain[] = {U, KAPPA, {.name = NULL}},
                               forced[] = {U, KAPPA, SOURCE, {.name = NULL}};

static const HgPhysicsNumber numbers[] = {
    {"decay", "1/s", offsetof(HgHeatParams, decay), HG_ANY_SIGN}, {.name = NULL}};

static double largest_step(const void *params, double dx, double dy, double dz,
                           const HgRange range[]) {
  (void)dz;

  enum { OF_KAPPA = 1 };

  (void)params;
  return HgHeatLargestStep(range[OF_KAPPA].largest, dx, dy);
}

const HgPhysics hg_heat_physics = {.name = "heat",
                                   .variables = plain,
                                   .stencils = (const HgStencil *const[]){&hg_heat, NULL},
                                   .largest_step = largest_step};

const HgPhysics hg_heat_forced_physics = {.name = "heat",
                                          .variables = forced,
                                          .stencils =
                                              (const HgStencil *const[]){&hg_heat_forced, NULL},
                                          .largest_step = largest_step,
                                          .params_size = sizeof(HgHeatParams),
                                          .numbers = numbers};

const HgPhysics hg_heat_conservative_physics = {
    .name = "heat",
    .variables = plain,
    .stencils = (const HgStencil *const[]){&hg_heat_conservative, NULL},
    .largest_step = largest_step};

const HgPhysics hg_heat_conservative_forced_physics = {
    .name = "heat",
    .variables = forced,
    .stencils = (const HgStencil *const[]){&hg_heat_conservative_forced, NULL},
    .largest_step = largest_step,
    .params_size = sizeof(HgHeatParams),
    .numbers = numbers};
