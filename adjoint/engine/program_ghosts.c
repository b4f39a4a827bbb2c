/* Ghosts of a program: which are lacking, one exchange for all of them, what walls hold. */
#include "program_private.h"
#include <string.h>

uint64_t HgStageLacking(HgProgram p, const HgStage *g, const HgBinding *binding) {
  uint64_t mask = 0;
  for (int k = 0; k < g->needs; k++) {
    const HgState state = HgValueState(p, binding, g->need[k].value);
    if (state &&
        HgStateGhostDepth(state, HgValueIndex(p, binding, g->need[k].value)) < g->need[k].depth)
      mask |= UINT64_C(1) << k;
  }
  return mask;
}

/* Layers outside walls that ranks get from the patch beside them. Tangents and cotangents are 0 there. */
static int frozen_layers(HgProgram p, const HgProgramVariable *v, HgMode mode) {
  return mode == HG_PRIMAL && HgBoundaryFreezes(p->mesh, &v->boundary) ? v->depth : 0;
}

PetscErrorCode HgStagePlan(HgProgram p, HgStage *g, const HgBinding *binding, uint64_t mask,
                           HgPlan **plan, double *const *fields[]) {
  int count = 0, depths[64], layers[64];
  for (int k = 0; k < g->needs; k++) {
    const int value = g->need[k].value;
    if (!(mask >> k & 1)) continue;
    depths[count] = g->need[k].depth;
    layers[count] = frozen_layers(p, HgValueVariable(p, value), HgValueMode(p, value));
    fields[count++] = HgValueRows(p, binding, value);
  }
  int found = 0;
  while (found < g->plans && g->plan[found].mask != mask) found++;
  if (found == g->plan_room) {
    g->plan_room = 2 * g->plan_room + 4;
    PetscCall(PetscRealloc(sizeof *g->plan * (size_t)g->plan_room, &g->plan));
  }
  *plan = &g->plan[found];
  if (found < g->plans) return 0;
  g->plans++;
  **plan = (HgPlan){.mask = mask};
  PetscCall(HgExchangeCreateWithWalls(p->mesh, count, depths, layers, &(*plan)->exchange));
  HgExchangeTraffic((*plan)->exchange, &(*plan)->messages, &(*plan)->bytes);
  return 0;
}

void HgProgramMask(HgProgram p, const HgProgramVariable *v, HgState state, int index) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  const int ghost = HgStateGhosts(state);
  if (v->kind != HG_FIELD) return;
  HgClosedFacesMask(v->closed, -ghost, patch->nx + ghost, -ghost, patch->ny + ghost,
                    HgStateRows(state, index));
}

static void boundary(HgProgram p, const HgProgramVariable *v, HgMode mode, int layers, int along,
                     double *const *rows) {
  const HgWindow window = HgWindowOfPatch(p->mesh, along);
  if (mode != HG_COTANGENT) HgBoundaryFill(&v->boundary, mode, layers, &window, rows);
}

void HgStageBoundaries(HgProgram p, const HgStage *g, const HgBinding *binding, uint64_t mask) {
  for (int k = 0; k < g->needs; k++)
    if (HgValueState(p, binding, g->need[k].value) && (mask >> k & 1 || !g->need[k].depth)) {
      const HgProgramVariable *v = HgValueVariable(p, g->need[k].value);
      boundary(p, v, HgValueMode(p, g->need[k].value), v->depth, g->need[k].depth,
               HgValueRows(p, binding, g->need[k].value));
    }
}

void HgProgramCount(HgProgram p, const HgPlan *plan) {
  p->exchanges++;
  p->messages += plan->messages;
  p->bytes += (double)plan->bytes;
}

void HgStageFilled(HgProgram p, const HgStage *g, const HgBinding *binding, uint64_t mask) {
  for (int k = 0; k < g->needs; k++)
    if (mask >> k & 1)
      HgStateSetGhostDepth(HgValueState(p, binding, g->need[k].value),
                           HgValueIndex(p, binding, g->need[k].value), g->need[k].depth);
}

PetscErrorCode HgStageFill(HgProgram p, HgStage *g, const HgBinding *binding, uint64_t mask) {
  HgPlan *plan;
  double *const *fields[64];
  if (mask) {
    PetscCall(HgStagePlan(p, g, binding, mask, &plan, fields));
    PetscCall(HgExchangeApply(plan->exchange, fields));
    HgProgramCount(p, plan);
  }
  HgStageBoundaries(p, g, binding, mask);
  HgStageFilled(p, g, binding, mask);
  return 0;
}

PetscErrorCode HgProgramBoundaryAdjoint(HgProgram p, HgState bar) {
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    const int index = v->role == HG_WORK ? -1 : HgStateFind(bar, v->name);
    if (index < 0 || v->kind != HG_FIELD) continue;
    HgBoundaryAdjoint(p->mesh, &v->boundary, PetscMax(1, v->depth), HgStateRows(bar, index));
    HgStateSetGhostDepth(bar, index, 0);
  }
  return 0;
}

/* The ghosts that the next step will need of the state it starts from, all in one exchange. */
static PetscErrorCode fill_for_step(HgProgram p, HgState state) {
  HgBinding binding = {0};
  PetscCall(HgProgramRequireGhosts(p, state));
  binding.of[HG_PRIMAL].start = state;
  PetscCall(HgPassPlan(p, HG_PRIMAL));
  HgStage *g = &p->pass[HG_PRIMAL].stage[0];
  return HgStageFill(p, g, &binding, HgStageLacking(p, g, &binding));
}

/* Is it the state that a step starts from? */
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

/* The exchange of one field to `depth`, with as many layers outside frozen walls. */
static PetscErrorCode plan_fill(HgProgram p, const HgProgramVariable *v, HgMode mode, int depth,
                                HgPlan **plan) {
  const int layers = frozen_layers(p, v, mode) ? PetscMax(v->depth, depth) : 0;
  const uint64_t mask = (uint64_t)depth << 32 | (uint64_t)layers;
  int found = 0;
  while (found < p->fills && p->fill[found].mask != mask) found++;
  if (found == p->fills) {
    PetscCall(PetscRealloc(sizeof *p->fill * (size_t)(found + 1), &p->fill));
    p->fill[found] = (HgPlan){.mask = mask};
    PetscCall(HgExchangeCreateWithWalls(p->mesh, 1, &depth, &layers, &p->fill[found].exchange));
    HgExchangeTraffic(p->fill[found].exchange, &p->fill[found].messages, &p->fill[found].bytes);
    p->fills++;
  }
  *plan = &p->fill[found];
  return 0;
}

PetscErrorCode HgProgramFillGhosts(HgProgram p, HgMode mode, HgState state, int index, int depth) {
  if (HgStateGhostDepth(state, index) >= depth) return 0;
  int variable = 0;
  while (variable < p->variables &&
         strcmp(p->variable[variable].name, HgStateVariable(state, index)->name))
    variable++;
  HgRequire(HgMeshComm(p->mesh), variable < p->variables && depth <= HgStateGhosts(state),
            "program '%s': %d ghost layers of '%s' asked for, expected one of its variables and at "
            "most %d layers",
            p->name, depth, HgStateVariable(state, index)->name, HgStateGhosts(state));
  if (mode == HG_PRIMAL && is_carried(p, state)) PetscCall(fill_for_step(p, state));
  if (HgStateGhostDepth(state, index) >= depth) return 0;
  const HgProgramVariable *v = &p->variable[variable];
  HgPlan *plan = NULL;
  PetscCall(plan_fill(p, v, mode, depth, &plan));
  double *const *fields[1] = {HgStateRows(state, index)};
  PetscCall(HgExchangeApply(plan->exchange, fields));
  HgProgramCount(p, plan);
  boundary(p, v, mode, PetscMax(v->depth, depth), depth, fields[0]);
  HgStateSetGhostDepth(state, index, depth);
  return 0;
}
