/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a signal that asks a run to stop is acted on in values, tangents and Hessians, too, on
   whichever rank it comes; one that nobody has acted on is not lost when a restart ends. */
#include "claim.h"
#include "heat_case.h"
#include "refusal.h"
#include <halograd/error_library.h>
#include <halograd/restart_library.h>
#include <halograd/trajectory_library.h>
#include <signal.h>

enum { STEPS = 40 };

static HeatCase c;
static HgState dx, product;

static PetscErrorCode value(void) {
  double J;
  return HgTrajectoryValue(c.trajectory, c.x, &J);
}

static PetscErrorCode tangent(void) {
  double J, dJ;
  return HgTrajectoryTangent(c.trajectory, c.x, dx, &J, &dJ);
}

static PetscErrorCode hessian(void) {
  double dJ;
  return HgTrajectoryHessians(c.trajectory, c.x, 1, &dx, &dJ, NULL, &product);
}

static PetscErrorCode gradient(void) {
  double J;
  return HgTrajectoryGradient(c.trajectory, c.x, 1, &J, product);
}

/* As if the run were another one. */
static void forget(void) {
  HgStopForget();
  HgErrorSetStatus(1);
}

/* Ranks agree some times a second, with an interval: until then runs come to their ends. */
static PetscErrorCode again_and_again(PetscErrorCode (*run)(void)) {
  PetscErrorCode ierr = 0;
  const double start = MPI_Wtime();
  bool waits = true;
  while (!ierr && waits) {
    ierr = run();
    waits = MPI_Wtime() < start + 60;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &waits, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  }
  return ierr;
}

static PetscErrorCode runs(double interval, bool suspended) {
  PetscErrorCode (*const run[])(void) = {value, tangent, hessian, gradient};
  HgRestart restart;
  const int ranks = claim.ranks;
  PetscCall(HgRestartCreate(
      c.trajectory,
      &(HgRestartSpec){.directory = "signals", .interval = interval, .unsynced = true}, &restart));
  const HgTrajectorySuspended before = HgTrajectorySuspend(c.trajectory);
  if (!suspended) HgTrajectoryResume(c.trajectory, &before);
  for (int k = 0; k < 4; k++) {
    PetscCall(run[k]());
    claim_that(claim.rank < ranks - 1 || !raise(SIGUSR1), "a signal can be sent");
    REFUSED(again_and_again(run[k]), "SIGUSR1: stopped before a gradient of 'heat'",
            "goes on from here");
    forget();
  }
  if (suspended) HgTrajectoryResume(c.trajectory, &before);
  return HgRestartDestroy(&restart);
}

static volatile sig_atomic_t heard;

static void hear(int signal) { heard += signal == SIGTERM; }

static PetscErrorCode released(void) {
  HgRestart restart;
  const HgRestartSpec spec = {.directory = "signals", .interval = 600};
  void (*const before)(int) = signal(SIGTERM, hear);
  PetscCall(HgRestartCreate(c.trajectory, &spec, &restart));
  claim_that(!raise(SIGTERM) && !heard, "a signal is caught");
  PetscCall(HgRestartDestroy(&restart));
  claim_that(heard == 1, "a signal that nobody acted on was heard %d times, expected 1",
             (int)heard);
  forget();
  PetscCall(HgRestartCreate(c.trajectory, &spec, &restart));
  claim_that(!raise(SIGTERM), "a signal can be sent");
  REFUSED(gradient(), "SIGTERM: stopped before a gradient");
  PetscCall(HgRestartDestroy(&restart));
  claim_that(heard == 1, "a signal that was acted on was heard %d times, expected 0",
             (int)heard - 1);
  forget();
  signal(SIGTERM, before);
  return 0;
}

static PetscErrorCode test(void) {
  const HeatSpec spec = {.nx = 12, .ny = 9, .steps = STEPS, .snapshot = true, .slots = 4};
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgStateDuplicate(c.x, &dx));
  PetscCall(HgStateDuplicate(c.x, &product));
  PetscCall(HgStateRandom(dx, 3));
  PetscCall(runs(0, false));
  PetscCall(runs(0, true));
  PetscCall(runs(600, false));
  PetscCall(released());
  PetscCall(HgStatesDestroy(&dx, &product));
  return heat_destroy(&c);
}

CLAIM("a signal that asks a run to stop is not lost", 3, test)
