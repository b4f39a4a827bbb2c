/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: blocks of numbers fill the limbs as the numbers do one by one, and products count as
   rounded once. */
#include "claim.h"
#include "sum_draw.h"
#include <halograd/sum_library.h>

enum { MOST = 9000, DRAWS = 3000 };

static double x[MOST + 1], y[MOST + 1], xy[MOST + 1];

/* Limbs with all carries propagated, of which there is only one choice. */
static void claim_limbs(HgSum *fast, HgSum *slow, const char what[], int draw_number, int n) {
  HgSum any;
  HgSumReset(&any);
  HgSumAddSum(&any, fast), HgSumAddSum(&any, slow); /* carries in what it adds */
  for (int k = 0; k < HG_SUM_LIMBS; k++)
    claim_that(fast->limb[k] == slow->limb[k],
               "%s, draw %d of %d numbers: limb %d is %lld, one by one %lld", what, draw_number, n,
               k, (long long)fast->limb[k], (long long)slow->limb[k]);
  claim_that(fast->not_finite == slow->not_finite, "%s, draw %d: %lld not finite, one by one %lld",
             what, draw_number, (long long)fast->not_finite, (long long)slow->not_finite);
}

/* Fewer than 8 numbers take the scalar way. */
static void one_by_one(HgSum *sum, int n, const double *z) {
  HgSumReset(sum);
  for (int i = 0; i < n; i++) HgSumAdd(sum, 1, z + i);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("blocks of numbers fill the limbs as the numbers do one by one", 20260103);
  for (int k = 0; k < DRAWS; k++) {
    uint64_t seed = claim.seed + (uint64_t)k;
    const int n = draw_below(&seed, k % 5 ? 300 : MOST),
              odd = draw_below(&seed, 2); /* odd: not aligned */
    HgSum fast, slow;
    draw_numbers(&seed, k % DRAW_KINDS, n, x + odd);
    if (k % 7 == 0) draw_numbers(&seed, 1, n / 2, x + odd); /* the size changes on the way */
    if (k % 11 == 0 && n) x[odd + draw_below(&seed, n)] = draw_below(&seed, 2) ? NAN : -INFINITY;
    if (k % 13 == 0 && n) x[odd + draw_below(&seed, n)] = draw_double(&seed, 0, 2047);
    draw_numbers(&seed, k % 2, n, y);
    for (int i = 0; i < n; i++) xy[i] = x[odd + i] * y[i];
    one_by_one(&slow, n, x + odd);
    HgSumReset(&fast);
    HgSumAdd(&fast, (size_t)n, x + odd);
    claim_limbs(&fast, &slow, "sum", k, n);
    one_by_one(&slow, n, xy);
    HgSumReset(&fast);
    HgSumAddProducts(&fast, (size_t)n, x + odd, y);
    claim_limbs(&fast, &slow, "products", k, n);
  }
  return claim_end(ierr);
}
