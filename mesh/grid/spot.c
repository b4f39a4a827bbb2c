/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/location_library.h>
#include <halograd/state_library.h>
#include <math.h>

/* The index of the last place at or below a position (in cells from the first place), and the
   weight of the next place. */
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
