/* SPDX-License-Identifier: BSD-2-Clause */
/* The Hessian of the tsunami's J, linear or not, by its source and by the depth of its sea, is
   symmetric and what gradients differ by, on a sphere. Kernels without `second` do for the linear
   one's source, as it is linear in what moves, but not for the depth. */
#include "hessian_claims.h"
#include "refusal.h"
#include "tsunami_case.h"

static PetscErrorCode test(const HgPhysics *physics, const char depth[], double size,
                           uint64_t seed) {
  const TsunamiSpec spec = {.steps = 13, .sponge = 5, .physics = physics};
  TsunamiCase c;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(claim_second_order(physics->name, c.trajectory, c.x, size, 1e-13, seed));
  PetscCall(HgProgramSetActive(c.program, depth, true));
  PetscCall(claim_second_order(depth, c.trajectory, c.x, size, 1e-13, seed + 1));
  return tsunami_destroy(&c);
}

/* The linear one without kernels `second`. */
static PetscErrorCode without(void) {
  HgStencil stencil[3] = {tsunami_east, tsunami_north, tsunami_surface};
  const HgStencil *const stencils[] = {&stencil[0], &stencil[1], &stencil[2], NULL};
  HgPhysics physics = tsunami_physics;
  TsunamiCase c;
  HgState h;
  double dJ;
  for (int k = 0; k < 3; k++) stencil[k].second = NULL;
  physics.stencils = stencils;
  PetscCall(tsunami_create(PETSC_COMM_WORLD,
                           &(TsunamiSpec){.steps = 13, .sponge = 5, .physics = &physics}, &c));
  PetscCall(claim_second_order("without second", c.trajectory, c.x, 0.5, 1e-13, 7));
  PetscCall(HgStateDuplicate(c.x, &h));
  PetscCall(HgProgramSetActive(c.program, "h_u", true));
  REFUSED(HgTrajectoryHessians(c.trajectory, c.x, 1, &c.x, &dJ, NULL, &h),
          "stencil 'tsunami_surface'", "no kernel `second`");
  PetscCall(HgStateDestroy(&h));
  return tsunami_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the tsunami's Hessian by its source and its sea is symmetric and right", 0);
  if (!ierr) ierr = test(&tsunami_physics, "h_u", 0.1, 3);
  if (!ierr) ierr = test(&tsunami_nonlinear_physics, "h", 0.1, 5);
  if (!ierr) ierr = without();
  return claim_end(ierr);
}
