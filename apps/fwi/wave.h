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

/* The physics. `sought`: the wavelet is the input's array "wavelet", not in the params. */
const HgPhysics *WavePhysics(bool levels, bool sought);

/* What the physics takes as params: the wavelet, or the number of its values. */
const void *WaveTaken(const WaveParams *params, bool sought);

#endif
