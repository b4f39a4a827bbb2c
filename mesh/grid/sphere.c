/* The metric of a mesh on a sphere, row by row. */
#include "sphere_private.h"
#include <math.h>

static double radians(double degrees) { return degrees * (PETSC_PI / 180); }

static HgLatitude latitude_of(double degrees, double step) {
  const double centre = radians(degrees), north = radians(degrees + 0.5 * step);
  return (HgLatitude){cos(centre), sin(centre), cos(north), sin(north)};
}

PetscErrorCode HgSphereCheck(MPI_Comm comm, const HgMeshSpec *s) {
  HgRequire(comm, isfinite(s->radius) && s->radius >= 0,
            "mesh: radius of the sphere is %g m, expected a positive finite number, or 0: a plane",
            s->radius);
  if (s->radius == 0) return 0;

  const double south = s->y0 - 1.5 * s->dy, north = s->y0 + (s->ny + 0.5) * s->dy,
               round = s->nx * s->dx;
  HgRequire(comm, south > -90 && north < 90,
            "mesh: with one more row on either side it reaches from %g to %g degrees north, "
            "expected latitudes between the poles",
            south, north);
  HgRequire(comm, round <= 360 * (1 + 1e-12),
            "mesh: %d cells of %g degrees reach %g degrees round the sphere, expected at most 360",
            s->nx, s->dx, round);
  HgRequire(comm, !s->periodic_x || fabs(round - 360) <= 1e-9 * 360,
            "mesh: periodic in x, but its cells reach %g degrees round the sphere, expected 360",
            round);
  HgRequire(comm, !s->periodic_y, "mesh: periodic in y on a sphere, expected walls");
  return 0;
}

PetscErrorCode HgSphereCreate(const HgMeshSpec *s, int most_ghosts, HgLatitude **first,
                              HgLatitude **latitudes) {
  *first = *latitudes = NULL;
  if (s->radius == 0) return 0;

  /* kernels that are checked reach a little further than ghosts do */
  const int around = 2 * most_ghosts;
  PetscCall(PetscMalloc1(s->ny + 2 * around, first));
  *latitudes = *first + around;
  for (int j = -around; j < s->ny + around; j++)
    (*latitudes)[j] = latitude_of(s->y0 + s->dy * fmin(fmax(j, -1), s->ny), s->dy);
  return 0;
}
