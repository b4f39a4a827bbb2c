/* SPDX-License-Identifier: BSD-2-Clause */
/* A field read at places, on every rank. */
#ifndef HALOGRAD_TESTS_SPOTS_H
#define HALOGRAD_TESTS_SPOTS_H

#include <halograd/state_library.h>

/* The patch-local index of the cell that stands for global index `cell`: itself, across the seam of
   a periodic axis, or the nearest inside a wall. */
static inline int stand_in(int cell, int n, bool periodic, int first) {
  if (cell < 0) return (periodic ? cell + n : 0) - first;
  if (cell >= n) return (periodic ? cell - n : n - 1) - first;
  return cell - first;
}

/* value[k] = the field `name`, with levels the lowest, at (x[k], y[k]), k < count. */
static inline PetscErrorCode read_spots(HgState state, const char name[], int count,
                                        const double x[], const double y[], double value[]) {
  const HgMesh mesh = HgStateMesh(state);
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgSpot *spot;
  double(*corner)[2][2];
  int index;
  PetscCall(HgStateIndex(state, name, &index));
  PetscCall(PetscMalloc2(count, &spot, count, &corner));
  for (int k = 0; k < count; k++) {
    spot[k] = HgSpotAt(mesh, HgStateLocation(state, index), x[k], y[k], 0);
    for (int c = 0; c < 4; c++) {
      const int i = stand_in(spot[k].i + c % 2, m->nx, m->periodic_x, p->i_global),
                j = stand_in(spot[k].j + c / 2, m->ny, m->periodic_y, p->j_global);
      const bool own = i >= 0 && i < p->nx && j >= 0 && j < p->ny;
      corner[k][c / 2][c % 2] = own ? HgStateRows(state, index)[j][i] : -0.0;
    }
  }
  /* one owner's value plus -0 of the others: its bits, even of +0 or -0 */
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, corner, 4 * count, MPI_DOUBLE, MPI_SUM, HgMeshComm(mesh)));
  for (int k = 0; k < count; k++) value[k] = HgSpotValue(&spot[k], corner[k]);
  return PetscFree2(spot, corner);
}

#endif
