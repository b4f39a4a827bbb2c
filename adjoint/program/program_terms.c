/* SPDX-License-Identifier: BSD-2-Clause */
/* The terms of a step one by one, each as an operator of its own: so that a check that fails can
   name the stencil whose derivative is wrong. */
#include "program_private.h"
#include <halograd/error_library.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <string.h>

struct HgTerms_s {
  HgProgram program;
  int count;
  long step;
  HgState all;       /* every variable of the program, as the terms so far have left it */
  HgOperator *alone; /* of each stencil, NULL: not made yet */
};

PetscErrorCode HgTermsCreate(HgProgram p, long step, HgTerms *terms) {
  HgVariable *list;
  HgTerms t;
  PetscCall(PetscNew(&t));
  PetscCall(PetscCalloc1(p->terms, &t->alone));
  PetscCall(PetscMalloc1(p->variables, &list));
  for (int k = 0; k < p->variables; k++)
    list[k] = (HgVariable){p->variable[k].name, p->variable[k].unit, p->variable[k].kind,
                           p->variable[k].size, p->variable[k].surface};
  PetscCall(HgStateCreate(p->mesh, p->variables, list, &t->all));
  t->program = p, t->count = p->terms, t->step = step;
  *terms = t;
  return PetscFree(list);
}

PetscErrorCode HgTermsDestroy(HgTerms *terms) {
  HgTerms t = *terms;
  *terms = NULL;
  if (!t) return 0;
  for (int k = 0; k < t->count; k++) /* the program may be gone */
    PetscCall(HgOperatorDestroy(&t->alone[k]));
  PetscCall(HgStateDestroy(&t->all));
  PetscCall(PetscFree(t->alone));
  return PetscFree(t);
}

/* The index in all variables of variable k of a term's state. An operator has names of its own for
   its variables. */
static int place(HgTerms t, const HgTerm *term, HgState state, bool output, int k) {
  if (!term->part.op) return HgStateFind(t->all, HgStateVariable(state, k)->name);
  return t->program->version[output ? term->write[k] : term->read[k]].variable;
}

static PetscErrorCode term_input(HgTerms t, int k, HgOperator *op, HgState *at) {
  const HgTerm *term = &t->program->term[k];
  HgOperator *const alone = &t->alone[k];
  if (!term->part.op && !*alone) PetscCall(HgTermOperator(t->program, k, t->step, alone));
  *op = term->part.op ? term->part.op : *alone;
  PetscCall(HgOperatorCreateInput(*op, at));
  for (int l = 0; l < HgStateCount(*at); l++)
    PetscCall(HgStateCopyVariable(t->all, place(t, term, *at, false, l), *at, l));
  return 0;
}

/* Masks what an operator writes, and its cotangent, as for a kernel: variable `at` of all, `index`
   of `state`. */
static void mask(HgTerms t, const HgTerm *term, int at, HgState state, int index) {
  if (term->part.op) HgProgramMask(t->program, &t->program->variable[at], state, index);
}

static PetscErrorCode run_term(HgTerms t, int k) {
  HgOperator op;
  HgState x, y;
  PetscCall(term_input(t, k, &op, &x));
  PetscCall(HgOperatorCreateOutput(op, &y));
  PetscCall(HgOperatorApply(op, x, y));
  for (int l = 0; l < HgStateCount(y); l++) {
    const int at = place(t, &t->program->term[k], y, true, l);
    PetscCall(HgStateCopyVariable(y, l, t->all, at));
    mask(t, &t->program->term[k], at, t->all, at);
  }
  return HgStatesDestroy(&x, &y);
}

PetscErrorCode HgTermsPart(HgTerms t, HgState x, int k, HgOperator *part, HgState *at) {
  if (k > 0) PetscCall(run_term(t, k - 1));
  if (!k) PetscCall(HgStateCopyShared(x, t->all));
  return k < t->program->terms ? term_input(t, k, part, at) : 0;
}

/* ---- a step reversed, each term seen ---- */
static const char *name_of(const HgTerm *t) {
  return t->part.op ? HgOperatorName(t->part.op) : t->stencil->name;
}

/* Reverses term k from y_bar, which is overwritten, to its x_bar; t->all holds cotangents. */
static PetscErrorCode reverse_term(HgTerms t, int k, HgState at, HgTermFn *see, void *context) {
  const HgTerm *const term = &t->program->term[k];
  HgOperator op = term->part.op ? term->part.op : t->alone[k];
  HgState y_bar, x_bar;
  PetscCall(HgOperatorCreateOutput(op, &y_bar));
  PetscCall(HgOperatorCreateInput(op, &x_bar));
  for (int l = 0; l < HgStateCount(y_bar); l++) {
    const int at = place(t, term, y_bar, true, l);
    PetscCall(HgStateCopyVariable(t->all, at, y_bar, l));
    mask(t, term, at, y_bar, l);
  }
  for (int l = 0; l < HgStateCount(y_bar); l++)
    PetscCall(HgStateZeroVariable(t->all, place(t, term, y_bar, true, l)));
  PetscCall(HgOperatorTranspose(op, at, y_bar, x_bar));
  const HgTermSight sight = {k, name_of(term), op, at, y_bar, x_bar};
  PetscCall(see(context, &sight));
  for (int l = 0; l < HgStateCount(x_bar); l++)
    PetscCall(HgStateAXPYVariable(t->all, place(t, term, x_bar, false, l), 1, x_bar, l));
  return HgStatesDestroy(&y_bar, &x_bar);
}

PetscErrorCode HgProgramTermsStep(HgProgram p, long step, HgState constants, HgState q,
                                  HgState q_next) {
  HgTerms t;
  PetscCall(HgTermsCreate(p, step, &t));
  PetscCall(HgStateCopyShared(q, t->all));
  if (constants) PetscCall(HgStateCopyShared(constants, t->all));
  for (int k = 0; k < p->terms; k++) PetscCall(run_term(t, k));
  PetscCall(HgStateCopyShared(t->all, q_next));
  return HgTermsDestroy(&t);
}

PetscErrorCode HgProgramTermsAdjoint(HgProgram p, long step, HgState constants, HgState q,
                                     HgState q_next_bar, HgTermFn *see, void *context) {
  HgTerms t;
  HgOperator op;
  HgState *at;
  PetscCall(HgTermsCreate(p, step, &t));
  PetscCall(PetscCalloc1(p->terms, &at));
  PetscCall(HgStateCopyShared(q, t->all));
  if (constants) PetscCall(HgStateCopyShared(constants, t->all));
  for (int k = 0; k < p->terms; k++) {
    if (k > 0) PetscCall(run_term(t, k - 1));
    PetscCall(term_input(t, k, &op, &at[k]));
  }
  PetscCall(HgStateZero(t->all));
  PetscCall(HgStateCopyShared(q_next_bar, t->all));
  for (int k = p->terms - 1; k >= 0; k--) PetscCall(reverse_term(t, k, at[k], see, context));
  for (int k = 0; k < p->terms; k++) PetscCall(HgStateDestroy(&at[k]));
  PetscCall(PetscFree(at));
  return HgTermsDestroy(&t);
}

void HgProgramTermsOf(HgProgram p, const char variable[], HgMode mode, size_t size, char names[]) {
  *names = 0;
  for (int k = 0; k < p->terms; k++) {
    const HgTerm *const t = &p->term[k];
    const int count = mode == HG_COTANGENT ? t->reads : t->writes;
    bool touches = false;
    for (int l = 0; l < count; l++) {
      const int version = mode == HG_COTANGENT ? t->read[l] : t->write[l];
      touches = touches || !strcmp(HgVersionVariable(p, version)->name, variable);
    }
    if (touches) HgSentenceAdd(size, names, "%s'%s'", *names ? ", " : "", name_of(t));
  }
}
