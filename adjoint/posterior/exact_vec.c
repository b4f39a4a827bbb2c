/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/posterior_library.h>
#include <math.h>
#include <petsc/private/vecimpl.h>

enum { AT_ONCE = 16 }; /* sums that travel in one reduction */

/* values[k] = <x, y_k> */
static PetscErrorCode exact_mdot(Vec x, PetscInt count, const Vec y[], PetscScalar values[]) {
  const PetscScalar *a, *b;
  HgSum sums[AT_ONCE];
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt first = 0; first < count; first += AT_ONCE) {
    const int n = (int)PetscMin((PetscInt)AT_ONCE, count - first);
    for (int k = 0; k < n; k++) {
      HgSumReset(&sums[k]);
      PetscCall(VecGetArrayRead(y[first + k], &b));
      HgSumAddProducts(&sums[k], (size_t)x->map->n, a, b);
      PetscCall(VecRestoreArrayRead(y[first + k], &b));
    }
    PetscCall(HgSumReduce(PetscObjectComm((PetscObject)x), n, sums, values + first));
  }
  return VecRestoreArrayRead(x, &a);
}

static PetscErrorCode exact_dot(Vec x, Vec y, PetscScalar *value) {
  return exact_mdot(x, 1, &y, value);
}

static PetscErrorCode exact_norm1(Vec x, PetscReal *value) {
  const PetscScalar *a;
  HgSum sum;
  HgSumReset(&sum);
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt i = 0; i < x->map->n; i++) HgSumAdd(&sum, 1, &(double){fabs(a[i])});
  PetscCall(VecRestoreArrayRead(x, &a));
  return HgSumReduce(PetscObjectComm((PetscObject)x), 1, &sum, value);
}

static PetscErrorCode norm_infinity(Vec x, PetscReal *value) {
  const PetscScalar *a;
  double largest = 0;
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt i = 0; i < x->map->n; i++)
    largest = fmax(largest, isnan(a[i]) ? INFINITY : fabs(a[i]));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(
      MPI_Allreduce(&largest, value, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)x)));
  return 0;
}

static PetscErrorCode norm2(Vec x, PetscReal *value) {
  PetscCall(exact_dot(x, x, value));
  *value = sqrt(*value);
  return 0;
}

static PetscErrorCode exact_norm(Vec x, NormType type, PetscReal *value) {
  switch (type) {
  case NORM_1: return exact_norm1(x, value);
  case NORM_INFINITY: return norm_infinity(x, value);
  case NORM_1_AND_2: PetscCall(exact_norm1(x, &value[0])); return norm2(x, &value[1]);
  default: return norm2(x, value);
  }
}

static PetscErrorCode exact_dotnorm2(Vec x, Vec y, PetscScalar *dot, PetscScalar *norm) {
  PetscCall(exact_dot(x, y, dot));
  return exact_dot(y, y, norm);
}

/* VecDotBegin() and VecDotEnd(), used by TAO's quasi-Newton matrices, and VecSum() add what each
   rank returns as its part: rank 0 returns all, the others 0. */
static PetscErrorCode keep_on_first(Vec x, PetscInt count, PetscScalar values[]) {
  PetscMPIInt rank;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)x), &rank));
  for (PetscInt k = 0; k < count && rank; k++) values[k] = 0;
  return 0;
}

static PetscErrorCode part_mdot(Vec x, PetscInt count, const Vec y[], PetscScalar values[]) {
  PetscCall(exact_mdot(x, count, y, values));
  return keep_on_first(x, count, values);
}

static PetscErrorCode part_dot(Vec x, Vec y, PetscScalar *value) {
  return part_mdot(x, 1, &y, value);
}

static PetscErrorCode part_norm(Vec x, NormType type, PetscReal *value) {
  PetscCall(exact_norm(x, type, value));
  return keep_on_first(x, type == NORM_1_AND_2 ? 2 : 1, value);
}

static PetscErrorCode part_sum(Vec x, PetscScalar *value) {
  const PetscScalar *a;
  HgSum sum;
  HgSumReset(&sum);
  PetscCall(VecGetArrayRead(x, &a));
  HgSumAdd(&sum, (size_t)x->map->n, a);
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(HgSumReduce(PetscObjectComm((PetscObject)x), 1, &sum, value));
  return keep_on_first(x, 1, value);
}

/* z = alpha x + beta y + gamma z, left to right; x or y may be z. */
static PetscErrorCode combine(Vec z, PetscScalar alpha, PetscScalar beta, PetscScalar gamma, Vec x,
                              Vec y) {
  const PetscScalar *a, *b = NULL;
  PetscScalar *c;
  PetscCall(VecGetArrayRead(x, &a));
  if (y) PetscCall(VecGetArrayRead(y, &b));
  PetscCall(VecGetArray(z, &c));
  for (PetscInt i = 0; i < z->map->n; i++) {
    double value = alpha * a[i];
    if (b) value += beta * b[i];
    c[i] = gamma == 0 ? value : value + gamma * c[i];
  }
  PetscCall(VecRestoreArray(z, &c));
  if (y) PetscCall(VecRestoreArrayRead(y, &b));
  return VecRestoreArrayRead(x, &a);
}

static PetscErrorCode exact_scale(Vec x, PetscScalar alpha) {
  PetscScalar *a;
  PetscCall(VecGetArray(x, &a));
  for (PetscInt i = 0; i < x->map->n; i++) a[i] *= alpha;
  return VecRestoreArray(x, &a);
}

static PetscErrorCode exact_axpy(Vec y, PetscScalar alpha, Vec x) {
  return combine(y, alpha, 0, 1, x, NULL);
}

static PetscErrorCode exact_aypx(Vec y, PetscScalar beta, Vec x) {
  return combine(y, 1, 0, beta, x, NULL);
}

static PetscErrorCode exact_axpby(Vec y, PetscScalar alpha, PetscScalar beta, Vec x) {
  return combine(y, alpha, 0, beta, x, NULL);
}

static PetscErrorCode exact_waxpy(Vec w, PetscScalar alpha, Vec x, Vec y) {
  return combine(w, alpha, 1, 0, x, y);
}

static PetscErrorCode exact_axpbypcz(Vec z, PetscScalar alpha, PetscScalar beta, PetscScalar gamma,
                                     Vec x, Vec y) {
  return combine(z, alpha, beta, gamma, x, y);
}

static PetscErrorCode exact_maxpy(Vec y, PetscInt count, const PetscScalar alpha[], Vec x[]) {
  for (PetscInt k = 0; k < count; k++) PetscCall(exact_axpy(y, alpha[k], x[k]));
  return 0;
}

/* Not all of PETSc's versions copy the table of operations. */
static PetscErrorCode exact_duplicate(Vec x, Vec *y) {
  PetscCall(VecCreate(PetscObjectComm((PetscObject)x), y));
  PetscCall(VecSetSizes(*y, x->map->n, x->map->N));
  PetscCall(VecSetType(*y, ((PetscObject)x)->type_name));
  return HgExactVecMake(*y);
}

/* As PETSc makes it, but with exact sums. */
static PetscErrorCode exact_subvector(Vec x, IS is, Vec *y) {
  x->ops->getsubvector = NULL;
  const PetscErrorCode ierr = VecGetSubVector(x, is, y);
  x->ops->getsubvector = exact_subvector;
  return ierr ? ierr : HgExactVecMake(*y);
}

PetscErrorCode HgExactVecMake(Vec vec) {
  struct _VecOps *ops = vec->ops;
  ops->duplicate = exact_duplicate;
  ops->dot = ops->tdot = exact_dot;
  ops->mdot = ops->mtdot = exact_mdot;
  ops->norm = exact_norm;
  ops->sum = part_sum;
  ops->dotnorm2 = exact_dotnorm2;
  ops->dot_local = ops->tdot_local = part_dot;
  ops->mdot_local = ops->mtdot_local = part_mdot;
  ops->norm_local = part_norm;
  ops->scale = exact_scale;
  ops->axpy = exact_axpy;
  ops->aypx = exact_aypx;
  ops->axpby = exact_axpby;
  ops->waxpy = exact_waxpy;
  ops->axpbypcz = exact_axpbypcz;
  ops->maxpy = exact_maxpy;
  ops->getsubvector = exact_subvector;
  return 0;
}

PetscErrorCode HgExactVecCreate(MPI_Comm comm, PetscInt local, Vec *vec) {
  PetscCall(VecCreate(comm, vec));
  PetscCall(VecSetSizes(*vec, local, PETSC_DETERMINE));
  PetscCall(VecSetType(*vec, VECMPI));
  return HgExactVecMake(*vec);
}

PetscErrorCode HgExactVecsOf(Mat A, Vec *right, Vec *left) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);
  PetscInt rows, columns;
  PetscCall(MatGetLocalSize(A, &rows, &columns));
  if (right) PetscCall(HgExactVecCreate(comm, columns, right));
  if (left) PetscCall(HgExactVecCreate(comm, rows, left));
  return 0;
}
