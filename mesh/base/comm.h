/* halograd/comm.h -- which of several groups of ranks, working side by side, a communicator belongs to.

   Groups that do the same need not all say so: what describes the work is printed by group 0. */
#ifndef HALOGRAD_COMM_H
#define HALOGRAD_COMM_H

#include <halograd/error.h>

/* `comm`, and what is duplicated from it from now on, such as a mesh's, is that of group number `group`.
   Not collective. */
PetscErrorCode HgCommSetGroup(MPI_Comm comm, int group);

/* The number, 0 if nobody has said. Not collective. */
int HgCommGroup(MPI_Comm comm);

#endif
