/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/operator_library.h>
#include <halograd/series_library.h>
#include <halograd/state_library.h>
#include <halograd/sum.h>
#include <limits.h>
#include <string.h>

/* The fields are uniform, or have a number for each column i or row j. */
typedef struct {
  long steps, step;
  int each, index; /* numbers a step; that of a uniform field */
  char along;
} Series;

int HgSeriesEach(HgMesh mesh, const HgPhysicsSeries *s, char *along) {
  const HgMeshSpec *spec = HgMeshGetSpec(mesh);
  if (along) *along = s->along;
  return s->along == 'i' ? spec->nx : s->along == 'j' ? spec->ny : s->of;
}

static void series_at(void *self, long step) { ((Series *)self)->step = step; }

static PetscErrorCode series_destroy(void *self) { return PetscFree(self); }

/* The numbers of the step; NULL: there are none. */
static double *of_step(const Series *s, HgState x) {
  return s->step >= 0 && s->step < s->steps ? HgStateArray(x, 0) + s->step * s->each : NULL;
}

static PetscErrorCode series_apply(void *self, HgState x, HgState y) {
  const Series *s = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(y));
  const double *const of = of_step(s, x);
  if (!s->along || !of)
    return HgStateSetConstant(y, HgStateVariable(y, 0)->name, of ? of[s->index] : 0);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRow(y, 0, j)[i] = (HgReal)of[s->along == 'i' ? p->i_global + i : p->j_global + j];
  HgStateSetGhostDepth(y, 0, 0);
  return 0;
}

static PetscErrorCode series_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  return series_apply(self, dx, dy);
}

/* sum[0], or sum[k] for row or column k of the domain, += the cells of the patch. */
static PetscErrorCode add_cells(const Series *s, HgState y_bar, HgSum sum[]) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(y_bar));
  double *column;
  PetscCall(PetscMalloc1(p->ny, &column));
  for (int i = 0; i < p->nx && s->along == 'i'; i++) {
    for (int j = 0; j < p->ny; j++) column[j] = HgStateRow(y_bar, 0, j)[i];
    HgSumAdd(&sum[p->i_global + i], (size_t)p->ny, column);
  }
  for (int j = 0; j < p->ny && s->along != 'i'; j++)
    HgSumAdd(&sum[s->along ? p->j_global + j : 0], (size_t)p->nx, HgStateRow(y_bar, 0, j));
  return PetscFree(column);
}

static PetscErrorCode series_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Series *s = self;
  const int count = s->along ? s->each : 1;
  double *const of = of_step(s, x_bar), *value;
  HgSum *sum;
  (void)x;
  if (!of) return 0;
  PetscCall(PetscMalloc2(count, &sum, count, &value));
  for (int k = 0; k < count; k++) HgSumReset(&sum[k]);
  PetscCall(add_cells(s, y_bar, sum));
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(y_bar)), count, sum, value));
  for (int k = 0; k < count; k++) of[s->index + k] += value[k];
  return PetscFree2(sum, value);
}

PetscErrorCode HgSeriesCreate(HgMesh mesh, const HgPhysics *physics, const HgPhysicsSeries *series,
                              const void *params, HgOperator *op) {
  static const HgOperatorTable table = {series_apply, series_tangent, series_adjoint, NULL,
                                        series_destroy};
  const long steps = *(const long *)(const void *)((const char *)params + series->count);
  const int each = HgSeriesEach(mesh, series, NULL);
  const HgPhysicsVariable *v = physics->variables;
  Series *s;
  HgState x, y;
  HgRequire(HgMeshComm(mesh), steps > 0 && steps <= INT_MAX / each, HG_ERR_PHYSICS,
            "physics '%s': '%s' has numbers for %ld steps, %d a step, expected one step or more, "
            "and at most %d numbers",
            physics->name, series->name, steps, each, INT_MAX);
  while (strcmp(v->name, series->now)) v++;
  const char *const unit = v->unit ? v->unit : "1";
  const HgVariable in = {series->name, unit, HG_REPLICATED, (int)steps * each, false};
  const HgVariable out = {series->now, unit, HG_FIELD, 0, HgMeshGetSpec(mesh)->nz > 0};
  PetscCall(PetscNew(&s));
  s->steps = steps, s->each = each, s->along = series->along;
  s->index = series->along ? 0 : series->index;
  PetscCall(HgStateCreate(mesh, 1, &in, &x));
  PetscCall(HgStateCreate(mesh, 1, &out, &y));
  PetscCall(HgOperatorCreate(series->now, x, y, &table, s, op));
  HgOperatorSetLinear(*op);
  HgOperatorSetAt(*op, series_at);
  PetscCall(HgStateDestroy(&x));
  return HgStateDestroy(&y);
}
