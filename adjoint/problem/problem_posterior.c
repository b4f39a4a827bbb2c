/* SPDX-License-Identifier: BSD-2-Clause */
/* -posterior: how well the data determine what a problem has found; see problem.h. */
#include "problem_private.h"
#include <halograd/posterior_library.h>
#include <halograd/report_library.h>
#include <halograd/results_library.h>
#include <halograd/state_library.h>
#include <math.h>

enum { SHOWN = 8, LINE = 200, KEY = HG_PROBLEM_NAME + 48 };

static MPI_Comm comm_of(HgProblem p) { return HgMeshComm(HgProgramMesh(p->program)); }

PetscErrorCode HgProblemPosteriorRequire(HgProblem p, int pairs) {
  HgOperator misfit;
  if (pairs < 1) return 0;
  PetscCall(HgProblemMisfit(p, &misfit));
  HgRunSuspend(p->run, true);
  const PetscErrorCode ierr = HgPosteriorRequire(misfit, p->R, p->m, pairs);
  HgRunSuspend(p->run, false);
  return ierr;
}

/* The first eigenvalues, and how many numbers the data tell. */
static PetscErrorCode tell_spectrum(HgProblem p, HgPosterior posterior) {
  const double *lambda;
  const int pairs = HgPosteriorEigenvalues(posterior, &lambda);
  char line[LINE] = "";
  size_t used = 0;
  int told = 0;
  while (told < pairs && lambda[told] > 1) told++;
  for (int k = 0; k < PetscMin(pairs, SHOWN); k++)
    used += (size_t)snprintf(line + used, sizeof line - used, " %.4g", lambda[k]);
  if (pairs > SHOWN) snprintf(line + used, sizeof line - used, " ... %.4g", lambda[pairs - 1]);
  PetscCall(
      PetscPrintf(comm_of(p), "posterior: %d eigenvalues, data over prior:%s\n", pairs, line));
  PetscCall(PetscPrintf(comm_of(p), "the data tell %s%d numbers (eigenvalues above 1)%s\n",
                        told == p->pairs ? "at least " : "", told,
                        told == p->pairs
                            ? "; all are lower bounds until a larger -posterior finds some below 1"
                            : ""));
  PetscCall(HgReportSetInteger(HgRunReport(p->run), "posterior.told", told));
  return HgReportSetReals(HgRunReport(p->run), "posterior.eigenvalues", pairs, lambda);
}

/* *size: the root mean square of variable k, over its entries, or those that are not 0. */
static PetscErrorCode root_mean_square(HgState x, int k, double *size) {
  const size_t n = HgStateLength(x);
  HgState part;
  double square, count, *packed;
  PetscCall(HgStateDuplicate(x, &part));
  PetscCall(HgStateZero(part));
  PetscCall(HgStateCopyVariable(x, k, part, k));
  PetscCall(HgStateDot(part, part, &square));
  PetscCall(PetscMalloc1(n, &packed));
  HgStatePack(part, packed);
  for (size_t i = 0; i < n; i++) packed[i] = packed[i] != 0;
  HgStateUnpack(packed, part);
  PetscCall(PetscFree(packed));
  PetscCall(HgStateDot(part, part, &count));
  *size = sqrt(square / PetscMax(1, count));
  return HgStateDestroy(&part);
}

static PetscErrorCode tell_deviation(HgProblem p, int k) {
  static const char *const when[] = {"prior", "posterior"};
  const HgState all[] = {p->prior, p->deviation};
  const char *const name = HgStateVariable(p->m, k)->name;
  char key[KEY];
  double size[2];
  for (int n = 0; n < 2; n++) {
    PetscCall(root_mean_square(all[n], k, &size[n]));
    snprintf(key, sizeof key, "posterior.deviation.%s.%s", name, when[n]);
    PetscCall(HgReportSetReal(HgRunReport(p->run), key, size[n]));
  }
  return PetscPrintf(comm_of(p), "standard deviation of %s %.4g -> %.4g (prior -> posterior)\n",
                     name, size[0], size[1]);
}

static PetscErrorCode tell(HgProblem p, HgPosterior posterior) {
  PetscCall(HgStateDuplicate(p->m, &p->prior));
  PetscCall(HgStateDuplicate(p->m, &p->deviation));
  PetscCall(tell_spectrum(p, posterior));
  PetscCall(HgPosteriorDeviations(posterior, p->prior, p->deviation));
  for (int k = 0; k < HgStateCount(p->m); k++) PetscCall(tell_deviation(p, k));
  return 0;
}

PetscErrorCode HgProblemPosterior(HgProblem p) {
  HgOperator misfit;
  HgPosterior posterior;
  if (p->pairs < 1) return 0;
  PetscCall(HgStateDestroy(&p->prior));
  PetscCall(HgStateDestroy(&p->deviation));
  PetscCall(HgProblemMisfit(p, &misfit));
  HgRunSuspend(p->run, true);
  PetscErrorCode ierr = HgPosteriorCreate(p->inversion, misfit, p->R, p->m, p->pairs, &posterior);
  if (!ierr) ierr = tell(p, posterior);
  HgRunSuspend(p->run, false);
  PetscCall(HgPosteriorDestroy(&posterior));
  return ierr;
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
  return 0;
}
