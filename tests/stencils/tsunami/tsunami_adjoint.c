/* SPDX-License-Identifier: BSD-2-Clause */
/* The tsunami passes zero, linearity, dot product and Taylor, a step and hundreds of them, the
   nonlinear one, too; the linear one's adjoint reads no state, so that nothing is stored but the
   start. */
#include "tsunami_case.h"
#include <halograd/program_library.h>

/* A step and so many of them. */
static PetscErrorCode checks(const HgPhysics *physics, long steps) {
  const TsunamiSpec spec = {.sponge = 15, .steps = steps, .physics = physics};
  TsunamiCase c;
  HgOperator step;
  HgReversal way;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgProgramOperator(c.program, 0, &step));
  PetscCall(claim_checks("a step", step, c.x, 1e-13, 1));
  PetscCall(claim_checks("a trajectory", c.op, c.x, 1e-11, 2));
  PetscCall(HgOperatorDestroy(&step));
  PetscCall(HgProgramReversal(c.program, false, &way));
  claim_that(way.reads_state == (physics == &tsunami_nonlinear_physics),
             "%s: the plan believes that the adjoint %s the state", physics->name,
             way.reads_state ? "reads" : "does not read");
  return tsunami_destroy(&c);
}

/* Of the linear one nothing is stored but the start. */
static PetscErrorCode stores_nothing(long steps) {
  const TsunamiSpec spec = {.sponge = 15, .steps = steps};
  TsunamiCase c;
  HgTrajectoryCost cost;
  HgState gradient;
  double J;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgOperatorCreateInput(c.op, &gradient));
  PetscCall(HgOperatorGradient(c.op, c.x, &J, gradient));
  PetscCall(HgStateDestroy(&gradient));
  HgTrajectoryGetCost(c.trajectory, &cost);
  claim_that(cost.advances == steps && cost.slots <= 1,
             "%ld steps were made and %d states stored, expected %ld and at most 1", cost.advances,
             cost.slots, steps);
  return tsunami_destroy(&c);
}

/* By every constant, too: the sea floor is as differentiable as the surface. */
static PetscErrorCode constants(const HgPhysics *physics) {
  const TsunamiSpec spec = {.sponge = 15, .steps = 4, .physics = physics};
  TsunamiCase c;
  HgOperator step;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(tsunami_constants(&c, true));
  PetscCall(HgProgramOperator(c.program, 0, &step));
  PetscCall(HgStateSetField(c.x, "u", tsunami_hump, NULL));
  PetscCall(HgStateSetField(c.x, "v", tsunami_hump, NULL));
  PetscCall(claim_checks("a step by its constants", step, c.x, 1e-13, 3));
  PetscCall(HgOperatorDestroy(&step));
  return tsunami_destroy(&c);
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  const long steps = size > 1 ? 60 : 545; /* the arithmetic is the same: spare the crowded */
  PetscCall(checks(&tsunami_physics, steps));
  PetscCall(checks(&tsunami_nonlinear_physics, size > 1 ? 20 : 150));
  PetscCall(stores_nothing(steps));
  PetscCall(constants(&tsunami_physics));
  return constants(&tsunami_nonlinear_physics);
}

CLAIM("the tsunami passes the checks; the linear one stores nothing but its start", 0, test)
