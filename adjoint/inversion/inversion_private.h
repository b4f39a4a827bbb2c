/* SPDX-License-Identifier: BSD-2-Clause */
/* For adjoint/inversion*.c only. */
#ifndef HALOGRAD_INVERSION_PRIVATE_H
#define HALOGRAD_INVERSION_PRIVATE_H

#include <halograd/inversion.h>
#include <halograd/posterior_library.h>
#include <petscmat.h>
#include <petsctao.h>
#include <stdbool.h>

/* What a method needs besides J. */
typedef enum { HG_METHOD_VALUE, HG_METHOD_GRADIENT, HG_METHOD_HESSIAN } HgMethod;

enum { HG_METHOD_NAME = 64 };

/* TAO's name of the method, and what it needs: that of -tao_type, else `other`, NULL: BLMVM.
   `bounded`: some control has a bound. Collective. Errors: a method that is unknown, needs more
   than J, its gradient and Hessian products, ignores bounds that exist, or minimises something
   else; an unknown -tao_ls_type. */
PetscErrorCode HgInversionMethod(MPI_Comm comm, bool bounded, const char other[],
                                 char name[HG_METHOD_NAME], HgMethod *method);

/* How TAO ended, in words and as an HgEnding. */
const char *HgEndingText(TaoConvergedReason reason);
HgEnding HgEndingOf(TaoConvergedReason reason);

/* Sets TAO's Hessian to that of the functional at TAO's last point, for vectors like z; `range` is
   borrowed. TAO must have its type; its linear solver has no preconditioner. TAO owns what is
   created. */
PetscErrorCode HgNewtonSetUp(Tao tao, HgOperator functional, const HgControlRange range[], Vec z);

/* The metric of an inversion: R'' + shift. BFGS begins with its inverse, and it preconditions
   Newton's equations. Then what an H1 term makes stiff on a fine grid takes no more iterations. The
   shift is a tenth of the misfit's curvature along the first step, but at least so large that a
   constant is as stiff as the longest wave. */

typedef struct HgMetric_s *HgMetric;

/* Creates the metric of the functional R from its second derivative at m; vectors are like z.
   Collective. Error: R has no second derivative. */
PetscErrorCode HgMetricCreate(HgOperator R, const HgControlRange range[], HgState m, Vec z,
                              HgMetric *metric);
PetscErrorCode HgMetricDestroy(HgMetric *metric);

/* Makes TAO use it. TAO has its type, which is of that method, and its options. Error: neither BFGS
   nor Newton. */
PetscErrorCode HgMetricUse(HgMetric metric, HgMethod method, Tao tao);

/* Call it at each iterate of TAO. Builds the metric at the second one, scaled by J's curvature
   along the last step; leaves out controls that a bound holds. Collective. Error: R'' + shift is
   not positive definite. */
PetscErrorCode HgMetricMove(HgMetric metric, Tao tao, double J);

#endif
