/* SPDX-License-Identifier: BSD-2-Clause */
/* Every collective gives, to the bit, what it is defined to give, at any root, any size, on any
   number of ranks; sums are the exact ones, rounded once. */
#include "collective_cases.h"
#include <halograd/collective_library.h>
#include <halograd/sum_library.h>

static PetscErrorCode values(const Case *c) {
  HgCollective op;
  PetscCall(case_create(c, &op));
  int n, m;
  HgCollectiveSizes(op, &n, &m);
  claim_that(n == inputs(c, c->rank) && m == outputs(c, c->rank), "%s: %d and %d numbers",
             case_name(c), n, m);
  double *x, *y, *dy;
  PetscCall(PetscMalloc3(n, &x, m + 1, &y, m + 1, &dy));
  for (int i = 0; i < n; i++) x[i] = number(c, c->rank, i);
  y[m] = dy[m] = -7;
  PetscCall(HgCollectiveApply(op, x, y));
  for (int i = 0; i < m; i++) claim_same(y[i], expected(c, i), "%s: y[%d]", case_name(c), i);
  if (HgCollectiveLinear(op)) { /* x is not needed */
    PetscCall(HgCollectiveTangent(op, NULL, x, dy));
    for (int i = 0; i < m; i++) claim_same(dy[i], y[i], "%s: dy[%d]", case_name(c), i);
  }
  claim_that(y[m] == -7 && dy[m] == -7, "%s: y has an end", case_name(c));
  PetscCall(PetscFree3(x, y, dy));
  PetscCall(HgCollectiveDestroy(&op));
  return HgCollectiveDestroy(&op); /* nothing is left to destroy */
}

/* The same numbers on other ranks have the same sum; what cancels, what is lost by any rounding in
   between, what overflows on the way. */
static PetscErrorCode exact(void) {
  static const double hard[] = {
      1,           0x1p60,    -0x1p-60, 0x1p-200, -0x1p60,    0x1.fp1023, 0x1.fp1023, -0x1.fp1023,
      -0x1.fp1023, 0x1p-1074, -0.,      3,        -0x1p-1074, 0,          5,          -1};

  enum { NUMBERS = sizeof hard / sizeof *hard };

  const int rank = claim.rank, ranks = claim.ranks;
  double x[NUMBERS], y[NUMBERS], term;
  HgCollective op;
  PetscCall(
      HgCollectiveCreate(MPI_COMM_WORLD, &(HgCollectiveSpec){HG_ALLREDUCE, .n = NUMBERS}, &op));
  for (int k = 0; k < NUMBERS; k++) x[k] = hard[(rank * 5 + k) % NUMBERS];
  PetscCall(HgCollectiveApply(op, x, y));
  for (int k = 0; k < NUMBERS; k++) {
    HgSum sum;
    HgSumReset(&sum);
    for (int r = ranks - 1; r >= 0; r--) {
      term = hard[(r * 5 + k) % NUMBERS];
      HgSumAdd(&sum, 1, &term);
    }
    claim_same(y[k], HgSumValue(&sum), "sum %d of hard numbers", k);
  }
  for (int k = 0; k < NUMBERS; k++) x[k] = rank == ranks - 1 && k < 2 ? (k ? NAN : INFINITY) : 1;
  PetscCall(HgCollectiveApply(op, x, y));
  claim_that(isnan(y[0]) && isnan(y[1]) && y[2] == ranks, "sums of infinity, NaN and 1: %g %g %g",
             y[0], y[1], y[2]);
  return HgCollectiveDestroy(&op);
}

static PetscErrorCode test(void) {
  /* short and direct, cut into blocks, in several segments */
  const int few[] = {0, 1, 2, 5, 40, 700}, many[] = {3000, (1 << 15) * 4 + 5};
  const int ranks = claim.ranks;
  MPI_Comm part;
  PetscCall(for_all_cases(MPI_COMM_WORLD, 1, 6, few, values));
  if (ranks <= 4) /* in several segments on 4 ranks only */
    PetscCall(for_all_cases(MPI_COMM_WORLD, 2, ranks == 4 ? 2 : 1, many, values));
  /* two sub-communicators side by side, ranks in reverse order; freed before the operators are
     used */
  PetscCallMPI(MPI_Comm_split(MPI_COMM_WORLD, claim.rank % 2, -claim.rank, &part));
  PetscCall(for_all_cases(part, 3, 3, few, values));
  HgCollective op;
  PetscCall(HgCollectiveCreate(part, &(HgCollectiveSpec){HG_BARRIER}, &op));
  PetscCallMPI(MPI_Comm_free(&part));
  PetscCall(HgCollectiveApply(op, NULL, NULL));
  PetscCall(HgCollectiveDestroy(&op));
  return exact();
}

CLAIM("every collective gives what it is defined to give", 1, test)
