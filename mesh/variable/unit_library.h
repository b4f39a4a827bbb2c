/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/unit_library.h -- units of variables as texts: products of powers of symbols.

     m^2/s    kg/(m s^2)    1/(m s)    K m^(1/2)    1

   Factors stand beside each other, or with * or / between them; Hz, N, Pa, J and W are what they
   are in kg, m and s, every other symbol is itself. */
#ifndef HG_UNIT_LIBRARY_H
#define HG_UNIT_LIBRARY_H

#include <stdbool.h>
#include <string.h>

/* Whether both are products of the same powers, as "Pa" and "kg/(m s^2)" are. A text that is not
   such a product equals only itself. */
bool HgUnitsEqual(const char a[], const char b[]);

/* The unit of a variable; 1 if it is NULL or "". */
static inline const char *HgUnitText(const char unit[]) { return unit && unit[0] ? unit : "1"; }

/* A unit after a number, for "%g%s%s": a space and the unit, or nothing if it is 1. */
#define HG_UNIT_BEHIND(unit) strcmp(unit, "1") ? " " : "", strcmp(unit, "1") ? (unit) : ""

#endif
