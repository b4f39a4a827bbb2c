/* SPDX-License-Identifier: BSD-2-Clause */
/* Ghosts of a program: which are lacking, one exchange for all of them, what walls hold. */
#include "tile_private.h"
#include <halograd/state_library.h>
#include <string.h>

/* The boundary that fills ghosts of a variable. A state keeps it: a tangent's is not the value's.
   */
static HgBoundary boundary_of(const HgProgramVariable *v, HgMode mode) {
  return mode == HG_TANGENT ? HgBoundaryOfTangent(&v->boundary) : v->boundary;
}

bool HgGhostsValid(const HgProgramVariable *v, HgMode mode, HgState state, int index, int depth) {
  const HgBoundary boundary = boundary_of(v, mode);
  return HgStateGhostDepth(state, index) >= depth &&
         (!depth || HgBoundarySame(HgStateGhostWalls(state, index), &boundary));
}

void HgGhostsFilled(const HgProgramVariable *v, HgMode mode, HgState state, int index, int depth) {
  const HgBoundary boundary = boundary_of(v, mode);
  HgStateSetGhostDepth(state, index, depth);
  HgStateSetGhostWalls(state, index, &boundary);
}

/* Finds which needs lack valid ghosts. Returns false if none does. */
static bool lacks(HgBlock b, HgStage *g, const HgBinding *binding) {
  bool any = false;
  for (int k = 0; k < g->needs; k++) {
    const int value = g->need[k].value;
    const HgState state = HgValueState(b, binding, value);
    g->work->lacking[k] =
        state && !HgGhostsValid(HgValueVariable(b, value), HgValueMode(b, value), state,
                                HgValueIndex(b, binding, value), g->need[k].depth);
    any = any || g->work->lacking[k];
  }
  return any;
}

/* Layers outside walls that come from the neighbour patch. In tangents and cotangents they are 0.
   */
int HgFrozenLayers(HgProgram p, const HgProgramVariable *v, HgMode mode) {
  return mode == HG_PRIMAL && HgBoundaryFreezes(p->mesh, &v->boundary) ? v->depth : 0;
}

/* Creates the exchange for what is lacking now. */
static PetscErrorCode create_fill(HgBlock b, const HgStage *g, HgFill *fill) {
  const HgProgram p = b->program;
  int count = 0, *depths, *layers;
  bool *surface;
  *fill = (HgFill){.lacking = NULL};
  PetscCall(PetscMalloc1(g->needs, &fill->lacking));
  PetscCall(PetscArraycpy(fill->lacking, g->work->lacking, g->needs));
  PetscCall(PetscMalloc3(g->needs, &depths, g->needs, &layers, g->needs, &surface));
  for (int k = 0; k < g->needs; k++) {
    const int value = g->need[k].value;
    if (!g->work->lacking[k]) continue;
    depths[count] = g->need[k].depth;
    surface[count] = HgValueVariable(b, value)->surface;
    layers[count++] = HgFrozenLayers(p, HgValueVariable(b, value), HgValueMode(b, value));
  }
  PetscCall(HgExchangeCreateWithWalls(p->mesh, count, surface, depths, layers, &fill->exchange));
  HgExchangeTraffic(fill->exchange, &fill->messages, &fill->bytes);
  return PetscFree3(depths, layers, surface);
}

/* Finds the exchange for them, and their rows in its order. */
static PetscErrorCode prepare_fill(HgBlock b, HgStage *g, const HgBinding *binding, HgFill **fill) {
  const size_t size = (size_t)g->needs * sizeof *g->work->lacking;
  int count = 0, found = 0;
  for (int k = 0; k < g->needs; k++)
    if (g->work->lacking[k]) g->work->fields[count++] = HgValueRows(b, binding, g->need[k].value);
  while (found < g->work->fills && memcmp(g->work->fill[found].lacking, g->work->lacking, size))
    found++;
  if (found == g->work->fills) {
    PetscCall(PetscRealloc(sizeof *g->work->fill * (size_t)(found + 1), &g->work->fill));
    PetscCall(create_fill(b, g, &g->work->fill[g->work->fills++]));
  }
  *fill = &g->work->fill[found];
  return 0;
}

void HgProgramClose(HgProgram p, const HgProgramVariable *v, HgState state, int index) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  const int ghost = HgStateGhosts(state);
  const HgLevels levels = HgLevelsOf(p->mesh, v->surface);
  if (v->kind != HG_FIELD) return;
  HgClosedFacesMask(v->closed, &levels, 0, -ghost, patch->nx + ghost, -ghost, patch->ny + ghost,
                    HgStateRows(state, index));
}

void HgProgramMask(HgProgram p, const HgProgramVariable *v, HgState state, int index) {
  HgProgramClose(p, v, state, index);
  if (p->mask && HgMaskDry(p->mask) && v->role != HG_CONSTANT && v->kind == HG_FIELD)
    for (int k = 0; k < HgStateLevels(state, index); k++)
      HgMaskRows(p->mask, HgStateLevel(state, index, k));
}

void HgVariableBoundary(HgProgram p, const HgProgramVariable *v, HgMode mode, int layers, int along,
                        HgReal *const *rows) {
  const HgWindow w = HgWindowOfPatch(p->mesh, v->surface, along);
  if (mode != HG_COTANGENT) HgBoundaryFill(&v->boundary, mode, layers, &w, rows);
  else HgLevelsWrap(&w.levels, layers, w.i0, w.i1, w.j0, w.j1, rows);
}

void HgProgramCount(HgProgram p, const HgFill *fill) {
  p->exchanges++;
  p->messages += fill->messages;
  p->bytes += (double)fill->bytes;
}

PetscErrorCode HgStageFillBegin(HgBlock b, HgStage *g, const HgBinding *binding, HgFill **fill) {
  *fill = NULL;
  PetscCall(HgStageWorkCreate(g));
  if (!lacks(b, g, binding)) return 0;
  PetscCall(prepare_fill(b, g, binding, fill));
  HgProgramCount(b->program, *fill);
  return HgExchangeBegin((*fill)->exchange, g->work->fields);
}

void HgStageBoundaries(HgBlock b, const HgStage *g, const HgBinding *binding) {
  for (int k = 0; k < g->needs; k++) {
    const int value = g->need[k].value, depth = g->need[k].depth;
    if (HgValueState(b, binding, value) && (g->work->lacking[k] || !depth))
      HgVariableBoundary(b->program, HgValueVariable(b, value), HgValueMode(b, value),
                         HgValueVariable(b, value)->depth, depth, HgValueRows(b, binding, value));
  }
}

PetscErrorCode HgStageFillEnd(HgBlock b, const HgStage *g, const HgBinding *binding,
                              const HgFill *fill) {
  if (fill) PetscCall(HgExchangeEnd(fill->exchange, g->work->fields));
  HgStageBoundaries(b, g, binding);
  for (int k = 0; k < g->needs; k++) {
    const int value = g->need[k].value;
    if (g->work->lacking[k])
      HgGhostsFilled(HgValueVariable(b, value), HgValueMode(b, value),
                     HgValueState(b, binding, value), HgValueIndex(b, binding, value),
                     g->need[k].depth);
  }
  return 0;
}

PetscErrorCode HgProgramRequireGhosts(HgProgram p, HgState state) {
  HgRequire(
      HgMeshComm(p->mesh),
      !state || (HgStateGhosts(state) >= p->ghost && HgStateGhostLevels(state) >= p->ghost_levels),
      HG_ERR_HALO,
      "program '%s': a state of '%s' has %d ghost cells around a patch, expected at least %d: "
      "states are to be made after HgProgramSetUp, which tells the mesh how many it needs",
      p->name, HgStateVariable(state, 0)->name,
      PetscMin(HgStateGhosts(state), HgStateGhostLevels(state) + p->ghost - p->ghost_levels),
      p->ghost);
  return 0;
}
