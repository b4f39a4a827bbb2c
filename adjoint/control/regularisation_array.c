/* SPDX-License-Identifier: BSD-2-Clause */
/* R(m) = alpha/2 sum_k (m_k - m_0)^2 + beta/2 sum_k (m_k+1 - m_k)^2 of numbers that every rank
   holds. */
#include "control_private.h"
#include <halograd/operator_library.h>

typedef struct {
  int index, size;
  double alpha, beta, reference;
} Array;

/* factor (alpha sum (m_k - m0)(n_k - n0) + beta sum (m_k+1 - m_k)(n_k+1 - n_k)), in the order of
   the numbers: the same on every rank. */
static double form(const Array *a, HgState m, double m0, HgState n, double n0, double factor) {
  const double *u = HgStateArray(m, a->index), *v = HgStateArray(n, a->index);
  double sum = 0, steps = 0;
  for (int k = 0; k < a->size; k++) sum += (u[k] - m0) * (v[k] - n0);
  for (int k = 1; k < a->size; k++) steps += (u[k] - u[k - 1]) * (v[k] - v[k - 1]);
  return factor * (a->alpha * sum + a->beta * steps);
}

static PetscErrorCode array_apply(void *self, HgState m, HgState J) {
  const Array *a = self;
  HgStateArray(J, 0)[0] = form(a, m, a->reference, m, a->reference, 0.5);
  return 0;
}

static PetscErrorCode array_tangent(void *self, HgState m, HgState dm, HgState dJ) {
  const Array *a = self;
  HgStateArray(dJ, 0)[0] = form(a, m, a->reference, dm, 0, 1);
  return 0;
}

static PetscErrorCode array_adjoint(void *self, HgState m, HgState J_bar, HgState m_bar) {
  const Array *a = self;
  const double w = HgStateArray(J_bar, 0)[0], *u = HgStateArray(m, a->index);
  double *u_bar = HgStateArray(m_bar, a->index);
  for (int k = 0; k < a->size; k++) u_bar[k] += w * a->alpha * (u[k] - a->reference);
  for (int k = 1; k < a->size; k++) {
    const double step = w * a->beta * (u[k] - u[k - 1]);
    u_bar[k] += step, u_bar[k - 1] -= step;
  }
  return 0;
}

static PetscErrorCode array_second(void *self, HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                                   HgState m_bar, HgState dm_bar) {
  Array form = *(Array *)self;
  return HgQuadraticSecond(array_adjoint, &form, &form.reference, m, dm, J_bar, dJ_bar, m_bar,
                           dm_bar);
}

static PetscErrorCode array_destroy(void *self) { return PetscFree(self); }

PetscErrorCode HgRegularisationCreateArray(HgState m, int index, const HgRegularisation *w,
                                           HgOperator *op) {
  static const HgOperatorTable table = {array_apply, array_tangent, array_adjoint, NULL,
                                        array_destroy};
  Array *a;
  HgState J;
  HgRequire(
      HgMeshComm(HgStateMesh(m)), !w->factors, HG_ERR_CONTROL,
      "regularisation of '%s': factors of cells, expected none for numbers, which lie in none",
      w->control);
  HgRequire(HgMeshComm(HgStateMesh(m)), w->deviation == 0, HG_ERR_CONTROL,
            "regularisation of '%s': a deviation and a correlation length, expected weights for "
            "numbers, which lie nowhere (-tikhonov, no -prior_deviation)",
            w->control);
  PetscCall(PetscNew(&a));
  *a = (Array){index, HgStateVariable(m, index)->size, w->alpha, w->beta, w->reference};
  PetscCall(HgFunctionalOutput(HgStateMesh(m), &J));
  PetscCall(HgOperatorCreate("regularisation", m, J, &table, a, op));
  HgOperatorSetSecond(*op, array_second);
  return HgStateDestroy(&J);
}

bool HgRegularisationScaleArray(HgOperator op, double factor) {
  Array *const a = HgOperatorSelf(op, array_apply);
  if (a) a->alpha *= factor, a->beta *= factor;
  return a;
}
