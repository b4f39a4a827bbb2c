/* SPDX-License-Identifier: BSD-2-Clause */
/* For adjoint/posterior only. */
#ifndef HALOGRAD_POSTERIOR_PRIVATE_H
#define HALOGRAD_POSTERIOR_PRIVATE_H

#include <halograd/posterior_library.h>
#include <stdbool.h>

/* Solves A v_k = lambda_k v_k for a symmetric A[n][n], which is overwritten: lambda[n], smallest
   first, and V[k] = v_k of length 1. The same bits for the same A. False: no convergence, for
   example if A is not finite. Not collective. */
bool HgSymmetricEigen(int n, double A[], double lambda[], double V[]);

#endif
