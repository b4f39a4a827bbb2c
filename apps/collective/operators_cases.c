/* SPDX-License-Identifier: BSD-2-Clause */
#include "operators_cases.h"
#include <stdio.h>
#include <string.h>

enum { TEN = 10 };

typedef enum { HALF_SQUARES, SQUARES, PLAIN_SUM } Loss;

typedef struct {
  const char *name, *text;
  HgCollectiveSpec spec;        /* of alltoall and sendrecv not to whom */
  double (*x)(int rank, int i); /* number i of rank's x */
  Loss loss;                    /* of all y, every copy counted */
} Demo;

/* ---- numbers ---- */
static double rank_plus_1(int rank, int i) { return rank + 1 + 0 * i; }

static double index_plus_1(int rank, int i) { return i + 1 + 0 * rank; }

static double table(int rank, int i) { return (rank + 1) * (i + 1); }

static double rank_itself(int rank, int i) { return rank + 0 * i; }

static double ten_by_rank(int rank, int i) { return (i + 1) * rank; }

static double three(int rank, int i) { return 3 + 0 * (rank + i); }

/* ---- operators ---- */
static const Demo demos[] = {
    {"sum",
     "a = (1..10) r, b = their sum on rank 0, L = sum b",
     {HG_REDUCE, .n = TEN},
     ten_by_rank,
     PLAIN_SUM},
    {"broadcast",
     "a = r (1..1), b = a of rank 3, L = sum b^2",
     {HG_BROADCAST, .n = TEN, .root = 3},
     rank_itself,
     SQUARES},
    {"total", "a = r + 1, L = b^2 / 2 of every copy", {HG_SUM, .n = 1}, rank_plus_1, HALF_SQUARES},
    {"reduce",
     "a = r + 1, b = their sum on rank 2, L = b^2 / 2",
     {HG_REDUCE, .n = 1, .root = 2},
     rank_plus_1,
     HALF_SQUARES},
    {"allreduce",
     "a = r + 1, b = their sum, L = sum b^2 / 2",
     {HG_ALLREDUCE, .n = 1},
     rank_plus_1,
     HALF_SQUARES},
    {"product",
     "a = r + 1, b = their product, L = sum b^2 / 2",
     {HG_ALLREDUCE, .n = 1, .reduction = HG_REDUCE_PRODUCT},
     rank_plus_1,
     HALF_SQUARES},
    {"minimum",
     "a = r + 1, b = the smallest, L = sum b^2 / 2",
     {HG_ALLREDUCE, .n = 1, .reduction = HG_REDUCE_MIN},
     rank_plus_1,
     HALF_SQUARES},
    {"maximum",
     "a = r + 1, b = the largest, L = sum b^2 / 2",
     {HG_ALLREDUCE, .n = 1, .reduction = HG_REDUCE_MAX},
     rank_plus_1,
     HALF_SQUARES},
    {"scan",
     "a = r + 1, b = sum up to r, L = sum b^2 / 2",
     {HG_SCAN, .n = 1},
     rank_plus_1,
     HALF_SQUARES},
    {"spread",
     "a = 3 everywhere, counts once, L = sum b^2 / 2",
     {HG_SPREAD, .n = 1},
     three,
     HALF_SQUARES},
    {"gather",
     "a = r + 1, b = (a_0, a_1, ..) on rank 1, L = sum b^2 / 2",
     {HG_GATHER, .n = 1, .root = 1},
     rank_plus_1,
     HALF_SQUARES},
    {"allgather",
     "a = r + 1, b = (a_0, a_1, ..), L = sum b^2 / 2",
     {HG_ALLGATHER, .n = 1},
     rank_plus_1,
     HALF_SQUARES},
    {"scatter",
     "a = (1, 2, ..) on rank 1, b_r = a[r], L = sum b^2 / 2",
     {HG_SCATTER, .n = 1, .root = 1},
     index_plus_1,
     HALF_SQUARES},
    {"alltoall",
     "a_r[s] = (r + 1) (s + 1), b_s[r] = a_r[s], L = sum b^2 / 2",
     {HG_ALLTOALL},
     table,
     HALF_SQUARES},
    {"sendrecv",
     "a = r + 1 goes to the next rank, L = sum b^2 / 2",
     {HG_SENDRECV, .n = 1, .received = 1},
     rank_plus_1,
     HALF_SQUARES},
    {"barrier", "nothing is told", {HG_BARRIER}, three, PLAIN_SUM}};

/* Ranks that a program of fewer ranks does not have are its last. */
static int at_most(int rank, int ranks) { return rank < ranks ? rank : ranks - 1; }

static PetscErrorCode create(MPI_Comm comm, const Demo *d, int rank, int ranks, HgCollective *c) {
  HgCollectiveSpec spec = d->spec;
  int64_t *one;
  PetscCall(PetscMalloc1(ranks, &one));
  for (int s = 0; s < ranks; s++) one[s] = 1;
  spec.root = at_most(spec.root, ranks), spec.parts = one;
  spec.to = (rank + 1) % ranks, spec.from = (rank + ranks - 1) % ranks;
  PetscCall(HgCollectiveCreate(comm, &spec, c));
  return PetscFree(one);
}

/* ---- printing: numbers of all ranks come to rank 0 ---- */

/* "2 2 2" is printed as 2. */
static void append(size_t size, char line[], int n, const double g[]) {
  bool equal = true;
  for (int i = 1; i < n; i++) equal = equal && g[i] == g[0];
  for (int i = 0; i < (equal && n ? 1 : n); i++) {
    const size_t used = strlen(line);
    snprintf(line + used, size - used, " %.17g", g[i]);
  }
  if (n == 0) PetscStrlcat(line, " -", size);
}

static PetscErrorCode print(MPI_Comm comm, const char name[], const char text[], double L,
                            double dL, int n, const double gradient[]) {
  HgCollective sizes, all;
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_GATHER, .n = 1}, &sizes));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_GATHER, .n = n}, &all));
  int unused, m, together;
  HgCollectiveSizes(sizes, &unused, &m);
  HgCollectiveSizes(all, &unused, &together);
  const size_t size = 28 * ((size_t)together + (size_t)m) + 1; /* of a number */
  double *g, *count, mine = n;
  char *line;
  PetscCall(PetscMalloc3(together, &g, m, &count, size, &line));
  *line = 0;
  PetscCall(HgCollectiveApply(sizes, &mine, count));
  PetscCall(HgCollectiveApply(all, gradient, g));
  const double *next = g;
  for (int r = 0; r < m; r++) {
    if (r) PetscCall(PetscStrlcat(line, " |", size));
    append(size, line, (int)count[r], next);
    next += (int)count[r];
  }
  PetscCall(PetscPrintf(comm, "%-12s %s: value %.17g tangent %.17g derivative%s\n", name, text, L,
                        dL, line));
  PetscCall(PetscFree3(g, count, line));
  PetscCall(HgCollectiveDestroy(&sizes));
  return HgCollectiveDestroy(&all);
}

/* totals[k] of the ranks' own, as a sum that is the same on every rank */
static PetscErrorCode sum_over_ranks(MPI_Comm comm, const double mine[2], double totals[2]) {
  HgCollective sum;
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_ALLREDUCE, .n = 2}, &sum));
  PetscCall(HgCollectiveApply(sum, mine, totals));
  return HgCollectiveDestroy(&sum);
}

static PetscErrorCode show(MPI_Comm comm, const Demo *d) {
  int rank, ranks;
  HgCollective c;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(create(comm, d, rank, ranks, &c));
  int n, m;
  HgCollectiveSizes(c, &n, &m);
  double *x, *dx, *x_bar, *y, *dy, *y_bar, mine[2] = {0}, all[2];
  PetscCall(PetscCalloc6(n, &x, n, &dx, n, &x_bar, m, &y, m, &dy, m, &y_bar));
  for (int i = 0; i < n; i++) x[i] = d->x(rank, i), dx[i] = 1;
  PetscCall(HgCollectiveApply(c, x, y));
  PetscCall(HgCollectiveTangent(c, x, dx, dy));
  for (int i = 0; i < m; i++) {
    const double factor = d->loss == HALF_SQUARES ? 0.5 : 1;
    mine[0] += d->loss == PLAIN_SUM ? y[i] : factor * y[i] * y[i];
    y_bar[i] = d->loss == PLAIN_SUM ? 1 : 2 * factor * y[i];
    mine[1] += y_bar[i] * dy[i];
  }
  PetscCall(HgCollectiveAdjoint(c, x, y_bar, x_bar));
  PetscCall(sum_over_ranks(comm, mine, all));
  PetscCall(print(comm, d->name, d->text, all[0], all[1], n, x_bar));
  PetscCall(PetscFree6(x, dx, x_bar, y, dy, y_bar));
  return HgCollectiveDestroy(&c);
}

/* a = r (1..1); rank 0 replaces its a by that of rank 2; L = sum of a^2 on every rank. */
static PetscErrorCode send_and_receive(MPI_Comm comm) {
  int rank, ranks;
  double a[TEN], b[TEN], da[TEN], db[TEN], a_bar[TEN] = {0}, b_bar[TEN], mine[2] = {0}, all[2];
  HgCollective move;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  const int from = at_most(2, ranks);
  const bool sends = rank == from, receives = rank == 0;
  PetscCall(HgCollectiveCreate(
      comm,
      &(HgCollectiveSpec){HG_SENDRECV, .to = sends ? 0 : HG_NOBODY, .n = sends ? TEN : 0,
                          .from = receives ? from : HG_NOBODY, .received = receives ? TEN : 0},
      &move));
  for (int i = 0; i < TEN; i++) a[i] = b[i] = rank, da[i] = db[i] = 1;
  PetscCall(HgCollectiveApply(move, a, b));
  PetscCall(HgCollectiveTangent(move, a, da, db));
  for (int i = 0; i < TEN; i++) {
    mine[0] += b[i] * b[i];
    b_bar[i] = 2 * b[i];
    mine[1] += b_bar[i] * db[i];
    if (!receives) a_bar[i] = b_bar[i]; /* a rank that receives has lost its own a */
  }
  PetscCall(HgCollectiveAdjoint(move, a, b_bar, a_bar)); /* rank 0 sends back, rank 2 adds */
  PetscCall(sum_over_ranks(comm, mine, all));
  PetscCall(print(comm, "send, recv", "a = r (1..1), rank 0 gets that of rank 2, L = sum a^2",
                  all[0], all[1], TEN, a_bar));
  return HgCollectiveDestroy(&move);
}

PetscErrorCode OperatorsCases(MPI_Comm comm) {
  for (size_t k = 0; k < sizeof demos / sizeof *demos; k++) PetscCall(show(comm, &demos[k]));
  return send_and_receive(comm);
}
