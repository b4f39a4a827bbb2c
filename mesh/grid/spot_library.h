/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/spot_library.h -- what other rooms of the library need of spot.h. */
#ifndef HG_SPOT_LIBRARY_H
#define HG_SPOT_LIBRARY_H

#include <halograd/spot.h>

/* sum of weight[b][a] corner[b][a], always in the same order. */
double HgSpotValue(const HgSpot *spot, double corner[2][2]);

#endif
