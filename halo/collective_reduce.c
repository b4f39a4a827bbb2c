/* The operators reduce, allreduce and scan. */
#include "collective_private.h"
enum { HG_BROADCAST = 1 << 15 /* numbers of a segment that goes to all: 256 KiB */ };
typedef struct {
  const double *y_bar;
  double *x_bar;
} Adding;
static void add_given(void *context, size_t at, size_t length, const double numbers[]) {
  const Adding *a = context;
  HgCollectiveAdd(length, numbers ? numbers : a->y_bar + at, a->x_bar + at);
}
static double *segment_at(HgCollective c, const HgSegment *s, const Adding *a) {
  return c->rank == c->root ? (double *)a->y_bar + s->at : s->work[0];
}
static PetscErrorCode begin_from_root(HgCollective c, HgSegment *s, void *context) {
  const HgTransfer t = {.kind = HG_TRANSFER_BROADCAST,
                        .root = c->root,
                        .y = segment_at(c, s, context),
                        .count = &s->length};
  return HgTransferBegin(c, &t, &s->pending);
}
static PetscErrorCode add_segment(HgCollective c, HgSegment *s, void *context) {
  const Adding *a = context;
  HgCollectiveAdd((size_t)s->length, segment_at(c, s, a), a->x_bar + s->at);
  return 0;
}
/* x_bar += y_bar of the root. */
static PetscErrorCode add_from_root(HgCollective c, const double y_bar[], double x_bar[]) {
  if (c->ranks == 2) {
    Adding adding = {y_bar, x_bar};
    const bool root = c->rank == c->root;
    const int sent = root ? c->n : 0;
    const HgStream stream = {.to = 1 - c->rank,
                             .from = 1 - c->rank,
                             .out = y_bar,
                             .sent = &sent,
                             .received = root ? 0 : c->n,
                             .given = add_given,
                             .taken = add_given,
                             .context = &adding};
    return HgStreamRun(c, &stream);
  }
  static const HgSegmentSteps steps = {.begin = begin_from_root, .work = add_segment};
  Adding adding = {y_bar, x_bar};
  return HgSegmentsRun(c, c->n, HG_BROADCAST, &steps, &adding);
}
static PetscErrorCode sum_adjoint(HgCollective c, HgShape shape, const double y_bar[],
                                  double x_bar[]) {
  if (shape == HG_TO_ROOT) return add_from_root(c, y_bar, x_bar);
  if (shape == HG_SCAN)
    return HgCollectiveCombine(c, HG_SCAN_BACK, HG_REDUCE_SUM, y_bar, c->n, true, x_bar);
  if (!c->once) return HgCollectiveCombine(c, shape, HG_REDUCE_SUM, y_bar, c->n, true, x_bar);
  HgCollectiveAdd((size_t)c->n, y_bar, x_bar);
  return 0;
}
static PetscErrorCode adjoint(HgCollective c, HgShape shape, const double x[], const double y_bar[],
                              double x_bar[]) {
  if (c->reduction == HG_REDUCE_SUM) return sum_adjoint(c, shape, y_bar, x_bar);
  return HgCollectiveCombineAdjoint(c, shape, x, y_bar, x_bar);
}
static PetscErrorCode reduce_set_up(HgCollective c, const HgCall calls[]) {
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
                                     double x_bar[]) {
  return adjoint(c, HG_TO_ROOT, x, y_bar, x_bar);
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
      comm, &kind, &(HgCall){.reduction = (int64_t)reduction, .root = root, .in = n}, collective);
}
static PetscErrorCode allreduce_apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, HG_TO_ALL, c->reduction, x, c->n, false, y);
}
static PetscErrorCode allreduce_tangent(HgCollective c, const double x[], const double dx[],
                                        double dy[]) {
  return HgCollectiveCombineTangent(c, HG_TO_ALL, c->reduction, x, dx, c->n, dy);
}
static PetscErrorCode allreduce_adjoint(HgCollective c, const double x[], const double y_bar[],
                                        double x_bar[]) {
  return adjoint(c, HG_TO_ALL, x, y_bar, x_bar);
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
  return HgCollectiveCreate(comm, &kind, &(HgCall){.reduction = (int64_t)reduction, .in = n},
                            collective);
}
static PetscErrorCode scan_apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, HG_SCAN, c->reduction, x, c->n, false, y);
}
static PetscErrorCode scan_tangent(HgCollective c, const double x[], const double dx[],
                                   double dy[]) {
  return HgCollectiveCombineTangent(c, HG_SCAN, c->reduction, x, dx, c->n, dy);
}
static PetscErrorCode scan_adjoint(HgCollective c, const double x[], const double y_bar[],
                                   double x_bar[]) {
  return adjoint(c, HG_SCAN, x, y_bar, x_bar);
}
PetscErrorCode HgCollectiveScan(MPI_Comm comm, HgReduction reduction, int64_t n,
                                HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "scan",
                                        .alike = true,
                                        .set_up = reduce_set_up,
                                        .apply = scan_apply,
                                        .tangent = scan_tangent,
                                        .adjoint = scan_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){.reduction = (int64_t)reduction, .in = n},
                            collective);
}
