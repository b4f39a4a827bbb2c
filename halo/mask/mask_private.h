/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a mask; for halo/mask only. */
#ifndef HALOGRAD_MASK_PRIVATE_H
#define HALOGRAD_MASK_PRIVATE_H

#include <halograd/mask_library.h>

/* Row j of rows j0 to j1 - 1 has stretch[first[j - j0]] up to stretch[first[j + 1 - j0]]. */
typedef struct {
  int *first;
  HgStretch *stretch;
} HgStretchTable;

enum { HG_MASK_HEIGHTS = 4 }; /* 1, 2, 4 and 8 rows */

struct HgMask_s {
  int references;
  int radius;
  bool dry;
  HgSpan domain; /* the part of the patch and its ghosts within walls */
  int j0, j1;    /* known rows, with ghosts */
  HgStretchTable exact[HG_REACHES];
  HgStretchTable worth[HG_REACHES][HG_MASK_HEIGHTS]; /* for the 2^n rows from row j on */
};

#endif
