/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/mesh.h -- the global grid, its px x py patches, their owners and neighbours.

   Cells (i, j), i = 0..nx-1 west to east (contiguous in memory), j = 0..ny-1 south to north; the
   centre of cell (i, j) is (x0 + i dx, y0 + j dy). Rank r owns patch (ix, iy) = (r mod px, r div
   px). A mesh may lie on a sphere: then x is the longitude and y the latitude.

   A mesh may have levels k = 0..nz-1 from below to above: a cell (i, j) is then a column of nz
   cells with their centres at z0 + k dz, which no patch cuts. */
#ifndef HALOGRAD_MESH_H
#define HALOGRAD_MESH_H

#include <halograd/error.h>
#include <halograd/location.h>
#include <petscviewer.h>

/* A mesh, shared by its owners. */
typedef struct HgMesh_s *HgMesh;

typedef struct {
  int nx, ny;    /* global cells along x and y, each >= 1 */
  int px, py;    /* patches along x and y; 0: chosen, the contiguous axis x cut last */
  double x0, y0; /* centre of cell (0,0) [m] */
  double dx, dy; /* cell size [m], > 0 */
  /* R [m] of a sphere, on which x0, y0, dx and dy are degrees east and north, as are the places of
     sensors; 0: a plane */
  double radius;
  int nz;        /* levels; 0: none, the mesh is two-dimensional */
  double z0, dz; /* centre of level 0, and how thick a level is [m], > 0 */
  bool periodic_x, periodic_y, periodic_z; /* whether the last cell's neighbour is the first */
  /* ghost cells around a patch: the deepest exchange there can be; 0: as many as the programs on
     the mesh ask for when they are set up, 1 until then; with levels 8 at most */
  int ghost;
  const int *widths_x,
      *widths_y; /* patch widths, px and py of them, summing to nx and ny; NULL: even */
} HgMeshSpec;

/* The calling rank's patch. Patch-local indices run from 0; ghosts are negative or >= nx, ny. */
typedef struct {
  int nx, ny;                                        /* owned cells */
  int ix, iy;                                        /* position among the px x py patches */
  int i_global, j_global;                            /* global index of patch-local cell (0,0) */
  bool wall_west, wall_east, wall_south, wall_north; /* does the (non-periodic) domain end here? */
  /* Numbers from a level of a field to the next: level k of row u[j] begins at u[j] + k pitch;
     ghosts of levels have k < 0 and k >= nz. */
  ptrdiff_t pitch;
} HgPatch;

/* Sizes of cells on a plane or a sphere. */
typedef struct {
  /* of a cell [m]: dx and dy; on a sphere R dlambda and R dphi, where the cells of row j are
     latitudes[j].cosine times as wide */
  double width, height;
  /* of global row j on a sphere, ghosts included: rows further out than one beside the domain count
     as that one; NULL: a plane */
  const HgLatitude *latitudes;
  const char *unit; /* of x and y: "m", or "degrees" on a sphere */
} HgMeshMetric;

/* A mesh over all ranks of `comm` (duplicated). Collective. Errors: sizes, spacing or ghost out of
   range; on a sphere cells beyond a pole or further round than once, or a periodic y; px py unequal
   to the number of ranks; more patches than cells along an axis; widths that do not add up. */
PetscErrorCode HgMeshCreate(MPI_Comm comm, const HgMeshSpec *spec, HgMesh *mesh);

/* Drops an owner, sets *mesh to NULL; the last one frees. Collective. */
PetscErrorCode HgMeshDestroy(HgMesh *mesh);

/* The mesh's own communicator; borrowed. Not collective. */
MPI_Comm HgMeshComm(HgMesh mesh);
const HgMeshSpec *HgMeshGetSpec(HgMesh mesh); /* as created; px, py and ghost filled in */
const HgPatch *HgMeshGetPatch(HgMesh mesh);   /* the calling rank's */
const HgMeshMetric *HgMeshGetMetric(HgMesh mesh);

#endif
