/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a sum over two experiments, in one group of ranks or in two, finds what one problem finds
   that observes the same, with the same deviations before the data and after, and by -discrepancy;
   the groups and patches do not change a bit of them. */
#include "claim.h"
#include <halograd/heat.h>
#include <halograd/problem_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <string.h>

enum { PAIRS = 12, FOUND = 3 /* controls, deviations before and after */ };

static const HgMeshSpec spec = {.x0 = 0.05, .y0 = 0.05, .dx = 0.1, .dy = 0.1};
static const HgSensors sensors[] = {
    {"u", 3, 2, .times = 4, .from = 2e-3, .sigma = 1e-2, .seed = 5},
    {"u", 2, 3, .times = 5, .from = 1e-3, .sigma = 2e-2, .seed = 6}};

static double first(double x, double y) { return 1 + 2 * x * y * y; }

static double hidden(double x, double y) { return 1.5 + 0.5 * x - 0.25 * y; }

static const HgGiven hidden_kappa = {"kappa", .field = hidden};

static PetscErrorCode pose(HgRun run, const HgCommon *common, const HgModel *model,
                           const HgInverse *inverse, int from, int to, HgProblem *problem) {
  PetscCall(HgProblemCreate(run, common, model->program, model->x, problem));
  PetscCall(HgProblemSeek(*problem, "kappa", 1, -INFINITY, INFINITY, inverse));
  for (int e = from; e < to; e++) PetscCall(HgProblemTwin(*problem, &hidden_kappa, &sensors[e]));
  return HgProblemSetUp(*problem);
}

/* Of one problem (groups 0), or of a sum; `px` patches along x, 0: chosen. */
static PetscErrorCode find(int groups, int px, double *found[FOUND], char digest[FOUND][17],
                           size_t *size) {
  const HgInverse inverse = {.tikhonov = 60,
                             .h1 = 1,
                             .tolerance = 1e-6,
                             .iterations = 60,
                             .posterior = PAIRS,
                             .discrepancy = true,
                             .newton = HG_NEWTON_GAUSS};
  const HgCommon common = {
      .nx = 12, .ny = 10, .px = px, .steps = 20, .dt = 1e-3, .slots = 20, .output = "sums"};
  const HgGiven given[] = {{"u", .field = first}, {"kappa", 1, .most = 2}, {.variable = NULL}};
  HgProblem each[2] = {NULL}, problem;
  HgExperiments all;
  const char *reason;
  HgModel model;
  HgRun run;
  int own = 0;
  PetscCall(HgRunCreate("sums", "a test", &run));
  if (groups) PetscCall(HgRunExperiments(run, 2, groups, &all));
  PetscCall(HgModelCreate(run, &common, &spec, &hg_heat_physics, NULL, given, &model));
  if (groups) own = HgExperimentsGroup(all)->number;
  for (int e = own; e < 2 && groups; e += groups)
    PetscCall(pose(run, &common, &model, &inverse, e, e + 1, &each[e]));
  if (!groups) PetscCall(pose(run, &common, &model, &inverse, 0, 2, &each[0]));
  problem = each[own];
  if (groups) PetscCall(HgProblemSum(problem, all, 2, each));
  PetscCall(HgProblemInvert(problem, &inverse, &reason));

  const HgProblemParts parts = HgProblemGet(problem);
  const HgState state[FOUND] = {parts.controls, parts.prior, parts.deviation};
  *size = HgStateLength(parts.controls);
  for (int k = 0; k < FOUND; k++) {
    PetscCall(HgStateDigest(state[k], NULL, digest[k]));
    PetscCall(PetscMalloc1(*size, &found[k]));
    HgStatePack(state[k], found[k]);
  }
  for (int e = 0; e < 2; e++) PetscCall(HgProblemDestroy(&each[e]));
  PetscCall(HgModelDestroy(&model));
  return HgRunDestroy(&run);
}

static PetscErrorCode test(void) {
  static const char *const what[FOUND] = {"controls", "deviation before", "deviation after"};
  double *one[FOUND], *sum[FOUND];
  char alone[FOUND][17], expected[FOUND][17], now[FOUND][17];
  size_t size, same;
  int ranks;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  PetscCall(find(0, 0, one, alone, &size));
  PetscCall(find(1, 0, sum, expected, &same));
  for (int k = 0; k < FOUND; k++) {
    double off = 0, most = 0;
    for (size_t i = 0; i < size; i++)
      off = fmax(off, fabs(sum[k][i] - one[k][i])), most = fmax(most, fabs(one[k][i]));
    claim_at_most(off, 1e-5 * most, "%s of the sum, and of one problem", what[k]);
    claim_that(most > 0, "%s", what[k]);
    PetscCall(PetscFree(one[k]));
    PetscCall(PetscFree(sum[k]));
  }
  for (int groups = 1; groups <= 2 && ranks % 2 == 0; groups++) {
    PetscCall(find(groups, groups == 1 ? ranks : 0, sum, now, &same));
    for (int k = 0; k < FOUND; k++) {
      claim_that(!strcmp(now[k], expected[k]), "%d groups: the bits of the %s", groups, what[k]);
      PetscCall(PetscFree(sum[k]));
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  argc = 1, argv[1] = NULL; /* no option: a run refuses those that it has no use for */
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "sums\n");
  if (!ierr) ierr = PetscOptionsClear(NULL); /* nor one from the environment */
  if (ierr) return ierr;
  claim_begin("a sum over experiments finds what one problem does", 0);
  return claim_end(test());
}
