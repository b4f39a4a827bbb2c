/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/levels/peer_block.h -- block.stencil as a PETSc user writes it: TS on a DMDA of three
   dimensions.

   u_t = kappa lap u + exp(-decay t) f on n^3 cells of the unit cube, u = 0 beyond the sides, u
   copied below and above, explicit Euler (TSEULER). The local vector keeps zeros in its ghosts
   outside the sides; those below and above are copied before each loop, so that it has no
   branches. */
#ifndef HALOGRAD_PEER_BLOCK_H
#define HALOGRAD_PEER_BLOCK_H

#include <petscts.h>

typedef double PeerVolume(double x, double y, double z, void *context);

typedef struct {
  DM dm;
  TS ts;
  Vec u, kappa, f, local;
  double h, dt, decay; /* cell size [m], step [s], of the source [1/s] */
  int steps;           /* of one PeerBlockRun() */
} PeerBlock;

/* Cell centres are (i + 1/2, j + 1/2, k + 1/2) h; px x py patches, as ours. Collective. */
PetscErrorCode PeerBlockCreate(MPI_Comm comm, int n, int px, int py, double dt, double decay,
                               int steps, PeerBlock *peer);
PetscErrorCode PeerBlockDestroy(PeerBlock *peer);

/* Vec(cell) = field(x, y, z) at the cell's centre. */
PetscErrorCode PeerBlockSet(PeerBlock *peer, Vec vec, PeerVolume *field);

/* u advances by `steps` steps, time goes on; a BenchFn of bench.h. Collective. */
PetscErrorCode PeerBlockRun(void *peer);

#endif
