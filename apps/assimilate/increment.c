/* SPDX-License-Identifier: BSD-2-Clause */
#include "increment.h"

const char *const increment_names[] = {"dh", "du", "dv"};
const char *const increment_of[] = {"h", "u", "v", NULL};

typedef struct {
  HgState background;
  int index[INCREMENTS]; /* in x */
} Increment;

static PetscErrorCode add(const Increment *t, HgState d, HgState x) {
  for (int k = 0; k < INCREMENTS; k++) PetscCall(HgStateAXPYVariable(x, t->index[k], 1, d, k));
  return 0;
}

static PetscErrorCode increment_apply(void *self, HgState d, HgState x) {
  const Increment *t = self;
  PetscCall(HgStateCopy(t->background, x));
  return add(t, d, x);
}

static PetscErrorCode increment_tangent(void *self, HgState d, HgState dd, HgState dx) {
  (void)d;
  PetscCall(HgStateZero(dx));
  return add(self, dd, dx);
}

static PetscErrorCode increment_adjoint(void *self, HgState d, HgState x_bar, HgState d_bar) {
  const Increment *t = self;
  (void)d;
  for (int k = 0; k < INCREMENTS; k++)
    PetscCall(HgStateAXPYVariable(d_bar, k, 1, x_bar, t->index[k]));
  return 0;
}

static PetscErrorCode increment_destroy(void *self) {
  Increment *t = self;
  PetscCall(HgStateDestroy(&t->background));
  return PetscFree(t);
}

PetscErrorCode IncrementCreate(HgState x, HgOperator *op) {
  static const HgOperatorTable table = {increment_apply, increment_tangent, increment_adjoint, NULL,
                                        increment_destroy};
  HgVariable added[INCREMENTS];
  Increment *t;
  HgState d;
  PetscCall(PetscNew(&t));
  PetscCall(HgStateDuplicate(x, &t->background));
  PetscCall(HgStateCopy(x, t->background));
  for (int k = 0; k < INCREMENTS; k++) {
    PetscCall(HgStateIndex(x, increment_of[k], &t->index[k]));
    added[k] = *HgStateVariable(x, t->index[k]);
    added[k].name = increment_names[k];
  }
  PetscCall(HgStateCreate(HgStateMesh(x), INCREMENTS, added, &d));
  PetscCall(HgOperatorCreate("increment", d, x, &table, t, op));
  HgOperatorSetLinear(*op);
  return HgStateDestroy(&d);
}
