/* The linear tsunami passes zero, linearity, dot product and Taylor, a step and 545 of them; its
   adjoint reads no state, so that nothing is stored but the start. */
#include "tsunami_case.h"

static PetscErrorCode checks(void) {
  TsunamiCase c;
  HgOperator step;
  HgReversal way;
  HgTrajectoryCost cost;
  double J;
  HgState gradient;
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  const long steps = size > 1 ? 60 : 545; /* the arithmetic is the same: spare the crowded */
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &(TsunamiSpec){.sponge = 15, .steps = steps}, &c));
  PetscCall(HgProgramOperator(c.program, 0, &step));
  PetscCall(claim_checks("a step", step, c.x, 1e-13, 1));
  PetscCall(claim_checks("a trajectory", c.op, c.x, 1e-11, 2));
  PetscCall(HgOperatorDestroy(&step));

  PetscCall(HgProgramReversal(c.program, false, &way));
  claim_that(!way.reads_state, "the plan believes that the adjoint reads the state");
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
static PetscErrorCode constants(void) {
  static const char *const names[] = {"keep", "keep_u", "keep_v", "h_u", "h_v"};
  TsunamiCase c;
  HgOperator step;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &(TsunamiSpec){.sponge = 15, .steps = 4}, &c));
  for (int k = 0; k < 5; k++) PetscCall(HgProgramSetActive(c.program, names[k], true));
  PetscCall(HgProgramOperator(c.program, 0, &step));
  PetscCall(HgStateSetField(c.x, "u", tsunami_hump, NULL));
  PetscCall(HgStateSetField(c.x, "v", tsunami_hump, NULL));
  PetscCall(claim_checks("a step by its constants", step, c.x, 1e-13, 3));
  PetscCall(HgOperatorDestroy(&step));
  return tsunami_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the linear tsunami passes the checks and stores nothing but its start", 0);
  if (!ierr) ierr = checks();
  if (!ierr) ierr = constants();
  return claim_end(ierr);
}
