/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a mask; for halo/mask only. */
#ifndef HALOGRAD_MASK_PRIVATE_H
#define HALOGRAD_MASK_PRIVATE_H

#include <halograd/mask_library.h>

/* Of rows j0 to j1 - 1, row j: stretch[first[j - j0]] up to stretch[first[j + 1 - j0]]. */
typedef struct {
  int *first;
  HgStretch *stretch;
} HgStretchTable;

enum { HG_MASK_HEIGHTS = 4 }; /* 1, 2, 4 and 8 rows */

struct HgMask_s {
  int references;
  int radius;
  bool dry;
  HgSpan domain; /* of the patch and its ghosts, what lies within walls */
  int j0, j1;    /* rows that are known, ghosts included */
  HgStretchTable exact[HG_REACHES];
  HgStretchTable worth[HG_REACHES][HG_MASK_HEIGHTS]; /* of the 2^n rows from row j on */
};

#endif
