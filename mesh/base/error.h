/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/error.h -- contract errors: one sentence, a non-zero exit on every rank, no hang.

   Outside kernels every function returns a PetscErrorCode and is called through PetscCall(). A
   broken contract is reported once, in one sentence that names the object, what was expected and
   what came; the code then travels silently up to main(), which ends with `return
   HgFinalize(ierr)`. */
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

/* No error: the program has done what its options asked for, such as -help or a replay, and ends
   with status 0 as this code comes up to main(). */
#define HG_ENDED ((PetscErrorCode)(PETSC_ERR_MAX_VALUE - 2))

/* Starts MPI and PETSc, reads the options (files given by -options_file too, a .petscrc only with
   -petscrc) and installs the one-sentence error handler. `help` is what -help prints first.
   Collective on MPI_COMM_WORLD. */
PetscErrorCode HgInitialize(int *argc, char ***argv, const char help[]);

/* Ends PETSc and MPI; returns the exit status of the program: 0 (HgSetExitStatus()), or 1
   (HgErrorSetStatus()) if `ierr` is not 0 on some rank. Where one rank brings an error and others
   do not come, the job is ended: HgErrorMeet(). Collective. */
int HgFinalize(PetscErrorCode ierr);

/* The whole of a main(): HgInitialize(), body(), HgFinalize(). */
int HgMain(int argc, char **argv, const char help[], PetscErrorCode (*body)(void));

/* Collective on `comm`, with the same arguments on every rank: rank 0 prints
   "halograd: error [id]: sentence" to stderr; error_id.h lists the ids. Returns HG_ERROR_TOLD. */
PetscErrorCode HgError(MPI_Comm comm, HgErrorId id, const char format[], ...)
    PETSC_ATTRIBUTE_FORMAT(3, 4);

/* HgRequire(comm, condition, id, format, ...) returns from the calling function with HgError()
   unless `condition` holds; the condition must
   have the same value on every rank of `comm`. Where a rank other than 0 alone breaks it, which no
   message can find out, its sentence is printed as the job ends. */
#define HgRequire(comm, condition, ...)                                                            \
  do {                                                                                             \
    if (!(condition)) return HgError(comm, __VA_ARGS__);                                           \
  } while (0)

/* Collective on `comm`: ranks may differ in `failed`. If any failed, the sentence of the lowest
   failing rank is printed once, and HG_ERROR_TOLD is returned on every rank; otherwise 0. One
   MPI_Allreduce. */
PetscErrorCode HgAgree(MPI_Comm comm, bool failed, HgErrorId id, const char format[], ...)
    PETSC_ATTRIBUTE_FORMAT(4, 5);

/* ---- groups of ranks that work side by side ----

   They may all find the same thing wrong, which is one sentence; or one of them finds something
   that the others do not know of, and waits for them in vain. So, while sentences are held, the
   rank that would have printed one keeps it, the first one; the code travels on as ever, to where
   the groups meet, which is HgFinalize() at the latest. If all ranks come there, within the
   patience of those that have failed (1 s), the lowest rank's sentence is printed, and the code is
   returned on all of them: what all find is told once. If some do not come, they are somewhere
   else, in a long experiment or in an exchange with the group that has failed: the sentence is
   printed and the job is ended on all ranks, with status 1. */

/* Sentences are held: calls with true, less those with false, above 0. Not collective. */
void HgErrorHold(bool hold);

/* For a host that goes on after an error, such as Python, and holds sentences: the one that the
   lowest rank of `comm` keeps, on all ranks, "error [id]: sentence"; "" if none is kept. It is
   forgotten, and what comes next is another error. All ranks that had the error call it.
   Collective. */
PetscErrorCode HgErrorTake(MPI_Comm comm, size_t size, char sentence[]);

enum { HG_FILE_PATH = 4096 }; /* [B] of a path, as Linux has them; ISO C knows no PATH_MAX */

#endif
