/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a gradient does not go on from what another one has left: not if terms were added to J in
   between, or others count, not if the ghosts outside frozen walls, which x holds, have changed; a
   folder that cannot be read is no empty one. */
#include "claim.h"
#include "heat_case.h"
#include "refusal.h"
#include <halograd/error_library.h>
#include <halograd/file.h>
#include <halograd/objective_library.h>
#include <halograd/restart_library.h>
#include <signal.h>

enum { STEPS = 40, STOPPED = 17, MANY = 300 };

static long next(void *self, HgMode sweep, long n) {
  const bool *stops = self;
  return *stops && sweep == HG_PRIMAL && n <= STOPPED ? STOPPED : HG_NO_STEP;
}

static PetscErrorCode see(void *self, const HgTrajectorySight *s) {
  (void)self, (void)s;
  return raise(SIGUSR1) ? PETSC_ERR_SYS : 0;
}

/* A gradient of c->x, stopped on its way or not; whether it has gone on from another. */
static PetscErrorCode gradient(HeatCase *c, HgTrajectory t, HgRestart restart, bool stopped,
                               double *J, bool *went_on) {
  HgState bar;
  HgMode sweep;
  long n;
  PetscCall(HgStateDuplicate(c->x, &bar));
  refusal_begin();
  PetscCall(refusal_or_success(PETSC_COMM_WORLD, HgTrajectoryGradient(t, c->x, 1, J, bar),
                               "SIGUSR1: stopped at step"));
  HgStopForget();
  HgErrorSetStatus(1);
  HgRestartWentOn(restart, &sweep, &n);
  *went_on = sweep != HG_NO_MODE;
  claim_that(!stopped || HgRestartWritten(restart) > 0, "nothing is kept of a gradient stopped");
  return HgStateDestroy(&bar);
}

/* All ghosts of u become `value`. */
static void freeze(HgState x, double value) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgReal *const *u = HgStateRows(x, HgStateFind(x, "u"));
  for (int j = -1; j <= p->ny; j++)
    for (int i = -1; i <= p->nx; i++)
      if (i < 0 || i == p->nx || j < 0 || j == p->ny) u[j][i] = value;
  HgStateSetGhostDepth(x, HgStateFind(x, "u"), 0);
}

static PetscErrorCode ghosts(HeatCase *c, HgTrajectory t, HgRestart restart, bool *stops) {
  double J;
  bool went_on;
  freeze(c->x, 1);
  *stops = true;
  PetscCall(gradient(c, t, restart, true, &J, &went_on));
  *stops = false;
  freeze(c->x, 2);
  PetscCall(gradient(c, t, restart, false, &J, &went_on));
  claim_that(!went_on, "a gradient goes on from one with other ghosts outside frozen walls");
  *stops = true;
  PetscCall(gradient(c, t, restart, true, &J, &went_on));
  *stops = false;
  PetscCall(gradient(c, t, restart, false, &J, &went_on));
  claim_that(went_on, "a gradient goes on from itself");
  return 0;
}

/* J has many terms more: they are part of the key, and there is room for what they observe. */
static PetscErrorCode terms(HeatCase *c, HgTrajectory t, HgRestart restart, HgObjective objective,
                            bool *stops) {
  static double many[MANY];
  double J, expected;
  bool went_on;
  for (int k = 0; k < MANY; k++) many[k] = (double)STEPS * k / MANY;
  *stops = true;
  PetscCall(gradient(c, t, restart, true, &J, &went_on));
  *stops = false;
  PetscCall(heat_sense(c, MANY, many, objective));
  PetscCall(gradient(c, t, restart, false, &J, &went_on));
  claim_that(!went_on, "a gradient goes on from one whose J had fewer terms");
  PetscCall(HgTrajectoryValue(t, c->x, &expected));
  claim_same(J, expected, "J with %d more measurements", (int)MANY);
  return 0;
}

/* Of the two terms that J has now, one counts, then both. */
static PetscErrorCode selected(HeatCase *c, HgTrajectory t, HgRestart restart,
                               HgObjective objective, bool *stops) {
  double J, expected;
  bool went_on;
  *stops = true;
  PetscCall(HgObjectiveSelect(objective, 0));
  PetscCall(gradient(c, t, restart, true, &J, &went_on));
  *stops = false;
  PetscCall(HgObjectiveSelect(objective, -1));
  PetscCall(gradient(c, t, restart, false, &J, &went_on));
  claim_that(!went_on, "a gradient of all terms goes on from one of the first term alone");
  PetscCall(HgTrajectoryValue(t, c->x, &expected));
  claim_same(J, expected, "J of all terms");
  return 0;
}

/* A folder that is a file is found when the gradient begins, and not when it is to be kept. */
static PetscErrorCode unreadable(HeatCase *c, HgTrajectory t) {
  HgRestart restart;
  HgState bar;
  double J;
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, "no_folder", "mine", 4));
  PetscCall(
      HgRestartCreate(t, &(HgRestartSpec){.directory = "no_folder", .interval = 600}, &restart));
  PetscCall(HgStateDuplicate(c->x, &bar));
  REFUSED(HgTrajectoryGradient(t, c->x, 1, &J, bar), "restart: cannot read 'no_folder'");
  PetscCall(HgStateDestroy(&bar));
  return HgRestartDestroy(&restart);
}

static PetscErrorCode test(void) {
  const HeatSpec spec = {.nx = 12, .ny = 9, .steps = STEPS, .walls = WALLS_FROZEN, .slots = 4};
  const double first[] = {3.5, STEPS};
  HeatCase c;
  HgObjective J;
  HgTrajectory t;
  HgRestart restart;
  bool stops = false;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgObjectiveCreate(c.program, STEPS, &J));
  PetscCall(heat_sense(&c, 2, first, J));
  PetscCall(HgTrajectoryCreate(c.program, STEPS, J, c.store, &t));
  PetscCall(HgTrajectoryAddObserver(
      t, &(HgTrajectoryObserver){.next = next, .see = see, .context = &stops}));
  PetscCall(HgRestartCreate(
      t, &(HgRestartSpec){.directory = "key", .interval = 0, .unsynced = true}, &restart));
  PetscCall(HgRestartClear(restart)); /* of a test that was killed */
  PetscCall(ghosts(&c, t, restart, &stops));
  PetscCall(terms(&c, t, restart, J, &stops));
  PetscCall(selected(&c, t, restart, J, &stops));
  PetscCall(HgRestartDestroy(&restart));
  PetscCall(unreadable(&c, t));
  PetscCall(DESTROY(&t, &J));
  return heat_destroy(&c);
}

CLAIM("a gradient goes on from nothing but itself", 0, test)
