/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a measurement at a step needs no step after it; times that do not increase are refused. */
#include "claim.h"
#include "heat_case.h"
#include "refusal.h"
#include <halograd/objective_library.h>

enum { STEPS = 40, LAST = 10 };

static PetscErrorCode test(void) {
  const HeatSpec spec = {.nx = 12, .ny = 9, .steps = STEPS, .walls = WALLS_INSULATED, .slots = 4};
  HeatCase c;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  const double at[] = {5, LAST}, back[] = {7, 3.5};
  HgObjective J;
  PetscCall(HgObjectiveCreate(c.program, STEPS, &J));
  REFUSED(heat_sense(&c, 2, back, J), "observation time 1", "expected increasing times");
  PetscCall(heat_sense(&c, 2, at, J));
  claim_that(HgObjectiveNext(J, LAST + 1) == HG_NO_STEP, "nothing is looked at after step %d",
             (int)LAST);
  PetscCall(HgObjectiveDestroy(&J));
  return heat_destroy(&c);
}

CLAIM("a measurement at the last step needs none after it", 0, test)
