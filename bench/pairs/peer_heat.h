/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/pairs/peer_heat.h -- the heat equation as a PETSc user writes it: TS on a DMDA.

   u_t = kappa(x, y) lap u on n x n cells of the unit square, u = 0 outside, explicit Euler
   (TSEULER), right-hand side by DMGlobalToLocal and a loop over DMDA arrays. To give PETSc its
   best: the local vector keeps zeros in a ghost frame outside the domain, so that the loop has no
   branches. */
#ifndef HALOGRAD_PEER_HEAT_H
#define HALOGRAD_PEER_HEAT_H

#include <petscts.h>

typedef double PeerField(double x, double y, void *context);

typedef struct {
  DM dm;
  TS ts;
  Vec u, kappa, local;
  double h, dt; /* cell size [m], step [s] */
  int steps;    /* of one PeerHeatRun() */
} PeerHeat;

/* A problem with its diffusivity `kappa` and, as yet, u = 0; cell centres are (i + 1/2, j + 1/2) h.
   Collective. */
PetscErrorCode PeerHeatCreate(MPI_Comm comm, int n, double dt, int steps, PeerField *kappa,
                              PeerHeat *peer);
PetscErrorCode PeerHeatDestroy(PeerHeat *peer);

/* Vec(cell) = field(x, y) at the cell's centre. */
PetscErrorCode PeerHeatSetField(PeerHeat *peer, Vec vec, PeerField *field);

/* u advances by `steps` steps; a BenchFn of bench.h for a PeerHeat. Collective. */
PetscErrorCode PeerHeatRun(void *peer);

/* TSRHSFunction of the equation, context a PeerHeat. */
PetscErrorCode PeerHeatRHS(TS ts, PetscReal t, Vec u, Vec f, void *peer);

#endif
