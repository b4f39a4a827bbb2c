/* SPDX-License-Identifier: BSD-2-Clause */
/* Linear algebra on states: every operation is one multiplication and one addition per number,
   every sum is exact. */
#include "state_private.h"
#include <halograd/real_library.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define HgRequireSame(x, y)                                                                        \
  HgRequire(HgMeshComm((x)->mesh), HgStateSame(x, y), HG_ERR_VARIABLE,                             \
            "%s: the two states differ in mesh or variables", __func__)

/* The part of variable k that is used. An array: `n` numbers. A field: `rows` rows of `n` cells;
   each slab has `levels` of them, `pitch` apart; the first is at *values. */
typedef struct {
  double *numbers;
  HgReal *values;
  size_t n, rows, levels, pitch, slab;
} Part;

static Part with_ghosts(HgState x, int k, int g) {
  const HgStored *var = &x->variables[k];
  const HgPatch *p = HgMeshGetPatch(x->mesh);
  const size_t levels = (size_t)var->levels;
  return (Part){.values = var->rows[-g] - g,
                .n = (size_t)(p->nx + 2 * g),
                .rows = (size_t)(p->ny + 2 * g) * levels,
                .levels = levels,
                .pitch = x->pitch,
                .slab = var->slab};
}

static Part owned_cells(HgState x, int k) { return with_ghosts(x, k, 0); }

static Part owned(HgState x, int k) {
  const HgStored *var = &x->variables[k];
  if (HgIsField(&var->variable))
    return with_ghosts(x, k, var->variable.kind == HG_GHOSTED ? x->ghost : 0);
  return (Part){
      .numbers = HgStateArray(x, k), .n = (size_t)var->variable.size, .rows = 1, .levels = 1};
}

static inline HgRow row_of(const Part *a, size_t row) {
  if (a->numbers) return (HgRow){.numbers = a->numbers};
  return (HgRow){.cells = a->values + row / a->levels * a->slab + row % a->levels * a->pitch};
}

/* The global number of the first cell of a row, in natural order: level, row, column. */
static uint64_t first_cell(HgState x, const Part *a, size_t row) {
  const HgMeshSpec *s = HgMeshGetSpec(x->mesh);
  const HgPatch *p = HgMeshGetPatch(x->mesh);
  const uint64_t j = (uint64_t)p->j_global + row / a->levels, level = row % a->levels;
  return (level * (uint64_t)s->ny + j) * (uint64_t)s->nx + (uint64_t)p->i_global;
}

PetscErrorCode HgStateZero(HgState x) {
  memset(x->data, 0, HgStateBytes(x));
  x->clock = (HgStateClock){.dt = 0};
  for (int k = 0; k < x->count; k++) x->variables[k].ghost_depth = 0;
  return 0;
}

PetscErrorCode HgStateZeroVariable(HgState x, int k) {
  memset(x->variables[k].values, 0, x->variables[k].length * sizeof(HgReal));
  x->variables[k].ghost_depth = 0;
  return 0;
}

/* Copying all memory copies ghosts too, except those of shared rows, which are beside the first
   one. */
static void keep_ghosts(const HgStored *from, HgStored *to) {
  to->ghost_depth = from->shares ? 0 : from->ghost_depth;
  to->walls = from->walls;
}

PetscErrorCode HgStateCopy(HgState x, HgState y) {
  HgRequireSame(x, y);
  y->clock = x->clock;
  if (x->ghost != y->ghost) {
    for (int k = 0; k < x->count; k++) PetscCall(HgStateCopyVariable(x, k, y, k));
    return 0;
  }
  memcpy(y->data, x->data, HgStateBytes(x));
  for (int k = 0; k < x->count; k++) keep_ghosts(&x->variables[k], &y->variables[k]);
  return 0;
}

void HgStateRound(HgState x, float to[]) {
  const size_t n = HgStateNumbers(x);
  for (size_t k = 0; k < n; k++) to[k] = (float)x->data[k];
}

void HgStateUnround(const float from[], HgState x) {
  const size_t n = HgStateNumbers(x);
  for (size_t k = 0; k < n; k++) x->data[k] = from[k];
  x->clock = (HgStateClock){.dt = 0};
  for (int k = 0; k < x->count; k++) x->variables[k].ghost_depth = 0;
}

/* Copies fields between states of different ghost widths. */
static void copy_rows(HgState x, const HgStored *from, HgState y, HgStored *to) {
  const HgPatch *p = HgMeshGetPatch(x->mesh);
  const int g = PetscMin(x->ghost, y->ghost);
  const int below = PetscMin(from->beside, to->beside);
  for (int j = -g; j < p->ny + g; j++)
    for (ptrdiff_t k = -below; k < from->levels + below; k++)
      memcpy(to->rows[j] - g + k * (ptrdiff_t)y->pitch, from->rows[j] - g + k * (ptrdiff_t)x->pitch,
             (size_t)(p->nx + 2 * g) * sizeof(HgReal));
  to->ghost_depth = PetscMin(from->ghost_depth, g), to->walls = from->walls;
}

PetscErrorCode HgStateCopyVariable(HgState x, int k, HgState y, int l) {
  const HgStored *from = &x->variables[k];
  HgStored *to = &y->variables[l];
  const bool alike = x->ghost == y->ghost;
  const HgKind kind = to->variable.kind;
  const bool fits =
      HgIsField(&from->variable) ? alike || kind == HG_FIELD : from->length == to->length;
  HgRequire(
      HgMeshComm(x->mesh), x->mesh == y->mesh && from->variable.kind == kind && fits,
      HG_ERR_VARIABLE,
      "state: variable '%s' cannot be copied to '%s': another mesh, kind, size or width of ghosts "
      "that are part of the value",
      from->name, to->name);
  if (HgIsField(&from->variable) && !alike) {
    copy_rows(x, from, y, to);
    return 0;
  }
  memcpy(to->values, from->values, from->length * sizeof(HgReal));
  keep_ghosts(from, to);
  return 0;
}

PetscErrorCode HgStateCopyShared(HgState x, HgState y) {
  for (int l = 0; l < y->count; l++) {
    const int k = HgStateFind(x, y->variables[l].name);
    if (k >= 0) PetscCall(HgStateCopyVariable(x, k, y, l));
  }
  return 0;
}

PetscErrorCode HgStateAXPYVariable(HgState y, int k, double alpha, HgState x, int l) {
  const Part a = owned(x, l), b = owned(y, k);
  const bool kind = x->variables[l].variable.kind == y->variables[k].variable.kind;
  HgRequire(HgMeshComm(x->mesh), x->mesh == y->mesh && kind && a.n == b.n && a.rows == b.rows,
            HG_ERR_VARIABLE,
            "state: variable '%s' cannot be added to '%s': another mesh, kind or size",
            x->variables[l].name, y->variables[k].name);
  for (size_t j = 0; j < a.rows; j++) {
    const HgRow u = row_of(&a, j), v = row_of(&b, j);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)a.n; i++)
      HgRowSet(v, i, HgRowGet(v, i) + alpha * HgRowGet(u, i));
  }
  y->variables[k].ghost_depth = 0;
  return 0;
}

PetscErrorCode HgStateAXPY(HgState y, double alpha, HgState x) {
  HgRequireSame(x, y);
  for (int k = 0; k < x->count; k++) PetscCall(HgStateAXPYVariable(y, k, alpha, x, k));
  return 0;
}

PetscErrorCode HgStateScale(HgState x, double alpha) {
  for (int k = 0; k < x->count; k++) {
    const Part a = owned(x, k);
    for (size_t j = 0; j < a.rows; j++) {
      const HgRow u = row_of(&a, j);
      for (ptrdiff_t i = 0; i < (ptrdiff_t)a.n; i++) HgRowSet(u, i, alpha * HgRowGet(u, i));
    }
    x->variables[k].ghost_depth = 0;
  }
  return 0;
}

size_t HgStateLength(HgState x) {
  size_t length = 0;
  for (int k = 0; k < x->count; k++) length += owned(x, k).n * owned(x, k).rows;
  return length;
}

void HgStatePack(HgState x, double packed[]) {
  for (int k = 0; k < x->count; k++) {
    const Part a = owned(x, k);
    for (size_t j = 0; j < a.rows; j++) {
      const HgRow u = row_of(&a, j);
      for (ptrdiff_t i = 0; i < (ptrdiff_t)a.n; i++) *packed++ = HgRowGet(u, i);
    }
  }
}

void HgStateUnpack(const double packed[], HgState x) {
  for (int k = 0; k < x->count; k++) {
    const Part a = owned(x, k);
    for (size_t j = 0; j < a.rows; j++) {
      const HgRow u = row_of(&a, j);
      for (ptrdiff_t i = 0; i < (ptrdiff_t)a.n; i++) HgRowSet(u, i, *packed++);
    }
    x->variables[k].ghost_depth = 0;
  }
}

void HgRowAddProducts(HgSum *sum, size_t n, HgRow u, HgRow v) {
  if (u.numbers) HgSumAddProducts(sum, n, u.numbers, v.numbers);
  else HgSumAddProducts(sum, n, u.cells, v.cells);
}

void HgStateAddProducts(HgState x, HgState y, HgSum *sum) {
  int rank;
  MPI_Comm_rank(HgMeshComm(x->mesh), &rank);
  for (int k = 0; k < x->count; k++) {
    if (x->variables[k].variable.kind == HG_REPLICATED && rank) continue;
    const Part a = owned(x, k), b = owned(y, k);
    for (size_t j = 0; j < a.rows; j++) HgRowAddProducts(sum, a.n, row_of(&a, j), row_of(&b, j));
  }
}

PetscErrorCode HgStateRelativeError(HgState x, HgState truth, const char name[], double *error) {
  int k, l, rank;
  PetscCall(HgStateIndex(x, name, &k));
  PetscCall(HgStateIndex(truth, name, &l));
  const Part a = owned(x, k), b = owned(truth, l);
  HgRequire(HgMeshComm(x->mesh), x->mesh == truth->mesh && a.n == b.n && a.rows == b.rows,
            HG_ERR_VARIABLE, "state: '%s' cannot be compared: another mesh, kind or size", name);
  double *difference, *value, values[2];
  HgSum sums[2];
  HgSumReset(&sums[0]);
  HgSumReset(&sums[1]);
  PetscCall(PetscMalloc2(a.n, &difference, a.n, &value));
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(x->mesh), &rank));
  const bool counted = x->variables[k].variable.kind != HG_REPLICATED || !rank;
  for (size_t j = 0; counted && j < a.rows; j++) {
    const HgRow u = row_of(&a, j), v = row_of(&b, j);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)a.n; i++)
      value[i] = HgRowGet(v, i), difference[i] = HgRowGet(u, i) - value[i];
    HgSumAddProducts(&sums[0], a.n, difference, difference);
    HgSumAddProducts(&sums[1], a.n, value, value);
  }
  PetscCall(PetscFree2(difference, value));
  PetscCall(HgSumReduce(HgMeshComm(x->mesh), 2, sums, values));
  *error = sqrt(values[0] / values[1]);
  return 0;
}

PetscErrorCode HgStateDot(HgState x, HgState y, double *dot) {
  HgRequireSame(x, y);
  HgSum sum;
  HgSumReset(&sum);
  HgStateAddProducts(x, y, &sum);
  return HgSumReduce(HgMeshComm(x->mesh), 1, &sum, dot);
}

double HgRandom(uint64_t seed, uint64_t counter) {
  uint64_t z = seed * 0xD1342543DE82EF95u + (counter + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1.0;
}

double HgGaussian(double sigma, uint64_t seed, uint64_t counter) {
  const double u = 0.5 - 0.5 * HgRandom(seed, 2 * counter); /* in (0, 1] */
  const double v = HgRandom(seed, 2 * counter + 1);
  return sigma * sqrt(-2 * log(u)) * cos(PETSC_PI * v);
}

PetscErrorCode HgStateAddNoise(HgState x, const char name[], double sigma, uint64_t seed) {
  const MPI_Comm comm = HgMeshComm(x->mesh);
  int k;
  PetscCall(HgStateIndex(x, name, &k));
  const HgKind kind = x->variables[k].variable.kind;
  HgRequire(comm, kind == HG_FIELD || kind == HG_REPLICATED, HG_ERR_VARIABLE,
            "state: noise for '%s', which is neither a field nor a replicated array", name);
  HgRequire(comm, sigma >= 0 && isfinite(sigma), HG_ERR_ARGUMENT,
            "state: noise of standard deviation %g for '%s', expected a finite number, 0 or more",
            sigma, name);
  const Part a = owned(x, k);
  const uint64_t stream = ~(seed * 64 + (uint64_t)k); /* apart from those of HgStateRandom() */
  for (size_t j = 0; j < a.rows; j++) {
    const uint64_t first = kind == HG_FIELD ? first_cell(x, &a, j) : 0;
    const HgRow u = row_of(&a, j);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)a.n; i++)
      HgRowSet(u, i, HgRowGet(u, i) + HgGaussian(sigma, stream, first + i));
  }
  x->variables[k].ghost_depth = 0;
  return 0;
}

PetscErrorCode HgStateRandom(HgState x, uint64_t seed) {
  int rank;
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(x->mesh), &rank));
  for (int k = 0; k < x->count; k++) {
    HgStored *var = &x->variables[k];
    const HgKind kind = var->variable.kind;
    const uint64_t stream = seed * 64 + (uint64_t)k, own = stream + ((uint64_t)(rank + 1) << 40);
    const Part all = owned(x, k);
    var->ghost_depth = 0;
    for (size_t j = 0; kind != HG_FIELD && j < all.rows; j++)
      for (size_t i = 0; i < all.n; i++)
        HgRowSet(row_of(&all, j), i, HgRandom(kind == HG_REPLICATED ? stream : own, j * all.n + i));
    if (!HgIsField(&var->variable)) continue;
    const Part cells = owned_cells(x, k);
    for (size_t j = 0; j < cells.rows; j++)
      for (size_t i = 0; i < cells.n; i++)
        HgRowSet(row_of(&cells, j), i, HgRandom(stream, first_cell(x, &cells, j) + i));
  }
  return 0;
}

PetscErrorCode HgStateSetField(HgState x, const char name[],
                               double (*f)(double x, double y, void *context), void *context) {
  int k;
  PetscCall(HgStateIndex(x, name, &k));
  const HgPatch *p = HgMeshGetPatch(x->mesh);
  const HgMeshSpec *s = HgMeshGetSpec(x->mesh);
  HgRequire(HgMeshComm(x->mesh), HgIsField(HgStateVariable(x, k)), HG_ERR_VARIABLE,
            "state: '%s' is an array, expected a field", name);
  const Part a = owned_cells(x, k);
  for (size_t j = 0; j < a.rows; j++)
    for (int i = 0; i < p->nx; i++)
      row_of(&a, j).cells[i] =
          (HgReal)f(s->x0 + (p->i_global + i) * s->dx,
                    s->y0 + (p->j_global + (int)(j / a.levels)) * s->dy, context);
  x->variables[k].ghost_depth = 0;
  return 0;
}

PetscErrorCode HgStateSetVolume(HgState x, const char name[],
                                double (*f)(double x, double y, double z, void *context),
                                void *context) {
  int k;
  PetscCall(HgStateIndex(x, name, &k));
  const HgPatch *p = HgMeshGetPatch(x->mesh);
  const HgMeshSpec *s = HgMeshGetSpec(x->mesh);
  const HgVariable *v = HgStateVariable(x, k);
  HgRequire(HgMeshComm(x->mesh), HgIsField(v) && !v->surface && s->nz, HG_ERR_VARIABLE,
            "state: '%s' has no levels, expected a field that has", name);
  const Part a = owned_cells(x, k);
  for (size_t j = 0; j < a.rows; j++) {
    const double y = s->y0 + (p->j_global + (int)(j / a.levels)) * s->dy,
                 z = s->z0 + (int)(j % a.levels) * s->dz;
    for (int i = 0; i < p->nx; i++)
      row_of(&a, j).cells[i] = (HgReal)f(s->x0 + (p->i_global + i) * s->dx, y, z, context);
  }
  x->variables[k].ghost_depth = 0;
  return 0;
}

/* Ignores NaN. fmax() would be a call. */
static inline void widen(double ends[2], double value) {
  if (-value > ends[0]) ends[0] = -value;
  if (value > ends[1]) ends[1] = value;
}

PetscErrorCode HgStateRange(HgState x, const char name[], double *least, double *largest) {
  double ends[2] = {-INFINITY, -INFINITY}; /* of -x and x */
  int k;
  PetscCall(HgStateIndex(x, name, &k));
  const Part a = owned(x, k);
  for (size_t j = 0; j < a.rows; j++) {
    const HgRow row = row_of(&a, j);
    const ptrdiff_t n = (ptrdiff_t)a.n;
    if (row.numbers)
      for (ptrdiff_t i = 0; i < n; i++) widen(ends, row.numbers[i]);
    else
      for (ptrdiff_t i = 0; i < n; i++) widen(ends, row.cells[i]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, HgMeshComm(x->mesh)));
  *least = -ends[0], *largest = ends[1];
  return 0;
}

PetscErrorCode HgStateSetConstant(HgState x, const char name[], double value) {
  int k;
  PetscCall(HgStateIndex(x, name, &k));
  const Part a = owned(x, k);
  for (size_t j = 0; j < a.rows; j++)
    for (ptrdiff_t i = 0; i < (ptrdiff_t)a.n; i++) HgRowSet(row_of(&a, j), i, value);
  x->variables[k].ghost_depth = 0;
  return 0;
}

/* Has no branch per number, so the compiler can vectorise it. */
static bool all_finite(const HgReal v[], size_t n) {
  const HgReal infinity = INFINITY;
  HgRealBits exponent, found = 0, bits; /* all ones: infinite, or no number */
  memcpy(&exponent, &infinity, sizeof exponent);
  for (size_t i = 0; i < n; i++) {
    memcpy(&bits, &v[i], sizeof bits);
    found |= (bits & exponent) == exponent;
  }
  return !found;
}

/* The global index of the first number of variable k on this rank that is not finite, the same on
   any decomposition: by cell in natural order, by entry, by rank and entry. INT64_MAX: all are
   finite. */
static int64_t not_finite(HgState x, int k, double *value) {
  const HgKind kind = x->variables[k].variable.kind;
  const Part a = owned(x, k);
  int rank;
  MPI_Comm_rank(HgMeshComm(x->mesh), &rank);
  int64_t first = INT64_MAX;
  for (size_t j = 0; j < a.rows; j++) {
    const HgRow row = row_of(&a, j);
    size_t i = 0;
    if (row.cells && all_finite(row.cells, a.n)) continue;
    while (i < a.n && isfinite(HgRowGet(row, i))) i++;
    if (i == a.n) continue;
    const int64_t at = kind == HG_FIELD ? (int64_t)(first_cell(x, &a, j) + i)
                                        : (kind == HG_REPLICATED ? 0 : (int64_t)rank << 32) +
                                              (int64_t)(j * a.n + i);
    if (at < first) first = at, *value = HgRowGet(row, i);
  }
  return first;
}

PetscErrorCode HgStateFinite(HgState x, bool *ok, char where[], size_t size) {
  const MPI_Comm comm = HgMeshComm(x->mesh);
  const HgMeshSpec *s = HgMeshGetSpec(x->mesh);
  double value = 0;
  int64_t mine = INT64_MAX, first[2] = {x->count, INT64_MAX}; /* variable, place in it */
  int k = 0, rank, culprit;
  for (; k < x->count; k++)
    if ((mine = not_finite(x, k, &value)) != INT64_MAX) break;
  first[0] = k;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, first, 1, MPI_INT64_T, MPI_MIN, comm));
  *ok = first[0] == x->count;
  if (*ok) return 0;
  if (k != first[0]) mine = INT64_MAX;
  PetscCallMPI(MPI_Allreduce(&mine, &first[1], 1, MPI_INT64_T, MPI_MIN, comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  const int claimed = mine == first[1] ? rank : INT_MAX;
  PetscCallMPI(MPI_Allreduce(&claimed, &culprit, 1, MPI_INT, MPI_MIN, comm));
  PetscCallMPI(MPI_Bcast(&value, 1, MPI_DOUBLE, culprit, comm));
  const HgStored *var = &x->variables[first[0]];
  const int i = (int)(first[1] % s->nx), j = (int)(first[1] / s->nx % s->ny),
            level = (int)(first[1] / s->nx / s->ny);
  if (var->variable.kind == HG_FIELD && s->nz)
    snprintf(where, size, "'%s' is %g in cell (%d, %d, %d) at (%g, %g) %s, %g m", var->name, value,
             i, j, level, s->x0 + i * s->dx, s->y0 + j * s->dy, HgMeshGetMetric(x->mesh)->unit,
             s->z0 + level * s->dz);
  else if (var->variable.kind == HG_FIELD)
    snprintf(where, size, "'%s' is %g in cell (%d, %d) at (%g, %g) %s", var->name, value, i, j,
             s->x0 + i * s->dx, s->y0 + j * s->dy, HgMeshGetMetric(x->mesh)->unit);
  else
    snprintf(where, size, "'%s' is %g at entry %lld", var->name, value,
             (long long)(first[1] & 0xFFFFFFFF));
  return 0;
}
