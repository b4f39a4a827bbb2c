/* SPDX-License-Identifier: BSD-2-Clause */
/* Each of many directions has the bits that it has alone, whatever their number, decomposition,
   schedule and how steps are reversed; a mix-up of two is seen, nonsense refused. */
#include "direction_claims.h"
#include "draws.h"
#include "hessian_ways.h"
#include "refusal.h"

enum { STEPS = 13 };

static const Way ways[] = {{STEPS, 1, false, "single", "8"},
                           {3, 3, true, "cheaper", "32"},
                           {STEPS, 3, false, "stored", "3"},
                           {2, 3, false, "start", "2"}};

enum { WAYS = sizeof ways / sizeof *ways };

/* Results of two directions in each other's places are noticed. */
static PetscErrorCode claim_mix_up(Directions *d) {
  HgState mixed[] = {d->dx[1], d->dx[0], d->dx[2]};
  double dJ[3];
  int first;
  for (int v = 0; v < 3; v++) PetscCall(HgStateZero(d->h[v]));
  PetscCall(HgTrajectoryHessians(d->trajectory, d->x, 3, mixed, dJ, NULL, d->h));
  PetscCall(directions_differ(d, 3, dJ, &first));
  claim_that(first == 0, "two directions mixed up: the first that differs is %d, expected 0",
             first);
  return 0;
}

static PetscErrorCode describe(HgTrajectory t, HgState x, char text[LAYOUT_TEXT]) {
  static const int counts[] = {1, 2, 3, 8, DIRECTIONS};
  Directions d;
  PetscCall(directions_create(t, x, 1e-2, 7, &d));
  for (size_t k = 0; k<sizeof counts / sizeof *counts; k += claim.ranks> 1 || SANITIZED ? 2 : 1)
    PetscCall(claim_directions("sweep", &d, counts[k], k % 2));
  PetscCall(claim_mix_up(&d));
  snprintf(text, LAYOUT_TEXT, "dJ %a and %a H dx %s and %s", d.dJ[0], d.dJ[1], d.alone[0],
           d.alone[1]);
  return directions_destroy(&d);
}

static PetscErrorCode run(MPI_Comm comm, Layout layout, long physics, char text[LAYOUT_TEXT]) {
  return ways_agree(comm, layout, ways, WAYS, STEPS, physics, describe, text);
}

static PetscErrorCode refuse(void) {
  static const char *const nonsense[] = {"0", "-1", "33", "2.5", "many", "4 "};
  const HeatSpec spec = {.nx = 12, .ny = 9, .steps = 3, .slots = 3};
  HeatCase c;
  HgTrajectory other;
  double J, dJ;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  REFUSED(HgTrajectoryTangents(c.trajectory, c.x, 0, &c.x, &J, &dJ),
          "0 directions given, expected at least 1");
  REFUSED(HgTrajectoryHessians(c.trajectory, c.x, -2, &c.x, &dJ, NULL, &c.x),
          "-2 directions given, expected at least 1");
  for (size_t k = 0; k < sizeof nonsense / sizeof *nonsense; k++) {
    PetscCall(PetscOptionsSetValue(NULL, "-hg_directions", nonsense[k]));
    REFUSED(HgTrajectoryCreate(c.program, 3, c.objective, c.store, &other),
            "option -hg_directions (", "expected a whole number from 1 to 32", nonsense[k]);
  }
  PetscCall(PetscOptionsClearValue(NULL, "-hg_directions"));
  return heat_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("each of many directions has the bits that it has alone", 0);
  for (int physics = 0; physics < WAY_PHYSICS && !ierr; physics++)
    ierr = expect_same_on_layouts("directions", run, physics);
  if (!ierr) ierr = refuse();
  return claim_end(ierr);
}
