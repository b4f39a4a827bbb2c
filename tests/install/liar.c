/* SPDX-License-Identifier: BSD-2-Clause */
/* A program outside the tree that checks stencils: hg_heat passes; declared with a radius of u of
   0, which is a lie, it does not, and the finding that is printed says how far it reads. */
#include <halograd/check_stencil.h>
#include <halograd/heat.h>

static PetscErrorCode check(bool *passed) {
  const HgCheckRange ranges[] = {{-1, 1}, {0.5, 2}}; /* the values of u and kappa */
  const HgRead reads[] = {{"u", 0, 1}, {"kappa", 0, 1}, {NULL, 0, 0}};
  HgStencil liar = hg_heat;
  bool liar_passed;
  liar.name = "liar", liar.reads = reads;
  PetscCall(HgCheckStencil(PETSC_COMM_WORLD, &hg_heat, NULL, ranges, NULL, passed));
  PetscCall(HgCheckStencil(PETSC_COMM_WORLD, &liar, NULL, ranges, NULL, &liar_passed));
  *passed = *passed && !liar_passed;
  return 0;
}

int main(int argc, char **argv) {
  bool passed = false;
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "Stencils checked outside the tree.\n");
  return HgFinalize(ierr ? ierr : check(&passed)) || !passed;
}
