/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that move and are not changed: gather, allgather, scatter, alltoall. The value is one
   transfer, and so is the way back; where that adds, it goes a segment at a time, which is added
   while it is in the cache and the next one travels. */
#include "collective_private.h"
#include <limits.h>

/* The segment of every pair's numbers: part[0], part[1] of y, part[2] of x, `count` of each rank,
   whose numbers are stacked in a work array from part[3] on. */
static void cut(HgCollective c, HgSegment *segment, const int count[]) {
  const int64_t lo = (int64_t)segment->at;
  int *const *const part = segment->part;
  int stacked = 0;
  for (int s = 0; s < c->ranks; s++) {
    const int64_t here = c->out[s] - lo, there = count[s] - lo;
    part[0][s] = (int)PetscMax(0, PetscMin(here, c->block));
    part[1][s] = c->out_first[s] + (int)(here > 0 ? lo : 0);
    part[2][s] = (int)PetscMax(0, PetscMin(there, c->block));
    part[3][s] = stacked;
    stacked += part[2][s];
  }
}

/* Sends cotangents of the parts back, into a work array. */
static PetscErrorCode begin_back(HgCollective c, HgSegment *s, const double y_bar[]) {
  const HgTransfer back = {.kind = HG_TRANSFER_ALLTOALL,
                           .x = y_bar,
                           .y = s->work[0],
                           .count = s->part[0],
                           .first = s->part[1],
                           .count_y = s->part[2],
                           .first_y = s->part[3]};
  return HgTransferBegin(c, &back, &s->pending);
}

typedef struct {
  const double *y_bar;
  bool add;
  double *x_bar;
} Back;

/* ---- out[s] numbers of rank s, from out_first[s] on at the root: to the root, from it ---- */

/* Like MPI_Gatherv(): a message from each rank to the root. */
static PetscErrorCode add_to_root(HgCollective c, const double x[], double y[]) {
  const int none = 0, *const parts = c->out;
  HgLongMessage s = {.to = c->root, .from = HG_NOBODY, .out = x, .sent = &parts[c->rank]};
  if (c->rank != c->root) return HgLongMessageRun(c, &s);
  s.to = HG_NOBODY, s.sent = &none;
  for (int r = 0; r < c->ranks; r++) {
    s.from = r, s.received = parts[r], s.context = y + c->out_first[r];
    if (r == c->rank) HgCollectivePut((size_t)parts[r], x, true, s.context);
    else PetscCall(HgLongMessageRun(c, &s));
  }
  return 0;
}

/* Like MPI_Scatterv(): a message from the root to each rank. */
static PetscErrorCode add_from_root(HgCollective c, const double x[], double y[]) {
  const int none = 0, own = c->rank, *const parts = c->out;
  const bool root = own == c->root;
  const HgLongMessage s = {.to = root ? HG_EVERYBODY : HG_NOBODY,
                           .from = c->root,
                           .out = x,
                           .sent = root ? parts : &none,
                           .first = c->out_first,
                           .received = root ? 0 : parts[own],
                           .context = y};
  if (root) HgCollectivePut((size_t)parts[own], x + c->out_first[own], true, y);
  return HgLongMessageRun(c, &s);
}

static PetscErrorCode move(HgCollective c, HgTransferKind kind, const double x[], double y[]) {
  const HgTransfer t = {kind, c->root, x, y, .count = c->out, .first = c->out_first};
  return HgTransferRun(c, &t);
}

static PetscErrorCode to_root(HgCollective c, const double x[], double y[]) {
  return move(c, HG_TRANSFER_GATHER, x, y);
}

static PetscErrorCode from_root(HgCollective c, const double x[], double y[]) {
  return move(c, HG_TRANSFER_SCATTER, x, y);
}

/* ---- gather: every rank's numbers side by side ---- */
static PetscErrorCode gather_set_up(HgCollective c, const HgCollectiveCall calls[]) {
  PetscCall(HgCollectiveLayOut(c, calls, c->out, c->out_first, &c->m));
  if (c->rank != c->root) c->m = 0;
  c->window_room = HgLongMessageRoom(c->n);
  return 0;
}

static PetscErrorCode gather_adjoint(HgCollective c, const double x[], const double y_bar[],
                                     bool add, double x_bar[]) {
  (void)x;
  return (add ? add_from_root : from_root)(c, y_bar, x_bar);
}

const HgCollectiveTable hg_collective_gather = {.name = "gather",
                                                .rooted = true,
                                                .set_up = gather_set_up,
                                                .apply = to_root,
                                                .adjoint = gather_adjoint};

/* ---- allgather: the same on every rank ---- */
static PetscErrorCode allgather_set_up(HgCollective c, const HgCollectiveCall calls[]) {
  PetscCall(HgCollectiveLayOut(c, calls, c->out, c->out_first, &c->m));
  c->room = (size_t)PetscMin(c->longest, c->block) * (size_t)c->ranks; /* a segment from each */
  return 0;
}

static PetscErrorCode allgather_apply(HgCollective c, const double x[], double y[]) {
  return move(c, HG_TRANSFER_ALLGATHER, x, y);
}

static PetscErrorCode allgather_begin(HgCollective c, HgSegment *s, void *context) {
  const Back *b = context;
  cut(c, s, c->out);
  const int mine = s->part[0][c->rank];
  for (int r = 0; r < c->ranks; r++) s->part[2][r] = mine, s->part[3][r] = r * mine;
  return begin_back(c, s, b->y_bar);
}

static PetscErrorCode allgather_work(HgCollective c, HgSegment *s, void *context) {
  const Back *b = context;
  const size_t mine = (size_t)s->part[0][c->rank];
  if (!mine) return 0;
  for (int r = 0; r < c->ranks; r++)
    c->row[r] = s->work[0] + (size_t)r * mine, c->out_row[r] = NULL;
  c->out_row[c->ranks - 1] = b->x_bar + s->at;
  HgFoldValue(HG_REDUCE_SUM, c->ranks, mine, c->row, b->add, c->out_row);
  return 0;
}

/* x_bar = (or +=) the sum of all ranks' cotangents of this rank's part. */
static PetscErrorCode allgather_adjoint(HgCollective c, const double x[], const double y_bar[],
                                        bool add, double x_bar[]) {
  (void)x;
  if (c->once) {
    HgCollectivePut((size_t)c->n, y_bar + c->out_first[c->rank], add, x_bar);
    return 0;
  }
  static const HgSegmentSteps steps = {.begin = allgather_begin, .work = allgather_work};
  Back back = {y_bar, add, x_bar};
  return HgSegmentsRun(c, c->longest, c->block, &steps, &back);
}

const HgCollectiveTable hg_collective_allgather = {.name = "allgather",
                                                   .equal = true,
                                                   .set_up = allgather_set_up,
                                                   .apply = allgather_apply,
                                                   .adjoint = allgather_adjoint};

/* ---- scatter: the transpose of gather ---- */
static PetscErrorCode scatter_set_up(HgCollective c, const HgCollectiveCall calls[]) {
  c->m = (int)calls[c->rank].in;
  PetscCall(HgCollectiveLayOut(c, calls, c->out, c->out_first, &c->n));
  c->window_room = c->rank == c->root ? HgLongMessageRoom(c->longest) : 0;
  if (c->rank != c->root) c->n = 0;
  return 0;
}

static PetscErrorCode scatter_adjoint(HgCollective c, const double x[], const double y_bar[],
                                      bool add, double x_bar[]) {
  (void)x;
  return (add ? add_to_root : to_root)(c, y_bar, x_bar);
}

const HgCollectiveTable hg_collective_scatter = {.name = "scatter",
                                                 .rooted = true,
                                                 .set_up = scatter_set_up,
                                                 .apply = from_root,
                                                 .adjoint = scatter_adjoint};

/* ---- alltoall ---- */

/* Finds where each part starts; returns the total. */
static int64_t lay_out(HgCollective c, const int counts[], int first[]) {
  int64_t total = 0;
  for (int s = 0; s < c->ranks; s++) {
    first[s] = (int)PetscMin(total, INT_MAX);
    total += counts[s];
    c->longest = PetscMax(c->longest, counts[s]);
  }
  return total;
}

static PetscErrorCode alltoall_set_up(HgCollective c, const HgCollectiveCall calls[]) {
  for (int s = 0; s < c->ranks; s++) c->in[s] = (int)calls[c->rank].parts[s];
  PetscCallMPI(MPI_Alltoall(c->in, 1, MPI_INT, c->out, 1, MPI_INT, c->comm));
  lay_out(c, c->in, c->in_first);
  const int64_t total = lay_out(c, c->out, c->out_first);
  PetscCall(HgAgree(c->comm, total > INT_MAX, HG_ERR_OPERATOR,
                    "alltoall: %lld numbers come to rank %d, expected at most %d", (long long)total,
                    c->rank, INT_MAX));
  c->m = (int)total;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &c->longest, 1, MPI_INT64_T, MPI_MAX, c->comm));
  for (int s = 0; s < c->ranks; s++) c->room += (size_t)PetscMin(c->in[s], c->block);
  return 0;
}

/* Sends in[s] numbers of x to rank s, receives out[s] numbers of y from it. */
static PetscErrorCode exchange(HgCollective c, const int in[], const int in_first[],
                               const double x[], const int out[], const int out_first[],
                               double y[]) {
  const HgTransfer t = {.kind = HG_TRANSFER_ALLTOALL,
                        .x = x,
                        .y = y,
                        .count = in,
                        .first = in_first,
                        .count_y = out,
                        .first_y = out_first};
  return HgTransferRun(c, &t);
}

static PetscErrorCode alltoall_apply(HgCollective c, const double x[], double y[]) {
  return exchange(c, c->in, c->in_first, x, c->out, c->out_first, y);
}

static PetscErrorCode alltoall_begin(HgCollective c, HgSegment *s, void *context) {
  const Back *b = context;
  cut(c, s, c->in);
  s->part[0][c->rank] = s->part[2][c->rank] = 0; /* what stays does not travel */
  return begin_back(c, s, b->y_bar);
}

static PetscErrorCode alltoall_work(HgCollective c, HgSegment *s, void *context) {
  const Back *b = context;
  for (int r = 0; r < c->ranks; r++)
    if (s->part[2][r])
      HgCollectivePut((size_t)s->part[2][r], s->work[0] + s->part[3][r], true,
                      b->x_bar + c->in_first[r] + s->at);
  return 0;
}

static PetscErrorCode alltoall_adjoint(HgCollective c, const double x[], const double y_bar[],
                                       bool add, double x_bar[]) {
  static const HgSegmentSteps steps = {.begin = alltoall_begin, .work = alltoall_work};
  const int own = c->rank;
  Back back = {y_bar, true, x_bar};
  (void)x;
  if (!add) return exchange(c, c->out, c->out_first, y_bar, c->in, c->in_first, x_bar);
  HgCollectivePut((size_t)c->in[own], HgAtConst(y_bar, (size_t)c->out_first[own]), true,
                  HgAt(x_bar, (size_t)c->in_first[own]));
  return HgSegmentsRun(c, c->longest, c->block, &steps, &back);
}

const HgCollectiveTable hg_collective_alltoall = {.name = "alltoall",
                                                  .set_up = alltoall_set_up,
                                                  .apply = alltoall_apply,
                                                  .adjoint = alltoall_adjoint};
