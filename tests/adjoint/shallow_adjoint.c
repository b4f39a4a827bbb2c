/* Shallow water: step and trajectory of 200 steps pass zero, linearity, dot product and Taylor; so
   does each control alone by Taylor. */
#include "claim.h"
#include "shallow_case.h"
#include "trajectory_claims.h"
/* The order at which |J(x + e dx) - J(x) - e dJ| falls where it is smallest and yet 10^4 times
   rounding; dx moves the control `name` alone. */
static PetscErrorCode taylor_of(ShallowCase *c, const char name[], uint64_t seed) {
  HgState dx, moved;
  double J, dJ, there, before = 0, order = 0;
  int index, orders = 0;
  PetscCall(HgStateDuplicate(c->x, &dx));
  PetscCall(HgStateDuplicate(c->x, &moved));
  PetscCall(HgStateIndex(c->x, name, &index));
  PetscCall(HgStateRandom(moved, seed));
  PetscCall(HgStateAXPYVariable(dx, index, strcmp(name, "nu") ? 0.1 : 1e-3, moved, index));
  PetscCall(HgTrajectoryTangent(c->trajectory, c->x, dx, &J, &dJ));
  for (double e = 1; e > 1e-5; e /= 2) {
    PetscCall(HgStateCopy(c->x, moved));
    PetscCall(HgStateAXPY(moved, e, dx));
    PetscCall(HgTrajectoryValue(c->trajectory, moved, &there));
    const double now = fabs(there - J - e * dJ);
    if (now < 1e4 * PETSC_MACHINE_EPSILON * J) break;
    if (before > 0) order = log2(before / now), orders++;
    before = now;
  }
  claim_that(orders >= 2, "control %s: %d orders could be measured, expected 2 or more", name,
             orders);
  claim_at_most(-order, -1.9, "control %s: minus the Taylor order", name);
  PetscCall(HgStateDestroy(&dx));
  return HgStateDestroy(&moved);
}
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
      for (int k = 0; channel && k < 6; k++) PetscCall(taylor_of(&c, controls[k], 400 + k));
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
