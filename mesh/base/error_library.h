/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/error_library.h -- what other rooms of the library need of error.h. */
#ifndef HG_ERROR_LIBRARY_H
#define HG_ERROR_LIBRARY_H

#include <halograd/error.h>
#include <petscsys.h>
#include <stdbool.h>

/* From here on the program ends with `status`, above 0, where errors that were told would end it
   with 1: another word than "failed" for what started it. Unexpected errors and the watchdog still
   end it with 1. Groups that meet (HgErrorMeet()) have one status, 1 if it is that of any that
   brings an error. Not collective. */
void HgErrorSetStatus(int status);

/* From here on the program ends with `status` where it would end with 0: what it did is whole, but
   no success. The same on every rank. Not collective. */
void HgSetExitStatus(int status);

/* Adds to a sentence that is put together of parts, cut to `size` bytes. Not collective. */
void HgSentenceAdd(size_t size, char sentence[], const char format[], ...)
    PETSC_ATTRIBUTE_FORMAT(3, 4);

/* How long a rank that has failed waits for the others where groups meet [s]; 1 to begin with. Not
   collective. */
void HgErrorSetPatience(double seconds);
double HgErrorPatience(void);

/* Collective on `comm`, whose groups may differ in `ierr`: if it is not 0 anywhere, the sentence
   kept by the lowest rank that keeps one is printed, and HG_ERROR_TOLD is returned on every rank;
   otherwise 0. A rank that has failed and has waited for longer than its patience ends the job:
   HgErrorEndJob(). One MPI_Iallreduce. */
PetscErrorCode HgErrorMeet(MPI_Comm comm, PetscErrorCode ierr);

/* The same for ranks that all come, however late, and may go on after the error; called before
   HgErrorHold(false). Within an outer hold the lowest rank goes on keeping its sentence. One
   MPI_Allreduce. */
PetscErrorCode HgErrorTell(MPI_Comm comm, PetscErrorCode ierr);

/* Prints what this rank keeps, if anything. Not collective; any thread. */
void HgErrorSay(void);

/* Prints what this rank keeps and ends the job, all ranks with a status that is not 0; a rank that
   keeps nothing leaves others ten seconds to do so. Not collective. Does not return. */
void HgErrorEndJob(void);

/* Writes a line to a file that is open, however often the system interrupts: 0 or an errno. No
   point of HG_FAULT_WRITE. Any thread. */
int HgFilePrint(int file, const char line[], size_t length);

/* NULL, or `help` of HgInitialize() if the user asked for -help, which then is no longer among the
   arguments: HgOptionsEnd() (options.h) answers it. Not collective. */
const char *HgHelpAsked(void);

/* ---- for start.c ---- */

/* MPI runs: nothing has gone wrong so far. Collective on MPI_COMM_WORLD, as End is. */
void HgErrorBegin(void);
void HgErrorEnd(void);

/* The status with which a program ends that brings this code. Not collective. */
int HgErrorStatus(PetscErrorCode ierr);

/* Prints what this rank keeps, then the sentence; the second says that output is lost. Not
   collective. */
void HgErrorSayNow(HgErrorId id, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
void HgErrorSayLostOutput(void);

/* PETSc's handler: an error of PETSc or of a user's function is one sentence, and ends the job. */
PetscErrorCode HgErrorHandle(MPI_Comm comm, int line, const char *function, const char *file,
                             PetscErrorCode code, PetscErrorType type, const char *message,
                             void *context);

/* Refuses what differs between ranks and must not, such as data that each rank drew at random: the
   text that `format` and what follows make, up to 255 characters, is compared with that of rank 0,
   HG_ERR_RANKS_DIFFER. Collective on `comm`: one MPI_Bcast, one MPI_Allreduce. Call it before
   HgRequire() asks the same numbers for something. */
PetscErrorCode HgRequireAlike(MPI_Comm comm, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

/* Bytes of the character of UTF-8 that `text` begins with; 0: none does. Not collective. */
size_t HgCharacter(const char text[]);

/* What others do when a program starts and ends, for mesh/base and mesh/trace: base calls the rooms
   above it by these hooks and includes nothing of theirs. */

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
