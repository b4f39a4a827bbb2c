/* SPDX-License-Identifier: BSD-2-Clause */
/* Each of many directions has the bits that it has alone, in random programs: variables of any role
   behind walls of any kind, some constants that are no controls. */
#include "direction_claims.h"
#include "draws.h"
#include "toy_programs.h"
#include "trajectory_case.h"

enum { DRAWS = DRAWS_OF(12), STEPS = 4 }; /* a third of the draws on several ranks */

static PetscErrorCode test(uint64_t seed) {
  static const char *const most[] = {"1", "3", "5", "8"};
  Dice dice = {seed + 100, 0};
  Draw *d;
  TrajectoryCase c;
  Directions directions;
  char what[32];
  PetscCall(PetscNew(&d));
  roll_program(&dice, d);
  if (seed % 2) roll_closed(&dice, d);
  snprintf(what, sizeof what, "draw %d", (int)seed);
  PetscCall(PetscOptionsSetValue(NULL, "-hg_directions", most[seed % 4]));
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &d->mesh, &c.mesh));
  PetscCall(drawn_program(d, c.mesh, &c.program));
  PetscCall(trajectory_case_begin(STEPS, 1 + (int)seed % STEPS, &c));
  PetscCall(fill_drawn(c.x, seed));
  PetscCall(HgStateScale(c.x, 0.7));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "a", 2, c.data, 1));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "a", STEPS, c.data, 2));
  PetscCall(trajectory_case_end(&c));
  PetscCall(directions_create(c.trajectory, c.x, 0.02, seed, &directions));
  PetscCall(claim_directions(what, &directions, 1 + (int)seed % DIRECTIONS, seed % 2));
  PetscCall(claim_directions(what, &directions, DIRECTIONS, !(seed % 2)));
  PetscCall(directions_destroy(&directions));
  PetscCall(trajectory_case_destroy(&c));
  PetscCall(PetscOptionsClearValue(NULL, "-hg_directions"));
  return PetscFree(d);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("each of many directions of a random program has the bits that it has alone", 0);
  const uint64_t draws = claim.ranks > 1 ? (DRAWS + 2) / 3 : DRAWS;
  for (uint64_t seed = 1; seed <= draws && !ierr; seed++) ierr = test(seed);
  return claim_end(ierr);
}
