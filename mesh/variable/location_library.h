/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/location_library.h -- what other rooms of the library need of location.h. */
#ifndef HG_LOCATION_LIBRARY_H
#define HG_LOCATION_LIBRARY_H

#include <halograd/location.h>

/* How far east, north and above of the centre it lies, in cells: 0 or 1/2. */
static inline double HgLocationEast(HgLocation location) { return location & HG_X_FACE ? 0.5 : 0; }

static inline double HgLocationNorth(HgLocation location) { return location & HG_Y_FACE ? 0.5 : 0; }

static inline double HgLocationUp(HgLocation location) { return location & HG_Z_FACE ? 0.5 : 0; }

/* "centre", "x face", "y face", "corner", "z face", "xz edge" or "yz edge" */
const char *HgLocationName(HgLocation location);

#endif
