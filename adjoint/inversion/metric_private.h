/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known before the data as the metric of an inversion: R'' + shift, whose inverse BFGS
   begins with and Newton's equations are preconditioned with. What an H1 term makes stiff on a
   fine grid no longer takes iterations. The shift is a tenth of the misfit's curvature along the
   first step, at least what makes a constant as stiff as the longest wave. For adjoint/inversion
   only. */
#ifndef HALOGRAD_METRIC_PRIVATE_H
#define HALOGRAD_METRIC_PRIVATE_H

#include "inversion_private.h"

typedef struct HgMetric_s *HgMetric;

/* Of the functional R, whose second derivative at m it takes; vectors are like z. Collective.
   Error: R has no second derivative. */
PetscErrorCode HgMetricCreate(HgOperator R, const HgControlRange range[], HgState m, Vec z,
                              HgMetric *metric);
PetscErrorCode HgMetricDestroy(HgMetric *metric);

/* TAO, whose type is of that method and whose options are set, takes it from now on. Error: neither
   BFGS nor Newton. */
PetscErrorCode HgMetricUse(HgMetric metric, HgMethod method, Tao tao);

/* At each iterate of TAO: it is made at the second; its size is that of J's curvature along the
   last step, and controls that a bound holds are left out of it. Collective. Error: R'' + shift
   is not positive definite. */
PetscErrorCode HgMetricMove(HgMetric metric, Tao tao, double J);

#endif
