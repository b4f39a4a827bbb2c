/* SPDX-License-Identifier: BSD-2-Clause */
/* Every collective on small arrays: value, tangent and adjoint, printed. */
#ifndef HALOGRAD_APPS_OPERATORS_CASES_H
#define HALOGRAD_APPS_OPERATORS_CASES_H

#include <halograd/operator.h>

/* Prints a line for each case: its name, what L is, L, dL along dx = 1, dL/dx on each rank.
   Collective. */
PetscErrorCode OperatorsCases(MPI_Comm comm);

#endif
