/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/control.h -- from the controls m to the input x of a trajectory; an operator.

   Every variable of x keeps its base value, except those that a control replaces: x_v = P_v(m_v),
   with P_v a parametrisation (parametrisation.h) or the identity. */
#ifndef HALOGRAD_CONTROL_H
#define HALOGRAD_CONTROL_H

#include <halograd/operator.h>

typedef struct {
  const char *variable; /* of the input: "u", "kappa", ... */
  /* its only output variable replaces `variable`; NULL: the control is the variable itself */
  HgOperator parametrisation;
} HgControl;

/* The operator m -> x. Its input has the input variables of all parametrisations, in order, and,
   for the identity, `variable` itself. `base` is copied; the operator is one of the owners of the
   parametrisations. Collective. Errors: unknown or repeated variable; a parametrisation whose
   output does not fit. */
PetscErrorCode HgControlCreate(HgState base, int count, const HgControl controls[], HgOperator *op);

#endif
