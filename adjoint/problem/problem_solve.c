/* SPDX-License-Identifier: BSD-2-Clause */
/* What is asked of a problem that is set up, and the nouns it hands out: see problem.h. */
#include "problem_private.h"
#include <halograd/inversion_library.h>
#include <halograd/objective_library.h>
#include <math.h>

static PetscErrorCode is_set_up(HgProblem p) {
  HgRequire(HgProblemComm(p), p->ready, HG_ERR_CALL_ORDER,
            "problem of '%s': it is used before HgProblemSetUp()", HgProgramName(p->program));
  return 0;
}

/* Error: nothing is observed. J would be smallest where R is, or anywhere. */
static PetscErrorCode is_observed(HgProblem p) {
  HgRequire(HgProblemComm(p), HgObjectiveTerms(p->objective), HG_ERR_DATA,
            "problem of '%s': nothing is observed, expected HgProblemTwin(), HgProblemObserve() or "
            "terms of its objective",
            HgProgramName(p->program));
  HgRequire(HgProblemComm(p), !HgObjectiveIsEmpty(p->objective), HG_ERR_DATA,
            "problem of '%s': all readings of its sensors are gaps, so that nothing is observed; "
            "expected at least one with a finite standard deviation",
            HgProgramName(p->program));
  return 0;
}

/* With -doctor, examines J where the run starts. */
static PetscErrorCode examine(HgProblem p, const HgCheckBound bound[]) {
  HgOperator J;
  if (!p->common.doctor) return 0;
  PetscCall(HgProblemFunctional(p, &J));
  return HgRunDoctor(p->run, J, HgProblemGet(p).controls, p->bounds, bound);
}

/* With -check, the same. The misfit depends on the step, and J on all parts: these are checked only
   if the others pass, so an error is reported once. */
static PetscErrorCode check(HgProblem p, HgState x, const HgCheckBound bound[]) {
  const HgState m = HgProblemGet(p).controls;
  const int bounds = p->bounds;
  bool passed = true;
  HgOperator J;
  if (!p->common.check) return 0;
  PetscCall(HgRunCheckProgram(p->run, p->program, x, p->common.steps, &passed));
  if (p->map) PetscCall(HgRunCheckOperator(p->run, p->map, m, 0, bounds, bound, &passed));
  if (p->map && p->R) PetscCall(HgRunCheckOperator(p->run, p->R, m, 0, bounds, bound, &passed));
  if (passed) PetscCall(HgRunCheckOperator(p->run, p->misfit, x, HG_RUN_DOT, 0, NULL, &passed));
  PetscCall(HgProblemFunctional(p, &J));
  if (passed && J != p->misfit)
    PetscCall(HgRunCheckOperator(p->run, J, m, HG_RUN_DOT, bounds, bound, &passed));
  HgRequire(HgProblemComm(p), passed, HG_ERR_CHECK_FAILED, "%s: a check failed, see above",
            p->run->name);
  return 0;
}

PetscErrorCode HgProblemCheck(HgProblem p, HgState x) {
  HgCheckBound *bound;
  PetscCall(is_set_up(p));
  PetscCall(HgRunReplay(p->run, p->trajectory));
  PetscCall(PetscMalloc1(p->bounds, &bound));
  for (int k = 0; k < p->bounds; k++)
    bound[k] = (HgCheckBound){p->bound[k].control, p->bound[k].lower, p->bound[k].upper};
  PetscErrorCode ierr = examine(p, bound);
  if (!ierr) ierr = check(p, x ? x : p->x, bound);
  PetscCall(PetscFree(bound));
  return ierr;
}

PetscErrorCode HgProblemGradient(HgProblem p, double *J) {
  HgOperator functional;
  PetscCall(HgProblemFunctional(p, &functional));
  PetscCall(HgOperatorGradient(functional, HgProblemGet(p).controls, &p->value, p->gradient));
  *J = p->value;
  return HgTrajectoryRequireFinite(p->trajectory, p->value);
}

/* x = x(m); *error is known only if the truth is. */
static PetscErrorCode apply_controls(HgProblem p, double *error) {
  if (p->map) PetscCall(HgOperatorApply(p->map, p->m, p->x));
  if (!p->truth) return 0;
  return HgStateRelativeError(p->x, p->truth, HgStateVariable(p->x, p->hidden)->name, error);
}

PetscErrorCode HgProblemInversion(HgProblem p, HgInversion *inversion) {
  HgOperator J;
  PetscCall(HgProblemFunctional(p, &J));
  HgRequire(HgProblemComm(p), p->map, HG_ERR_CONTROL,
            "problem of '%s': it has no controls, expected what is sought",
            HgProgramName(p->program));
  if (!p->inversion) {
    PetscCall(HgInversionCreate(J, &p->inversion));
    for (int k = 0; k < p->bounds; k++) {
      const HgBound *b = &p->bound[k];
      PetscCall(HgInversionSetBounds(p->inversion, b->control, b->lower, b->upper, b->scale));
    }
  }
  *inversion = p->inversion;
  return 0;
}

/* Chooses the Hessian for the method and -posterior. */
static PetscErrorCode choose_hessian(HgProblem p, const HgInverse *inverse) {
  static const char *const newton[] = {"-newton", NULL};
  const bool gauss = inverse->newton == HG_NEWTON_GAUSS;
  bool used;
  PetscCall(HgInversionUsesHessian(HgProblemComm(p), &used));
  used |= inverse->posterior > 0;
  if (!used)
    PetscCall(HgOptionsRefuse(HgRunOptions(p->run),
                              "without -posterior or a -tao_type of Newton's (bntr, nls, ...)",
                              newton));
  HgProblemSetGaussNewton(p, gauss, gauss || !used); /* -precondition is of any R then */
  return 0;
}

/* Error: candidates closer than cells, which would read nothing new. */
static PetscErrorCode require_candidates(HgProblem p, const HgInverse *inverse) {
  const HgMeshSpec *s = HgMeshGetSpec(HgProgramMesh(p->program));
  const int *n = inverse->candidates;
  HgRequire(HgProblemComm(p), !inverse->next_sensors || (n[0] <= s->nx && n[1] <= s->ny),
            HG_ERR_OPTION_RANGE,
            "option -candidates: %d x %d places given, expected at most one for each of %d x %d "
            "cells",
            n[0], n[1], s->nx, s->ny);
  return 0;
}

static PetscErrorCode invert(HgProblem p, const HgInverse *inverse, const char **reason) {
  HgInversion inversion;
  HgIterate last = {0};
  double unused;
  PetscCall(is_set_up(p));
  PetscCall(is_observed(p));
  PetscCall(HgProblemInversion(p, &inversion));
  PetscCall(
      HgInversionSetRules(inversion, &(HgInversionRules){.tolerance = inverse->tolerance,
                                                         .iterations = inverse->iterations,
                                                         .pairs = inverse->pairs,
                                                         .preconditioned = inverse->precondition}));
  PetscCall(choose_hessian(p, inverse));
  if (!p->observed)
    PetscCall(HgOptionsRefuse(HgRunOptions(p->run), "without sensors",
                              (const char *[]){"-huber", "-student", "-correlation", "-relative",
                                               "-shape", "-envelope", "-next_sensors", "-evidence",
                                               NULL}));
  PetscCall(require_candidates(p, inverse));
  PetscCall(apply_controls(p, &p->error));
  PetscCall(HgProblemPosteriorRequire(p, inverse));
  const PetscErrorCode ierr = inverse->discrepancy ? HgProblemBalance(p, inversion, &last, reason)
                              : inverse->evidence  ? HgProblemWeigh(p, inversion, &last, reason)
                                                   : HgProblemSolve(p, inversion, &last, reason);
  PetscCall(apply_controls(p, &unused));
  if (!ierr) p->reason = *reason;
  p->pairs = last.ending == HG_CONVERGED || last.ending == HG_LIMIT ? inverse->posterior : 0;
  p->asked = *inverse;
  return ierr;
}

/* Reports how well the last run fits, if anything was measured. */
static PetscErrorCode tell_ratio(HgProblem p) {
  double count, ratio;
  PetscCall(HgProblemCount(p, &count));
  if (count == 0) return 0;
  PetscCall(HgProblemRatio(p, &ratio));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "misfit / expectation %.4f\n", ratio));
  return HgReportSetReal(HgRunReport(p->run), "misfit_ratio", ratio);
}

/* Reports how well x(m) fits. For a sum of problems it computes no gradient. */
static PetscErrorCode tell_fit(HgProblem p) {
  double J, ratio, error = -1;
  if (p->all) PetscCall(HgProblemLook(p, &ratio));
  else {
    PetscCall(HgProblemGradient(p, &J));
    PetscCall(HgReportSetReal(HgRunReport(p->run), "J", J));
  }
  PetscCall(apply_controls(p, &error));
  PetscCall(tell_ratio(p));
  if (p->truth) PetscCall(HgRunError(p->run, p->error, error));
  return HgProblemPosterior(p);
}

PetscErrorCode HgProblemInvert(HgProblem p, const HgInverse *inverse, const char **reason) {
  PetscCall(invert(p, inverse, reason));
  return tell_fit(p);
}

PetscErrorCode HgProblemDigest(HgProblem p) {
  double J;
  if (isnan(p->value)) PetscCall(HgProblemGradient(p, &J));
  PetscCall(HgRunDigest(p->run, p->value, p->gradient, HgProblemGet(p).final, p->common.digest));
  return HgRunCost(p->run, p->trajectory);
}

HgPanel HgProblemMark(HgProblem p, HgPanel panel) {
  if (!p->observed) return panel;
  const HgObservations *o = p->observations[0];
  panel.markers = o->sensors, panel.marker_x = o->x, panel.marker_y = o->y;
  return panel;
}

HgProblemParts HgProblemGet(HgProblem p) {
  return (HgProblemParts){.program = p->program,
                          .x = p->x,
                          .observations = p->observations,
                          .objective = p->objective,
                          .trajectory = p->trajectory,
                          .controls = p->map ? p->m : p->x,
                          .final = p->trajectory ? HgTrajectoryFinal(p->trajectory) : NULL,
                          .input = p->map,
                          .regularisation = p->R,
                          .sum = p->all ? p->J : NULL,
                          .prior = p->prior,
                          .deviation = p->deviation};
}
