/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers to add: drawn from a seed, of any size. */
#ifndef HALOGRAD_TESTS_SUM_DRAW_H
#define HALOGRAD_TESTS_SUM_DRAW_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* splitmix64 */
static inline uint64_t draw(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static inline int draw_below(uint64_t *seed, int n) { return (int)(draw(seed) % (uint64_t)n); }

/* Any sign and mantissa, a biased exponent in [lowest, lowest + span): 0 is subnormal, 2046 the
   largest finite one. */
static inline double draw_double(uint64_t *seed, int lowest, int span) {
  const uint64_t exponent = (uint64_t)(lowest + draw_below(seed, span)), z = draw(seed),
                 bits = (z & 0x800fffffffffffff) | exponent << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

enum { DRAW_KINDS = 6 };

/* n numbers of the `kind`: of every size, of one size, spread over some decades, cancelling in
   pairs, few and zeros of both signs, subnormal. */
static inline void draw_numbers(uint64_t *seed, int kind, int n, double x[]) {
  const int span = kind == 0   ? 2047
                   : kind == 1 ? 1
                   : kind == 5 ? 3
                               : 1 + draw_below(seed, 400),
            lowest = kind == 5 ? 0 : draw_below(seed, 2048 - span);
  for (int i = 0; i < n; i++) {
    x[i] = draw_double(seed, lowest, span);
    if (kind == 3 && i % 2) x[i] = draw_below(seed, 9) ? -x[i - 1] : nextafter(-x[i - 1], 0);
    if (kind == 4 && draw_below(seed, 50)) x[i] = draw_below(seed, 2) ? 0. : -0.;
  }
}

static inline void draw_shuffle(uint64_t *seed, int n, double x[]) {
  for (int i = n - 1; i > 0; i--) {
    const int k = draw_below(seed, i + 1);
    const double kept = x[i];
    x[i] = x[k], x[k] = kept;
  }
}

#endif
