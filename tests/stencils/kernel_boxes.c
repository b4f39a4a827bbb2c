/* SPDX-License-Identifier: BSD-2-Clause */
/* Any cut of a box into boxes gives the same bits, as does the same call again; nothing outside is
   written or read beyond the radii. */
#include "stencil_checks.h"

int main(void) {
  return check_subjects(CHECK(CUT) | CHECK(INDEX) | CHECK(BOX) | CHECK(RADIUS) | CHECK(UNUSED) |
                            CHECK(NULL) | CHECK(PURE) | CHECK(DECLARATION) | CHECK(INPUTS) |
                            CHECK(FINITE),
                        0, 41);
}
