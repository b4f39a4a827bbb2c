/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/sea.h -- the constants of a tsunami, linear or not (apps/tsunami), from the height of
   the sea floor.

   A cell is wet if z <= -shore; its depth h is max(-z, shallowest). A face is open if both its
   cells are wet and it is not on the rim of the domain; h_u and h_v are means of the two depths.
   All else is land: h, and what a step keeps, are 0. Along all four sides there is a sponge of
   `sponge` cells with the rate
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

/* Reads elevations from field "b" of `floor`, with ghosts as HgTopographyRead() fills them. Sets
   the field h [m] of `floor`, 0 on land, and constants of `x`, an input of tsunami.stencil or
   tsunami_nonlinear.stencil with steps of dt [s]: keep, keep_u, keep_v, and h_u and h_v, or h,
   which is `shallowest` on land. Collective. Errors: unknown fields; numbers of the sea out of
   range, including `shallowest` = 0 with h, and a sponge of half the cells along x or y; no wet
   cell. */
PetscErrorCode HgSeaFill(HgState floor, const HgSea *sea, double dt, HgState x);

/* Error: a sensor at (x, y) does not interpolate between wet cells only. The sentence has `label`
   and the nearest wet cell. `floor` as HgSeaFill() left it. Collective. */
PetscErrorCode HgSeaRequireWet(HgState floor, double x, double y, const char label[]);

/* The smallest f(width, height, depth) of all wet cells, with width and height of the cell [m]. The
   same bits on any decomposition. Collective. */
PetscErrorCode HgSeaLeast(HgState floor, double (*f)(double width, double height, double depth),
                          double *least);

#endif
