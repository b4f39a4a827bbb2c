/* SPDX-License-Identifier: BSD-2-Clause */
/* For adjoint/inversion*.c only. */
#ifndef HALOGRAD_INVERSION_PRIVATE_H
#define HALOGRAD_INVERSION_PRIVATE_H

#include <halograd/inversion.h>
#include <halograd/operator.h>
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

/* What a control may be, and the size of its numbers [its unit]: TAO is shown z = W m, W = sqrt(dx
   dy) / scale of fields, 1 / scale of arrays. */
typedef struct {
  double lower, upper, scale;
} HgControlRange;

/* ---- inversion.c ---- */

/* Of each control (borrowed). */
const HgControlRange *HgInversionRanges(HgInversion inversion);

/* ---- inversion_newton.c ---- */

/* *H = W^-1 J''(m) W^-1 of the functional J, as products with vectors like z; `range` of each
   control must stay. m NULL: the point is not known yet. Collective. */
PetscErrorCode HgHessianCreate(HgOperator functional, const HgControlRange range[], Vec z,
                               HgState m, Mat *H);

/* TAO's Hessian is that of the functional, times vectors like z, at the last point that TAO has
   said; `range` of each control must stay. It is of -tao_type by now, its linear solver without
   preconditioner. TAO owns what is made. */
PetscErrorCode HgNewtonSetUp(Tao tao, HgOperator functional, const HgControlRange range[], Vec z);

/* ---- inversion_vec.c ---- */

/* The part of variable k: `rows` rows of `n` numbers, as HgStateRowOf() has them. */
void HgControlsPart(HgState m, int k, int *rows, int *n);

/* Numbers of TAO's vector on this rank. */
PetscInt HgControlsSize(HgState m);

/* number[n]: which of all controls the n-th number of TAO's vector on this rank is, counted
   variable by variable and row by row of the grid: the same on any decomposition. */
void HgControlsNumber(HgState m, PetscInt number[]);

/* Error: so many numbers on all ranks together that PETSc cannot count them. Collective. */
PetscErrorCode HgControlsCheckSize(HgState m);

/* z = W^power m */
PetscErrorCode HgControlsToVec(HgState m, const HgControlRange range[], int power, Vec z);

/* m = W^-1 z, `bounded` or not. */
PetscErrorCode HgControlsFromVec(Vec z, const HgControlRange range[], bool bounded, HgState m);

/* z = W times the upper bounds, or the lower ones. */
PetscErrorCode HgControlsBounds(HgState m, const HgControlRange range[], bool upper, Vec z);

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

/* The covariance that a regularisation stands for, R''^-1; for adjoint/inversion only.

   R'' is assembled from its products and factored, R'' = U^T D U, by every rank for itself, in an
   order of the controls that does not depend on the decomposition: solutions have the same bits on
   any. It takes some ten products with R'' if cells see their neighbours alone, else one for each
   control, and on each rank the memory of a sparse factor. Controls that R'' does not depend on are
   left out: they have variance 0. */

typedef struct HgPrior_s *HgPrior;

/* R: products with R'' of vectors as of HgControlsToVec() for controls like `m`. shift: NULL, or
   what is added to the diagonal of each variable; it then serves as a preconditioner, and stands
   for 1 at controls that R'' does not depend on. Collective. Error: R'' is not positive
   definite. */
PetscErrorCode HgPriorCreate(HgState m, Mat R, const double shift[], HgPrior *prior);
PetscErrorCode HgPriorDestroy(HgPrior *prior);

/* x = R''^-1 b. Collective. Error, without a shift: b is not 0 at a control that R'' does not
   depend on. */
PetscErrorCode HgPriorSolve(HgPrior prior, Vec b, Vec x);

/* The diagonal of R''^-1, of which each rank computes its own part: a solution for each control.
   Not collective. */
PetscErrorCode HgPriorVariance(HgPrior prior, Vec variance);

/* A v_k = lambda_k v_k of a symmetric A[n][n], which is overwritten: lambda[n], the smallest first,
   and V[k] = v_k, of length 1. The same bits for the same A. False: it did not converge, as where A
   is not finite. Not collective. */
bool HgSymmetricEigen(int n, double A[], double lambda[], double V[]);

#endif
