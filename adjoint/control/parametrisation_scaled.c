/* SPDX-License-Identifier: BSD-2-Clause */
/* field = factor control, cell by cell: where the factor is 0 the field is 0 whatever the control
   is. The operator's self is the state of the factor. */
#include "control_private.h"
#include <halograd/state_library.h>
#include <math.h>

static PetscErrorCode scaled_destroy(void *self) {
  HgState factors = self;
  return HgStateDestroy(&factors);
}

static PetscErrorCode scaled_apply(void *self, HgState x, HgState y) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int n = 0; n < HgStateRowCount(x, 0); n++) {
    const HgReal *const factor = HgStateRow(self, 0, n), *const m = HgStateRow(x, 0, n);
    HgReal *const field = HgStateRow(y, 0, n);
    for (int i = 0; i < p->nx; i++) field[i] = factor[i] * m[i];
  }
  HgStateSetGhostDepth(y, 0, 0);
  return 0;
}

static PetscErrorCode scaled_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int n = 0; n < HgStateRowCount(x_bar, 0); n++) {
    const HgReal *const factor = HgStateRow(self, 0, n), *const field_bar = HgStateRow(y_bar, 0, n);
    HgReal *const m_bar = HgStateRow(x_bar, 0, n);
    for (int i = 0; i < p->nx; i++) m_bar[i] += factor[i] * field_bar[i];
  }
  HgStateSetGhostDepth(x_bar, 0, 0);
  return 0;
}

PetscErrorCode HgParametrisationScaled(HgState factors, const char factor[], const char control[],
                                       const char field[], const char unit[], HgOperator *op) {
  static const HgOperatorTable table = {
      .apply = scaled_apply, .adjoint = scaled_adjoint, .destroy = scaled_destroy, .linear = true};
  const HgMesh mesh = HgStateMesh(factors);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgVariable in = {control, unit, HG_FIELD, 0}, out = {field, unit, HG_FIELD, 0};
  int index;
  bool finite = true;
  PetscCall(HgStateIndex(factors, factor, &index));
  HgRequire(HgMeshComm(mesh), HgStateVariable(factors, index)->kind == HG_FIELD, HG_ERR_CONTROL,
            "scaled parametrisation of '%s': factor '%s' is no field, expected one", field, factor);
  for (int n = 0; n < HgStateRowCount(factors, index); n++)
    for (int i = 0; i < p->nx; i++) finite = finite && isfinite(HgStateRow(factors, index, n)[i]);
  PetscCall(HgAgree(HgMeshComm(mesh), !finite, HG_ERR_NOT_FINITE,
                    "scaled parametrisation of '%s': a factor '%s' is not finite", field, factor));
  HgState kept;
  PetscCall(HgStateCreate(mesh, 1, HgStateVariable(factors, index), &kept));
  PetscCall(HgStateCopyVariable(factors, index, kept, 0));
  return HgParametrisationCreate(mesh, "scaled parametrisation", &in, &out, &table, kept, op);
}
