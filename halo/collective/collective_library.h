/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/collective_library.h -- what other rooms of the library need of collective.h. */
#ifndef HG_COLLECTIVE_LIBRARY_H
#define HG_COLLECTIVE_LIBRARY_H

#include <halograd/collective.h>

/* The name, as in the table of collective.h; whether it is linear in x; whether x counts once. Not
   collective. */
const char *HgCollectiveName(HgCollective collective);
bool HgCollectiveLinear(HgCollective collective);
bool HgCollectiveInputOnce(HgCollective collective);

/* Makes the ranks' equal copies of y count once. Call it before the first use. Collective. Error:
   the operator gives ranks different results. */
PetscErrorCode HgCollectiveCountOnce(HgCollective collective);

/* The communicator it works on, congruent to that of its creation. Not collective. */
MPI_Comm HgCollectiveComm(HgCollective collective);

#endif
