/* SPDX-License-Identifier: BSD-2-Clause */
/* Cutting the calls of a block into stages: how many of them fit between two exchanges, and where
   what they hand to each other lies.

   A stage of calls is computed on any rectangle of owned cells alone, if each call computes
   `overlap` cells more than the rectangle on its seams: what its readers need around the cells they
   compute. The first inputs must then have valid ghosts as deep as all of it together, at most the
   width of the halo. */
#include <halograd/block_library.h>
#include <halograd/boundary_library.h>
#include <halograd/mesh_library.h>

static void index_values(HgBlock b) {
  for (int s = 0; s < HG_MODES * b->versions; s++)
    b->value[s] = (HgValue){.variable = &b->program->variable[HgValueVersion(b, s)->variable],
                            .first_out = -1,
                            .last_out = -1,
                            .last_use = -1,
                            .last_here = -1};
  for (int c = 0; c < b->calls; c++) {
    for (int k = 0; k < b->call[c].outs; k++) {
      HgValue *s = &b->value[b->call[c].out[k]];
      s->last_out = c;
      if (s->first_out < 0) s->first_out = c;
    }
    for (int k = 0; k < b->call[c].uses; k++) {
      HgValue *s = &b->value[b->call[c].use[k].value];
      s->last_use = c, s->walls = s->walls || b->call[c].use[k].walls;
    }
  }
}

/* ---- stages ---- */
static bool within(int call, int first, int last) { return call >= first && call < last; }

/* Whether the value is needed after calls [first, last), which write it, or exists before. */
static bool delivered(HgBlock b, int value, int first, int last) {
  const HgValue *s = &b->value[value];
  const HgVersion *v = HgValueVersion(b, value);
  if (s->last_use >= last || s->first_out < first || s->last_out >= last) return true;
  if (HgValueMode(b, value) == HG_COTANGENT)
    return v->place == HG_AT_START || v->place == HG_AT_CONSTANTS;
  return v->place == HG_AT_END && b->mode != HG_COTANGENT;
}

/* Whether calls [first, last) compute it in a row buffer and also store the tile's own cells in the
   state, row by row. This is needed if it is computed beyond the tile, in cells of others, or if it
   is at the block's end and later calls of these read it. */
static bool stored_through(HgBlock b, int value, int first, int last) {
  const HgValue *s = &b->value[value];
  if (HgValueMode(b, value) == HG_COTANGENT || !within(s->first_out, first, last) ||
      !delivered(b, value, first, last) || b->program->term[b->call[s->first_out].term].part.op)
    return false;
  return b->call[s->first_out].overlap || (HgValueVersion(b, value)->place == HG_AT_END &&
                                           s->last_use > s->last_out && s->last_use < last);
}

/* Whether it is a cotangent of the block's end that calls [first, last) add to and then read. It is
   in a row buffer; the caller's rows are copied there before the first of these calls. */
static bool loaded_first(HgBlock b, int value, int first, int last) {
  return HgValueMode(b, value) == HG_COTANGENT && HgValueVersion(b, value)->place == HG_AT_END &&
         b->value[value].first_out >= 0 && !delivered(b, value, first, last);
}

int HgValueFrozenStart(HgBlock b, int value) {
  const HgProgramVariable *v = HgValueVariable(b, value);
  return HgBoundaryFreezes(b->program->mesh, &v->boundary) ? HgValueStart(b, value) : -1;
}

/* Computes overlaps and skews of calls [first, last). need[value], skew[value]: what the readers of
   a value require, -1: nothing. Returns whether the calls form a stage within `limit` ghosts. */
static bool overlaps_and_skews(HgBlock b, int first, int last, int limit, int need[], int skew[]) {
  for (int s = 0; s < HG_MODES * b->versions; s++) need[s] = -1, skew[s] = 0;
  for (int c = last - 1; c >= first; c--) {
    HgCall *call = &b->call[c];
    call->overlap = call->skew = 0;
    for (int k = 0; k < call->outs; k++) {
      call->overlap = PetscMax(call->overlap, need[call->out[k]]);
      call->skew = PetscMax(call->skew, skew[call->out[k]]);
    }
    for (int k = 0; k < call->outs; k++) {
      const int start = HgValueFrozenStart(b, call->out[k]); /* what stays outside frozen walls */
      if (start >= 0) need[start] = PetscMax(need[start], need[call->out[k]]);
      /* later contributors to the value compute no more than this one */
      const int s = call->out[k];
      if (need[s] >= 0) need[s] = PetscMax(need[s], call->overlap);
      skew[s] = PetscMax(skew[s], call->skew);
    }
    for (int k = 0; k < call->uses; k++) {
      const int s = call->use[k].value, radius = call->use[k].radius;
      need[s] = PetscMax(need[s], call->overlap + radius);
      skew[s] = PetscMax(skew[s], call->skew + radius);
    }
  }
  if (last == first + 1) return true;
  for (int c = first; c < last; c++)
    if (b->program->term[b->call[c].term].part.op)
      return false; /* sees all of its variables at once */
  for (int s = 0; s < HG_MODES * b->versions; s++) {
    const bool written =
        within(b->value[s].first_out, first, last) || within(b->value[s].last_out, first, last);
    const bool elsewhere = b->value[s].last_use >= last || !stored_through(b, s, first, last);
    if (need[s] >= 0 && written && delivered(b, s, first, last) && elsewhere) return false;
    if (need[s] > limit && (!written || loaded_first(b, s, first, last))) return false;
  }
  return true;
}

int HgProgramWidestHalo(HgProgram p) {
  const HgMeshSpec *m = HgMeshGetSpec(p->mesh);
  int nx, ny, limit = p->ghost;
  HgMeshThinnest(p->mesh, &nx, &ny);
  if (m->px > 1 || m->periodic_x) limit = PetscMin(limit, nx);
  if (m->py > 1 || m->periodic_y) limit = PetscMin(limit, ny);
  return limit;
}

/* Creates a stage: what its calls need from others, and where results are stored. */
static PetscErrorCode make_stage(HgBlock b, int first, int last, const int need[]) {
  HgStage *g = &b->stage[b->stages++];
  *g = (HgStage){.first = first, .last = last};
  PetscCall(PetscMalloc1(HG_MODES * b->versions, &g->need));
  for (int s = 0; s < HG_MODES * b->versions; s++) {
    HgValue *value = &b->value[s];
    if (within(value->first_out, first, last) || within(value->last_out, first, last)) {
      value->stored_through = stored_through(b, s, first, last);
      value->loaded_first = loaded_first(b, s, first, last);
      value->buffered = value->stored_through || !delivered(b, s, first, last);
    }
    if (need[s] < !value->walls ||
        (within(value->first_out, first, last) && value->buffered && !value->loaded_first))
      continue;
    g->need[g->needs++] = (HgNeed){s, need[s]};
    g->depth = PetscMax(g->depth, need[s]);
  }
  return 0;
}

/* Computes how long rows stay in a row buffer: from the first call that writes them to the last
   reader in the stage, and to the call that applies the boundary's adjoint. */
static void span_of_row_buffers(HgBlock b, const HgStage *g) {
  for (int c = g->first; c < g->last; c++) {
    const HgCall *call = &b->call[c];
    for (int k = 0; k < call->outs; k++) {
      HgValue *s = &b->value[call->out[k]];
      const int depth = HgValueVariable(b, call->out[k])->depth;
      s->filled = s->filled || (call->mode == HG_COTANGENT && depth > 0);
      if (!s->buffered) continue;
      s->last_here = within(s->first_out, g->first, g->last) ? c : s->last_here;
      s->span = PetscMax(s->span, PetscMax(b->call[s->first_out].skew - call->skew, depth));
    }
    for (int k = 0; k < call->uses; k++) {
      const HgUse *use = &call->use[k];
      HgValue *s = &b->value[use->value];
      if (!s->buffered || !within(s->first_out, g->first, g->last)) continue;
      s->last_here = c;
      s->filled = s->filled || use->radius > 0 || use->walls;
      s->span = PetscMax(s->span, b->call[s->first_out].skew - call->skew + use->radius);
    }
  }
}

PetscErrorCode HgBlockCut(HgBlock b) {
  const int values = HG_MODES * b->versions;
  const bool fuse = b->program->fuse;
  const int limit = fuse ? HgProgramWidestHalo(b->program) : 0;
  int *need, *skew;
  PetscCall(PetscCalloc1(b->calls, &b->stage));
  PetscCall(PetscCalloc1(values, &b->value));
  PetscCall(PetscMalloc2(values, &need, values, &skew));
  index_values(b);
  for (int k = 0; k < b->program->variables && b->mode == HG_COTANGENT; k++)
    b->near_walls = PetscMax(b->near_walls, b->program->variable[k].depth);
  for (int first = 0, last; first < b->calls; first = last) {
    for (last = fuse ? b->calls : first + 1; !overlaps_and_skews(b, first, last, limit, need, skew);
         last--)
      ;
    PetscCall(make_stage(b, first, last, need));
    span_of_row_buffers(b, &b->stage[b->stages - 1]);
  }
  return PetscFree2(need, skew);
}

PetscErrorCode HgStageDestroy(HgStage *g) {
  if (g->work) PetscCall(g->destroy_work(&g->work));
  return PetscFree(g->need);
}
