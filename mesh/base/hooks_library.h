/* SPDX-License-Identifier: BSD-2-Clause */
/* What others do when a program starts and ends, for mesh/base and mesh/trace: base calls the rooms
   above it by these hooks and includes nothing of theirs. */
#ifndef HG_HOOKS_LIBRARY_H
#define HG_HOOKS_LIBRARY_H

#include <petscsys.h>
#include <stdbool.h>

typedef struct {
  /* at the end of HgInitialize(), MPI and PETSc run; collective on MPI_COMM_WORLD */
  PetscErrorCode (*begin)(void);
  /* at the end of HgFinalize(), PETSc has ended; failed: the program's status is not 0. False:
     something could not be written, as a sentence says, and the status must not be 0. Not
     collective; calls no MPI, which has ended where the program has ended it */
  bool (*end)(bool failed);
} HgHooks;

/* Takes the one set of hooks; for a function that runs before main(). */
void HgHooksSet(HgHooks hooks);

/* Faults (fault.c): reads -hg_fault; collective on MPI_COMM_WORLD; error: it is no fault. Then
   prints what was counted, if -hg_fault count was given; collective on MPI_COMM_WORLD. */
PetscErrorCode HgFaultBegin(void);
PetscErrorCode HgFaultEnd(void);

/* Inputs (input.c): reads -input_memory; collective on MPI_COMM_WORLD; error: it is no number of
   bytes. */
PetscErrorCode HgInputBegin(void);

#endif
