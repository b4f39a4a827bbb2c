/* SPDX-License-Identifier: BSD-2-Clause */
/* A program outside the tree whose kernels hgstencil has written: checked, then a step forward and
   back. */
#include "gray_scott.h"
#include <halograd/check_stencil.h>
#include <halograd/program.h>

static PetscErrorCode run(void) {
  const HgMeshSpec spec = {.nx = 50, .ny = 40, .dx = 1, .dy = 1};
  char digest[2][17];
  bool passed;
  HgMesh mesh;
  HgProgram program;
  HgOperator step;
  HgState x, y, x_bar;
  PetscCall(HgCheckStencil(PETSC_COMM_WORLD, &gray_scott, NULL, NULL, NULL, &passed));
  if (!passed) return PETSC_ERR_PLIB;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "gray_scott", 0.2, &program));
  PetscCall(HgProgramAddStencil(program, &gray_scott, NULL));
  PetscCall(HgProgramSetBoundary(program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetBoundary(program, "v", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramOperator(program, 0, &step));
  PetscCall(HgOperatorCreateInput(step, &x));
  PetscCall(HgOperatorCreateInput(step, &x_bar));
  PetscCall(HgOperatorCreateOutput(step, &y));
  PetscCall(HgStateRandom(x, 1));
  PetscCall(HgOperatorApply(step, x, y));
  PetscCall(HgOperatorTranspose(step, x, y, x_bar));
  PetscCall(HgStateDigest(y, NULL, digest[0]));
  PetscCall(HgStateDigest(x_bar, NULL, digest[1]));
  return PetscPrintf(PETSC_COMM_WORLD, "digest %s%s\n", digest[0], digest[1]);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  return HgFinalize(ierr ? ierr : run());
}
