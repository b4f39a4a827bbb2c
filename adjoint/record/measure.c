#include <halograd/measure.h>
#include <math.h>
#include <string.h>

enum { LANES = 8, AT_ONCE = 64 };

typedef double Vector __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t Mask __attribute__((vector_size(LANES * sizeof(int64_t))));

/* A number and its place, j * 2^32 + i: natural order is the order of these. */
typedef struct {
  double value;
  int64_t at; /* -1: none */
} Extreme;

typedef struct {
  Extreme least, largest, nan; /* nan: the first one */
} Extremes;

/* The first place of `value` among x_0 .. x_{n-1}, which is there. */
static int find(int n, const double x[], double value) {
  int i = 0;
  for (; i + AT_ONCE <= n; i += AT_ONCE) {
    Mask hit = {0};
    int64_t any = 0;
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

/* A NaN is neither. */
static void low_and_high(int n, const double x[], double *low, double *high) {
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

/* n numbers, the first at place `at`; rows come in natural order. */
static void add_row(Extremes *e, int n, const double x[], int64_t at) {
  double low, high;
  low_and_high(n, x, &low, &high);
  if (!(low <= high)) return; /* all are NaN */
  if (e->least.at < 0 || low < e->least.value) {
    const int i = find(n, x, low);
    e->least = (Extreme){x[i], at + i};
  }
  if (e->largest.at < 0 || high > e->largest.value) {
    const int i = find(n, x, high);
    e->largest = (Extreme){x[i], at + i};
  }
}

static void add_nan(Extremes *e, int n, const double x[], int64_t at) {
  for (int i = 0; i < n && e->nan.at < 0; i++)
    if (isnan(x[i])) e->nan = (Extreme){x[i], at + i};
}

typedef void RowFn(Extremes *e, int n, const double x[], int64_t at);

/* The calling rank's numbers of variable k, row by row; `sum` of squares too, unless NULL. */
static void by_rows(HgState s, int k, int rank, RowFn *row, Extremes *e, HgSum *sum) {
  const HgVariable *v = HgStateVariable(s, k);
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(s));
  if (v->kind == HG_FIELD || v->kind == HG_GHOSTED) {
    double *const *u = HgStateRows(s, k);
    for (int j = 0; j < p->ny; j++) {
      if (sum) HgSumAddProducts(sum, (size_t)p->nx, u[j], u[j]); /* fetches ahead */
      row(e, p->nx, u[j], ((int64_t)(p->j_global + j) << 32) + p->i_global);
    }
  } else if (v->size && (v->kind == HG_LOCAL || !rank)) {
    const double *x = HgStateArray(s, k);
    row(e, v->size, x, v->kind == HG_LOCAL ? (int64_t)rank << 32 : 0);
    if (sum) HgSumAddProducts(sum, (size_t)v->size, x, x);
  }
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

static void place(int64_t at, int place[2]) {
  place[0] = at < 0 ? 0 : (int)(at & INT32_MAX), place[1] = at < 0 ? 0 : (int)(at >> 32);
}

static void tell(const Extremes *e, double squares, HgMeasure *m) {
  const Extreme least = e->least.at < 0 ? e->nan : e->least,
                largest = e->nan.at < 0 ? e->largest : e->nan;
  m->norm = sqrt(squares);
  m->least = least.at < 0 ? NAN : least.value;
  m->largest = largest.at < 0 ? NAN : largest.value;
  place(least.at, m->least_at);
  place(largest.at, m->largest_at);
}

static void look(HgState s, int k, int rank, Extremes *e, HgSum *sum) {
  *e = (Extremes){{0, -1}, {0, -1}, {0, -1}};
  HgSumReset(sum);
  by_rows(s, k, rank, add_row, e, sum);
  if (sum->not_finite) by_rows(s, k, rank, add_nan, e, NULL);
}

PetscErrorCode HgStateMeasure(HgState s, const bool kept[], bool digest, HgMeasure measure[]) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(s));
  const int most = HgStateCount(s);
  int rank, ranks, count = 0, *which;
  HgSum *sums;
  double *squares;
  Extremes *own, *all;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(
      PetscMalloc5(most, &which, most, &sums, most, &squares, most, &own, most * ranks, &all));
  for (int k = 0; k < most; k++)
    if (!kept || kept[k]) {
      which[count] = k;
      look(s, k, rank, &own[count], &sums[count]);
      count++;
    }
  const int bytes = count * (int)sizeof *own;
  PetscCall(HgSumReduce(comm, count, sums, squares));
  PetscCallMPI(MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm));
  for (int k = 0; k < count; k++) {
    HgMeasure *const m = &measure[which[k]];
    for (int r = 1; r < ranks; r++) merge(&all[k], &all[r * count + k]);
    tell(&all[k], squares[k], m);
    m->digest[0] = 0;
    if (digest) PetscCall(HgStateDigest(s, HgStateVariable(s, which[k])->name, m->digest));
  }
  return PetscFree5(which, sums, squares, own, all);
}

/* Doubles in their order as whole numbers. */
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
