/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/exchange_library.h>
#include <halograd/mesh_library.h>
#include <halograd/primitive_library.h>

typedef struct {
  HgMesh mesh;
  HgExchange exchange;
  HgState copy;
} Primitive;

static PetscErrorCode primitive_destroy(void *self) {
  Primitive *p = self;
  PetscCall(HgExchangeDestroy(&p->exchange));
  PetscCall(HgStateDestroy(&p->copy));
  return PetscFree(p);
}

static PetscErrorCode one_field(HgMesh mesh, HgKind kind, HgState *state) {
  const HgVariable variable = {"u", "1", kind, 0, false};
  return HgStateCreate(mesh, 1, &variable, state);
}

/* y = x on owned cells, 0 elsewhere. */
static void copy_owned(HgMesh mesh, HgReal *const *x, HgReal *const *y) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) y[j][i] = x[j][i];
}

static PetscErrorCode exchange_apply(void *self, HgState x, HgState y) {
  Primitive *p = self;
  HgReal *const *fields[1] = {HgStateRows(y, 0)};
  PetscCall(HgStateZero(y));
  copy_owned(p->mesh, HgStateRows(x, 0), fields[0]);
  return HgExchangeApply(p->exchange, fields);
}

static PetscErrorCode exchange_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  return exchange_apply(self, dx, dy);
}

static PetscErrorCode exchange_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  Primitive *p = self;
  (void)x;
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  PetscCall(HgStateCopy(y_bar, p->copy));
  HgReal *const *fields[1] = {HgStateRows(p->copy, 0)}, *const *u_bar = HgStateRows(x_bar, 0);
  PetscCall(HgExchangeTransposed(p->exchange, fields));
  for (int j = 0; j < patch->ny; j++)
    for (int i = 0; i < patch->nx; i++) u_bar[j][i] += fields[0][j][i];
  return 0;
}

PetscErrorCode HgPrimitiveExchange(HgMesh mesh, int depth, HgOperator *op) {
  static const HgOperatorTable table = {exchange_apply, exchange_tangent, exchange_adjoint, NULL,
                                        primitive_destroy};
  Primitive *p;
  HgState x;
  if (HgMeshHasAutomaticGhosts(mesh)) PetscCall(HgMeshRequireGhosts(mesh, depth));
  PetscCall(PetscNew(&p));
  p->mesh = mesh;
  PetscCall(HgExchangeCreate(mesh, 1, NULL, &depth, &p->exchange));
  PetscCall(one_field(mesh, HG_FIELD, &x));
  PetscCall(one_field(mesh, HG_GHOSTED, &p->copy));
  PetscCall(HgOperatorCreate("exchange", x, p->copy, &table, p, op));
  HgOperatorSetLinear(*op);
  return HgStateDestroy(&x);
}
