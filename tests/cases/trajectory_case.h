/* SPDX-License-Identifier: BSD-2-Clause */
/* A trajectory of a program that a test has put together, with all that its gradient needs. */
#ifndef HALOGRAD_TEST_TRAJECTORY_CASE_H
#define HALOGRAD_TEST_TRAJECTORY_CASE_H

#include "destroy.h"
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
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
  return DESTROY(&c->trajectory, &c->store, &c->objective, &c->x, &c->data, &c->program, &c->mesh);
}

enum { TRAJECTORY_STEPS_MOST = 64 };

/* What a trajectory is made of. */
typedef struct {
  HgProgram program;
  HgObjective objective;
  HgState x;
  int steps;
} TrajectoryParts;

/* All numbers of q become those of floats; ghosts between patches are to be filled anew. */
static inline void round_state(HgState q) {
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
static inline PetscErrorCode step_back(const TrajectoryParts *c, long n, HgState constants,
                                       HgState q, HgState work, HgState bar[2], HgState c_bar) {
  PetscCall(HgProgramStepAdjoint(c->program, n, constants, q, work, bar[0], bar[1], c_bar));
  PetscCall(HgObjectiveGradient(c->objective, n, q, 1, bar[1]));
  PetscCall(HgProgramBoundaryAdjoint(c->program, bar[1]));
  const HgState other = bar[0];
  bar[0] = bar[1], bar[1] = other;
  return 0;
}

/* The gradient's digest by a loop that rounds each state before its step is reversed. */
static inline PetscErrorCode trajectory_by_hand(const TrajectoryParts *c, bool rounds,
                                                char digest[17]) {
  HgState q[TRAJECTORY_STEPS_MOST + 1], bar[2], work, constants, c_bar, x_bar;
  PetscCall(HgProgramCreateConstants(c->program, &constants));
  PetscCall(HgProgramCreateConstants(c->program, &c_bar));
  PetscCall(HgProgramCreateInput(c->program, &x_bar));
  for (int n = 0; n <= c->steps; n++) PetscCall(HgProgramCreateCarried(c->program, &q[n]));
  for (int k = 0; k < 2; k++) PetscCall(HgProgramCreateCarried(c->program, &bar[k]));
  PetscCall(HgProgramCreateCarried(c->program, &work));
  PetscCall(HgProgramSplit(c->program, c->x, q[0], constants));
  PetscCall(HgObjectiveStart(c->objective));
  for (int n = 0; n <= c->steps; n++) {
    if (HgObjectiveNeeds(c->objective, n))
      PetscCall(HgObjectiveObserve(c->objective, n, q[n], NULL));
    if (n < c->steps) PetscCall(HgProgramStep(c->program, n, constants, q[n], q[n + 1]));
  }
  PetscCall(HgProgramZeroConstantsBar(c->program, c_bar));
  PetscCall(HgStateZero(bar[0]));
  PetscCall(HgObjectiveGradient(c->objective, c->steps, q[c->steps], 1, bar[0]));
  PetscCall(HgProgramBoundaryAdjoint(c->program, bar[0]));
  for (int n = c->steps - 1; n >= 0; n--) {
    if (rounds) round_state(q[n]);
    PetscCall(step_back(c, n, constants, q[n], work, bar, c_bar));
  }
  PetscCall(HgProgramBoundaryAdjoint(c->program, c_bar));
  PetscCall(HgProgramJoin(c->program, bar[0], c_bar, x_bar));
  PetscCall(HgStateDigest(x_bar, NULL, digest));
  for (int n = 0; n <= c->steps; n++) PetscCall(HgStateDestroy(&q[n]));
  return HgStatesDestroy(&bar[0], &bar[1], &work, &constants, &c_bar, &x_bar);
}

#endif
