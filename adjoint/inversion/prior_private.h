/* SPDX-License-Identifier: BSD-2-Clause */
/* The covariance that a regularisation stands for, R''^-1; for adjoint/inversion only.

   R'' is assembled from its products and factored, R'' = U^T D U, by every rank for itself, in an
   order of the controls that does not depend on the decomposition: solutions have the same bits on
   any. It takes some ten products with R'' if cells see their neighbours alone, else one for each
   control, and on each rank the memory of a sparse factor. Controls that R'' does not depend on are
   left out: they have variance 0. */
#ifndef HALOGRAD_PRIOR_PRIVATE_H
#define HALOGRAD_PRIOR_PRIVATE_H

#include <halograd/operator.h>
#include <petscmat.h>

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

#endif
