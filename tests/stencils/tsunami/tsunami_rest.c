/* Without a sponge water at rest stays at rest to the bit, in the linear tsunami and the nonlinear
   one, over the floor of a real sea, its coasts and islands; and what moves keeps its volume to
   1e-15. */
#include "tsunami_case.h"
#include <halograd/spot.h>

static const struct {
  const HgPhysics *physics;
  double eta; /* that DART 21418 sees after 150 steps [m], by another program; 0: not known */
} both[] = {{&tsunami_physics, 0.8513182983455663}, {&tsunami_nonlinear_physics, 0}};

/* After 150 steps eta is what it was, u and v are 0. */
static PetscErrorCode rest(const HgPhysics *physics) {
  const TsunamiSpec spec = {.steps = 150, .still = true, .physics = physics};
  TsunamiCase c;
  double J;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgTrajectoryValue(c.trajectory, c.x, &J));
  const HgState q = HgTrajectoryFinal(c.trajectory);
  const HgPatch *p = HgMeshGetPatch(c.mesh);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      claim_same(HgStateRows(q, 0)[j][i], HgStateRows(c.x, 0)[j][i], "eta(%d, %d)", i, j);
      claim_that(HgStateRows(q, 1)[j][i] == 0 && HgStateRows(q, 2)[j][i] == 0,
                 "u(%d, %d) = %g, v = %g, expected 0", i, j, HgStateRows(q, 1)[j][i],
                 HgStateRows(q, 2)[j][i]);
    }
  return tsunami_destroy(&c);
}

static PetscErrorCode volume(const HgPhysics *physics, double expected) {
  const TsunamiSpec spec = {.steps = 150, .physics = physics};
  TsunamiCase c;
  double J, before, after, eta;
  const double lon = 148.694, lat = 38.711;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(tsunami_volume(c.mesh, c.x, &before));
  PetscCall(HgTrajectoryValue(c.trajectory, c.x, &J));
  PetscCall(tsunami_volume(c.mesh, HgTrajectoryFinal(c.trajectory), &after));
  claim_at_most(fabs(after / before - 1), 1e-15, "volume %.17g m^3 becomes %.17g: relative change",
                before, after);
  PetscCall(HgSpotSample(HgTrajectoryFinal(c.trajectory), "eta", 1, &lon, &lat, &eta));
  if (expected != 0)
    claim_at_most(fabs(eta / expected - 1), 1e-9, "DART 21418 sees %.17g m: distance", eta);
  return tsunami_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("water at rest stays at rest, and what moves keeps its volume", 0);
  for (int k = 0; k < 2; k++) {
    if (!ierr) ierr = rest(both[k].physics);
    if (!ierr) ierr = volume(both[k].physics, both[k].eta);
  }
  return claim_end(ierr);
}
