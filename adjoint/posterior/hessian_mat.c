/* SPDX-License-Identifier: BSD-2-Clause */
/* The Hessian of a functional as a matrix, of which nothing is known but its products: in z = W m,
   H_z = W^-1 H W^-1. */
#include <halograd/operator_library.h>
#include <halograd/posterior_library.h>
#include <halograd/state_library.h>

typedef struct {
  HgOperator functional;
  const HgControlRange *range;
  HgState m, dm, h; /* the point; a direction; the product */
} Hessian;

static PetscErrorCode multiply(Mat H, Vec x, Vec y) {
  Hessian *n;
  PetscCall(MatShellGetContext(H, &n));
  PetscCall(HgControlsFromVec(x, n->range, false, n->dm));
  PetscCall(HgOperatorHessian(n->functional, n->m, n->dm, n->h));
  return HgControlsToVec(n->h, n->range, -1, y);
}

static PetscErrorCode destroy(Mat H) {
  Hessian *n;
  PetscCall(MatShellGetContext(H, &n));
  PetscCall(HgStatesDestroy(&n->m, &n->dm, &n->h));
  PetscCall(HgOperatorDestroy(&n->functional));
  return PetscFree(n);
}

PetscErrorCode HgHessianMove(Mat H, Vec z) {
  Hessian *n;
  PetscCall(MatShellGetContext(H, &n));
  PetscCall(HgControlsFromVec(z, n->range, true, n->m));
  PetscCall(MatAssemblyBegin(H, MAT_FINAL_ASSEMBLY)); /* it is another matrix now */
  return MatAssemblyEnd(H, MAT_FINAL_ASSEMBLY);
}

PetscErrorCode HgHessianCreate(HgOperator functional, const HgControlRange range[], Vec z,
                               HgState m, Mat *H) {
  Hessian *n;
  PetscInt size;
  PetscCall(PetscNew(&n));
  PetscCall(HgOperatorReference(functional));
  n->functional = functional, n->range = range;
  PetscCall(HgOperatorCreateInput(functional, &n->m));
  PetscCall(HgOperatorCreateInput(functional, &n->dm));
  PetscCall(HgOperatorCreateInput(functional, &n->h));
  if (m) PetscCall(HgStateCopy(m, n->m));
  PetscCall(VecGetLocalSize(z, &size));
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)z), size, size, PETSC_DETERMINE,
                           PETSC_DETERMINE, n, H));
  PetscCall(MatShellSetOperation(*H, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(*H, MATOP_MULT_TRANSPOSE, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(*H, MATOP_CREATE_VECS, (void (*)(void))HgExactVecsOf));
  PetscCall(MatShellSetOperation(*H, MATOP_DESTROY, (void (*)(void))destroy));
  return MatSetOption(*H, MAT_SYMMETRIC, PETSC_TRUE);
}
