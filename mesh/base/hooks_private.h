/* What rooms above base do when a program starts and ends, for mesh/base/error.c and mesh/trace:
   base calls them and includes nothing of theirs. */
#ifndef HALOGRAD_HOOKS_PRIVATE_H
#define HALOGRAD_HOOKS_PRIVATE_H

#include <petscsys.h>
#include <stdbool.h>

typedef struct {
  /* at the end of HgInitialize(), MPI and PETSc run; collective on MPI_COMM_WORLD */
  PetscErrorCode (*begin)(void);
  /* at the end of HgFinalize(), MPI may have ended; failed: the program's status is not 0 */
  void (*end)(bool failed);
} HgHooks;

/* Takes the one set of hooks; for a function that runs before main(). */
void HgHooksSet(HgHooks hooks);

#endif
