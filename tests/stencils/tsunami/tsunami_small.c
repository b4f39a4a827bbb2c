/* SPDX-License-Identifier: BSD-2-Clause */
/* As waves become small the nonlinear tsunami becomes the linear one: where nothing rotates their
   difference is of order 2 in the height of the wave; on Earth, where the two average the Coriolis
   force in different ways, it falls to a thousandth of the wave. */
#include "tsunami_case.h"
#include <halograd/state_library.h>

enum { STEPS = 100, HEIGHTS = 6 };

/* Field 0 of `to` is `factor` times that of `from`, cell by cell: each case has a mesh of its own.
   */
static void times(double factor, HgState from, HgState to) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(from));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) HgStateRows(to, 0)[j][i] = factor * HgStateRows(from, 0)[j][i];
  HgStateSetGhostDepth(to, 0, 0);
}

/* eta in the end, of `height` times the hump. */
static PetscErrorCode run(const TsunamiCase *c, HgState hump, double height, HgState eta) {
  double J;
  times(height, hump, c->x);
  PetscCall(HgTrajectoryValue(c->trajectory, c->x, &J));
  times(1, HgTrajectoryFinal(c->trajectory), eta);
  return 0;
}

/* |eta of the nonlinear tsunami - that of the linear one| / |that of the linear one|, for humps of
   2 m, 1 m, 1/2 m ... */
static PetscErrorCode differences(bool still, double relative[HEIGHTS]) {
  static const HgVariable surface = {"eta", "m", HG_FIELD, 0};
  const TsunamiSpec spec = {.sponge = 15, .steps = STEPS, .on_still_planet = still};
  TsunamiSpec other = spec;
  TsunamiCase linear, nonlinear;
  HgState hump, eta[2];
  double norm, squares;
  other.physics = &tsunami_nonlinear_physics;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &linear));
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &other, &nonlinear));
  PetscCall(HgStateCreate(linear.mesh, 1, &surface, &hump));
  times(1, linear.x, hump);
  for (int k = 0; k < 2; k++) PetscCall(HgStateDuplicate(hump, &eta[k]));
  for (int k = 0; k < HEIGHTS; k++) {
    PetscCall(run(&linear, hump, ldexp(0.5, -k), eta[0]));
    PetscCall(run(&nonlinear, hump, ldexp(0.5, -k), eta[1]));
    PetscCall(HgStateDot(eta[0], eta[0], &norm));
    PetscCall(HgStateAXPY(eta[0], -1, eta[1]));
    PetscCall(HgStateDot(eta[0], eta[0], &squares));
    relative[k] = sqrt(squares / norm);
  }
  PetscCall(HgStatesDestroy(&hump, &eta[0], &eta[1]));
  PetscCall(tsunami_destroy(&linear));
  return tsunami_destroy(&nonlinear);
}

static PetscErrorCode test(void) {
  double still[HEIGHTS], earth[HEIGHTS];
  PetscCall(differences(true, still));
  PetscCall(differences(false, earth));
  claim_that(still[0] > 1e-3, "a hump of 2 m is linear to %g: nothing is seen", still[0]);
  for (int k = 0; k + 1 < HEIGHTS; k++)
    claim_at_most(fabs(log2(still[k] / still[k + 1]) - 1), 0.05,
                  "humps of %g m: relative difference %g, of half of it %g: order - 2",
                  ldexp(2, -k), still[k], still[k + 1]);
  claim_at_most(earth[HEIGHTS - 1], 0.001, "on Earth a small wave differs by");
  return 0;
}

CLAIM("small nonlinear waves are linear ones", 0, test)
