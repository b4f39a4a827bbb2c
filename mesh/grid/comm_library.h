/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/comm.h -- groups of ranks that work side by side, each in a communicator of its own, and
   what they say: once what they all say. */
#ifndef HG_COMM_LIBRARY_H
#define HG_COMM_LIBRARY_H

#include <halograd/error.h>

/* `comm`, and what is duplicated from it from now on, such as a mesh's, is that of group number
   `group`. Not collective. */
PetscErrorCode HgCommSetGroup(MPI_Comm comm, int group);

/* The number of the group, 0 if none was set. Not collective. */
int HgCommGroup(MPI_Comm comm);

/* Prints `text` of rank 0 to stdout, of group 0 at once; of other groups it is kept, up to 32
   texts, until HgCommSayOthers(). No communication. */
PetscErrorCode HgCommSay(MPI_Comm comm, const char text[]);

/* Prints what other groups have kept and no rank below them has said: of equal groups nothing.
   Called by the maker of the groups, at their end. Collective on `all`, the ranks of all groups. */
PetscErrorCode HgCommSayOthers(MPI_Comm all);

#endif
