/* For mesh/grid/mesh.c and sphere.c only. */
#ifndef HALOGRAD_SPHERE_PRIVATE_H
#define HALOGRAD_SPHERE_PRIVATE_H

#include <halograd/mesh.h>

/* Errors: a radius that is none; cells that do not fit on a sphere. Collective. */
PetscErrorCode HgSphereCheck(MPI_Comm comm, const HgMeshSpec *spec);

/* (*latitudes)[j], j from -2 most_ghosts to ny + 2 most_ghosts - 1; *first is what to free. Both
   NULL on a plane. */
PetscErrorCode HgSphereCreate(const HgMeshSpec *spec, int most_ghosts, HgLatitude **first,
                              HgLatitude **latitudes);

#endif
