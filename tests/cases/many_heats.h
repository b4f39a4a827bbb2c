/* SPDX-License-Identifier: BSD-2-Clause */
/* Many small heat experiments on one mesh with one control, log kappa: each has a source of its own
   and a final temperature of its own to explain. */
#ifndef HALOGRAD_TESTS_MANY_HEATS_H
#define HALOGRAD_TESTS_MANY_HEATS_H

#include "destroy.h"
#include <halograd/control.h>
#include <halograd/experiments.h>
#include <halograd/heat.h>
#include <halograd/state_library.h>
#include <halograd/trajectory.h>
#include <math.h>

enum { MANY_MOST = 48, MANY_NX = 9, MANY_NY = 8, MANY_STEPS = 4 };

typedef struct {
  int count;
  HgExperiments experiments;
  HgMesh mesh;
  HgProgram program;
  HgStore store;
  HgOperator log_kappa;
  HgState x, q, data[MANY_MOST];
  HgObjective objective[MANY_MOST];
  HgTrajectory trajectory[MANY_MOST];
  HgOperator misfit[MANY_MOST], control[MANY_MOST], part[MANY_MOST], J;
} ManyHeats;

static inline double many_source(double x, double y, void *context) {
  const int e = *(const int *)context;
  const double dx = x - 0.13 * (e % 8), dy = y - 0.15 * (e / 8);
  return 50 * exp(-20 * (dx * dx + dy * dy));
}

static inline double many_data(double x, double y, void *context) {
  const int e = *(const int *)context;
  return sin(e + 3 * x) * cos(2 * y) / (1 + e);
}

/* `count` experiments on `groups` groups of `comm`, each group px x py patches (0: chosen). */
static inline PetscErrorCode many_create(MPI_Comm comm, int count, int groups, int px, int py,
                                         ManyHeats *h) {
  const HgMeshSpec spec = {.nx = MANY_NX,
                           .ny = MANY_NY,
                           .px = px,
                           .py = py,
                           .x0 = 0.1,
                           .y0 = 0.1,
                           .dx = 0.1,
                           .dy = 0.1,
                           .ghost = 1};
  h->count = count;
  PetscCall(HgExperimentsCreate(comm, count, groups, &h->experiments));
  PetscCall(HgMeshCreate(HgExperimentsGroup(h->experiments)->comm, &spec, &h->mesh));
  const HgHeatParams steady = {0};
  PetscCall(HgProgramCreate(h->mesh, "heat", 0.5 * HgHeatLargestStep(2, 0.1, 0.1), &h->program));
  PetscCall(HgProgramAddStencil(h->program, &hg_heat_forced, &steady));
  PetscCall(HgProgramSetBoundary(h->program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(h->program));
  PetscCall(HgProgramCreateInput(h->program, &h->x));
  PetscCall(HgStateRandom(h->x, 3));
  PetscCall(HgProgramCreateCarried(h->program, &h->q));
  PetscCall(HgStoreCreate(h->q, MANY_STEPS, 0, NULL, &h->store));
  PetscCall(HgParametrisationLog(h->mesh, "m", "kappa", "1", &h->log_kappa));
  for (int e = 0; e < count; e++) {
    PetscCall(HgStateSetField(h->x, "f", many_source, &e));
    PetscCall(HgStateDuplicate(h->q, &h->data[e]));
    PetscCall(HgStateSetField(h->data[e], "u", many_data, &e));
    PetscCall(HgObjectiveCreate(h->program, MANY_STEPS, &h->objective[e]));
    PetscCall(HgObjectiveAddSnapshot(h->objective[e], "u", MANY_STEPS, h->data[e], 0.1));
    PetscCall(
        HgTrajectoryCreate(h->program, MANY_STEPS, h->objective[e], h->store, &h->trajectory[e]));
    PetscCall(HgTrajectoryOperator(h->trajectory[e], &h->misfit[e]));
    PetscCall(HgControlCreate(h->x, 1, &(HgControl){"kappa", h->log_kappa}, &h->control[e]));
    PetscCall(HgOperatorChain("part", 2, (HgOperator[]){h->control[e], h->misfit[e]}, &h->part[e]));
  }
  return HgExperimentsFunctional(h->experiments, h->part, &h->J);
}

static inline PetscErrorCode many_destroy(ManyHeats *h) {
  const int count = h->count;
  PetscCall(HgOperatorDestroy(&h->J));
  for (int e = 0; e < count; e++) {
    PetscCall(DESTROY(&h->part[e], &h->control[e], &h->misfit[e], &h->trajectory[e],
                      &h->objective[e], &h->data[e]));
  }
  PetscCall(DESTROY(&h->log_kappa, &h->store, &h->q, &h->x, &h->program, &h->mesh));
  return HgExperimentsDestroy(&h->experiments);
}

#endif
