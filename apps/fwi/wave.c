/* SPDX-License-Identifier: BSD-2-Clause */
#include "wave.h"
#include "acoustic.h"
#include "acoustic_sought.h"
#include "acoustic_volume.h"
#include "acoustic_volume_sought.h"
#include <assert.h>
#include <stddef.h>

static_assert(sizeof(WaveParams) == sizeof(AcousticParams), "the params of a section");
static_assert(offsetof(WaveParams, count) == offsetof(AcousticParams, wavelet_count), "likewise");
static_assert(sizeof(WaveParams) == sizeof(AcousticVolumeParams), "the params of a volume");
static_assert(offsetof(WaveParams, count) == offsetof(AcousticVolumeParams, wavelet_count),
              "likewise");
static_assert(sizeof(long) == sizeof(AcousticSoughtParams), "of a section whose wavelet is sought");
static_assert(sizeof(long) == sizeof(AcousticVolumeSoughtParams), "of such a volume");

const HgPhysics *WavePhysics(bool levels, bool sought) {
  if (sought) return levels ? &acoustic_volume_sought_physics : &acoustic_sought_physics;
  return levels ? &acoustic_volume_physics : &acoustic_physics;
}

const void *WaveTaken(const WaveParams *params, bool sought) {
  return sought ? (const void *)&params->count : params;
}
