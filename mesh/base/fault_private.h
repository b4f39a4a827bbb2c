/* The inside of faults, for mesh/base/fault.c and mesh/base/error.c only. */
#ifndef HALOGRAD_FAULT_PRIVATE_H
#define HALOGRAD_FAULT_PRIVATE_H

#include <halograd/fault.h>
#include <petscsys.h>

/* Reads -hg_fault. Collective on MPI_COMM_WORLD. Error: it is no fault. */
PetscErrorCode HgFaultBegin(void);

/* Prints what was counted, if -hg_fault count was given. Collective on MPI_COMM_WORLD. */
PetscErrorCode HgFaultEnd(void);

#endif
