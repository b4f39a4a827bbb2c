/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a physics that is compiled while the program runs is the one that the build makes of the
   same text: its names, its numbers, and the bits of a gradient through it; from the cache, too. */
#include "burgers.h"
#include "claim.h"
#include <halograd/file_library.h>
#include <halograd/physics_compile.h>
#include <halograd/problem.h>
#include <math.h>

enum { STEPS = 12 };

static double gust(double x, double y, void *context) {
  (void)context;
  return sin(6 * x) - cos(9 * y);
}

static PetscErrorCode gradient(const HgPhysics *physics, double *J, char digest[17]) {
  const HgMeshSpec square = {
      .nx = 40, .ny = 23, .dx = 0.025, .dy = 0.025, .periodic_x = true, .periodic_y = true};
  HgMesh mesh;
  HgProgram program;
  HgState x, x_bar, rest;
  HgObjective misfit;
  HgStore store;
  HgTrajectory trajectory;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &square, &mesh));
  PetscCall(HgProgramCreatePhysics(mesh, physics, NULL, 1e-3, &program));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramCreateInput(program, &x));
  PetscCall(HgStateSetField(x, "u", gust, NULL));
  PetscCall(HgStateSetConstant(x, "nu", 1e-3));
  PetscCall(HgStateDuplicate(x, &x_bar));
  PetscCall(HgProgramCreateCarried(program, &rest));
  PetscCall(HgObjectiveCreate(program, STEPS, &misfit));
  PetscCall(HgObjectiveAddSnapshot(misfit, "u", STEPS, rest, 1));
  PetscCall(HgStoreCreate(rest, 4, 0, NULL, &store));
  PetscCall(HgTrajectoryCreate(program, STEPS, misfit, store, &trajectory));
  PetscCall(HgTrajectoryGradient(trajectory, x, 1, J, x_bar));
  PetscCall(HgStateDigest(x_bar, NULL, digest));
  return DESTROY(&trajectory, &store, &misfit, &rest, &x_bar, &x, &program, &mesh);
}

static PetscErrorCode run(void) {
  const HgPhysics *made, *again;
  char *text, built_digest[17], made_digest[17];
  size_t size;
  double built_J, made_J;
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, BURGERS_TEXT, 1 << 20, &text, &size));
  PetscCall(HgPhysicsCompile(PETSC_COMM_WORLD, text, &made));
  PetscCall(HgPhysicsCompile(PETSC_COMM_WORLD, text, &again));
  claim_that(made == again, "the same text gives another physics");
  claim_that(made != &burgers_physics, "it is the one of the build");
  claim_that(!strcmp(made->name, "burgers"), "it is called '%s'", made->name);
  PetscCall(gradient(&burgers_physics, &built_J, built_digest));
  PetscCall(gradient(made, &made_J, made_digest));
  claim_same(made_J, built_J, "J");
  claim_that(!strcmp(made_digest, built_digest), "digest %s, expected %s", made_digest,
             built_digest);
  PetscCall(PetscFree(text));
  return 0;
}

CLAIM("a compiled physics has the bits of the build", 0, run)
