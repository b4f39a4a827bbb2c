/* SPDX-License-Identifier: BSD-2-Clause */
/* A problem whose misfit is the sum over experiments, each a problem of its own; and what is asked
   of all of them at once. */
#include "problem_private.h"
#include <halograd/control_library.h>
#include <halograd/objective_library.h>
#include <halograd/operator_library.h>

PetscErrorCode HgProblemSum(HgProblem p, HgExperiments all, int count, HgProblem each[]) {
  HgOperator *part, sum;
  PetscCall(PetscCalloc1(count, &part));
  for (int e = 0; e < count; e++)
    if (each[e]) PetscCall(HgProblemMisfit(each[e], &part[e]));
  const PetscErrorCode ierr = HgExperimentsFunctional(all, part, &sum);
  PetscCall(PetscFree(part));
  if (ierr) return ierr;
  PetscCall(HgOperatorDestroy(&p->fit));
  PetscCall(HgOperatorDestroy(&p->J));
  p->fit = sum, p->all = all, p->experiments = count, p->each = each;
  PetscCall(HgOperatorSum("J", p->R ? 2 : 1, (HgOperator[]){sum, p->R}, &p->J));
  return HgOperatorCreateGradient(p->J, &p->gradient);
}

/* Iterates over the problems of this group; *n is the next experiment to look at. NULL: no more. */
static HgProblem next_problem(HgProblem p, int *n) {
  if (!p->all) return (*n)++ ? NULL : p;
  while (*n < p->experiments && !p->each[*n]) ++*n;
  return *n < p->experiments ? p->each[(*n)++] : NULL;
}

static PetscErrorCode reduce(HgProblem p, HgSum *sum, double *value) {
  return HgSumReduce(p->all ? HgExperimentsGroup(p->all)->across : MPI_COMM_SELF, 1, sum, value);
}

PetscErrorCode HgProblemCount(HgProblem p, double *count) {
  HgSum sum;
  HgSumReset(&sum);
  int n = 0;
  for (HgProblem one; (one = next_problem(p, &n));)
    HgSumAdd(&sum, 1, &(double){HgObjectiveCount(one->objective)});
  return reduce(p, &sum, count);
}

/* The misfit of measurements, without goals. */
static PetscErrorCode measured(HgObjective objective, double *misfit) {
  const int terms = HgObjectiveTerms(objective);
  double *part;
  PetscCall(PetscMalloc1(terms + 1, &part));
  PetscCall(HgObjectiveParts(objective, part));
  *misfit = part[terms];
  return PetscFree(part);
}

PetscErrorCode HgProblemRatio(HgProblem p, double *ratio) {
  double count, misfit;
  HgSum sum;
  HgSumReset(&sum);
  int n = 0;
  for (HgProblem one; (one = next_problem(p, &n));) {
    PetscCall(measured(one->objective, &misfit));
    HgSumAdd(&sum, 1, &misfit);
  }
  PetscCall(reduce(p, &sum, &misfit));
  PetscCall(HgProblemCount(p, &count));
  *ratio = misfit / (count / 2);
  return 0;
}

PetscErrorCode HgProblemLook(HgProblem p, double *ratio) {
  HgOperator misfit;
  HgState value;
  PetscCall(HgProblemMisfit(p, &misfit));
  PetscCall(HgOperatorCreateOutput(misfit, &value));
  HgRunSuspend(p->run, true);
  PetscCall(HgOperatorApply(misfit, HgProblemGet(p).controls, value));
  HgRunSuspend(p->run, false);
  PetscCall(HgStateDestroy(&value));
  PetscCall(HgProblemRatio(p, ratio));
  return HgTrajectoryRequireFinite(p->trajectory, *ratio);
}

PetscErrorCode HgProblemDisturb(HgProblem p, bool yes) {
  int n = 0;
  for (HgProblem one; (one = next_problem(p, &n));)
    PetscCall(HgObjectiveDisturb(one->objective, (uint64_t)(n - 1), yes));
  return 0;
}

void HgProblemSetGaussNewton(HgProblem p, bool of_misfit, bool of_R) {
  int n = 0;
  for (HgProblem one; (one = next_problem(p, &n));)
    HgObjectiveSetGaussNewton(one->objective, of_misfit);
  for (int k = 0; k < p->penalties; k++) HgRegularisationSetGaussNewton(p->penalty[k].R, of_R);
}

PetscErrorCode HgProblemSolve(HgProblem p, HgInversion inversion, HgIterate *last,
                              const char **reason) {
  return p->all ? HgRunInvert(p->run, inversion, p->R, p->m, last, reason)
                : HgRunSolve(p->run, inversion, p->objective, p->R, p->m, last, reason);
}
