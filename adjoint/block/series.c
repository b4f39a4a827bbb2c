/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/operator_library.h>
#include <halograd/series_library.h>
#include <halograd/state_library.h>
#include <halograd/sum.h>
#include <limits.h>
#include <string.h>

typedef struct {
  int count;
  long step;
} Series;

static void series_at(void *self, long step) { ((Series *)self)->step = step; }

static PetscErrorCode series_destroy(void *self) { return PetscFree(self); }

static bool within(const Series *s) { return s->step >= 0 && s->step < s->count; }

static PetscErrorCode series_apply(void *self, HgState x, HgState y) {
  const Series *s = self;
  return HgStateSetConstant(y, HgStateVariable(y, 0)->name,
                            within(s) ? HgStateArray(x, 0)[s->step] : 0);
}

static PetscErrorCode series_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  return series_apply(self, dx, dy);
}

static PetscErrorCode series_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Series *s = self;
  const HgMesh mesh = HgStateMesh(y_bar);
  HgSum sum;
  double value;
  (void)x;
  if (!within(s)) return 0;
  HgSumReset(&sum);
  for (int n = 0; n < HgStateRowCount(y_bar, 0); n++)
    HgSumAdd(&sum, (size_t)HgMeshGetPatch(mesh)->nx, HgStateRow(y_bar, 0, n));
  PetscCall(HgSumReduce(HgMeshComm(mesh), 1, &sum, &value));
  HgStateArray(x_bar, 0)[s->step] += value;
  return 0;
}

PetscErrorCode HgSeriesCreate(HgMesh mesh, const HgPhysics *physics, const HgPhysicsSeries *series,
                              const void *params, HgOperator *op) {
  static const HgOperatorTable table = {series_apply, series_tangent, series_adjoint, NULL,
                                        series_destroy};
  const long count = *(const long *)(const void *)((const char *)params + series->count);
  const HgPhysicsVariable *v = physics->variables;
  Series *s;
  HgState x, y;
  HgRequire(HgMeshComm(mesh), count > 0 && count <= INT_MAX, HG_ERR_PHYSICS,
            "physics '%s': '%s' has %ld numbers, expected one for each step", physics->name,
            series->name, count);
  while (strcmp(v->name, series->now)) v++;
  const char *const unit = v->unit ? v->unit : "1";
  const HgVariable in = {series->name, unit, HG_REPLICATED, (int)count, false};
  const HgVariable out = {series->now, unit, HG_FIELD, 0, HgMeshGetSpec(mesh)->nz > 0};
  PetscCall(PetscNew(&s));
  s->count = (int)count;
  PetscCall(HgStateCreate(mesh, 1, &in, &x));
  PetscCall(HgStateCreate(mesh, 1, &out, &y));
  PetscCall(HgOperatorCreate(series->now, x, y, &table, s, op));
  HgOperatorSetLinear(*op);
  HgOperatorSetAt(*op, series_at);
  PetscCall(HgStateDestroy(&x));
  return HgStateDestroy(&y);
}
