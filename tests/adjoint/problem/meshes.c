/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: problems of one run, coarse and then fine, each on a mesh of its own and destroyed before
   the next begins, checked or not, are solved one after another; a stage without a name takes the
   next number that no stage has. */
#include "claim.h"
#include <halograd/heat.h>
#include <halograd/problem.h>
#include <math.h>
#include <sys/stat.h>

enum { COARSE = 12, PROBLEMS = 3 };

static double hidden(double x, double y) {
  return exp(-20 * ((x - 0.4) * (x - 0.4) + (y - 0.6) * (y - 0.6)));
}

static const HgGiven given[] = {{"kappa", .value = 1}, {.variable = NULL}};
static const HgSensors sensors = {"u", 4, 4, .times = 2, .sigma = 0.01, .seed = 1};

/* With -check, but for the last one, of which the check of another problem must not be expected. */
static PetscErrorCode solve(HgRun run, HgCommon common, const HgInverse *inverse, int k) {
  HgProblem problem;
  const char *reason = NULL;
  common.nx = common.ny = COARSE * (1 + k % 2);
  common.check = k < PROBLEMS - 1;
  const HgMeshSpec square = {.dx = 1.0 / common.nx, .dy = 1.0 / common.ny};
  PetscCall(HgProblemCreatePhysics(run, &common, &square, &hg_heat_physics, NULL, given, &problem));
  PetscCall(HgProblemSeek(problem, "u", 0, -2, 2, inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"u", .field = hidden}, &sensors));
  PetscCall(HgProblemSetUp(problem));
  if (common.check) PetscCall(HgProblemCheck(problem, NULL));
  PetscCall(HgProblemInvert(problem, inverse, &reason));
  if (common.check) PetscCall(HgProblemDigest(problem));
  claim_that(reason && *reason, "problem %d says why it ended", k);
  return HgProblemDestroy(&problem);
}

static bool there(const char folder[]) {
  struct stat found;
  return !stat(folder, &found) && S_ISDIR(found.st_mode);
}

static PetscErrorCode test(void) {
  HgCommon common = {
      .nx = COARSE, .ny = COARSE, .dt = 1e-4, .steps = 20, .slots = 5, .output = "meshes"};
  HgInverse inverse = {.tolerance = 1e-2, .iterations = 3};
  HgRun run;
  PetscCall(PetscOptionsSetValue(NULL, "-resume", "yes"));
  PetscCall(HgRunCreate("meshes", "three problems", &run));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(HgRunCommon(run, &common));
  PetscCall(solve(run, common, &inverse, 0));
  PetscCall(HgRunStage(run, "3", false));
  PetscCall(solve(run, common, &inverse, 1));
  PetscCall(solve(run, common, &inverse, 2));
  PetscCall(HgRunDestroy(&run));
  if (claim.rank) return 0;
  claim_that(there("meshes/evaluations/stage-3"), "the stage of that name has its folder");
  claim_that(there("meshes/evaluations/stage-4"), "the third one is number 4, as 3 is taken");
  return 0;
}

CLAIM("problems of one run have meshes of their own", 0, test)
