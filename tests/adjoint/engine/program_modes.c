/* SPDX-License-Identifier: BSD-2-Clause */
/* Overlapping messages with work changes no bit of J, gradient and final state. */
#include "claim.h"
#include "heat_case.h"
#include "trajectory_claims.h"

static PetscErrorCode run(const HeatSpec *spec, bool overlap, char text[256]) {
  HeatCase c;
  PetscCall(PetscOptionsSetValue(NULL, "-hg_overlap", overlap ? "1" : "0"));
  PetscCall(heat_create(PETSC_COMM_WORLD, spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  return heat_destroy(&c);
}

static PetscErrorCode test(void) {
  for (int walls = 0; walls < WALLS; walls++) { /* patches thick enough to overlap */
    const HeatSpec spec = {.nx = 5003,
                           .ny = 4 * 66,
                           .py = 0,
                           .steps = 3,
                           .walls = (Walls)walls,
                           .conservative = walls % 2,
                           .snapshot = true,
                           .slots = 3};
    char plain[256], text[256];
    PetscCall(run(&spec, false, plain));
    PetscCall(run(&spec, true, text));
    claim_that(!strcmp(text, plain), "walls %d: '%s', plainly '%s'", walls, text, plain);
  }
  return 0;
}

CLAIM("overlapping changes no bit", 0, test)
