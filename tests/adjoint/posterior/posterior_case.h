/* SPDX-License-Identifier: BSD-2-Clause */
/* Heat from sensors, linear in what is sought, u at the start and f: the posterior is Gaussian. */
#ifndef HALOGRAD_TEST_POSTERIOR_CASE_H
#define HALOGRAD_TEST_POSTERIOR_CASE_H

#include "heat_case.h"
#include <halograd/control.h>
#include <halograd/inversion.h>
#include <halograd/inversion_library.h>
#include <halograd/state_library.h>

typedef struct {
  HeatCase heat;
  HgOperator misfit, R, J; /* of m = (u, f) */
  HgInversion inversion;
  HgState m, prior, deviation;
} PosteriorCase;

static inline PetscErrorCode posterior_create(MPI_Comm comm, int px, int py, PosteriorCase *c) {
  const HeatSpec spec = {
      .nx = 14, .ny = 13, .px = px, .py = py, .steps = 30, .walls = WALLS_INSULATED, .slots = 6};
  const HgRegularisation of_u = {.control = "u", .alpha = 2, .beta = 0.05},
                         of_f = {.control = "f", .alpha = 0.02, .beta = 1e-3};
  const HgControl controls[] = {{"u", NULL}, {"f", NULL}};
  HgOperator parts[2];
  *c = (PosteriorCase){0};
  PetscCall(heat_create(comm, &spec, &c->heat));
  PetscCall(HgControlCreate(c->heat.x, 2, controls, &parts[0]));
  parts[1] = c->heat.op;
  PetscCall(HgOperatorChain("misfit", 2, parts, &c->misfit));
  PetscCall(HgOperatorDestroy(&parts[0]));
  PetscCall(HgOperatorCreateInput(c->misfit, &c->m));
  PetscCall(HgRegularisationCreate(c->m, &of_u, &parts[0]));
  PetscCall(HgRegularisationCreate(c->m, &of_f, &parts[1]));
  PetscCall(HgOperatorSum("R", 2, parts, &c->R));
  PetscCall(DESTROY(&parts[0], &parts[1]));
  parts[0] = c->misfit, parts[1] = c->R;
  PetscCall(HgOperatorSum("J", 2, parts, &c->J));
  PetscCall(HgInversionCreate(c->J, &c->inversion));
  PetscCall(HgInversionSetBounds(c->inversion, "f", -INFINITY, INFINITY, 10));
  PetscCall(HgStateDuplicate(c->m, &c->prior));
  return HgStateDuplicate(c->m, &c->deviation);
}

static inline PetscErrorCode posterior_destroy(PosteriorCase *c) {
  PetscCall(DESTROY(&c->inversion, &c->J, &c->R, &c->misfit, &c->m, &c->prior, &c->deviation));
  return heat_destroy(&c->heat);
}

/* The matrix of J'', column by column. */
static inline PetscErrorCode dense_hessian(HgOperator J, HgState m, Mat *A) {
  const PetscInt n = (PetscInt)HgStateLength(m);
  HgState unit, column;
  double *a, *e;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, n, NULL, A));
  PetscCall(HgStateDuplicate(m, &unit));
  PetscCall(HgStateDuplicate(m, &column));
  PetscCall(PetscCalloc1(n, &e));
  PetscCall(MatDenseGetArray(*A, &a));
  for (PetscInt k = 0; k < n; k++) {
    e[k] = 1;
    HgStateUnpack(e, unit);
    e[k] = 0;
    PetscCall(HgOperatorHessian(J, m, unit, column));
    HgStatePack(column, a + k * n);
  }
  PetscCall(MatDenseRestoreArray(*A, &a));
  PetscCall(PetscFree(e));
  return HgStatesDestroy(&unit, &column);
}

/* By LAPACK's Cholesky factorisation, which `A` becomes. */
static inline PetscErrorCode dense_invert(Mat A, Mat *inverse) {
  Mat one;
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &one));
  PetscCall(MatZeroEntries(one));
  PetscCall(MatShift(one, 1));
  PetscCall(MatDuplicate(one, MAT_DO_NOT_COPY_VALUES, inverse));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatCholeskyFactor(A, NULL, NULL));
  PetscCall(MatMatSolve(A, one, *inverse));
  return MatDestroy(&one);
}

#endif
