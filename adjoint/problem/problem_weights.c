/* SPDX-License-Identifier: BSD-2-Clause */
/* The weights of the regularisation, by Morozov's discrepancy principle: as strong as lets the
   data be met no worse than their noise explains. The ratio of misfit and expectation then lies
   between 1 and 1 + 2 sd, sd = sqrt(2 / data) being its standard deviation by noise alone.
   Source: V. A. Morozov, Soviet Math. Dokl. 7 (1966). */
#include "problem_private.h"
#include <halograd/control_library.h>
#include <halograd/objective_library.h>
#include <math.h>

enum { INVERSIONS = 16 };

/* From one factor to the next until both sides are known. */
static const double stride = 8, furthest = 1e8;

/* The misfit grows with the weights: what is known of both sides. */
typedef struct {
  double factor;             /* of the weights that were given */
  double sd;                 /* of misfit / expectation */
  double weak, strong;       /* factors whose misfit is below and above; 0, INFINITY: not known */
  double at_weak, at_strong; /* log of misfit / expectation there, over that in the middle */
} Search;

/* misfit / expectation at m. */
static PetscErrorCode look(HgProblem p, double *ratio) {
  double unused;
  if (p->map) PetscCall(HgOperatorApply(p->map, p->m, p->x));
  HgRunSuspend(p->run, true);
  PetscCall(HgTrajectoryValue(p->trajectory, p->x, &unused));
  HgRunSuspend(p->run, false);
  PetscCall(HgRunMisfitRatio(p->objective, ratio));
  return HgTrajectoryRequireFinite(p->trajectory, *ratio);
}

/* The next factor: a stride on, or between both sides, linear in the logarithms, a tenth of their
   distance from either. */
static double next(Search *s, double ratio) {
  const double off = log(ratio / (1 + s->sd));
  if (ratio < 1) s->weak = s->factor, s->at_weak = off;
  else s->strong = s->factor, s->at_strong = off;
  if (s->weak == 0) return s->factor / stride;
  if (isinf(s->strong)) return s->factor * stride;
  const double share = s->at_weak / (s->at_weak - s->at_strong);
  return s->weak * pow(s->strong / s->weak, fmin(0.9, fmax(0.1, share)));
}

static PetscErrorCode tell(HgProblem p, double factor, double ratio) {
  PetscCall(PetscPrintf(HgProblemComm(p),
                        "weights of the regularisation x %.4g: misfit / expectation %.4f\n", factor,
                        ratio));
  if (p->run->deviation > 0) {
    const double deviation = p->run->deviation / sqrt(factor);
    PetscCall(PetscPrintf(HgProblemComm(p), "deviation before the data %.4g\n", deviation));
    PetscCall(HgReportSetReal(HgRunReport(p->run), "prior_deviation", deviation));
  }
  return HgReportSetReal(HgRunReport(p->run), "weights_factor", factor);
}

static PetscErrorCode tell_none(HgProblem p, double ratio) {
  return PetscPrintf(
      HgProblemComm(p), "weights of the regularisation: %s\n",
      ratio < 1
          ? "the data are met however strong they are; is sigma too large?"
          : "the data are not met however weak they are; is sigma too small, or the model wrong?");
}

bool HgProblemHasWeights(HgProblem p) {
  for (int k = 0; k < p->penalties; k++)
    if (p->penalty[k].weights.alpha > 0 || p->penalty[k].weights.beta > 0) return true;
  return p->penalties && (p->run->deviation > 0 || p->run->tv > 0);
}

PetscErrorCode HgProblemBalance(HgProblem p, HgInversion inversion, HgIterate *last,
                                const char **reason) {
  Search s = {.factor = 1, .strong = INFINITY};
  double ratio = NAN;
  HgRequire(HgProblemComm(p), HgProblemHasWeights(p), HG_ERR_CONTROL,
            "option -discrepancy: J has no regularisation whose weights could be scaled, expected "
            "-tikhonov, -h1, -tv or -prior_deviation above 0");
  HgRequire(
      HgProblemComm(p), HgObjectiveCount(p->objective) > 0, HG_ERR_CONTROL,
      "option -discrepancy: J has goals alone, expected measurements, whose noise it asks for");
  s.sd = sqrt(2 / HgObjectiveCount(p->objective));
  for (int k = 0; k < INVERSIONS; k++) {
    PetscCall(HgRunSolve(p->run, inversion, p->objective, p->R, p->m, last, reason));
    PetscCall(look(p, &ratio));
    PetscCall(tell(p, s.factor, ratio));
    if ((ratio >= 1 && ratio <= 1 + 2 * s.sd) || last->ending >= HG_NOTHING) return 0;
    const double factor = next(&s, ratio);
    if (factor > furthest || factor < 1 / furthest) break;
    for (int n = 0; n < p->penalties; n++)
      HgRegularisationScale(p->penalty[n].R, factor / s.factor);
    s.factor = factor;
  }
  return tell_none(p, ratio);
}
