/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: sums and updates of exact vectors have the same bits however the vectors are cut: exactly
   rounded sums, one multiplication and one addition per entry; so have those of duplicates, of
   parts, and of duplicates of parts, which Newton's method with bounds uses. */
#include "claim.h"
#include <halograd/inversion_library.h>
#include <halograd/state.h>
#include <halograd/sum_library.h>
#include <math.h>

enum { SIZE = 1003, VECTORS = 18 }; /* more than one reduction takes */

static double all[VECTORS][SIZE];

/* Magnitudes over 40 decades, so that any other order of addition shows. */
static double number(uint64_t index) {
  return HgRandom(claim.seed, 2 * index) * pow(10, 20 * HgRandom(claim.seed, 2 * index + 1));
}

static double whole_dot(int x, int y) {
  HgSum sum;
  HgSumReset(&sum);
  HgSumAddProducts(&sum, SIZE, all[x], all[y]);
  return HgSumValue(&sum);
}

static double whole_norm(NormType type, int x) {
  double largest = 0;
  HgSum sum;
  HgSumReset(&sum);
  for (int i = 0; i < SIZE; i++) {
    const double magnitude = fabs(all[x][i]);
    HgSumAdd(&sum, 1, &magnitude);
    largest = fmax(largest, magnitude);
  }
  return type == NORM_1          ? HgSumValue(&sum)
         : type == NORM_INFINITY ? largest
                                 : sqrt(whole_dot(x, x));
}

/* Uneven parts, an empty one among them if there are several ranks. */
static PetscErrorCode create(Vec v[]) {
  const int rank = claim.rank, size = claim.ranks;
  int local = size == 1 ? SIZE : rank == 1 ? 0 : rank == size - 1 ? SIZE : 7 + rank;
  for (int r = 0; rank == size - 1 && r < rank; r++) local -= r == 1 ? 0 : 7 + r;
  PetscCall(HgExactVecCreate(PETSC_COMM_WORLD, local, &v[0]));
  for (int k = 1; k < VECTORS; k++) PetscCall(VecDuplicate(v[k - 1], &v[k]));
  return 0;
}

static PetscErrorCode fill(Vec v[]) {
  for (int k = 0; k < VECTORS; k++) {
    PetscInt first, end;
    PetscScalar *a;
    PetscCall(VecGetOwnershipRange(v[k], &first, &end));
    PetscCall(VecGetArrayWrite(v[k], &a));
    for (PetscInt i = first; i < end; i++) a[i - first] = all[k][i];
    PetscCall(VecRestoreArrayWrite(v[k], &a));
  }
  return 0;
}

static PetscErrorCode sums(Vec v[]) {
  PetscScalar value, values[VECTORS], square;
  PetscReal norms[2], norm;
  PetscCall(VecDot(v[0], v[1], &value));
  claim_same(value, whole_dot(0, 1), "dot");
  PetscCall(VecTDot(v[2], v[1], &value));
  claim_same(value, whole_dot(2, 1), "tdot");
  PetscCall(VecMDot(v[0], VECTORS - 1, v + 1, values));
  for (int k = 1; k < VECTORS; k++) claim_same(values[k - 1], whole_dot(0, k), "mdot %d", k);
  PetscCall(VecMTDot(v[0], VECTORS - 1, v + 1, values));
  for (int k = 1; k < VECTORS; k++) claim_same(values[k - 1], whole_dot(0, k), "mtdot %d", k);
  PetscCall(VecDotNorm2(v[0], v[1], &value, &norm));
  claim_same(value, whole_dot(0, 1), "dotnorm2: dot");
  claim_same(norm, whole_dot(1, 1), "dotnorm2: norm");
  static const NormType type[] = {NORM_1, NORM_2, NORM_FROBENIUS, NORM_INFINITY};
  for (int k = 0; k < 4; k++) {
    PetscCall(VecNorm(v[3], type[k], &norm));
    claim_same(norm, whole_norm(type[k], 3), "norm of type %d", (int)type[k]);
  }
  PetscCall(VecNorm(v[4], NORM_1_AND_2, norms));
  claim_same(norms[0], whole_norm(NORM_1, 4), "norms 1 and 2: 1");
  claim_same(norms[1], whole_norm(NORM_2, 4), "norms 1 and 2: 2");
  HgSum sum;
  HgSumReset(&sum);
  HgSumAdd(&sum, SIZE, all[5]);
  PetscCall(VecSum(v[5], &value));
  claim_same(value, HgSumValue(&sum), "sum");
  /* begun together, ended together: what TAO's quasi-Newton matrices call */
  PetscCall(VecDotBegin(v[6], v[7], &value));
  PetscCall(VecTDotBegin(v[7], v[7], &square));
  PetscCall(VecMDotBegin(v[0], VECTORS - 1, v + 1, values));
  PetscCall(VecNormBegin(v[8], NORM_INFINITY, &norm));
  PetscCall(VecNormBegin(v[8], NORM_2, &norms[1]));
  PetscCall(VecDotEnd(v[6], v[7], &value));
  PetscCall(VecTDotEnd(v[7], v[7], &square));
  PetscCall(VecMDotEnd(v[0], VECTORS - 1, v + 1, values));
  PetscCall(VecNormEnd(v[8], NORM_INFINITY, &norm));
  PetscCall(VecNormEnd(v[8], NORM_2, &norms[1]));
  claim_same(value, whole_dot(6, 7), "split dot");
  claim_same(square, whole_dot(7, 7), "split tdot");
  for (int k = 1; k < VECTORS; k++) claim_same(values[k - 1], whole_dot(0, k), "split mdot %d", k);
  claim_same(norm, whole_norm(NORM_INFINITY, 8), "split norm infinity");
  const double square_again = whole_norm(NORM_2, 8) * whole_norm(NORM_2, 8); /* PETSc's way */
  claim_same(norms[1], sqrt(square_again), "split norm 2");
  return 0;
}

/* Compares the local part with what one multiplication and one addition at a time give; `volatile`
   keeps a compiler from fusing. */
static PetscErrorCode compare(Vec v, const double expected[], const char what[]) {
  PetscInt first, end;
  const PetscScalar *a;
  PetscCall(VecGetOwnershipRange(v, &first, &end));
  PetscCall(VecGetArrayRead(v, &a));
  for (PetscInt i = first; i < end; i++)
    claim_same(a[i - first], expected[i], "%s, entry %d", what, (int)i);
  return VecRestoreArrayRead(v, &a);
}

static double times(double a, double b) {
  const volatile double product = a * b;
  return product;
}

#define EXPECT(v, what, value)                                                                     \
  do {                                                                                             \
    double expected[SIZE];                                                                         \
    for (int i = 0; i < SIZE; i++) expected[i] = (value);                                          \
    PetscCall(compare(v, expected, what));                                                         \
    PetscCall(fill(vs));                                                                           \
  } while (0)

static PetscErrorCode updates(Vec vs[]) {
  const double p = 1 / 3., q = -sqrt(2), r = M_PI;
  double(*a)[SIZE] = all;
  PetscCall(VecAXPY(vs[0], p, vs[1]));
  EXPECT(vs[0], "axpy", times(p, a[1][i]) + a[0][i]);
  PetscCall(VecAYPX(vs[0], p, vs[1]));
  EXPECT(vs[0], "aypx", a[1][i] + times(p, a[0][i]));
  PetscCall(VecAXPBY(vs[0], p, q, vs[1]));
  EXPECT(vs[0], "axpby", times(p, a[1][i]) + times(q, a[0][i]));
  PetscCall(VecAXPBY(vs[0], p, 0, vs[1]));
  EXPECT(vs[0], "axpby with 0", times(p, a[1][i]));
  PetscCall(VecWAXPY(vs[0], p, vs[1], vs[2]));
  EXPECT(vs[0], "waxpy", times(p, a[1][i]) + a[2][i]);
  PetscCall(VecAXPBYPCZ(vs[0], p, q, r, vs[1], vs[2]));
  EXPECT(vs[0], "axpbypcz", times(p, a[1][i]) + times(q, a[2][i]) + times(r, a[0][i]));
  PetscCall(VecScale(vs[0], p));
  EXPECT(vs[0], "scale", times(p, a[0][i]));
  PetscCall(VecMAXPY(vs[0], 3, (PetscScalar[]){p, q, r}, vs + 1));
  EXPECT(vs[0], "maxpy", times(r, a[3][i]) + (times(q, a[2][i]) + (times(p, a[1][i]) + a[0][i])));
  return 0;
}

/* Entries [from, SIZE) of v[0] and v[1]. */
static PetscErrorCode parts(Vec v[], PetscInt from) {
  PetscInt first, end;
  PetscScalar value;
  Vec part[2], copy[2];
  IS entries;
  HgSum sum;
  PetscCall(VecGetOwnershipRange(v[0], &first, &end));
  first = PetscMin(PetscMax(first, from), end);
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - first, first, 1, &entries));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecGetSubVector(v[k], entries, &part[k]));
    PetscCall(VecDuplicate(part[k], &copy[k]));
    PetscCall(VecCopy(part[k], copy[k]));
  }
  HgSumReset(&sum);
  HgSumAddProducts(&sum, (size_t)(SIZE - from), all[0] + from, all[1] + from);
  PetscCall(VecDot(part[0], part[1], &value));
  claim_same(value, HgSumValue(&sum), "dot of parts from %d on", (int)from);
  PetscCall(VecDot(copy[0], copy[1], &value));
  claim_same(value, HgSumValue(&sum), "dot of duplicates of parts from %d on", (int)from);
  for (int k = 0; k < 2; k++) {
    PetscCall(VecRestoreSubVector(v[k], entries, &part[k]));
    PetscCall(VecDestroy(&copy[k]));
  }
  return ISDestroy(&entries);
}

static PetscErrorCode run(void) {
  Vec v[VECTORS];
  for (int k = 0; k < VECTORS; k++)
    for (int i = 0; i < SIZE; i++) all[k][i] = number((uint64_t)(k * SIZE + i));
  PetscCall(create(v));
  PetscCall(fill(v));
  PetscCall(sums(v));
  PetscCall(parts(v, 0));
  PetscCall(parts(v, 5));
  PetscCall(updates(v));
  for (int k = 0; k < VECTORS; k++) PetscCall(VecDestroy(&v[k]));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("sums and updates of exact vectors have the same bits however they are cut", 0);
  for (uint64_t seed = 1; !ierr && seed <= 20; seed++) {
    claim.seed = seed;
    ierr = run();
  }
  return claim_end(ierr);
}
