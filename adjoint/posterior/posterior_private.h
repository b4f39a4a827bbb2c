/* SPDX-License-Identifier: BSD-2-Clause */
/* For adjoint/posterior only. */
#ifndef HALOGRAD_POSTERIOR_PRIVATE_H
#define HALOGRAD_POSTERIOR_PRIVATE_H

#include <halograd/posterior_library.h>
#include <stdbool.h>

/* A v_k = lambda_k v_k of a symmetric A[n][n], which is overwritten: lambda[n], the smallest first,
   and V[k] = v_k, of length 1. The same bits for the same A. False: it did not converge, as where A
   is not finite. Not collective. */
bool HgSymmetricEigen(int n, double A[], double lambda[], double V[]);

#endif
