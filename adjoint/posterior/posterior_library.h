/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/posterior_library.h -- controls as PETSc vectors; the covariances before and after the
   data. */
#ifndef HG_POSTERIOR_LIBRARY_H
#define HG_POSTERIOR_LIBRARY_H

#include <halograd/posterior.h>
#include <halograd/sum.h>
#include <petscmat.h>

/* A PETSc vector whose bits do not depend on how it is cut.

   PETSc's VecDot and VecNorm add in rank order, and its VecAXPY is BLAS, whose fused multiply-adds
   and remainder loops depend on the local length.
   Here every sum is exact (sum.h) and every update is one multiplication and one addition per
   entry. */

/* A vector of `local` entries on this rank; duplicates behave likewise. Collective. */
PetscErrorCode HgExactVecCreate(MPI_Comm comm, PetscInt local, Vec *vec);

/* Makes a vector of PETSc one whose bits do not depend on how it is cut. */
PetscErrorCode HgExactVecMake(Vec vec);

/* ---- controls as a vector ---- */

/* The part of variable k: `rows` rows of `n` numbers, as HgStateRowOf() has them. */
void HgControlsPart(HgState m, int k, int *rows, int *n);

/* Numbers of TAO's vector on this rank. */
PetscInt HgControlsSize(HgState m);

/* number[n]: which of all controls the n-th number of TAO's vector on this rank is, counted
   variable by variable and row by row of the grid: the same on any decomposition. */
void HgControlsNumber(HgState m, PetscInt number[]);

/* *all: those of all ranks together. Error: so many that PETSc cannot count them. Collective. */
PetscErrorCode HgControlsCount(HgState m, PetscInt *all);

/* z = W^power m, what TAO is shown: W = sqrt(dx dy) / scale of fields, 1 / scale of arrays. */
PetscErrorCode HgControlsToVec(HgState m, const HgControlRange range[], int power, Vec z);

/* m = W^-1 z, `bounded` or not. */
PetscErrorCode HgControlsFromVec(Vec z, const HgControlRange range[], bool bounded, HgState m);

/* z = W times the upper bounds, or the lower ones. */
PetscErrorCode HgControlsBounds(HgState m, const HgControlRange range[], bool upper, Vec z);

/* *H = W^-1 J''(m) W^-1 of the functional J, as products with vectors like z; `range` of each
   control must stay. m NULL: the point is not known yet. Collective. */
PetscErrorCode HgHessianCreate(HgOperator functional, const HgControlRange range[], Vec z,
                               HgState m, Mat *H);

/* It is that at z, within bounds, from now on. Collective. */
PetscErrorCode HgHessianMove(Mat H, Vec z);

/* The covariance that a regularisation stands for, R''^-1.

   R'' is assembled from its products and factored, R'' = U^T D U, by every rank for itself, in an
   order of the controls that does not depend on the decomposition: solutions have the same bits on
   any. It takes some ten products with R'' if cells see their neighbours alone, some 35 if they see
   theirs, too, in three dimensions 27 or 152, as many or fewer of numbers that see those next to
   them, or as far from them as a step has numbers; else one for each control; and on each rank the
   memory of a sparse factor. Controls that R'' does not depend on are left out: they have variance
   0. */

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

/* The diagonal of R''^-1. Not collective. */
PetscErrorCode HgPriorVariance(HgPrior prior, Vec variance);

/* The diagonal of A^-1 of a sparse symmetric positive definite matrix of one rank, for little more
   than a factor of it. Not collective. */
PetscErrorCode HgInverseDiagonal(Mat A, PetscScalar diagonal[]);

/* x = U^-1 D^-1/2 xi, whose covariance is R''^-1; xi are normal numbers of (seed, control). Not
   collective. */
PetscErrorCode HgPriorSample(HgPrior prior, uint64_t seed, Vec x);

/* Can `pairs` eigenpairs at m, or close to it, be asked for? It takes one product with H.
   Collective. Errors: more pairs than controls, or less than 1; R is NULL or not positive definite,
   as H1 without Tikhonov; no second derivatives. */
PetscErrorCode HgPosteriorRequire(HgOperator misfit, HgOperator R, HgState m, int pairs);

/* Where to measure next: sensors of which each would read `readings` numbers with noise of the
   deviation sigma, and what samples of the posterior predict them to read. */
typedef struct {
  int samples, count, readings; /* samples at least 2 */
  double sigma;
} HgCandidates;

/* chosen[count]: those that, one after another, leave least of the trace of the covariance C of the
   controls; left[count]: the share of it that is left with each. With the samples' deviations A of
   the controls, M = A^T A [samples][samples], and Y = G A of the readings
   [candidates][readings][samples], both of mean 0, a reading y with s = |y|^2 / (samples - 1) +
   sigma^2 makes of C = A A^T / (samples - 1)
     C - A y^T y A^T / ((samples - 1)^2 s)
   and of A and Y A T and Y T, T = 1 - y^T y / ((1 + sigma / sqrt(s)) (samples - 1) s). M and Y are
   those with all that was chosen. Source: J. S. Whitaker & T. M. Hamill, Mon. Wea. Rev. 130 (2002).
   Not collective. */
PetscErrorCode HgNextSensors(const HgCandidates *candidates, int count, double M[], double Y[],
                             int chosen[], double left[]);

#endif
