/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a block: for each stage of calls the ghosts that are lacking, then the tiles into
   which the patch is cut. Every cut gives the same bits, because each cell is one expression of
   values that do not depend on the cut. */
#include "tile_private.h"
#include <halograd/mesh_library.h>
#include <halograd/trace_library.h>

static PetscErrorCode create_states(HgBlock b, HgState *work) {
  HgVariable *list;
  char(*names)[HG_NAME_LENGTH];
  PetscCall(PetscMalloc2(b->works, &list, b->works, &names));
  for (int k = 0; k < b->versions; k++) {
    const HgVersion *v = &b->version[k];
    const HgProgramVariable *variable = &b->program->variable[v->variable];
    if (v->place != HG_AT_WORK) continue;
    snprintf(names[v->index], HG_NAME_LENGTH, "%.20s#%d", variable->name, k);
    list[v->index] = (HgVariable){names[v->index], variable->unit, variable->kind, variable->size,
                                  variable->surface};
  }
  PetscCall(HgStateCreate(b->program->mesh, b->works, list, work));
  return PetscFree2(list, names);
}

/* Creates states, when first needed, for intermediate versions that are neither in row buffers nor
   the caller's. */
static PetscErrorCode prepare(HgBlock b) {
  for (int s = 0; s < HG_MODES * b->versions; s++) {
    const HgValue *value = &b->value[s];
    const HgVersion *v = HgValueVersion(b, s);
    HgState *const work = HgBlockWork(b, HgValueMode(b, s));
    const bool used = value->first_out >= 0 || value->last_use >= 0;
    if (!used || v->place != HG_AT_WORK || (value->buffered && !value->stored_through) || *work)
      continue;
    if (!b->stored || !v->saved) PetscCall(create_states(b, work));
  }
  return 0;
}

HgBox HgPatchBox(HgProgram p, long step) {
  const HgMeshSpec *s = HgMeshGetSpec(p->mesh);
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  return (HgBox){.i1 = patch->nx,
                 .j1 = patch->ny,
                 .k1 = HgMeshLevels(p->mesh),
                 .i_global = patch->i_global,
                 .j_global = patch->j_global,
                 .nx_global = s->nx,
                 .ny_global = s->ny,
                 .nz = HgMeshLevels(p->mesh),
                 .pitch = HgMeshGetPatch(p->mesh)->pitch,
                 .x0 = s->x0,
                 .y0 = s->y0,
                 .dx = HgMeshGetMetric(p->mesh)->width,
                 .dy = HgMeshGetMetric(p->mesh)->height,
                 .z0 = s->z0,
                 .dz = s->dz,
                 .latitude = HgMeshGetMetric(p->mesh)->latitudes,
                 .dt = p->dt,
                 .step = step};
}

/* A single thread starts no parallel region: for OpenMP's team of one costs as much as a kernel on
   a small tile. */
static void sweep_tiles(HgBlock b, HgStage *g, const HgTiling *t, const HgBinding *binding,
                        const HgBox *patch) {
  const int threads = b->program->threads;
  if (threads == 1) {
    for (int k = 0; k < t->tiles; k++) HgTileSweep(b, g, &t->tile[k], binding, patch, true);
    return;
  }
#if defined(_OPENMP)
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
  for (int k = 0; k < t->tiles; k++) HgTileSweep(b, g, &t->tile[k], binding, patch, k == 0);
}

static PetscErrorCode run_tiling(HgBlock b, HgStage *g, HgTilingKind kind, const HgBinding *binding,
                                 const HgBox *patch) {
  const HgProgram p = b->program;
  PetscCall(HgStageTile(b, g, kind));
  const HgTiling *t = &g->work->tiling[kind];
  sweep_tiles(b, g, t, binding, patch);
  HgTilingSkip(b, g, t, binding);
  for (int k = 0; p->limited && k < t->tiles; k++) {
    HgBreachNote(&t->tile[k].breach, &p->breach);
    t->tile[k].breach.found = false;
  }
  return 0;
}

/* Ghosts of written variables are stale, except those outside frozen walls, which are part of every
   new version. Cotangents outside walls are added inside once all contributions are there. */
static void finish_writes(HgBlock b, const HgCall *c, const HgBinding *binding) {
  const HgProgram p = b->program;
  for (int k = 0; k < c->outs; k++) {
    const HgValue *value = &b->value[c->out[k]];
    const HgProgramVariable *variable = HgValueVariable(b, c->out[k]);
    const int start = HgValueStart(b, c->out[k]);
    const HgState state = HgValueState(b, binding, c->out[k]);
    const int index = HgValueIndex(b, binding, c->out[k]);
    if ((value->buffered && !value->stored_through && !HgValueSaved(b, binding, c->out[k])) ||
        !state || variable->kind != HG_FIELD)
      continue;
    if (c->mode != HG_COTANGENT && p->term[c->term].part.op)
      HgProgramMask(p, variable, state, index);
    else if (c->mode != HG_COTANGENT && (!value->buffered || value->stored_through))
      HgProgramClose(p, variable, state, index);
    if (start >= 0)
      HgBoundaryKeepFrozen(p->mesh, &variable->boundary, variable->surface, variable->depth,
                           (HgRows)HgValueRows(b, binding, start), HgStateRows(state, index));
    if (c->applies_boundary_adjoint[k])
      HgBoundaryApply(p->mesh, &variable->boundary, variable->surface, HG_COTANGENT,
                      variable->depth, HgStateRows(state, index));
    HgStateSetGhostDepth(state, index, 0);
  }
}

/* A term's results on closed faces were masked, so their cotangents are masked before its adjoint
   reads them. In row buffers this happens row by row (walls.c). */
static void mask_cotangents(HgBlock b, const HgStage *g, const HgBinding *binding) {
  const HgProgram p = b->program;
  for (int c = g->first; c < g->last; c++) {
    const HgCall *call = &b->call[c];
    for (int k = 0; call->mode == HG_COTANGENT && k < p->term[call->term].writes; k++) {
      const int value = call->second[k];
      if (b->value[value].buffered || !HgValueState(b, binding, value)) continue;
      HgProgramMask(p, HgValueVariable(b, value), HgValueState(b, binding, value),
                    HgValueIndex(b, binding, value));
    }
  }
}

/* Whether all patches are wide enough to hide the exchange. All ranks agree, since either way has
   its own tiles. Several calls recompute cells beside the frame, which pays on wide patches only.
   */
static bool worth_hiding(HgMesh mesh, const HgStage *g) {
  int nx, ny;
  HgMeshThinnest(mesh, &nx, &ny);
  return PetscMin(nx, ny) >= (g->last > g->first + 1 ? 256 * g->depth : PetscMax(64, 4 * g->depth));
}

/* Checks limits where a step's last term is an operator. Those of kernels are checked by tile. */
static void look_at_limits(HgBlock b, const HgCall *c, const HgBinding *binding,
                           const HgBox *patch) {
  const HgProgram p = b->program;
  for (int k = 0; k < c->outs && c->mode == HG_PRIMAL; k++) {
    const HgVersion *v = HgValueVersion(b, c->out[k]);
    if (p->variable[v->variable].limited && v->place == HG_AT_END)
      HgRowsLook(p, patch, v->variable, patch->step + 1, HgValueRows(b, binding, c->out[k]),
                 &p->breach);
  }
}

static PetscErrorCode run_stage(HgBlock b, HgStage *g, const HgBinding *binding,
                                const HgBox *patch) {
  const HgProgram p = b->program;
  const HgMeshSpec *mesh = HgMeshGetSpec(p->mesh);
  HgFill *fill;
  PetscErrorCode ierr = 0;
  HgTraceContext(p->term[b->call[g->first].term].stencil->name, patch->step, b->mode);
  mask_cotangents(b, g, binding);
  if (p->term[b->call[g->first].term].part.op) {
    const HgCall *const c = &b->call[g->first];
    PetscCall(HgOperatorTermRun(b, c, binding));
    finish_writes(b, &b->call[g->first], binding);
    look_at_limits(b, &b->call[g->first], binding, patch);
    return 0;
  }
  PetscCall(HgStageFillBegin(b, g, binding, &fill));
  const bool hides =
      fill && mesh->px * mesh->py > 1 && p->hides_messages && worth_hiding(p->mesh, g);
  if (hides) { /* the interior while messages fly, the frame along the seams after they came */
    HgStageBoundaries(b, g, binding);
    ierr = run_tiling(b, g, HG_TILING_INNER, binding, patch);
  }
  PetscCall(HgStageFillEnd(b, g, binding, fill)); /* messages that fly land in any case */
  if (ierr) return ierr;
  PetscCall(run_tiling(b, g, hides ? HG_TILING_FRAME : HG_TILING_WHOLE, binding, patch));
  for (int c = g->first; c < g->last; c++) finish_writes(b, &b->call[c], binding);
  return 0;
}

/* Numbers by step sum their cotangents over the domain, for all steps of a block at once: at the
   adjoint of its first step. */
static HgSeries series_of(HgBlock b, const HgCall *c) {
  return c->mode == HG_COTANGENT && !c->step ? b->program->term[c->term].part.series : NULL;
}

static PetscErrorCode begin_series(HgBlock b, long step, const HgBinding *binding) {
  for (const HgCall *c = b->call; c < b->call + b->calls; c++) {
    const HgSeries series = series_of(b, c);
    if (!series) continue;
    PetscCall(HgSeriesBegin(series, step, b->steps, b->program->threads, c->outs));
    for (int k = 0; k < c->outs; k++)
      if (!HgValueInactive(b, c->out[k])) HgSeriesInto(series, HgValueRows(b, binding, c->out[k]));
  }
  return 0;
}

static PetscErrorCode end_series(HgBlock b) {
  for (const HgCall *c = b->call; c < b->call + b->calls; c++)
    if (series_of(b, c)) PetscCall(HgSeriesEnd(series_of(b, c)));
  return 0;
}

PetscErrorCode HgBlockRun(HgBlock b, long step, const HgBinding *binding) {
  const HgBox patch = HgPatchBox(b->program, step);
  for (int k = 0; k < HG_MODES; k++) {
    PetscCall(HgProgramRequireGhosts(b->program, binding->of[k].start));
    PetscCall(HgProgramRequireGhosts(b->program, binding->of[k].end));
    PetscCall(HgProgramRequireGhosts(b->program, binding->of[k].constants));
  }
  PetscCall(prepare(b));
  PetscCall(begin_series(b, step, binding));
  for (int g = 0; g < b->stages; g++) PetscCall(run_stage(b, &b->stage[g], binding, &patch));
  PetscCall(end_series(b));
  HgTraceContext(NULL, step, b->mode);
  return 0;
}
