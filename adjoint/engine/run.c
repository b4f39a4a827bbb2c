/* Running a program: for each stage of calls the ghosts that are lacking, then the tiles into
   which the patch is cut. Every cut gives the same bits, because each cell is one expression of
   values that do not depend on the cut. */
#include "engine_private.h"
#include <halograd/trace.h>

static PetscErrorCode create_work(HgProgram p, HgState *work) {
  HgVariable *list;
  char(*names)[HG_NAME_LENGTH];
  int count = 0;
  PetscCall(PetscMalloc2(p->versions, &list, p->versions, &names));
  for (int k = 0; k < p->versions; k++) {
    const HgVersion *v = &p->version[k];
    const HgProgramVariable *variable = &p->variable[v->variable];
    if (v->place != HG_AT_WORK) continue;
    snprintf(names[count], HG_NAME_LENGTH, "%.20s#%d", variable->name, k);
    list[count] = (HgVariable){names[count], variable->unit, variable->kind, variable->size};
    count++;
  }
  PetscCall(HgStateCreate(p->mesh, count, list, work));
  return PetscFree2(list, names);
}

/* The plan of a pass; intermediate versions that no tile's row buffers hold, nor the caller, live
   in states made when they are first needed. */
static PetscErrorCode prepare(HgProgram p, HgMode mode) {
  const HgPass *pass = &p->pass[mode];
  PetscCall(HgPassPlan(p, mode));
  for (int s = 0; s < HG_MODES * p->versions; s++) {
    const HgVersion *v = HgValueVersion(p, s);
    HgState *const work = &p->work[HgValueMode(p, s)];
    if (v->place != HG_AT_WORK || pass->value[s].buffered || *work) continue;
    if (pass->value[s].first_out < 0 && pass->value[s].last_use < 0) continue;
    if (!p->states_given || !v->saved) PetscCall(create_work(p, work));
  }
  return 0;
}

HgBox HgPatchBox(HgProgram p, long step) {
  const HgMeshSpec *s = HgMeshGetSpec(p->mesh);
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  return (HgBox){.i1 = patch->nx,
                 .j1 = patch->ny,
                 .i_global = patch->i_global,
                 .j_global = patch->j_global,
                 .nx_global = s->nx,
                 .ny_global = s->ny,
                 .x0 = s->x0,
                 .y0 = s->y0,
                 .dx = s->dx,
                 .dy = s->dy,
                 .dt = p->dt,
                 .step = step};
}

static PetscErrorCode run_tiling(HgProgram p, HgMode mode, HgStage *g, HgTilingKind kind,
                                 const HgBinding *binding, const HgBox *patch) {
  PetscCall(HgStageTile(p, mode, g, kind));
  const HgTiling *t = &g->tiling[kind];
  const bool timed = kind != HG_TILING_FRAME; /* tile 0, which this thread computes */
  const double start = MPI_Wtime();
#if defined(_OPENMP)
#pragma omp parallel for schedule(static) num_threads(p->threads) if (p->threads > 1)
#endif
  for (int k = 0; k < t->tiles; k++)
    HgTileSweep(p, mode, g, &t->tile[k], binding, patch, timed && (k == 0 || p->threads == 1));
  g->fetching.last += MPI_Wtime() - start;
  for (int k = 0; p->limited && k < t->tiles; k++) {
    HgBreachNote(&t->tile[k].breach, &p->breach);
    t->tile[k].breach.found = false;
  }
  return 0;
}

/* A run of t->last seconds that way has ended. The very first ones touch new memory and do not
   count. */
static void tune(HgTuning *t, bool way) {
  if (t->runs >= HG_TUNING_RUNS) return;
  if (t->runs < 4 || t->last < t->best[way]) t->best[way] = t->last;
  t->runs++, t->last = 0;
}

/* The interior while messages fly, the frame along the seams after they came. */
static PetscErrorCode run_overlapped(HgProgram p, HgMode mode, HgStage *g, const HgBinding *binding,
                                     const HgBox *patch, uint64_t mask) {
  HgPlan *plan;
  double *const *fields[64];
  PetscCall(HgStagePlan(p, g, binding, mask, &plan, fields));
  HgProgramCount(p, plan);
  PetscCall(HgExchangeBegin(plan->exchange, fields));
  HgStageBoundaries(p, g, binding, mask); /* what walls give to the interior waits for nobody */
  PetscCall(run_tiling(p, mode, g, HG_TILING_INNER, binding, patch));
  PetscCall(HgExchangeEnd(plan->exchange, fields));
  HgStageBoundaries(p, g, binding, mask);
  HgStageFilled(p, g, binding, mask);
  return run_tiling(p, mode, g, HG_TILING_FRAME, binding, patch);
}

/* Ghosts of what was written are stale, but those outside frozen walls travel with every new
   version; cotangents outside walls are handed in once all contributions are there. */
static void finish_writes(HgProgram p, HgMode mode, int last, const HgCall *c,
                          const HgBinding *binding) {
  for (int k = 0; k < c->outs; k++) {
    const HgValue *value = &p->pass[mode].value[c->out[k]];
    const HgVersion *v = HgValueVersion(p, c->out[k]);
    const HgProgramVariable *variable = &p->variable[v->variable];
    const HgState state = HgValueState(p, binding, c->out[k]);
    const int index = HgValueIndex(p, binding, c->out[k]);
    if ((value->buffered && !HgValueSaved(p, binding, c->out[k])) || !state ||
        variable->kind != HG_FIELD)
      continue;
    if (c->mode != HG_COTANGENT && !value->buffered) HgProgramMask(p, variable, state, index);
    if (c->mode == HG_PRIMAL && variable->role == HG_CARRIED)
      HgBoundaryKeepFrozen(p->mesh, &variable->boundary, variable->depth,
                           (HgRows)HgStateRows(binding->of[HG_PRIMAL].start, variable->index),
                           HgStateRows(state, index));
    if (c->mode == HG_COTANGENT && (v->place == HG_AT_WORK || v->place == HG_AT_END) &&
        value->last_out == last)
      HgBoundaryAdjoint(p->mesh, &variable->boundary, variable->depth, HgStateRows(state, index));
    HgStateSetGhostDepth(state, index, 0);
  }
}

/* What a term writes on closed faces has been masked: before its adjoint reads their cotangents, so
   are they. Those in row buffers are when their rows come by (walls.c). */
static void mask_cotangents(HgProgram p, HgMode mode, const HgStage *g, const HgBinding *binding) {
  for (int c = g->first; c < g->last; c++) {
    const HgCall *call = &p->pass[mode].call[c];
    for (int k = 0; call->mode == HG_COTANGENT && k < p->term[call->term].writes; k++) {
      const int value = call->second[k];
      if (p->pass[mode].value[value].buffered || !HgValueState(p, binding, value)) continue;
      HgProgramMask(p, HgValueVariable(p, value), HgValueState(p, binding, value),
                    HgValueIndex(p, binding, value));
    }
  }
}

static PetscErrorCode run_stage(HgProgram p, HgMode mode, HgStage *g, const HgBinding *binding,
                                const HgBox *patch) {
  const HgPass *pass = &p->pass[mode];
  const HgMeshSpec *mesh = HgMeshGetSpec(p->mesh);
  const HgPatch *cells = HgMeshGetPatch(p->mesh);
  const uint64_t mask = HgStageLacking(p, g, binding);
  HgTraceContext(p->term[pass->call[g->first].term].stencil->name, patch->step, mode);
  mask_cotangents(p, mode, g, binding);
  if (p->term[pass->call[g->first].term].part.op) {
    PetscCall(HgOperatorTermRun(p, &pass->call[g->first], binding));
    finish_writes(p, mode, g->first, &pass->call[g->first], binding);
    return 0;
  }
  /* several calls compute what lies beside the frame once more: worth it on wide patches only */
  const int wide = g->last > g->first + 1 ? 256 * g->depth : PetscMax(64, 4 * g->depth);
  if (mask && mesh->px * mesh->py > 1 && p->hides_messages && cells->nx >= wide &&
      cells->ny >= wide) {
    PetscCall(run_overlapped(p, mode, g, binding, patch, mask));
  } else {
    PetscCall(HgStageFill(p, g, binding, mask));
    PetscCall(run_tiling(p, mode, g, HG_TILING_WHOLE, binding, patch));
  }
  for (int c = g->first; c < g->last; c++)
    tune(&pass->call[c].streaming, HgCallStreams(p, &pass->call[c]));
  tune(&g->fetching, HgTuningWay(&g->fetching, HG_FETCHING_TURN));
  for (int c = g->first; c < g->last; c++) finish_writes(p, mode, c, &pass->call[c], binding);
  return 0;
}

PetscErrorCode HgPassRun(HgProgram p, HgMode mode, long step, const HgBinding *binding) {
  const HgBox patch = HgPatchBox(p, step);
  for (int k = 0; k < HG_MODES; k++) {
    PetscCall(HgProgramRequireGhosts(p, binding->of[k].start));
    PetscCall(HgProgramRequireGhosts(p, binding->of[k].end));
    PetscCall(HgProgramRequireGhosts(p, binding->of[k].constants));
  }
  PetscCall(prepare(p, mode));
  for (int g = 0; g < p->pass[mode].stages; g++)
    PetscCall(run_stage(p, mode, &p->pass[mode].stage[g], binding, &patch));
  HgTraceContext(NULL, step, mode);
  return 0;
}
