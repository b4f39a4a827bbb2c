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
  HgSum *sum;             /* of each number that the field has; */
  double *total, *column; /* their values; a column of the patch */
} Series;

int HgSeriesEach(HgMesh mesh, const HgPhysicsSeries *s, char *along) {
  const HgMeshSpec *spec = HgMeshGetSpec(mesh);
  if (along) *along = s->along;
  return s->along == 'i' ? spec->nx : s->along == 'j' ? spec->ny : PetscMax(s->of, 1);
}

static void series_at(void *self, long step) { ((Series *)self)->step = step; }

static PetscErrorCode series_destroy(void *self) {
  Series *s = self;
  PetscCall(PetscFree3(s->sum, s->total, s->column));
  return PetscFree(s);
}

/* How many numbers the field has. */
static int numbers_of(const Series *s) { return s->along ? s->each : 1; }

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

/* s->sum, of all cells or of each row or column of the domain, += the cells of the patch. */
static void add_cells(const Series *s, HgState y_bar) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(y_bar));
  for (int i = 0; i < p->nx && s->along == 'i'; i++) {
    for (int j = 0; j < p->ny; j++) s->column[j] = HgStateRow(y_bar, 0, j)[i];
    HgSumAdd(&s->sum[p->i_global + i], (size_t)p->ny, s->column);
  }
  for (int j = 0; j < p->ny && s->along != 'i'; j++)
    HgSumAdd(&s->sum[s->along ? p->j_global + j : 0], (size_t)p->nx, HgStateRow(y_bar, 0, j));
}

static PetscErrorCode series_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Series *s = self;
  const int count = numbers_of(s);
  double *const of = of_step(s, x_bar);
  (void)x;
  if (!of) return 0;
  for (int k = 0; k < count; k++) HgSumReset(&s->sum[k]);
  add_cells(s, y_bar);
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(y_bar)), count, s->sum, s->total));
  for (int k = 0; k < count; k++) of[s->index + k] += s->total[k];
  return 0;
}

PetscErrorCode HgSeriesCreate(HgMesh mesh, const HgPhysics *physics, const HgPhysicsSeries *series,
                              const void *params, HgOperator *op) {
  static const HgOperatorTable table = {
      .apply = series_apply, .adjoint = series_adjoint, .destroy = series_destroy, .linear = true};
  const long steps = *(const long *)(const void *)((const char *)params + series->count);
  const int each = HgSeriesEach(mesh, series, NULL);
  const HgPhysicsVariable *v = physics->variables;
  Series *s;
  HgState x, y;
  HgRequire(HgMeshComm(mesh), steps > 0 && steps <= INT_MAX / each, HG_ERR_PHYSICS,
            "physics '%s': '%s' has numbers for %ld steps, %d a step, expected one step or more, "
            "and at most %d numbers",
            physics->name, series->name, steps, each, INT_MAX);
  HgRequire(HgMeshComm(mesh), series->along || (series->index >= 0 && series->index < each),
            HG_ERR_PHYSICS, "physics '%s': '%s' is number %d of '%s', which has %d a step",
            physics->name, series->now, series->index, series->name, each);
  while (strcmp(v->name, series->now)) v++;
  const char *const unit = v->unit ? v->unit : "1";
  const HgVariable in = {series->name, unit, HG_REPLICATED, (int)steps * each, false};
  const HgVariable out = {series->now, unit, HG_FIELD, 0, HgMeshGetSpec(mesh)->nz > 0};
  PetscCall(PetscNew(&s));
  s->steps = steps, s->each = each, s->along = series->along;
  s->index = series->along ? 0 : series->index;
  PetscCall(PetscMalloc3(numbers_of(s), &s->sum, numbers_of(s), &s->total, HgMeshGetPatch(mesh)->ny,
                         &s->column));
  PetscCall(HgStateCreate(mesh, 1, &in, &x));
  PetscCall(HgStateCreate(mesh, 1, &out, &y));
  PetscCall(HgOperatorCreate(series->now, x, y, &table, s, op));
  HgOperatorSetAt(*op, series_at);
  PetscCall(HgStateDestroy(&x));
  return HgStateDestroy(&y);
}
