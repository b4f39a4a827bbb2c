/* SPDX-License-Identifier: BSD-2-Clause */
/* The doctor finds nothing wrong with sound gradients of random programs: toy stencils behind walls
   of any kind, on thin and thick grids, with variables on faces and corners, closed on some sides.
   -first and -programs: which seeds. */
#include "claim.h"
#include "toy_programs.h"
#include "trajectory_case.h"
#include <halograd/doctor_library.h>

enum { STEPS = 5, SLOTS = 2 };

static PetscErrorCode create(const Draw *d, TrajectoryCase *c) {
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &d->mesh, &c->mesh));
  PetscCall(drawn_program(d, c->mesh, &c->program));
  PetscCall(trajectory_case_begin(STEPS, SLOTS, c));
  PetscCall(fill_drawn(c->x, 13));
  PetscCall(HgStateScale(c->x, 0.1)); /* toys multiply */
  for (int k = 0; k < HgStateCount(c->data); k++)
    for (int n = 2; n <= STEPS; n += 3)
      PetscCall(HgObjectiveAddSnapshot(c->objective, HgStateVariable(c->data, k)->name, n, c->data,
                                       0.5 + k));
  return trajectory_case_end(c);
}

static PetscErrorCode test(uint64_t seed) {
  Dice dice = {seed, 0};
  Draw draw;
  TrajectoryCase c;
  HgFindings r;
  HgOperator J;
  char text[1024] = "";
  claim.seed = seed;
  roll_program(&dice, &draw);
  if (roll(&dice, 2)) roll_closed(&dice, &draw);
  PetscCall(create(&draw, &c));
  PetscCall(HgTrajectoryOperator(c.trajectory, &J));
  PetscCall(HgExamineGradient(J, c.x, NULL, &r));
  if (r.findings) HgFindingText(&r.finding[0], sizeof text, text);
  claim_that(!r.findings, "found: %s", text);
  PetscCall(HgOperatorDestroy(&J));
  return trajectory_case_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  PetscInt first = 1, programs = 8;
  claim_begin("the doctor finds nothing wrong with sound random programs", 0);
  if (!ierr) ierr = PetscOptionsGetInt(NULL, NULL, "-first", &first, NULL);
  if (!ierr) ierr = PetscOptionsGetInt(NULL, NULL, "-programs", &programs, NULL);
  for (PetscInt k = 0; k < programs && !ierr; k++) ierr = test((uint64_t)(first + k));
  return claim_end(ierr);
}
