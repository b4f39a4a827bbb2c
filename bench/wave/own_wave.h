/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/wave/own_wave.h -- the wave of apps/gallery/acoustic.stencil, solved by halograd.

   n x n cells of 10 m, c = sqrt(m) about 2000 m/s, a sponge 150 m wide, a smooth p at the start, so
   that no number is near the smallest ones, and four point sources that go on. */
#ifndef HALOGRAD_OWN_WAVE_H
#define HALOGRAD_OWN_WAVE_H

#include "own_program.h"
#include "peer_wave.h"

typedef struct {
  int n;
  double *wavelet; /* by step */
  HgMesh mesh;
  HgProgram program;
  HgState x; /* p and p_old at the start, m, damping, source */
} OwnWave;

/* For at most `steps` steps. Collective. */
PetscErrorCode OwnWaveCreate(MPI_Comm comm, int n, int ghost, long steps, OwnWave *own);
PetscErrorCode OwnWaveDestroy(OwnWave *own);

/* The same as a plain loop; the rank is alone. */
PetscErrorCode OwnWavePeer(const OwnWave *own, int steps, PeerWave *peer);

/* Error unless p is equal to rounding: largest difference at most 1e-10 of the largest value. The
   rank is alone. */
PetscErrorCode OwnWaveSame(HgState q, const PeerWave *peer);

#endif
