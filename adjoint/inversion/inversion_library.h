/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/inversion_library.h -- what other rooms of the library need of inversion.h. */
#ifndef HG_INVERSION_LIBRARY_H
#define HG_INVERSION_LIBRARY_H

#include <halograd/inversion.h>
#include <halograd/posterior_library.h>

/* The functional that is minimised (borrowed). */
HgOperator HgInversionFunctional(HgInversion inversion);

/* The part of HgInversionSetPart(); NULL: none. */
HgOperator HgInversionPart(HgInversion inversion);

/* Bounds and scale of each control (borrowed). */
const HgControlRange *HgInversionRanges(HgInversion inversion);

/* Keeps every evaluation in `directory` and uses the *found evaluations there for the first ones,
   so that an inversion that was killed continues with the same bits. `across`: HgGroup.across if
   groups of ranks make this same inversion, else MPI_COMM_NULL. One directory serves one
   HgInversionSolve(); set another before the next. Collective, also over `across`. Errors: those of
   HgJournalCreate(). */
PetscErrorCode HgInversionSetJournal(HgInversion inversion, MPI_Comm across, const char directory[],
                                     int *found);

/* Sets how many of the evaluations found are computed again and must be the same; default 2. Error:
   no journal. */
PetscErrorCode HgInversionSetCompared(HgInversion inversion, int evaluations);

/* *yes: -tao_type is a method that uses products of the Hessian. Collective. Errors: as of
   HgInversionSolve(). */
PetscErrorCode HgInversionUsesHessian(MPI_Comm comm, bool *yes);

/* `on`: matrices that TAO's methods create use exact vectors, until it is switched off. Calls nest.
   Call MatInitializePackage() and KSPInitializePackage() before the first. */
PetscErrorCode HgExactMats(bool on);

/* The journal: every evaluation of J and its gradient on disk, so that an inversion that was killed
   continues with the same bits.

   An optimiser is a function of the evaluations it has seen. So the journal keeps nothing of its
   inside. When it starts again, it gets J and gradient of the evaluations found, in order and
   without computing them, until it is where it was, perhaps in the middle of a line search. The
   journal checks by digests that it asks at the same controls, and computes the first two
   evaluations again, which must have the same bits: model, data and options are then those of
   before. The number of ranks and the decomposition may differ.

   Evaluation k consists, in `directory`, of an HDF5 image for each rank, evaluation-k-rank-r.h5,
   with the cells of the gradient and their global ranges; and of evaluation-k.txt, written after
   them, with J in hexadecimal, digests of the controls and of the gradient, and range, size and
   XXH3 digest of each image. Every file is written under another name, synced, and renamed: a
   killed run leaves complete evaluations and loses at most one. */

typedef struct HgJournal_s *HgJournal;

/* Opens the journal of evaluations at controls like `m` in `directory`, which is created if
   missing. Verifies what is there; from the first damaged evaluation on, which is named,
   evaluations are computed again.

   `across` (borrowed): if groups of ranks make the same inversion (experiments.h), the ranks with
   the same patch; else MPI_COMM_NULL. J and gradient are then the same on every group; the first
   group writes, and all of them read. So one directory serves any split of the ranks into groups,
   or none. Each evaluation checks that the groups agree. Groups with different inversions have a
   directory each, and MPI_COMM_NULL.

   Collective, also over `across`. Errors: directory not writable; another run, or another group, is
   using it; controls that are not fields or replicated arrays. */
PetscErrorCode HgJournalCreate(HgState m, MPI_Comm across, const char directory[],
                               HgJournal *journal);
PetscErrorCode HgJournalDestroy(HgJournal *journal);

/* Sets how many of the first evaluations found are computed again; default 2, 0: none. */
void HgJournalSetCompared(HgJournal journal, int evaluations);

/* How many evaluations were found. */
int HgJournalFound(HgJournal journal);

/* *J and gradient of evaluation `k` = 0, 1, 2, ... of `functional` at m: from the journal if it has
   them, else computed and stored. Collective, also over `across`. Errors: those of
   HgOperatorGradient(); evaluation k of the journal is at other controls or has another J or
   gradient; a group differs from the first; no space. */
PetscErrorCode HgJournalEvaluate(HgJournal journal, HgOperator functional, int k, HgState m,
                                 double *J, HgState gradient);

#endif
