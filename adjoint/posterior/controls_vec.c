/* SPDX-License-Identifier: BSD-2-Clause */
/* Between states and TAO's vector: z = W m on owned cells, then, on rank 0, replicated arrays. */
#include <halograd/posterior_library.h>
#include <halograd/state_library.h>
#include <math.h>

static bool held(HgState m, int k) {
  int rank;
  MPI_Comm_rank(HgMeshComm(HgStateMesh(m)), &rank);
  return HgStateVariable(m, k)->kind != HG_REPLICATED || rank == 0;
}

static double weight(HgState m, const HgControlRange range[], int k) {
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(m));
  const HgVariable *const v = HgStateVariable(m, k);
  const double thick = s->nz && !v->surface ? s->dz : 1;
  return (HgIsField(v) ? sqrt(s->dx * s->dy * thick) : 1) / range[k].scale;
}

void HgControlsPart(HgState m, int k, int *rows, int *n) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const bool is_field = HgIsField(HgStateVariable(m, k));
  *rows = is_field ? HgStateRowCount(m, k) : 1, *n = is_field ? p->nx : HgStateVariable(m, k)->size;
}

/* Of this rank. */
static int64_t count(HgState m) {
  int64_t size = 0;
  for (int k = 0; k < HgStateCount(m); k++) {
    int rows, n;
    HgControlsPart(m, k, &rows, &n);
    if (held(m, k)) size += (int64_t)rows * n;
  }
  return size;
}

PetscInt HgControlsSize(HgState m) { return (PetscInt)count(m); }

PetscErrorCode HgControlsCount(HgState m, PetscInt *all) {
  int64_t sum = count(m);
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, comm));
  HgRequire(comm, sum <= PETSC_MAX_INT, HG_ERR_CONTROL,
            "inversion: %lld numbers are sought, expected at most %lld, which PETSc can count",
            (long long)sum, (long long)PETSC_MAX_INT);
  *all = (PetscInt)sum;
  return 0;
}

void HgControlsNumber(HgState m, PetscInt number[]) {
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(m));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  PetscInt before = 0;
  for (int k = 0; k < HgStateCount(m); k++) {
    const HgVariable *v = HgStateVariable(m, k);
    int rows, n;
    HgControlsPart(m, k, &rows, &n);
    for (int j = 0; j < rows && held(m, k); j++) {
      const PetscInt row = (PetscInt)(j / p->ny) * s->ny + p->j_global + j % p->ny; /* by levels */
      const PetscInt first = HgIsField(v) ? row * s->nx + p->i_global : 0;
      for (int i = 0; i < n; i++) *number++ = before + first + i;
    }
    before += HgIsField(v) ? (PetscInt)s->nx * s->ny * HgStateLevels(m, k) : v->size;
  }
}

PetscErrorCode HgControlsToVec(HgState m, const HgControlRange range[], int power, Vec z) {
  PetscScalar *a;
  PetscCall(VecGetArrayWrite(z, &a));
  PetscScalar *next = a;
  for (int k = 0; k < HgStateCount(m); k++) {
    int rows, n;
    HgControlsPart(m, k, &rows, &n);
    const double w = weight(m, range, k);
    for (int j = 0; j < rows && held(m, k); j++) {
      const HgRow row = HgStateRowOf(m, k, j);
      for (int i = 0; i < n; i++) *next++ = power > 0 ? HgRowGet(row, i) * w : HgRowGet(row, i) / w;
    }
  }
  return VecRestoreArrayWrite(z, &a);
}

/* At TAO's bound, returns exactly the user's bound, which a product and a quotient may not. */
PetscErrorCode HgControlsFromVec(Vec z, const HgControlRange range[], bool bounded, HgState m) {
  const PetscScalar *a;
  PetscCall(VecGetArrayRead(z, &a));
  const PetscScalar *next = a;
  for (int k = 0; k < HgStateCount(m); k++) {
    int rows, n;
    HgControlsPart(m, k, &rows, &n);
    const double w = weight(m, range, k), lower = bounded ? range[k].lower : -INFINITY,
                 upper = bounded ? range[k].upper : INFINITY;
    for (int j = 0; j < rows && held(m, k); j++) {
      const HgRow row = HgStateRowOf(m, k, j);
      for (int i = 0; i < n; i++, next++)
        HgRowSet(row, i, *next <= lower * w ? lower : *next >= upper * w ? upper : *next / w);
    }
    if (HgStateVariable(m, k)->kind == HG_REPLICATED)
      PetscCallMPI(MPI_Bcast(HgStateArray(m, k), n, MPI_DOUBLE, 0, HgMeshComm(HgStateMesh(m))));
    HgStateSetGhostDepth(m, k, 0);
  }
  return VecRestoreArrayRead(z, &a);
}

PetscErrorCode HgControlsBounds(HgState m, const HgControlRange range[], bool upper, Vec z) {
  PetscScalar *a;
  PetscCall(VecGetArrayWrite(z, &a));
  PetscScalar *next = a;
  for (int k = 0; k < HgStateCount(m); k++) {
    int rows, n;
    HgControlsPart(m, k, &rows, &n);
    double b = (upper ? range[k].upper : range[k].lower) * weight(m, range, k);
    if (isinf(b)) b = b > 0 ? PETSC_INFINITY : PETSC_NINFINITY;
    for (int64_t i = 0; held(m, k) && i < (int64_t)rows * n; i++) *next++ = b;
  }
  return VecRestoreArrayWrite(z, &a);
}
