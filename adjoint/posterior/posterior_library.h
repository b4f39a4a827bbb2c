/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/posterior_library.h -- controls as PETSc vectors; the covariances before and after the
   data. */
#ifndef HG_POSTERIOR_LIBRARY_H
#define HG_POSTERIOR_LIBRARY_H

#include <halograd/posterior.h>
#include <halograd/sum.h>
#include <petscmat.h>

/* PETSc vectors whose bits do not depend on how they are cut. PETSc's VecDot and VecNorm add in
   rank order, and its VecAXPY is BLAS, whose fused multiply-adds and remainder loops depend on the
   local length. Here every sum is exact (sum.h) and every update is one multiplication and one
   addition per entry. */

/* Creates such a vector with `local` entries on this rank; duplicates behave likewise.
   Collective. */
PetscErrorCode HgExactVecCreate(MPI_Comm comm, PetscInt local, Vec *vec);

/* Turns a vector of PETSc into such a vector. */
PetscErrorCode HgExactVecMake(Vec vec);

/* Creates such vectors for a matrix, as MatCreateVecs() does; NULL: not wanted. */
PetscErrorCode HgExactVecsOf(Mat A, Vec *right, Vec *left);

/* ---- controls as a vector ---- */

/* The part of variable k in the vector: `rows` rows of `n` numbers, as in HgStateRowOf(). */
void HgControlsPart(HgState m, int k, int *rows, int *n);

/* How many numbers the vector has on this rank. */
PetscInt HgControlsSize(HgState m);

/* number[n]: the number, among all controls, of entry n on this rank, counted variable by variable
   and row by row of the grid: the same on any decomposition. */
void HgControlsNumber(HgState m, PetscInt number[]);

/* *all: how many numbers all ranks have together. Error: more than PETSc can count. Collective. */
PetscErrorCode HgControlsCount(HgState m, PetscInt *all);

/* z = W^power m, with W = sqrt(dx dy) / scale for fields, 1 / scale for arrays. TAO sees z for
   power 1. */
PetscErrorCode HgControlsToVec(HgState m, const HgControlRange range[], int power, Vec z);

/* m = W^-1 z; `bounded`: moved into the bounds. */
PetscErrorCode HgControlsFromVec(Vec z, const HgControlRange range[], bool bounded, HgState m);

/* z = W times the upper or the lower bounds. */
PetscErrorCode HgControlsBounds(HgState m, const HgControlRange range[], bool upper, Vec z);

/* *H = W^-1 J''(m) W^-1 of the functional J, as products with vectors like z; `range` is borrowed.
   m NULL: the point is not known yet. Collective. */
PetscErrorCode HgHessianCreate(HgOperator functional, const HgControlRange range[], Vec z,
                               HgState m, Mat *H);

/* Moves H to the point z, within bounds. Collective. */
PetscErrorCode HgHessianMove(Mat H, Vec z);

/* The covariance of a regularisation, R''^-1.

   Each rank assembles R'' from its products and factors it, R'' = U^T D U, in an order of the
   controls that does not depend on the decomposition: solutions have the same bits on any. It takes
   some ten products with R'' if cells couple to their neighbours only, some 35 if also to the
   neighbours' neighbours; in three dimensions 27 or 152. Numbers that couple to the next ones, or
   as far as a step has numbers, take as many or fewer. Otherwise it takes one product for each
   control. Each rank holds a sparse factor. Controls that R'' does not depend on are left out: they
   have variance 0. */

typedef struct HgPrior_s *HgPrior;

/* Creates the covariance from products with R'' of vectors as of HgControlsToVec() for controls
   like `m`. `shift` (or NULL) is added to the diagonal of each variable; the result is then a
   preconditioner, and is 1 at controls that R'' does not depend on. Collective. Error: R'' is not
   positive definite. */
PetscErrorCode HgPriorCreate(HgState m, Mat R, const double shift[], HgPrior *prior);
PetscErrorCode HgPriorDestroy(HgPrior *prior);

/* x = R''^-1 b. Collective. Error, without a shift: b is not 0 at a control that R'' does not
   depend on. */
PetscErrorCode HgPriorSolve(HgPrior prior, Vec b, Vec x);

/* The diagonal of R''^-1. Not collective. */
PetscErrorCode HgPriorVariance(HgPrior prior, Vec variance);

/* diagonal[] = the diagonal of A^-1, for a sparse symmetric positive definite matrix of one rank;
   costs little more than a factor of A. Not collective. */
PetscErrorCode HgInverseDiagonal(Mat A, PetscScalar diagonal[]);

/* x = U^-1 D^-1/2 xi, with the covariance R''^-1; xi are normal numbers of (seed, control). Not
   collective. */
PetscErrorCode HgPriorSample(HgPrior prior, uint64_t seed, Vec x);

/* Checks that `pairs` eigenpairs can be computed at m or near it. Takes one product with H.
   Collective. Errors: more pairs than controls, or less than 1; R is NULL or not positive definite,
   as H1 without Tikhonov; no second derivatives. */
PetscErrorCode HgPosteriorRequire(HgOperator misfit, HgOperator R, HgState m, int pairs);

/* Where to measure next: candidates for sensors, each of which would read `readings` numbers with
   noise of standard deviation sigma; and what samples of the posterior predict for them. */
typedef struct {
  int samples, count, readings; /* samples at least 2 */
  double sigma;
} HgCandidates;

/* chosen[count]: the candidates that, one after another, leave least of the trace of the covariance
   C of the controls; left[count]: the part of it that is left with each.

   Let A be the samples' deviations of the controls, M = A^T A [samples][samples], and Y = G A those
   of the readings [candidates][readings][samples], both of mean 0. A reading y with s = |y|^2 /
   (samples - 1) + sigma^2 turns C = A A^T / (samples - 1) into
     C - A y^T y A^T / ((samples - 1)^2 s)
   and A and Y into A T and Y T, T = 1 - y^T y / ((1 + sigma / sqrt(s)) (samples - 1) s). On return,
   M and Y are those with all chosen sensors. Source: J. S. Whitaker & T. M. Hamill, Mon. Wea. Rev.
   130 (2002). Not collective. */
PetscErrorCode HgNextSensors(const HgCandidates *candidates, int count, double M[], double Y[],
                             int chosen[], double left[]);

#endif
