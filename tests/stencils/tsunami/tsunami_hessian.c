/* The Hessian of the tsunami's J by its source, on a sphere, is symmetric and what gradients differ by, though its
   stencils have no `second`: they are linear in what moves. By the depth of the sea there is none. */
#include "hessian_claims.h"
#include "refusal.h"
#include "tsunami_case.h"

static PetscErrorCode test(void) {
  const TsunamiSpec spec = {.steps = 13, .sponge = 5};
  TsunamiCase c;
  HgState h;
  double dJ;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(claim_second_order("tsunami", c.trajectory, c.x, 0.5, 1e-13, 3));
  PetscCall(HgStateDuplicate(c.x, &h));
  PetscCall(HgProgramSetActive(c.program, "h_u", true));
  REFUSED(HgTrajectoryHessian(c.trajectory, c.x, c.x, &dJ, NULL, h), "stencil 'tsunami_surface'",
          "no kernel `second`");
  PetscCall(HgStateDestroy(&h));
  return tsunami_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the tsunami's Hessian by its source is symmetric and right", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
