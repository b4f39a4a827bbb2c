/* The operators reduce, allreduce and scan. */
#include "collective_private.h"

static PetscErrorCode sum_adjoint(HgCollective c, HgDestination shape, const double y_bar[],
                                  bool add, double x_bar[]) {
  const HgDestination back = shape == HG_SCAN ? HG_SCAN_BACK : shape;
  if (shape == HG_TO_ROOT) return HgCollectiveFromRoot(c, y_bar, c->n, add, x_bar);
  if (!c->once) return HgCollectiveCombine(c, back, HG_REDUCE_SUM, y_bar, c->n, add, x_bar);
  HgCollectivePut((size_t)c->n, y_bar, add, x_bar);
  return 0;
}

static PetscErrorCode adjoint(HgCollective c, HgDestination shape, const double x[],
                              const double y_bar[], bool add, double x_bar[]) {
  if (c->reduction == HG_REDUCE_SUM) return sum_adjoint(c, shape, y_bar, add, x_bar);
  return HgCollectiveCombineAdjoint(c, shape, x, y_bar, add, x_bar);
}

static PetscErrorCode reduce_set_up(HgCollective c, const HgCollectiveSpec calls[]) {
  (void)calls;
  c->m = c->kind->rooted && c->rank != c->root ? 0 : c->n;
  HgCollectiveSetRoom(c, c->n);
  return 0;
}

static PetscErrorCode reduce_apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, HG_TO_ROOT, c->reduction, x, c->n, false, y);
}

static PetscErrorCode reduce_tangent(HgCollective c, const double x[], const double dx[],
                                     double dy[]) {
  return HgCollectiveCombineTangent(c, HG_TO_ROOT, c->reduction, x, dx, c->n, dy);
}

static PetscErrorCode reduce_adjoint(HgCollective c, const double x[], const double y_bar[],
                                     bool add, double x_bar[]) {
  return adjoint(c, HG_TO_ROOT, x, y_bar, add, x_bar);
}

PetscErrorCode HgCollectiveReduce(MPI_Comm comm, HgReduction reduction, int root, int64_t n,
                                  HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "reduce",
                                        .rooted = true,
                                        .alike = true,
                                        .set_up = reduce_set_up,
                                        .apply = reduce_apply,
                                        .tangent = reduce_tangent,
                                        .adjoint = reduce_adjoint};
  return HgCollectiveCreate(
      comm, &kind, &(HgCollectiveSpec){.reduction = (int64_t)reduction, .root = root, .in = n},
      collective);
}

static PetscErrorCode allreduce_apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, HG_TO_ALL, c->reduction, x, c->n, false, y);
}

static PetscErrorCode allreduce_tangent(HgCollective c, const double x[], const double dx[],
                                        double dy[]) {
  return HgCollectiveCombineTangent(c, HG_TO_ALL, c->reduction, x, dx, c->n, dy);
}

static PetscErrorCode allreduce_adjoint(HgCollective c, const double x[], const double y_bar[],
                                        bool add, double x_bar[]) {
  return adjoint(c, HG_TO_ALL, x, y_bar, add, x_bar);
}

PetscErrorCode HgCollectiveAllreduce(MPI_Comm comm, HgReduction reduction, int64_t n,
                                     HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "allreduce",
                                        .alike = true,
                                        .equal = true,
                                        .set_up = reduce_set_up,
                                        .apply = allreduce_apply,
                                        .tangent = allreduce_tangent,
                                        .adjoint = allreduce_adjoint};
  return HgCollectiveCreate(
      comm, &kind, &(HgCollectiveSpec){.reduction = (int64_t)reduction, .in = n}, collective);
}

static PetscErrorCode scan_apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, HG_SCAN, c->reduction, x, c->n, false, y);
}

static PetscErrorCode scan_tangent(HgCollective c, const double x[], const double dx[],
                                   double dy[]) {
  return HgCollectiveCombineTangent(c, HG_SCAN, c->reduction, x, dx, c->n, dy);
}

static PetscErrorCode scan_adjoint(HgCollective c, const double x[], const double y_bar[], bool add,
                                   double x_bar[]) {
  return adjoint(c, HG_SCAN, x, y_bar, add, x_bar);
}

PetscErrorCode HgCollectiveScan(MPI_Comm comm, HgReduction reduction, int64_t n,
                                HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "scan",
                                        .alike = true,
                                        .set_up = reduce_set_up,
                                        .apply = scan_apply,
                                        .tangent = scan_tangent,
                                        .adjoint = scan_adjoint};
  return HgCollectiveCreate(
      comm, &kind, &(HgCollectiveSpec){.reduction = (int64_t)reduction, .in = n}, collective);
}
