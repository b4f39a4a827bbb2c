/* SPDX-License-Identifier: BSD-2-Clause */
/* An independent exact sum: a whole number in units of 2^-1074, in digits of 32 bits, filled from
   the bit patterns of doubles. */
#ifndef HALOGRAD_TESTS_SUM_ORACLE_H
#define HALOGRAD_TESTS_SUM_ORACLE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ORACLE_DIGITS = 70 };

typedef struct {
  int64_t digit[ORACLE_DIGITS]; /* sum_k digit[k] 2^(32 k - 1074), for 2^30 additions */
} Oracle;

/* total += factor x, |factor| <= 2, x finite */
static inline void oracle_add(Oracle *total, double x, int factor) {
  uint64_t bits, m;
  memcpy(&bits, &x, sizeof bits);
  const int exponent = (int)(bits >> 52 & 0x7ff), position = exponent ? exponent - 1 : 0;
  m = (bits & 0xfffffffffffff) | (exponent ? 0x10000000000000 : 0);
  if (bits >> 63) factor = -factor;
  for (int bit = 0; bit < 53;) { /* what fits into one digit at a time */
    const int at = position + bit, room = 32 - at % 32, take = room < 53 - bit ? room : 53 - bit;
    const int64_t piece = (int64_t)(m >> bit & ((UINT64_C(1) << take) - 1));
    total->digit[at / 32] += factor * (piece << at % 32);
    bit += take;
  }
}

static inline int oracle_sign(Oracle total) {
  for (int k = 0; k + 1 < ORACLE_DIGITS; k++) {
    int64_t up = total.digit[k] / 4294967296, rest = total.digit[k] % 4294967296;
    if (rest < 0) up--, rest += 4294967296;
    total.digit[k] = rest, total.digit[k + 1] += up;
  }
  if (total.digit[ORACLE_DIGITS - 1] < 0) return -1;
  for (int k = 0; k < ORACLE_DIGITS; k++)
    if (total.digit[k]) return 1;
  return 0;
}

/* The sign of 2 total - a - b: on which side of the middle of a and b the total is. */
static inline int oracle_side(const Oracle *total, double a, double b) {
  Oracle twice = *total;
  for (int k = 0; k < ORACLE_DIGITS; k++) twice.digit[k] *= 2;
  oracle_add(&twice, a, -1);
  oracle_add(&twice, b, -1);
  return oracle_sign(twice);
}

static inline bool oracle_even(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits % 2 == 0;
}

/* Is `value` the total rounded to the nearest double, ties to even, infinity standing for 2^1024? A
   total of zero is +0. */
static inline bool oracle_rounds_to(const Oracle *total, double value) {
  if (isnan(value)) return false;
  if (value == 0 && signbit(value)) return oracle_sign(*total) < 0;
  if (isinf(value)) { /* the middle of the largest double and 2^1024 counts as more */
    Oracle beyond = *total;
    const int sign = value > 0 ? 1 : -1;
    oracle_add(&beyond, DBL_MAX, -sign);
    oracle_add(&beyond, 0x1p970, -sign); /* half a last place */
    return sign * oracle_sign(beyond) >= 0;
  }
  const double below = nextafter(value, -INFINITY), above = nextafter(value, INFINITY);
  Oracle limit = *total;
  const int left = isinf(below) ? (oracle_add(&limit, DBL_MAX, 1), oracle_add(&limit, 0x1p970, 1),
                                   oracle_sign(limit))
                                : oracle_side(total, below, value);
  limit = *total;
  const int right = isinf(above) ? (oracle_add(&limit, DBL_MAX, -1),
                                    oracle_add(&limit, 0x1p970, -1), oracle_sign(limit))
                                 : oracle_side(total, value, above);
  return oracle_even(value) ? left >= 0 && right <= 0 : left > 0 && right < 0;
}

#endif
