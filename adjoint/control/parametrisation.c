/* SPDX-License-Identifier: BSD-2-Clause */
#include "parametrisation_private.h"
#include <halograd/parametrisation_library.h>
#include <halograd/state_library.h>

PetscErrorCode HgParametrisationFlat(HgMesh mesh, const char name[], const char field[]) {
  HgRequire(HgMeshComm(mesh), !HgMeshGetSpec(mesh)->nz, HG_ERR_CONTROL,
            "%s parametrisation of '%s': it is for meshes without levels, but this one has %d; "
            "expected the field itself, or log, affine or uniform",
            name, field, HgMeshGetSpec(mesh)->nz);
  return 0;
}

PetscErrorCode HgParametrisationCreate(HgMesh mesh, const char name[], const HgVariable *control,
                                       const HgVariable *field, const HgOperatorTable *table,
                                       void *self, HgOperator *op) {
  HgState x, y;
  PetscCall(HgStateCreate(mesh, 1, control, &x));
  PetscCall(HgStateCreate(mesh, 1, field, &y));
  PetscCall(HgOperatorCreate(name, x, y, table, self, op));
  PetscCall(HgStateDestroy(&x));
  return HgStateDestroy(&y);
}

static PetscErrorCode uniform_apply(void *self, HgState x, HgState y) {
  (void)self;
  return HgStateSetConstant(y, HgStateVariable(y, 0)->name, HgStateArray(x, 0)[0]);
}

static PetscErrorCode uniform_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  return uniform_apply(self, dx, dy);
}

static PetscErrorCode uniform_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  double total;
  HgSum sum;
  (void)self;
  HgSumReset(&sum);
  for (int n = 0; n < HgStateRowCount(y_bar, 0); n++)
    HgSumAdd(&sum, (size_t)p->nx, HgStateRow(y_bar, 0, n));
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(x)), 1, &sum, &total));
  HgStateArray(x_bar, 0)[0] += total;
  return 0;
}

PetscErrorCode HgParametrisationUniform(HgMesh mesh, const char control[], const char field[],
                                        const char unit[], HgOperator *op) {
  static const HgOperatorTable table = {uniform_apply, uniform_tangent, uniform_adjoint, NULL,
                                        NULL};
  const HgVariable in = {control, unit, HG_REPLICATED, 1}, out = {field, unit, HG_FIELD, 0};
  PetscCall(HgParametrisationCreate(mesh, "uniform parametrisation", &in, &out, &table, NULL, op));
  HgOperatorSetLinear(*op);
  return 0;
}

/* Cell centres of the patch, and room for a row of equal numbers. */
typedef struct {
  HgReal *x, *y, *row;
} Centres;

static PetscErrorCode affine_destroy(void *self) {
  Centres *c = self;
  PetscCall(PetscFree3(c->x, c->y, c->row));
  return PetscFree(c);
}

static void plane(const Centres *c, const double theta[3], HgState field) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(field));
  for (int n = 0; n < HgStateRowCount(field, 0); n++) {
    HgReal *const u = HgStateRow(field, 0, n);
    for (int i = 0; i < p->nx; i++)
      u[i] = theta[0] + theta[1] * c->x[i] + theta[2] * c->y[n % p->ny];
  }
  HgStateSetGhostDepth(field, 0, 0);
}

static PetscErrorCode affine_apply(void *self, HgState x, HgState y) {
  plane(self, HgStateArray(x, 0), y);
  return 0;
}

static PetscErrorCode affine_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  plane(self, HgStateArray(dx, 0), dy);
  return 0;
}

static PetscErrorCode affine_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Centres *c = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  double *theta_bar = HgStateArray(x_bar, 0), total[3];
  HgSum sums[3];
  for (int k = 0; k < 3; k++) HgSumReset(&sums[k]);
  for (int j = 0; j < HgStateRowCount(y_bar, 0); j++) {
    const size_t n = (size_t)p->nx;
    const HgReal *const field_bar = HgStateRow(y_bar, 0, j);
    for (int i = 0; i < p->nx; i++) c->row[i] = c->y[j % p->ny];
    HgSumAdd(&sums[0], n, field_bar);
    HgSumAddProducts(&sums[1], n, c->x, field_bar);
    HgSumAddProducts(&sums[2], n, c->row, field_bar);
  }
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(x)), 3, sums, total));
  for (int k = 0; k < 3; k++) theta_bar[k] += total[k];
  return 0;
}

PetscErrorCode HgParametrisationAffine(HgMesh mesh, const char control[], const char field[],
                                       const char unit[], HgOperator *op) {
  static const HgOperatorTable table = {affine_apply, affine_tangent, affine_adjoint, NULL,
                                        affine_destroy};
  const HgVariable in = {control, unit, HG_REPLICATED, 3}, out = {field, unit, HG_FIELD, 0};
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  Centres *c;
  PetscCall(PetscNew(&c));
  PetscCall(PetscMalloc3(p->nx, &c->x, p->ny, &c->y, p->nx, &c->row));
  for (int i = 0; i < p->nx; i++) c->x[i] = s->x0 + (p->i_global + i) * s->dx;
  for (int j = 0; j < p->ny; j++) c->y[j] = s->y0 + (p->j_global + j) * s->dy;
  PetscCall(HgParametrisationCreate(mesh, "affine parametrisation", &in, &out, &table, c, op));
  HgOperatorSetLinear(*op);
  return 0;
}
