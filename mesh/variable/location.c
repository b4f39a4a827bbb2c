/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/location_library.h>

const char *HgLocationName(HgLocation location) {
  static const char *const names[] = {"centre", "x face",  "y face", "corner",
                                      "z face", "xz edge", "yz edge"};
  return names[location];
}
