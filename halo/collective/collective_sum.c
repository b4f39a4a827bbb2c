/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact sum of all numbers of all ranks. */
#include "collective_private.h"
#include <halograd/sum_library.h>

static PetscErrorCode total_set_up(HgCollective c, const HgCollectiveCall calls[]) {
  (void)calls;
  c->m = 1;
  return 0;
}

static PetscErrorCode total(HgCollective c, size_t n, const double x[], double *y) {
  HgSum sum;
  HgPending pending = {.count = 1};
  HgSumReset(&sum);
  HgSumAdd(&sum, n, x);
  PetscCall(HgSumReduceBegin(c->comm, 1, &sum, pending.request));
  PetscCall(HgPendingEnd(&pending));
  *y = HgSumValue(&sum);
  return 0;
}

static PetscErrorCode total_apply(HgCollective c, const double x[], double y[]) {
  return total(c, (size_t)c->n, x, y);
}

static PetscErrorCode total_adjoint(HgCollective c, const double x[], const double y_bar[],
                                    bool add, double x_bar[]) {
  double contribution = y_bar[0];
  (void)x;
  if (!c->once) PetscCall(total(c, 1, y_bar, &contribution));
  for (int i = 0; i < c->n; i++) x_bar[i] = contribution + (add ? x_bar[i] : 0);
  return 0;
}

const HgCollectiveTable hg_collective_sum = {.name = "sum",
                                             .equal = true,
                                             .set_up = total_set_up,
                                             .apply = total_apply,
                                             .adjoint = total_adjoint};
