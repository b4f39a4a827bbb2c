/* SPDX-License-Identifier: BSD-2-Clause */
/* Step and trajectory pass zero, linearity, dot product and Taylor for both heat forms and all
   walls. */
#include "claim.h"
#include "heat_case.h"
#include "trajectory_claims.h"

static PetscErrorCode test(void) {
  int thin_x = 7, thin_y = 24;
  for (int walls = 0; walls < WALLS; walls++)
    for (int conservative = 0; conservative < 2; conservative++) {
      HeatSpec spec = {.nx = thin_x + walls,
                       .ny = thin_y + walls,
                       .steps = 40,
                       .walls = (Walls)walls,
                       .conservative = conservative,
                       .snapshot = true,
                       .slots = 4};
      HeatCase c;
      HgOperator step;
      PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
      PetscCall(HgProgramOperator(c.program, 3, &step));
      PetscCall(claim_checks("one step", step, c.x, 0, 100 + walls));
      PetscCall(claim_checks("a trajectory of 40 steps", c.op, c.x, 1e-12, 200 + walls));
      PetscCall(HgOperatorDestroy(&step));
      PetscCall(heat_destroy(&c));
      spec.steps = 1; /* little but the misfit: sensors at walls and between steps, a snapshot */
      PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
      PetscCall(claim_checks("misfit after one step", c.op, c.x, 1e-13, 400 + (uint64_t)walls));
      PetscCall(heat_destroy(&c));
    }
  /* a thousand steps are the same arithmetic on any number of ranks (trajectory_bits): spare the
     crowded ones */
  const int size = claim.ranks;
  if (size > 4) return 0;
  HeatSpec spec = {.nx = 20, .ny = 33, .steps = 1000, .walls = WALLS_FIXED, .slots = 20};
  HeatCase c;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(claim_checks("a trajectory of 1000 steps", c.op, c.x, 1e-11, 300));
  return heat_destroy(&c);
}

CLAIM("step and trajectory pass zero, linearity, dot product and Taylor", 0, test)
