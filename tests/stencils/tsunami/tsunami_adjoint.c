/* The linear tsunami passes zero, linearity, dot product and Taylor, a step and 545 of them; its
   adjoint reads no state, so that nothing is stored but the start; and an error planted at a coast is
   caught. */
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

/* The current through eastern faces, whose adjoint takes closed faces for open ones. */
static void leaky(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                  const HgRowsOut x_bar[]) {
  enum { KEEP = 0, ETA = 3 };

  hg_tsunami_east.adjoint(b, params, x, y_bar, x_bar);
  for (int j = b->j0; j < b->j1 && x_bar[ETA]; j++)
    for (int i = b->i0; i < b->i1; i++)
      if (x[KEEP][j][i] == 0) x_bar[ETA][j][i] += b->dt * 9.81 / b->dx * y_bar[0][j][i];
}

static PetscErrorCode planted(void) {
  TsunamiCase c;
  HgProgram program;
  HgOperator step;
  HgCheckReport report;
  HgStencil wrong = hg_tsunami_east;
  wrong.adjoint = leaky;
  const HgStencil *const stencils[] = {&wrong, &hg_tsunami_north, &hg_tsunami_surface, NULL};
  HgPhysics physics = hg_tsunami_physics;
  physics.stencils = stencils;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &(TsunamiSpec){.steps = 4}, &c));
  PetscCall(HgProgramCreatePhysics(c.mesh, &physics, &tsunami_params, 12, &program));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramOperator(program, 0, &step));
  PetscCall(HgCheckOperator(step, c.x, &(HgCheckOptions){.seed = 4}, &report));
  claim_that(report.dot > 1e-9,
             "an error at a coast moves the dot product by %g only, expected 1e-9", report.dot);
  PetscCall(HgOperatorDestroy(&step));
  PetscCall(HgProgramDestroy(&program));
  return tsunami_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the linear tsunami passes the checks and stores nothing but its start", 0);
  if (!ierr) ierr = checks();
  if (!ierr) ierr = constants();
  if (!ierr) ierr = planted();
  return claim_end(ierr);
}
