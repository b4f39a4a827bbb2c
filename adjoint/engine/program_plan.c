/* Planning a pass: which kernels run in which order, where what they hand to each other lies, and
   how many of them fit between two exchanges.

   A group of calls is computed on any rectangle of owned cells alone, if each call computes `extent`
   cells more than the rectangle on its seams: what its readers need around the cells they compute.
   The first inputs must then have valid ghosts as deep as all of it together, at most the width of
   the halo. */
#include "program_private.h"
#include <string.h>

bool HgSlotKept(HgProgram p, const HgStage *stage, int slot) {
  if (!stage->kept || HgSlotForm(p, slot) != HG_PRIMAL || !HgSlotVersion(p, slot)->kept)
    return false;
  return stage->keep == HG_KEEP_WHOLE || HgSlotVariable(p, slot)->reversed;
}

HgState HgSlotState(HgProgram p, const HgStage *stage, int slot) {
  const HgPlaces *places = &stage->of[HgSlotForm(p, slot)];
  if (HgSlotKept(p, stage, slot)) return stage->kept[HgSlotVersion(p, slot)->kept - 1];
  switch (HgSlotVersion(p, slot)->place) {
  case HG_AT_START: return places->start;
  case HG_AT_END: return places->end;
  case HG_AT_CONSTANTS: return places->constants;
  default: return p->work[HgSlotForm(p, slot)];
  }
}

int HgSlotIndex(HgProgram p, const HgStage *stage, int slot) {
  return HgSlotKept(p, stage, slot) ? HgSlotVariable(p, slot)->index
                                    : HgSlotVersion(p, slot)->index;
}

double *const *HgSlotRows(HgProgram p, const HgStage *stage, int slot) {
  const HgState state = HgSlotState(p, stage, slot);
  return state ? HgStateRows(state, HgSlotIndex(p, stage, slot)) : NULL;
}

/* ---- calls ---- */
static void add_use(HgCall *c, int slot, int radius, bool walls) {
  c->use[c->uses++] = (HgUse){slot, radius, walls};
}

/* Layers outside walls on which an adjoint runs: where a boundary reflects, ghosts outside got their
   values from inside, so cotangents arise there too. */
static int ring_of(HgProgram p, const HgTerm *t) {
  int ring = 0;
  for (int k = 0; k < t->reads; k++)
    if (HgBoundaryReflects(p->mesh, &p->variable[p->version[t->read[k]].variable].boundary))
      ring = PetscMax(ring, t->stencil->reads[k].radius);
  return ring;
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

static void add_call(HgProgram p, HgPass *pass, int term, HgForm form) {
  const HgTerm *t = &p->term[term];
  HgCall *c = &pass->call[pass->calls++];
  *c = (HgCall){.term = term, .form = form, .ring = form == HG_BAR ? ring_of(p, t) : 0};
  for (int k = 0; k < t->reads; k++) {
    const HgRead *read = &t->stencil->reads[k];
    c->x[k] = HgSlotOf(p, HG_PRIMAL, t->read[k]);
    if (form != HG_BAR) add_use(c, c->x[k], read->radius, false);
    else if (adjoint_reads(p, t, k)) add_use(c, c->x[k], read->adjoint_radius, c->ring > 0);
    if (form == HG_TANGENT)
      add_use(c, c->second[k] = HgSlotOf(p, HG_TANGENT, t->read[k]), read->radius, false);
    if (form == HG_BAR) c->out[c->outs++] = HgSlotOf(p, HG_BAR, t->read[k]);
  }
  for (int k = 0; k < t->writes; k++)
    if (form == HG_BAR)
      add_use(c, c->second[k] = HgSlotOf(p, HG_BAR, t->write[k]), t->radius, false);
    else c->out[c->outs++] = HgSlotOf(p, form, t->write[k]);
  for (int k = 0; form == HG_BAR && k < t->reads; k++) {
    const HgVersion *v = &p->version[t->read[k]];
    c->fresh[k] = v->last_reader == term && v->place != HG_AT_CONSTANTS && v->place != HG_AT_END;
  }
}

/* Must it be computed again to be there? */
static bool recomputed(HgProgram p, int version) { return !p->keeps || !p->version[version].kept; }

/* run[k]: must term k run again before the step is reversed, since an adjoint reads its results, or a term
   that must run? */
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

/* Before the adjoint of a term, the terms to run again: all before the first of the adjoints; but where the
   states between several steps are kept, those of a step before its own, so that what they make is
   soon used up. */
static void add_needed_terms(HgProgram p, HgPass *pass, const bool run[], int before) {
  const int step = p->term[before].substep;
  const bool last = before == p->terms - 1;
  if (p->keeps ? !last && p->term[before + 1].substep == step : !last) return;
  for (int k = 0; k < p->terms; k++)
    if (run[k] && (!p->keeps || p->term[k].substep == step)) add_call(p, pass, k, HG_PRIMAL);
}

static void index_slots(HgProgram p, HgPass *pass) {
  for (int s = 0; s < HG_FORMS * p->versions; s++)
    pass->slot[s] = (HgSlot){.first_out = -1, .last_out = -1, .last_use = -1};
  for (int c = 0; c < pass->calls; c++) {
    for (int k = 0; k < pass->call[c].outs; k++) {
      HgSlot *s = &pass->slot[pass->call[c].out[k]];
      s->last_out = c;
      s->layers = PetscMax(s->layers, pass->call[c].ring);
      if (s->first_out < 0) s->first_out = c;
    }
    for (int k = 0; k < pass->call[c].uses; k++) pass->slot[pass->call[c].use[k].slot].last_use = c;
  }
}

/* ---- groups ---- */

/* Must the slot outlive calls [first, last), in which it is written, or does it come from before? */
static bool delivered(HgProgram p, HgForm form, const HgPass *pass, int slot, int first, int last) {
  const HgSlot *s = &pass->slot[slot];
  const HgVersion *v = HgSlotVersion(p, slot);
  if (s->last_use >= last || s->first_out < first || s->last_out >= last) return true;
  if (HgSlotForm(p, slot) == HG_BAR) return v->place != HG_AT_WORK;
  return v->place == HG_AT_END && form != HG_BAR;
}

static bool within(int call, int first, int last) { return call >= first && call < last; }

/* Rows that a reader must keep behind so that what walls hold, or owe, is complete. What is owed outside
   them is folded in, or dropped, when the last call that adds to it has done its last row, `ring` layers
   out; the outermost `depth` rows inside wait for that. `outside`: the reader is an adjoint that reads
   values outside walls, too, where rows are copies of later ones. */
static int slack(HgProgram p, const HgPass *pass, int slot, bool outside) {
  const int depth = HgSlotVariable(p, slot)->depth;
  if (HgSlotForm(p, slot) != HG_BAR) return outside ? 2 * depth : 0;
  if (!pass->slot[slot].layers) return 0; /* nothing is owed there */
  return PetscMax(depth, depth + pass->call[pass->slot[slot].last_out].ring - 1);
}

/* Who adds earlier is ahead, and is done outside walls when the last one folds in what is owed there. */
static int ahead_of_folding(const HgPass *pass, int call, int slot, int last) {
  const int folds = pass->slot[slot].last_out;
  if (folds <= call || folds >= last) return 0;
  return pass->call[folds].lead + pass->call[call].ring - pass->call[folds].ring;
}

/* The value at the start of a step that a result has the frozen ghosts of; -1: it has none. */
static int frozen_start(HgProgram p, const HgCall *c, int out) {
  const HgProgramVariable *v = HgSlotVariable(p, c->out[out]);
  const bool keeps = c->form == HG_PRIMAL && v->role == HG_CARRIED;
  return keeps && HgBoundaryFreezes(p->mesh, &v->boundary) ? HgSlotOf(p, HG_PRIMAL, v->first) : -1;
}

/* Extents and leads of calls [first, last); need[slot] and lead[slot] are what the readers want of a
   slot, -1: nothing. Do the calls form a group within `limit` ghosts? */
static bool extents(HgProgram p, HgForm form, HgPass *pass, int first, int last, int limit,
                    int need[], int lead[]) {
  for (int s = 0; s < HG_FORMS * p->versions; s++) need[s] = -1, lead[s] = 0;
  for (int c = last - 1; c >= first; c--) {
    HgCall *call = &pass->call[c];
    call->extent = call->lead = 0;
    for (int k = 0; k < call->outs; k++) {
      call->extent = PetscMax(call->extent, need[call->out[k]]);
      call->lead = PetscMax(call->lead, lead[call->out[k]]);
      call->lead = PetscMax(call->lead, ahead_of_folding(pass, c, call->out[k], last));
    }
    for (int k = 0; k < call->outs;
         k++) { /* what stays outside frozen walls comes from the start */
      const int start = frozen_start(p, call, k);
      if (start >= 0) need[start] = PetscMax(need[start], need[call->out[k]]);
    }
    for (int k = 0; k < call->outs; k++) { /* who adds later comes later, and computes no more */
      const int s = call->out[k];
      if (need[s] >= 0) need[s] = PetscMax(need[s], call->extent);
      lead[s] = PetscMax(lead[s], call->lead);
    }
    for (int k = 0; k < call->uses; k++) {
      const int s = call->use[k].slot, radius = call->use[k].radius;
      need[s] = PetscMax(need[s], call->extent + radius);
      lead[s] = PetscMax(lead[s], call->lead + radius + slack(p, pass, s, call->use[k].walls));
    }
  }
  if (last == first + 1) return true;
  for (int c = first; c < last; c++)
    if (p->term[pass->call[c].term].part.op) return false; /* sees all of its variables at once */
  int needs = 0;
  for (int s = 0; s < HG_FORMS * p->versions; s++) {
    const bool written =
        within(pass->slot[s].first_out, first, last) || within(pass->slot[s].last_out, first, last);
    if (need[s] >= 0 && written && delivered(p, form, pass, s, first, last)) return false;
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

/* Does an adjoint read the slot outside walls? */
static bool walls_wanted(const HgPass *pass, int first, int last, int slot) {
  for (int c = first; c < last; c++)
    for (int k = 0; k < pass->call[c].uses; k++)
      if (pass->call[c].use[k].slot == slot && pass->call[c].use[k].walls) return true;
  return false;
}

/* What the calls of a group need from others, and where their results lie. */
static PetscErrorCode make_group(HgProgram p, HgForm form, HgPass *pass, int first, int last,
                                 const int need[]) {
  HgGroup *g = &pass->group[pass->groups++];
  *g = (HgGroup){.first = first, .last = last};
  PetscCall(PetscMalloc1(HG_FORMS * p->versions, &g->need));
  for (int s = 0; s < HG_FORMS * p->versions; s++) {
    HgSlot *slot = &pass->slot[s];
    if (within(slot->first_out, first, last) || within(slot->last_out, first, last))
      slot->ring = !delivered(p, form, pass, s, first, last);
    if ((need[s] <= 0 && !walls_wanted(pass, first, last, s)) ||
        (within(slot->first_out, first, last) && slot->ring))
      continue;
    g->need[g->needs++] = (HgNeed){s, PetscMax(0, need[s])};
    g->depth = PetscMax(g->depth, need[s]);
  }
  HgRequire(HgMeshComm(p->mesh), g->needs <= 64,
            "program '%s': %d variables need ghosts at once, expected at most 64", p->name,
            g->needs);
  return 0;
}

/* How long rows stay in their ring: from the first call that writes them to the last reader, and to the call
   that folds in what is owed outside walls. */
static void span_of_rings(HgProgram p, HgPass *pass, const HgGroup *g) {
  for (int c = g->first; c < g->last; c++)
    for (int k = 0; k < pass->call[c].outs; k++) {
      HgSlot *s = &pass->slot[pass->call[c].out[k]];
      if (!s->ring) continue;
      const int depth = HgSlotVariable(p, pass->call[c].out[k])->depth;
      int low = pass->call[c].lead;
      if (pass->call[c].form == HG_BAR) {
        const HgCall *folds = &pass->call[s->last_out];
        low = PetscMin(low, folds->lead - depth - folds->ring);
        s->filled = true;
      }
      for (int d = c; d < g->last; d++) {
        const HgCall *later = &pass->call[d];
        for (int l = 0; l < later->outs; l++)
          if (later->out[l] == pass->call[c].out[k]) low = PetscMin(low, later->lead);
        for (int l = 0; l < later->uses; l++)
          if (later->use[l].slot == pass->call[c].out[k]) {
            low = PetscMin(low, later->lead - later->use[l].radius);
            s->filled = s->filled || later->use[l].radius > 0 || later->use[l].walls;
          }
      }
      s->span = PetscMax(s->span, PetscMax(pass->call[c].lead - low, depth));
    }
}

/* Constants and the state at the start are exchanged once for all groups that read them. */
static void same_depth_for_all(HgProgram p, HgPass *pass) {
  for (int g = pass->groups - 1; g > 0; g--)
    for (int k = 0; k < pass->group[g].needs; k++)
      for (int f = 0; f < g; f++)
        for (int l = 0; l < pass->group[f].needs; l++) {
          HgNeed *earlier = &pass->group[f].need[l];
          if (earlier->slot == pass->group[g].need[k].slot &&
              HgSlotForm(p, earlier->slot) != HG_BAR)
            earlier->depth = PetscMax(earlier->depth, pass->group[g].need[k].depth);
        }
}

/* What a group reads of states, which no call of it writes. */
static PetscErrorCode list_incoming(HgProgram p, const HgPass *pass, HgGroup *g) {
  int *lead;
  const int slots = HG_FORMS * p->versions;
  PetscCall(PetscMalloc1(slots, &lead));
  for (int s = 0; s < slots; s++) lead[s] = -1;
  for (int c = g->first; c < g->last; c++)
    for (int k = 0; k < pass->call[c].uses; k++) {
      const HgUse *use = &pass->call[c].use[k];
      if (!within(pass->slot[use->slot].first_out, g->first, g->last))
        lead[use->slot] = PetscMax(lead[use->slot], pass->call[c].lead + use->radius);
    }
  PetscCall(PetscMalloc1(slots, &g->incoming));
  for (int s = 0; s < slots; s++)
    if (lead[s] >= 0) g->incoming[g->incomings++] = (HgIncoming){s, lead[s]};
  return PetscFree(lead);
}

static void mark_streams(HgPass *pass) {
  for (int c = 0; c < pass->calls; c++)
    for (int k = 0; k < pass->call[c].outs; k++) {
      HgCall *call = &pass->call[c];
      const HgSlot *s = &pass->slot[call->out[k]];
      call->stream[k] = !s->ring && s->first_out == s->last_out && s->last_use < 0 &&
                        (call->form != HG_BAR || call->fresh[k]);
    }
}

PetscErrorCode HgPassPlan(HgProgram p, HgForm form) {
  HgPass *pass = &p->pass[form];
  if (pass->calls) return 0;
  const size_t slots = (size_t)(HG_FORMS * p->versions);
  int *need, *lead;
  bool *needed;
  PetscCall(PetscCalloc1(2 * p->terms, &pass->call));
  PetscCall(PetscCalloc1(2 * p->terms, &pass->group));
  PetscCall(PetscCalloc1(slots, &pass->slot));
  PetscCall(PetscMalloc3(slots, &need, slots, &lead, p->versions + p->terms, &needed));
  bool *const run = needed + p->versions;
  if (form == HG_BAR) find_needed_terms(p, needed, run);
  for (int k = 0; k < p->terms; k++) {
    const int term = form == HG_BAR ? p->terms - 1 - k : k;
    if (form == HG_BAR) add_needed_terms(p, pass, run, term);
    add_call(p, pass, term, form);
    if (form == HG_TANGENT) add_call(p, pass, k, HG_PRIMAL);
  }
  index_slots(p, pass);
  const int limit = p->fuse ? HgProgramWidestHalo(p) : 0;
  for (int first = 0, last; first < pass->calls; first = last) {
    for (last = p->fuse ? pass->calls : first + 1;
         !extents(p, form, pass, first, last, limit, need, lead); last--)
      ;
    PetscCall(make_group(p, form, pass, first, last, need));
    span_of_rings(p, pass, &pass->group[pass->groups - 1]);
    PetscCall(list_incoming(p, pass, &pass->group[pass->groups - 1]));
  }
  same_depth_for_all(p, pass);
  mark_streams(pass);
  return PetscFree3(need, lead, needed);
}

PetscErrorCode HgPassDestroy(HgProgram p, HgForm form) {
  HgPass *pass = &p->pass[form];
  for (int g = 0; g < pass->groups; g++) {
    HgGroup *group = &pass->group[g];
    for (int k = 0; k < group->plans; k++) PetscCall(HgExchangeDestroy(&group->plan[k].exchange));
    for (int k = 0; k < HG_TILINGS; k++) HgTilingFree(&group->tiling[k]);
    PetscCall(PetscFree(group->plan));
    PetscCall(PetscFree(group->need));
    PetscCall(PetscFree(group->incoming));
  }
  PetscCall(PetscFree(pass->group));
  PetscCall(PetscFree(pass->call));
  PetscCall(PetscFree(pass->slot));
  *pass = (HgPass){0};
  return 0;
}
