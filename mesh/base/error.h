/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/error.h -- contract errors: one sentence, a non-zero exit status on every rank, no hang.

   Outside kernels every function returns a PetscErrorCode; call it through PetscCall(). A broken
   contract is reported once, in one sentence that names the object, what was expected and what
   came. The code then travels silently up to main(), which ends with `return HgFinalize(ierr)`. */
#ifndef HALOGRAD_ERROR_H
#define HALOGRAD_ERROR_H

#include <halograd/error_id.h>
#include <halograd/real.h>
#include <petscsys.h>
#include <stdbool.h>

#ifdef HALOGRAD_SINGLE /* what is compiled for one precision does not link the other's library */
#define HgInitialize HgInitializeSingle
#define HgMain HgMainSingle
#endif

/* The code of an error that has already been told to the user. */
#define HG_ERROR_TOLD ((PetscErrorCode)(PETSC_ERR_MAX_VALUE - 1))

/* No error: the program has done what its options asked for, such as -help or a replay. It ends
   with status 0 when this code reaches main(). */
#define HG_ENDED ((PetscErrorCode)(PETSC_ERR_MAX_VALUE - 2))

/* Starts MPI and PETSc, reads the options (also from -options_file; a .petscrc only with -petscrc),
   and installs the error handler. -help prints `help` first. Collective on MPI_COMM_WORLD. */
PetscErrorCode HgInitialize(int *argc, char ***argv, const char help[]);

/* Ends PETSc and MPI, and returns the exit status of the program: 0 after success, 1 if `ierr` is
   not 0 on some rank. The run may have chosen another status, such as HG_STATUS_FAILED (run.h). If
   some ranks bring an error and others do not come, it ends the job (groups of ranks, below).
   Collective. */
int HgFinalize(PetscErrorCode ierr);

/* A whole main(): HgInitialize(), body(), HgFinalize(). */
int HgMain(int argc, char **argv, const char help[], PetscErrorCode (*body)(void));

/* Reports an error: rank 0 prints "halograd: error [id]: sentence" to stderr; error_id.h lists the
   ids. Returns HG_ERROR_TOLD. Collective on `comm`, with the same arguments on every rank. */
PetscErrorCode HgError(MPI_Comm comm, HgErrorId id, const char format[], ...)
    PETSC_ATTRIBUTE_FORMAT(3, 4);

/* HgRequire(comm, condition, id, format, ...) returns HgError() from the calling function unless
   `condition` holds. The condition must have the same value on every rank of `comm`. If it fails on
   a rank other than 0 only, which no message can detect, its sentence is printed when the job ends.
   */
#define HgRequire(comm, condition, ...)                                                            \
  do {                                                                                             \
    if (!(condition)) return HgError(comm, __VA_ARGS__);                                           \
  } while (0)

/* For conditions that may differ between ranks: if any rank `failed`, prints the sentence of the
   lowest one and returns HG_ERROR_TOLD on every rank; otherwise returns 0. One MPI_Allreduce.
   Collective on `comm`. */
PetscErrorCode HgAgree(MPI_Comm comm, bool failed, HgErrorId id, const char format[], ...)
    PETSC_ATTRIBUTE_FORMAT(4, 5);

/* ---- groups of ranks that work side by side ----

   All groups may find the same error, which should be one sentence. Or one group finds an error
   that the others do not know of, and would wait for them forever. So, while sentences are held, a
   rank keeps its first sentence instead of printing it. The code travels up as usual to where the
   groups meet, at the latest in HgFinalize(). If all ranks get there within the patience of the
   failed ones (1 s), the sentence of the lowest rank is printed once, and all ranks return the
   code. If some do not, they are in a long experiment, or in an exchange with the failed group: the
   sentence is printed, and the job is ended on all ranks with status 1. */

/* Sentences are held while there were more calls with true than with false. Not collective. */
void HgErrorHold(bool hold);

/* For a host that continues after errors, such as Python, and holds sentences: sentence[] = "error
   [id]: sentence" of the lowest rank of `comm` that keeps one, on all ranks; "" if none does.
   Forgets it, so that the next error is a new one. Collective over all ranks that had the error. */
PetscErrorCode HgErrorTake(MPI_Comm comm, size_t size, char sentence[]);

enum { HG_FILE_PATH = 4096 }; /* [B] of a path, as Linux has them; ISO C knows no PATH_MAX */

#endif
