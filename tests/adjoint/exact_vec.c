/* Every dot product and norm of an exact vector, in one go or split in Begin and End, is the exactly rounded sum, however the entries are cut. */
#include "../claim.h"
#include <halograd/exact_vec.h>
#include <halograd/state.h>
#include <math.h>
enum { N = 997, VECTORS = 3 };
/* Magnitudes over 40 decades, so that any other order of addition shows. */
static double entry(uint64_t seed, int vector, int i) {
  const uint64_t k = 2 * (uint64_t)(vector * N + i);
  return HgRandom(seed, k) * pow(10, 20 * HgRandom(seed, k + 1));
}
static PetscErrorCode run(uint64_t seed) {
  int rank, size;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const int first = rank * rank * N / (size * size),
            last = (rank + 1) * (rank + 1) * N / (size * size);
  Vec v[VECTORS];
  double whole[VECTORS][N], dot[VECTORS], got[VECTORS], value;
  for (int k = 0; k < VECTORS; k++) {
    HgSum sum;
    PetscScalar *a;
    if (k) PetscCall(VecDuplicate(v[0], &v[k])); /* duplicates must behave likewise */
    else PetscCall(HgExactVecCreate(PETSC_COMM_WORLD, last - first, &v[k]));
    for (int i = 0; i < N; i++) whole[k][i] = entry(seed, k, i);
    PetscCall(VecGetArrayWrite(v[k], &a));
    for (int i = first; i < last; i++) a[i - first] = whole[k][i];
    PetscCall(VecRestoreArrayWrite(v[k], &a));
    HgSumReset(&sum);
    HgSumAddProducts(&sum, N, whole[0], whole[k]);
    dot[k] = HgSumValue(&sum);
  }
  for (int k = 0; k < VECTORS; k++) {
    PetscCall(VecDot(v[0], v[k], &value));
    claim_same(value, dot[k], "VecDot with vector %d", k);
    PetscCall(VecTDot(v[0], v[k], &value));
    claim_same(value, dot[k], "VecTDot with vector %d", k);
    PetscCall(VecDotBegin(v[0], v[k], &value));
    PetscCall(VecDotEnd(v[0], v[k], &value));
    claim_same(value, dot[k], "VecDotBegin with vector %d", k);
  }
  PetscCall(VecMDot(v[0], VECTORS, v, got));
  for (int k = 0; k < VECTORS; k++) claim_same(got[k], dot[k], "VecMDot with vector %d", k);
  PetscCall(VecMDotBegin(v[0], VECTORS, v, got));
  PetscCall(VecMDotEnd(v[0], VECTORS, v, got));
  for (int k = 0; k < VECTORS; k++) claim_same(got[k], dot[k], "VecMDotBegin with vector %d", k);
  PetscCall(VecNorm(v[0], NORM_2, &value));
  claim_same(value, sqrt(dot[0]), "VecNorm");
  PetscCall(VecNormBegin(v[0], NORM_2, &value));
  PetscCall(VecNormEnd(v[0], NORM_2, &value));
  claim_same(value, sqrt(dot[0]), "VecNormBegin");
  double largest = 0;
  for (int i = 0; i < N; i++) largest = fmax(largest, fabs(whole[0][i]));
  PetscCall(VecNormBegin(v[0], NORM_INFINITY, &value));
  PetscCall(VecNormEnd(v[0], NORM_INFINITY, &value));
  claim_same(value, largest, "VecNormBegin, largest entry");
  for (int k = 0; k < VECTORS; k++) PetscCall(VecDestroy(&v[k]));
  return 0;
}
int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  claim_begin("sums over exact vectors are exact", 0);
  for (uint64_t seed = 1; !ierr && seed <= 20; seed++) {
    claim.seed = seed;
    ierr = run(seed);
  }
  return claim_end(ierr);
}
