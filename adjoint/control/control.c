/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/control.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <string.h>

typedef struct {
  HgOperator op;       /* NULL: identity */
  int variable, first; /* in x; of its inputs in m */
  HgState in, out, din, dout;
} Binding;

typedef struct {
  HgState base;
  int count;
  Binding *binding;
} Control;

static PetscErrorCode gather(const Binding *b, HgState m, HgState in) {
  for (int k = 0; k < HgStateCount(in); k++) PetscCall(HgStateCopyVariable(m, b->first + k, in, k));
  return 0;
}

/* Clears owned cells of a field. Ghosts outside frozen walls keep what `base` has. */
static PetscErrorCode clear(HgState x, int k) {
  const HgVariable *v = HgStateVariable(x, k);
  return v->kind == HG_FIELD ? HgStateSetConstant(x, v->name, 0) : HgStateZeroVariable(x, k);
}

static PetscErrorCode control_apply(void *self, HgState m, HgState x) {
  const Control *c = self;
  PetscCall(HgStateCopy(c->base, x));
  for (int k = 0; k < c->count; k++) {
    const Binding *b = &c->binding[k];
    if (b->op) {
      PetscCall(gather(b, m, b->in));
      PetscCall(HgOperatorApply(b->op, b->in, b->out));
    }
    PetscCall(clear(x, b->variable));
    PetscCall(HgStateAXPYVariable(x, b->variable, 1, b->op ? b->out : m, b->op ? 0 : b->first));
  }
  return 0;
}

static PetscErrorCode control_tangent(void *self, HgState m, HgState dm, HgState dx) {
  const Control *c = self;
  PetscCall(HgStateZero(dx));
  for (int k = 0; k < c->count; k++) {
    const Binding *b = &c->binding[k];
    if (b->op) {
      PetscCall(gather(b, m, b->in));
      PetscCall(gather(b, dm, b->din));
      PetscCall(HgOperatorTangent(b->op, b->in, b->din, b->dout));
    }
    PetscCall(HgStateAXPYVariable(dx, b->variable, 1, b->op ? b->dout : dm, b->op ? 0 : b->first));
  }
  return 0;
}

static PetscErrorCode control_adjoint(void *self, HgState m, HgState x_bar, HgState m_bar) {
  const Control *c = self;
  for (int k = 0; k < c->count; k++) {
    const Binding *b = &c->binding[k];
    if (!b->op) {
      PetscCall(HgStateAXPYVariable(m_bar, b->first, 1, x_bar, b->variable));
      continue;
    }
    PetscCall(gather(b, m, b->in));
    PetscCall(HgStateZero(b->dout));
    PetscCall(HgStateAXPYVariable(b->dout, 0, 1, x_bar, b->variable));
    PetscCall(HgOperatorTranspose(b->op, b->in, b->dout, b->din));
    for (int l = 0; l < HgStateCount(b->din); l++)
      PetscCall(HgStateAXPYVariable(m_bar, b->first + l, 1, b->din, l));
  }
  return 0;
}

/* dm_bar of one binding. */
static PetscErrorCode binding_second(const Binding *b, HgState m, HgState dm, HgState x_bar,
                                     HgState dx_bar, HgState dm_bar) {
  HgState d_in;
  PetscCall(HgStateDuplicate(b->in, &d_in));
  PetscCall(gather(b, m, b->in));
  PetscCall(gather(b, dm, b->din));
  PetscCall(HgStateZero(b->out));
  if (x_bar) PetscCall(HgStateAXPYVariable(b->out, 0, 1, x_bar, b->variable));
  PetscCall(HgStateZero(b->dout));
  PetscCall(HgStateAXPYVariable(b->dout, 0, 1, dx_bar, b->variable));
  PetscCall(HgOperatorSecond(b->op, b->in, b->din, b->out, b->dout, NULL, d_in));
  for (int l = 0; l < HgStateCount(d_in); l++)
    PetscCall(HgStateAXPYVariable(dm_bar, b->first + l, 1, d_in, l));
  return HgStateDestroy(&d_in);
}

static PetscErrorCode control_second(void *self, HgState m, HgState dm, HgState x_bar,
                                     HgState dx_bar, HgState m_bar, HgState dm_bar) {
  const Control *c = self;
  PetscCall(HgStateZero(dm_bar));
  for (int k = 0; k < c->count; k++) {
    const Binding *b = &c->binding[k];
    if (b->op) PetscCall(binding_second(b, m, dm, x_bar, dx_bar, dm_bar));
    else PetscCall(HgStateAXPYVariable(dm_bar, b->first, 1, dx_bar, b->variable));
  }
  if (!m_bar) return 0;
  PetscCall(HgStateZero(m_bar));
  return control_adjoint(self, m, x_bar, m_bar);
}

/* Whether all parametrisations are linear. */
static bool control_linear(const Control *c) {
  for (int k = 0; k < c->count; k++)
    if (c->binding[k].op && !HgOperatorLinear(c->binding[k].op)) return false;
  return true;
}

/* The k-th parametrisation, at its controls. */
static PetscErrorCode control_part(void *self, HgState m, int k, HgOperator *part, HgState *at) {
  const Control *c = self;
  int n = 0;
  while (n < c->count && (!c->binding[n].op || k-- > 0)) n++;
  if (n == c->count) return 0;
  PetscCall(HgStateDuplicate(c->binding[n].in, at));
  PetscCall(gather(&c->binding[n], m, *at));
  *part = c->binding[n].op;
  return 0;
}

static PetscErrorCode control_destroy(void *self) {
  Control *c = self;
  for (int k = 0; k < c->count; k++) {
    PetscCall(HgStatesDestroy(&c->binding[k].in, &c->binding[k].out, &c->binding[k].din,
                              &c->binding[k].dout));
    PetscCall(HgOperatorDestroy(&c->binding[k].op));
  }
  PetscCall(HgStateDestroy(&c->base));
  PetscCall(PetscFree(c->binding));
  return PetscFree(c);
}

static PetscErrorCode bind(HgState base, const HgControl *control, Binding *b) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(base));
  PetscCall(HgStateIndex(base, control->variable, &b->variable));
  if (!control->parametrisation) return 0;
  b->op = control->parametrisation;
  PetscCall(HgOperatorReference(b->op));
  PetscCall(HgOperatorCreateInput(b->op, &b->in));
  PetscCall(HgOperatorCreateInput(b->op, &b->din));
  PetscCall(HgOperatorCreateOutput(b->op, &b->out));
  PetscCall(HgOperatorCreateOutput(b->op, &b->dout));
  const HgVariable *out = HgStateVariable(b->out, 0), *target = HgStateVariable(base, b->variable);
  HgRequire(comm,
            HgStateCount(b->out) == 1 && out->kind == target->kind &&
                (out->kind == HG_FIELD || out->size == target->size) &&
                HgStateMesh(b->out) == HgStateMesh(base),
            HG_ERR_CONTROL,
            "control of '%s': parametrisation '%s' must return one variable of the same kind and "
            "size on the same mesh",
            control->variable, HgOperatorName(b->op));
  return 0;
}

PetscErrorCode HgControlCreate(HgState base, int count, const HgControl controls[],
                               HgOperator *op) {
  static const HgOperatorTable table = {control_apply, control_tangent, control_adjoint,
                                        NULL,          control_destroy, control_second};
  const MPI_Comm comm = HgMeshComm(HgStateMesh(base));
  HgRequire(comm, count >= 1, HG_ERR_CONTROL, "controls: %d given, expected at least one", count);
  Control *c;
  PetscCall(PetscNew(&c));
  PetscCall(PetscCalloc1(count, &c->binding));
  c->count = count;
  int inputs = 0;
  for (int k = 0; k < count; k++) {
    PetscErrorCode ierr = bind(base, &controls[k], &c->binding[k]);
    for (int l = 0; !ierr && l < k; l++)
      if (!strcmp(controls[k].variable, controls[l].variable))
        ierr = HgError(comm, HG_ERR_CONTROL, "controls: variable '%s' is controlled twice",
                       controls[k].variable);
    if (ierr) {
      PetscCall(control_destroy(c));
      return ierr;
    }
    c->binding[k].first = inputs;
    inputs += c->binding[k].op ? HgStateCount(c->binding[k].in) : 1;
  }
  HgVariable *list;
  PetscCall(PetscMalloc1(inputs, &list));
  for (int k = 0; k < count; k++) {
    const Binding *b = &c->binding[k];
    if (!b->op) list[b->first] = *HgStateVariable(base, b->variable);
    for (int l = 0; b->op && l < HgStateCount(b->in); l++)
      list[b->first + l] = *HgStateVariable(b->in, l);
  }
  HgState m;
  const PetscErrorCode ierr = HgStateCreate(HgStateMesh(base), inputs, list, &m);
  PetscCall(PetscFree(list));
  if (ierr) {
    PetscCall(control_destroy(c));
    return ierr;
  }
  for (int k = 0; k < count; k++) {
    const Binding *b = &c->binding[k];
    if (!b->op) HgStateSetLocation(m, b->first, HgStateLocation(base, b->variable));
    for (int l = 0; b->op && l < HgStateCount(b->in); l++)
      HgStateSetLocation(m, b->first + l, HgStateLocation(b->in, l));
  }
  PetscCall(HgStateDuplicate(base, &c->base));
  PetscCall(HgStateCopy(base, c->base));
  PetscCall(HgOperatorCreate("controls", m, base, &table, c, op));
  HgOperatorSetParts(*op, control_part);
  if (control_linear(c)) HgOperatorSetLinear(*op);
  return HgStateDestroy(&m);
}
