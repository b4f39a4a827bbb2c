/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/sea.h -- what a tsunami, linear or not (apps/tsunami), needs to know of its sea, from
   the height of the floor.

   A cell is wet if z <= -shore; then its depth h is max(-z, shallowest). A face is open if both of
   its cells are wet and it is not on the rim of the domain; there h_u and h_v are means of the two
   depths. All else is land: h, and what a step keeps, are 0. Along all four sides lies a sponge
   `sponge` cells wide of the rate
     sigma = strongest ((sponge - k) / sponge)^2          k: cells to the nearest side, which has 0
   at faces the mean of the two cells. */
#ifndef HALOGRAD_SEA_H
#define HALOGRAD_SEA_H

#include <halograd/state.h>

typedef struct {
  double shore;      /* [m] of water at least, above 0 */
  double shallowest; /* [m] */
  int sponge;        /* cells; 0: none, closed walls */
  double strongest;  /* [1/s] */
} HgSea;

/* The elevations are field "b" of `floor`, ghosts as HgTopographyRead() fills them. Sets the fields
   h [m] of `floor`, 0 on land, and the constants of `x`, an input of tsunami.stencil or of
   tsunami_nonlinear.stencil with steps of dt [s]: keep, keep_u, keep_v, and h_u and h_v, or h,
   which is `shallowest` on land. Collective. Errors: unknown fields; numbers of the sea out of
   range, `shallowest` of 0 with h and a sponge of half the cells along x or y among them; no wet
   cell. */
PetscErrorCode HgSeaFill(HgState floor, const HgSea *sea, double dt, HgState x);

/* The place (x, y) that a sensor interpolates at lies between wet cells, or one sentence says that
   it does not, with `label` and the nearest wet cell; `floor` as HgSeaFill() left it. Collective.
   */
PetscErrorCode HgSeaRequireWet(HgState floor, double x, double y, const char label[]);

/* The smallest of f(width, height, depth) over all wet cells, width and height those of the cell
   [m]; the same bits on any decomposition. Collective. */
PetscErrorCode HgSeaLeast(HgState floor, double (*f)(double width, double height, double depth),
                          double *least);

#endif
