/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/wave/peer_wave.h -- the wave of apps/gallery/acoustic.stencil as a plain loop, on one rank.

   What one writes for speed of this one equation: p_old is overwritten by p_next, the two change
   names, and the source is a few cells to which the loop has added nothing. 40 bytes a cell and
   step: p, p_old, m and damping read, p_old written. */
#ifndef HALOGRAD_PEER_WAVE_H
#define HALOGRAD_PEER_WAVE_H

#include <petscsys.h>

typedef double PeerWaveField(int i, int j, int n);

enum { PEER_WAVE_SHOTS = 4 };

typedef struct {
  int n; /* n x n cells, p = 0 beyond */
  double dx, dt;
  const double *wavelet; /* by step; borrowed */
  int shot[PEER_WAVE_SHOTS][2];
  double amplitude;
  double **p, **p_old, **m, **damping; /* [j][i], i and j in [-4, n + 4) */
  double *cells;
  double **rows;
  size_t bytes; /* of cells */
  int steps;    /* of one PeerWaveRun() */
  long step;    /* made so far */
} PeerWave;

/* n is set; p = p_old = m = damping = 0. Error: no memory. */
PetscErrorCode PeerWaveCreate(int n, PeerWave *peer);
PetscErrorCode PeerWaveDestroy(PeerWave *peer);

/* `steps` steps on; a BenchFn of bench.h for a PeerWave. */
PetscErrorCode PeerWaveRun(void *peer);

#endif
