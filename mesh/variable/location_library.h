/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/location_library.h -- what other rooms of the library need of location.h. */
#ifndef HG_LOCATION_LIBRARY_H
#define HG_LOCATION_LIBRARY_H

#include <halograd/location.h>

/* Cells by which it lies east of the centre, and north of it: 0 or 1/2. */
static inline double HgLocationEast(HgLocation location) {
  return location == HG_X_FACE || location == HG_CORNER ? 0.5 : 0;
}

static inline double HgLocationNorth(HgLocation location) {
  return location == HG_Y_FACE || location == HG_CORNER ? 0.5 : 0;
}

/* "centre", "x face", "y face" or "corner" */
const char *HgLocationName(HgLocation location);

#endif
