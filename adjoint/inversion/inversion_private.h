/* SPDX-License-Identifier: BSD-2-Clause */
/* For adjoint/inversion*.c only. */
#ifndef HALOGRAD_INVERSION_PRIVATE_H
#define HALOGRAD_INVERSION_PRIVATE_H

#include <halograd/inversion.h>
#include <petsctao.h>

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

#endif
