/* SPDX-License-Identifier: BSD-2-Clause */
/* What is the same everywhere: broadcast, and spread, which needs no message; and the barrier. */
#include "collective_private.h"

enum { LENGTH = 1 << 15 /* numbers of a segment that goes to all: 256 KiB */ };

/* ---- broadcast: x of the root to all ---- */
typedef struct {
  const double *x;
  double *y;
} Adding;

static void add_part(void *context, size_t at, size_t length, const double numbers[]) {
  const Adding *a = context;
  HgCollectivePut(length, numbers ? numbers : a->x + at, true, a->y + at);
}

/* Two ranks use a stream: the root adds while it sends. */
static PetscErrorCode add_pair(HgCollective c, Adding *adding, int n) {
  const bool root = c->rank == c->root;
  const int other = 1 - c->rank, sent = root ? n : 0;
  const HgLongMessage stream = {.to = other,
                                .from = other,
                                .out = adding->x,
                                .sent = &sent,
                                .received = root ? 0 : n,
                                .given = add_part,
                                .taken = add_part,
                                .context = adding};
  return HgLongMessageRun(c, &stream);
}

static double *segment_at(HgCollective c, const HgSegment *s, const Adding *a) {
  return c->rank == c->root ? (double *)a->x + s->at : s->work[0];
}

static PetscErrorCode begin_segment(HgCollective c, HgSegment *s, void *context) {
  const HgTransfer t = {.kind = HG_TRANSFER_BROADCAST,
                        .root = c->root,
                        .y = segment_at(c, s, context),
                        .count = &s->length};
  return HgTransferBegin(c, &t, &s->pending);
}

static PetscErrorCode add_segment(HgCollective c, HgSegment *s, void *context) {
  const Adding *a = context;
  HgCollectivePut((size_t)s->length, segment_at(c, s, a), true, a->y + s->at);
  return 0;
}

static PetscErrorCode add_from_root(HgCollective c, const double x[], int n, double y[]) {
  static const HgSegmentSteps steps = {.begin = begin_segment, .work = add_segment};
  Adding adding = {x, y};
  return c->ranks == 2 ? add_pair(c, &adding, n) : HgSegmentsRun(c, n, LENGTH, &steps, &adding);
}

PetscErrorCode HgCollectiveFromRoot(HgCollective c, const double x[], int n, bool add, double y[]) {
  const bool root = c->rank == c->root;
  const HgTransfer t = {
      .kind = HG_TRANSFER_BROADCAST, .root = c->root, .y = root ? (double *)x : y, .count = &n};
  HgPending pending = {0};
  if (add) return add_from_root(c, x, n, y);
  PetscCall(HgTransferBegin(c, &t, &pending));
  if (root) HgCollectivePut((size_t)n, x, false, y);
  return HgPendingEnd(&pending);
}

static PetscErrorCode broadcast_set_up(HgCollective c, const HgCollectiveCall calls[]) {
  (void)calls;
  c->m = c->n;
  c->n = c->rank == c->root ? c->m : 0;
  HgCollectiveSetRoom(c, c->m);
  return 0;
}

static PetscErrorCode broadcast_apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveFromRoot(c, x, c->m, false, y);
}

static PetscErrorCode broadcast_adjoint(HgCollective c, const double x[], const double y_bar[],
                                        bool add, double x_bar[]) {
  (void)x;
  if (!c->once) return HgCollectiveCombine(c, HG_TO_ROOT, HG_REDUCE_SUM, y_bar, c->m, add, x_bar);
  HgCollectivePut((size_t)c->n, y_bar, add, x_bar);
  return 0;
}

const HgCollectiveTable hg_collective_broadcast = {.name = "broadcast",
                                                   .rooted = true,
                                                   .alike = true,
                                                   .equal = true,
                                                   .set_up = broadcast_set_up,
                                                   .apply = broadcast_apply,
                                                   .adjoint = broadcast_adjoint};

/* ---- spread: what is the same on every rank becomes copies ---- */
static PetscErrorCode spread_set_up(HgCollective c, const HgCollectiveCall calls[]) {
  (void)calls;
  c->m = c->n;
  HgCollectiveSetRoom(c, c->m);
  return 0;
}

static PetscErrorCode spread_apply(HgCollective c, const double x[], double y[]) {
  HgCollectivePut((size_t)c->n, x, false, y);
  return 0;
}

static PetscErrorCode spread_adjoint(HgCollective c, const double x[], const double y_bar[],
                                     bool add, double x_bar[]) {
  (void)x;
  return HgCollectiveCombine(c, HG_TO_ALL, HG_REDUCE_SUM, y_bar, c->m, add, x_bar);
}

const HgCollectiveTable hg_collective_spread = {.name = "spread",
                                                .alike = true,
                                                .once = true,
                                                .set_up = spread_set_up,
                                                .apply = spread_apply,
                                                .adjoint = spread_adjoint};

/* ---- barrier ---- */
static PetscErrorCode barrier_apply(HgCollective c, const double x[], double y[]) {
  (void)x, (void)y;
  HgPending pending = {.count = 1};
  PetscCallMPI(MPI_Ibarrier(c->comm, pending.request));
  return HgPendingEnd(&pending);
}

static PetscErrorCode barrier_adjoint(HgCollective c, const double x[], const double y_bar[],
                                      bool add, double x_bar[]) {
  (void)y_bar, (void)add;
  return barrier_apply(c, x, x_bar);
}

const HgCollectiveTable hg_collective_barrier = {
    .name = "barrier", .apply = barrier_apply, .adjoint = barrier_adjoint};
