/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/error_library.h -- what other rooms of the library need of error.h. */
#ifndef HG_ERROR_LIBRARY_H
#define HG_ERROR_LIBRARY_H

#include <halograd/error.h>
#include <petscsys.h>
#include <stdbool.h>

/* Sets the exit status, > 0, of a program that ends by an error that was told (default 1).
   Unexpected errors and the watchdog still end it with 1. Groups that meet (HgErrorMeet()) get one
   status: 1 if it is that of any group with an error. Not collective. */
void HgErrorSetStatus(int status);

/* Sets the exit status of a program that ends without error but also without success (default 0).
   The same on every rank. Not collective. */
void HgSetExitStatus(int status);

/* Appends to a sentence, cut to `size` bytes. Not collective. */
void HgSentenceAdd(size_t size, char sentence[], const char format[], ...)
    PETSC_ATTRIBUTE_FORMAT(3, 4);

/* How long a rank that has failed waits for the others where groups meet [s]; default 1. Not
   collective. */
void HgErrorSetPatience(double seconds);
double HgErrorPatience(void);

/* Where groups meet; `ierr` may differ between groups. If it is not 0 anywhere, prints the sentence
   kept by the lowest rank that keeps one and returns HG_ERROR_TOLD on every rank; otherwise 0. A
   rank that has failed and has waited longer than its patience ends the job: HgErrorEndJob(). One
   MPI_Iallreduce. Collective on `comm`. */
PetscErrorCode HgErrorMeet(MPI_Comm comm, PetscErrorCode ierr);

/* The same for ranks that all come, however late, and may continue after the error; call it before
   HgErrorHold(false). Within an outer hold the lowest rank keeps its sentence. One
   MPI_Allreduce. */
PetscErrorCode HgErrorTell(MPI_Comm comm, PetscErrorCode ierr);

/* Prints the sentence that this rank keeps, if any. Not collective; any thread. */
void HgErrorSay(void);

/* Prints the sentence that this rank keeps and ends the job with a status that is not 0 on all
   ranks. A rank that keeps nothing leaves others ten seconds to do so. Not collective. Does not
   return. */
void HgErrorEndJob(void);

/* Writes a line to an open file, however often the system interrupts; returns 0 or an errno. It is
   no point of HG_FAULT_WRITE. Any thread. */
int HgFilePrint(int file, const char line[], size_t length);

/* `help` of HgInitialize() if the user asked for -help, else NULL. -help is then removed from the
   arguments; HgOptionsEnd() (options.h) answers it. Not collective. */
const char *HgHelpAsked(void);

/* ---- for start.c ---- */

/* Begin and end of the program's errors, while MPI runs. Collective on MPI_COMM_WORLD. */
void HgErrorBegin(void);
void HgErrorEnd(void);

/* The exit status of a program that ends with this code. Not collective. */
int HgErrorStatus(PetscErrorCode ierr);

/* Print the sentence that this rank keeps, then the given one, or that output was lost. Not
   collective. */
void HgErrorSayNow(HgErrorId id, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
void HgErrorSayLostOutput(void);

/* PETSc's handler: an error of PETSc or of a user's function is one sentence, and ends the job. */
PetscErrorCode HgErrorHandle(MPI_Comm comm, int line, const char *function, const char *file,
                             PetscErrorCode code, PetscErrorType type, const char *message,
                             void *context);

/* Refuses values that must not differ between ranks, such as data drawn at random on each. Compares
   the text of `format` and its arguments, up to 255 characters, with that of rank 0; the error is
   HG_ERR_RANKS_DIFFER. Call it before HgRequire() on the same numbers. Collective on `comm`: one
   MPI_Bcast, one MPI_Allreduce. */
PetscErrorCode HgRequireAlike(MPI_Comm comm, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

/* Bytes of the UTF-8 character at the start of `text`; 0: it is not valid UTF-8. Not collective. */
size_t HgCharacter(const char text[]);

/* What other rooms do when a program starts and ends. mesh/base calls them by these hooks and
   includes nothing of theirs. */

typedef struct {
  /* at the end of HgInitialize(), while MPI and PETSc run. Collective on MPI_COMM_WORLD */
  PetscErrorCode (*begin)(void);
  /* at the end of HgFinalize(), after PETSc has ended; failed: the exit status is not 0. False:
     output could not be written, as a printed sentence says, and the status must not be 0. Calls no
     MPI, which may have ended. Not collective */
  bool (*end)(bool failed);
} HgHooks;

/* Sets the hooks, one set for the program; call it before main(). */
void HgHooksSet(HgHooks hooks);

/* For fault.c. Begin reads -hg_fault; error: it is not a fault. End prints the counts if -hg_fault
   count was given. Collective on MPI_COMM_WORLD. */
PetscErrorCode HgFaultBegin(void);
PetscErrorCode HgFaultEnd(void);

/* For input.c: reads -input_memory. Error: not a number of bytes. Collective on MPI_COMM_WORLD. */
PetscErrorCode HgInputBegin(void);

#endif
