/* SPDX-License-Identifier: BSD-2-Clause */
/* A Hessian times a direction has the same bits on every decomposition, for every schedule and
   store, however steps are reversed. */
#include "hessian_claims.h"
#include "hessian_ways.h"

enum { STEPS = 23 };

static const Way ways[] = {{STEPS, 1, false, "single", NULL},
                           {3, 1, false, "single", NULL},
                           {4, 3, true, "cheaper", NULL},
                           {STEPS, 3, false, "stored", NULL},
                           {2, 3, false, "start", NULL}};

enum { WAYS = sizeof ways / sizeof *ways };

/* Step by step, where no schedule depends on times or caches: as many steps are made as for a
   gradient, each of two kernels, and two reverse each, at most three times what a gradient calls.
   */
static PetscErrorCode claim_cost(HgTrajectory t, HgState x, HgState scratch) {
  HgTrajectoryCost gradient, hessian;
  char way[16] = "";
  double J;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-hg_reverse", way, sizeof way, NULL));
  if (strcmp(way, "single")) return 0;
  PetscCall(HgTrajectoryGradient(t, x, 1, &J, scratch));
  HgTrajectoryGetCost(t, &gradient);
  HgTrajectoryHessianCost(t, &hessian);
  const long of_gradient = gradient.advances + gradient.made_again + STEPS,
             of_hessian = 2 * (hessian.advances + hessian.made_again + STEPS);
  claim_at_most((double)of_hessian, 3 * (double)of_gradient,
                "kernels called for a Hessian, %ld for a gradient", of_gradient);
  return 0;
}

static PetscErrorCode describe(HgTrajectory t, HgState x, char text[LAYOUT_TEXT]) {
  HgState dx, h, again, gradient;
  double dJ, dJ_again;
  char digest[3][17];
  PetscCall(HgStateDuplicate(x, &dx));
  PetscCall(HgStateDuplicate(x, &h));
  PetscCall(HgStateDuplicate(x, &again));
  PetscCall(HgStateDuplicate(x, &gradient));
  PetscCall(HgStateRandom(dx, 7));
  PetscCall(HgStateScale(dx, 1e-2));
  PetscCall(HgTrajectoryHessians(t, x, 1, &dx, &dJ, gradient, &h));
  PetscCall(HgTrajectoryHessians(t, x, 1, &dx, &dJ_again, NULL, &again));
  PetscCall(HgStateDigest(h, NULL, digest[0]));
  PetscCall(HgStateDigest(again, NULL, digest[1]));
  PetscCall(HgStateDigest(gradient, NULL, digest[2]));
  claim_that(!strcmp(digest[0], digest[1]) && dJ == dJ_again,
             "with the gradient wanted %s, without %s", digest[0], digest[1]);
  snprintf(text, LAYOUT_TEXT, "dJ %a H dx %s gradient %s", dJ, digest[0], digest[2]);
  PetscCall(claim_cost(t, x, again));
  PetscCall(HgStatesDestroy(&dx, &h, &again, &gradient));
  return 0;
}

static PetscErrorCode run(MPI_Comm comm, Layout layout, long physics, char text[LAYOUT_TEXT]) {
  return ways_agree(comm, layout, ways, WAYS, STEPS, physics, describe, text);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("Hessians have the same bits on every decomposition, schedule and store", 0);
  for (int physics = 0; physics < WAY_PHYSICS && !ierr; physics++)
    ierr = expect_same_on_layouts("Hessian", run, physics);
  return claim_end(ierr);
}
