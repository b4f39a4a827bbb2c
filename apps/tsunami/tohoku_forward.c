/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_forward.h"
#include <math.h>

typedef struct {
  const TohokuSea *sea;
  const TohokuSlip *slip;
  double tau, dt, before; /* before: the very number of the step before: what slips at once counts
                             once */
  TohokuFilm *film;
} Forward;

static long next_step(void *context, HgMode direction, long n) {
  (void)context;
  return direction == HG_PRIMAL ? n : HG_NO_STEP;
}

/* What has slipped since the step before is added; limits are looked at after the uplift, which no
   step sees. */
static PetscErrorCode lift(void *context, const HgTrajectorySight *s) {
  Forward *f = context;
  const double t = f->tau + (double)s->n * f->dt;
  PetscCall(TohokuSlipAdd(f->slip, f->before, t, s->state));
  f->before = t;
  PetscCall(HgProgramCheckLimits(f->sea->program, s->n, s->state));
  return TohokuFilmAdd(f->film, s->n, s->state);
}

PetscErrorCode TohokuForward(const HgCommon *c, const TohokuSea *sea, const TohokuSlip *slip,
                             const TohokuGauges *gauges, const HgObservations *readings,
                             TohokuFilm *film, HgState *final, double *J, double predicted[]) {
  Forward f = {sea, slip, gauges->tau, c->dt, -INFINITY, film};
  HgObjective sensors;
  HgTrajectory trajectory;
  PetscCall(HgObjectiveCreate(sea->program, c->steps, &sensors));
  PetscCall(HgObjectiveAddSensors(sensors, readings));
  PetscCall(HgTrajectoryCreate(sea->program, c->steps, sensors, NULL, &trajectory));
  PetscCall(HgTrajectoryAddObserver(
      trajectory, &(HgTrajectoryObserver){.next = next_step, .see = lift, .context = &f}));
  PetscCall(HgTrajectoryValue(trajectory, sea->x, J));
  PetscCall(HgObjectivePredicted(sensors, 0, predicted));
  PetscCall(HgStateDuplicate(HgTrajectoryFinal(trajectory), final));
  PetscCall(HgStateCopy(HgTrajectoryFinal(trajectory), *final));
  PetscCall(HgTrajectoryDestroy(&trajectory));
  return HgObjectiveDestroy(&sensors);
}
