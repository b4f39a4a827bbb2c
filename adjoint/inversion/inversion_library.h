/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/inversion_library.h -- what other rooms of the library need of inversion.h. */
#ifndef HG_INVERSION_LIBRARY_H
#define HG_INVERSION_LIBRARY_H

#include <halograd/inversion.h>
#include <halograd/operator.h>
#include <halograd/sum.h>
#include <petscvec.h>

/* What it inverts (borrowed). */
HgOperator HgInversionFunctional(HgInversion inversion);

/* That of HgInversionSetPart(); NULL: none. */
HgOperator HgInversionPart(HgInversion inversion);

/* Keeps every evaluation in `directory` and takes those found there, *found of them, for the first
   ones: an inversion that was killed goes on with the same bits. `across`:
   HgExperimentsAcross() if groups of ranks do this inversion all alike, else MPI_COMM_NULL. One
   directory is for one HgInversionSolve(): the next one is refused until another is set.
   Collective, over `across` too. Errors: those of HgJournalCreate(). */
PetscErrorCode HgInversionSetJournal(HgInversion inversion, MPI_Comm across, const char directory[],
                                     int *found);

/* So many of the evaluations found are computed again and must come out the same: 2, unless this is
   called. Error: no journal. */
PetscErrorCode HgInversionSetCompared(HgInversion inversion, int evaluations);

/* Is -tao_type a method that looks at products of the Hessian? Collective. Errors: as of
   HgInversionSolve(). */
PetscErrorCode HgInversionUsesHessian(MPI_Comm comm, bool *yes);

/* A PETSc vector whose bits do not depend on how it is cut.

   PETSc's VecDot and VecNorm add in rank order, and its VecAXPY is BLAS, whose fused multiply-adds
   and remainder loops depend on the local length.
   Here every sum is exact (sum.h) and every update is one multiplication and one addition per
   entry. */

/* A vector of `local` entries on this rank; duplicates behave likewise. Collective. */
PetscErrorCode HgExactVecCreate(MPI_Comm comm, PetscInt local, Vec *vec);

/* Makes a vector of PETSc one whose bits do not depend on how it is cut. */
PetscErrorCode HgExactVecMake(Vec vec);

/* on: matrices that TAO's methods create are of such vectors until it is off again. Calls nest.
   Before the first: MatInitializePackage() and KSPInitializePackage(). */
PetscErrorCode HgExactMats(bool on);

/* Every evaluation of J and its gradient, kept on disk, so that an inversion
   that was killed goes on with the same bits.

   An optimiser is a function of the evaluations that it has seen. So nothing of its inside is kept:
   started again, it is given J and gradient of the evaluations found, in their order and without
   computing them, and so arrives where it was, in the middle of a line search if need be. That it
   asks for them at the same controls is checked (digests), and the first two are computed again and
   must come out with the same bits: the model, its data and options are those of before. The number
   of ranks and the decomposition may be others.

   Evaluation k is, in `directory`, an HDF5 image for each rank, evaluation-k-rank-r.h5, the cells
   of the gradient with their global ranges, and evaluation-k.txt, written after them: J in
   hexadecimal, digests of the controls and of the gradient, and range, size and XXH3 digest of each
   image. Every file is written under another name, synced, and renamed: what is killed leaves whole
   evaluations, and at most one is lost. */

typedef struct HgJournal_s *HgJournal;

/* The journal of evaluations at controls like `m` in `directory`, which is made if missing. What is
   found there is verified; from the first evaluation that is damaged on, which is named, they are
   computed anew.

   `across`: MPI_COMM_NULL, or, of groups of ranks that all do alike (experiments.h), the ranks that
   hold the same patch: J and gradient are then the same on every group, the first group alone
   writes, and all of them read. So one directory serves any split of the ranks into groups, and one
   that was written without groups as well. That the groups do do alike is checked at each
   evaluation. Borrowed. Groups that do different things have a directory each, and MPI_COMM_NULL.

   Collective, over `across` too. Errors: directory not writable; another run, or another group, is
   using it; controls that are no fields or replicated arrays. */
PetscErrorCode HgJournalCreate(HgState m, MPI_Comm across, const char directory[],
                               HgJournal *journal);
PetscErrorCode HgJournalDestroy(HgJournal *journal);

/* So many of the first evaluations found are computed again, not 2: 0 trusts that all is as it was.
   */
void HgJournalSetCompared(HgJournal journal, int evaluations);

/* How many evaluations were found. */
int HgJournalFound(HgJournal journal);

/* *J, gradient: those of evaluation `k` = 0, 1, 2, ... of `functional`, at m; out of the journal if
   it has them, else computed and kept. Collective, over `across` too. Errors: those of
   HgOperatorGradient(); evaluation k of the journal was at other controls or had another J or
   gradient; a group has other ones than the first group; no space. */
PetscErrorCode HgJournalEvaluate(HgJournal journal, HgOperator functional, int k, HgState m,
                                 double *J, HgState gradient);

/* How well the data determine the controls, at the minimum of
   J = misfit + R.

   R is the negative logarithm of the prior, whose covariance is R''^-1; near the minimum m the
   posterior is a Gaussian around m with the covariance C = (H + R'')^-1, H = misfit''(m). From the
   leading eigenpairs H v = lambda R'' v, <v, R'' v> = 1,

     C = R''^-1 - sum_k lambda_k / (1 + lambda_k) v_k v_k^T

   A direction with lambda above 1 is known from the data better than from the prior. Bounds of the
   controls are not looked at. All sums are exact (sum.h): the same bits on any decomposition.
   Source: T. Bui-Thanh, O. Ghattas, J. Martin & G. Stadler, SIAM J. Sci. Comput. 35 (2013); the
   eigenpairs by the double pass of A. K. Saibaba, J. Lee & P. K. Kitanidis, Numer. Linear Algebra
   Appl. 23 (2016). */

typedef struct HgPosterior_s *HgPosterior;

/* Can `pairs` eigenpairs at m, or close to it, be asked for? It takes one product with H.
   Collective. Errors: more pairs than controls, or less than 1; R is NULL or not positive definite,
   as H1 without Tikhonov; no second derivatives. */
PetscErrorCode HgPosteriorRequire(HgOperator misfit, HgOperator R, HgState m, int pairs);

/* The `pairs` eigenpairs at m that change the covariance most. It takes 2 (pairs + 10) products
   with H, a product with R'' for each control, which assembles it, and a factor of R'' on each
   rank. The inversion, whose scales count, is borrowed. Collective. Errors: those of
   HgPosteriorRequire(); R'', or H + R'' as away from a minimum, is not positive definite; the data
   depend on a control that R does not. */
PetscErrorCode HgPosteriorCreate(HgInversion inversion, HgOperator misfit, HgOperator R, HgState m,
                                 int pairs, HgPosterior *posterior);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgPosteriorDestroy(HgPosterior *posterior);

/* How many eigenpairs there are: fewer than were asked for if all others are 0 to rounding.
   *lambda: theirs, the largest first (borrowed). Not collective. */
int HgPosteriorEigenvalues(HgPosterior posterior, const double **lambda);

/* Standard deviations of each control, before the data (`prior`: the square root of the diagonal of
   R''^-1) and after (`deviation`: of C), states like m. It takes one solution with the factor of
   R'' for each control, which the ranks share. Controls that neither R nor the data
   depend on have 0. Collective. */
PetscErrorCode HgPosteriorDeviations(HgPosterior posterior, HgState prior, HgState deviation);

/* Standard deviations of the number <g, m>, before the data and after; g like m. It takes one
   solution with the factor of R''. Collective. Error: g is not 0 at a control that R does not
   depend on. */
PetscErrorCode HgPosteriorFunctional(HgPosterior posterior, HgState g, double *prior,
                                     double *deviation);

#endif
