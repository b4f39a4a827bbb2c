/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/latitude.h -- the metric of a sphere, row by row of a grid of longitudes and latitudes.

   Cell (i, j) is R cos(phi_j) dlambda wide and R dphi high; its northern face, at phi_j + dphi/2,
   is R cos(phi_j + dphi/2) dlambda long. R dlambda and R dphi are dx and dy of a kernel's box; the
   cosines stand here. */
#ifndef HALOGRAD_LATITUDE_H
#define HALOGRAD_LATITUDE_H

typedef struct {
  double cosine, sine;             /* of phi_j, the latitude of the cells' centres */
  double north_cosine, north_sine; /* of phi_j + dphi/2, that of their northern faces */
} HgLatitude;

#endif
