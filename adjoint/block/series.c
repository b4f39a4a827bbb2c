/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/mesh_library.h>
#include <halograd/series_library.h>
#include <halograd/sum_library.h>
#include <limits.h>
#include <string.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

enum { TOGETHER = 1024 /* numbers, of whole steps, travel at most; or those of one step */ };

/* The fields are uniform, or have one number for each column i or row j. */
struct HgSeries_s {
  HgMesh mesh;
  MPI_Comm line; /* ranks whose patches have the same numbers */
  HgStencil stencil;
  HgRead read[2];
  const char *write[2], *unit;
  long steps;
  int each, index; /* numbers a step; that of a uniform field */
  char along;
  int field, here, begin; /* numbers that the field has, on this rank, the first of these */

  /* what adjoints add to: sum[bar][thread][step][number] */
  long first;
  int block, threads, bars, room_bars;
  HgRowsOut *bar;
  size_t room;
  HgSum *sum, *all;           /* all: of this rank's numbers, as they travel; */
  double *here_total, *total; /* their values, and those of all numbers */
};

int HgSeriesEach(HgMesh mesh, const HgPhysicsSeries *s, char *along) {
  const HgMeshSpec *spec = HgMeshGetSpec(mesh);
  if (along) *along = s->along;
  return s->along == 'i' ? spec->nx : s->along == 'j' ? spec->ny : PetscMax(s->of, 1);
}

/* ---- kernels ---- */

/* The numbers of a step; NULL: none. `row` is an array's. */
static double *of_step(const HgSeries s, HgReal *row, long step) {
  return step >= 0 && step < s->steps ? (double *)(void *)row + step * s->each : NULL;
}

/* Beyond a periodic edge is the other end. */
static int wrapped(int n, int of) { return (n % of + of) % of; }

static void fill(const HgBox *box, const HgSeries s, const HgRows x[], const HgRowsOut y[]) {
  const double *const of = of_step(s, (HgReal *)(uintptr_t)x[0][0], box->step);
  for (int j = box->j0; j < box->j1; j++) {
    HgReal *const row = y[0][j];
    const int global = s->along == 'j' ? wrapped(box->j_global + j, s->each) : s->index;
    const HgReal value = of && s->along != 'i' ? (HgReal)of[global] : 0;
    for (int i = box->i0; i < box->i1; i++) row[i] = value;
    for (int i = box->i0; of && s->along == 'i' && i < box->i1; i++)
      row[i] = (HgReal)of[wrapped(box->i_global + i, s->each)];
  }
}

static void series_apply(const HgBox *box, const void *params, const HgRows x[],
                         const HgRowsOut y[]) {
  fill(box, *(const HgSeries *)params, x, y);
}

static void series_tangent(const HgBox *box, const void *params, const HgRows x[],
                           const HgRows dx[], const HgRowsOut dy[]) {
  (void)x;
  fill(box, *(const HgSeries *)params, dx, dy);
}

static bool zero(const HgReal *row, int n) {
  int found = 0;
  if (row[0] != 0) return false;
  for (int i = 1; i < n; i++) found |= row[i] != 0;
  return !found;
}

/* Skips pieces of zeros: usually a number is used in few cells, such as those at a wall. */
static void add_row(HgSum *sum, const HgReal *row, int n) {
  enum { PIECE = 16 };

  for (int i = 0, end; i < n; i = end) {
    while (i < n && zero(row + i, PetscMin(PIECE, n - i))) i += PIECE;
    for (end = i; end < n && !zero(row + end, PetscMin(PIECE, n - end));) end += PIECE;
    if (i < n) HgSumAdd(sum, (size_t)(PetscMin(end, n) - i), row + i);
  }
}

static HgSum *sums_of(const HgSeries s, int bar, int thread, int step) {
  return s->sum + (((size_t)bar * s->threads + thread) * s->block + step) * s->here;
}

/* Called for each cell of the patch once. */
static void series_adjoint(const HgBox *box, const void *params, const HgRows x[],
                           const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const HgSeries s = *(const HgSeries *)params;
  int bar = 0, thread = 0;
  (void)x;
  if (!x_bar[0] || box->step < 0 || box->step >= s->steps) return;
#if defined(_OPENMP)
  thread = omp_get_thread_num();
#endif
  while (s->bar[bar] != x_bar[0]) bar++;
  HgSum *const sum = sums_of(s, bar, thread, (int)(box->step - s->first));
  for (int j = box->j0; j < box->j1; j++) {
    const HgReal *const row = y_bar[0][j];
    for (int i = box->i0; s->along == 'i' && i < box->i1; i++)
      if (row[i] != 0) HgSumAdd(&sum[i], 1, row + i);
    if (s->along != 'i') add_row(&sum[s->along ? j : 0], row + box->i0, box->i1 - box->i0);
  }
}

/* ---- sums over the domain ---- */
PetscErrorCode HgSeriesBegin(HgSeries s, long first, int steps, int threads, int most) {
  const size_t sums = (size_t)most * threads * steps * s->here;
  s->first = first, s->block = steps, s->threads = threads, s->bars = 0;
  if (most > s->room_bars)
    PetscCall(PetscRealloc(sizeof *s->bar * (size_t)(s->room_bars = most), &s->bar));
  if (sums > s->room) PetscCall(PetscRealloc(sizeof *s->sum * (s->room = sums), &s->sum));
  return 0;
}

void HgSeriesInto(HgSeries s, HgRowsOut bar) {
  HgSum *const sum = sums_of(s, s->bars, 0, 0);
  for (int k = 0; k < s->threads * s->block * s->here; k++) HgSumReset(&sum[k]);
  s->bar[s->bars++] = bar;
}

/* Sums s->total of all numbers of `steps` steps to all ranks; the first rank of a line has the
   line's numbers. */
static PetscErrorCode spread(HgSeries s, int steps) {
  PetscMPIInt in_line;
  if (!s->along) return PetscArraycpy(s->total, s->here_total, steps);
  PetscCallMPI(MPI_Comm_rank(s->line, &in_line));
  PetscCall(PetscArrayzero(s->total, steps * s->field));
  for (int k = 0; !in_line && k < steps * s->here; k++)
    s->total[k / s->here * s->field + s->begin + k % s->here] = s->here_total[k];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, s->total, steps * s->field, MPI_DOUBLE, MPI_SUM,
                             HgMeshComm(s->mesh)));
  return 0;
}

/* Adds the cotangents of steps [from, to) of the block over threads and ranks. */
static PetscErrorCode add_steps(HgSeries s, int bar, int from, int to) {
  const int here = (to - from) * s->here;
  for (int k = 0; k < here; k++) HgSumReset(&s->all[k]);
  for (int step = from; step < to; step++)
    for (int k = 0; k < s->here * s->threads; k++)
      HgSumAddSum(&s->all[(step - from) * s->here + k % s->here],
                  sums_of(s, bar, k / s->here, step) + k % s->here);
  PetscCall(HgSumReduce(s->line, here, s->all, s->here_total));
  PetscCall(spread(s, to - from));
  for (int k = 0; k < (to - from) * s->field; k++) {
    double *const of = of_step(s, s->bar[bar][0], s->first + from + k / s->field);
    if (of) of[s->index + k % s->field] += s->total[k];
  }
  return 0;
}

PetscErrorCode HgSeriesEnd(HgSeries s) {
  const int most = PetscMax(1, TOGETHER / s->field);
  for (int bar = 0; bar < s->bars; bar++)
    for (int step = 0; step < s->block; step += most)
      PetscCall(add_steps(s, bar, step, PetscMin(s->block, step + most)));
  return 0;
}

/* ---- a series ---- */
static PetscErrorCode require_numbers(HgMesh mesh, const HgPhysics *physics,
                                      const HgPhysicsSeries *series, long steps, int each) {
  HgRequire(HgMeshComm(mesh), steps > 0 && steps <= INT_MAX / each, HG_ERR_PHYSICS,
            "physics '%s': '%s' has numbers for %ld steps, %d a step, expected one step or more, "
            "and at most %d numbers",
            physics->name, series->name, steps, each, INT_MAX);
  HgRequire(HgMeshComm(mesh), series->along || (series->index >= 0 && series->index < each),
            HG_ERR_PHYSICS, "physics '%s': '%s' is number %d of '%s', which has %d a step",
            physics->name, series->now, series->index, series->name, each);
  return 0;
}

/* Finds which numbers this rank has, and which ranks share them. */
static PetscErrorCode find_line(HgSeries s) {
  const HgPatch *p = HgMeshGetPatch(s->mesh);
  int line = 0;
  s->field = s->along ? s->each : 1, s->here = 1;
  if (s->along == 'i') line = p->ix, s->here = p->nx, s->begin = p->i_global;
  if (s->along == 'j') line = p->iy, s->here = p->ny, s->begin = p->j_global;
  PetscCallMPI(MPI_Comm_split(HgMeshComm(s->mesh), line, 0, &s->line));
  const int mine = PetscMax(TOGETHER, s->here), every = PetscMax(TOGETHER, s->field);
  return PetscMalloc3(mine, &s->all, mine, &s->here_total, every, &s->total);
}

PetscErrorCode HgSeriesCreate(HgMesh mesh, const HgPhysics *physics, const HgPhysicsSeries *series,
                              const void *params, HgSeries *made) {
  const long steps = *(const long *)(const void *)((const char *)params + series->count);
  const int each = HgSeriesEach(mesh, series, NULL);
  const HgPhysicsVariable *v = physics->variables;
  HgSeries s;
  *made = NULL;
  PetscCall(require_numbers(mesh, physics, series, steps, each));
  while (strcmp(v->name, series->now)) v++;
  PetscCall(PetscNew(&s));
  PetscCall(HgMeshReference(mesh));
  s->mesh = mesh, s->steps = steps, s->each = each, s->along = series->along, s->unit = v->unit;
  s->index = series->along ? 0 : series->index;
  s->read[0] = (HgRead){series->name, 0, HG_ADJOINT_UNUSED};
  s->write[0] = series->now;
  s->stencil = (HgStencil){.name = series->now,
                           .reads = s->read,
                           .writes = s->write,
                           .apply = series_apply,
                           .tangent = series_tangent,
                           .adjoint = series_adjoint,
                           .params_size = sizeof s};
  *made = s;
  return find_line(s);
}

PetscErrorCode HgSeriesDestroy(HgSeries *series) {
  HgSeries s = *series;
  *series = NULL;
  if (!s) return 0;
  PetscCallMPI(MPI_Comm_free(&s->line));
  PetscCall(PetscFree3(s->all, s->here_total, s->total));
  PetscCall(PetscFree(s->sum));
  PetscCall(PetscFree(s->bar));
  PetscCall(HgMeshDestroy(&s->mesh));
  return PetscFree(s);
}

const HgStencil *HgSeriesStencil(HgSeries s) { return &s->stencil; }

HgVariable HgSeriesArray(HgSeries s) {
  return (HgVariable){s->read[0].name, s->unit ? s->unit : "1", HG_REPLICATED,
                      (int)s->steps * s->each, false};
}
