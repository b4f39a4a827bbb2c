/* Shallow water: step and trajectory of 200 steps pass zero, linearity, dot product and Taylor; so
   does each control alone by Taylor. */
#include "claim.h"
#include "shallow_case.h"
#include "trajectory_claims.h"
static PetscErrorCode test(void) {
  static const char *const controls[] = {"h", "u", "v", "b", "f", "nu"};
  /* the arithmetic is the same on any number of ranks (shallow_bits): spare the crowded */
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  const bool crowded = size > 6;
  for (int walls = 0; walls < 4; walls++)
    for (int published = 0; published < 2; published++) {
      if (crowded && published != walls % 2) continue;
      const bool channel = walls == 1 && !published && !crowded;
      const ShallowSpec spec = {.nx = 16,
                                .ny = 17,
                                .steps = channel ? 200 : 20,
                                .periodic_x = walls & 1,
                                .periodic_y = walls & 2,
                                .published = published,
                                .policy = HG_SCHEDULE_REVOLVE,
                                .slots = 12};
      ShallowCase c;
      HgOperator first, later;
      PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
      PetscCall(HgProgramOperator(c.program, 0, &first));
      PetscCall(HgProgramOperator(c.program, 3, &later));
      PetscCall(claim_checks("the Euler step", first, c.x, 1e-13, 100 + 10 * walls + published));
      PetscCall(claim_checks("a later step", later, c.x, 1e-13, 200 + 10 * walls + published));
      PetscCall(claim_checks("a trajectory", c.op, c.x, 1e-11, 300 + 10 * walls + published));
      for (int k = 0; channel && k < 6; k++)
        PetscCall(
            claim_taylor(c.op, c.x, controls[k], strcmp(controls[k], "nu") ? 0.1 : 1e-3, 400 + k));
      PetscCall(HgOperatorDestroy(&first));
      PetscCall(HgOperatorDestroy(&later));
      PetscCall(shallow_destroy(&c));
    }
  return 0;
}
int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("shallow water passes zero, linearity, dot product and Taylor", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
