/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the caller's states holds which value. */
#include <halograd/block_library.h>

bool HgValueSaved(HgBlock b, const HgBinding *binding, int value) {
  if (!binding->saved || HgValueMode(b, value) != HG_PRIMAL || !HgValueVersion(b, value)->saved)
    return false;
  return binding->saving == HG_SAVE_ALL || HgValueVariable(b, value)->reversed;
}

HgState HgValueState(HgBlock b, const HgBinding *binding, int value) {
  const HgPlaces *places = &binding->of[HgValueMode(b, value)];
  if (HgValueSaved(b, binding, value)) return binding->saved[HgValueVersion(b, value)->saved - 1];
  switch (HgValueVersion(b, value)->place) {
  case HG_AT_START: return places->start;
  case HG_AT_END: return places->end;
  case HG_AT_CONSTANTS: return places->constants;
  default: return *HgBlockWork(b, HgValueMode(b, value));
  }
}

int HgValueIndex(HgBlock b, const HgBinding *binding, int value) {
  return HgValueSaved(b, binding, value) ? HgValueVariable(b, value)->index
                                         : HgValueVersion(b, value)->index;
}

HgReal *const *HgValueRows(HgBlock b, const HgBinding *binding, int value) {
  const HgState state = HgValueState(b, binding, value);
  return state ? HgStateRows(state, HgValueIndex(b, binding, value)) : NULL;
}
