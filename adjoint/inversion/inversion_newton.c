/* SPDX-License-Identifier: BSD-2-Clause */
/* The Hessian of a functional as TAO's matrix, of which nothing is known but its products: in z = W
   m, H_z = W^-1 H W^-1. */
#include "inversion_private.h"
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <petscksp.h>

/* A product costs up to three gradients: steps are no better than they need be, where Newton's
   method gains two digits each. Options -tao_..._ksp_rtol and -tao_..._ksp_max_it say otherwise. */
#define STEP_TOLERANCE 1e-2

enum { PRODUCTS = 200 };

typedef struct {
  HgOperator functional;
  const HgControlRange *range;
  HgState m, dm, h; /* the point; a direction; the product */
  Vec z;            /* what its vectors are like */
} Newton;

static PetscErrorCode multiply(Mat H, Vec x, Vec y) {
  Newton *n;
  PetscCall(MatShellGetContext(H, &n));
  PetscCall(HgControlsFromVec(x, n->range, false, n->dm));
  PetscCall(HgOperatorHessian(n->functional, n->m, n->dm, n->h));
  return HgControlsToVec(n->h, n->range, -1, y);
}

/* Vectors whose sums are exact. */
static PetscErrorCode create_vecs(Mat H, Vec *right, Vec *left) {
  Newton *n;
  PetscCall(MatShellGetContext(H, &n));
  if (right) PetscCall(VecDuplicate(n->z, right));
  return left ? VecDuplicate(n->z, left) : 0;
}

static PetscErrorCode destroy(Mat H) {
  Newton *n;
  PetscCall(MatShellGetContext(H, &n));
  PetscCall(HgStatesDestroy(&n->m, &n->dm, &n->h));
  PetscCall(VecDestroy(&n->z));
  PetscCall(HgOperatorDestroy(&n->functional));
  return PetscFree(n);
}

/* The Hessian at z from now on. */
static PetscErrorCode move(Tao tao, Vec z, Mat H, Mat preconditioner, void *context) {
  Newton *n;
  (void)tao, (void)preconditioner, (void)context;
  PetscCall(MatShellGetContext(H, &n));
  PetscCall(HgControlsFromVec(z, n->range, true, n->m));
  PetscCall(MatAssemblyBegin(H, MAT_FINAL_ASSEMBLY)); /* it is another matrix now */
  return MatAssemblyEnd(H, MAT_FINAL_ASSEMBLY);
}

PetscErrorCode HgHessianCreate(HgOperator functional, const HgControlRange range[], Vec z,
                               HgState m, Mat *H) {
  Newton *n;
  PetscInt size;
  PetscCall(PetscNew(&n));
  PetscCall(HgOperatorReference(functional));
  n->functional = functional, n->range = range;
  PetscCall(HgOperatorCreateInput(functional, &n->m));
  PetscCall(HgOperatorCreateInput(functional, &n->dm));
  PetscCall(HgOperatorCreateInput(functional, &n->h));
  if (m) PetscCall(HgStateCopy(m, n->m));
  PetscCall(VecDuplicate(z, &n->z));
  PetscCall(VecGetLocalSize(z, &size));
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)z), size, size, PETSC_DETERMINE,
                           PETSC_DETERMINE, n, H));
  PetscCall(MatShellSetOperation(*H, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(*H, MATOP_MULT_TRANSPOSE, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(*H, MATOP_CREATE_VECS, (void (*)(void))create_vecs));
  PetscCall(MatShellSetOperation(*H, MATOP_DESTROY, (void (*)(void))destroy));
  return MatSetOption(*H, MAT_SYMMETRIC, PETSC_TRUE);
}

PetscErrorCode HgNewtonSetUp(Tao tao, HgOperator functional, const HgControlRange range[], Vec z) {
  char name[64];
  KSP ksp;
  PC pc;
  Mat H;
  PetscCall(HgHessianCreate(functional, range, z, NULL, &H));
  PetscCall(TaoSetHessian(tao, H, H, move, NULL));
  PetscCall(MatDestroy(&H));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-tao_type", name, sizeof name, NULL));
  PetscCall(TaoSetType(tao, name));
  PetscCall(TaoGetKSP(tao, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  return KSPSetTolerances(ksp, STEP_TOLERANCE, PETSC_DEFAULT, PETSC_DEFAULT, PRODUCTS);
}
