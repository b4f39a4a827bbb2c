/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators between states as parts of a step, beside stencils: collectives, parametrisations,
   chains of them. Such a part is a stage of its own: it sees whole variables, not boxes. */
#include "tile_private.h"
#include <halograd/operator_library.h>
#include <halograd/state_library.h>

static PetscErrorCode copy_value(HgBlock b, const HgBinding *binding, int value, HgState to,
                                 int index) {
  return HgStateCopyVariable(HgValueState(b, binding, value), HgValueVersion(b, value)->index, to,
                             index);
}

/* x and dx from the versions read; y or dy to those written. */
static PetscErrorCode forward(HgBlock b, const HgCall *c, HgOperatorTerm *part,
                              const HgBinding *binding) {
  const HgTerm *t = &b->program->term[c->term];
  for (int k = 0; k < t->reads; k++) {
    PetscCall(copy_value(b, binding, c->x[k], part->x[HG_PRIMAL], k));
    if (c->mode == HG_TANGENT)
      PetscCall(copy_value(b, binding, c->second[k], part->x[HG_TANGENT], k));
  }
  if (c->mode == HG_PRIMAL)
    PetscCall(HgOperatorApply(part->op, part->x[HG_PRIMAL], part->y[HG_PRIMAL]));
  else
    PetscCall(
        HgOperatorTangent(part->op, part->x[HG_PRIMAL], part->x[HG_TANGENT], part->y[HG_TANGENT]));
  for (int k = 0; k < c->outs; k++)
    PetscCall(HgStateCopyVariable(part->y[c->mode], k, HgValueState(b, binding, c->out[k]),
                                  HgValueVersion(b, c->out[k])->index));
  return 0;
}

/* x_bar += F'(x)^T y_bar, into versions that may hold contributions of other terms. */
static PetscErrorCode reverse(HgBlock b, const HgCall *c, HgOperatorTerm *part,
                              const HgBinding *binding) {
  const HgTerm *t = &b->program->term[c->term];
  int wanted = 0;
  for (int k = 0; k < c->outs; k++) wanted += !HgValueInactive(b, c->out[k]);
  if (!wanted) return 0;
  for (int k = 0; k < t->reads; k++)
    PetscCall(copy_value(b, binding, c->x[k], part->x[HG_PRIMAL], k));
  for (int k = 0; k < t->writes; k++)
    PetscCall(copy_value(b, binding, c->second[k], part->y[HG_COTANGENT], k));
  PetscCall(HgOperatorTranspose(part->op, part->x[HG_PRIMAL], part->y[HG_COTANGENT],
                                part->x[HG_COTANGENT]));
  for (int k = 0; k < c->outs; k++) {
    const HgVersion *v = HgValueVersion(b, c->out[k]);
    const HgState bar = HgValueState(b, binding, c->out[k]);
    if (HgValueInactive(b, c->out[k])) continue;
    if (c->fresh[k]) PetscCall(HgStateZeroVariable(bar, v->index));
    PetscCall(HgStateAXPYVariable(bar, v->index, 1, part->x[HG_COTANGENT], k));
  }
  return 0;
}

PetscErrorCode HgOperatorTermRun(HgBlock b, const HgCall *c, const HgBinding *binding) {
  HgOperatorTerm *part = &b->program->term[c->term].part;
  return c->mode == HG_COTANGENT ? reverse(b, c, part, binding) : forward(b, c, part, binding);
}
