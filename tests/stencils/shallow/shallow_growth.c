/* SPDX-License-Identifier: BSD-2-Clause */
/* At the largest stable step no small disturbance of water at rest grows; 2 % beyond it one
   does. */
#include "claim.h"
#include "shallow_case.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>

/* |disturbance| after 20 000 steps over that at the start; all waves of the grid are in it. */
static PetscErrorCode growth(double factor, double epsilon, uint64_t seed, double *ratio) {
  const double dx = 0.3, dy = 0.2, depth = 2, g = 3, small = 1e-9;
  const HgMeshSpec spec = {
      .nx = 12, .ny = 10, .dx = dx, .dy = dy, .periodic_x = true, .periodic_y = true, .ghost = 1};
  const double dt = factor * HgShallowWaterLargestStep(g, epsilon, depth, 0, dx, dy);
  const HgShallowWaterParams params = {.gravity = g, .scheme.epsilon = epsilon};
  HgMesh mesh;
  HgProgram program;
  HgState q, next, constants, rest;
  double before, after;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(shallow_program(mesh, &(ShallowSpec){0}, dt, &params, &program));
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateCarried(program, &next));
  PetscCall(HgProgramCreateCarried(program, &rest));
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(HgStateSetConstant(rest, "h", depth));
  PetscCall(HgStateRandom(q, seed));
  PetscCall(HgStateDot(q, q, &before));
  PetscCall(HgStateScale(q, small));
  PetscCall(HgStateAXPY(q, 1, rest));
  for (long step = 1; step <= 20000; step++) {
    PetscCall(HgProgramStep(program, step, constants, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateAXPY(q, -1, rest));
  PetscCall(HgStateDot(q, q, &after));
  *ratio = sqrt(after / before) / small;
  return DESTROY(&q, &next, &rest, &constants, &program, &mesh);
}

static PetscErrorCode test(void) {
  static const double epsilons[] = {0.05, 0.1, 0.2};
  for (int k = 0; k < 3; k++) {
    double at, beyond;
    PetscCall(growth(1, epsilons[k], 5 + (uint64_t)k, &at));
    PetscCall(growth(1.02, epsilons[k], 5 + (uint64_t)k, &beyond));
    claim_at_most(at, 10, "epsilon %g, at the limit: growth", epsilons[k]);
    claim_that(!(beyond < 1000), "epsilon %g, 2 %% beyond it: growth %g, expected 1000 or more",
               epsilons[k], beyond);
  }
  return 0;
}

CLAIM("the largest stable step of shallow water is the largest", 0, test)
