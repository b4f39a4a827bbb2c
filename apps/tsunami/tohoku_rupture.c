/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_rupture.h"
#include <halograd/control.h>

enum { SLIP, DELAY };

typedef struct {
  int count, steps, eta; /* eta: its index among the carried */
  double dt, rise;
  double *earliest;
  HgProgram program;
  HgOperator lift, step;              /* amounts of slip -> eta; (carried, constants) -> carried */
  HgState amount, amount_bar, lifted; /* in, its cotangent, and out of `lift` */
  HgState base, at, dat;              /* inputs of the program; base: at rest */
  HgState q, dq;                      /* carried; its tangent or cotangent */
  HgState *before; /* [steps] carried before each step, NULL until the adjoint asks for them */
} Rupture;

/* ---- slip in time ---- */

static double ramp(double a) {
  if (a <= 0) return 0;
  return a >= 1 ? 1 : a * a * a * (10 + a * (6 * a - 15));
}

static double ramp_derivative(double a) {
  const double b = 1 - a;
  return a <= 0 || a >= 1 ? 0 : 30 * (a * a) * (b * b);
}

/* What part of its slip subfault k makes between the times n - 1 and n, and the derivative of that
   by its delay. */
static double part_of(const Rupture *r, int k, int n, double delay) {
  const double since = n * r->dt - r->earliest[k] - delay;
  return ramp(since / r->rise) - ramp((since - r->dt) / r->rise);
}

static double part_derivative(const Rupture *r, int k, int n, double delay) {
  const double since = n * r->dt - r->earliest[k] - delay;
  return (ramp_derivative((since - r->dt) / r->rise) - ramp_derivative(since / r->rise)) / r->rise;
}

/* ---- the operator ---- */

/* The carried variables of q become those of `input`. */
static PetscErrorCode write_carried(HgState q, HgState input) {
  for (int k = 0; k < HgStateCount(q); k++) {
    const int to = HgStateFind(input, HgStateVariable(q, k)->name);
    PetscCall(HgStateCopyVariable(q, k, input, to));
  }
  return 0;
}

static PetscErrorCode read_carried(HgState input, HgState q) {
  for (int k = 0; k < HgStateCount(q); k++) {
    const int from = HgStateFind(input, HgStateVariable(q, k)->name);
    PetscCall(HgStateCopyVariable(input, from, q, k));
  }
  return 0;
}

/* q += what r->amount lifts */
static PetscErrorCode add_uplift(Rupture *r, HgState q) {
  PetscCall(HgOperatorApply(r->lift, r->amount, r->lifted));
  PetscCall(HgStateAXPYVariable(q, r->eta, 1, r->lifted, 0));
  HgStateSetGhostDepth(q, r->eta, 0);
  return 0;
}

/* r->at = the input of step n, of which a copy is kept where the adjoint has asked for it. */
static PetscErrorCode advance(Rupture *r, HgState m, int n) {
  const double *slip = HgStateArray(m, SLIP), *delay = HgStateArray(m, DELAY);
  if (r->before) PetscCall(read_carried(r->at, r->before[n - 1]));
  PetscCall(HgOperatorApply(r->step, r->at, r->q));
  for (int k = 0; k < r->count; k++)
    HgStateArray(r->amount, 0)[k] = slip[k] * part_of(r, k, n, delay[k]);
  PetscCall(add_uplift(r, r->q));
  PetscCall(HgProgramCheckLimits(r->program, n, r->q));
  return write_carried(r->q, r->at);
}

static PetscErrorCode rupture_apply(void *self, HgState m, HgState x) {
  Rupture *r = self;
  PetscCall(HgStateCopy(r->base, r->at));
  for (int n = 1; n <= r->steps; n++) PetscCall(advance(r, m, n));
  return HgStateCopy(r->at, x);
}

static PetscErrorCode rupture_tangent(void *self, HgState m, HgState dm, HgState dx) {
  Rupture *r = self;
  const double *slip = HgStateArray(m, SLIP), *dslip = HgStateArray(dm, SLIP),
               *delay = HgStateArray(m, DELAY), *ddelay = HgStateArray(dm, DELAY);
  PetscCall(HgStateCopy(r->base, r->at));
  PetscCall(HgStateZero(r->dat));
  for (int n = 1; n <= r->steps; n++) {
    PetscCall(HgOperatorTangent(r->step, r->at, r->dat, r->dq));
    for (int k = 0; k < r->count; k++)
      HgStateArray(r->amount, 0)[k] = dslip[k] * part_of(r, k, n, delay[k]) +
                                      slip[k] * part_derivative(r, k, n, delay[k]) * ddelay[k];
    PetscCall(add_uplift(r, r->dq));
    PetscCall(write_carried(r->dq, r->dat));
    PetscCall(advance(r, m, n));
  }
  return HgStateCopy(r->dat, dx);
}

/* Carried states for all steps, for as long as the operator lives. */
static PetscErrorCode keep_states(Rupture *r) {
  if (r->before) return 0;
  PetscCall(PetscCalloc1(r->steps, &r->before));
  for (int n = 0; n < r->steps; n++) PetscCall(HgStateDuplicate(r->q, &r->before[n]));
  return 0;
}

static PetscErrorCode rupture_adjoint(void *self, HgState m, HgState x_bar, HgState m_bar) {
  Rupture *r = self;
  const double *slip = HgStateArray(m, SLIP), *delay = HgStateArray(m, DELAY),
               *amount_bar = HgStateArray(r->amount_bar, 0);
  PetscCall(keep_states(r));
  PetscCall(HgStateCopy(r->base, r->at));
  for (int n = 1; n <= r->steps; n++) PetscCall(advance(r, m, n));

  PetscCall(read_carried(x_bar, r->dq));
  for (int n = r->steps; n >= 1; n--) {
    PetscCall(HgStateCopyVariable(r->dq, r->eta, r->lifted, 0));
    PetscCall(HgOperatorTranspose(r->lift, r->amount, r->lifted, r->amount_bar));
    for (int k = 0; k < r->count; k++) {
      HgStateArray(m_bar, SLIP)[k] += amount_bar[k] * part_of(r, k, n, delay[k]);
      HgStateArray(m_bar, DELAY)[k] +=
          amount_bar[k] * (slip[k] * part_derivative(r, k, n, delay[k]));
    }
    PetscCall(write_carried(r->before[n - 1], r->at));
    PetscCall(HgOperatorTranspose(r->step, r->at, r->dq, r->dat));
    PetscCall(read_carried(r->dat, r->dq));
  }
  return 0;
}

static PetscErrorCode rupture_destroy(void *self) {
  Rupture *r = self;
  HgState *const states[] = {&r->amount, &r->amount_bar, &r->lifted, &r->base,
                             &r->at,     &r->dat,        &r->q,      &r->dq};
  for (int k = 0; k < (int)(sizeof states / sizeof *states); k++)
    PetscCall(HgStateDestroy(states[k]));
  for (int n = 0; r->before && n < r->steps; n++) PetscCall(HgStateDestroy(&r->before[n]));
  PetscCall(PetscFree(r->before));
  PetscCall(PetscFree(r->earliest));
  PetscCall(HgOperatorDestroy(&r->lift));
  PetscCall(HgOperatorDestroy(&r->step));
  return PetscFree(r);
}

/* The sea at rest, on which all carried variables are 0. */
static PetscErrorCode create_states(const TohokuSea *sea, Rupture *r) {
  PetscCall(HgOperatorCreateInput(r->lift, &r->amount));
  PetscCall(HgOperatorCreateInput(r->lift, &r->amount_bar));
  PetscCall(HgOperatorCreateOutput(r->lift, &r->lifted));
  PetscCall(HgOperatorCreateInput(r->step, &r->base));
  PetscCall(HgStateDuplicate(r->base, &r->at));
  PetscCall(HgStateDuplicate(r->base, &r->dat));
  PetscCall(HgOperatorCreateOutput(r->step, &r->q));
  PetscCall(HgStateDuplicate(r->q, &r->dq));
  PetscCall(HgStateCopy(sea->x, r->base));
  PetscCall(write_carried(r->q, r->base));
  return HgStateIndex(r->q, "eta", &r->eta);
}

PetscErrorCode TohokuRuptureCreate(const TohokuSea *sea, const TohokuRuptureSpec *spec, int steps,
                                   HgOperator *op) {
  static const HgOperatorTable table = {rupture_apply, rupture_tangent, rupture_adjoint, NULL,
                                        rupture_destroy};
  const int count = HgStateCount(spec->units);
  const HgVariable in[] = {{"slip", "m", HG_REPLICATED, count},
                           {"delay", "s", HG_REPLICATED, count}};
  HgState m;
  Rupture *r;
  PetscCall(PetscNew(&r));
  r->count = count, r->steps = steps, r->rise = spec->rise;
  r->program = sea->program;
  r->dt = HgProgramTimeStep(sea->program);
  PetscCall(PetscMalloc1(count, &r->earliest));
  PetscCall(PetscArraycpy(r->earliest, spec->earliest, count));
  PetscCall(HgParametrisationBasis(spec->units, "amount", "m", "eta", "m", &r->lift));
  PetscCall(HgProgramOperator(sea->program, 0, &r->step));
  PetscCall(create_states(sea, r));
  PetscCall(HgStateCreate(sea->mesh, 2, in, &m));
  PetscCall(HgOperatorCreate("rupture", m, r->base, &table, r, op));
  return HgStateDestroy(&m);
}
