/* SPDX-License-Identifier: BSD-2-Clause */
#include "inversion_private.h"
#include "prior_private.h"

/* Entries of R'' in rows of this rank. */
typedef struct {
  int count, room;
  PetscInt *row, *column;
  PetscScalar *value;
} Entries;

struct HgPrior_s {
  MPI_Comm comm;
  PetscInt size, own; /* controls of all ranks, of this one */
  PetscInt *number;   /* own ones, numbered as on one rank */
  int *seen;          /* of all: not 0 if R'' depends on it */
  Mat factor;
  Vec right, left; /* of all controls */
};

/* ---- R'', entry by entry ---- */

static PetscErrorCode add_entry(Entries *e, PetscInt row, PetscInt column, PetscScalar value) {
  if (e->count == e->room) {
    e->room = 2 * e->room + 64;
    PetscCall(PetscRealloc(sizeof *e->row * (size_t)e->room, &e->row));
    PetscCall(PetscRealloc(sizeof *e->column * (size_t)e->room, &e->column));
    PetscCall(PetscRealloc(sizeof *e->value * (size_t)e->room, &e->value));
  }
  e->row[e->count] = row, e->column[e->count] = column, e->value[e->count++] = value;
  return 0;
}

static PetscErrorCode free_entries(Entries *e) {
  PetscCall(PetscFree(e->row));
  PetscCall(PetscFree(e->column));
  return PetscFree(e->value);
}

/* Column `k` from the product with its unit vector; `at`: which of own controls it is, -1: none. */
static PetscErrorCode add_column(HgPrior p, Mat R, PetscInt k, PetscInt at, Vec unit, Vec column,
                                 Entries *e) {
  PetscScalar *a;
  const PetscScalar *b;
  PetscCall(VecSet(unit, 0));
  PetscCall(VecGetArray(unit, &a));
  if (at >= 0) a[at] = 1;
  PetscCall(VecRestoreArray(unit, &a));
  PetscCall(MatMult(R, unit, column));
  PetscCall(VecGetArrayRead(column, &b));
  for (PetscInt i = 0; i < p->own; i++)
    if (b[i] != 0 || i == at) PetscCall(add_entry(e, p->number[i], k, b[i]));
  return VecRestoreArrayRead(column, &b);
}

/* Which controls R'' sees: a product with a rough vector is 0 at the others. */
static PetscErrorCode find_seen(HgPrior p, Mat R, Vec rough, Vec product) {
  PetscScalar *a;
  const PetscScalar *b;
  PetscCall(VecGetArray(rough, &a));
  for (PetscInt i = 0; i < p->own; i++) a[i] = 1.5 + HgRandom(1, (uint64_t)p->number[i]);
  PetscCall(VecRestoreArray(rough, &a));
  PetscCall(MatMult(R, rough, product));
  PetscCall(VecGetArrayRead(product, &b));
  for (PetscInt i = 0; i < p->own; i++) p->seen[p->number[i]] = b[i] != 0;
  PetscCall(VecRestoreArrayRead(product, &b));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, p->seen, (int)p->size, MPI_INT, MPI_MAX, p->comm));
  return 0;
}

static PetscErrorCode add_columns(HgPrior p, Mat R, Entries *e) {
  Vec unit, column;
  PetscInt *at;
  PetscCall(MatCreateVecs(R, &unit, &column));
  PetscCall(find_seen(p, R, unit, column));
  PetscCall(PetscMalloc1(p->size, &at));
  for (PetscInt k = 0; k < p->size; k++) at[k] = -1;
  for (PetscInt i = 0; i < p->own; i++) at[p->number[i]] = i;
  for (PetscInt k = 0; k < p->size; k++)
    if (p->seen[k]) PetscCall(add_column(p, R, k, at[k], unit, column, e));
    else if (at[k] >= 0) PetscCall(add_entry(e, k, k, 1));
  PetscCall(PetscFree(at));
  PetscCall(VecDestroy(&unit));
  return VecDestroy(&column);
}

/* Those of all ranks on every rank. */
static PetscErrorCode gather_entries(MPI_Comm comm, const Entries *own, Entries *all) {
  int ranks, *count, *first;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(PetscMalloc2(ranks, &count, ranks, &first));
  PetscCallMPI(MPI_Allgather(&own->count, 1, MPI_INT, count, 1, MPI_INT, comm));
  for (int k = 0; k < ranks; k++) first[k] = all->count, all->count += count[k];
  PetscCall(PetscMalloc1(all->count, &all->row));
  PetscCall(PetscMalloc1(all->count, &all->column));
  PetscCall(PetscMalloc1(all->count, &all->value));
  PetscCallMPI(
      MPI_Allgatherv(own->row, own->count, MPIU_INT, all->row, count, first, MPIU_INT, comm));
  PetscCallMPI(
      MPI_Allgatherv(own->column, own->count, MPIU_INT, all->column, count, first, MPIU_INT, comm));
  PetscCallMPI(MPI_Allgatherv(own->value, own->count, MPIU_SCALAR, all->value, count, first,
                              MPIU_SCALAR, comm));
  return PetscFree2(count, first);
}

static PetscErrorCode assemble(HgPrior p, Mat R, Mat *A) {
  Entries own = {0}, all = {0};
  PetscInt *count;
  PetscCall(add_columns(p, R, &own));
  PetscCall(gather_entries(p->comm, &own, &all));
  PetscCall(PetscCalloc1(p->size, &count));
  for (int k = 0; k < all.count; k++) count[all.row[k]]++;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, p->size, p->size, 0, count, A));
  for (int k = 0; k < all.count; k++)
    PetscCall(MatSetValue(*A, all.row[k], all.column[k], all.value[k], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree(count));
  PetscCall(free_entries(&own));
  return free_entries(&all);
}

/* ---- its factor ---- */

static PetscErrorCode factor(HgPrior p, Mat A) {
  MatFactorInfo info;
  MatFactorError error;
  PetscInt negative = 0, zero = 0, positive = 0;
  IS rows, columns;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_CHOLESKY, &p->factor));
  PetscCall(MatGetOrdering(A, MATORDERINGND, &rows, &columns));
  PetscCall(MatCholeskyFactorSymbolic(p->factor, A, rows, &info));
  PetscCall(MatCholeskyFactorNumeric(p->factor, A, &info));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&columns));
  PetscCall(MatFactorGetError(p->factor, &error));
  if (!error) PetscCall(MatGetInertia(p->factor, &negative, &zero, &positive));
  HgRequire(p->comm, !error && positive == p->size, HG_ERR_CONTROL,
            "posterior: the second derivative of the regularisation is not positive definite: of "
            "%lld directions it is so along %lld; expected a larger Tikhonov weight (-tikhonov)",
            (long long)p->size, (long long)positive);
  return 0;
}

PetscErrorCode HgPriorCreate(HgState m, Mat R, HgPrior *prior) {
  HgPrior p;
  Mat A;
  PetscCall(PetscNew(&p));
  p->comm = HgMeshComm(HgStateMesh(m));
  p->own = HgControlsSize(m);
  PetscCall(MatGetSize(R, &p->size, NULL));
  PetscCall(PetscMalloc1(p->own, &p->number));
  PetscCall(PetscCalloc1(p->size, &p->seen));
  HgControlsNumber(m, p->number);
  PetscCall(assemble(p, R, &A));
  PetscCall(MatCreateVecs(A, &p->right, &p->left));
  PetscErrorCode ierr = factor(p, A);
  PetscCall(MatDestroy(&A));
  if (ierr) PetscCall(HgPriorDestroy(&p));
  *prior = p;
  return ierr;
}

PetscErrorCode HgPriorDestroy(HgPrior *prior) {
  HgPrior p = *prior;
  *prior = NULL;
  if (!p) return 0;
  PetscCall(MatDestroy(&p->factor));
  PetscCall(VecDestroy(&p->right));
  PetscCall(VecDestroy(&p->left));
  PetscCall(PetscFree(p->number));
  PetscCall(PetscFree(p->seen));
  return PetscFree(p);
}

/* ---- solutions ---- */

PetscErrorCode HgPriorSolve(HgPrior p, Vec b, Vec x) {
  const PetscScalar *from;
  PetscScalar *to;
  PetscInt unseen = -1;
  PetscCall(VecSet(p->right, 0));
  PetscCall(VecGetArray(p->right, &to));
  PetscCall(VecGetArrayRead(b, &from));
  for (PetscInt i = 0; i < p->own; i++) {
    to[p->number[i]] = from[i];
    if (from[i] != 0 && !p->seen[p->number[i]]) unseen = p->number[i];
  }
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, to, (int)p->size, MPIU_SCALAR, MPI_SUM, p->comm));
  PetscCall(VecRestoreArray(p->right, &to)); /* one rank's number and zeros: exact */
  PetscCall(HgAgree(p->comm, unseen >= 0, HG_ERR_CONTROL,
                    "posterior: the data depend on control %lld of %lld, but the regularisation "
                    "does not, so that its deviation before the data is infinite; expected a "
                    "Tikhonov weight (-tikhonov) on all of them",
                    (long long)unseen, (long long)p->size));
  PetscCall(MatSolve(p->factor, p->right, p->left));
  PetscCall(VecGetArrayRead(p->left, &from));
  PetscCall(VecGetArray(x, &to));
  for (PetscInt i = 0; i < p->own; i++) to[i] = from[p->number[i]];
  PetscCall(VecRestoreArray(x, &to));
  return VecRestoreArrayRead(p->left, &from);
}

PetscErrorCode HgPriorVariance(HgPrior p, Vec variance) {
  PetscScalar *to, *unit;
  PetscCall(VecGetArray(variance, &to));
  for (PetscInt i = 0; i < p->own; i++) {
    const PetscScalar *from;
    to[i] = 0;
    if (!p->seen[p->number[i]]) continue;
    PetscCall(VecSet(p->right, 0));
    PetscCall(VecGetArray(p->right, &unit));
    unit[p->number[i]] = 1;
    PetscCall(VecRestoreArray(p->right, &unit));
    PetscCall(MatSolve(p->factor, p->right, p->left));
    PetscCall(VecGetArrayRead(p->left, &from));
    to[i] = from[p->number[i]];
    PetscCall(VecRestoreArrayRead(p->left, &from));
  }
  return VecRestoreArray(variance, &to);
}
