/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of reductions: rows of numbers, one from each rank, are summed, multiplied or compared.

   Sums are exact, then rounded once. The sum so far is kept in two numbers, s + e, by error-free
   additions (Knuth's TwoSum); what e cannot hold is noticed, and that number is summed again as a
   long fixed-point number (sum.h): rare, since it takes more than 106 bits from the highest to the
   lowest. */
#include "collective_private.h"
#include <float.h>
#include <halograd/sum_library.h>
#include <math.h>

enum { TILE = 256 }; /* numbers at a time: some arrays of 2 KiB */

/* s + e = a + b exactly, s the rounded sum. */
static inline double two_sum(double a, double b, double *e) {
  const double s = a + b, z = s - a;
  *e = (a - (s - z)) + (b - z);
  return s;
}

static double sum_exactly(int rows, const double *const x[], size_t at) {
  HgSum sum;
  HgSumReset(&sum);
  for (int r = 0; r < rows; r++) HgSumAdd(&sum, 1, x[r] + at);
  return HgSumValue(&sum);
}

/* value[i] = s[i] + e[i]; recomputed exactly if a number was lost or is not finite. */
static void round_sums(int rows, size_t n, const double *const x[], size_t at, const double s[],
                       const double e[], const double lost[], double value[]) {
  int failed = 0;
  for (size_t i = 0; i < n; i++) {
    value[i] = s[i] + e[i];
    failed |= !(lost[i] == 0) | !(fabs(value[i]) <= DBL_MAX);
  }
  for (size_t i = 0; failed && i < n; i++)
    if (!(lost[i] == 0) || !(fabs(value[i]) <= DBL_MAX)) value[i] = sum_exactly(rows, x, at + i);
}

/* For one or two ranks: one rounding anyway. */
static void sum_few(int rows, size_t n, const double *const x[], size_t at, bool add,
                    double *const y[]) {
  static const double none[TILE] = {0};
  double sum[TILE];
  for (int r = 0; r < rows; r++) {
    if (!y[r]) continue;
    const double *u = x[0] + at, *v = r ? x[1] + at : none;
    double *const value = add ? sum : y[r] + at;
    int64_t failed = 0;
    for (size_t i = 0; i < n; i++) {
      value[i] = 0 + u[i] + v[i];
      failed |= !(fabs(value[i]) <= DBL_MAX);
    }
    for (size_t i = 0; failed && i < n; i++)
      if (!(fabs(value[i]) <= DBL_MAX)) value[i] = sum_exactly(r + 1, x, at + i);
    if (add) HgCollectivePut(n, value, true, y[r] + at);
  }
}

static void sum_tile(int rows, size_t n, const double *const x[], size_t at, bool add,
                     double *const y[]) {
  double s[TILE] = {0}, e[TILE] = {0}, lost[TILE] = {0}, value[TILE]; /* 0 + -0 = 0 */
  for (int r = 0; r < rows; r++) {
    const double *u = x[r] + at;
    for (size_t i = 0; i < n; i++) {
      double low, rest;
      s[i] = two_sum(s[i], u[i], &low);
      e[i] = two_sum(e[i], low, &rest);
      lost[i] += fabs(rest);
    }
    if (!y[r]) continue;
    round_sums(r + 1, n, x, at, s, e, lost, value);
    HgCollectivePut(n, value, add, y[r] + at);
  }
}

/* Whether x replaces m, the smallest or largest of lower ranks. Equal numbers do not. */
static inline bool wins(double sign, double x, double m) {
  return sign * x > sign * m || (x != x && m == m);
}

static inline double sign_of(HgReduction reduction) { return reduction == HG_REDUCE_MIN ? -1 : 1; }

static inline void combine_next(HgReduction reduction, size_t n, const double x[], double p[]) {
  const double sign = sign_of(reduction);
  if (reduction == HG_REDUCE_PRODUCT)
    for (size_t i = 0; i < n; i++) p[i] *= x[i];
  else
    for (size_t i = 0; i < n; i++) p[i] = wins(sign, x[i], p[i]) ? x[i] : p[i];
}

static void fold_tile(HgReduction reduction, int rows, size_t n, const double *const x[], size_t at,
                      bool add, double *const y[]) {
  double p[TILE];
  HgCollectivePut(n, x[0] + at, false, p);
  for (int r = 0; r < rows; r++) {
    if (r) combine_next(reduction, n, x[r] + at, p);
    if (y[r]) HgCollectivePut(n, p, add, y[r] + at);
  }
}

void HgFoldValue(HgReduction reduction, int rows, size_t n, const double *const x[], bool add,
                 double *const y[]) {
  for (size_t at = 0; at < n; at += TILE) {
    const size_t wide = n - at < TILE ? n - at : TILE;
    if (reduction == HG_REDUCE_SUM) (rows <= 2 ? sum_few : sum_tile)(rows, wide, x, at, add, y);
    else fold_tile(reduction, rows, wide, x, at, add, y);
  }
}

void HgFoldTangent(HgReduction reduction, int rows, size_t n, const double *const x[],
                   const double *const dx[], double *const dy[]) {
  const double sign = sign_of(reduction);
  for (size_t at = 0; at < n; at += TILE) {
    const size_t wide = n - at < TILE ? n - at : TILE;
    double p[TILE], dp[TILE];
    HgCollectivePut(wide, x[0] + at, false, p);
    HgCollectivePut(wide, dx[0] + at, false, dp);
    for (int r = 0; r < rows; r++) {
      const double *u = x[r] + at, *du = dx[r] + at;
      if (r && reduction == HG_REDUCE_PRODUCT)
        for (size_t i = 0; i < wide; i++) dp[i] = dp[i] * u[i] + p[i] * du[i];
      else if (r)
        for (size_t i = 0; i < wide; i++) dp[i] = wins(sign, u[i], p[i]) ? du[i] : dp[i];
      if (r) combine_next(reduction, wide, u, p);
      if (dy[r]) HgCollectivePut(wide, dp, false, dy[r] + at);
    }
  }
}

/* The adjoint of p_r = p_{r-1} o x_r; w_r temporarily holds p_{r-1}. */
void HgFoldAdjoint(HgReduction reduction, int rows, size_t n, const double *const x[],
                   const double *const y_bar[], double *const w[]) {
  const double sign = sign_of(reduction);
  for (size_t at = 0; at < n; at += TILE) {
    const size_t wide = n - at < TILE ? n - at : TILE;
    double p[TILE], p_bar[TILE] = {0};
    HgCollectivePut(wide, x[0] + at, false, p);
    for (int r = 1; r < rows; r++) {
      HgCollectivePut(wide, p, false, w[r] + at);
      combine_next(reduction, wide, x[r] + at, p);
    }
    for (int r = rows - 1; r >= 0; r--) {
      const double *u = x[r] + at;
      double *v = w[r] + at;
      if (y_bar[r]) HgCollectivePut(wide, y_bar[r] + at, true, p_bar);
      if (r == 0) HgCollectivePut(wide, p_bar, false, v);
      else if (reduction == HG_REDUCE_PRODUCT)
        for (size_t i = 0; i < wide; i++) v[i] *= p_bar[i], p_bar[i] *= u[i];
      else
        for (size_t i = 0; i < wide; i++) {
          const bool won = wins(sign, u[i], v[i]);
          v[i] = won ? p_bar[i] : 0;
          p_bar[i] = won ? 0 : p_bar[i];
        }
    }
  }
}
