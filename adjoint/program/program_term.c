/* SPDX-License-Identifier: BSD-2-Clause */
/* One stencil of a step as an operator of its own: what it reads, and what it only writes, -> what
   it writes. A variable that it only writes is an input, too: frozen ghosts are those of the state
   that a step starts from. */
#include "program_private.h"
#include <halograd/boundary_library.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <string.h>

typedef struct {
  HgProgram program;
  const HgTerm *term;
  long step;
  HgBlock block[HG_MODES]; /* NULL: not wanted yet */
  int changes;             /* of the program, when block[HG_COTANGENT] was made */
  HgState x, dx, x_bar, y, y_bar;
} TermOperator;

static HgProgramVariable *named(HgProgram p, HgState state, int k) {
  int variable = 0;
  while (strcmp(p->variable[variable].name, HgStateVariable(state, k)->name)) variable++;
  return &p->variable[variable];
}

/* Creates a state of the term's inputs or outputs. */
static PetscErrorCode create_state(HgProgram p, const HgTerm *t, bool output, HgState *state) {
  HgVariable *list;
  const HgProgramVariable **of;
  int count = 0;
  PetscCall(PetscMalloc2(t->reads + t->writes, &list, t->reads + t->writes, &of));
  for (int k = output ? t->reads : 0; k < t->reads + t->writes; k++) {
    const HgProgramVariable *v =
        HgVersionVariable(p, k < t->reads ? t->read[k] : t->write[k - t->reads]);
    int known = 0;
    while (known < count && of[known] != v) known++;
    if (known < count) continue;
    of[count] = v;
    list[count++] = (HgVariable){v->name, v->unit, v->kind, v->size, v->surface};
  }
  PetscCall(HgStateCreate(p->mesh, count, list, state));
  for (int k = 0; k < count; k++) HgStateSetLocation(*state, k, of[k]->location);
  return PetscFree2(list, of);
}

static void mask(HgProgram p, HgState state) {
  for (int k = 0; k < HgStateCount(state); k++) HgProgramMask(p, named(p, state, k), state, k);
}

static PetscErrorCode copy_masked(HgProgram p, HgState from, HgState to) {
  for (int k = 0; k < HgStateCount(from); k++) PetscCall(HgStateCopyVariable(from, k, to, k));
  mask(p, to);
  return 0;
}

static PetscErrorCode run(TermOperator *s, HgMode mode, HgState d_start, HgState y, HgState d_end) {
  HgBinding binding = {.of = {[HG_PRIMAL] = {.start = s->x, .end = y}}};
  if (mode != HG_PRIMAL) binding.of[mode] = (HgPlaces){.start = d_start, .end = d_end};
  if (mode == HG_COTANGENT && s->changes != s->program->changes) {
    PetscCall(HgBlockDestroy(&s->block[mode])); /* it may read less, or more */
    s->changes = s->program->changes;
  }
  if (!s->block[mode])
    PetscCall(
        HgBlockCreateTerm(s->program, mode, (int)(s->term - s->program->term), &s->block[mode]));
  return HgBlockRun(s->block[mode], s->step, &binding);
}

static PetscErrorCode term_apply(void *self, HgState x, HgState y) {
  TermOperator *s = self;
  PetscCall(copy_masked(s->program, x, s->x));
  return run(s, HG_PRIMAL, NULL, y, NULL);
}

static PetscErrorCode term_tangent(void *self, HgState x, HgState dx, HgState dy) {
  TermOperator *s = self;
  PetscCall(copy_masked(s->program, x, s->x));
  PetscCall(copy_masked(s->program, dx, s->dx));
  return run(s, HG_TANGENT, s->dx, s->y, dy);
}

static bool term_active(void *self, int k) {
  TermOperator *s = self;
  const HgProgramVariable *v = named(s->program, s->x_bar, k);
  return v->role != HG_CONSTANT || v->active;
}

/* As in a trajectory, x_bar is not cleared before: a stencil that declares `sets` must set it. */
static PetscErrorCode term_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  TermOperator *s = self;
  PetscCall(copy_masked(s->program, x, s->x));
  PetscCall(HgStateZero(s->y_bar));
  PetscCall(HgStateAXPY(s->y_bar, 1, y_bar)); /* owned cells only: nothing outside walls */
  for (int k = 0; k < s->term->reads; k++)    /* a stencil adds to an array */
    if (HgStateVariable(s->x_bar, k)->kind == HG_REPLICATED)
      PetscCall(HgStateZeroVariable(s->x_bar, k));
  PetscCall(run(s, HG_COTANGENT, s->x_bar, s->y, s->y_bar));
  for (int k = 0; k < s->term->reads; k++) {
    const HgProgramVariable *v = named(s->program, s->x_bar, k);
    if (v->kind == HG_FIELD)
      HgBoundaryApply(s->program->mesh, &v->boundary, v->surface, HG_COTANGENT,
                      PetscMax(1, v->depth), HgStateRows(s->x_bar, k));
    HgStateSetGhostDepth(s->x_bar, k, 0);
    HgProgramMask(s->program, v, s->x_bar, k);
    if (term_active(s, k)) PetscCall(HgStateAXPYVariable(x_bar, k, 1, s->x_bar, k));
  }
  return 0;
}

static PetscErrorCode term_destroy(void *self) {
  TermOperator *s = self;
  for (int mode = 0; mode < HG_MODES; mode++) PetscCall(HgBlockDestroy(&s->block[mode]));
  PetscCall(HgStatesDestroy(&s->x, &s->dx, &s->x_bar, &s->y, &s->y_bar));
  return PetscFree(s);
}

PetscErrorCode HgTermOperator(HgProgram p, int term, long step, HgOperator *op) {
  static const HgOperatorTable table = {term_apply, term_tangent, term_adjoint, NULL, term_destroy};
  TermOperator *s;
  char name[64];
  PetscCall(PetscNew(&s));
  s->program = p, s->term = &p->term[term], s->step = step;
  PetscCall(create_state(p, s->term, false, &s->x));
  PetscCall(create_state(p, s->term, false, &s->dx));
  PetscCall(create_state(p, s->term, false, &s->x_bar));
  PetscCall(create_state(p, s->term, true, &s->y));
  PetscCall(create_state(p, s->term, true, &s->y_bar));
  snprintf(name, sizeof name, "%s step", s->term->stencil->name);
  PetscCall(HgOperatorCreate(name, s->x, s->y, &table, s, op));
  HgOperatorSetActive(*op, term_active);
  return 0;
}
