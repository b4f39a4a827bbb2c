/* SPDX-License-Identifier: BSD-2-Clause */
/* Every collective at any size, and what it is defined to give, worked out by every rank alone: the
   numbers of all ranks are functions of rank and index. */
#ifndef HALOGRAD_TESTS_COLLECTIVE_CASES_H
#define HALOGRAD_TESTS_COLLECTIVE_CASES_H

#include "claim.h"
#include <halograd/collective_library.h>
#include <halograd/state.h>
#include <halograd/sum_library.h>
#include <math.h>

typedef enum {
  SUM,
  REDUCE,
  ALLREDUCE,
  SCAN,
  BROADCAST,
  SPREAD,
  GATHER,
  ALLGATHER,
  SCATTER,
  ALLTOALL,
  SENDRECV,
  BARRIER,
  OPERATORS
} Operator;

static const char *const operator_name[OPERATORS] = {
    "sum",    "reduce",    "allreduce", "scan",     "broadcast", "spread",
    "gather", "allgather", "scatter",   "alltoall", "sendrecv",  "barrier"};

typedef struct {
  MPI_Comm comm;
  int rank, ranks;
  Operator what;
  HgReduction reduction;
  int root, n;
  bool once;
  uint64_t seed;
} Case;

/* Uneven, some of them 0. */
static inline int uneven(const Case *c, int r) { return c->n ? (c->n + 5 * r) % (c->n + 3) : 0; }

static inline int to_each(const Case *c, int from, int to) {
  return c->n ? (c->n + 2 * from + 3 * to) % (c->n + 2) : 0;
}

/* Rank r sends to the next but one, the last to nobody; a rank alone to itself. */
static inline int target(const Case *c, int r) {
  return c->ranks == 1 ? 0 : r == c->ranks - 1 ? HG_NOBODY : (r + 2) % c->ranks;
}

static inline int source(const Case *c, int r) {
  for (int s = 0; s < c->ranks; s++)
    if (target(c, s) == r) return s;
  return HG_NOBODY;
}

static inline int inputs(const Case *c, int r) {
  int sum = 0;
  switch (c->what) {
  case BROADCAST: return r == c->root ? c->n : 0;
  case SUM:
  case GATHER:
  case ALLGATHER: return uneven(c, r);
  case SCATTER:
    for (int s = 0; s < c->ranks && r == c->root; s++) sum += uneven(c, s);
    return sum;
  case ALLTOALL:
    for (int s = 0; s < c->ranks; s++) sum += to_each(c, r, s);
    return sum;
  case SENDRECV: return target(c, r) == HG_NOBODY ? 0 : uneven(c, r);
  case BARRIER: return 0;
  default: return c->n;
  }
}

static inline PetscErrorCode case_create(const Case *c, HgCollective *collective) {
  const int r = c->rank, from = source(c, r);
  const bool own = c->what == SUM || (c->what >= GATHER && c->what <= SCATTER);
  int64_t to[64];
  for (int s = 0; s < c->ranks; s++) to[s] = to_each(c, r, s);
  HgCollectiveSpec spec = {.kind = (HgCollectiveKind)c->what,
                           .n = own ? uneven(c, r) : c->n,
                           .reduction = c->reduction,
                           .root = c->root,
                           .parts = to,
                           .once = c->once};
  if (c->what == SENDRECV) {
    spec.to = target(c, r), spec.n = inputs(c, r);
    spec.from = from, spec.received = from == HG_NOBODY ? 0 : inputs(c, from);
  }
  if (c->what == ALLTOALL || c->what == BARRIER) spec.n = 0;
  return HgCollectiveCreate(c->comm, &spec, collective);
}

/* Number i of rank r; of magnitudes 2^-60 to 2^60 where sums are taken, so that their order would
   show; close to 1 for products; away from each other for the smallest and largest. */
static inline double number(const Case *c, int r, int i) {
  const uint64_t stream = c->seed + 1000 * (uint64_t)(c->what == SPREAD ? 0 : r);
  const double u = HgRandom(stream, (uint64_t)i);
  const bool adds = c->what == SUM || c->reduction == HG_REDUCE_SUM;
  if (c->reduction == HG_REDUCE_PRODUCT) return 1 + u / 4;
  if (c->reduction != HG_REDUCE_SUM) return (r * 7 + i * 3) % c->ranks + u / 4;
  return adds && i % 3 == 0 ? u * (i % 2 ? 0x1p60 : 0x1p-60) : u;
}

static inline double combined(const Case *c, int ranks, int i) {
  double p = number(c, 0, i), term;
  HgSum sum;
  HgSumReset(&sum);
  for (int s = 0; s < ranks; s++) {
    term = number(c, s, i);
    if (c->reduction == HG_REDUCE_SUM) HgSumAdd(&sum, 1, &term);
    else if (s && c->reduction == HG_REDUCE_PRODUCT) p *= term;
    else if (c->reduction == HG_REDUCE_MIN ? term < p : term > p) p = term;
  }
  return c->reduction == HG_REDUCE_SUM ? HgSumValue(&sum) : p;
}

/* Number i of all ranks' side by side. */
static inline double beside(const Case *c, int i) {
  int s = 0;
  for (; i >= uneven(c, s); s++) i -= uneven(c, s);
  return number(c, s, i);
}

static inline int before(const Case *c, int r) {
  int sum = 0;
  for (int s = 0; s < r; s++) sum += uneven(c, s);
  return sum;
}

static inline int outputs(const Case *c, int r) {
  int sum = 0;
  switch (c->what) {
  case SUM: return 1;
  case REDUCE: return r == c->root ? c->n : 0;
  case GATHER: return r == c->root ? before(c, c->ranks) : 0;
  case ALLGATHER: return before(c, c->ranks);
  case SCATTER: return uneven(c, r);
  case ALLTOALL:
    for (int s = 0; s < c->ranks; s++) sum += to_each(c, s, r);
    return sum;
  case SENDRECV: return source(c, r) == HG_NOBODY ? 0 : inputs(c, source(c, r));
  case BARRIER: return 0;
  default: return c->n;
  }
}

/* Number i of y on this rank. */
static inline double expected(const Case *c, int i) {
  HgSum sum;
  int s = 0, at = 0;
  switch (c->what) {
  case SUM:
    HgSumReset(&sum);
    for (s = 0; s < c->ranks; s++)
      for (int k = 0; k < uneven(c, s); k++) {
        const double term = number(c, s, k);
        HgSumAdd(&sum, 1, &term);
      }
    return HgSumValue(&sum);
  case SCAN: return combined(c, c->rank + 1, i);
  case BROADCAST:
  case SPREAD: return number(c, c->root, i);
  case GATHER:
  case ALLGATHER: return beside(c, i);
  case SCATTER: return number(c, c->root, before(c, c->rank) + i);
  case ALLTOALL:
    for (; i >= to_each(c, s, c->rank); s++) i -= to_each(c, s, c->rank);
    for (int t = 0; t < c->rank; t++) at += to_each(c, s, t);
    return number(c, s, at + i);
  case SENDRECV: return number(c, source(c, c->rank), i);
  default: return combined(c, c->ranks, i);
  }
}

/* A text for messages, which are many: written once for each case. */
static inline const char *case_name(const Case *c) {
  static char text[128];
  static Case written;
  if (!memcmp(c, &written, sizeof written)) return text;
  memcpy(&written, c, sizeof written);
  snprintf(text, sizeof text, "%s, reduction %d, root %d of %d, %d numbers%s",
           operator_name[c->what], (int)c->reduction, c->root, c->ranks, c->n,
           c->once ? ", counted once" : "");
  return text;
}

static inline bool reduces(Operator what) {
  return what == REDUCE || what == ALLREDUCE || what == SCAN;
}

static inline bool rooted(Operator what) {
  return what == REDUCE || what == BROADCAST || what == GATHER || what == SCATTER;
}

static inline bool equal_results(Operator what) {
  return what == SUM || what == ALLREDUCE || what == BROADCAST || what == ALLGATHER;
}

/* Calls f for every operator, reduction, root (three of them), size and way of counting. Collective
   on `comm`. */
static inline PetscErrorCode for_all_cases(MPI_Comm comm, uint64_t seed, int sizes, const int n[],
                                           PetscErrorCode (*f)(const Case *c)) {
  Case c = {.comm = comm, .seed = seed};
  PetscCallMPI(MPI_Comm_rank(comm, &c.rank));
  PetscCallMPI(MPI_Comm_size(comm, &c.ranks));
  const int roots[3] = {0, c.ranks / 2, c.ranks - 1};
  for (c.what = SUM; c.what < OPERATORS; c.what++)
    for (int op = HG_REDUCE_SUM; op <= (reduces(c.what) ? HG_REDUCE_MAX : HG_REDUCE_SUM); op++)
      for (int k = 0; k < (rooted(c.what) ? 3 : 1); k++)
        for (int size = 0; size < sizes; size++)
          for (int once = 0; once <= equal_results(c.what); once++) {
            if (k && roots[k] == roots[k - 1]) continue;
            c.reduction = (HgReduction)op, c.root = roots[k], c.n = n[size], c.once = once;
            PetscCall(f(&c));
          }
  return 0;
}

#endif
