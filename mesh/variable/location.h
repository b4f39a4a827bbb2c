/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/location.h -- where in its cell a variable lives.

     HG_CENTRE   (x_i,        y_j)              x_i = x0 + i dx, y_j = y0 + j dy: the centre of cell (i, j)
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

#endif
