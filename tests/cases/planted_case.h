/* SPDX-License-Identifier: BSD-2-Clause */
/* A small trajectory of any physics, one of whose stencils is another one: for errors that are
   planted. */
#ifndef HALOGRAD_TEST_PLANTED_CASE_H
#define HALOGRAD_TEST_PLANTED_CASE_H

#include "trajectory_claims.h"
#include <math.h>

enum { PLANTED_STENCILS = 8 };

typedef struct {
  HgMesh mesh;
  const HgStencil *stencils[PLANTED_STENCILS + 1];
  HgPhysics physics;
  HgProgram program;
  HgState data, x, x_bar;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
} PlantedCase;

static inline double planted_bump(double x, double y, void *phase) {
  return 2 + 0.3 * sin(3 * x + *(double *)phase) * cos(2 * y);
}

/* 18 x 15 cells, periodic in x, ghosts for several steps at once; J looks at all that is carried
   at the end. `spoilt` stands in for `original`. */
static inline PetscErrorCode planted_create(const HgPhysics *physics, const void *params,
                                            const HgStencil *original, const HgStencil *spoilt,
                                            int steps, PlantedCase *c) {
  const HgMeshSpec spec = {
      .nx = 18, .ny = 15, .dx = 0.2, .dy = 0.2, .periodic_x = true, .ghost = 3};
  *c = (PlantedCase){.physics = *physics};
  for (int k = 0; physics->stencils[k]; k++)
    c->stencils[k] = physics->stencils[k] == original ? spoilt : physics->stencils[k];
  c->physics.stencils = c->stencils;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c->mesh));
  PetscCall(HgProgramCreatePhysics(c->mesh, &c->physics, params, 1e-3, &c->program));
  PetscCall(HgProgramSetUp(c->program));
  PetscCall(HgProgramCreateCarried(c->program, &c->data));
  PetscCall(HgProgramCreateInput(c->program, &c->x));
  PetscCall(HgStateDuplicate(c->x, &c->x_bar));
  for (int k = 0; k < HgStateCount(c->x); k++) {
    double phase = k;
    PetscCall(HgStateSetField(c->x, HgStateVariable(c->x, k)->name, planted_bump, &phase));
  }
  PetscCall(HgObjectiveCreate(c->program, steps, &c->objective));
  for (int k = 0; k < HgStateCount(c->data); k++)
    PetscCall(
        HgObjectiveAddSnapshot(c->objective, HgStateVariable(c->data, k)->name, steps, c->data, 1));
  return make_trajectory(c->program, c->objective, c->data, steps, 8, false, &c->store,
                         &c->trajectory, &c->op);
}

static inline PetscErrorCode planted_destroy(PlantedCase *c) {
  return DESTROY(&c->op, &c->trajectory, &c->store, &c->objective, &c->x, &c->x_bar, &c->data,
                 &c->program, &c->mesh);
}

#endif
