/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/inversion_library.h -- what other rooms of the library need of inversion.h. */
#ifndef HG_INVERSION_LIBRARY_H
#define HG_INVERSION_LIBRARY_H

#include <halograd/inversion.h>

/* What it inverts (borrowed). */
HgOperator HgInversionFunctional(HgInversion inversion);

/* That of HgInversionSetPart(); NULL: none. */
HgOperator HgInversionPart(HgInversion inversion);

/* Keeps every evaluation in `directory` and takes those found there, *found of them, for the first
   ones: an inversion that was killed goes on with the same bits (journal.h). `across`:
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

#endif
