/* SPDX-License-Identifier: BSD-2-Clause */
/* The weights of the regularisation, times a factor.

   By Morozov's discrepancy principle: as strong as lets the data be met no worse than their noise
   explains. The ratio of misfit and expectation then lies between 1 and 1 + 2 sd, sd = sqrt(2 /
   data) being its standard deviation by noise alone. Source: V. A. Morozov, Soviet Math. Dokl. 7
   (1966).

   By the evidence, if all sigma are wrong by one unknown factor s: the data tell g numbers, the
   trace of what they predict by what they are. What is left of the misfit is the noise of the
   others, s^2 = 2 misfit / (data - g); and the likeliest weights are those with 2 R = g s^2.
   Source: D. J. C. MacKay, Neural Computation 4 (1992). g = xi' (F(d + xi) - F(d)), of an inversion
   with data that are disturbed by a coin xi, and of one without. Source: D. A. Girard, Numer.
   Math. 56 (1989). */
#include "problem_private.h"
#include <halograd/control_library.h>
#include <halograd/objective_library.h>
#include <math.h>

enum { INVERSIONS = 16 };

/* The stride between factors until one is known on either side of the root, and the furthest
   factor. */
static const double stride = 8, furthest = 1e8;

/* The misfit grows with the weights. What is known on both sides of the root. */
typedef struct {
  double factor;             /* of the weights that were given */
  double sd;                 /* of misfit / expectation */
  double weak, strong;       /* factors whose misfit is below and above; 0, INFINITY: not known */
  double at_weak, at_strong; /* log of misfit / expectation there, over that in the middle */
} Search;

/* The next factor. If only one side is known: a stride further. Else by linear interpolation of the
   logarithms, at least a tenth of the interval from either end. */
static double next_factor(Search *s, double ratio) {
  const double off = log(ratio / (1 + s->sd));
  if (ratio < 1) s->weak = s->factor, s->at_weak = off;
  else s->strong = s->factor, s->at_strong = off;
  if (s->weak == 0) return s->factor / stride;
  if (isinf(s->strong)) return s->factor * stride;
  const double share = s->at_weak / (s->at_weak - s->at_strong);
  return s->weak * pow(s->strong / s->weak, fmin(0.9, fmax(0.1, share)));
}

/* The prior deviation is that for sigma multiplied by `noise`. */
static PetscErrorCode report_factor(HgProblem p, double factor, double noise, double ratio) {
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "weights of the regularisation x %.4g: misfit / expectation %.4f\n", factor,
                        ratio));
  if (p->run->deviation > 0) {
    const double deviation = p->run->deviation * noise / sqrt(factor);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "deviation before the data %.4g\n", deviation));
    PetscCall(HgReportSetReal(HgRunReport(p->run), "prior_deviation", deviation));
  }
  return HgReportSetReal(HgRunReport(p->run), "weights_factor", factor);
}

static PetscErrorCode report_no_factor(double factor, double ratio) {
  return PetscPrintf(PETSC_COMM_WORLD,
                     "weights of the regularisation: the data are %smet even with those x %.4g; "
                     "%s\n",
                     ratio < 1 ? "" : "not ", factor,
                     ratio < 1 ? "larger ones may do, or is sigma too large?"
                               : "smaller ones may do, or is sigma too small, or the model wrong?");
}

bool HgProblemHasWeights(HgProblem p) {
  for (int k = 0; k < p->penalties; k++)
    if (p->penalty[k].weights.alpha > 0 || p->penalty[k].weights.beta > 0) return true;
  return p->penalties && (p->run->deviation > 0 || p->run->tv > 0);
}

/* Errors: no weights to scale, among those that `option` scales; no measurements. */
static PetscErrorCode require_both(HgProblem p, const char option[], const char weights[],
                                   double *data) {
  PetscCall(HgProblemCount(p, data));
  HgRequire(HgProblemComm(p), HgProblemHasWeights(p), HG_ERR_CONTROL,
            "option %s: J has no regularisation whose weights could be scaled, expected %s above 0",
            option, weights);
  HgRequire(HgProblemComm(p), *data > 0, HG_ERR_CONTROL,
            "option %s: J has goals alone, expected measurements, whose noise it asks for", option);
  return 0;
}

/* Sets the weights to the given ones times `factor`. */
static void scale_to(HgProblem p, double factor, double *now) {
  for (int n = 0; n < p->penalties; n++) HgRegularisationScale(p->penalty[n].R, factor / *now);
  *now = factor;
}

PetscErrorCode HgProblemBalance(HgProblem p, HgInversion inversion, HgIterate *last,
                                const char **reason) {
  Search s = {.factor = 1, .strong = INFINITY};
  double ratio = NAN, data;
  PetscCall(require_both(p, "-discrepancy", "-tikhonov, -h1, -tv or -prior_deviation", &data));
  s.sd = sqrt(2 / data);
  for (int k = 0; k < INVERSIONS; k++) {
    PetscCall(HgProblemSolve(p, inversion, last, reason));
    PetscCall(HgProblemLook(p, &ratio));
    PetscCall(report_factor(p, s.factor, 1, ratio));
    if ((ratio >= 1 && ratio <= 1 + 2 * s.sd) || last->ending >= HG_NOTHING) return 0;
    const double factor = next_factor(&s, ratio);
    if (factor > furthest || factor < 1 / furthest || k + 1 == INVERSIONS) break;
    scale_to(p, factor, &s.factor);
  }
  return report_no_factor(s.factor, ratio);
}

/* ---- by the evidence ---- */

/* misfit / expectation of the last run, with the data and with disturbed data. */
static PetscErrorCode look_twice(HgProblem p, double ratio[2]) {
  for (int k = 0; k < 2; k++) {
    PetscCall(HgProblemDisturb(p, k));
    PetscCall(HgProblemRatio(p, &ratio[k]));
  }
  return 0;
}

/* *told: how many numbers the data determine at m; NAN if the inversion fails. Continues the
   inversion from m with disturbed data, then restores m. *ratio: misfit / expectation at m. */
static PetscErrorCode count_told(HgProblem p, HgInversion inversion, double data, double *ratio,
                                 double *told) {
  HgState found;
  HgIterate last;
  const char *reason;
  double at_m[2], beside[2];
  PetscCall(HgProblemLook(p, ratio));
  PetscCall(look_twice(p, at_m));
  PetscCall(HgStateDuplicate(p->m, &found));
  PetscCall(HgStateCopy(p->m, found));
  p->run->aside = true;
  PetscCall(HgProblemSolve(p, inversion, &last, &reason));
  p->run->aside = false;
  PetscCall(HgProblemLook(p, &beside[1]));
  PetscCall(look_twice(p, beside));
  PetscCall(HgProblemDisturb(p, false));
  PetscCall(HgStateCopy(found, p->m));
  *told = data / 2 * (beside[0] - beside[1] - at_m[0] + at_m[1]);
  if (last.ending >= HG_NOTHING) *told = NAN;
  return HgStateDestroy(&found);
}

static PetscErrorCode regularisation_at(HgProblem p, double *R) {
  HgState value;
  PetscCall(HgOperatorCreateOutput(p->R, &value));
  PetscCall(HgOperatorApply(p->R, p->m, value));
  *R = HgStateArray(value, 0)[0];
  return HgStateDestroy(&value);
}

/* Of the last iteration: logarithms of the factor, and of the ratio by which it should grow. */
typedef struct {
  double factor, change;
  int known;
} Fixed;

/* The next logarithm of the factor: the root of the line through the last two changes, at most a
   factor of 64 away. If its slope is out of range, adds the change itself. */
static double next_fixed(Fixed *f, double factor, double change) {
  const double slope = (change - f->change) / (factor - f->factor), most = log(64);
  const bool tells = f->known++ && slope < -0.1 && slope > -2;
  f->factor = factor, f->change = change;
  return factor + (tells ? fmin(fmax(-change / slope, -most), most) : change);
}

static PetscErrorCode tell_evidence(HgProblem p, double told, double noise) {
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "the data tell %.1f numbers, noise / sigma %.4f\n", told,
                        noise));
  PetscCall(HgReportSetReal(HgRunReport(p->run), "numbers_told", told));
  return HgReportSetReal(HgRunReport(p->run), "noise_ratio", noise);
}

PetscErrorCode HgProblemWeigh(HgProblem p, HgInversion inversion, HgIterate *last,
                              const char **reason) {
  const double close = 1.2;
  double data, factor = 1, ratio = NAN, told = 0, R = 0;
  Fixed fixed = {.known = 0};
  PetscCall(require_both(p, "-evidence", "-tikhonov, -h1 or -prior_deviation", &data));
  for (int k = 0; k < INVERSIONS; k++) {
    PetscCall(HgProblemSolve(p, inversion, last, reason));
    if (last->ending >= HG_NOTHING) return 0;
    PetscCall(regularisation_at(p, &R));
    PetscCall(count_told(p, inversion, data, &ratio, &told));
    if (isnan(told))
      return PetscPrintf(PETSC_COMM_WORLD,
                         "weights of the regularisation: their search ends at x %.4g, as the "
                         "inversion of disturbed data failed\n",
                         factor);
    const double some = fmin(fmax(told, 1e-3), 0.9 * data), noise = ratio * data / (data - some);
    PetscCall(report_factor(p, factor, sqrt(noise), ratio));
    PetscCall(tell_evidence(p, told, sqrt(noise)));
    const double change = fmin(fmax(some * noise / (2 * R), 1 / furthest), furthest);
    if (change < close && change > 1 / close) return 0;
    const double then = exp(next_fixed(&fixed, log(factor), log(change)));
    if (then > furthest || then < 1 / furthest || k + 1 == INVERSIONS) break;
    scale_to(p, then, &factor);
  }
  return PetscPrintf(PETSC_COMM_WORLD,
                     "weights of the regularisation: none found within a factor of %g; those given "
                     "are too far off, or the data do not tell them\n",
                     furthest);
}
