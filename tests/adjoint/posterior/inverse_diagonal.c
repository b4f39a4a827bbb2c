/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the diagonal of the inverse of sparse matrices, of cells in a box that see neighbours, far
   ones or none, is that of as many solutions with a dense factor, to 1e-11. */
#include "claim.h"
#include "posterior_case.h"
#include <halograd/posterior_library.h>

static const double bound = 1e-11;

/* D + sum over pairs of entries, `links` a row, of w (e_i - e_j) (e_i - e_j)^T: one to the next,
   those across a row of `wide`, and so on to random ones. */
static PetscErrorCode create(PetscInt n, PetscInt wide, int links, Mat *A) {
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 60, NULL, A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatSetValue(*A, i, i, 1.01 + HgRandom(3, (uint64_t)i), ADD_VALUES));
    for (int l = 0; l < links; l++) {
      const uint64_t which = (uint64_t)(i * links + l);
      const PetscInt j = l == 0   ? i + 1
                         : l == 1 ? i + wide
                                  : (PetscInt)(0.5 * (double)n * (1 + HgRandom(2, which)));
      const double w = 1.5 + HgRandom(1, which);
      if (j <= i || j >= n) continue;
      PetscCall(MatSetValue(*A, i, i, w, ADD_VALUES));
      PetscCall(MatSetValue(*A, j, j, w, ADD_VALUES));
      PetscCall(MatSetValue(*A, i, j, -w, ADD_VALUES));
      PetscCall(MatSetValue(*A, j, i, -w, ADD_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY);
}

static PetscErrorCode expect(PetscInt n, PetscInt wide, int links) {
  PetscScalar *found;
  const PetscScalar *dense;
  Mat A, full, inverse;
  PetscCall(create(n, wide, links, &A));
  PetscCall(MatConvert(A, MATSEQDENSE, MAT_INITIAL_MATRIX, &full));
  PetscCall(dense_invert(full, &inverse));
  PetscCall(PetscMalloc1(n, &found));
  PetscCall(HgInverseDiagonal(A, found));
  PetscCall(MatDenseGetArrayRead(inverse, &dense));
  for (PetscInt k = 0; k < n; k++)
    claim_at_most(fabs(found[k] / dense[k * n + k] - 1), bound, "%d links, entry %d of %d", links,
                  (int)k, (int)n);
  PetscCall(MatDenseRestoreArrayRead(inverse, &dense));
  PetscCall(PetscFree(found));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&full));
  return MatDestroy(&inverse);
}

static PetscErrorCode test(void) {
  PetscCall(expect(1, 1, 0));
  PetscCall(expect(40, 7, 0));
  PetscCall(expect(50, 7, 1));
  PetscCall(expect(143, 11, 2));
  PetscCall(expect(120, 9, 3));
  return expect(60, 5, 40);
}

CLAIM("the diagonal of a sparse matrix's inverse is that of solutions", 0, test)
