/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: lambda is watched in units of J_bar: a contribution of J so sharp that lambda is nothing
   else there is no growth, whatever J_bar is, in gradients and in replays of them. */
#include "claim.h"
#include "heat_case.h"
#include <halograd/recorder_library.h>
#include <halograd/show_library.h>

enum { STEPS = 40, SNAPSHOT = 10 };

/* Steps from .. to again, of a trajectory that has made no gradient; what lambda grows by in them.
   */
static PetscErrorCode replay(HeatCase *c, HgObjective J, long from, long to,
                             HgGrowthReport *report) {
  HgTrajectory t;
  HgGrowth growth;
  PetscCall(HgTrajectoryCreate(c->program, STEPS, J, c->store, &t));
  PetscCall(HgGrowthCreate(t, &growth));
  const PetscErrorCode ierr = HgReplay(t, "grown", from, to, true, "again");
  *report = HgGrowthGet(growth);
  PetscCall(HgGrowthDestroy(&growth));
  PetscCall(HgTrajectoryDestroy(&t));
  return ierr;
}

static PetscErrorCode replays(HeatCase *c, HgObjective J, const HgGrowthReport *whole) {
  HgGrowthReport report;
  PetscCall(replay(c, J, 0, STEPS, &report));
  claim_same(report.most, whole->most, "the largest growth of a replay");
  PetscCall(replay(c, J, 7, 24, &report));
  claim_that(report.steps == 17 && report.most <= whole->most,
             "steps 7 to 24: %ld steps looked at, growth %g, of all %g", report.steps, report.most,
             whole->most);
  return 0;
}

static PetscErrorCode gradient(HeatCase *c, double J_bar, HgGrowthReport *report) {
  const double at[] = {10, 30};
  HgObjective J;
  HgTrajectory t;
  HgGrowth growth;
  HgRecorder recorder;
  HgState bar;
  double value;
  PetscCall(HgStateDuplicate(c->x, &bar));
  PetscCall(HgObjectiveCreate(c->program, STEPS, &J));
  PetscCall(heat_sense(c, 2, at, J));
  PetscCall(HgObjectiveAddSnapshot(J, "u", SNAPSHOT, c->data, 0.01));
  PetscCall(HgTrajectoryCreate(c->program, STEPS, J, c->store, &t));
  PetscCall(HgGrowthCreate(t, &growth));
  PetscCall(HgRecorderCreate(t, &(HgRecorderSpec){.every = 12}, &recorder));
  PetscCall(HgRecorderArm(recorder, "grown"));
  PetscCall(HgTrajectoryGradient(t, c->x, J_bar, &value, bar));
  *report = HgGrowthGet(growth);
  PetscCall(HgGrowthDestroy(&growth));
  PetscCall(HgRecorderDestroy(&recorder));
  PetscCall(replays(c, J, report));
  PetscCall(HgTrajectoryDestroy(&t));
  PetscCall(HgObjectiveDestroy(&J));
  return HgStateDestroy(&bar);
}

static PetscErrorCode test(void) {
  const HeatSpec spec = {.nx = 12, .ny = 9, .steps = STEPS, .walls = WALLS_INSULATED, .slots = 4};
  HeatCase c;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  HgGrowthReport one, other;
  PetscCall(gradient(&c, 1, &one));
  PetscCall(gradient(&c, 64, &other));
  claim_same(other.most, one.most, "the largest growth with J_bar = 64");
  return heat_destroy(&c);
}

CLAIM("lambda is watched in units of J_bar", 0, test)
