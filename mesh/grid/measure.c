/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/measure_library.h>
#include <halograd/real_library.h>
#include <halograd/state_library.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL /* the library's copy is built for SSE2 only, half as fast */
#include <xxhash.h>

enum { LANES = HG_VECTOR_BYTES / sizeof(HgReal), AT_ONCE = 8 * LANES };

typedef HgReal Vector __attribute__((vector_size(LANES * sizeof(HgReal))));
typedef HgRealBits Mask __attribute__((vector_size(LANES * sizeof(HgReal))));

/* A number and its place, j * 2^32 + i; places in natural order increase. */
typedef struct {
  double value;
  int64_t at; /* -1: none */
} Extreme;

typedef struct {
  Extreme least, largest, nan; /* nan: the first one */
} Extremes;

/* The first index of `value`, which is one of x_0 .. x_{n-1}. */
static int find_place(int n, const HgReal x[], HgReal value) {
  int i = 0;
  for (; i + AT_ONCE <= n; i += AT_ONCE) {
    Mask hit = {0};
    HgRealBits any = 0;
    for (int l = 0; l < AT_ONCE; l += LANES) {
      Vector u;
      memcpy(&u, x + i + l, sizeof u);
      hit |= u == value;
    }
    for (int l = 0; l < LANES; l++) any |= hit[l];
    if (any) break;
  }
  while (i < n - 1 && !(x[i] == value)) i++;
  return i;
}

/* Ignores NaN. */
static void low_and_high(int n, const HgReal x[], HgReal *low, HgReal *high) {
  Vector lows, highs, u;
  for (int l = 0; l < LANES; l++) lows[l] = INFINITY, highs[l] = -INFINITY;
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    memcpy(&u, x + i, sizeof u);
    const Mask below = u<lows, above = u> highs;
    lows = (Vector)(((Mask)u & below) | ((Mask)lows & ~below));
    highs = (Vector)(((Mask)u & above) | ((Mask)highs & ~above));
  }
  for (; i < n; i++) {
    if (x[i] < lows[0]) lows[0] = x[i];
    if (x[i] > highs[0]) highs[0] = x[i];
  }
  *low = lows[0], *high = highs[0];
  for (int l = 1; l < LANES; l++) {
    if (lows[l] < *low) *low = lows[l];
    if (highs[l] > *high) *high = highs[l];
  }
}

/* Adds n cells, the first at place `at`. Call it for rows in natural order. */
static void add_row(Extremes *e, int n, const HgReal x[], int64_t at) {
  HgReal low, high;
  low_and_high(n, x, &low, &high);
  if (!(low <= high)) return; /* all are NaN */
  if (e->least.at < 0 || low < e->least.value) {
    const int i = find_place(n, x, low);
    e->least = (Extreme){x[i], at + i};
  }
  if (e->largest.at < 0 || high > e->largest.value) {
    const int i = find_place(n, x, high);
    e->largest = (Extreme){x[i], at + i};
  }
}

static void add_number(Extremes *e, double x, int64_t at) {
  if (isnan(x) && e->nan.at < 0) e->nan = (Extreme){x, at};
  if (!isnan(x) && (e->least.at < 0 || x < e->least.value)) e->least = (Extreme){x, at};
  if (!isnan(x) && (e->largest.at < 0 || x > e->largest.value)) e->largest = (Extreme){x, at};
}

/* A variable being measured. */
typedef struct {
  int k, rows, all; /* rows: those of `all` of its patch that have been looked at */
  HgSum squares;
  Extremes extremes;
} Part;

struct HgMeasuring_s {
  HgState state;
  const HgPatch *patch;
  int count, *part_of; /* part_of[variable]: -1: it is not measured */
  Part *part;
  uint64_t *digest; /* of rows, part by part; NULL: not wanted, or rows are shared by patches */
  bool digests;
};

/* The place of row n; rows of all levels are numbered one after another. */
static int64_t place_of(HgState s, int n) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(s));
  const int64_t row =
      (int64_t)(n / p->ny) * HgMeshGetSpec(HgStateMesh(s))->ny + p->j_global + n % p->ny;
  return (row << 32) + p->i_global;
}

/* Adds the next row of a field. */
static void look_at_row(HgMeasuring m, Part *p) {
  const int j = p->rows++, nx = m->patch->nx;
  const HgReal *const u = HgStateRow(m->state, p->k, j);
  HgSumAddProducts(&p->squares, (size_t)nx, u, u); /* fetches ahead */
  add_row(&p->extremes, nx, u, place_of(m->state, j));
  if (m->digest)
    m->digest[(size_t)(p - m->part) * (size_t)m->patch->ny + (size_t)j] =
        XXH3_64bits(u, sizeof *u * (size_t)nx);
}

/* The number of entries of an array that this rank counts. */
static int counted(const HgVariable *v, int rank) {
  return v->kind == HG_LOCAL || !rank ? v->size : 0;
}

/* Adds what remains of a variable; finds the first NaN, if any. */
static void measure_rest(HgMeasuring m, Part *p, int rank) {
  const HgVariable *const v = HgStateVariable(m->state, p->k);
  Extremes *const e = &p->extremes;
  if (HgIsField(v)) {
    while (p->rows < p->all) look_at_row(m, p);
    for (int j = 0; p->squares.not_finite && j < p->all; j++)
      for (int i = 0; i < m->patch->nx; i++)
        add_number(e, HgStateRow(m->state, p->k, j)[i], place_of(m->state, j) + i);
    return;
  }
  const int n = counted(v, rank);
  const double *const x = HgStateArray(m->state, p->k);
  const int64_t at = v->kind == HG_LOCAL ? (int64_t)rank << 32 : 0;
  for (int i = 0; i < n; i++) add_number(e, x[i], at + i);
  HgSumAddProducts(&p->squares, (size_t)n, x, x);
}

static Extreme better(Extreme a, Extreme b, double sign) {
  if (b.at < 0) return a;
  if (a.at < 0 || sign * b.value > sign * a.value) return b;
  return b.value == a.value && b.at < a.at ? b : a;
}

static void merge(Extremes *e, const Extremes *o) {
  e->least = better(e->least, o->least, -1);
  e->largest = better(e->largest, o->largest, 1);
  if (o->nan.at >= 0 && (e->nan.at < 0 || o->nan.at < e->nan.at)) e->nan = o->nan;
}

static void place(int64_t at, int ny, int place[3]) {
  const int row = at < 0 ? 0 : (int)(at >> 32);
  place[0] = at < 0 ? 0 : (int)(at & INT32_MAX), place[1] = row % ny, place[2] = row / ny;
}

static void fill_measure(const Extremes *e, double squares, int ny, HgMeasure *m) {
  const Extreme least = e->least.at < 0 ? e->nan : e->least,
                largest = e->nan.at < 0 ? e->largest : e->nan;
  m->norm = sqrt(squares);
  m->least = least.at < 0 ? NAN : least.value;
  m->largest = largest.at < 0 ? NAN : largest.value;
  place(least.at, ny, m->least_at);
  place(largest.at, ny, m->largest_at);
}

PetscErrorCode HgMeasuringBegin(HgState s, const bool kept[], bool digest, HgMeasuring *measuring) {
  const HgMesh mesh = HgStateMesh(s);
  const int all = HgStateCount(s);
  HgMeasuring m;
  PetscCall(PetscNew(&m));
  m->state = s, m->patch = HgMeshGetPatch(mesh), m->digests = digest;
  PetscCall(PetscMalloc2(all, &m->part_of, all, &m->part));
  for (int k = 0; k < all; k++) {
    m->part_of[k] = kept && !kept[k] ? -1 : m->count;
    if (m->part_of[k] < 0) continue;
    Part *const p = &m->part[m->count++];
    *p = (Part){.k = k, .extremes = {{0, -1}, {0, -1}, {0, -1}}};
    p->all = HgIsField(HgStateVariable(s, k)) ? HgStateRowCount(s, k) : 0;
    HgSumReset(&p->squares);
  }
  if (digest && HgMeshGetSpec(mesh)->px == 1 && !HgMeshGetSpec(mesh)->nz)
    PetscCall(PetscMalloc1((size_t)m->count * (size_t)m->patch->ny, &m->digest));
  *measuring = m;
  return 0;
}

void HgMeasuringRow(HgMeasuring m, int k, int j) {
  Part *const p = m->part_of[k] < 0 ? NULL : &m->part[m->part_of[k]];
  if (p && p->rows == j && j < p->all) look_at_row(m, p);
}

static PetscErrorCode add_digests(HgMeasuring m, HgMeasure measure[]) {
  char(*hex)[17];
  int *which;
  PetscCall(PetscMalloc2(m->count, &hex, m->count, &which));
  for (int k = 0; k < m->count; k++) which[k] = m->part[k].k;
  PetscCall(HgStateDigestEach(m->state, m->count, which, m->digest, hex));
  for (int k = 0; k < m->count; k++) memcpy(measure[which[k]].digest, hex[k], sizeof *hex);
  return PetscFree2(hex, which);
}

/* Combines the results of all ranks. */
static PetscErrorCode join(HgMeasuring m, int ranks, HgMeasure measure[]) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m->state));
  const int bytes = m->count * (int)sizeof(Extremes);
  HgSum *sums;
  double *squares;
  Extremes *own, *all;
  PetscCall(
      PetscMalloc4(m->count, &sums, m->count, &squares, m->count, &own, m->count * ranks, &all));
  for (int k = 0; k < m->count; k++) sums[k] = m->part[k].squares, own[k] = m->part[k].extremes;
  PetscCall(HgSumReduce(comm, m->count, sums, squares));
  PetscCallMPI(MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm));
  for (int k = 0; k < m->count; k++) {
    HgMeasure *const to = &measure[m->part[k].k];
    for (int r = 1; r < ranks; r++) merge(&all[k], &all[r * m->count + k]);
    const bool field = HgIsField(HgStateVariable(m->state, m->part[k].k));
    fill_measure(&all[k], squares[k], field ? HgMeshGetSpec(HgStateMesh(m->state))->ny : INT_MAX,
                 to);
    to->digest[0] = 0;
  }
  return PetscFree4(sums, squares, own, all);
}

PetscErrorCode HgMeasuringDestroy(HgMeasuring *measuring) {
  HgMeasuring m = *measuring;
  *measuring = NULL;
  if (!m) return 0;
  PetscCall(PetscFree(m->digest));
  PetscCall(PetscFree2(m->part_of, m->part));
  return PetscFree(m);
}

PetscErrorCode HgMeasuringEnd(HgMeasuring *measuring, HgMeasure measure[]) {
  HgMeasuring m = *measuring;
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m->state));
  int rank, ranks;
  *measuring = NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  for (int k = 0; k < m->count; k++) measure_rest(m, &m->part[k], rank);
  PetscErrorCode ierr = join(m, ranks, measure);
  if (!ierr && m->digests) ierr = add_digests(m, measure);
  PetscCall(HgMeasuringDestroy(&m));
  return ierr;
}

PetscErrorCode HgStateMeasure(HgState s, const bool kept[], bool digest, HgMeasure measure[]) {
  HgMeasuring m;
  PetscCall(HgMeasuringBegin(s, kept, digest, &m));
  return HgMeasuringEnd(&m, measure);
}

/* Maps doubles to integers in the same order. */
static int64_t ordinal(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

uint64_t HgUlps(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : UINT64_MAX;
  const int64_t x = ordinal(a), y = ordinal(b);
  return x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y;
}

double HgRoundDown(double limit) { return limit * (1 - 5e-6); }

double HgRoundUp(double limit) {
  return limit * (1 + fmax(1e-12, 16 * (HG_REAL_EPSILON - DBL_EPSILON)));
}

PetscErrorCode HgRequireStable(MPI_Comm comm, const char what[], double dt, double largest) {
  HgRequire(comm, dt <= HgRoundUp(largest), HG_ERR_TIME_STEP,
            "%s: %g s is beyond the stability limit, expected at most %.6g s for this grid; take "
            "a smaller one, and more steps",
            what, dt, HgRoundDown(largest));
  return 0;
}
