/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/side.h -- what a variable has at the sides of the domain; what each kind does:
   boundary.h. */
#ifndef HALOGRAD_SIDE_H
#define HALOGRAD_SIDE_H

typedef enum {
  HG_UNSTATED, /* 0: nobody has said anything; refused where a stencil reads across the wall */
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

#endif
