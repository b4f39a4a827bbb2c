/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a sum has the same bits in any order, in any pieces, on any number of ranks. */
#include "claim.h"
#include "refusal.h"
#include "sum_draw.h"
#include <halograd/sum_library.h>
#include <stdlib.h>

enum { MOST = 5000, DRAWS = 120, SUMS = 16 };

static double x[MOST];

/* The numbers from `first` on up to `end`, in pieces of random lengths; half of the pieces go
   through a sum of their own. */
static void add_pieces(uint64_t *seed, int first, int end, HgSum *sum) {
  while (first < end) {
    const int most = 1 << draw_below(seed, 12), n = 1 + draw_below(seed, most),
              count = n < end - first ? n : end - first;
    HgSum part, *to = draw_below(seed, 2) ? &part : sum;
    HgSumReset(&part);
    HgSumAdd(to, (size_t)count, x + first);
    if (to == &part) HgSumAddSum(sum, &part);
    first += count;
  }
}

static PetscErrorCode orders_and_ranks(int rank, int size) {
  for (int k = 0; k < DRAWS; k++) {
    uint64_t seed = claim.seed + (uint64_t)k;
    const int n = draw_below(&seed, k % 3 ? MOST : 30), count = 1 + k % SUMS;
    HgSum here[SUMS];
    double values[SUMS], expected;
    draw_numbers(&seed, k % DRAW_KINDS, n, x);
    HgSumReset(&here[0]);
    HgSumAdd(&here[0], (size_t)n, x);
    expected = HgSumValue(&here[0]);
    for (int l = 0; l < count; l++) { /* each its own order and its own cut into ranks */
      draw_shuffle(&seed, n, x);
      int cut[2] = {0, n};
      for (int side = 0; side < 2; side++)
        if (rank + side > 0 && rank + side < size)
          cut[side] = (int)((int64_t)n * ((rank + side) * (l + 1) % size) / size);
      HgSumReset(&here[l]);
      uint64_t pieces = seed + (uint64_t)rank;
      add_pieces(&pieces, cut[0], cut[1], &here[l]);
      for (int i = cut[1]; i < cut[0];
           i++) /* cuts that go back: taken away what others have twice */
        HgSumAdd(&here[l], 1, &(double){-x[i]});
    }
    PetscCall(HgSumReduce(PETSC_COMM_WORLD, count, here, values));
    for (int l = 0; l < count; l++) {
      claim_same(values[l], expected, "draw %d of %d numbers, sum %d", k, n, l);
      claim_same(HgSumValue(&here[l]), expected, "draw %d of %d numbers, reduced sum %d", k, n, l);
    }
  }
  return 0;
}

static PetscErrorCode not_finite(int rank, int size) {
  HgSum sums[2];
  double values[2];
  for (int l = 0; l < 2; l++) HgSumReset(&sums[l]), HgSumAdd(&sums[l], 1, &(double){rank});
  if (rank == size - 1) HgSumAdd(&sums[0], 1, &(double){INFINITY});
  PetscCall(HgSumReduce(PETSC_COMM_WORLD, 2, sums, values));
  claim_that(isnan(values[0]), "infinity on one rank gives NaN on all, not %g", values[0]);
  claim_same(values[1], size * (size - 1) / 2, "the sum beside it");
  return 0;
}

/* As many as a gradient may need. */
static PetscErrorCode many(int rank, int size) {
  enum { MANY = 3000 };

  HgSum *sums;
  double *values;
  PetscCall(PetscMalloc2(MANY, &sums, MANY, &values));
  for (int k = 0; k < MANY; k++) {
    HgSumReset(&sums[k]);
    HgSumAdd(&sums[k], 2, (double[]){k * 0x1p-1000, rank + 1});
    if (rank == k % size) HgSumAdd(&sums[k], 1, &(double){-size * (size + 1) / 2});
  }
  PetscCall(HgSumReduce(PETSC_COMM_WORLD, MANY, sums, values));
  for (int k = 0; k < MANY; k++) claim_same(values[k], size * (k * 0x1p-1000), "sum %d of many", k);
  return PetscFree2(sums, values);
}

static PetscErrorCode too_many(void) {
  HgSum sum = {{0}, 0, 0, 0};
  double value;
  REFUSED(HgSumReduce(PETSC_COMM_WORLD, -1, &sum, &value), "-1 sums", "expected 0 to 1048576");
  REFUSED(HgSumReduce(PETSC_COMM_WORLD, (1 << 20) + 1, &sum, &value), "1048577 sums");
  return 0;
}

static PetscErrorCode run(void) {
  const int rank = claim.rank, size = claim.ranks;
  PetscCall(orders_and_ranks(rank, size));
  PetscCall(not_finite(rank, size));
  PetscCall(many(rank, size));
  return too_many();
}

CLAIM("a sum has the same bits in any order, pieces, ranks", 20260102, run)
