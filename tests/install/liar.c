/* A program outside the tree that checks stencils: hg_heat passes; declared with a radius of u of
   0, which is a lie, it does not, and the finding says how far it reads. */
#include <halograd/check_stencil.h>
#include <halograd/heat.h>

static PetscErrorCode check(bool *passed) {
  const HgCheckRange ranges[] = {{-1, 1}, {0.5, 2}}; /* the values of u and kappa */
  const HgRead reads[] = {{"u", 0, 1}, {"kappa", 0, 1}, {NULL, 0, 0}};
  HgStencil liar = hg_heat;
  HgStencilReport report;
  liar.name = "liar", liar.reads = reads;
  PetscCall(HgCheckStencilPrint(PETSC_COMM_WORLD, &hg_heat, NULL, ranges, NULL, passed));
  PetscCall(HgCheckStencil(&liar, NULL, ranges, NULL, &report));
  *passed = *passed && !report.passed && report.finding[0].check == HG_STENCIL_RADIUS &&
            report.finding[0].value == 1 && report.finding[0].bound == 0;
  return 0;
}

int main(int argc, char **argv) {
  bool passed = false;
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "Stencils checked outside the tree.\n");
  return HgFinalize(ierr ? ierr : check(&passed)) || !passed;
}
