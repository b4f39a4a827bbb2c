/* SPDX-License-Identifier: BSD-2-Clause */
/* -posterior: how well the data determine what a problem has found; see problem.h. */
#include "problem_private.h"
#include <halograd/error_library.h>
#include <halograd/inversion_library.h>
#include <halograd/report_library.h>
#include <halograd/results.h>
#include <halograd/state_library.h>
#include <math.h>

enum { SHOWN = 8, LINE = 200, KEY = HG_PROBLEM_NAME + 48 };

PetscErrorCode HgProblemPosteriorRequire(HgProblem p, const HgInverse *inverse) {
  HgOperator misfit;
  if (inverse->posterior < 1) return 0;
  for (int k = 0; k < p->penalties; k++)
    HgRequire(HgProblemComm(p), !inverse->samples || !(p->penalty[k].weights.tv > 0),
              HG_ERR_OPTION_CONFLICT,
              "option -samples: given with a total variation of '%s' (-tv), whose prior is not "
              "normal, so that none are drawn; expected without one of them",
              p->penalty[k].name);
  PetscCall(HgProblemMisfit(p, &misfit));
  HgRunSuspend(p->run, true);
  const PetscErrorCode ierr = HgPosteriorRequire(misfit, p->R, p->m, inverse->posterior);
  HgRunSuspend(p->run, false);
  return ierr;
}

/* Reports the first eigenvalues, and how many numbers the data determine. */
static PetscErrorCode report_spectrum(HgProblem p, HgPosterior posterior) {
  const double *lambda;
  const int pairs = HgPosteriorEigenvalues(posterior, &lambda);
  char line[LINE] = "";
  PetscInt all;
  int told = 0;
  PetscCall(HgControlsCount(p->m, &all));
  while (told < pairs && lambda[told] > 1) told++;
  for (int k = 0; k < PetscMin(pairs, SHOWN); k++)
    HgSentenceAdd(sizeof line, line, " %.4g", lambda[k]);
  if (pairs > SHOWN) HgSentenceAdd(sizeof line, line, " ... %.4g", lambda[pairs - 1]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "posterior: %d eigenvalues, data over prior:%s\n", pairs,
                        line));
  const bool more = told == p->pairs && told < all;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "the data tell %s%d numbers (eigenvalues above 1)%s\n",
                        more ? "at least " : "", told,
                        more ? "; all are lower bounds until a larger -posterior finds some below 1"
                             : ""));
  PetscCall(HgReportSetInteger(HgRunReport(p->run), "posterior.told", told));
  return HgReportSetReals(HgRunReport(p->run), "posterior.eigenvalues", pairs, lambda);
}

/* *g: <g, m> is the mean of control k over cells, or entries, that have a deviation. */
static PetscErrorCode create_mean(HgProblem p, int k, HgState *g) {
  const size_t n = HgStateLength(p->m);
  double *packed, count;
  PetscCall(HgStateDuplicate(p->m, g));
  PetscCall(HgStateZero(*g));
  PetscCall(HgStateCopyVariable(p->prior, k, *g, k));
  PetscCall(PetscMalloc1(n, &packed));
  HgStatePack(*g, packed);
  for (size_t i = 0; i < n; i++) packed[i] = packed[i] != 0;
  HgStateUnpack(packed, *g);
  PetscCall(PetscFree(packed));
  PetscCall(HgStateDot(*g, *g, &count));
  return HgStateScale(*g, 1 / PetscMax(1, count));
}

/* The root mean square of deviations, with the weights of the mean. */
static PetscErrorCode root_mean_square(HgState deviation, HgState mean, double *size) {
  HgState square;
  const size_t n = HgStateLength(mean);
  double *packed;
  PetscCall(HgStateDuplicate(mean, &square));
  PetscCall(PetscMalloc1(n, &packed));
  HgStatePack(deviation, packed);
  for (size_t i = 0; i < n; i++) packed[i] *= packed[i];
  HgStateUnpack(packed, square);
  PetscCall(PetscFree(packed));
  PetscCall(HgStateDot(square, mean, size));
  *size = sqrt(*size);
  return HgStateDestroy(&square);
}

static PetscErrorCode set_real(HgProblem p, const char what[], int k, const char when[],
                               double value) {
  char key[KEY];
  snprintf(key, sizeof key, "posterior.%s.%s.%s", what, HgStateVariable(p->m, k)->name, when);
  return HgReportSetReal(HgRunReport(p->run), key, value);
}

/* Reports the deviations of control k, and its mean with its deviation. */
static PetscErrorCode report_control(HgProblem p, HgPosterior posterior, int k) {
  const char *const name = HgStateVariable(p->m, k)->name;
  double size[2], sure[2], value;
  HgState mean;
  PetscCall(create_mean(p, k, &mean));
  PetscCall(root_mean_square(p->prior, mean, &size[0]));
  PetscCall(root_mean_square(p->deviation, mean, &size[1]));
  PetscCall(HgStateDot(p->m, mean, &value));
  PetscCall(HgPosteriorFunctional(posterior, mean, &sure[0], &sure[1]));
  PetscCall(HgStateDestroy(&mean));
  PetscCall(set_real(p, "deviation", k, "prior", size[0]));
  PetscCall(set_real(p, "deviation", k, "posterior", size[1]));
  PetscCall(set_real(p, "mean", k, "value", value));
  PetscCall(set_real(p, "mean", k, "prior", sure[0]));
  PetscCall(set_real(p, "mean", k, "posterior", sure[1]));
  return PetscPrintf(PETSC_COMM_WORLD,
                     "standard deviation of %s %.4g -> %.4g (prior -> posterior)\n"
                     "mean of %s %.4g +- %.4g (prior +- %.4g)\n",
                     name, size[0], size[1], name, value, sure[1], sure[0]);
}

static PetscErrorCode report_posterior(HgProblem p, HgPosterior posterior) {
  PetscCall(HgStateDuplicate(p->m, &p->prior));
  PetscCall(HgStateDuplicate(p->m, &p->deviation));
  PetscCall(report_spectrum(p, posterior));
  PetscCall(HgPosteriorDeviations(posterior, p->prior, p->deviation));
  for (int k = 0; k < HgStateCount(p->m); k++) PetscCall(report_control(p, posterior, k));
  return HgProblemSamples(p, posterior);
}

/* Results are still written. The run fails at its end because there is no posterior. */
static PetscErrorCode give_up(HgProblem p) {
  PetscCall(HgStatesDestroy(&p->prior, &p->deviation, &p->predicted));
  return HgIteratesEnd(&p->run->iterates, HG_FAILED, "there is no posterior at what was found");
}

PetscErrorCode HgProblemPosterior(HgProblem p) {
  HgOperator misfit;
  HgPosterior posterior;
  if (p->pairs < 1) return 0;
  PetscCall(HgStatesDestroy(&p->prior, &p->deviation, &p->predicted));
  PetscCall(HgProblemMisfit(p, &misfit));
  HgRunSuspend(p->run, true);
  PetscErrorCode ierr =
      HgPosteriorCreate(HgInversionRanges(p->inversion), misfit, p->R, p->m, p->pairs, &posterior);
  if (!ierr) ierr = report_posterior(p, posterior);
  HgRunSuspend(p->run, false);
  PetscCall(HgPosteriorDestroy(&posterior));
  return ierr == HG_ERROR_TOLD ? give_up(p) : ierr;
}

PetscErrorCode HgProblemWriteDeviations(HgProblem p, HgResults results) {
  for (int k = 0; p->deviation && k < HgStateCount(p->m); k++) {
    const char *const name = HgStateVariable(p->m, k)->name;
    char as[KEY], text[KEY];
    snprintf(as, sizeof as, "%s_deviation_prior", name);
    snprintf(text, sizeof text, "standard deviation of %s before the data", name);
    PetscCall(HgResultsWriteConstant(results, p->prior, name, as, text));
    snprintf(as, sizeof as, "%s_deviation", name);
    snprintf(text, sizeof text, "standard deviation of %s", name);
    PetscCall(HgResultsWriteConstant(results, p->deviation, name, as, text));
  }
  for (int k = 0; p->predicted && k < HgStateCount(p->predicted); k++)
    PetscCall(HgResultsWriteConstant(results, p->predicted, HgStateVariable(p->predicted, k)->name,
                                     NULL, NULL));
  return 0;
}
