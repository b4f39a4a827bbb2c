/* SPDX-License-Identifier: BSD-2-Clause */
/* The states that a caller has of a program's variables, and which of them holds which value. */
#include <halograd/block_library.h>
#include <halograd/mesh_library.h>
#include <halograd/state_library.h>

PetscErrorCode HgProgramCreateState(HgProgram p, bool carried, bool constants, HgState *state) {
  HgVariable *list;
  int count = 0;
  HgRequire(HgMeshComm(p->mesh), p->ready, HG_ERR_CALL_ORDER,
            "program '%s': a state asked for before HgProgramSetUp", p->name);
  PetscCall(PetscCalloc1(p->variables + 1, &list));
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    if (v->role == HG_WORK || !(v->role == HG_CARRIED ? carried : constants)) continue;
    list[carried && constants ? v->input : v->index] =
        (HgVariable){v->name, v->unit, v->kind, v->size, v->surface};
    count++;
  }
  *state = NULL;
  if (count) PetscCall(HgStateCreate(p->mesh, count, list, state));
  for (int k = 0; k < p->variables; k++) {
    const int index = count ? HgStateFind(*state, p->variable[k].name) : -1;
    if (index >= 0) HgStateSetLocation(*state, index, p->variable[k].location);
  }
  return PetscFree(list);
}

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
