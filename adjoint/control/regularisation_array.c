/* SPDX-License-Identifier: BSD-2-Clause */
/* R of numbers that every rank holds, d_k = m_k - m_0k:
     alpha/2 sum_k d_k^2 + beta/2 sum_k (d_k+n - d_k)^2           n: `each`, or 1
     + tv sum_k h sqrt(((d_k+n - d_k) / h)^2 + epsilon^2)         h: the spacing, or 1
   or, where they follow each other in time or space, tau/2 sum_k ((kappa^2 - d^2/dt^2) d)_k^2;
   and across/2 sum (d_k+1 - d_k)^2 of those side by side. */
#include "control_private.h"
#include <halograd/error_library.h>
#include <halograd/operator_library.h>
#include <math.h>

typedef struct {
  int index, size, each;
  double alpha, beta; /* of Matern's prior kappa^2 and 1 over the square of a step */
  double tau;         /* of Matern's prior; 0: this is none */
  double tv, epsilon, h, across;
  bool direction; /* m is one: m_0 counts as 0 */
  double *mean, *above, *rough[2];
} Array;

/* m - m_0 */
static const double *above_mean(const Array *a, HgState m) {
  const double *const u = HgStateArray(m, a->index);
  for (int k = 0; k < a->size; k++) a->above[k] = a->direction ? u[k] : u[k] - a->mean[k];
  return a->above;
}

/* out += weight (alpha u - beta times its second difference) */
static void add_derivative(const Array *a, double weight, const double u[], double out[]) {
  for (int k = 0; k < a->size; k++) out[k] += weight * a->alpha * u[k];
  for (int k = a->each; k < a->size; k++) {
    const double step = weight * a->beta * (u[k] - u[k - a->each]);
    out[k] += step, out[k - a->each] -= step;
  }
}

/* out += weight across times minus the second difference of u side by side. */
static void add_across(const Array *a, double weight, const double u[], double out[]) {
  for (int k = 1; k < a->size && a->across > 0; k++) {
    if (k % a->each == 0) continue;
    const double step = weight * a->across * (u[k] - u[k - 1]);
    out[k] += step, out[k - 1] -= step;
  }
}

/* A u */
static const double *roughness(const Array *a, const double u[], double out[]) {
  for (int k = 0; k < a->size; k++) out[k] = 0;
  add_derivative(a, 1, u, out);
  return out;
}

/* alpha sum u_k v_k + beta sum (u_k+1 - u_k)(v_k+1 - v_k), or tau sum (A u)_k (A v)_k, plus the
   terms of `across`. Sums in the order of the numbers: the same on every rank. */
static double form(const Array *a, const double u[], const double v[]) {
  double sum = 0, steps = 0, across = 0;
  for (int k = 1; k < a->size && a->across > 0; k++)
    if (k % a->each) across += a->across * (u[k] - u[k - 1]) * (v[k] - v[k - 1]);
  if (a->tau > 0) u = roughness(a, u, a->rough[0]), v = roughness(a, v, a->rough[1]);
  for (int k = 0; k < a->size; k++) sum += u[k] * v[k];
  for (int k = a->each; k < a->size; k++)
    steps += (u[k] - u[k - a->each]) * (v[k] - v[k - a->each]);
  return (a->tau > 0 ? a->tau * sum : a->alpha * sum + a->beta * steps) + across;
}

/* ---- total variation ---- */

/* The slope at step k, and the root of its square plus epsilon's. */
static double slope(const Array *a, const double u[], int k, double *s) {
  const double p = (u[k] - u[k - a->each]) / a->h;
  *s = sqrt(p * p + a->epsilon * a->epsilon);
  return p;
}

/* tv sum h s; v: its derivative along v. */
static double variation(const Array *a, const double u[], const double v[]) {
  double sum = 0, s;
  for (int k = a->each; k < a->size && a->tv > 0; k++) {
    const double p = slope(a, u, k, &s);
    sum += v ? p / s * (v[k] - v[k - a->each]) : a->h * s;
  }
  return a->tv * sum;
}

/* out += weight times the derivative at u; v: times the second one times v. */
static void add_variation(const Array *a, double weight, const double u[], const double v[],
                          double out[]) {
  double s;
  for (int k = a->each; k < a->size && a->tv > 0; k++) {
    const double p = slope(a, u, k, &s),
                 bent = v ? a->epsilon * a->epsilon / (s * s * s) * ((v[k] - v[k - a->each]) / a->h)
                          : 0,
                 part = weight * a->tv * (v ? bent : p / s);
    out[k] += part, out[k - a->each] -= part;
  }
}

/* ---- as an operator ---- */

static PetscErrorCode array_apply(void *self, HgState m, HgState J) {
  const double *const u = above_mean(self, m);
  HgStateArray(J, 0)[0] = 0.5 * form(self, u, u) + variation(self, u, NULL);
  return 0;
}

static PetscErrorCode array_tangent(void *self, HgState m, HgState dm, HgState dJ) {
  const Array *a = self;
  const double *const u = above_mean(a, m), *const v = HgStateArray(dm, a->index);
  HgStateArray(dJ, 0)[0] = form(a, u, v) + variation(a, u, v);
  return 0;
}

static PetscErrorCode array_adjoint(void *self, HgState m, HgState J_bar, HgState m_bar) {
  const Array *a = self;
  const double w = HgStateArray(J_bar, 0)[0], *u = above_mean(a, m);
  if (!a->direction) add_variation(a, w, u, NULL, HgStateArray(m_bar, a->index));
  add_across(a, w, u, HgStateArray(m_bar, a->index));
  if (a->tau > 0) u = roughness(a, u, a->rough[0]);
  add_derivative(a, a->tau > 0 ? w * a->tau : w, u, HgStateArray(m_bar, a->index));
  return 0;
}

PetscErrorCode HgQuadraticSecond(HgQuadraticAdjoint *adjoint, void *form, bool *direction,
                                 HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                                 HgState m_bar, HgState dm_bar) {
  PetscCall(HgStateZero(dm_bar));
  PetscCall(adjoint(form, m, dJ_bar, dm_bar));
  if (m_bar) PetscCall(HgStateZero(m_bar));
  if (m_bar) PetscCall(adjoint(form, m, J_bar, m_bar));
  *direction = true;
  return adjoint(form, dm, J_bar, dm_bar);
}

static PetscErrorCode array_second(void *self, HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                                   HgState m_bar, HgState dm_bar) {
  const Array *a = self;
  Array form = *a;
  PetscCall(HgQuadraticSecond(array_adjoint, &form, &form.direction, m, dm, J_bar, dJ_bar, m_bar,
                              dm_bar));
  add_variation(a, HgStateArray(J_bar, 0)[0], above_mean(a, m), HgStateArray(dm, a->index),
                HgStateArray(dm_bar, a->index));
  return 0;
}

static PetscErrorCode array_destroy(void *self) {
  Array *a = self;
  PetscCall(PetscFree4(a->mean, a->above, a->rough[0], a->rough[1]));
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
  const int n = a->size;
  PetscCall(PetscMalloc4(n, &a->mean, n, &a->above, n, &a->rough[0], n, &a->rough[1]));
  if (w->mean) {
    PetscCall(HgStateIndex(w->mean, w->control, &from));
    const HgVariable *const v = HgStateVariable(w->mean, from);
    HgRequire(HgMeshComm(mesh), v->kind == HG_REPLICATED && v->size == n, HG_ERR_CONTROL,
              "regularisation of '%s': its mean is a field or of another size, expected %d numbers",
              w->control, n);
    PetscCall(PetscArraycpy(a->mean, HgStateArray(w->mean, from), a->size));
  }
  for (int k = 0; k < a->size; k++) {
    if (!w->mean) a->mean[k] = w->reference;
    bad = bad || !isfinite(a->mean[k]);
  }
  return HgRegularisationRequireMean(mesh, w, bad);
}

static PetscErrorCode set_matern(Array *a, MPI_Comm comm, const HgRegularisation *w) {
  HgRegularisation matern = *w;
  const double h = w->spacing;
  PetscCall(
      HgRegularisationMatern(comm, &matern, a->size > a->each, h, a->size / a->each * h, &a->tau));
  a->tau *= h, a->alpha = matern.alpha, a->beta = matern.beta / (h * h);
  return 0;
}

PetscErrorCode HgRegularisationCreateArray(HgState m, int index, const HgRegularisation *w,
                                           HgOperator *op) {
  static const HgOperatorTable table = {array_apply, array_tangent, array_adjoint,
                                        NULL,        array_destroy, array_second};
  Array *a;
  HgRequire(
      HgMeshComm(HgStateMesh(m)), !w->factors, HG_ERR_CONTROL,
      "regularisation of '%s': factors of cells, expected none for numbers, which lie in none",
      w->control);
  HgRequire(HgMeshComm(HgStateMesh(m)), isfinite(w->spacing) && w->spacing >= 0, HG_ERR_CONTROL,
            "regularisation of '%s': spacing %g, expected at least 0", w->control, w->spacing);
  HgRequire(HgMeshComm(HgStateMesh(m)),
            w->across == 0 || (w->across > 0 && isfinite(w->across) && w->each > 1), HG_ERR_CONTROL,
            "regularisation of '%s': weight %g of differences side by side, %d numbers each; "
            "expected at least 0, and 0 unless several numbers are side by side",
            w->control, w->across, PetscMax(w->each, 1));
  HgRequire(HgMeshComm(HgStateMesh(m)), w->deviation == 0 || w->spacing > 0, HG_ERR_CONTROL,
            "regularisation of '%s': a deviation and a correlation length, expected weights for "
            "numbers that neither follow each other by step nor have a spacing (-tikhonov, no "
            "-prior_deviation)",
            w->control);
  PetscCall(PetscNew(&a));
  *a = (Array){.index = index,
               .size = HgStateVariable(m, index)->size,
               .each = PetscMax(w->each, 1),
               .alpha = w->alpha,
               .beta = w->beta,
               .tv = w->tv,
               .epsilon = w->epsilon,
               .across = w->across,
               .h = w->spacing > 0 ? w->spacing : 1};
  PetscErrorCode ierr = keep_mean(a, HgStateMesh(m), w);
  if (!ierr && w->deviation > 0) ierr = set_matern(a, HgMeshComm(HgStateMesh(m)), w);
  if (ierr) {
    PetscCall(array_destroy(a));
    return ierr;
  }
  return HgOperatorCreate("regularisation", m, NULL, &table, a, op);
}

bool HgRegularisationScaleArray(HgOperator op, double factor) {
  Array *const a = HgOperatorSelf(op, array_apply);
  if (a) a->across *= factor;
  if (a && a->tau > 0) a->tau *= factor;
  else if (a) a->alpha *= factor, a->beta *= factor, a->tv *= factor;
  return a;
}
