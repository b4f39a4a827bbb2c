/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning a block: the versions of its steps and the calls, in order. Then its calls are cut into
   stages (stage.c). */
#include <halograd/block_library.h>
#include <halograd/boundary_library.h>
#include <string.h>

/* The plan. version_of[step * p->versions + v]: version v of the program's step in the block.
   needed[version], run[turn]: see find_needed(). A turn is a term of a step, counted through all
   steps. */
typedef struct {
  HgBlock b;
  HgProgram p;
  int turns, lone; /* lone: the only term, -1: all of them */
  int *version_of;
  bool *needed, *run;
  int *numbers; /* room for the arrays of calls to come */
  HgUse *use;
  bool *marks;
} Plan;

static int term_of(const Plan *m, int turn) { return m->lone < 0 ? turn % m->p->terms : m->lone; }

static int step_of(const Plan *m, int turn) { return m->lone < 0 ? turn / m->p->terms : 0; }

static int version_at(const Plan *m, int step, int version) {
  return m->version_of[step * m->p->versions + version];
}

/* ---- versions ---- */
static int add_version(HgBlock b, HgVersion v) {
  v.alias_of = b->versions;
  b->version[b->versions] = v;
  return b->versions++;
}

/* Whether a copy becomes what the other variable was, including ghosts, and is not observed.
   Constants cannot be the source: what a program writes is masked, constants are not. */
static bool alike(HgProgram p, const HgProgramVariable *copy, const HgProgramVariable *of) {
  return of->role != HG_CONSTANT && HgBoundarySame(&copy->boundary, &of->boundary) &&
         copy->closed.column == of->closed.column && copy->closed.row == of->closed.row &&
         copy->depth <= of->depth && !copy->limited && !HgBoundaryFreezes(p->mesh, &copy->boundary);
}

/* The number of a term's writes that step n computes. Copies that the next step reads are not among
   them: it reads their source. */
static int writes_made(const Plan *m, int n, const HgTerm *t) {
  int made = t->writes;
  if (n == m->b->steps - 1 || (m->b->stored && m->b->mode == HG_PRIMAL)) return made;
  for (; made > t->writes - t->copies; made--) {
    const int write = t->write[made - 1], read = t->read[t->copy_of[made - 1]];
    if (m->p->version[write].place != HG_AT_END ||
        !alike(m->p, HgVersionVariable(m->p, write), HgVersionVariable(m->p, read)))
      break;
  }
  return made;
}

/* The version whose primal numbers version `one` shares, if its writer does not compute them in
   step n; -1: it does, or the states between the steps are given. These hold the copies that
   adjoints read, but perhaps not their source. */
static int copied_from(const Plan *m, int n, int one) {
  const int writer = m->p->version[one].writer;
  const HgTerm *t = writer < 0 || m->b->stored ? NULL : &m->p->term[writer];
  for (int k = t ? writes_made(m, n, t) : 0; t && k < t->writes; k++)
    if (t->write[k] == one) return m->b->version[version_at(m, n, t->read[t->copy_of[k]])].alias_of;
  return -1;
}

/* Version `one` of the program in step n. Constants are the same in all steps; carried variables
   start from the previous step. */
static int version_in(const Plan *m, int n, int one) {
  const HgVersion *in_step = &m->p->version[one];
  const HgProgramVariable *v = &m->p->variable[in_step->variable];
  HgVersion new = *in_step;
  if (n && v->role == HG_CONSTANT) return version_at(m, n - 1, one);
  if (n && v->role == HG_CARRIED && one == v->first) return version_at(m, n - 1, v->last);
  new.last_reader = -1;
  new.start = v->role == HG_CARRIED ? v->first : -1; /* the versions of step 0 come first */
  if (new.place == HG_AT_END && n < m->b->steps - 1) new.place = HG_AT_WORK, new.saved = n + 1;
  if (new.place == HG_AT_WORK) new.index = m->b->works++;
  const int from = copied_from(m, n, one), added = add_version(m->b, new);
  if (from >= 0) m->b->version[added].alias_of = from;
  return added;
}

static void unroll(const Plan *m) {
  const int count = m->p->versions;
  for (int n = 0; n < m->b->steps; n++)
    for (int k = 0; k < count; k++) {
      const int reader = m->p->version[k].last_reader, at = version_in(m, n, k);
      m->version_of[n * count + k] = at;
      if (reader >= 0) m->b->version[at].last_reader = n * m->p->terms + reader;
    }
}

/* For a lone term: what it reads, or only writes, is at the start; what it writes is at the end. */
static void unroll_lone(const Plan *m) {
  const HgTerm *t = &m->p->term[m->lone];
  for (int k = 0; k < t->reads + t->writes; k++) {
    const int at = k < t->reads ? t->read[k] : t->write[k - t->reads];
    const int variable = m->p->version[at].variable;
    int start = 0;
    while (start < m->b->versions && m->b->version[start].variable != variable) start++;
    if (start == m->b->versions)
      add_version(m->b, (HgVersion){variable, -1, HG_AT_START, start, -1, -1, 0, 0});
    m->version_of[at] = start;
    if (k < t->reads) m->b->version[start].last_reader = 0;
  }
  for (int k = 0; k < t->writes; k++) {
    int *const at = &m->version_of[t->write[k]], variable = m->b->version[*at].variable;
    const int start = m->p->variable[variable].role == HG_CARRIED ? *at : -1;
    *at = add_version(m->b, (HgVersion){variable, 0, HG_AT_END, k, -1, start, 0, 0});
  }
}

/* ---- calls ---- */
static bool is_array(const Plan *m, int value) {
  return m->p->variable[HgValueVersion(m->b, value)->variable].kind == HG_REPLICATED;
}

/* A stencil that reads an array needs no ghosts of it. */
static void add_use(const Plan *m, HgCall *c, int value, int radius, bool walls) {
  if (m->p->term[c->term].part.op || !is_array(m, value))
    c->use[c->uses++] = (HgUse){value, radius, walls};
}

/* Layers outside walls on which an adjoint runs. If a boundary reflects, ghosts got their values
   from inside, so they have cotangents too. */
static int layers_outside(HgProgram p, const HgTerm *t) {
  int layers = 0;
  for (int k = 0; k < t->reads; k++)
    if (HgBoundaryReflects(p->mesh, &HgVersionVariable(p, t->read[k])->boundary))
      layers = PetscMax(layers, t->stencil->reads[k].radius);
  return layers;
}

bool HgTermReads(HgProgram p, const HgTerm *t, int read) {
  const HgRead *r = &t->stencil->reads[read];
  bool only = false;
  for (const char *const(*pair)[2] = t->stencil->only_for; pair && (*pair)[0]; pair++) {
    if (strcmp((*pair)[0], r->name)) continue;
    only = true;
    for (int k = 0; k < t->reads; k++) {
      const HgProgramVariable *v = HgVersionVariable(p, t->read[k]);
      if (!strcmp((*pair)[1], v->name) && (v->role != HG_CONSTANT || v->active))
        return r->adjoint_radius >= 0;
    }
  }
  return !only && r->adjoint_radius >= 0;
}

/* The value of a version of the program in the step of that turn. */
static int value_of(const Plan *m, int turn, HgMode mode, int version) {
  const int at = version_at(m, step_of(m, turn), version);
  return HgValueOf(m->b, mode, mode == HG_PRIMAL ? m->b->version[at].alias_of : at);
}

static int value_read(const Plan *m, int turn, HgMode mode, int k) {
  return value_of(m, turn, mode, m->p->term[term_of(m, turn)].read[k]);
}

static int value_written(const Plan *m, int turn, HgMode mode, int k) {
  return value_of(m, turn, mode, m->p->term[term_of(m, turn)].write[k]);
}

/* How much a call of a term, or of it and the one before as one, reads and writes at most. */
static int room_of(HgProgram p, const HgTerm *t) {
  return t->writes + PetscMax(t->reads, t->with_previous ? p->term[t->with_previous].reads : 0);
}

static HgCall *new_call(Plan *m, int turn, int term, int kernel, HgMode mode) {
  HgCall *c = &m->b->call[m->b->calls++];
  const HgTerm *t = &m->p->term[kernel];
  const int n = room_of(m->p, &m->p->term[term]);
  *c = (HgCall){.term = term,
                .kernel = kernel,
                .step = step_of(m, turn),
                .mode = mode,
                .x = m->numbers,
                .second = m->numbers + n,
                .out = m->numbers + 2 * n,
                .fresh = m->marks,
                .applies_boundary_adjoint = m->marks + n,
                .use = m->use};
  m->numbers += 3 * n, m->marks += 2 * n, m->use += 2 * n;
  for (int k = 0; k < t->reads; k++) c->x[k] = value_of(m, turn, HG_PRIMAL, t->read[k]);
  return c;
}

/* The term that is a turn and the one before as one; 0: none. */
static int pair_of(const Plan *m, int turn) {
  const bool may = m->lone < 0 && m->p->fuse && turn < m->turns;
  return may ? m->p->term[term_of(m, turn)].with_previous : 0;
}

/* The term whose kernel is the adjoint of a turn. */
static int adjoint_of(const Plan *m, int turn) {
  const int pair = pair_of(m, turn);
  return pair && m->p->term[pair].stencil->adjoint ? pair : term_of(m, turn);
}

/* HG_PRIMAL: apply; HG_TANGENT: tangent. */
static void add_forward(Plan *m, int turn, HgMode mode) {
  const bool pairs = m->b->mode == HG_PRIMAL; /* others want what lies between as rows */
  if (pairs && pair_of(m, turn + 1)) return;
  const int pair = pairs ? pair_of(m, turn) : 0, term = pair ? pair : term_of(m, turn);
  HgCall *c = new_call(m, turn, term, term, mode);
  const HgTerm *t = &m->p->term[c->term];
  for (int k = 0; k < t->reads; k++) {
    const int radius = t->stencil->reads[k].radius;
    add_use(m, c, c->x[k], radius, false);
    if (mode == HG_TANGENT)
      add_use(m, c, c->second[k] = value_of(m, turn, HG_TANGENT, t->read[k]), radius, false);
  }
  for (int k = 0; k < writes_made(m, c->step, t); k++)
    c->out[c->outs++] = value_of(m, turn, mode, t->write[k]);
}

/* Whether a turn is the first of its step to read a version. Its adjoint is then the last to add to
   the cotangent. */
static bool reads_first(const Plan *m, int turn, int value) {
  for (int t = turn - 1; t >= 0 && step_of(m, t) == step_of(m, turn); t--)
    for (int k = 0; k < m->p->term[term_of(m, t)].reads; k++)
      if (value_read(m, t, HG_COTANGENT, k) == value) return false;
  return true;
}

/* Whether value[k] is among those before it. */
static bool stands_before(const int value[], int k) {
  int l = 0;
  while (value[l] != value[k]) l++;
  return l < k;
}

static void add_adjoint(Plan *m, int turn) {
  HgCall *c = new_call(m, turn, term_of(m, turn), adjoint_of(m, turn), HG_COTANGENT);
  const HgTerm *t = &m->p->term[c->term], *of = &m->p->term[c->kernel];
  c->outside = layers_outside(m->p, t);
  for (int k = 0; k < t->reads; k++) {
    c->out[c->outs++] = value_read(m, turn, HG_COTANGENT, k);
    const HgVersion *v = HgValueVersion(m->b, c->out[k]);
    c->fresh[k] = v->last_reader == turn && v->place != HG_AT_CONSTANTS && v->place != HG_AT_END &&
                  !stands_before(c->out, k) && /* an operator may read a variable twice */
                  (t->part.op || !is_array(m, c->out[k]));
    c->applies_boundary_adjoint[k] =
        (v->place == HG_AT_WORK || v->place == HG_AT_END) && reads_first(m, turn, c->out[k]);
  }
  for (int k = 0; k < of->reads; k++)
    if (HgTermReads(m->p, of, k))
      add_use(m, c, c->x[k], of->stencil->reads[k].adjoint_radius, c->outside > 0);
  for (int k = 0; k < t->writes; k++)
    add_use(m, c, c->second[k] = value_written(m, turn, HG_COTANGENT, k), t->radius, false);
}

/* ---- what reversing makes again ---- */

/* Whether it is available only by recomputation. */
static bool recomputed(HgBlock b, int version) { return !b->stored || !b->version[version].saved; }

/* run[turn]: the term must run again before the block is reversed, because an adjoint or another
   such term reads its results. */
static void find_needed(const Plan *m) {
  for (int turn = 0; turn < m->turns; turn++) {
    const HgTerm *t = &m->p->term[adjoint_of(m, turn)];
    for (int k = 0; k < t->reads; k++) {
      const int version = value_of(m, turn, HG_PRIMAL, t->read[k]);
      if (HgTermReads(m->p, t, k)) m->needed[version] = recomputed(m->b, version);
    }
  }
  for (int turn = m->turns - 1; turn >= 0; turn--) {
    const HgTerm *t = &m->p->term[term_of(m, turn)];
    for (int k = 0; k < writes_made(m, step_of(m, turn), t); k++)
      m->run[turn] = m->run[turn] || m->needed[value_written(m, turn, HG_PRIMAL, k)];
    for (int k = 0; m->run[turn] && k < t->reads; k++) {
      const int version = value_read(m, turn, HG_PRIMAL, k);
      m->needed[version] = recomputed(m->b, version);
    }
  }
}

/* Adds the terms to recompute before the adjoint of a turn: all of them before the first adjoint.
   If the states between several steps are given, only those of the turn's own step, so that their
   results are used soon. */
static void add_needed(Plan *m, int before) {
  const int step = step_of(m, before);
  const bool last = before == m->turns - 1, stored = m->b->stored;
  if (stored ? !last && step_of(m, before + 1) == step : !last) return;
  for (int turn = 0; turn < m->turns; turn++)
    if (m->run[turn] && (!stored || step_of(m, turn) == step)) add_forward(m, turn, HG_PRIMAL);
}

static void add_calls(Plan *m) {
  const HgMode mode = m->b->mode;
  if (mode == HG_COTANGENT) find_needed(m);
  for (int k = 0; k < m->turns; k++) {
    const int turn = mode == HG_COTANGENT ? m->turns - 1 - k : k;
    if (mode == HG_COTANGENT) add_needed(m, turn);
    if (mode == HG_COTANGENT) add_adjoint(m, turn);
    else add_forward(m, turn, mode);
    if (mode == HG_TANGENT) add_forward(m, turn, HG_PRIMAL);
  }
}

/* Allocates at most two calls for each turn. */
static PetscErrorCode make_room(Plan *m) {
  HgBlock b = m->b;
  int all = 0; /* what their terms read and write */
  for (int turn = 0; turn < m->turns; turn++)
    all += 2 * room_of(m->p, &m->p->term[term_of(m, turn)]);
  PetscCall(PetscCalloc1(2 * m->turns, &b->call));
  PetscCall(PetscCalloc3(3 * all, &b->numbers, 2 * all, &b->use, 2 * all, &b->marks));
  m->numbers = b->numbers, m->use = b->use, m->marks = b->marks;
  return 0;
}

static PetscErrorCode plan(HgProgram p, HgMode mode, int steps, bool stored, int lone,
                           HgBlock *block) {
  HgBlock b;
  PetscCall(PetscNew(&b));
  *block = b;
  b->program = p, b->mode = mode, b->steps = steps, b->stored = stored, b->lone = lone >= 0;
  Plan m = {.b = b, .p = p, .lone = lone, .turns = lone < 0 ? steps * p->terms : 1};
  const int most = lone < 0 ? steps * p->versions : p->term[lone].reads + 2 * p->term[lone].writes;
  PetscCall(PetscMalloc1(steps * p->versions, &m.version_of));
  PetscCall(PetscCalloc1(most, &b->version));
  if (lone < 0) unroll(&m);
  else unroll_lone(&m);
  PetscCall(PetscCalloc2(b->versions, &m.needed, m.turns, &m.run));
  PetscCall(make_room(&m));
  add_calls(&m);
  PetscCall(PetscFree(m.version_of));
  PetscCall(PetscFree2(m.needed, m.run));
  const PetscErrorCode ierr = HgBlockCut(b);
  if (ierr) PetscCall(HgBlockDestroy(block));
  return ierr;
}

PetscErrorCode HgBlockCreate(HgProgram p, HgMode mode, int steps, bool stored, HgBlock *block) {
  return plan(p, mode, steps, stored, -1, block);
}

PetscErrorCode HgBlockCreateTerm(HgProgram p, HgMode mode, int term, HgBlock *block) {
  return plan(p, mode, 1, false, term, block);
}

PetscErrorCode HgBlockDestroy(HgBlock *block) {
  HgBlock b = *block;
  *block = NULL;
  if (!b) return 0;
  for (int g = 0; g < b->stages; g++) PetscCall(HgStageDestroy(&b->stage[g]));
  for (int mode = 0; mode < HG_MODES; mode++) PetscCall(HgStateDestroy(&b->work[mode]));
  PetscCall(PetscFree(b->version));
  PetscCall(PetscFree(b->call));
  PetscCall(PetscFree3(b->numbers, b->use, b->marks));
  PetscCall(PetscFree(b->stage));
  PetscCall(PetscFree(b->value));
  return PetscFree(b);
}

PetscErrorCode HgProgramBlock(HgProgram p, HgMode mode, int steps, bool stored, HgBlock *block) {
  HgBlock *const known = &p->block[mode][stored][steps];
  if (!*known) PetscCall(HgBlockCreate(p, mode, steps, stored, known));
  *block = *known;
  return 0;
}
