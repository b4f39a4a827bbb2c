/* SPDX-License-Identifier: BSD-2-Clause */
/* field = sum_k control[k] basis_k: each cell adds in the order of the basis; sums over cells are
   exact. */
#include "control_private.h"
#include <halograd/state_library.h>
#include <math.h>

/* The rectangle [i0, i1) x [j0, j1) of the patch outside which all fields are 0, and basis[k][cell]
   in it. */
typedef struct {
  int count, i0, i1, j0, j1;
  size_t cells;
  HgReal *basis;
  HgSum *sums;
  double *total;
} Basis;

static PetscErrorCode basis_destroy(void *self) {
  Basis *b = self;
  PetscCall(PetscFree3(b->basis, b->sums, b->total));
  return PetscFree(b);
}

static const HgReal *row_of(const Basis *b, int k, int j) {
  return b->basis + (size_t)k * b->cells + (size_t)(j - b->j0) * (size_t)(b->i1 - b->i0);
}

static PetscErrorCode basis_apply(void *self, HgState x, HgState y) {
  const Basis *b = self;
  const double *m = HgStateArray(x, 0);
  HgReal *const *field = HgStateRows(y, 0);
  PetscCall(HgStateZeroVariable(y, 0));
  for (int j = b->j0; j < b->j1; j++)
    for (int k = 0; k < b->count; k++) {
      const HgReal *row = row_of(b, k, j);
      for (int i = b->i0; i < b->i1; i++) field[j][i] += m[k] * row[i - b->i0];
    }
  HgStateSetGhostDepth(y, 0, 0);
  return 0;
}

static PetscErrorCode basis_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Basis *b = self;
  HgReal *const *field_bar = HgStateRows(y_bar, 0);
  double *m_bar = HgStateArray(x_bar, 0);
  for (int k = 0; k < b->count; k++) {
    HgSumReset(&b->sums[k]);
    for (int j = b->j0; j < b->j1; j++)
      HgSumAddProducts(&b->sums[k], (size_t)(b->i1 - b->i0), row_of(b, k, j), field_bar[j] + b->i0);
  }
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(x)), b->count, b->sums, b->total));
  for (int k = 0; k < b->count; k++) m_bar[k] += b->total[k];
  return 0;
}

/* Finds the rectangle. Returns whether all numbers are finite. */
static bool enclose(HgState basis, Basis *b) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(basis));
  bool finite = true;
  b->i0 = p->nx, b->j0 = p->ny, b->i1 = b->j1 = 0;
  for (int k = 0; k < b->count; k++)
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) {
        const double value = HgStateRows(basis, k)[j][i];
        finite = finite && isfinite(value);
        if (value == 0) continue;
        b->i0 = PetscMin(b->i0, i), b->i1 = PetscMax(b->i1, i + 1);
        b->j0 = PetscMin(b->j0, j), b->j1 = PetscMax(b->j1, j + 1);
      }
  if (b->i1 == 0) b->i0 = b->j0 = 0;
  b->cells = (size_t)(b->i1 - b->i0) * (size_t)(b->j1 - b->j0);
  return finite;
}

PetscErrorCode HgParametrisationBasis(HgState basis, const char control[],
                                      const char control_unit[], const char field[],
                                      const char unit[], HgOperator *op) {
  static const HgOperatorTable table = {
      .apply = basis_apply, .adjoint = basis_adjoint, .destroy = basis_destroy, .linear = true};
  const HgMesh mesh = HgStateMesh(basis);
  const int count = HgStateCount(basis);
  const HgVariable in = {control, control_unit, HG_REPLICATED, count},
                   out = {field, unit, HG_FIELD, 0};
  Basis at = {.count = count};
  PetscCall(HgParametrisationFlat(mesh, "basis", field));
  for (int k = 0; k < count; k++)
    HgRequire(HgMeshComm(mesh), HgStateVariable(basis, k)->kind == HG_FIELD, HG_ERR_CONTROL,
              "basis parametrisation of '%s': '%s' is no field", field,
              HgStateVariable(basis, k)->name);
  PetscCall(HgAgree(HgMeshComm(mesh), !enclose(basis, &at), HG_ERR_NOT_FINITE,
                    "basis parametrisation of '%s': a number of the basis is not finite", field));

  Basis *b;
  PetscCall(PetscNew(&b));
  *b = at;
  PetscCall(PetscMalloc3((size_t)count * b->cells, &b->basis, count, &b->sums, count, &b->total));
  for (int k = 0; k < count; k++)
    for (int j = b->j0; j < b->j1; j++)
      PetscCall(PetscArraycpy((HgReal *)row_of(b, k, j), HgStateRows(basis, k)[j] + b->i0,
                              b->i1 - b->i0));
  return HgParametrisationCreate(mesh, "basis parametrisation", &in, &out, &table, b, op);
}
