/* What is the same everywhere: broadcast, and spread, which needs no message; and the barrier. */
#include "collective_private.h"
#include <string.h>
static void copy(size_t n, const double x[], double y[]) {
  if (n && x != y) memcpy(y, x, n * sizeof *y);
}
/* ---- broadcast: x of the root to all ---- */
static PetscErrorCode broadcast_set_up(HgCollective c, const HgCall calls[]) {
  (void)calls;
  c->m = c->n;
  c->n = c->rank == c->root ? c->m : 0;
  HgCollectiveSetRoom(c, c->m);
  return 0;
}
static PetscErrorCode broadcast_apply(HgCollective c, const double x[], double y[]) {
  const HgTransfer t = {.kind = HG_TRANSFER_BROADCAST,
                        .root = c->root,
                        .y = c->rank == c->root ? (double *)x : y,
                        .count = &c->m};
  HgPending pending = {0};
  PetscCall(HgTransferBegin(c, &t, &pending));
  copy((size_t)c->n, x, y);
  return HgPendingEnd(&pending);
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
  HgCollectiveSetRoom(c, c->m);
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
/* ---- barrier ---- */
static PetscErrorCode barrier_apply(HgCollective c, const double x[], double y[]) {
  (void)x, (void)y;
  HgPending pending = {.count = 1};
  PetscCallMPI(MPI_Ibarrier(c->comm, pending.request));
  return HgPendingEnd(&pending);
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
