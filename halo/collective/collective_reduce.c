/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators reduce, allreduce and scan: they differ in where the results go. */
#include "collective_private.h"

static PetscErrorCode set_up(HgCollective c, const HgCollectiveCall calls[]) {
  (void)calls;
  c->m = c->table->rooted && c->rank != c->root ? 0 : c->n;
  HgCollectiveSetRoom(c, c->n);
  return 0;
}

static PetscErrorCode apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, c->table->shape, c->reduction, x, c->n, false, y);
}

static PetscErrorCode adjoint(HgCollective c, const double x[], const double y_bar[], bool add,
                              double x_bar[]) {
  const HgDestination shape = c->table->shape, back = shape == HG_TO_LATER ? HG_TO_EARLIER : shape;
  if (c->reduction != HG_REDUCE_SUM) return HgCollectiveCombineAdjoint(c, x, y_bar, add, x_bar);
  if (shape == HG_TO_ROOT) return HgCollectiveFromRoot(c, y_bar, c->n, add, x_bar);
  if (!c->once) return HgCollectiveCombine(c, back, HG_REDUCE_SUM, y_bar, c->n, add, x_bar);
  HgCollectivePut((size_t)c->n, y_bar, add, x_bar);
  return 0;
}

#define REDUCTION                                                                                  \
  .alike = true, .set_up = set_up, .apply = apply, .tangent = HgCollectiveCombineTangent,          \
  .adjoint = adjoint

const HgCollectiveTable hg_collective_reduce = {
    .name = "reduce", .shape = HG_TO_ROOT, .rooted = true, REDUCTION};

const HgCollectiveTable hg_collective_allreduce = {
    .name = "allreduce", .shape = HG_TO_ALL, .equal = true, REDUCTION};

const HgCollectiveTable hg_collective_scan = {.name = "scan", .shape = HG_TO_LATER, REDUCTION};
