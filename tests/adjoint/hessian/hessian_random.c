/* SPDX-License-Identifier: BSD-2-Clause */
/* The Hessian of random programs, with variables of any role behind walls of any kind, some constants
   of which are no controls, is symmetric and the limit of differences of gradients; each of many
   directions has the bits that it has alone, of Gauss-Newton's, too; a stencil without `second` is
   refused by name, unless its adjoint reads none of what moves, or Gauss-Newton is asked for. */
#include "direction_claims.h"
#include "draws.h"
#include "hessian_claims.h"
#include "refusal.h"
#include "toy_programs.h"
#include "trajectory_case.h"

enum { DRAWS = DRAWS_OF(24), MANY = DRAWS_OF(12) }; /* a third of them on several ranks */

static PetscErrorCode draw(uint64_t seed, bool closed, Draw **d) {
  Dice dice = {seed, 0};
  PetscCall(PetscNew(d));
  roll_program(&dice, *d);
  if (closed) roll_closed(&dice, *d);
  return 0;
}

static PetscErrorCode create(const Draw *d, uint64_t seed, int steps, TrajectoryCase *c) {
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &d->mesh, &c->mesh));
  PetscCall(drawn_program(d, c->mesh, &c->program));
  PetscCall(trajectory_case_begin(steps, 1 + (int)seed % steps, c));
  PetscCall(fill_drawn(c->x, seed));
  PetscCall(HgStateScale(c->x, 0.7));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "a", 2, c->data, 1));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "a", steps, c->data, 2));
  return trajectory_case_end(c);
}

static PetscErrorCode test(uint64_t seed) {
  Draw *d;
  TrajectoryCase c;
  char what[32];
  PetscCall(draw(seed, seed % 2, &d));
  snprintf(what, sizeof what, "draw %d", (int)seed);
  PetscCall(create(d, seed, 5, &c));
  PetscCall(claim_second_order(what, c.trajectory, c.x, 0.02, 1e-13, seed));
  PetscCall(trajectory_case_destroy(&c));
  return PetscFree(d);
}

static PetscErrorCode test_directions(uint64_t seed) {
  static const char *const most[] = {"1", "3", "5", "8"};
  Draw *d;
  TrajectoryCase c;
  Directions directions;
  char what[32];
  PetscCall(draw(seed + 100, seed % 2, &d));
  snprintf(what, sizeof what, "draw %d", (int)seed);
  PetscCall(PetscOptionsSetValue(NULL, "-hg_directions", most[seed % 4]));
  PetscCall(create(d, seed, 4, &c));
  HgObjectiveSetGaussNewton(c.objective, seed % 3 == 0);
  PetscCall(directions_create(c.trajectory, c.x, 0.02, seed, &directions));
  PetscCall(claim_directions(what, &directions, 1 + (int)seed % DIRECTIONS, seed % 2));
  PetscCall(claim_directions(what, &directions, DIRECTIONS, !(seed % 2)));
  PetscCall(directions_destroy(&directions));
  PetscCall(trajectory_case_destroy(&c));
  PetscCall(PetscOptionsClearValue(NULL, "-hg_directions"));
  return PetscFree(d);
}

/* J^T J x of the first draw, its first stencil with `second` or not. */
static PetscErrorCode multiply(bool second, char digest[17]) {
  Draw *d;
  TrajectoryCase c;
  HgState h;
  double dJ;
  PetscCall(draw(1, false, &d));
  if (!second) d->toy[0].stencil.second = NULL, d->toy[0].stencil.name = "once";
  PetscCall(create(d, 1, 5, &c));
  PetscCall(HgStateDuplicate(c.x, &h));
  if (!second)
    REFUSED(HgTrajectoryHessians(c.trajectory, c.x, 1, &c.x, &dJ, NULL, &h), "stencil 'once'",
            "no kernel `second`");
  HgObjectiveSetGaussNewton(c.objective, true);
  PetscCall(HgTrajectoryHessians(c.trajectory, c.x, 1, &c.x, &dJ, NULL, &h));
  PetscCall(HgStateDigest(h, NULL, digest));
  PetscCall(HgStateDestroy(&h));
  PetscCall(trajectory_case_destroy(&c));
  return PetscFree(d);
}

static PetscErrorCode refuse(void) {
  Digest with, without;
  PetscCall(multiply(true, with));
  PetscCall(multiply(false, without));
  claim_that(!strcmp(with, without), "J^T J x is %s with `second`, %s without", with, without);
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("Hessians of random programs are symmetric and right, directions alone or many", 0);
  const uint64_t part = claim.ranks > 1 ? 3 : 1;
  for (uint64_t seed = 1; seed <= (DRAWS + part - 1) / part && !ierr; seed++) ierr = test(seed);
  for (uint64_t seed = 1; seed <= (MANY + part - 1) / part && !ierr; seed++)
    ierr = test_directions(seed);
  if (!ierr) ierr = refuse();
  return claim_end(ierr);
}
