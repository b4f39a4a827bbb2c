/* Running a program: for each group of calls the ghosts that are lacking, then the regions into
   which the patch is cut. Every cut gives the same bits, because each cell is one expression of
   values that do not depend on the cut. */
#include "program_private.h"
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

/* The plan of a pass; intermediate versions that no region's rings hold, nor the caller, live in states
   made when they are first needed. */
static PetscErrorCode prepare(HgProgram p, HgForm form) {
  const HgPass *pass = &p->pass[form];
  PetscCall(HgPassPlan(p, form));
  for (int s = 0; s < HG_FORMS * p->versions; s++) {
    const HgVersion *v = HgSlotVersion(p, s);
    HgState *const work = &p->work[HgSlotForm(p, s)];
    if (v->place != HG_AT_WORK || pass->slot[s].ring || *work) continue;
    if (pass->slot[s].first_out < 0 && pass->slot[s].last_use < 0) continue;
    if (!p->keeps || !v->kept) PetscCall(create_work(p, work));
  }
  return 0;
}

static HgBox patch_box(HgProgram p, long step) {
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

HgBox HgProgramBox(HgProgram p, long step) {
  HgBox box = patch_box(p, step);
  box.t = (double)step * p->dt;
  return box;
}

static PetscErrorCode run_tiling(HgProgram p, HgForm form, HgGroup *g, HgTilingKind kind,
                                 const HgStage *stage, const HgBox *patch) {
  PetscCall(HgGroupTile(p, form, g, kind));
  const HgTiling *t = &g->tiling[kind];
  const bool timed = kind != HG_TILING_FRAME; /* region 0, which this thread computes */
  const double start = MPI_Wtime();
#if defined(_OPENMP)
#pragma omp parallel for schedule(static) num_threads(p->threads) if (p->threads > 1)
#endif
  for (int k = 0; k < t->regions; k++)
    HgRegionSweep(p, form, g, &t->region[k], stage, patch, timed && (k == 0 || p->threads == 1));
  g->fetching.last += MPI_Wtime() - start;
  return 0;
}

/* A run of t->last seconds that way has ended. The very first ones touch new memory and do not count. */
static void tune(HgTuning *t, bool way) {
  if (t->runs >= HG_TUNING_RUNS) return;
  if (t->runs < 4 || t->last < t->best[way]) t->best[way] = t->last;
  t->runs++, t->last = 0;
}

/* The interior while messages fly, the frame along the seams after they came. */
static PetscErrorCode run_overlapped(HgProgram p, HgForm form, HgGroup *g, const HgStage *stage,
                                     const HgBox *patch, uint64_t mask) {
  HgPlan *plan;
  double *const *fields[64];
  PetscCall(HgGroupPlan(p, g, stage, mask, &plan, fields));
  HgProgramCount(p, plan);
  PetscCall(HgExchangeBegin(plan->exchange, fields));
  HgGroupBoundaries(p, g, stage, mask); /* what walls give to the interior waits for nobody */
  PetscCall(run_tiling(p, form, g, HG_TILING_INNER, stage, patch));
  PetscCall(HgExchangeEnd(plan->exchange, fields));
  HgGroupBoundaries(p, g, stage, mask);
  HgGroupFilled(p, g, stage, mask);
  return run_tiling(p, form, g, HG_TILING_FRAME, stage, patch);
}

/* Ghosts of what was written are stale, but those outside frozen walls travel with every new
   version; what is owed outside walls is handed in once all of it is there. */
static void finish_writes(HgProgram p, HgForm form, int last, const HgCall *c,
                          const HgStage *stage) {
  for (int k = 0; k < c->outs; k++) {
    const HgSlot *slot = &p->pass[form].slot[c->out[k]];
    const HgVersion *v = HgSlotVersion(p, c->out[k]);
    const HgProgramVariable *variable = &p->variable[v->variable];
    const HgState state = HgSlotState(p, stage, c->out[k]);
    const int index = HgSlotIndex(p, stage, c->out[k]);
    if ((slot->ring && !HgSlotKept(p, stage, c->out[k])) || !state || variable->kind != HG_FIELD)
      continue;
    if (c->form != HG_BAR && !slot->ring) HgProgramMask(p, variable, state, index);
    if (c->form == HG_PRIMAL && variable->role == HG_CARRIED)
      HgBoundaryKeepFrozen(p->mesh, &variable->boundary, variable->depth,
                           (HgRows)HgStateRows(stage->of[HG_PRIMAL].start, variable->index),
                           HgStateRows(state, index));
    if (c->form == HG_BAR && (v->place == HG_AT_WORK || v->place == HG_AT_END) &&
        slot->last_out == last)
      HgBoundaryAdjoint(p->mesh, &variable->boundary, variable->depth, HgStateRows(state, index));
    HgStateSetGhostDepth(state, index, 0);
  }
}

/* What a term writes on closed faces has been masked: before its adjoint reads their cotangents, so are they.
   Those in rings are when their rows come by (program_walls.c). */
static void mask_cotangents(HgProgram p, HgForm form, const HgGroup *g, const HgStage *stage) {
  for (int c = g->first; c < g->last; c++) {
    const HgCall *call = &p->pass[form].call[c];
    for (int k = 0; call->form == HG_BAR && k < p->term[call->term].writes; k++) {
      const int slot = call->second[k];
      if (p->pass[form].slot[slot].ring || !HgSlotState(p, stage, slot)) continue;
      HgProgramMask(p, HgSlotVariable(p, slot), HgSlotState(p, stage, slot),
                    HgSlotIndex(p, stage, slot));
    }
  }
}

static const HgTraceDirection directions[] = {HG_TRACE_FORWARD, HG_TRACE_TANGENT, HG_TRACE_ADJOINT};

static PetscErrorCode run_group(HgProgram p, HgForm form, HgGroup *g, const HgStage *stage,
                                const HgBox *patch) {
  const HgPass *pass = &p->pass[form];
  const HgMeshSpec *mesh = HgMeshGetSpec(p->mesh);
  const HgPatch *cells = HgMeshGetPatch(p->mesh);
  const uint64_t mask = HgGroupLacking(p, g, stage);
  HgTraceContext(p->term[pass->call[g->first].term].stencil->name, patch->step, directions[form]);
  mask_cotangents(p, form, g, stage);
  if (p->term[pass->call[g->first].term].part.op) {
    PetscCall(HgPartRun(p, &pass->call[g->first], stage));
    finish_writes(p, form, g->first, &pass->call[g->first], stage);
    return 0;
  }
  /* several calls compute what lies beside the frame once more: worth it on wide patches only */
  const int wide = g->last > g->first + 1 ? 256 * g->depth : PetscMax(64, 4 * g->depth);
  if (mask && mesh->px * mesh->py > 1 && p->overlap && cells->nx >= wide && cells->ny >= wide) {
    PetscCall(run_overlapped(p, form, g, stage, patch, mask));
  } else {
    PetscCall(HgGroupFill(p, g, stage, mask));
    PetscCall(run_tiling(p, form, g, HG_TILING_WHOLE, stage, patch));
  }
  for (int c = g->first; c < g->last; c++)
    tune(&pass->call[c].streaming, HgCallStreams(p, &pass->call[c]));
  tune(&g->fetching, HgTuningWay(&g->fetching, HG_FETCHING_TURN));
  for (int c = g->first; c < g->last; c++) finish_writes(p, form, c, &pass->call[c], stage);
  return 0;
}

PetscErrorCode HgPassRun(HgProgram p, HgForm form, long step, const HgStage *stage) {
  const HgBox patch = patch_box(p, step);
  for (int k = 0; k < HG_FORMS; k++) {
    PetscCall(HgProgramRequireGhosts(p, stage->of[k].start));
    PetscCall(HgProgramRequireGhosts(p, stage->of[k].end));
    PetscCall(HgProgramRequireGhosts(p, stage->of[k].constants));
  }
  PetscCall(prepare(p, form));
  for (int g = 0; g < p->pass[form].groups; g++)
    PetscCall(run_group(p, form, &p->pass[form].group[g], stage, &patch));
  HgTraceContext(NULL, step, directions[form]);
  return 0;
}

PetscErrorCode HgProgramStep(HgProgram p, long step, HgState constants, HgState q, HgState q_next) {
  const HgStage stage = {.of = {{.start = q, .end = q_next, .constants = constants}}};
  return HgPassRun(p, HG_PRIMAL, step, &stage);
}

PetscErrorCode HgProgramStepTangent(HgProgram p, long step, HgState constants, HgState dconstants,
                                    HgState q, HgState dq, HgState q_next, HgState dq_next) {
  const HgStage stage = {.of = {{.start = q, .end = q_next, .constants = constants},
                                {.start = dq, .end = dq_next, .constants = dconstants}}};
  return HgPassRun(p, HG_TANGENT, step, &stage);
}

PetscErrorCode HgProgramStepAdjoint(HgProgram p, long step, HgState constants, HgState q,
                                    HgState q_next, HgState q_next_bar, HgState q_bar,
                                    HgState constants_bar) {
  const HgStage stage = {
      .of = {[HG_PRIMAL] = {.start = q, .end = q_next, .constants = constants},
             [HG_BAR] = {.start = q_bar, .end = q_next_bar, .constants = constants_bar}}};
  return HgPassRun(p, HG_BAR, step, &stage);
}
