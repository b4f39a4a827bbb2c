/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/location.h -- where in its cell a variable lives.

     HG_CENTRE   (x_i,        y_j)              the centre of cell (i, j),
                                                x_i = x0 + i dx, y_j = y0 + j dy
     HG_X_FACE   (x_i + dx/2, y_j)              its eastern face
     HG_Y_FACE   (x_i,        y_j + dy/2)       its northern face
     HG_CORNER   (x_i + dx/2, y_j + dy/2)       its north-eastern corner; with levels an edge

   On a mesh with levels z_k = z0 + k dz, and three more, half a level up:

     HG_Z_FACE   (x_i,        y_j,        z_k + dz/2)
     HG_XZ_EDGE  (x_i + dx/2, y_j,        z_k + dz/2)
     HG_YZ_EDGE  (x_i,        y_j + dy/2, z_k + dz/2)

   The last column of x faces and corners lies on the domain's eastern wall, the last row of y faces
   and corners on its northern one; those on the western and southern walls have index -1: they are
   ghosts. */
#ifndef HALOGRAD_LOCATION_H
#define HALOGRAD_LOCATION_H

#include <stdbool.h>

typedef enum {
  HG_CENTRE,
  HG_X_FACE,
  HG_Y_FACE,
  HG_CORNER,
  HG_Z_FACE,
  HG_XZ_EDGE,
  HG_YZ_EDGE
} HgLocation;

/* The boundary of a variable at the sides of the domain; boundary.h says what each kind does. */
typedef enum {
  HG_UNSTATED, /* 0: nothing is stated; refused if a stencil reads across the wall */
  HG_FROZEN,
  HG_FIXED,
  HG_COPY,
  HG_MIRROR,
  HG_CLOSED
} HgSideKind;

typedef struct {
  HgSideKind kind;
  double value; /* fixed: the value; mirror: the sign, +1 or -1 */
} HgSide;

typedef struct {
  HgSide west, east, south, north; /* ignored on a periodic axis */
  HgSide below, above;             /* ignored on a mesh without levels, too */
} HgBoundary;

/* The metric of a sphere, row by row of a grid of longitudes and latitudes.

   Cell (i, j) is R cos(phi_j) dlambda wide and R dphi high; its northern face, at phi_j + dphi/2,
   is R cos(phi_j + dphi/2) dlambda long. R dlambda and R dphi are dx and dy of a kernel's box; the
   cosines are here. */

typedef struct {
  double cosine, sine;             /* of phi_j, the latitude of the cells' centres */
  double north_cosine, north_sine; /* of phi_j + dphi/2, that of their northern faces */
} HgLatitude;

#endif
