/* SPDX-License-Identifier: BSD-2-Clause */
/* R(m) = alpha/2 sum_k (m_k - m_0)^2 + beta/2 sum_k (m_k+1 - m_k)^2 of numbers that every rank
   holds. */
#include "control_private.h"
#include <halograd/error_library.h>
#include <halograd/operator_library.h>
#include <math.h>

typedef struct {
  int index, size;
  double alpha, beta;
  bool linear; /* m_0 counts as 0 */
  double *mean, *above;
} Array;

/* m - m_0 */
static const double *above_mean(const Array *a, HgState m) {
  const double *const u = HgStateArray(m, a->index);
  for (int k = 0; k < a->size; k++) a->above[k] = a->linear ? u[k] : u[k] - a->mean[k];
  return a->above;
}

/* alpha sum u_k v_k + beta sum (u_k+1 - u_k)(v_k+1 - v_k), in the order of the numbers: the same on
   every rank. */
static double form(const Array *a, const double u[], const double v[]) {
  double sum = 0, steps = 0;
  for (int k = 0; k < a->size; k++) sum += u[k] * v[k];
  for (int k = 1; k < a->size; k++) steps += (u[k] - u[k - 1]) * (v[k] - v[k - 1]);
  return a->alpha * sum + a->beta * steps;
}

static PetscErrorCode array_apply(void *self, HgState m, HgState J) {
  const double *const u = above_mean(self, m);
  HgStateArray(J, 0)[0] = 0.5 * form(self, u, u);
  return 0;
}

static PetscErrorCode array_tangent(void *self, HgState m, HgState dm, HgState dJ) {
  const Array *a = self;
  HgStateArray(dJ, 0)[0] = form(a, above_mean(a, m), HgStateArray(dm, a->index));
  return 0;
}

static PetscErrorCode array_adjoint(void *self, HgState m, HgState J_bar, HgState m_bar) {
  const Array *a = self;
  const double w = HgStateArray(J_bar, 0)[0], *u = above_mean(a, m);
  double *u_bar = HgStateArray(m_bar, a->index);
  for (int k = 0; k < a->size; k++) u_bar[k] += w * a->alpha * u[k];
  for (int k = 1; k < a->size; k++) {
    const double step = w * a->beta * (u[k] - u[k - 1]);
    u_bar[k] += step, u_bar[k - 1] -= step;
  }
  return 0;
}

static PetscErrorCode array_second(void *self, HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                                   HgState m_bar, HgState dm_bar) {
  Array form = *(Array *)self;
  return HgQuadraticSecond(array_adjoint, &form, &form.linear, m, dm, J_bar, dJ_bar, m_bar, dm_bar);
}

static PetscErrorCode array_destroy(void *self) {
  Array *a = self;
  PetscCall(PetscFree2(a->mean, a->above));
  return PetscFree(a);
}

PetscErrorCode HgRegularisationRequireMean(HgMesh mesh, const HgRegularisation *w, bool bad) {
  return HgAgree(HgMeshComm(mesh), bad, HG_ERR_CONTROL,
                 "regularisation of '%s': its mean has numbers that are not finite, expected "
                 "finite ones",
                 w->control);
}

static PetscErrorCode keep_mean(Array *a, HgMesh mesh, const HgRegularisation *w) {
  int from;
  bool bad = false;
  PetscCall(PetscMalloc2(a->size, &a->mean, a->size, &a->above));
  if (w->mean) {
    PetscCall(HgStateIndex(w->mean, w->control, &from));
    PetscCall(PetscArraycpy(a->mean, HgStateArray(w->mean, from), a->size));
  }
  for (int k = 0; k < a->size; k++) {
    if (!w->mean) a->mean[k] = w->reference;
    bad = bad || !isfinite(a->mean[k]);
  }
  return HgRegularisationRequireMean(mesh, w, bad);
}

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
  *a = (Array){
      .index = index, .size = HgStateVariable(m, index)->size, .alpha = w->alpha, .beta = w->beta};
  const PetscErrorCode ierr = keep_mean(a, HgStateMesh(m), w);
  if (ierr) {
    PetscCall(array_destroy(a));
    return ierr;
  }
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
