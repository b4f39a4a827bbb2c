/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/location_library.h>
#include <halograd/state_library.h>
#include <math.h>

/* The index of the place at or below a position (in cells from the first place), and the weight of
   the next one. */
static int axis_below(double position, int n, bool periodic, double *weight) {
  const double below = floor(position);
  *weight = position - below;
  if (periodic) return (int)(fmod(below, n) < 0 ? fmod(below, n) + n : fmod(below, n));
  const int base = (int)fmax(-1, fmin(below, n - 1));
  if (below != base) *weight = below < base ? 0 : 1; /* at the edge, but for rounding */
  return base;
}

HgSpot HgSpotAt(HgMesh mesh, HgLocation location, double x, double y, double z) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  double wx, wy;
  const double column = (x - m->x0) / m->dx - HgLocationEast(location),
               row = (y - m->y0) / m->dy - HgLocationNorth(location);
  const int i = axis_below(column, m->nx, m->periodic_x, &wx),
            j = axis_below(row, m->ny, m->periodic_y, &wy);
  HgSpot spot = {i, j, {{(1 - wy) * (1 - wx), (1 - wy) * wx}, {wy * (1 - wx), wy * wx}}, 0, 0};
  if (m->nz)
    spot.level =
        axis_below((z - m->z0) / m->dz - HgLocationUp(location), m->nz, m->periodic_z, &spot.up);
  return spot;
}

double HgSpotValue(const HgSpot *s, double corner[2][2]) {
  const double south = s->weight[0][0] * corner[0][0] + s->weight[0][1] * corner[0][1];
  const double north = s->weight[1][0] * corner[1][0] + s->weight[1][1] * corner[1][1];
  return south + north;
}

/* The patch-local index of the cell that stands for global index `cell`: itself, across the seam of
   a periodic axis, or the nearest inside a wall. */
static int stand_in(int cell, int n, bool periodic, int first) {
  if (cell < 0) return (periodic ? cell + n : 0) - first;
  if (cell >= n) return (periodic ? cell - n : n - 1) - first;
  return cell - first;
}

PetscErrorCode HgSpotSample(HgState state, const char name[], int count, const double x[],
                            const double y[], double value[]) {
  const HgMesh mesh = HgStateMesh(state);
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  int index;
  double(*corner)[2][2];
  PetscCall(HgStateIndex(state, name, &index));
  HgRequire(HgMeshComm(mesh), HgIsField(HgStateVariable(state, index)), HG_ERR_VARIABLE,
            "variable '%s' is an array, expected a field to interpolate", name);
  PetscCall(PetscMalloc1(count, &corner));
  const HgLocation location = HgStateLocation(state, index);
  HgReal *const *u = HgStateRows(state, index);
  for (int k = 0; k < count; k++) {
    const HgSpot spot = HgSpotAt(mesh, location, x[k], y[k], 0);
    for (int c = 0; c < 4; c++) {
      const int i = stand_in(spot.i + c % 2, m->nx, m->periodic_x, p->i_global),
                j = stand_in(spot.j + c / 2, m->ny, m->periodic_y, p->j_global);
      const bool own = i >= 0 && i < p->nx && j >= 0 && j < p->ny;
      corner[k][c / 2][c % 2] = own ? u[j][i] : -0.0;
    }
  }
  /* one owner's value plus -0 of the others: its bits, even of +0 or -0 */
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, corner, 4 * count, MPI_DOUBLE, MPI_SUM, HgMeshComm(mesh)));
  for (int k = 0; k < count; k++) {
    const HgSpot spot = HgSpotAt(mesh, location, x[k], y[k], 0);
    value[k] = HgSpotValue(&spot, corner[k]);
  }
  return PetscFree(corner);
}
