/* SPDX-License-Identifier: BSD-2-Clause */
/* The Hessian of a functional as TAO's matrix. */
#include "inversion_private.h"
#include <halograd/operator.h>
#include <petscksp.h>

/* A product costs up to three gradients, so steps are solved only as well as needed: Newton's
   method gains two digits with each. Options -tao_..._ksp_rtol and -tao_..._ksp_max_it override
   this. */
#define STEP_TOLERANCE 1e-2

enum { PRODUCTS = 200 };

/* Sets the Hessian to that at z. */
static PetscErrorCode move(Tao tao, Vec z, Mat H, Mat preconditioner, void *context) {
  (void)tao, (void)preconditioner, (void)context;
  return HgHessianMove(H, z);
}

PetscErrorCode HgNewtonSetUp(Tao tao, HgOperator functional, const HgControlRange range[], Vec z) {
  KSP ksp;
  PC pc;
  Mat H;
  PetscCall(HgHessianCreate(functional, range, z, NULL, &H));
  PetscCall(TaoSetHessian(tao, H, H, move, NULL));
  PetscCall(MatDestroy(&H));
  PetscCall(TaoGetKSP(tao, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  return KSPSetTolerances(ksp, STEP_TOLERANCE, PETSC_DEFAULT, PETSC_DEFAULT, PRODUCTS);
}
