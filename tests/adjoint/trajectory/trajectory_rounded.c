/* SPDX-License-Identifier: BSD-2-Clause */
/* With checkpoints that are floats, J and the last state are exact, and the gradient is that of
   adjoints at rounded states, bit by bit as a loop by hand makes it, whatever is reversed at once;
   too few slots are refused. */
#include "heat_case.h"
#include "refusal.h"
#include "shallow_case.h"
#include <halograd/error_library.h>
#include <halograd/objective_library.h>
#include <halograd/state_library.h>
#include <halograd/store_library.h>
#include <halograd/trajectory_library.h>

enum { STEPS = 23 };

/* What a trajectory is made of. */
typedef struct {
  HgProgram program;
  HgObjective objective;
  HgState x;
} Parts;

/* All numbers of q become those of floats; ghosts between patches are to be filled anew. */
static void round_state(HgState q) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  const int g = HgStateGhosts(q);
  for (int k = 0; k < HgStateCount(q); k++) {
    HgReal *const *rows = HgStateRows(q, k);
    for (int j = -g; j < p->ny + g; j++)
      for (int i = -g; i < p->nx + g; i++) rows[j][i] = (HgReal)(float)rows[j][i];
    HgStateSetGhostDepth(q, k, 0);
  }
}

/* bar[1] of bar[0], and they change places. */
static PetscErrorCode step_back(const Parts *c, long n, HgState constants, HgState q, HgState work,
                                HgState bar[2], HgState c_bar) {
  PetscCall(HgProgramStepAdjoint(c->program, n, constants, q, work, bar[0], bar[1], c_bar));
  PetscCall(HgObjectiveGradient(c->objective, n, q, 1, bar[1]));
  PetscCall(HgProgramBoundaryAdjoint(c->program, bar[1]));
  const HgState other = bar[0];
  bar[0] = bar[1], bar[1] = other;
  return 0;
}

/* The gradient's digest by a loop that rounds each state before its step is reversed. */
static PetscErrorCode by_hand(const Parts *c, bool rounds, char digest[17]) {
  HgState q[STEPS + 1], bar[2], work, constants, c_bar, x_bar;
  PetscCall(HgProgramCreateConstants(c->program, &constants));
  PetscCall(HgProgramCreateConstants(c->program, &c_bar));
  PetscCall(HgProgramCreateInput(c->program, &x_bar));
  for (int n = 0; n <= STEPS; n++) PetscCall(HgProgramCreateCarried(c->program, &q[n]));
  for (int k = 0; k < 2; k++) PetscCall(HgProgramCreateCarried(c->program, &bar[k]));
  PetscCall(HgProgramCreateCarried(c->program, &work));
  PetscCall(HgProgramSplit(c->program, c->x, q[0], constants));
  PetscCall(HgObjectiveStart(c->objective));
  for (int n = 0; n <= STEPS; n++) {
    if (HgObjectiveNeeds(c->objective, n))
      PetscCall(HgObjectiveObserve(c->objective, n, q[n], NULL));
    if (n < STEPS) PetscCall(HgProgramStep(c->program, n, constants, q[n], q[n + 1]));
  }
  PetscCall(HgProgramZeroConstantsBar(c->program, c_bar));
  PetscCall(HgStateZero(bar[0]));
  PetscCall(HgObjectiveGradient(c->objective, STEPS, q[STEPS], 1, bar[0]));
  PetscCall(HgProgramBoundaryAdjoint(c->program, bar[0]));
  for (int n = STEPS - 1; n >= 0; n--) {
    if (rounds) round_state(q[n]);
    PetscCall(step_back(c, n, constants, q[n], work, bar, c_bar));
  }
  PetscCall(HgProgramBoundaryAdjoint(c->program, c_bar));
  PetscCall(HgProgramJoin(c->program, bar[0], c_bar, x_bar));
  PetscCall(HgStateDigest(x_bar, NULL, digest));
  for (int n = 0; n <= STEPS; n++) PetscCall(HgStateDestroy(&q[n]));
  return HgStatesDestroy(&bar[0], &bar[1], &work, &constants, &c_bar, &x_bar);
}

static PetscErrorCode digests_of(const Parts *c, HgStore store, double *J, char gradient[17],
                                 char final[17], double *rounded) {
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
  PetscCall(HgStateDestroy(&x_bar));
  PetscCall(HgTrajectoryDestroy(&t));
  return ierr;
}

static PetscErrorCode claim_parts(const Parts *c, const char name[]) {
  HgState q;
  HgStore store;
  double J[2], rounded;
  char exact[17], expected[17], gradient[17], final[2][17];
  PetscCall(HgProgramCreateCarried(c->program, &q));
  PetscCall(by_hand(c, false, exact));
  PetscCall(by_hand(c, true, expected));
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
  PetscCall(HgStoreDestroy(&store));
  return HgStateDestroy(&q);
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
  const Parts parts = {c.program, c.objective, c.x};
  PetscCall(by_hand(&parts, false, exact));
  PetscCall(HgProgramCreateCarried(c.program, &q));
  PetscCall(HgStoreCreateRounded(q, 3, 2, &store));
  PetscCall(digests_of(&parts, store, &J, gradient, final, &rounded));
  claim_that(!strcmp(gradient, exact) && isnan(rounded), "linear: %s, by hand %s, off by %g",
             gradient, exact, rounded);
  PetscCall(HgStoreDestroy(&store));
  PetscCall(HgStateDestroy(&q));
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
    PetscCall(claim_parts(&(Parts){c.program, c.objective, c.x}, "heat"));
    PetscCall(heat_destroy(&c));
  }
  ShallowCase c;
  const ShallowSpec spec = {.nx = 41, .ny = 38, .steps = STEPS, .slots = 1, .ghost = ghost};
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(claim_parts(&(Parts){c.program, c.objective, c.x}, "shallow water"));
  PetscCall(shallow_destroy(&c));
  return PetscOptionsClearValue(NULL, "-hg_reverse");
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("checkpoints of floats: the gradient at rounded states", 0);
  if (!ierr) ierr = test("cheaper", 11);
  if (!ierr) ierr = test("stored", 9);
  if (!ierr) ierr = test("start", 5);
  if (!ierr) ierr = test_linear();
  return claim_end(ierr);
}
