/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/mesh.h -- the global grid, its px x py patches, their owners and neighbours.

   Cells (i, j): i = 0..nx-1 from west to east (contiguous in memory), j = 0..ny-1 from south to
   north. The centre of cell (i, j) is (x0 + i dx, y0 + j dy). Rank r owns patch (ix, iy) = (r mod
   px, r div px). A mesh may lie on a sphere: then x is the longitude and y the latitude.

   A mesh may have levels k = 0..nz-1 from below to above. Then (i, j) is a column of nz cells with
   centres at z0 + k dz. Patches do not cut columns. */
#ifndef HALOGRAD_MESH_H
#define HALOGRAD_MESH_H

#include <halograd/error.h>
#include <halograd/location.h>
#include <petscviewer.h>

/* A mesh. It is reference-counted: it lives until its last owner destroys it. */
typedef struct HgMesh_s *HgMesh;

typedef struct {
  int nx, ny;    /* global cells along x and y, each >= 1 */
  int px, py;    /* patches along x and y; 0: chosen, cutting the contiguous axis x last */
  double x0, y0; /* centre of cell (0,0) [m] */
  double dx, dy; /* cell size [m], > 0 */
  /* R [m] of a sphere: then x0, y0, dx, dy and the places of sensors are in degrees east and north.
     0: a plane */
  double radius;
  int nz;        /* levels; 0: none, the mesh is two-dimensional */
  double z0, dz; /* centre of level 0, and thickness of a level [m], > 0 */
  bool periodic_x, periodic_y, periodic_z; /* the last cell's neighbour is the first */
  /* width of the ghosts around a patch, the limit for exchanges. 0: as wide as the programs on the
     mesh need when they are set up (1 until then). On a mesh with levels at most 8 */
  int ghost;
  const int *widths_x,
      *widths_y; /* patch widths, px and py of them, summing to nx and ny; NULL: even */
} HgMeshSpec;

/* The calling rank's patch. Patch-local indices run from 0; ghosts are negative or >= nx, ny. */
typedef struct {
  int nx, ny;                                        /* owned cells */
  int ix, iy;                                        /* position among the px x py patches */
  int i_global, j_global;                            /* global index of patch-local cell (0,0) */
  bool wall_west, wall_east, wall_south, wall_north; /* the (non-periodic) domain ends here */
  /* Numbers between two levels of a field: level k of row u[j] begins at u[j] + k pitch. Ghosts of
     levels have k < 0 and k >= nz. */
  ptrdiff_t pitch;
} HgPatch;

/* Sizes of cells on a plane or a sphere. */
typedef struct {
  /* of a cell [m]: dx and dy; on a sphere R dlambda and R dphi, where cells of row j are
     latitudes[j].cosine times as wide */
  double width, height;
  /* of global row j on a sphere, including ghosts; rows farther out than one beside the domain have
     the values of that one; NULL: a plane */
  const HgLatitude *latitudes;
  const char *unit; /* of x and y: "m", or "degrees" on a sphere */
} HgMeshMetric;

/* Creates a mesh over all ranks of `comm` (duplicated). Collective. Errors: sizes, spacing or ghost
   width out of range; on a sphere cells beyond a pole or more than once around, or a periodic y; px
   py different from the number of ranks; more patches than cells along an axis; widths that do not
   add up. */
PetscErrorCode HgMeshCreate(MPI_Comm comm, const HgMeshSpec *spec, HgMesh *mesh);

/* Gives up ownership and sets *mesh to NULL; the last owner frees it. Collective. */
PetscErrorCode HgMeshDestroy(HgMesh *mesh);

/* HgMeshComm(): the mesh's own communicator. All three are borrowed. Not collective. */
MPI_Comm HgMeshComm(HgMesh mesh);
const HgMeshSpec *HgMeshGetSpec(HgMesh mesh); /* as created; px, py and ghost filled in */
const HgPatch *HgMeshGetPatch(HgMesh mesh);   /* the calling rank's */
const HgMeshMetric *HgMeshGetMetric(HgMesh mesh);

#endif
