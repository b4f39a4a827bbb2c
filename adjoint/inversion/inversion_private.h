/* SPDX-License-Identifier: BSD-2-Clause */
/* For adjoint/inversion*.c only. */
#ifndef HALOGRAD_INVERSION_PRIVATE_H
#define HALOGRAD_INVERSION_PRIVATE_H

#include <halograd/inversion.h>
#include <halograd/posterior_library.h>
#include <petscmat.h>
#include <petsctao.h>
#include <stdbool.h>

/* What a method looks at, besides J. */
typedef enum { HG_METHOD_VALUE, HG_METHOD_GRADIENT, HG_METHOD_HESSIAN } HgMethod;

/* Can TAO do with J, its gradient and products of its Hessian what -tao_type and -tao_ls_type say,
   `bounded`: within bounds? Collective. Errors: a method that is unknown, wants more, knows no
   bounds where there are some, or minimises something else. */
PetscErrorCode HgInversionMethod(MPI_Comm comm, bool bounded, HgMethod *method);

/* How TAO ended. */
const char *HgEndingText(TaoConvergedReason reason);
HgEnding HgEndingOf(TaoConvergedReason reason);

/* TAO's Hessian is that of the functional, times vectors like z, at the last point that TAO has
   said; `range` of each control must stay. It is of -tao_type by now, its linear solver without
   preconditioner. TAO owns what is made. */
PetscErrorCode HgNewtonSetUp(Tao tao, HgOperator functional, const HgControlRange range[], Vec z);

/* What is known before the data as the metric of an inversion: R'' + shift, whose inverse BFGS
   begins with and Newton's equations are preconditioned with. What an H1 term makes stiff on a
   fine grid no longer takes iterations. The shift is a tenth of the misfit's curvature along the
   first step, at least what makes a constant as stiff as the longest wave. For adjoint/inversion
   only. */

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
