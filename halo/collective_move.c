/* Numbers that move and are not changed: broadcast, spread, gather, allgather, scatter, alltoall,
   and the barrier. The value is MPI's own call; the adjoint moves back, a segment at a time, and
   adds while the segment is in the cache. */
#include "collective_private.h"
#include <limits.h>
#include <string.h>
static void copy(size_t n, const double x[], double y[]) {
  if (n && x != y) memcpy(y, x, n * sizeof *y);
}
/* Segment k of every pair's numbers: part[0], part[1] of the first layout, part[2] of the second,
   whose numbers are stacked in a work array from part[3] on. */
static void cut(HgCollective c, int64_t k, const int first_count[], const int first_start[],
                const int count[]) {
  int stacked = 0;
  for (int s = 0; s < c->ranks; s++) {
    const int64_t lo = k * HG_BLOCK, here = first_count[s] - lo, there = count[s] - lo;
    c->part[0][s] = (int)PetscMax(0, PetscMin(here, HG_BLOCK));
    c->part[1][s] = first_start[s] + (int)(here > 0 ? lo : 0);
    c->part[2][s] = (int)PetscMax(0, PetscMin(there, HG_BLOCK));
    c->part[3][s] = stacked;
    stacked += c->part[2][s];
  }
}
/* y[from where the segment starts] += what was stacked */
static void add_stacked(HgCollective c, int64_t k, const int start[], double y[]) {
  for (int s = 0; s < c->ranks; s++)
    if (c->part[2][s])
      HgCollectiveAdd((size_t)c->part[2][s], c->work[0] + c->part[3][s],
                      y + start[s] + k * HG_BLOCK);
}
static int64_t segments(HgCollective c) { return (c->longest + HG_BLOCK - 1) / HG_BLOCK; }
/* Room for a segment from every rank. */
static size_t stacked_room(HgCollective c) {
  return (size_t)PetscMin(c->longest, HG_BLOCK) * (size_t)c->ranks;
}
/* ---- broadcast: x of the root to all ---- */
static PetscErrorCode broadcast_set_up(HgCollective c, const HgCall calls[]) {
  (void)calls;
  c->m = c->n;
  c->n = c->rank == c->root ? c->m : 0;
  c->room = HgCollectiveRoom(c, c->m);
  return 0;
}
static PetscErrorCode broadcast_apply(HgCollective c, const double x[], double y[]) {
  copy((size_t)c->n, x, y);
  PetscCallMPI(MPI_Bcast(y, c->m, MPI_DOUBLE, c->root, c->comm));
  return 0;
}
static PetscErrorCode broadcast_adjoint(HgCollective c, const double x[], const double y_bar[],
                                        double x_bar[]) {
  (void)x;
  if (!c->once) return HgCollectiveCombine(c, HG_TO_ROOT, HG_REDUCE_SUM, y_bar, c->m, true, x_bar);
  HgCollectiveAdd((size_t)c->n, y_bar, x_bar);
  return 0;
}
PetscErrorCode HgCollectiveBroadcast(MPI_Comm comm, int root, int64_t n, HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "broadcast",
                                        .rooted = true,
                                        .alike = true,
                                        .equal = true,
                                        .set_up = broadcast_set_up,
                                        .apply = broadcast_apply,
                                        .adjoint = broadcast_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){.root = root, .in = n}, collective);
}
/* ---- spread: what is the same on every rank becomes copies ---- */
static PetscErrorCode spread_set_up(HgCollective c, const HgCall calls[]) {
  (void)calls;
  c->m = c->n;
  c->room = HgCollectiveRoom(c, c->m);
  return 0;
}
static PetscErrorCode spread_apply(HgCollective c, const double x[], double y[]) {
  copy((size_t)c->n, x, y);
  return 0;
}
static PetscErrorCode spread_adjoint(HgCollective c, const double x[], const double y_bar[],
                                     double x_bar[]) {
  (void)x;
  return HgCollectiveCombine(c, HG_TO_ALL, HG_REDUCE_SUM, y_bar, c->m, true, x_bar);
}
PetscErrorCode HgCollectiveSpread(MPI_Comm comm, int64_t n, HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "spread",
                                        .alike = true,
                                        .once = true,
                                        .set_up = spread_set_up,
                                        .apply = spread_apply,
                                        .adjoint = spread_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){.in = n}, collective);
}
/* ---- gather: every rank's numbers side by side ---- */
static PetscErrorCode gather_set_up(HgCollective c, const HgCall calls[]) {
  PetscCall(HgCollectiveLayOut(c, calls, c->out, c->out_first, &c->m));
  if (c->rank != c->root) c->m = 0;
  c->room = HgStreamRoom(c->n);
  return 0;
}
static PetscErrorCode gather_apply(HgCollective c, const double x[], double y[]) {
  PetscCallMPI(
      MPI_Gatherv(x, c->n, MPI_DOUBLE, y, c->out, c->out_first, MPI_DOUBLE, c->root, c->comm));
  return 0;
}
static void add(void *x_bar, size_t at, size_t length, const double numbers[]) {
  HgCollectiveAdd(length, numbers, (double *)x_bar + at);
}
/* As MPI's own scatter of uneven parts: a message from the root to each rank. */
static PetscErrorCode gather_adjoint(HgCollective c, const double x[], const double y_bar[],
                                     double x_bar[]) {
  (void)x;
  const int none = 0;
  const bool root = c->rank == c->root;
  const HgStream back = {.to = root ? HG_EVERYBODY : HG_NOBODY,
                         .from = c->root,
                         .out = y_bar,
                         .sent = root ? c->out : &none,
                         .first = c->out_first,
                         .received = root ? 0 : c->n,
                         .taken = add,
                         .context = x_bar};
  if (root) HgCollectiveAdd((size_t)c->n, y_bar + c->out_first[c->rank], x_bar);
  return HgStreamRun(c, &back);
}
PetscErrorCode HgCollectiveGather(MPI_Comm comm, int root, int64_t n, HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "gather",
                                        .rooted = true,
                                        .set_up = gather_set_up,
                                        .apply = gather_apply,
                                        .adjoint = gather_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){.root = root, .in = n}, collective);
}
/* ---- allgather: the same on every rank ---- */
static PetscErrorCode allgather_set_up(HgCollective c, const HgCall calls[]) {
  PetscCall(HgCollectiveLayOut(c, calls, c->out, c->out_first, &c->m));
  c->room = stacked_room(c);
  return 0;
}
static PetscErrorCode allgather_apply(HgCollective c, const double x[], double y[]) {
  PetscCallMPI(MPI_Allgatherv(x, c->n, MPI_DOUBLE, y, c->out, c->out_first, MPI_DOUBLE, c->comm));
  return 0;
}
/* x_bar += every rank's cotangent of my part. */
static PetscErrorCode allgather_adjoint(HgCollective c, const double x[], const double y_bar[],
                                        double x_bar[]) {
  (void)x;
  if (c->once) {
    HgCollectiveAdd((size_t)c->n, y_bar + c->out_first[c->rank], x_bar);
    return 0;
  }
  for (int64_t k = 0; k < segments(c); k++) {
    cut(c, k, c->out, c->out_first, c->out);
    const int mine = c->part[0][c->rank];
    for (int s = 0; s < c->ranks; s++) {
      c->part[2][s] = mine, c->part[3][s] = s * mine;
      c->row[s] = c->work[0] + (size_t)s * (size_t)mine, c->out_row[s] = NULL;
    }
    PetscCallMPI(MPI_Alltoallv(y_bar, c->part[0], c->part[1], MPI_DOUBLE, c->work[0], c->part[2],
                               c->part[3], MPI_DOUBLE, c->comm));
    if (!mine) continue;
    c->out_row[c->ranks - 1] = x_bar + k * HG_BLOCK;
    HgFoldValue(HG_REDUCE_SUM, c->ranks, (size_t)mine, c->row, true, c->out_row);
  }
  return 0;
}
PetscErrorCode HgCollectiveAllgather(MPI_Comm comm, int64_t n, HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "allgather",
                                        .equal = true,
                                        .set_up = allgather_set_up,
                                        .apply = allgather_apply,
                                        .adjoint = allgather_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){.in = n}, collective);
}
/* ---- scatter: the transpose of gather ---- */
static PetscErrorCode scatter_set_up(HgCollective c, const HgCall calls[]) {
  c->m = (int)calls[c->rank].in;
  PetscCall(HgCollectiveLayOut(c, calls, c->in, c->in_first, &c->n));
  c->room = c->rank == c->root ? HgStreamRoom(c->longest) : 0;
  if (c->rank != c->root) c->n = 0;
  return 0;
}
static PetscErrorCode scatter_apply(HgCollective c, const double x[], double y[]) {
  PetscCallMPI(
      MPI_Scatterv(x, c->in, c->in_first, MPI_DOUBLE, y, c->m, MPI_DOUBLE, c->root, c->comm));
  return 0;
}
/* As MPI's own gather of uneven parts: a message from each rank to the root. */
static PetscErrorCode scatter_adjoint(HgCollective c, const double x[], const double y_bar[],
                                      double x_bar[]) {
  const int none = 0;
  (void)x;
  HgStream back = {.to = c->root, .from = HG_NOBODY, .out = y_bar, .sent = &c->m, .taken = add};
  if (c->rank != c->root) return HgStreamRun(c, &back);
  back.to = HG_NOBODY, back.sent = &none;
  for (int s = 0; s < c->ranks; s++) {
    back.from = s, back.received = c->in[s], back.context = x_bar + c->in_first[s];
    if (s == c->rank) HgCollectiveAdd((size_t)c->m, y_bar, back.context);
    else PetscCall(HgStreamRun(c, &back));
  }
  return 0;
}
PetscErrorCode HgCollectiveScatter(MPI_Comm comm, int root, int64_t n, HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "scatter",
                                        .rooted = true,
                                        .set_up = scatter_set_up,
                                        .apply = scatter_apply,
                                        .adjoint = scatter_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){.root = root, .in = n}, collective);
}
/* ---- alltoall ---- */
/* Where numbers start; returns how many there are. */
static int64_t lay_out(HgCollective c, const int counts[], int first[]) {
  int64_t total = 0;
  for (int s = 0; s < c->ranks; s++) {
    first[s] = (int)PetscMin(total, INT_MAX);
    total += counts[s];
    c->longest = PetscMax(c->longest, counts[s]);
  }
  return total;
}
static PetscErrorCode alltoall_set_up(HgCollective c, const HgCall calls[]) {
  for (int s = 0; s < c->ranks; s++) c->in[s] = (int)calls[c->rank].parts[s];
  PetscCallMPI(MPI_Alltoall(c->in, 1, MPI_INT, c->out, 1, MPI_INT, c->comm));
  lay_out(c, c->in, c->in_first);
  const int64_t total = lay_out(c, c->out, c->out_first);
  PetscCall(HgAgree(c->comm, total > INT_MAX,
                    "alltoall: %lld numbers come to rank %d, expected at most %d", (long long)total,
                    c->rank, INT_MAX));
  c->m = (int)total;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &c->longest, 1, MPI_INT64_T, MPI_MAX, c->comm));
  for (int s = 0; s < c->ranks; s++) c->room += (size_t)PetscMin(c->in[s], HG_BLOCK);
  return 0;
}
static PetscErrorCode alltoall_apply(HgCollective c, const double x[], double y[]) {
  PetscCallMPI(MPI_Alltoallv(x, c->in, c->in_first, MPI_DOUBLE, y, c->out, c->out_first, MPI_DOUBLE,
                             c->comm));
  return 0;
}
static PetscErrorCode alltoall_adjoint(HgCollective c, const double x[], const double y_bar[],
                                       double x_bar[]) {
  const int own = c->rank;
  (void)x;
  HgCollectiveAdd((size_t)c->in[own], HgAtConst(y_bar, (size_t)c->out_first[own]),
                  HgAt(x_bar, (size_t)c->in_first[own]));
  for (int64_t k = 0; k < segments(c); k++) {
    cut(c, k, c->out, c->out_first, c->in);
    c->part[0][own] = c->part[2][own] = 0;
    PetscCallMPI(MPI_Alltoallv(y_bar, c->part[0], c->part[1], MPI_DOUBLE, c->work[0], c->part[2],
                               c->part[3], MPI_DOUBLE, c->comm));
    add_stacked(c, k, c->in_first, x_bar);
  }
  return 0;
}
PetscErrorCode HgCollectiveAlltoall(MPI_Comm comm, const int64_t to[], HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "alltoall",
                                        .set_up = alltoall_set_up,
                                        .apply = alltoall_apply,
                                        .adjoint = alltoall_adjoint};
  int ranks = 0;
  int64_t in = 0;
  if (comm != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_size(comm, &ranks));
  for (int s = 0; s < ranks && in >= 0 && in <= INT_MAX; s++)
    in = to[s] < 0 || to[s] > INT_MAX ? to[s] : in + to[s]; /* one that is wrong stays */
  return HgCollectiveCreate(comm, &kind, &(HgCall){.in = in, .parts = to}, collective);
}
/* ---- barrier ---- */
static PetscErrorCode barrier_apply(HgCollective c, const double x[], double y[]) {
  (void)x, (void)y;
  PetscCallMPI(MPI_Barrier(c->comm));
  return 0;
}
static PetscErrorCode barrier_adjoint(HgCollective c, const double x[], const double y_bar[],
                                      double x_bar[]) {
  (void)y_bar;
  return barrier_apply(c, x, x_bar);
}
PetscErrorCode HgCollectiveBarrier(MPI_Comm comm, HgCollective *collective) {
  static const HgCollectiveKind kind = {
      .name = "barrier", .apply = barrier_apply, .adjoint = barrier_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){0}, collective);
}
