/* SPDX-License-Identifier: BSD-2-Clause */
#include "control_private.h"
#include <halograd/control_library.h>
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
  return HgStatesDestroy(&x, &y);
}

/* For a plane, or its first number only: cell centres of the patch, and a row of equal numbers. */
typedef struct {
  int count;
  HgReal *x, *y, *row;
} Plane;

static PetscErrorCode plane_destroy(void *self) {
  Plane *c = self;
  PetscCall(PetscFree3(c->x, c->y, c->row));
  return PetscFree(c);
}

static PetscErrorCode plane_apply(void *self, HgState x, HgState y) {
  const Plane *c = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(y));
  const double *theta = HgStateArray(x, 0);
  for (int n = 0; n < HgStateRowCount(y, 0); n++) {
    HgReal *const u = HgStateRow(y, 0, n);
    for (int i = 0; i < p->nx; i++)
      u[i] = c->count == 1 ? theta[0] : theta[0] + theta[1] * c->x[i] + theta[2] * c->y[n % p->ny];
  }
  HgStateSetGhostDepth(y, 0, 0);
  return 0;
}

static PetscErrorCode plane_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Plane *c = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  double *theta_bar = HgStateArray(x_bar, 0), total[3];
  HgSum sums[3];
  for (int k = 0; k < 3; k++) HgSumReset(&sums[k]);
  for (int j = 0; j < HgStateRowCount(y_bar, 0); j++) {
    const size_t n = (size_t)p->nx;
    const HgReal *const field_bar = HgStateRow(y_bar, 0, j);
    HgSumAdd(&sums[0], n, field_bar);
    if (c->count == 1) continue;
    for (int i = 0; i < p->nx; i++) c->row[i] = c->y[j % p->ny];
    HgSumAddProducts(&sums[1], n, c->x, field_bar);
    HgSumAddProducts(&sums[2], n, c->row, field_bar);
  }
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(x)), c->count, sums, total));
  for (int k = 0; k < c->count; k++) theta_bar[k] += total[k];
  return 0;
}

static PetscErrorCode create_plane(HgMesh mesh, const char name[], const char control[], int count,
                                   const char field[], const char unit[], HgOperator *op) {
  static const HgOperatorTable table = {
      .apply = plane_apply, .adjoint = plane_adjoint, .destroy = plane_destroy, .linear = true};
  const HgVariable in = {control, unit, HG_REPLICATED, count}, out = {field, unit, HG_FIELD, 0};
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  Plane *c;
  PetscCall(PetscNew(&c));
  PetscCall(PetscMalloc3(p->nx, &c->x, p->ny, &c->y, p->nx, &c->row));
  c->count = count;
  for (int i = 0; i < p->nx; i++) c->x[i] = s->x0 + (p->i_global + i) * s->dx;
  for (int j = 0; j < p->ny; j++) c->y[j] = s->y0 + (p->j_global + j) * s->dy;
  return HgParametrisationCreate(mesh, name, &in, &out, &table, c, op);
}

PetscErrorCode HgParametrisationUniform(HgMesh mesh, const char control[], const char field[],
                                        const char unit[], HgOperator *op) {
  return create_plane(mesh, "uniform parametrisation", control, 1, field, unit, op);
}

PetscErrorCode HgParametrisationAffine(HgMesh mesh, const char control[], const char field[],
                                       const char unit[], HgOperator *op) {
  return create_plane(mesh, "affine parametrisation", control, 3, field, unit, op);
}
