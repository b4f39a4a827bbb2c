/* SPDX-License-Identifier: BSD-2-Clause */
/* The terms of an objective, and the time at which one is wrong: with random dq_n in the steps a <=
   n < b and 0 in all others,

     (J(q + dq) - J(q - dq)) / 2  =  sum of J_n'(q_n) dq_n  =  sum of <g_n, dq_n>

   the first exactly where J is a sum of squares and linear goals. Where it is another function, as
   with robust residuals or shapes, the first is that of a small part of dq. See doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/objective_library.h>
#include <halograd/state_library.h>

typedef struct {
  HgProgram program;
  HgObjective objective;
  long steps;
  uint64_t seed;
  HgState x, constants, q, next, dq, moved, g;
  double *by_gradient; /* <g_n, dq_n> for each n */
} Terms;

static PetscErrorCode terms_create(HgTrajectory t, HgState x, uint64_t seed, Terms *w) {
  *w = (Terms){.program = HgTrajectoryProgram(t),
               .objective = HgTrajectoryObjective(t),
               .steps = HgTrajectorySteps(t),
               .seed = seed,
               .x = x};
  HgState *const carried[] = {&w->q, &w->next, &w->dq, &w->moved, &w->g};
  for (int k = 0; k < 5; k++) PetscCall(HgProgramCreateCarried(w->program, carried[k]));
  PetscCall(HgProgramCreateConstants(w->program, &w->constants));
  return PetscCalloc1(w->steps + 1, &w->by_gradient);
}

/* Called for q_n of each step, or of those that J reads; dq = dq_n in [a, b), 0 elsewhere. */
typedef PetscErrorCode Visit(Terms *w, long n, double e);

static PetscErrorCode all_steps(Terms *w, long a, long b, double e, bool each, Visit *visit) {
  PetscCall(HgProgramSplit(w->program, w->x, w->q, w->constants));
  for (long n = 0; n <= w->steps; n++) {
    if (each || HgObjectiveNeeds(w->objective, n)) {
      if (n >= a && n < b) PetscCall(HgStateRandom(w->dq, w->seed + (uint64_t)n));
      else PetscCall(HgStateZero(w->dq));
      PetscCall(visit(w, n, e));
    }
    if (n == w->steps) return 0;
    PetscCall(HgProgramStep(w->program, n, w->constants, w->q, w->next));
    HgStateSwap(w->q, w->next);
  }
  return 0;
}

static PetscErrorCode observe(Terms *w, long n, double e) {
  PetscCall(HgStateCopy(w->q, w->moved));
  PetscCall(HgStateAXPY(w->moved, e, w->dq));
  return HgObjectiveObserve(w->objective, n, w->moved, e == 0 ? w->dq : NULL);
}

static PetscErrorCode take_gradient(Terms *w, long n, double unused) {
  (void)unused;
  PetscCall(HgStateZero(w->g));
  PetscCall(HgObjectiveGradient(w->objective, n, w->q, 1, w->g));
  PetscCall(HgProgramBoundaryAdjoint(w->program, w->g));
  return HgStateDot(w->g, w->dq, &w->by_gradient[n]);
}

/* J(q + e dq) and, for e = 0, its derivative. */
static PetscErrorCode value(Terms *w, long a, long b, double e, double *J, double *dJ) {
  PetscCall(HgObjectiveStart(w->objective));
  PetscCall(all_steps(w, a, b, e, false, observe));
  return HgObjectiveValue(w->objective, J, e == 0 ? dJ : NULL);
}

/* (J(q + e dq) - J(q - e dq)) / 2e; *size: how large these J are. */
static PetscErrorCode difference(Terms *w, long a, long b, double e, double *slope, double *size) {
  double plus, minus;
  PetscCall(value(w, a, b, e, &plus, NULL));
  PetscCall(value(w, a, b, -e, &minus, NULL));
  *slope = (plus - minus) / (2 * e), *size = fabs(plus) + fabs(minus);
  return 0;
}

/* By how much the difference of J is off; 0 if `slope` may be its derivative. If J is no sum of
   squares, the difference changes with the size of dq, and approaches the derivative as dq gets
   small. */
static PetscErrorCode off_by_value(Terms *w, long a, long b, double slope, double rounding,
                                   double whole, double *off) {
  const double e = 1. / 1024;
  double half, small, smaller, size;
  *off = fabs(whole - slope);
  if (*off <= rounding) return 0;
  PetscCall(difference(w, a, b, 0.5, &half, &size));
  if (fabs(half - whole) <= rounding) return 0;
  PetscCall(difference(w, a, b, e, &small, &size));
  PetscCall(difference(w, a, b, e / 2, &smaller, &size));
  *off = fabs(smaller - slope);
  if (*off <= 16 * fabs(smaller - small) + rounding) *off = 0;
  return 0;
}

/* Steps [a, b): the relative difference of the three derivatives, 0 if it is rounding. by_gradient
   is already known. */
static PetscErrorCode mismatch(Terms *w, long a, long b, double *off) {
  double by_value, J, tangent, gradient = 0, size = 0, sum, by;
  PetscCall(difference(w, a, b, 1, &by_value, &sum));
  PetscCall(value(w, a, b, 0, &J, &tangent));
  for (long n = a; n < b; n++) gradient += w->by_gradient[n], size += fabs(w->by_gradient[n]);
  const double rounding = 1e5 * DBL_EPSILON * (sum + size);
  PetscCall(off_by_value(w, a, b, tangent, rounding, by_value, &by));
  *off = fabs(tangent - gradient) + by;
  *off = *off <= rounding ? 0 : *off / fmax(size, fmax(fabs(tangent), fabs(by_value)));
  if (isnan(*off)) *off = INFINITY;
  return 0;
}

/* *off over all steps. */
static PetscErrorCode examine(Terms *w, double *off) {
  double J, unused;
  PetscCall(value(w, 0, 0, 0, &J, &unused)); /* residuals of the run itself */
  PetscCall(PetscArrayzero(w->by_gradient, w->steps + 1));
  PetscCall(all_steps(w, 0, w->steps + 1, 0, true, take_gradient));
  return mismatch(w, 0, w->steps + 1, off);
}

/* The first n at which it is wrong. */
static PetscErrorCode find_time(Terms *w, double *off, long *n) {
  long a = 0, b = w->steps + 1;
  while (b - a > 1) {
    const long middle = (a + b) / 2;
    double left;
    PetscCall(mismatch(w, a, middle, &left));
    if (left > 0) b = middle, *off = left;
    else a = middle;
  }
  *n = a;
  return 0;
}

static PetscErrorCode name_term(Terms *w, int k, double off, HgFindings *report) {
  long n = -1;
  PetscCall(find_time(w, &off, &n));
  HgFinding *f = HgFindingsAdd(report, HG_CHECK_OBJECTIVE, n);
  if (!f) return 0;
  f->value = off, f->bound = 1e5 * DBL_EPSILON;
  HgObjectiveTermText(w->objective, k, sizeof f->part, f->part);
  return 0;
}

PetscErrorCode HgDoctorObjective(HgTrajectory t, HgState x, const HgCheckOptions *o,
                                 HgFindings *report) {
  Terms w;
  double off;
  PetscCall(terms_create(t, x, o->seed + 1000, &w));
  PetscCall(examine(&w, &off));
  for (int k = 0; off > 0 && k < HgObjectiveTerms(w.objective); k++) {
    double own;
    PetscCall(HgObjectiveSelect(w.objective, k));
    PetscCall(examine(&w, &own));
    if (own > 0) PetscCall(name_term(&w, k, own, report));
    PetscCall(HgObjectiveSelect(w.objective, -1));
  }
  PetscCall(HgStatesDestroy(&w.q, &w.next, &w.dq, &w.moved, &w.g, &w.constants));
  return PetscFree(w.by_gradient);
}
