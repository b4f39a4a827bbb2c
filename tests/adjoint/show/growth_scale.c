/* Claim: lambda is watched in units of J_bar: a contribution of J so sharp that lambda is nothing else
   there is no growth, whatever J_bar is. */
#include "claim.h"
#include "heat_case.h"
#include <halograd/growth.h>

enum { STEPS = 40, SNAPSHOT = 10 };

static PetscErrorCode gradient(HeatCase *c, double J_bar, HgGrowthReport *report) {
  const double at[] = {10, 30};
  HgObjective J;
  HgTrajectory t;
  HgGrowth growth;
  HgState bar;
  double value;
  PetscCall(HgStateDuplicate(c->x, &bar));
  PetscCall(HgObjectiveCreate(c->program, STEPS, &J));
  PetscCall(heat_sense(c, 2, at, J));
  PetscCall(HgObjectiveAddSnapshot(J, "u", SNAPSHOT, c->data, 0.01));
  PetscCall(HgTrajectoryCreate(c->program, STEPS, J, HG_SCHEDULE_REVOLVE, c->store, &t));
  PetscCall(HgGrowthCreate(t, &growth));
  PetscCall(HgTrajectoryGradient(t, c->x, J_bar, &value, bar));
  *report = HgGrowthGet(growth);
  PetscCall(HgGrowthDestroy(&growth));
  PetscCall(HgTrajectoryDestroy(&t));
  PetscCall(HgObjectiveDestroy(&J));
  return HgStateDestroy(&bar);
}

static PetscErrorCode test(void) {
  const HeatSpec spec = {.nx = 12,
                         .ny = 9,
                         .steps = STEPS,
                         .walls = WALLS_INSULATED,
                         .policy = HG_SCHEDULE_REVOLVE,
                         .slots = 4};
  HeatCase c;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  HgGrowthReport one, other;
  PetscCall(gradient(&c, 1, &one));
  PetscCall(gradient(&c, 64, &other));
  claim_same(other.most, one.most, "the largest growth with J_bar = 64");
  return heat_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("lambda is watched in units of J_bar", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
