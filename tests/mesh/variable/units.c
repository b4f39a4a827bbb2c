/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: two texts of a unit are equal if they are products of the same powers; a text that is none
   equals itself alone. */
#include "claim.h"
#include <halograd/unit_library.h>

static PetscErrorCode test(void) {
  static const char *const equal[][2] = {{"m^2/s", "m m/s"},
                                         {"1/(m s)", "1/m/s"},
                                         {"1/(m s)", "m^-1 s^-1"},
                                         {"Pa", "kg/(m s^2)"},
                                         {"N m", "J"},
                                         {"J/s", "W"},
                                         {"Hz", "1/s"},
                                         {"Hz^2", "s^-2"},
                                         {"kg*m", "m kg"},
                                         {"K m^(1/2)", "m^0.5 K"},
                                         {"m/s^(3/2)", "m s^-1.5"},
                                         {"(m/s)^2", "m^2/s^2"},
                                         {"m/m", "1"},
                                         {"1", "s^0"},
                                         {"m/(s/m)", "m^2/s"},
                                         {" m / s ", "m/s"},
                                         {"degree C", "degree C"},
                                         {"%", "%"},
                                         {"", ""}};
  static const char *const other[][2] = {{"m", "s"},
                                         {"m", "km"},
                                         {"m", "m^2"},
                                         {"m/s", "m s"},
                                         {"m/s m", "m/(s m)"},
                                         {"1", "m"},
                                         {"%", "1"},
                                         {"m^", "m"},
                                         {"m)", "m"},
                                         {"(m", "m"},
                                         {"", "1"},
                                         {"m/", "m"},
                                         {"m^(1/0)", "m"},
                                         {"2 m", "m"},
                                         {"m^1e999", "m"},
                                         {"((((((((((m))))))))))", "m"},
                                         {"averyverylongsymbol", "averyverylongsymbo"},
                                         {"a b c d e f g h i j k l n o p q r", "r"}};
  for (size_t k = 0; k < sizeof equal / sizeof *equal; k++)
    for (int turn = 0; turn < 2; turn++)
      claim_that(HgUnitsEqual(equal[k][turn], equal[k][!turn]), "'%s' is not '%s'", equal[k][turn],
                 equal[k][!turn]);
  for (size_t k = 0; k < sizeof other / sizeof *other; k++)
    for (int turn = 0; turn < 2; turn++)
      claim_that(!HgUnitsEqual(other[k][turn], other[k][!turn]), "'%s' is '%s'", other[k][turn],
                 other[k][!turn]);
  return 0;
}

CLAIM("units are equal if their powers are", 0, test)
