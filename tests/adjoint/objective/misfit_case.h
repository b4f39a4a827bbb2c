/* SPDX-License-Identifier: BSD-2-Clause */
/* A misfit of readings of one heat: of data that a test makes, and of others after them. */
#ifndef HG_TESTS_MISFIT_CASE_H
#define HG_TESTS_MISFIT_CASE_H

#include "heat_case.h"
#include "same_bits.h"
#include <halograd/objective_library.h>

typedef struct {
  HeatCase heat;
  HgObservations *data;
  HgObjective objective;
  HgTrajectory trajectory;
  HgOperator op;
} MisfitCase;

static inline PetscErrorCode misfit_heat(MPI_Comm comm, Layout l, int steps, MisfitCase *c) {
  const HeatSpec s = {
      .nx = 23, .ny = 19, .px = l.px, .py = l.py, .steps = steps, .walls = WALLS_MIXED, .slots = 4};
  return heat_create(comm, &s, &c->heat);
}

/* The misfit of c->data. */
static inline PetscErrorCode misfit_add(int steps, MisfitCase *c) {
  PetscCall(HgObjectiveCreate(c->heat.program, steps, &c->objective));
  PetscCall(HgObjectiveAddSensors(c->objective, c->data));
  PetscCall(
      HgTrajectoryCreate(c->heat.program, steps, c->objective, c->heat.store, &c->trajectory));
  return HgTrajectoryOperator(c->trajectory, &c->op);
}

/* All but the data and the heat. */
static inline PetscErrorCode misfit_drop(MisfitCase *c) {
  return DESTROY(&c->op, &c->trajectory, &c->objective);
}

static inline PetscErrorCode misfit_leave(MisfitCase *c) {
  PetscCall(misfit_drop(c));
  return HgObservationsDestroy(&c->data);
}

static inline PetscErrorCode misfit_destroy(MisfitCase *c) {
  PetscCall(misfit_leave(c));
  return heat_destroy(&c->heat);
}

#endif
