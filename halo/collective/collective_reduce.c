/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators reduce, allreduce and scan: they differ in where the results go. */
#include "collective_private.h"

static PetscErrorCode set_up(HgCollective c, const HgCollectiveSpec calls[]) {
  (void)calls;
  c->m = c->kind->rooted && c->rank != c->root ? 0 : c->n;
  HgCollectiveSetRoom(c, c->n);
  return 0;
}

static PetscErrorCode apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, c->kind->shape, c->reduction, x, c->n, false, y);
}

static PetscErrorCode adjoint(HgCollective c, const double x[], const double y_bar[], bool add,
                              double x_bar[]) {
  const HgDestination shape = c->kind->shape, back = shape == HG_SCAN ? HG_SCAN_BACK : shape;
  if (c->reduction != HG_REDUCE_SUM) return HgCollectiveCombineAdjoint(c, x, y_bar, add, x_bar);
  if (shape == HG_TO_ROOT) return HgCollectiveFromRoot(c, y_bar, c->n, add, x_bar);
  if (!c->once) return HgCollectiveCombine(c, back, HG_REDUCE_SUM, y_bar, c->n, add, x_bar);
  HgCollectivePut((size_t)c->n, y_bar, add, x_bar);
  return 0;
}

#define REDUCTION                                                                                  \
  .alike = true, .set_up = set_up, .apply = apply, .tangent = HgCollectiveCombineTangent,          \
  .adjoint = adjoint

static PetscErrorCode create(MPI_Comm comm, const HgCollectiveKind *kind, HgReduction reduction,
                             int root, int64_t n, HgCollective *collective) {
  const HgCollectiveSpec call = {.reduction = (int64_t)reduction, .root = root, .in = n};
  return HgCollectiveCreate(comm, kind, &call, collective);
}

PetscErrorCode HgCollectiveReduce(MPI_Comm comm, HgReduction reduction, int root, int64_t n,
                                  HgCollective *collective) {
  static const HgCollectiveKind kind = {
      .name = "reduce", .shape = HG_TO_ROOT, .rooted = true, REDUCTION};
  return create(comm, &kind, reduction, root, n, collective);
}

PetscErrorCode HgCollectiveAllreduce(MPI_Comm comm, HgReduction reduction, int64_t n,
                                     HgCollective *collective) {
  static const HgCollectiveKind kind = {
      .name = "allreduce", .shape = HG_TO_ALL, .equal = true, REDUCTION};
  return create(comm, &kind, reduction, 0, n, collective);
}

PetscErrorCode HgCollectiveScan(MPI_Comm comm, HgReduction reduction, int64_t n,
                                HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "scan", .shape = HG_SCAN, REDUCTION};
  return create(comm, &kind, reduction, 0, n, collective);
}
