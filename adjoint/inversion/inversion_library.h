/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/inversion_library.h -- what other rooms of the library need of inversion.h. */
#ifndef HG_INVERSION_LIBRARY_H
#define HG_INVERSION_LIBRARY_H

#include <halograd/inversion.h>
#include <halograd/posterior_library.h>

/* What it inverts (borrowed). */
HgOperator HgInversionFunctional(HgInversion inversion);

/* That of HgInversionSetPart(); NULL: none. */
HgOperator HgInversionPart(HgInversion inversion);

/* What each control may be, and its size (borrowed). */
const HgControlRange *HgInversionRanges(HgInversion inversion);

/* Keeps every evaluation in `directory` and takes those found there, *found of them, for the first
   ones: an inversion that was killed goes on with the same bits. `across`:
   HgGroup.across if groups of ranks do this inversion all alike, else MPI_COMM_NULL. One
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

#endif
