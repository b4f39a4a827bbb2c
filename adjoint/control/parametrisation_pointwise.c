/* SPDX-License-Identifier: BSD-2-Clause */
#include "control_private.h"
#include <halograd/control_library.h>
#include <halograd/state_library.h>

static PetscErrorCode pointwise_destroy(void *self) { return PetscFree(self); }

static PetscErrorCode pointwise_apply(void *self, HgState x, HgState y) {
  const HgPointwise *phi = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int n = 0; n < HgStateRowCount(x, 0); n++) {
    const HgReal *const m = HgStateRow(x, 0, n);
    HgReal *const field = HgStateRow(y, 0, n);
    for (int i = 0; i < p->nx; i++) field[i] = phi->value(m[i], phi->p);
  }
  HgStateSetGhostDepth(y, 0, 0);
  return 0;
}

static PetscErrorCode pointwise_tangent(void *self, HgState x, HgState dx, HgState dy) {
  const HgPointwise *phi = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int n = 0; n < HgStateRowCount(x, 0); n++) {
    const HgReal *const m = HgStateRow(x, 0, n), *const dm = HgStateRow(dx, 0, n);
    HgReal *const dfield = HgStateRow(dy, 0, n);
    for (int i = 0; i < p->nx; i++) dfield[i] = phi->derivative(m[i], phi->p) * dm[i];
  }
  HgStateSetGhostDepth(dy, 0, 0);
  return 0;
}

static PetscErrorCode pointwise_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const HgPointwise *phi = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int n = 0; n < HgStateRowCount(x, 0); n++) {
    const HgReal *const m = HgStateRow(x, 0, n), *const field_bar = HgStateRow(y_bar, 0, n);
    HgReal *const m_bar = HgStateRow(x_bar, 0, n);
    for (int i = 0; i < p->nx; i++) m_bar[i] += phi->derivative(m[i], phi->p) * field_bar[i];
  }
  HgStateSetGhostDepth(x_bar, 0, 0);
  return 0;
}

static PetscErrorCode pointwise_second(void *self, HgState x, HgState dx, HgState y_bar,
                                       HgState dy_bar, HgState x_bar, HgState dx_bar) {
  const HgPointwise *phi = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int n = 0; n < HgStateRowCount(x, 0); n++) {
    const HgReal *const m = HgStateRow(x, 0, n), *const dm = HgStateRow(dx, 0, n),
                        *const bar = HgStateRow(y_bar, 0, n),
                        *const dbar = HgStateRow(dy_bar, 0, n);
    HgReal *const dm_bar = HgStateRow(dx_bar, 0, n);
    for (int i = 0; i < p->nx; i++)
      dm_bar[i] =
          phi->derivative(m[i], phi->p) * dbar[i] + phi->second(m[i], phi->p) * dm[i] * bar[i];
  }
  HgStateSetGhostDepth(dx_bar, 0, 0);
  if (!x_bar) return 0;
  PetscCall(HgStateZero(x_bar));
  return pointwise_adjoint(self, x, y_bar, x_bar);
}

PetscErrorCode HgParametrisationPointwise(HgMesh mesh, const char control[], const char field[],
                                          const char unit[], const HgPointwise *function,
                                          HgOperator *op) {
  const HgOperatorTable table = {.apply = pointwise_apply,
                                 .tangent = pointwise_tangent,
                                 .adjoint = pointwise_adjoint,
                                 .destroy = pointwise_destroy,
                                 .second = function->second ? pointwise_second : NULL};
  const HgVariable in = {control, "1", HG_FIELD, 0}, out = {field, unit, HG_FIELD, 0};
  HgPointwise *phi;
  char name[64], problem[160];
  HgRequire(HgMeshComm(mesh), HgPointwiseSound(function, sizeof problem, problem), HG_ERR_CONTROL,
            "pointwise parametrisation of '%s': %s", field, problem);
  PetscCall(PetscNew(&phi));
  *phi = *function;
  PetscCall(PetscSNPrintf(name, sizeof name, "%s parametrisation", phi->name));
  return HgParametrisationCreate(mesh, name, &in, &out, &table, phi, op);
}

PetscErrorCode HgParametrisationLog(HgMesh mesh, const char control[], const char field[],
                                    const char unit[], HgOperator *op) {
  HgPointwise phi = HgPointwiseExp;
  phi.name = "log"; /* the control is the logarithm */
  return HgParametrisationPointwise(mesh, control, field, unit, &phi, op);
}
