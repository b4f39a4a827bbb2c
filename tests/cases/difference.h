/* SPDX-License-Identifier: BSD-2-Clause */
/* Second derivatives against central differences of first ones. */
#ifndef HALOGRAD_TEST_DIFFERENCE_H
#define HALOGRAD_TEST_DIFFERENCE_H

#include <halograd/operator.h>
#include <math.h>

/* g = F'(x)^T y_bar, or with y_bar NULL the gradient of a functional F. */
static inline PetscErrorCode difference_side(HgOperator F, HgState x, HgState y_bar, HgState g) {
  double value;
  return y_bar ? HgOperatorTranspose(F, x, y_bar, g) : HgOperatorGradient(F, x, &value, g);
}

/* *off = |h - (g(x + eps dx) - g(x - eps dx)) / 2 eps|, *norm = |h|, with g as above. Collective.
   */
static inline PetscErrorCode difference(HgOperator F, HgState x, HgState dx, HgState y_bar,
                                        HgState h, double eps, double *off, double *norm) {
  HgState moved, g[2];
  PetscCall(HgStateDuplicate(x, &moved));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgStateDuplicate(x, &g[k]));
    PetscCall(HgStateCopy(x, moved));
    PetscCall(HgStateAXPY(moved, k ? -eps : eps, dx));
    PetscCall(difference_side(F, moved, y_bar, g[k]));
  }
  PetscCall(HgStateAXPY(g[0], -1, g[1]));
  PetscCall(HgStateScale(g[0], 0.5 / eps));
  PetscCall(HgStateAXPY(g[0], -1, h));
  PetscCall(HgStateDot(g[0], g[0], off));
  PetscCall(HgStateDot(h, h, norm));
  *off = sqrt(*off), *norm = sqrt(*norm);
  for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(&g[k]));
  return HgStateDestroy(&moved);
}

#endif
