/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_forward.h"
#include <math.h>

static PetscErrorCode require_finite(HgState q, double J) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(q));
  char where[256] = "";
  bool finite;
  PetscCall(HgStateFinite(q, &finite, where, sizeof where));
  HgRequire(comm, finite, HG_ERR_NOT_FINITE,
            "the published source: %s after the last step, expected finite numbers", where);
  HgRequire(comm, isfinite(J), HG_ERR_NOT_FINITE,
            "the published source: its misfit is %g, expected a finite number", J);
  return 0;
}

PetscErrorCode TohokuForward(const HgCommon *c, const TohokuSea *sea, const TohokuSlip *slip,
                             const TohokuGauges *gauges, const HgObservations *readings,
                             TohokuFilm *film, HgState *final, double *J, double predicted[]) {
  HgObjective sensors;
  HgState q, next, constants;
  HgRequire(HgMeshComm(sea->mesh), !c->check && !c->doctor && !slip->sought, HG_ERR_OPTION_CONFLICT,
            "option %s: expected an inversion, but with -forward or -chile nothing is sought",
            c->check    ? "-check"
            : c->doctor ? "-doctor"
                        : "-source slip");
  PetscCall(HgObjectiveCreate(sea->program, c->steps, &sensors));
  PetscCall(HgObjectiveAddSensors(sensors, readings));
  PetscCall(HgProgramCreateCarried(sea->program, &q));
  PetscCall(HgProgramCreateConstants(sea->program, &constants));
  PetscCall(HgProgramSplit(sea->program, sea->x, q, constants));
  PetscCall(HgStateDuplicate(q, &next));

  double before =
      -INFINITY; /* the very number of the step before: what slips at once counts once */
  PetscCall(HgObjectiveStart(sensors));
  for (long n = 0; n <= c->steps; n++) {
    const double t = gauges->tau + (double)n * c->dt;
    PetscCall(TohokuSlipAdd(slip, before, t, q));
    before = t;
    HgProgramStartLimits(sea->program, n, q); /* after the uplift, which no step sees */
    PetscCall(HgProgramCheckLimits(sea->program));
    if (HgObjectiveNeeds(sensors, n)) PetscCall(HgObjectiveObserve(sensors, n, q, NULL));
    PetscCall(TohokuFilmAdd(film, n, q));
    if (n == c->steps) break;
    PetscCall(HgProgramStep(sea->program, n, constants, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgObjectiveValue(sensors, J, NULL));
  PetscCall(HgObjectivePredicted(sensors, 0, predicted));
  PetscCall(require_finite(q, *J));

  *final = q;
  PetscCall(HgStateDestroy(&next));
  PetscCall(HgStateDestroy(&constants));
  return HgObjectiveDestroy(&sensors);
}
