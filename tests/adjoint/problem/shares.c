/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: what each term has of the misfit at an iterate adds up to it, in an inversion whose J is
   negative, which is solved, fitted and drawn like any other; one term alone is not told of; a goal
   alone has no noise by which weights could be scaled, and no expectation. */
#include "claim.h"
#include "refusal.h"
#include <halograd/heat.h>
#include <halograd/objective_library.h>
#include <halograd/problem.h>
#include <halograd/run_library.h>
#include <math.h>

enum { STEPS = 20 };

static const HgMeshSpec spec = {.x0 = 0.05, .y0 = 0.05, .dx = 0.1, .dy = 0.1};
static const HgSensors sensors = {"u", 3, 2, .times = 4, .from = 0.002, .sigma = 0.01, .seed = 5};

static double first(double x, double y) { return 1 + x * y; }

static double hidden(double x, double y) { return 1.5 + 0.5 * x - 0.25 * y; }

/* As much heat as can be kept is sought, or what sensors see, or both. */
static PetscErrorCode create(HgRun run, const HgCommon *common, bool sees, bool keeps,
                             const HgInverse *inverse, HgProblem *problem) {
  const HgGiven given[] = {{"u", .field = first}, {"kappa", 1, .most = 2}, {.variable = NULL}};
  const HgIntegral goal = {"u", .step = STEPS, .weight = -1e4};
  PetscCall(HgProblemCreatePhysics(run, common, &spec, &hg_heat_physics, NULL, given, problem));
  PetscCall(HgProblemSeek(*problem, "kappa", 1, 0.5, 2.5, inverse));
  if (sees) PetscCall(HgProblemTwin(*problem, &(HgGiven){"kappa", .field = hidden}, &sensors));
  if (keeps) PetscCall(HgObjectiveAddIntegral(HgProblemGet(*problem).objective, &goal));
  return HgProblemSetUp(*problem);
}

static PetscErrorCode check(HgRun run, int terms) {
  const HgPanel convergence = HgRunConvergence(run);
  const double *J = convergence.curve[0].y, *misfit = convergence.curve[1].y;
  const int count = convergence.curve[0].count;
  const HgRunParts *const p = &run->parts;
  claim_that(p->terms == terms && p->count == (terms ? count : 0) && count > 2,
             "%d terms told of at %d of %d iterates", p->terms, p->count, count);
  for (int n = 0; n < p->count; n++) {
    const double *const part = &p->all[n * p->terms];
    claim_that(part[0] > 0 && part[1] < 0 && J[n] < 0, "parts %g, %g of J %g", part[0], part[1],
               J[n]);
    claim_at_most(fabs(part[0] + part[1] - misfit[n]), 1e-9 * fabs(misfit[n]), "iterate %d: sum",
                  n);
    claim_that(!n || J[n] <= J[n - 1], "J falls from %g to %g", n ? J[n - 1] : 0, J[n]);
  }
  claim_that(convergence.log_y == (J[0] > 0), "a negative J has no logarithm");
  return 0;
}

static PetscErrorCode solve(bool sees, bool keeps, int terms) {
  HgInverse inverse = {.h1 = 1e-3, .iterations = 4, .tolerance = 1e-9};
  HgCommon common = {
      .nx = 12, .ny = 10, .steps = STEPS, .dt = 1e-3, .slots = 5, .output = "shares"};
  HgRun run;
  HgProblem problem;
  PetscCall(HgRunCreate("shares", "terms of J", &run));
  PetscCall(create(run, &common, sees, keeps, &inverse, &problem));
  inverse.discrepancy = true;
  const char *reason;
  if (!sees) REFUSED(HgProblemInvert(problem, &inverse, &reason), "-discrepancy", "goals alone");
  inverse.discrepancy = false;
  PetscCall(HgProblemInvert(problem, &inverse, &reason));
  PetscCall(HgProblemDigest(problem));
  PetscCall(check(run, terms));
  PetscCall(HgProblemDestroy(&problem));
  return HgRunDestroy(&run);
}

static PetscErrorCode test(void) {
  PetscCall(solve(true, true, 2));
  PetscCall(solve(true, false, 0));
  return solve(false, true, 0);
}

int main(int argc, char **argv) {
  argc = 1, argv[1] = NULL; /* no option: a run refuses those that it has no use for */
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "shares\n");
  if (!ierr) ierr = PetscOptionsClear(NULL); /* nor one from the environment */
  if (ierr) return ierr;
  claim_begin("the parts of a misfit add up to it", 0);
  return claim_end(test());
}
