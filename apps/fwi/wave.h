/* SPDX-License-Identifier: BSD-2-Clause */
/* The equation of fwi: sound over a section (gallery/acoustic.stencil) or in a volume. */
#ifndef WAVE_H
#define WAVE_H
#include <halograd/program.h>

/* Of both: the wavelet by step. */
typedef struct {
  const double *wavelet;
  long count;
} WaveParams;

const HgPhysics *WavePhysics(bool levels);

#endif
