/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a trajectory without a store gives the value and the tangent of one with a store, to the
   bit, and refuses a gradient in one sentence; a Hessian is not shown to observers, also after a
   tangent that failed. */
#include "heat_case.h"
#include "refusal.h"
#include <halograd/state_library.h>
#include <halograd/trajectory_library.h>

static long each(void *unused, HgMode direction, long n) {
  (void)unused, (void)direction;
  return n;
}

static PetscErrorCode counts(void *seen, const HgTrajectorySight *s) {
  (void)s;
  ++*(int *)seen;
  return 0;
}

static PetscErrorCode unseen(HeatCase *c, HgState dx, HgState product) {
  int seen = 0;
  double J, dJ;
  PetscCall(HgTrajectoryAddObserver(
      c->trajectory, &(HgTrajectoryObserver){.next = each, .see = counts, .context = &seen}));
  PetscCall(HgStateSetConstant(c->x, "u", NAN));
  REFUSED(HgTrajectoryTangent(c->trajectory, c->x, dx, &J, &dJ), "J is nan");
  const int before = seen;
  PetscCall(HgStateSetField(c->x, "u", wave, NULL));
  PetscCall(HgTrajectoryHessians(c->trajectory, c->x, 1, &dx, &dJ, NULL, &product));
  claim_that(before && seen == before, "a Hessian is shown %d times", seen - before);
  return HgTrajectoryRemoveObserver(c->trajectory, &seen);
}

static PetscErrorCode test(void) {
  const HeatSpec spec = {.nx = 17, .ny = 23, .steps = 9, .walls = WALLS_MIXED, .slots = 3};
  HeatCase c;
  HgTrajectory alone;
  HgTrajectoryCost cost;
  HgState dx, x_bar;
  HgOperator op;
  double J[2], dJ[2], after;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgTrajectoryCreate(c.program, spec.steps, c.objective, NULL, &alone));
  PetscCall(HgStateDuplicate(c.x, &dx));
  PetscCall(HgStateDuplicate(c.x, &x_bar));
  PetscCall(HgStateRandom(dx, 2));
  for (int k = 0; k < 2; k++) {
    const HgTrajectory t = k ? alone : c.trajectory;
    PetscCall(HgTrajectoryTangent(t, c.x, dx, &J[k], &dJ[k]));
    PetscCall(HgTrajectoryValue(t, c.x, &after));
    claim_same(after, J[k], "J and J beside a tangent, trajectory %d", k);
  }
  claim_same(J[1], J[0], "J");
  claim_same(dJ[1], dJ[0], "dJ");
  HgTrajectoryGetCost(alone, &cost);
  claim_that(cost.memory_bytes == 0 && cost.file_bytes == 0, "%zu and %zu bytes of checkpoints",
             cost.memory_bytes, cost.file_bytes);
  REFUSED(HgTrajectoryGradient(alone, c.x, 1, &after, x_bar), "trajectory of 'heat'",
          "without a store");
  PetscCall(HgTrajectoryOperator(alone, &op));
  REFUSED(HgOperatorGradient(op, c.x, &after, x_bar), "trajectory of 'heat'", "without a store");
  PetscCall(HgOperatorDestroy(&op));
  PetscCall(unseen(&c, dx, x_bar));
  PetscCall(DESTROY(&dx, &x_bar, &alone));
  return heat_destroy(&c);
}

CLAIM("a trajectory without a store gives values", 2, test)
