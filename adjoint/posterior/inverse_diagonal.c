/* SPDX-License-Identifier: BSD-2-Clause */
/* The diagonal of the inverse of a sparse matrix, from entries of it where the factor has some.

   A = L D L^T, in the order of nested dissection, row by row: T. A. Davis, ACM Trans. Math. Softw.
   31 (2005). Then, from the last column to the first, Z = A^-1 where L is not 0:
     Z_ij = -sum_k Z_ik L_kj (i > j),  Z_jj = 1 / D_j - sum_k Z_kj L_kj,  over k > j with L_kj not 0
   K. Takahashi, J. Fagan & M.-S. Chin, Proc. 8th PICA Conf. (1973). */
#include <halograd/posterior_library.h>

/* Column j of L: rows[first[j] ... first[j] + count[j] - 1], ascending. */
typedef struct {
  PetscInt n;
  const PetscInt *order; /* which row of A stands where */
  PetscInt *place;       /* its inverse */
  PetscInt *parent;      /* the first row of each column, -1: it has none */
  PetscInt *seen, *path, *count;
  size_t *first;
  PetscInt *rows;
  double *L, *D, *work, *sum;
} Factor;

/* The columns of L that have row k and are not marked with k: those on the path up from i. */
static PetscInt climb(Factor *f, PetscInt i, PetscInt k, PetscInt way[]) {
  PetscInt length = 0;
  for (; i >= 0 && f->seen[i] != k; i = f->parent[i]) {
    if (f->parent[i] < 0) f->parent[i] = k;
    f->seen[i] = k;
    way[length++] = i;
  }
  return length;
}

static PetscErrorCode find_pattern(Factor *f, Mat A) {
  for (PetscInt k = 0; k < f->n; k++) f->parent[k] = f->seen[k] = -1, f->count[k] = 0;
  for (PetscInt k = 0; k < f->n; k++) {
    const PetscInt *column;
    PetscInt n;
    f->seen[k] = k;
    PetscCall(MatGetRow(A, f->order[k], &n, &column, NULL));
    for (PetscInt e = 0; e < n; e++) {
      if (f->place[column[e]] >= k) continue;
      const PetscInt length = climb(f, f->place[column[e]], k, f->path);
      for (PetscInt l = 0; l < length; l++) f->count[f->path[l]]++;
    }
    PetscCall(MatRestoreRow(A, f->order[k], &n, &column, NULL));
  }
  f->first[0] = 0;
  for (PetscInt k = 0; k < f->n; k++) f->first[k + 1] = f->first[k] + (size_t)f->count[k];
  PetscCall(PetscMalloc1(f->first[f->n], &f->rows));
  return PetscMalloc1(f->first[f->n], &f->L);
}

/* Computes row k of L and D_k; `work` is 0 before and after. Its columns are at the end of `path`,
   each before its ancestors in the tree. */
static PetscErrorCode add_row(Factor *f, Mat A, PetscInt k) {
  const PetscInt *column;
  const PetscScalar *a;
  PetscInt n, top = f->n;
  f->seen[k] = k;
  PetscCall(MatGetRow(A, f->order[k], &n, &column, &a));
  for (PetscInt e = 0; e < n; e++) {
    const PetscInt i = f->place[column[e]];
    if (i > k) continue;
    f->work[i] = a[e];
    for (PetscInt length = climb(f, i, k, f->path); length > 0;) f->path[--top] = f->path[--length];
  }
  PetscCall(MatRestoreRow(A, f->order[k], &n, &column, &a));
  f->D[k] = f->work[k], f->work[k] = 0;
  for (; top < f->n; top++) {
    const PetscInt i = f->path[top];
    const size_t end = f->first[i] + (size_t)f->count[i]++;
    const double y = f->work[i], l = y / f->D[i];
    f->work[i] = 0;
    for (size_t p = f->first[i]; p < end; p++) f->work[f->rows[p]] -= f->L[p] * y;
    f->D[k] -= l * y;
    f->rows[end] = k, f->L[end] = l;
  }
  return 0;
}

/* Overwrites column j of L by that of Z, and D_j by Z_jj. */
static void invert_column(Factor *f, PetscInt j) {
  const size_t from = f->first[j], to = f->first[j + 1];
  double diagonal = 1 / f->D[j];
  for (size_t p = from; p < to; p++) f->work[f->rows[p]] = f->L[p], f->sum[f->rows[p]] = 0;
  for (size_t p = from; p < to; p++) {
    const PetscInt k = f->rows[p];
    const double l = f->L[p];
    double sum = f->D[k] * l;
    for (size_t q = f->first[k]; q < f->first[k + 1]; q++) { /* work is 0 off this column */
      sum += f->L[q] * f->work[f->rows[q]];
      f->sum[f->rows[q]] += f->L[q] * l;
    }
    f->sum[k] += sum;
  }
  for (size_t p = from; p < to; p++) {
    const PetscInt k = f->rows[p];
    diagonal += f->sum[k] * f->L[p];
    f->L[p] = -f->sum[k], f->work[k] = 0;
  }
  f->D[j] = diagonal;
}

PetscErrorCode HgInverseDiagonal(Mat A, PetscScalar diagonal[]) {
  Factor f = {0};
  IS rows, columns;
  PetscCall(MatGetSize(A, &f.n, NULL));
  PetscCall(MatGetOrdering(A, MATORDERINGND, &rows, &columns));
  PetscCall(ISGetIndices(rows, &f.order));
  PetscCall(PetscMalloc5(f.n, &f.place, f.n, &f.parent, f.n, &f.seen, f.n, &f.path, f.n, &f.count));
  PetscCall(PetscMalloc2(f.n + 1, &f.first, f.n, &f.D));
  PetscCall(PetscCalloc2(f.n, &f.work, f.n, &f.sum));
  for (PetscInt k = 0; k < f.n; k++) f.place[f.order[k]] = k;
  PetscCall(find_pattern(&f, A));
  for (PetscInt k = 0; k < f.n; k++) f.seen[k] = -1, f.count[k] = 0;
  for (PetscInt k = 0; k < f.n; k++) PetscCall(add_row(&f, A, k));
  for (PetscInt k = f.n - 1; k >= 0; k--) invert_column(&f, k);
  for (PetscInt k = 0; k < f.n; k++) diagonal[f.order[k]] = f.D[k];
  PetscCall(ISRestoreIndices(rows, &f.order));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&columns));
  PetscCall(PetscFree5(f.place, f.parent, f.seen, f.path, f.count));
  PetscCall(PetscFree2(f.first, f.D));
  PetscCall(PetscFree2(f.work, f.sum));
  PetscCall(PetscFree(f.rows));
  return PetscFree(f.L);
}
