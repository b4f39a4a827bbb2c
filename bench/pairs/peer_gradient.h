/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/pairs/peer_gradient.h -- the gradient of J = 1/2 ||u(T) - d||^2 with TSAdjoint, beside
   peer_heat.h.

   As a user of TSAdjoint writes it: assembled AIJ matrices for dF/du and dF/dkappa, every state
   kept in memory (TSTrajectory memory). PETSc 3.18 has no adjoint for TSEULER; the same scheme is
   its Runge-Kutta method TSRK1FE. */
#ifndef HALOGRAD_PEER_GRADIENT_H
#define HALOGRAD_PEER_GRADIENT_H

#include "peer_heat.h"

typedef struct {
  PeerHeat heat;
  Mat jacobian, jacobian_kappa;
  Vec initial, data, lambda, mu; /* lambda = dJ/du_0, mu = dJ/dkappa */
  double J;
} PeerGradient;

/* Collective. */
PetscErrorCode PeerGradientCreate(MPI_Comm comm, int n, double dt, int steps, PeerField *kappa,
                                  PeerField *initial, PeerField *data, PeerGradient *peer);
PetscErrorCode PeerGradientDestroy(PeerGradient *peer);

/* J, lambda and mu; a BenchFn of bench.h for a PeerGradient. Collective. */
PetscErrorCode PeerGradientRun(void *peer);

#endif
