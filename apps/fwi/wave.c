/* SPDX-License-Identifier: BSD-2-Clause */
#include "wave.h"
#include "acoustic.h"
#include "acoustic_volume.h"
#include <assert.h>
#include <stddef.h>

static_assert(sizeof(WaveParams) == sizeof(AcousticParams), "the params of a section");
static_assert(offsetof(WaveParams, count) == offsetof(AcousticParams, wavelet_count), "likewise");
static_assert(sizeof(WaveParams) == sizeof(AcousticVolumeParams), "the params of a volume");
static_assert(offsetof(WaveParams, count) == offsetof(AcousticVolumeParams, wavelet_count),
              "likewise");

const HgPhysics *WavePhysics(bool levels) {
  return levels ? &acoustic_volume_physics : &acoustic_physics;
}
