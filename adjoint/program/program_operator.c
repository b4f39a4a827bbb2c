/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of a program as an operator: (carried, constants) -> carried. */
#include "program_private.h"
#include <halograd/error_library.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <xxhash.h>

typedef struct {
  HgProgram program;
  long step;
  HgState constants, dconstants, q, dq, q_bar, q_next, dq_next;
  HgTerms terms; /* NULL: not asked for yet */
} StepOperator;

/* Masks the closed faces of all variables of a carried or constants state. */
static void mask(HgProgram p, HgRole role, HgState state) {
  for (int k = 0; k < p->variables; k++)
    if (p->variable[k].role == role) HgProgramMask(p, &p->variable[k], state, p->variable[k].index);
}

PetscErrorCode HgProgramSplit(HgProgram p, HgState input, HgState q, HgState constants) {
  const int expected = HgStateCount(q) + (constants ? HgStateCount(constants) : 0);
  HgRequire(HgMeshComm(HgStateMesh(q)), HgStateCount(input) == expected, HG_ERR_OPERATOR,
            "program: its input has %d variables, expected %d, the carried and the constant ones",
            HgStateCount(input), expected);
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    if (v->role == HG_WORK) continue;
    PetscCall(
        HgStateCopyVariable(input, v->input, v->role == HG_CARRIED ? q : constants, v->index));
  }
  mask(p, HG_CARRIED, q);
  mask(p, HG_CONSTANT, constants);
  return 0;
}

/* Error: replicated numbers differ between ranks. */
static PetscErrorCode require_alike(HgProgram p, HgState input) {
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    if (v->role == HG_WORK || v->kind != HG_REPLICATED) continue;
    const double *const numbers = HgStateArray(input, v->input);
    PetscCall(HgRequireAlike(
        HgMeshComm(p->mesh), "'%s' with the digest %016llx", v->name,
        (unsigned long long)XXH3_64bits(numbers, (size_t)v->size * sizeof *numbers)));
  }
  return 0;
}

PetscErrorCode HgProgramSplitShared(HgProgram p, HgState input, HgState q, HgState constants) {
  PetscCall(require_alike(p, input));
  if (constants) PetscCall(HgStateShareRows(constants, 0));
  PetscCall(HgProgramSplit(p, input, q, constants));
  return constants ? HgProgramShareRows(p, constants) : 0;
}

PetscErrorCode HgProgramJoin(HgProgram p, HgState q_bar, HgState constants_bar, HgState input_bar) {
  mask(p, HG_CARRIED, q_bar);
  mask(p, HG_CONSTANT, constants_bar);
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    if (v->role == HG_CARRIED || (v->role == HG_CONSTANT && v->active))
      PetscCall(HgStateAXPYVariable(input_bar, v->input, 1,
                                    v->role == HG_CARRIED ? q_bar : constants_bar, v->index));
  }
  return 0;
}

PetscErrorCode HgProgramZeroConstantsBar(HgProgram p, HgState constants_bar) {
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    if (v->role == HG_CONSTANT && v->active)
      PetscCall(HgStateZeroVariable(constants_bar, v->index));
  }
  return 0;
}

static PetscErrorCode step_apply(void *self, HgState x, HgState y) {
  StepOperator *s = self;
  PetscCall(HgProgramSplit(s->program, x, s->q, s->constants));
  return HgProgramStep(s->program, s->step, s->constants, s->q, y);
}

static PetscErrorCode step_tangent(void *self, HgState x, HgState dx, HgState dy) {
  StepOperator *s = self;
  PetscCall(HgProgramSplit(s->program, x, s->q, s->constants));
  PetscCall(HgProgramSplit(s->program, dx, s->dq, s->dconstants));
  return HgProgramStepTangent(s->program, s->step, s->constants, s->dconstants, s->q, s->dq,
                              s->q_next, dy);
}

static PetscErrorCode step_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  StepOperator *s = self;
  PetscCall(HgProgramSplit(s->program, x, s->q, s->constants));
  PetscCall(HgStateZero(s->dq_next));
  PetscCall(HgStateAXPY(s->dq_next, 1, y_bar)); /* owned cells only: nothing outside walls */
  PetscCall(HgProgramZeroConstantsBar(s->program, s->dconstants));
  /* q_bar holds what it held before, as in a trajectory: a stencil that says `sets` must set it */
  PetscCall(HgProgramStepAdjoint(s->program, s->step, s->constants, s->q, s->q_next, s->dq_next,
                                 s->q_bar, s->dconstants));
  PetscCall(HgProgramBoundaryAdjoint(s->program, s->q_bar));
  if (s->dconstants) PetscCall(HgProgramBoundaryAdjoint(s->program, s->dconstants));
  return HgProgramJoin(s->program, s->q_bar, s->dconstants, x_bar);
}

static bool step_active(void *self, int k) {
  return HgProgramActive(((StepOperator *)self)->program, k);
}

static PetscErrorCode step_part(void *self, HgState x, int k, HgOperator *part, HgState *at) {
  StepOperator *s = self;
  /* a stencil alone is its own only part */
  if (s->program->terms == 1 && !s->program->term[0].part.op) return 0;
  if (!s->terms) PetscCall(HgTermsCreate(s->program, s->step, &s->terms));
  return HgTermsPart(s->terms, x, k, part, at);
}

static PetscErrorCode step_destroy(void *self) {
  StepOperator *s = self;
  PetscCall(HgTermsDestroy(&s->terms));
  PetscCall(HgStatesDestroy(&s->constants, &s->dconstants, &s->q, &s->dq, &s->q_bar, &s->q_next,
                            &s->dq_next));
  return PetscFree(s);
}

PetscErrorCode HgProgramOperator(HgProgram program, long step, HgOperator *op) {
  static const HgOperatorTable table = {step_apply, step_tangent, step_adjoint, NULL, step_destroy};
  StepOperator *s;
  PetscCall(PetscNew(&s));
  s->program = program, s->step = step;
  PetscCall(HgProgramCreateConstants(program, &s->constants));
  PetscCall(HgProgramCreateConstants(program, &s->dconstants));
  PetscCall(HgProgramCreateCarried(program, &s->q));
  PetscCall(HgProgramCreateCarried(program, &s->dq));
  PetscCall(HgProgramCreateCarried(program, &s->q_bar));
  PetscCall(HgProgramCreateCarried(program, &s->q_next));
  PetscCall(HgProgramCreateCarried(program, &s->dq_next));
  HgState input;
  PetscCall(HgProgramCreateInput(program, &input));
  char name[64];
  snprintf(name, sizeof name, "%s step", program->name);
  PetscCall(HgOperatorCreate(name, input, s->q, &table, s, op));
  HgOperatorSetParts(*op, step_part);
  HgOperatorSetActive(*op, step_active);
  return HgStateDestroy(&input);
}
