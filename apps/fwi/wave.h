/* SPDX-License-Identifier: BSD-2-Clause */
/* The equation of fwi: sound over a section (gallery/acoustic.stencil) or in a volume. */
#ifndef WAVE_H
#define WAVE_H
#include <halograd/program.h>

/* The wavelet by step, if it is known. */
typedef struct {
  const double *wavelet;
  long count;
} WaveParams;

/* A wavelet that is sought is the array "wavelet" of the input. */
const HgPhysics *WavePhysics(bool levels, bool sought);

/* What the physics takes: the wavelet, or how many numbers it has. */
const void *WaveTaken(const WaveParams *params, bool sought);

#endif
