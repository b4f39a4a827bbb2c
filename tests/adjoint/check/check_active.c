/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the check of a step, trajectory, chain or sum is that of the run's own plan: it passes
   where constants are inactive, finds an adjoint that is wrong only then, one that does not set a
   fresh cotangent, and a control that is inactive; a run with other active constants than were
   checked is refused. */
#include "caught.h"
#include "claim.h"
#include "refusal.h"
#include <halograd/check_library.h>
#include <halograd/control.h>
#include <halograd/heat.h>
#include <halograd/operator_library.h>
#include <halograd/run_library.h>

typedef enum { RIGHT, WRONG_WITHOUT_F, FRESH_IGNORED, RADIUS_LIE } Fault;

static Fault fault;

/* The right one, but without the cotangent of f that of u is wrong; or it adds where it is to set.
   */
static void spoilt(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                   const HgRowsOut x_bar[]) {
  HgBox adds = *b;
  adds.fresh = 0;
  hg_heat_forced.adjoint(fault == FRESH_IGNORED ? &adds : b, params, x, y_bar, x_bar);
  for (int j = b->j0; fault == WRONG_WITHOUT_F && x_bar[0] && !x_bar[2] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[0][j][i] += 0.01 * y_bar[0][j][i];
}

/* What heat_forced reads, but for the radius of u. */
static const HgRead narrow[] = {
    {"u", 0, 1}, {"kappa", 0, 1}, {"f", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}};

typedef struct {
  HgMesh mesh;
  HgHeatParams params;
  HgStencil stencil;
  HgProgram program;
  HgState x, m;
  HgOperator step, chain, sum, control, of_f;
} Case;

static double hill(double x, double y, void *context) {
  (void)context;
  return 1 + x * (1 - x) * y + 0.3 * y * y;
}

static PetscErrorCode create(Fault which, Case *c) {
  const HgMeshSpec spec = {.nx = 17, .ny = 13, .dx = 1.0 / 17, .dy = 1.0 / 13, .ghost = 2};
  fault = which;
  *c = (Case){.stencil = hg_heat_forced, .params = {.decay = 1}};
  c->stencil.adjoint = spoilt;
  if (which == RADIUS_LIE) c->stencil.reads = narrow;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c->mesh));
  PetscCall(HgProgramCreate(c->mesh, "heat", 4e-4, &c->program));
  PetscCall(HgProgramAddStencil(c->program, &c->stencil, &c->params));
  PetscCall(HgProgramSetBoundary(c->program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(c->program));
  PetscCall(HgProgramCreateInput(c->program, &c->x));
  for (int k = 0; k < 3; k++)
    PetscCall(HgStateSetField(c->x, (const char *[]){"u", "kappa", "f"}[k], hill, NULL));
  PetscCall(HgProgramOperator(c->program, 1, &c->step));
  PetscCall(HgOperatorChain("chain", 1, &c->step, &c->chain));
  PetscCall(HgOperatorSum("sum", 2, (HgOperator[]){c->step, c->chain}, &c->sum));
  PetscCall(HgControlCreate(c->x, 1, &(HgControl){"f", NULL}, &c->control));
  PetscCall(HgOperatorCreateInput(c->control, &c->m));
  return HgOperatorChain("of f", 2, (HgOperator[]){c->control, c->step}, &c->of_f);
}

static PetscErrorCode destroy(Case *c) {
  return DESTROY(&c->of_f, &c->control, &c->sum, &c->chain, &c->step, &c->m, &c->x, &c->program,
                 &c->mesh);
}

static PetscErrorCode expect(HgOperator op, HgState x, bool expected, const char what[]) {
  const HgCheckOptions options = {.seed = 5, .quiet = true};
  bool passed;
  PetscCall(HgCheckOperator(op, x, &options, &passed));
  claim_that(passed == expected, "%s: %s passes %d, expected %d", what, HgOperatorName(op), passed,
             expected);
  return 0;
}

static PetscErrorCode expect_all(Fault which, bool active, bool expected, const char what[]) {
  Case c;
  PetscCall(create(which, &c));
  PetscCall(HgProgramSetActive(c.program, "f", active));
  PetscCall(expect(c.step, c.x, expected, what));
  PetscCall(expect(c.chain, c.x, expected, what));
  PetscCall(expect(c.sum, c.x, expected, what));
  if (which == RIGHT) PetscCall(expect(c.of_f, c.m, active, "f as a control"));
  return destroy(&c);
}

/* The check of a program names stencil and variable, whatever is active: all selections of
   cotangents are tried; `named` NULL: it passes. */
static PetscErrorCode expect_program(Fault which, const char named[]) {
  const HgCheckOptions options = {.seed = 5};
  char text[4096];
  bool passed;
  const int rank = claim.rank;
  Case c;
  PetscCall(create(which, &c));
  FILE *const usual = caught_begin();
  PetscCall(HgCheckProgram(c.program, 2, c.x, &options, &passed));
  caught_end(usual, text, sizeof text);
  claim_that(passed == !named, "the program passes %d, expected %d: %s", passed, !named, text);
  claim_that(rank || strstr(text, named ? named : "check stencil heat_forced: "),
             "expected '%s' to be named: %s", named ? named : "heat_forced", text);
  return destroy(&c);
}

static PetscErrorCode expect_refused(void) {
  HgIterate last;
  const char *reason;
  char text[4096];
  bool passed = true;
  HgRun run;
  Case c;
  PetscCall(create(RIGHT, &c));
  PetscCall(HgRunCreate("run", "checks one plan, runs another", &run));
  FILE *const usual = caught_begin();
  PetscCall(HgRunCheckProgram(run, c.program, c.x, 5, &passed));
  caught_end(usual, text, sizeof text);
  claim_that(passed, "the program passes its check");
  PetscCall(HgProgramSetActive(c.program, "f", false));
  REFUSED(HgRunInvert(run, NULL, NULL, c.m, &last, &reason), "run 'run'", "program 'heat'",
          "HgProgramSetActive before HgRunCheckProgram");
  PetscCall(HgRunDestroy(&run));
  return destroy(&c);
}

static PetscErrorCode test(void) {
  PetscCall(expect_all(RIGHT, true, true, "all active"));
  PetscCall(expect_all(RIGHT, false, true, "f inactive"));
  PetscCall(expect_all(WRONG_WITHOUT_F, true, true, "wrong without f_bar, which is there"));
  PetscCall(expect_all(WRONG_WITHOUT_F, false, false, "wrong without f_bar"));
  PetscCall(expect_all(FRESH_IGNORED, false, false, "says `sets`, but adds to what was there"));
  PetscCall(expect_program(RIGHT, NULL));
  PetscCall(expect_program(WRONG_WITHOUT_F, "stencil 'heat_forced': adjoint: the cotangent of 'u' "
                                            "depends on which others are wanted"));
  PetscCall(expect_program(FRESH_IGNORED, "stencil 'heat_forced': adjoint: the cotangent of 'u' is "
                                          "not as if it had been 0"));
  PetscCall(expect_program(RADIUS_LIE, "stencil 'heat_forced': apply reads 'u' at a distance of 1, "
                                       "but declares the radius 0"));
  return expect_refused();
}

CLAIM("what is checked is the run's own plan", 5, test)
