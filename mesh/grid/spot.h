/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/spot.h -- a point between four places of a field: bilinear interpolation of a field. */
#ifndef HALOGRAD_SPOT_H
#define HALOGRAD_SPOT_H

#include <halograd/state.h>

/* The point lies between the places of (i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1), global
   indices, where the field has its values (location.h); weight[b][a] is that of (i + a, j + b).
   Outside a wall there are ghosts: i runs from -1 to nx - 1; on a periodic axis from 0 to nx - 1,
   and cell nx is cell 0. */
typedef struct {
  int i, j;
  double weight[2][2];
  int level; /* with levels: it lies between that one and the next, which has the weight `up` */
  double up;
} HgSpot;

/* Where (x, y, z) [m] lies in a field of that location; points outside the domain count as on its
   edge; z only matters on a mesh with levels. Not collective. */
HgSpot HgSpotAt(HgMesh mesh, HgLocation location, double x, double y, double z);

/* value[k] = the field at (x[k], y[k]) [m], k < count, with the bits of HgSpotValue() and on every
   rank; beyond the outermost places at a wall the nearest one's value; with levels of the lowest.
   Needs no ghosts. Errors: unknown name, no field. Collective: one MPI_Allreduce of 4 count
   numbers. */
PetscErrorCode HgSpotSample(HgState state, const char name[], int count, const double x[],
                            const double y[], double value[]);

#endif
