/* SPDX-License-Identifier: BSD-2-Clause */
/* Ghosts of a state of the caller's, filled or given back. */
#include "program_private.h"
#include <halograd/boundary_library.h>

PetscErrorCode HgProgramBoundaryAdjoint(HgProgram p, HgState bar) {
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    const int index = v->role == HG_WORK ? -1 : HgStateFind(bar, v->name);
    if (index < 0 || v->kind != HG_FIELD) continue;
    HgBoundaryApply(p->mesh, &v->boundary, v->surface, HG_COTANGENT, PetscMax(1, v->depth),
                    HgStateRows(bar, index));
    HgStateSetGhostDepth(bar, index, 0);
  }
  return 0;
}

/* Fills the ghosts of a state that the next step needs, in one exchange. */
static PetscErrorCode fill_for_step(HgProgram p, HgState state) {
  HgBinding binding = {0};
  PetscCall(HgProgramRequireGhosts(p, state));
  binding.of[HG_PRIMAL].start = state;
  HgBlock one;
  HgFill *fill;
  PetscCall(HgProgramBlock(p, HG_PRIMAL, 1, false, &one));
  PetscCall(HgStageFillBegin(one, &one->stage[0], &binding, &fill));
  return HgStageFillEnd(one, &one->stage[0], &binding, fill);
}

/* Whether it is a state that a step starts from. */
static bool is_carried(HgProgram p, HgState state) {
  int carried = 0;
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    if (v->role != HG_CARRIED) continue;
    if (HgStateFind(state, v->name) != v->index) return false;
    carried++;
  }
  return HgStateCount(state) == carried;
}

/* Finds the exchange of one field to `depth`; outside frozen walls as many layers. */
static PetscErrorCode find_fill(HgProgram p, const HgProgramVariable *v, HgMode mode, int depth,
                                HgFill **fill) {
  const int layers = HgFrozenLayers(p, v, mode) ? PetscMax(v->depth, depth) : 0;
  int found = 0;
  while (found < p->fills && (p->fill[found].depth != depth || p->fill[found].layers != layers ||
                              p->fill[found].surface != v->surface))
    found++;
  if (found == p->fills) {
    PetscCall(PetscRealloc(sizeof *p->fill * (size_t)(found + 1), &p->fill));
    p->fill[found] = (HgFill){.depth = depth, .layers = layers, .surface = v->surface};
    PetscCall(HgExchangeCreateWithWalls(p->mesh, 1, &v->surface, &depth, &layers,
                                        &p->fill[found].exchange));
    HgExchangeTraffic(p->fill[found].exchange, &p->fill[found].messages, &p->fill[found].bytes);
    p->fills++;
  }
  *fill = &p->fill[found];
  return 0;
}

PetscErrorCode HgProgramFillGhosts(HgProgram p, HgMode mode, HgState state, int index, int depth) {
  const char *const name = HgStateVariable(state, index)->name;
  int variable;
  PetscCall(HgProgramKnownVariable(p, name, &variable));
  HgRequire(HgMeshComm(p->mesh), depth <= HgStateGhosts(state), HG_ERR_HALO,
            "program '%s': %d ghost layers of '%s' asked for, expected at most %d", p->name, depth,
            name, HgStateGhosts(state));
  const HgProgramVariable *v = &p->variable[variable];
  if (HgGhostsValid(v, mode, state, index, depth)) return 0;
  if (mode == HG_PRIMAL && is_carried(p, state)) PetscCall(fill_for_step(p, state));
  if (HgGhostsValid(v, mode, state, index, depth)) return 0;
  HgFill *fill = NULL;
  PetscCall(find_fill(p, v, mode, depth, &fill));
  HgReal *const *fields[1] = {HgStateRows(state, index)};
  PetscCall(HgExchangeApply(fill->exchange, fields));
  HgProgramCount(p, fill);
  HgVariableBoundary(p, v, mode, PetscMax(v->depth, depth), depth, fields[0]);
  HgGhostsFilled(v, mode, state, index, depth);
  return 0;
}
