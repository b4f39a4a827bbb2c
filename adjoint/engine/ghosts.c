/* Ghosts of a program: which are lacking, one exchange for all of them, what walls hold. */
#include "engine_private.h"

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

/* Layers outside walls that ranks get from the patch beside them. Tangents and cotangents are 0
   there. */
int HgFrozenLayers(HgProgram p, const HgProgramVariable *v, HgMode mode) {
  return mode == HG_PRIMAL && HgBoundaryFreezes(p->mesh, &v->boundary) ? v->depth : 0;
}

PetscErrorCode HgStagePlan(HgProgram p, HgStage *g, const HgBinding *binding, uint64_t mask,
                           HgPlan **plan, double *const *fields[]) {
  int count = 0, depths[64], layers[64];
  for (int k = 0; k < g->needs; k++) {
    const int value = g->need[k].value;
    if (!(mask >> k & 1)) continue;
    depths[count] = g->need[k].depth;
    layers[count] = HgFrozenLayers(p, HgValueVariable(p, value), HgValueMode(p, value));
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

void HgVariableBoundary(HgProgram p, const HgProgramVariable *v, HgMode mode, int layers, int along,
                        double *const *rows) {
  const HgWindow window = HgWindowOfPatch(p->mesh, along);
  if (mode != HG_COTANGENT) HgBoundaryFill(&v->boundary, mode, layers, &window, rows);
}

void HgStageBoundaries(HgProgram p, const HgStage *g, const HgBinding *binding, uint64_t mask) {
  for (int k = 0; k < g->needs; k++)
    if (HgValueState(p, binding, g->need[k].value) && (mask >> k & 1 || !g->need[k].depth)) {
      const HgProgramVariable *v = HgValueVariable(p, g->need[k].value);
      HgVariableBoundary(p, v, HgValueMode(p, g->need[k].value), v->depth, g->need[k].depth,
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

PetscErrorCode HgProgramRequireGhosts(HgProgram p, HgState state) {
  HgRequire(
      HgMeshComm(p->mesh), !state || HgStateGhosts(state) >= p->ghost,
      "program '%s': a state of '%s' has %d ghost cells around a patch, expected at least %d: "
      "states are to be made after HgProgramSetUp, which tells the mesh how many it needs",
      p->name, HgStateVariable(state, 0)->name, HgStateGhosts(state), p->ghost);
  return 0;
}
