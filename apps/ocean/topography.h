/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/topography.h -- the height of the sea floor from files of others, and still water over
   it.

   The elevation z [m] is positive up: above the sea level it is land, below it is water. It is the
   b of shallow_water.h, where the surface is h + b. At a cell centre between the file's points,
     b(x, y) = (1 - t) ((1 - s) z_00 + s z_10) + t ((1 - s) z_01 + s z_11),   s, t in [0, 1].
   Files: ESRI ASCII grids and GeoClaw topography of types 2 and 3 (text), netCDF-4 with CF
   coordinates; data/README.md has the formats. */
#ifndef HALOGRAD_TOPOGRAPHY_H
#define HALOGRAD_TOPOGRAPHY_H

#include <halograd/state.h>

/* For files in degrees and a mesh on a plane: the place of the mesh's point (0, 0). The plane
   touches the Earth (R = 6371 km) there: x = R cos(latitude) (lon - longitude), y = R (lat -
   latitude), the angles in radians. */
typedef struct {
  double longitude, latitude; /* [degrees] */
} HgTopographyOrigin;

/* Field `name` [m] = the elevation of `path`, which may be FILE?VARIABLE if a file has several.
   Fills ghosts too; those beyond walls are copies of the nearest cell. Every rank reads the file
   and keeps only what its cells need. Pass origin = NULL for a file in metres, and for a mesh on a
   sphere, whose files are in degrees. The same bits on any decomposition. Collective. Errors, with
   the file, expected and found; the field is then unchanged: a missing, short or foreign file; an
   invalid header; coordinates that are not monotone; wrong units; a grid that does not cover all
   cell centres; no data near a cell, or less than -12000 or more than 9000 m; more points than the
   file has bytes for. */
PetscErrorCode HgTopographyRead(HgState state, const char name[], const char path[],
                                const HgTopographyOrigin *origin);

/* h = sea_level - b [m], the thickness of still water, including ghosts. Collective. Errors:
   unknown names; a cell with b > sea_level - least_depth, which is land or too shallow: the
   sentence has the first one in natural order, its place and elevation; least_depth not positive.
   */
PetscErrorCode HgTopographyStillWater(HgState state, const char b[], double sea_level,
                                      double least_depth, const char h[]);

#endif
