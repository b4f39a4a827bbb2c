/* SPDX-License-Identifier: BSD-2-Clause */
/* With checkpoints that are floats, J and the last state are exact, and the gradient is that of
   adjoints at rounded states, bit by bit as a loop by hand makes it, whatever is reversed at once,
   and if each kernel sweeps the whole patch; too few slots are refused. */
#include "heat_case.h"
#include "refusal.h"
#include "shallow_case.h"
#include "trajectory_case.h"
#include <halograd/error_library.h>
#include <halograd/state_library.h>
#include <halograd/store_library.h>
#include <halograd/trajectory_library.h>

enum { STEPS = 23 };

static PetscErrorCode digests_of(const TrajectoryParts *c, HgStore store, double *J,
                                 char gradient[17], char final[17], double *rounded) {
  HgState x_bar;
  HgTrajectory t;
  HgTrajectoryCost cost;
  PetscCall(HgTrajectoryCreate(c->program, STEPS, c->objective, store, &t));
  PetscCall(HgProgramCreateInput(c->program, &x_bar));
  PetscErrorCode ierr = HgTrajectoryGradient(t, c->x, 1, J, x_bar);
  if (!ierr) ierr = HgStateDigest(x_bar, NULL, gradient);
  if (!ierr) ierr = HgStateDigest(HgTrajectoryFinal(t), NULL, final);
  HgTrajectoryGetCost(t, &cost);
  *rounded = cost.rounded;
  PetscCall(DESTROY(&x_bar, &t));
  return ierr;
}

static PetscErrorCode claim_parts(const TrajectoryParts *c, const char name[]) {
  HgState q;
  HgStore store;
  double J[2], rounded;
  char exact[17], expected[17], gradient[17], final[2][17];
  PetscCall(HgProgramCreateCarried(c->program, &q));
  PetscCall(trajectory_by_hand(c, false, exact));
  PetscCall(trajectory_by_hand(c, true, expected));
  claim_that(strcmp(exact, expected), "%s: rounding changes the gradient", name);
  PetscCall(HgStoreCreate(q, STEPS, 0, NULL, &store));
  PetscCall(digests_of(c, store, &J[0], gradient, final[0], &rounded));
  claim_that(!strcmp(gradient, exact) && isnan(rounded), "%s: exact by hand %s, else %s, %g", name,
             exact, gradient, rounded);
  PetscCall(HgStoreDestroy(&store));
  for (int at_once = 2; at_once < 20; at_once += 5) {
    PetscCall(HgStoreCreateRounded(q, STEPS, at_once, &store));
    PetscCall(digests_of(c, store, &J[1], gradient, final[1], &rounded));
    claim_that(!strcmp(gradient, expected), "%s, %d at once: %s, by hand %s", name, at_once,
               gradient, expected);
    claim_that(J[0] == J[1] && !strcmp(final[0], final[1]), "%s: J and q_N are exact", name);
    claim_that(rounded > 0 && rounded < 1e-3, "%s: a block's gradient is off by %g", name, rounded);
    PetscCall(HgStoreDestroy(&store));
  }
  PetscCall(HgStoreCreateRounded(q, STEPS - 1, 4, &store));
  REFUSED(digests_of(c, store, &J[1], gradient, final[1], &rounded),
          "22 states are kept of 23 steps, expected all", "(-slots 23");
  return DESTROY(&store, &q);
}

/* Heat for u_0 alone: no state is read on the way back, and floats change nothing. */
static PetscErrorCode test_linear(void) {
  HeatCase c;
  HgState q;
  HgStore store;
  double J, rounded;
  char exact[17], gradient[17], final[17];
  const HeatSpec spec = {.nx = 41, .ny = 38, .steps = STEPS, .slots = 1, .ghost = 5};
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgProgramSetActive(c.program, "kappa", false));
  const TrajectoryParts parts = {c.program, c.objective, c.x, STEPS};
  PetscCall(trajectory_by_hand(&parts, false, exact));
  PetscCall(HgProgramCreateCarried(c.program, &q));
  PetscCall(HgStoreCreateRounded(q, 3, 2, &store));
  PetscCall(digests_of(&parts, store, &J, gradient, final, &rounded));
  claim_that(!strcmp(gradient, exact) && isnan(rounded), "linear: %s, by hand %s, off by %g",
             gradient, exact, rounded);
  PetscCall(DESTROY(&store, &q));
  return heat_destroy(&c);
}

static PetscErrorCode test(const char way[], int ghost) {
  PetscCall(PetscOptionsSetValue(NULL, "-hg_reverse", way));
  for (int walls = 0; walls < WALLS; walls++) {
    HeatCase c;
    const HeatSpec spec = {.nx = 41,
                           .ny = 38,
                           .steps = STEPS,
                           .walls = (Walls)walls,
                           .ghost = ghost,
                           .snapshot = true,
                           .slots = 1};
    PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
    PetscCall(claim_parts(&(TrajectoryParts){c.program, c.objective, c.x, STEPS}, "heat"));
    PetscCall(heat_destroy(&c));
  }
  for (int surface = 0; surface < 2; surface++) {
    ShallowCase c;
    const ShallowSpec spec = {
        .nx = 41, .ny = 38, .steps = STEPS, .slots = 1, .ghost = ghost, .surface = surface};
    PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
    PetscCall(claim_parts(&(TrajectoryParts){c.program, c.objective, c.x, STEPS},
                          surface ? "shallow water with its surface" : "shallow water"));
    PetscCall(shallow_destroy(&c));
  }
  return PetscOptionsClearValue(NULL, "-hg_reverse");
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("checkpoints of floats: the gradient at rounded states", 0);
  if (!ierr) ierr = test("cheaper", 11);
  if (!ierr) ierr = test("stored", 9);
  if (!ierr) ierr = test("start", 5);
  if (!ierr) ierr = PetscOptionsSetValue(NULL, "-hg_fuse", "false");
  if (!ierr) ierr = test("single", 5);
  if (!ierr) ierr = PetscOptionsClearValue(NULL, "-hg_fuse");
  if (!ierr) ierr = test_linear();
  return claim_end(ierr);
}
