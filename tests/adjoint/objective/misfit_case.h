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

static inline PetscErrorCode misfit_hessian(MisfitCase *c, bool gauss_newton, HgState dx,
                                            HgState h) {
  double J, dJ;
  HgObjectiveSetGaussNewton(c->objective, gauss_newton);
  PetscCall(HgStateZero(h));
  PetscCall(HgTrajectoryHessians(c->trajectory, c->heat.x, 1, &dx, &dJ, NULL, &h));
  HgObjectiveSetGaussNewton(c->objective, false);
  return HgTrajectoryValue(c->trajectory, c->heat.x, &J);
}

/* <dx, H dx> of Gauss and Newton is above 0, and H the exact one only if `fits`. */
static inline PetscErrorCode claim_gauss_newton(MisfitCase *c, bool fits) {
  HgState dx, h, exact;
  double curved, off, size;
  PetscCall(HgOperatorCreateInput(c->op, &dx));
  PetscCall(HgOperatorCreateInput(c->op, &h));
  PetscCall(HgOperatorCreateInput(c->op, &exact));
  PetscCall(HgStateRandom(dx, 5));
  PetscCall(misfit_hessian(c, true, dx, h));
  PetscCall(misfit_hessian(c, false, dx, exact));
  PetscCall(HgStateDot(dx, h, &curved));
  PetscCall(HgStateDot(exact, exact, &size));
  PetscCall(HgStateAXPY(exact, -1, h));
  PetscCall(HgStateDot(exact, exact, &off));
  claim_that(curved > 0, "J^T J: <dx, H dx> is %g", curved);
  claim_that((sqrt(off / size) < 1e-8) == fits, "J^T J is off by %g of H", sqrt(off / size));
  return HgStatesDestroy(&dx, &h, &exact);
}

/* J and the digests of its gradient and a product with its Hessian, or with that of Gauss and
   Newton. */
static inline PetscErrorCode misfit_digests(MisfitCase *c, bool gauss_newton,
                                            char text[LAYOUT_TEXT]) {
  HgState g, h, dx;
  double J;
  char digest[2][17];
  HgState *const states[] = {&g, &h, &dx};
  for (int k = 0; k < 3; k++) PetscCall(HgOperatorCreateInput(c->op, states[k]));
  PetscCall(HgStateRandom(dx, 8));
  PetscCall(misfit_hessian(c, gauss_newton, dx, h));
  PetscCall(HgTrajectoryGradient(c->trajectory, c->heat.x, 1, &J, g));
  PetscCall(HgStateDigest(g, NULL, digest[0]));
  PetscCall(HgStateDigest(h, NULL, digest[1]));
  snprintf(text, LAYOUT_TEXT, "%a %s %s", J, digest[0], digest[1]);
  return HgStatesDestroy(&g, &h, &dx);
}

#endif
