/* SPDX-License-Identifier: BSD-2-Clause */
/* A trajectory of a program that a test has put together, with all that its gradient needs. */
#ifndef HALOGRAD_TEST_TRAJECTORY_CASE_H
#define HALOGRAD_TEST_TRAJECTORY_CASE_H

#include <halograd/state_library.h>
#include <halograd/trajectory.h>

typedef struct {
  HgMesh mesh;
  HgProgram program;
  long steps;
  HgState data, x; /* zeros to begin with */
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
} TrajectoryCase;

/* Of c->mesh and c->program, which this sets up: data, input, an objective without terms over
   `steps` steps, a store of so many slots (0: none). */
static inline PetscErrorCode trajectory_case_begin(long steps, int slots, TrajectoryCase *c) {
  c->steps = steps, c->store = NULL;
  PetscCall(HgProgramSetUp(c->program));
  PetscCall(HgProgramCreateCarried(c->program, &c->data));
  PetscCall(HgProgramCreateInput(c->program, &c->x));
  PetscCall(HgObjectiveCreate(c->program, steps, &c->objective));
  return slots ? HgStoreCreate(c->data, slots, 0, NULL, &c->store) : 0;
}

/* Once the objective has its terms. */
static inline PetscErrorCode trajectory_case_end(TrajectoryCase *c) {
  return HgTrajectoryCreate(c->program, c->steps, c->objective, c->store, &c->trajectory);
}

static inline PetscErrorCode trajectory_case_destroy(TrajectoryCase *c) {
  PetscCall(HgTrajectoryDestroy(&c->trajectory));
  PetscCall(HgStoreDestroy(&c->store));
  PetscCall(HgObjectiveDestroy(&c->objective));
  PetscCall(HgStatesDestroy(&c->x, &c->data));
  PetscCall(HgProgramDestroy(&c->program));
  return HgMeshDestroy(&c->mesh);
}

#endif
