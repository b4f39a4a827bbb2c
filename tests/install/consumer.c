/* SPDX-License-Identifier: BSD-2-Clause */
/* A program outside the tree: 20 steps of the heat equation on whatever ranks it gets, the digest
   of their end, and one step checked by machine. */
#include <halograd/check.h>
#include <halograd/heat.h>
#include <halograd/program.h>

static PetscErrorCode run(bool *passed) {
  const HgMeshSpec spec = {.nx = 32, .ny = 24, .dx = 1.0 / 32, .dy = 1.0 / 24};
  const double dt = 0.5 * HgHeatLargestStep(1, spec.dx, spec.dy);
  HgMesh mesh;
  HgProgram program;
  HgOperator step;
  HgState x, u;
  char digest[17];
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreatePhysics(mesh, &hg_heat_physics, NULL, dt, &program));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramOperator(program, 0, &step));
  PetscCall(HgOperatorCreateInput(step, &x));
  PetscCall(HgOperatorCreateOutput(step, &u));
  PetscCall(HgStateRandom(x, 1));
  for (int n = 0; n < 20; n++) {
    PetscCall(HgOperatorApply(step, x, u));
    PetscCall(HgStateCopyVariable(u, 0, x, 0));
  }
  PetscCall(HgStateDigest(u, "u", digest));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "digest %s\n", digest));
  PetscCall(HgCheckOperator(step, x, NULL, passed));
  PetscCall(HgStateDestroy(&x));
  PetscCall(HgStateDestroy(&u));
  PetscCall(HgOperatorDestroy(&step));
  PetscCall(HgProgramDestroy(&program));
  return HgMeshDestroy(&mesh);
}

int main(int argc, char **argv) {
  bool passed = false;
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "A program outside the tree.\n");
  return HgFinalize(ierr ? ierr : run(&passed)) || !passed;
}
