/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a sum is the exact one, rounded once to the nearest double, ties to even. */
#include "claim.h"
#include "sum_draw.h"
#include "sum_oracle.h"
#include <halograd/sum_library.h>

enum { MOST = 4000, DRAWS = 4000 };

static double sum_of(int n, const double x[]) {
  HgSum sum;
  HgSumReset(&sum);
  HgSumAdd(&sum, (size_t)n, x);
  return HgSumValue(&sum);
}

static double x[MOST];

static void random_sums(void) {
  for (int k = 0; k < DRAWS; k++) {
    uint64_t seed = claim.seed + (uint64_t)k;
    const int n = draw_below(&seed, k % 10 ? 40 : MOST), kind = k % DRAW_KINDS;
    Oracle total = {{0}};
    draw_numbers(&seed, kind, n, x);
    for (int i = 0; i < n; i++) oracle_add(&total, x[i], 1);
    const double value = sum_of(n, x);
    claim_that(oracle_rounds_to(&total, value), "draw %d of %d numbers gives %a", k, n, value);
  }
}

/* Middles of neighbours, and the smallest double to either side of them. */
static void ties(void) {
  for (int k = 0; k < DRAWS; k++) {
    uint64_t seed = claim.seed + (uint64_t)k;
    const double a = draw_double(&seed, 54, 2046 - 54), half = (nextafter(a, INFINITY) - a) / 2;
    for (int side = -1; side <= 1; side++) {
      const double terms[] = {a, half, side * 0x1p-1074};
      Oracle total = {{0}};
      for (int i = 0; i < 3; i++) oracle_add(&total, terms[i], 1);
      const double value = sum_of(3, terms);
      claim_that(oracle_rounds_to(&total, value), "%a + %a + %a gives %a", terms[0], terms[1],
                 terms[2], value);
    }
  }
}

static void known_sums(void) {
  const double tiny = 0x1p-1074, max = DBL_MAX, half_place = 0x1p970;
  claim_same(sum_of(3, (double[]){1e300, 1, -1e300}), 1, "1e300 + 1 - 1e300");
  claim_same(sum_of(3, (double[]){max, tiny, -max}), tiny, "max + tiny - max");
  claim_same(sum_of(4, (double[]){max, max, -max, -max}), 0, "max + max - max - max");
  claim_same(sum_of(2, (double[]){-0., -0.}), 0, "-0 - 0");
  claim_same(sum_of(0, NULL), 0, "nothing");
  claim_same(sum_of(2, (double[]){tiny, tiny}), 2 * tiny, "subnormals");
  claim_same(sum_of(2, (double[]){0x1p-1022, -tiny}), 0x1p-1022 - tiny, "largest subnormal");
  claim_same(sum_of(2, (double[]){1, 0x1p-53}), 1, "tie down to even");
  claim_same(sum_of(2, (double[]){1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51, "tie up to even");
  claim_same(sum_of(3, (double[]){1, 0x1p-53, tiny}), 1 + 0x1p-52, "just above a tie");
  claim_same(sum_of(3, (double[]){-1, -0x1p-53, -tiny}), -1 - 0x1p-52, "just below a tie");
  claim_same(sum_of(2, (double[]){max, half_place}), INFINITY, "overflow at the middle");
  claim_same(sum_of(2, (double[]){-max, -half_place}), -INFINITY, "overflow downwards");
  claim_same(sum_of(3, (double[]){max, half_place, -tiny}), max, "just below overflow");
  const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
  for (int n = 1; n < MOST; n = n * 3 + 1)
    for (int k = 0; k < 4; k++) {
      for (int i = 0; i < n; i++) x[i] = i;
      x[n * k / 4] = bad[k];
      claim_that(isnan(sum_of(n, x)), "%g among %d numbers gives NaN", bad[k], n);
    }
}

/* Ever the same sign and limb: 2^20 additions of large blocks, and more single ones than a limb has
   room for without carries. */
static void carries(void) {
  HgSum sum;
  HgSumReset(&sum);
  for (int i = 0; i < MOST; i++) x[i] = nextafter(0x1p-34, 0);
  for (int k = 0; k < 1 << 20; k++) HgSumAdd(&sum, 16, x);
  claim_same(HgSumValue(&sum), 0x1p24 * x[0], "2^20 additions of 16 equal numbers");
  for (int sign = -1; sign <= 1; sign += 2) {
    const double full = sign * 0x1.fffffffffp5; /* all bits of a limb, but three */
    HgSumReset(&sum);
    for (int k = 0; k < 3 << 22; k++) HgSumAdd(&sum, 1, &full);
    claim_same(HgSumValue(&sum), full * 0x3p22, "3 2^22 times %g", full);
  }
}

/* The tool itself: the oracle refuses the neighbours of what it accepts. */
static void oracle_is_strict(void) {
  for (int k = 0; k < 100; k++) {
    uint64_t seed = claim.seed + (uint64_t)k;
    const double a = draw_double(&seed, 1, 2045);
    Oracle total = {{0}};
    oracle_add(&total, a, 1);
    claim_that(oracle_rounds_to(&total, a) && !oracle_rounds_to(&total, nextafter(a, INFINITY)) &&
                   !oracle_rounds_to(&total, nextafter(a, -INFINITY)),
               "the oracle knows %a from its neighbours", a);
  }
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a sum is the exact one, rounded once", 20260101);
  oracle_is_strict();
  known_sums();
  ties();
  random_sums();
  carries();
  return claim_end(ierr);
}
