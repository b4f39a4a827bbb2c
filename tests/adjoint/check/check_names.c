/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: of a step, trajectory or chain that fails a check, the stencil whose adjoint is wrong is
   named and no other, for each stencil of shallow water; where all parts are right, that is
   said. */
#include "caught.h"
#include "claim.h"
#include "shallow_case.h"
#include "wrong_adjoint.h"
#include <halograd/operator_library.h>

/* Whose adjoint is spoilt. */
static const HgStencil *right;
static HgStencil wrong;
static long first; /* the step from which on it is */

static void spoilt(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                   const HgRowsOut x_bar[]) {
  right->adjoint(b, params, x, y_bar, x_bar);
  if (b->step < first) return;
  for (int k = 0; right->reads[k].name; k++) {
    if (!x_bar[k]) continue;
    for (int j = b->j0; j < b->j1; j++)
      for (int i = b->i0; i < b->i1; i++) x_bar[k][j][i] += 0.1 * y_bar[0][j][i];
    return;
  }
}

/* Whole lines of what the check of `op` prints, on every rank. */
static PetscErrorCode printed(HgOperator op, HgState x, char text[], int size) {
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-11};
  FILE *const usual = caught_begin();
  bool passed;
  PetscCall(HgCheckOperator(op, x, &options, &passed));
  caught_end(usual, text, (size_t)size);
  PetscCallMPI(MPI_Bcast(text, size, MPI_CHAR, 0, PETSC_COMM_WORLD));
  claim_that(passed == !strstr(text, "FAILED"), "passed is %d: %s", passed, text);
  return 0;
}

static PetscErrorCode expect_named(const HgPhysics *physics, bool published,
                                   const HgStencil *culprit) {
  const HgStencil *step[16] = {NULL};
  HgPhysics spoilt_physics = *physics;
  const ShallowSpec spec = {
      .nx = 16, .ny = 13, .steps = 5, .periodic_x = true, .published = published, .slots = 5};
  ShallowCase c, d;
  HgOperator chain;
  char text[4096], name[64];
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  /* the same in a program of the spoilt stencil */
  right = culprit;
  if (culprit) wrong = *culprit, wrong.adjoint = spoilt;
  d = c;
  for (int k = 0; physics->stencils[k]; k++)
    step[k] = physics->stencils[k] == culprit ? &wrong : physics->stencils[k];
  spoilt_physics.name = "sea", spoilt_physics.stencils = step;
  PetscCall(HgProgramCreatePhysics(c.mesh, &spoilt_physics, &c.params, HgProgramTimeStep(c.program),
                                   &d.program));
  PetscCall(reflect(d.program));
  PetscCall(HgProgramSetUp(d.program));
  PetscCall(shallow_objective(&d, &spec));
  PetscCall(HgTrajectoryCreate(d.program, spec.steps, d.objective, c.store, &d.trajectory));
  PetscCall(HgTrajectoryOperator(d.trajectory, &d.op));
  PetscCall(HgOperatorChain("J", 1, &d.op, &chain));
  PetscCall(printed(chain, c.x, text, sizeof text));
  snprintf(name, sizeof name, "check %s step: ", culprit ? culprit->name : "");
  if (first) snprintf(name, sizeof name, "check sea trajectory: the one step that was looked at ");
  const int lines = first ? 3 : culprit ? 4 : 1;
  claim_that(lines_of(text) == lines && (!culprit || strstr(text, name)),
             "adjoint of %s: expected it to be named and no other: %s",
             culprit ? culprit->name : "nothing", text);
  PetscCall(DESTROY(&chain, &d.op, &d.trajectory, &d.objective, &d.data, &d.program));
  return shallow_destroy(&c);
}

/* ---- all parts right, the whole wrong: an adjoint that forgets to call its part's ---- */
static PetscErrorCode whole_part(void *self, HgState x, int k, HgOperator *part, HgState *at) {
  *part = NULL, *at = NULL;
  if (k > 0) return 0;
  PetscCall(HgStateDuplicate(x, at));
  *part = self;
  return HgStateCopy(x, *at);
}

static PetscErrorCode expect_composition_blamed(void) {
  const ShallowSpec spec = {.nx = 16, .ny = 13, .steps = 1, .slots = 1};
  ShallowCase c;
  HgOperator step, whole;
  HgState y;
  char text[4096];
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgProgramOperator(c.program, 1, &step));
  PetscCall(HgOperatorCreateOutput(step, &y));
  PetscCall(HgOperatorCreate("whole", c.x, y, &forgetful, step, &whole));
  HgOperatorSetParts(whole, whole_part);
  PetscCall(printed(whole, c.x, text, sizeof text));
  claim_that(lines_of(text) == 2 && strstr(text, "check whole: all of its parts pass"),
             "a composition that is wrong is blamed: %s", text);
  PetscCall(DESTROY(&y, &whole, &step));
  return shallow_destroy(&c);
}

static PetscErrorCode test(void) {
  for (int published = 0; published < 2; published++) {
    const HgPhysics *const physics =
        published ? &shallow_published_physics : &hg_shallow_water_physics;
    PetscCall(expect_named(physics, published, NULL));
    for (int k = 0; physics->stencils[k]; k++)
      PetscCall(expect_named(physics, published, physics->stencils[k]));
  }
  first = 3; /* the third step is right */
  PetscCall(expect_named(&hg_shallow_water_physics, false, hg_shallow_water_physics.stencils[0]));
  return expect_composition_blamed();
}

CLAIM("the check of a composite names the stencil that is wrong", 3, test)
