/* Planning a pass: which kernels run in which order, where what they hand to each other lies, and
   how many of them fit between two exchanges.

   A stage of calls is computed on any rectangle of owned cells alone, if each call computes
   `overlap` cells more than the rectangle on its seams: what its readers need around the cells they
   compute. The first inputs must then have valid ghosts as deep as all of it together, at most the
   width of the halo. */
#include "engine_private.h"
#include <string.h>

bool HgValueSaved(HgProgram p, const HgBinding *binding, int value) {
  if (!binding->saved || HgValueMode(p, value) != HG_PRIMAL || !HgValueVersion(p, value)->saved)
    return false;
  return binding->saving == HG_SAVE_ALL || HgValueVariable(p, value)->reversed;
}

HgState HgValueState(HgProgram p, const HgBinding *binding, int value) {
  const HgPlaces *places = &binding->of[HgValueMode(p, value)];
  if (HgValueSaved(p, binding, value)) return binding->saved[HgValueVersion(p, value)->saved - 1];
  switch (HgValueVersion(p, value)->place) {
  case HG_AT_START: return places->start;
  case HG_AT_END: return places->end;
  case HG_AT_CONSTANTS: return places->constants;
  default: return p->work[HgValueMode(p, value)];
  }
}

int HgValueIndex(HgProgram p, const HgBinding *binding, int value) {
  return HgValueSaved(p, binding, value) ? HgValueVariable(p, value)->index
                                         : HgValueVersion(p, value)->index;
}

double *const *HgValueRows(HgProgram p, const HgBinding *binding, int value) {
  const HgState state = HgValueState(p, binding, value);
  return state ? HgStateRows(state, HgValueIndex(p, binding, value)) : NULL;
}

/* ---- calls ---- */
static void add_use(HgCall *c, int value, int radius, bool walls) {
  c->use[c->uses++] = (HgUse){value, radius, walls};
}

/* Layers outside walls on which an adjoint runs: where a boundary reflects, ghosts outside got
   their values from inside, so cotangents arise there too. */
static int layers_outside(HgProgram p, const HgTerm *t) {
  int buffer = 0;
  for (int k = 0; k < t->reads; k++)
    if (HgBoundaryReflects(p->mesh, &p->variable[p->version[t->read[k]].variable].boundary))
      buffer = PetscMax(buffer, t->stencil->reads[k].radius);
  return buffer;
}

/* Does the adjoint read the values of this read? Not where nobody asks for the cotangents it needs
   them for. */
static bool adjoint_reads(HgProgram p, const HgTerm *t, int read) {
  const HgRead *r = &t->stencil->reads[read];
  bool only = false;
  for (const char *const(*pair)[2] = t->stencil->only_for; pair && (*pair)[0]; pair++) {
    if (strcmp((*pair)[0], r->name)) continue;
    only = true;
    for (int k = 0; k < t->reads; k++) {
      const HgProgramVariable *v = &p->variable[p->version[t->read[k]].variable];
      if (!strcmp((*pair)[1], v->name) && (v->role != HG_CONSTANT || v->active))
        return r->adjoint_radius >= 0;
    }
  }
  return !only && r->adjoint_radius >= 0;
}

static void add_call(HgProgram p, HgPass *pass, int term, HgMode mode) {
  const HgTerm *t = &p->term[term];
  HgCall *c = &pass->call[pass->calls++];
  *c = (HgCall){
      .term = term, .mode = mode, .outside = mode == HG_COTANGENT ? layers_outside(p, t) : 0};
  for (int k = 0; k < t->reads; k++) {
    const HgRead *read = &t->stencil->reads[k];
    c->x[k] = HgValueOf(p, HG_PRIMAL, t->read[k]);
    if (mode != HG_COTANGENT) add_use(c, c->x[k], read->radius, false);
    else if (adjoint_reads(p, t, k)) add_use(c, c->x[k], read->adjoint_radius, c->outside > 0);
    if (mode == HG_TANGENT)
      add_use(c, c->second[k] = HgValueOf(p, HG_TANGENT, t->read[k]), read->radius, false);
    if (mode == HG_COTANGENT) c->out[c->outs++] = HgValueOf(p, HG_COTANGENT, t->read[k]);
  }
  for (int k = 0; k < t->writes; k++)
    if (mode == HG_COTANGENT)
      add_use(c, c->second[k] = HgValueOf(p, HG_COTANGENT, t->write[k]), t->radius, false);
    else c->out[c->outs++] = HgValueOf(p, mode, t->write[k]);
  for (int k = 0; mode == HG_COTANGENT && k < t->reads; k++) {
    const HgVersion *v = &p->version[t->read[k]];
    c->fresh[k] = v->last_reader == term && v->place != HG_AT_CONSTANTS && v->place != HG_AT_END;
  }
}

/* Must it be computed again to be there? */
static bool recomputed(HgProgram p, int version) {
  return !p->states_given || !p->version[version].saved;
}

/* run[k]: must term k run again before the step is reversed, since an adjoint reads its results, or
   a term that must run? */
static void find_needed_terms(HgProgram p, bool needed[], bool run[]) {
  for (int k = 0; k < p->versions; k++) needed[k] = false;
  for (int k = 0; k < p->terms; k++)
    for (int l = 0; l < p->term[k].reads; l++)
      if (adjoint_reads(p, &p->term[k], l))
        needed[p->term[k].read[l]] = recomputed(p, p->term[k].read[l]);
  for (int k = p->terms - 1; k >= 0; k--) {
    const HgTerm *t = &p->term[k];
    run[k] = false;
    for (int l = 0; l < t->writes; l++) run[k] = run[k] || needed[t->write[l]];
    for (int l = 0; run[k] && l < t->reads; l++) needed[t->read[l]] = recomputed(p, t->read[l]);
  }
}

/* Before the adjoint of a term, the terms to run again: all before the first of the adjoints; but
   where the states between several steps are saved, those of a step before its own, so that what
   they make is soon used up. */
static void add_needed_terms(HgProgram p, HgPass *pass, const bool run[], int before) {
  const int step = p->term[before].substep;
  const bool last = before == p->terms - 1;
  if (p->states_given ? !last && p->term[before + 1].substep == step : !last) return;
  for (int k = 0; k < p->terms; k++)
    if (run[k] && (!p->states_given || p->term[k].substep == step)) add_call(p, pass, k, HG_PRIMAL);
}

static void index_values(HgProgram p, HgPass *pass) {
  for (int s = 0; s < HG_MODES * p->versions; s++)
    pass->value[s] = (HgValue){.first_out = -1, .last_out = -1, .last_use = -1};
  for (int c = 0; c < pass->calls; c++) {
    for (int k = 0; k < pass->call[c].outs; k++) {
      HgValue *s = &pass->value[pass->call[c].out[k]];
      s->last_out = c;
      s->layers = PetscMax(s->layers, pass->call[c].outside);
      if (s->first_out < 0) s->first_out = c;
    }
    for (int k = 0; k < pass->call[c].uses; k++)
      pass->value[pass->call[c].use[k].value].last_use = c;
  }
}

/* ---- stages ---- */

/* Must the value outlive calls [first, last), in which it is written, or does it come from
   before? */
static bool delivered(HgProgram p, HgMode mode, const HgPass *pass, int value, int first,
                      int last) {
  const HgValue *s = &pass->value[value];
  const HgVersion *v = HgValueVersion(p, value);
  if (s->last_use >= last || s->first_out < first || s->last_out >= last) return true;
  if (HgValueMode(p, value) == HG_COTANGENT) return v->place != HG_AT_WORK;
  return v->place == HG_AT_END && mode != HG_COTANGENT;
}

static bool within(int call, int first, int last) { return call >= first && call < last; }

/* Extra skew near a wall [rows]: a cotangent's ghosts outside walls are added to the cells inside,
   or dropped, when its last contributor has done its last row, `outside` layers out; the outermost
   `depth` rows inside wait for that. `outside`: the reader is an adjoint that reads values outside
   walls, too, where rows are copies of later ones. */
static int slack(HgProgram p, const HgPass *pass, int value, bool outside) {
  const int depth = HgValueVariable(p, value)->depth;
  if (HgValueMode(p, value) != HG_COTANGENT) return outside ? 2 * depth : 0;
  if (!pass->value[value].layers) return 0; /* it has no contributions there */
  return PetscMax(depth, depth + pass->call[pass->value[value].last_out].outside - 1);
}

/* A contributor is ahead of later ones, and has done its rows outside walls when the last of them
   applies the boundary's adjoint there. */
static int ahead_of_boundary_adjoint(const HgPass *pass, int call, int value, int last) {
  const int boundary_adjoint = pass->value[value].last_out;
  if (boundary_adjoint <= call || boundary_adjoint >= last) return 0;
  return pass->call[boundary_adjoint].skew + pass->call[call].outside -
         pass->call[boundary_adjoint].outside;
}

/* The value at the start of a step that a result has the frozen ghosts of; -1: it has none. */
static int frozen_start(HgProgram p, const HgCall *c, int out) {
  const HgProgramVariable *v = HgValueVariable(p, c->out[out]);
  const bool states_given = c->mode == HG_PRIMAL && v->role == HG_CARRIED;
  return states_given && HgBoundaryFreezes(p->mesh, &v->boundary)
             ? HgValueOf(p, HG_PRIMAL, v->first)
             : -1;
}

/* Overlaps and skews of calls [first, last); need[value] and skew[value] are what the readers want
   of a value, -1: nothing. Do the calls form a stage within `limit` ghosts? */
static bool overlaps_and_skews(HgProgram p, HgMode mode, HgPass *pass, int first, int last,
                               int limit, int need[], int skew[]) {
  for (int s = 0; s < HG_MODES * p->versions; s++) need[s] = -1, skew[s] = 0;
  for (int c = last - 1; c >= first; c--) {
    HgCall *call = &pass->call[c];
    call->overlap = call->skew = 0;
    for (int k = 0; k < call->outs; k++) {
      call->overlap = PetscMax(call->overlap, need[call->out[k]]);
      call->skew = PetscMax(call->skew, skew[call->out[k]]);
      call->skew = PetscMax(call->skew, ahead_of_boundary_adjoint(pass, c, call->out[k], last));
    }
    for (int k = 0; k < call->outs;
         k++) { /* what stays outside frozen walls comes from the start */
      const int start = frozen_start(p, call, k);
      if (start >= 0) need[start] = PetscMax(need[start], need[call->out[k]]);
    }
    for (int k = 0; k < call->outs; k++) { /* who adds later comes later, and computes no more */
      const int s = call->out[k];
      if (need[s] >= 0) need[s] = PetscMax(need[s], call->overlap);
      skew[s] = PetscMax(skew[s], call->skew);
    }
    for (int k = 0; k < call->uses; k++) {
      const int s = call->use[k].value, radius = call->use[k].radius;
      need[s] = PetscMax(need[s], call->overlap + radius);
      skew[s] = PetscMax(skew[s], call->skew + radius + slack(p, pass, s, call->use[k].walls));
    }
  }
  if (last == first + 1) return true;
  for (int c = first; c < last; c++)
    if (p->term[pass->call[c].term].part.op) return false; /* sees all of its variables at once */
  int needs = 0;
  for (int s = 0; s < HG_MODES * p->versions; s++) {
    const bool written = within(pass->value[s].first_out, first, last) ||
                         within(pass->value[s].last_out, first, last);
    if (need[s] >= 0 && written && delivered(p, mode, pass, s, first, last)) return false;
    if (need[s] > 0 && !written && (need[s] > limit || ++needs > 64)) return false;
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

/* Does an adjoint read the value outside walls? */
static bool walls_wanted(const HgPass *pass, int first, int last, int value) {
  for (int c = first; c < last; c++)
    for (int k = 0; k < pass->call[c].uses; k++)
      if (pass->call[c].use[k].value == value && pass->call[c].use[k].walls) return true;
  return false;
}

/* What the calls of a stage need from others, and where their results lie. */
static PetscErrorCode make_stage(HgProgram p, HgMode mode, HgPass *pass, int first, int last,
                                 const int need[]) {
  HgStage *g = &pass->stage[pass->stages++];
  *g = (HgStage){.first = first, .last = last};
  PetscCall(PetscMalloc1(HG_MODES * p->versions, &g->need));
  for (int s = 0; s < HG_MODES * p->versions; s++) {
    HgValue *value = &pass->value[s];
    if (within(value->first_out, first, last) || within(value->last_out, first, last))
      value->buffered = !delivered(p, mode, pass, s, first, last);
    if ((need[s] <= 0 && !walls_wanted(pass, first, last, s)) ||
        (within(value->first_out, first, last) && value->buffered))
      continue;
    g->need[g->needs++] = (HgNeed){s, PetscMax(0, need[s])};
    g->depth = PetscMax(g->depth, need[s]);
  }
  HgRequire(HgMeshComm(p->mesh), g->needs <= 64,
            "program '%s': %d variables need ghosts at once, expected at most 64", p->name,
            g->needs);
  return 0;
}

/* How long rows stay in their row buffer: from the first call that writes them to the last reader,
   and to the call that applies the boundary's adjoint. */
static void span_of_row_buffers(HgProgram p, HgPass *pass, const HgStage *g) {
  for (int c = g->first; c < g->last; c++)
    for (int k = 0; k < pass->call[c].outs; k++) {
      HgValue *s = &pass->value[pass->call[c].out[k]];
      if (!s->buffered) continue;
      const int depth = HgValueVariable(p, pass->call[c].out[k])->depth;
      int low = pass->call[c].skew;
      if (pass->call[c].mode == HG_COTANGENT) {
        const HgCall *boundary_adjoint = &pass->call[s->last_out];
        low = PetscMin(low, boundary_adjoint->skew - depth - boundary_adjoint->outside);
        s->filled = true;
      }
      for (int d = c; d < g->last; d++) {
        const HgCall *later = &pass->call[d];
        for (int l = 0; l < later->outs; l++)
          if (later->out[l] == pass->call[c].out[k]) low = PetscMin(low, later->skew);
        for (int l = 0; l < later->uses; l++)
          if (later->use[l].value == pass->call[c].out[k]) {
            low = PetscMin(low, later->skew - later->use[l].radius);
            s->filled = s->filled || later->use[l].radius > 0 || later->use[l].walls;
          }
      }
      s->span = PetscMax(s->span, PetscMax(pass->call[c].skew - low, depth));
    }
}

/* Constants and the state at the start are exchanged once for all stages that read them. */
static void same_depth_for_all(HgProgram p, HgPass *pass) {
  for (int g = pass->stages - 1; g > 0; g--)
    for (int k = 0; k < pass->stage[g].needs; k++)
      for (int f = 0; f < g; f++)
        for (int l = 0; l < pass->stage[f].needs; l++) {
          HgNeed *earlier = &pass->stage[f].need[l];
          if (earlier->value == pass->stage[g].need[k].value &&
              HgValueMode(p, earlier->value) != HG_COTANGENT)
            earlier->depth = PetscMax(earlier->depth, pass->stage[g].need[k].depth);
        }
}

/* What a stage reads of states, which no call of it writes. */
static PetscErrorCode list_incoming(HgProgram p, const HgPass *pass, HgStage *g) {
  int *skew;
  const int values = HG_MODES * p->versions;
  PetscCall(PetscMalloc1(values, &skew));
  for (int s = 0; s < values; s++) skew[s] = -1;
  for (int c = g->first; c < g->last; c++)
    for (int k = 0; k < pass->call[c].uses; k++) {
      const HgUse *use = &pass->call[c].use[k];
      if (!within(pass->value[use->value].first_out, g->first, g->last))
        skew[use->value] = PetscMax(skew[use->value], pass->call[c].skew + use->radius);
    }
  PetscCall(PetscMalloc1(values, &g->incoming));
  for (int s = 0; s < values; s++)
    if (skew[s] >= 0) g->incoming[g->incomings++] = (HgIncoming){s, skew[s]};
  return PetscFree(skew);
}

static void mark_streams(HgPass *pass) {
  for (int c = 0; c < pass->calls; c++)
    for (int k = 0; k < pass->call[c].outs; k++) {
      HgCall *call = &pass->call[c];
      const HgValue *s = &pass->value[call->out[k]];
      call->stream[k] = !s->buffered && s->first_out == s->last_out && s->last_use < 0 &&
                        (call->mode != HG_COTANGENT || call->fresh[k]);
    }
}

PetscErrorCode HgPassPlan(HgProgram p, HgMode mode) {
  HgPass *pass = &p->pass[mode];
  if (pass->calls) return 0;
  const size_t values = (size_t)(HG_MODES * p->versions);
  int *need, *skew;
  bool *needed;
  PetscCall(PetscCalloc1(2 * p->terms, &pass->call));
  PetscCall(PetscCalloc1(2 * p->terms, &pass->stage));
  PetscCall(PetscCalloc1(values, &pass->value));
  PetscCall(PetscMalloc3(values, &need, values, &skew, p->versions + p->terms, &needed));
  bool *const run = needed + p->versions;
  if (mode == HG_COTANGENT) find_needed_terms(p, needed, run);
  for (int k = 0; k < p->terms; k++) {
    const int term = mode == HG_COTANGENT ? p->terms - 1 - k : k;
    if (mode == HG_COTANGENT) add_needed_terms(p, pass, run, term);
    add_call(p, pass, term, mode);
    if (mode == HG_TANGENT) add_call(p, pass, k, HG_PRIMAL);
  }
  index_values(p, pass);
  const int limit = p->fuse ? HgProgramWidestHalo(p) : 0;
  for (int first = 0, last; first < pass->calls; first = last) {
    for (last = p->fuse ? pass->calls : first + 1;
         !overlaps_and_skews(p, mode, pass, first, last, limit, need, skew); last--)
      ;
    PetscCall(make_stage(p, mode, pass, first, last, need));
    span_of_row_buffers(p, pass, &pass->stage[pass->stages - 1]);
    PetscCall(list_incoming(p, pass, &pass->stage[pass->stages - 1]));
  }
  same_depth_for_all(p, pass);
  mark_streams(pass);
  return PetscFree3(need, skew, needed);
}

PetscErrorCode HgPassDestroy(HgProgram p, HgMode mode) {
  HgPass *pass = &p->pass[mode];
  for (int g = 0; g < pass->stages; g++) {
    HgStage *stage = &pass->stage[g];
    for (int k = 0; k < stage->plans; k++) PetscCall(HgExchangeDestroy(&stage->plan[k].exchange));
    for (int k = 0; k < HG_TILINGS; k++) HgTilingFree(&stage->tiling[k]);
    PetscCall(PetscFree(stage->plan));
    PetscCall(PetscFree(stage->need));
    PetscCall(PetscFree(stage->incoming));
  }
  PetscCall(PetscFree(pass->stage));
  PetscCall(PetscFree(pass->call));
  PetscCall(PetscFree(pass->value));
  *pass = (HgPass){0};
  return 0;
}
