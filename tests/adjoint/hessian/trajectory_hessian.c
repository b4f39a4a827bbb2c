/* SPDX-License-Identifier: BSD-2-Clause */
/* The Hessian of heat and shallow water behind any walls is symmetric and the limit of differences
   of gradients; the gradient and J'(x) dx that come with it have the bits of those alone. */
#include "heat_case.h"
#include "hessian_claims.h"
#include "shallow_case.h"

static PetscErrorCode heat(void) {
  for (int walls = 0; walls < WALLS; walls++) {
    const HeatSpec spec = {.nx = 17 + walls,
                           .ny = 14,
                           .steps = 23,
                           .walls = (Walls)walls,
                           .ghost = walls % 2 ? 3 : 1,
                           .conservative = walls % 2,
                           .snapshot = walls > 1,
                           .slots = walls ? 4 : 23};
    char what[64];
    HeatCase c;
    snprintf(what, sizeof what, "heat, walls %d", walls);
    PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
    PetscCall(claim_second_order(what, c.trajectory, c.x, 0.1, 1e-13, 10 + (uint64_t)walls));
    PetscCall(heat_destroy(&c));
  }
  return 0;
}

static PetscErrorCode shallow(void) {
  for (int kind = 0; kind < 4; kind++) {
    const ShallowSpec spec = {.nx = 16,
                              .ny = 13 + kind,
                              .steps = 19,
                              .periodic_x = kind & 1,
                              .reference = kind == 2,
                              .reflecting = kind == 3,
                              .slots = 3 + 6 * kind,
                              .ghost = kind == 1 ? 4 : 1};
    char what[64];
    ShallowCase c;
    snprintf(what, sizeof what, "shallow water, kind %d", kind);
    PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
    PetscCall(claim_second_order(what, c.trajectory, c.x, 0.02, 1e-13, 30 + (uint64_t)kind));
    PetscCall(shallow_destroy(&c));
  }
  return 0;
}

CLAIM("Hessians are symmetric and the limit of differences of gradients", 0, heat, shallow)
