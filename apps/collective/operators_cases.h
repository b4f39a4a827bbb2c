/* SPDX-License-Identifier: BSD-2-Clause */
/* Every collective on small arrays: value, tangent and adjoint, printed. */
#ifndef HALOGRAD_APPS_OPERATORS_CASES_H
#define HALOGRAD_APPS_OPERATORS_CASES_H

#include <halograd/operator.h>

/* Prints a line for each case: name, definition of L, L, dL along dx = 1, and dL/dx on each rank.
   Collective. */
PetscErrorCode OperatorsCases(MPI_Comm comm);

#endif
