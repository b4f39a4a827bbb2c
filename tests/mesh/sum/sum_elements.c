/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: sums element by element are the exact ones, rounded once, however the arrays are dealt to
   ranks, for counts of arrays and elements from 0 on, and the same on every rank. */
#include "claim.h"
#include "refusal.h"
#include "sum_draw.h"
#include <halograd/sum_library.h>

enum { ARRAYS = 11, MOST = 40000 };

static double numbers[ARRAYS][MOST], y[MOST];
static const int lengths[] = {0, 1, 5, 1000, 16384, 39999};

/* Array k belongs to rank (k * stride) mod size, unless `alone` holds them all. */
static PetscErrorCode deal(int n, int arrays, int stride, bool alone) {
  int rank, size, mine = 0, wrong = -1;
  const double *x[ARRAYS];
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int k = 0; k < arrays; k++)
    if (rank == (alone ? size - 1 : k * stride % size)) x[mine++] = numbers[k];
  PetscCall(HgSumElements(PETSC_COMM_WORLD, mine, x, (size_t)n, y));
  for (int i = 0; i < n && wrong < 0; i++) {
    HgSum sum;
    HgSumReset(&sum);
    for (int k = 0; k < arrays; k++) HgSumAdd(&sum, 1, &numbers[k][i]);
    const double expected = HgSumValue(&sum);
    if (memcmp(&expected, &y[i], sizeof expected)) {
      wrong = i;
      claim_same(y[i], expected, "element %d of %d, %d arrays, stride %d", i, n, arrays, stride);
    }
  }
  return 0;
}

static PetscErrorCode run(void) {
  const int rank = claim.rank, size = claim.ranks;
  uint64_t seed = claim.seed; /* the same arrays on every rank */
  for (int k = 0; k < ARRAYS; k++) draw_numbers(&seed, k % 2 ? 2 : 0, MOST, numbers[k]);
  for (int i = 0; i < MOST; i += 7) numbers[1][i] = -numbers[0][i]; /* what cancels */
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
    for (int arrays = 0; arrays <= ARRAYS; arrays += l < 4 ? 1 : ARRAYS)
      for (int stride = 1; stride < 4; stride++)
        PetscCall(deal(lengths[l], arrays, stride, stride == 3));
  if (size == 1) return 0;
  const double *const x[] = {numbers[0]};
  REFUSED(HgSumElements(PETSC_COMM_WORLD, 1, x, rank == 1 ? 4 : 5, y), "4 elements to sum",
          "5 elements", "give all ranks the same");
  return 0;
}

CLAIM("sums element by element are exact, however arrays are dealt to ranks", 20260303, run)
