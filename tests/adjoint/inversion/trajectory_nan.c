/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: when J or the state becomes infinite or NaN, the first step after which a state is not
   finite is named, with variable, cell and value, whatever the schedule, at the first guess of an
   inversion, too. */
#include "claim.h"
#include "refusal.h"
#include "trajectory_case.h"
#include <halograd/inversion.h>
#include <halograd/trajectory_library.h>
#include <math.h>

enum { NX = 23, NY = 31, STEPS = 12, BAD_I = 17, BAD_J = 11 };

/* What goes wrong: in step `step` (-1: none), where cell (BAD_I, BAD_J) becomes `value`. */
typedef struct {
  long step;
  double value;
} Fault;

/* Not params, of which a program keeps a copy: the fault changes between runs. */
static Fault fault;

/* u_next = u + k (u_east - 2 u + u_west) */
static void apply(const HgBox *b, const void *unused, const HgRows x[], const HgRowsOut y[]) {
  const Fault *f = &fault;
  (void)unused;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const bool bad = b->i_global + i == BAD_I && b->j_global + j == BAD_J;
      y[0][j][i] = x[0][j][i] + x[1][j][i] * (x[0][j][i + 1] - 2 * x[0][j][i] + x[0][j][i - 1]);
      if (bad && b->step == f->step) y[0][j][i] = f->value;
    }
}

static void tangent(const HgBox *b, const void *unused, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)unused;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      dy[0][j][i] = dx[0][j][i] + dx[1][j][i] * (x[0][j][i + 1] - 2 * x[0][j][i] + x[0][j][i - 1]) +
                    x[1][j][i] * (dx[0][j][i + 1] - 2 * dx[0][j][i] + dx[0][j][i - 1]);
}

static void adjoint(const HgBox *b, const void *unused, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)unused;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      if (x_bar[0])
        x_bar[0][j][i] += y_bar[0][j][i] - 2 * x[1][j][i] * y_bar[0][j][i] +
                          x[1][j][i - 1] * y_bar[0][j][i - 1] + x[1][j][i + 1] * y_bar[0][j][i + 1];
      if (x_bar[1])
        x_bar[1][j][i] += y_bar[0][j][i] * (x[0][j][i + 1] - 2 * x[0][j][i] + x[0][j][i - 1]);
    }
}

static const HgStencil stencil = {.name = "fault",
                                  .reads = (const HgRead[]){{"u", 1, 1}, {"k", 0, 1}, {NULL, 0, 0}},
                                  .writes = (const char *const[]){"u", NULL},
                                  .apply = apply,
                                  .tangent = tangent,
                                  .adjoint = adjoint};

/* J looks at u after `seen` steps of `steps`; no store if there are no slots. */
static PetscErrorCode create(long steps, long seen, double sigma, int slots, TrajectoryCase *c) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 0.5, .dy = 0.25, .ghost = 3};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c->mesh));
  PetscCall(HgProgramCreate(c->mesh, "faulty", 0.5, &c->program));
  PetscCall(HgProgramAddStencil(c->program, &stencil, NULL));
  PetscCall(HgProgramSetBoundary(c->program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(trajectory_case_begin(steps, slots, c));
  PetscCall(HgStateRandom(c->x, 1));
  PetscCall(HgStateSetConstant(c->x, "k", 0.2));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "u", seen, c->data, sigma));
  return trajectory_case_end(c);
}

static PetscErrorCode gradient(TrajectoryCase *c, const char step[], const char value[]) {
  HgState x_bar;
  double J;
  PetscCall(HgProgramCreateInput(c->program, &x_bar));
  PetscCall(HgTrajectoryGradient(c->trajectory, c->x, 1, &J, x_bar));
  claim_that(!isfinite(J), "J is %g, expected not finite", J);
  REFUSED(HgTrajectoryRequireFinite(c->trajectory, J), step, value, "in cell (17, 11)",
          "expected a finite number");
  return HgStateDestroy(&x_bar);
}

/* The sentences of an adjoint and of an inversion, which have a gradient only. */
static PetscErrorCode first_guess(TrajectoryCase *c, const char step[], const char value[]) {
  HgOperator op;
  HgInversion inversion;
  HgIterate last;
  HgState J_bar, x_bar;
  const char *reason;
  PetscCall(HgTrajectoryOperator(c->trajectory, &op));
  PetscCall(HgOperatorCreateOutput(op, &J_bar));
  PetscCall(HgOperatorCreateInput(op, &x_bar));
  HgStateArray(J_bar, 0)[0] = 1;
  REFUSED(HgOperatorTranspose(op, c->x, J_bar, x_bar), step, value, "in cell (17, 11)");
  PetscCall(HgStatesDestroy(&J_bar, &x_bar));
  PetscCall(HgInversionCreate(op, &inversion));
  REFUSED(HgInversionSolve(inversion, c->x, &last, &reason), step, value, "in cell (17, 11)");
  return DESTROY(&inversion, &op);
}

static PetscErrorCode in_step(long step, double value, int slots, const char said[],
                              const char as[]) {
  TrajectoryCase c;
  HgState dx;
  double J, dJ;
  PetscCall(create(STEPS, STEPS, 1, slots, &c));
  fault = (Fault){step, value};
  REFUSED(HgTrajectoryValue(c.trajectory, c.x, &J), said, as, "in cell (17, 11) at (8.5, 2.75) m",
          "'faulty'", "after 12 steps");
  PetscCall(HgStateDuplicate(c.x, &dx));
  REFUSED(HgTrajectoryTangent(c.trajectory, c.x, dx, &J, &dJ), said, as, "in cell (17, 11)");
  PetscCall(HgStateDestroy(&dx));
  if (slots) PetscCall(gradient(&c, said, as));
  if (slots) PetscCall(first_guess(&c, said, as));
  fault.step = -1;
  PetscCall(HgTrajectoryValue(c.trajectory, c.x, &J)); /* it serves on */
  return trajectory_case_destroy(&c);
}

static PetscErrorCode elsewhere(void) {
  TrajectoryCase c;
  double J;
  fault = (Fault){-1, 0};
  /* in the input */
  PetscCall(create(STEPS, STEPS, 1, 2, &c));
  HgStateRows(c.x, HgStateFind(c.x, "k"))[0][0] = NAN; /* on every rank: the first cell counts */
  REFUSED(HgTrajectoryValue(c.trajectory, c.x, &J), "'k' is nan in cell (0, 0)",
          "in what the run starts from");
  PetscCall(trajectory_case_destroy(&c));
  /* in the misfit */
  PetscCall(create(STEPS, STEPS, 1e-300, 2, &c));
  REFUSED(HgTrajectoryValue(c.trajectory, c.x, &J), "J is nan after 12 steps",
          "all states are finite");
  PetscCall(trajectory_case_destroy(&c));
  /* where J does not look */
  fault = (Fault){7, NAN};
  PetscCall(create(STEPS, 3, 1, 2, &c));
  REFUSED(HgTrajectoryValue(c.trajectory, c.x, &J), "expected a finite state, too",
          "'u' is nan in cell (17, 11)", "after step 8, at t = 4 s, and nothing before");
  PetscCall(trajectory_case_destroy(&c));
  /* a single step, before which nothing is stored */
  fault = (Fault){0, NAN};
  PetscCall(create(1, 1, 1, 1, &c));
  PetscCall(gradient(&c, "after step 1,", "is nan"));
  return trajectory_case_destroy(&c);
}

static PetscErrorCode test(void) {
  for (int slots = 0; slots <= STEPS; slots += 4) {
    PetscCall(in_step(0, NAN, slots, "after step 1, at t = 0.5 s, and nothing before", "is nan"));
    PetscCall(
        in_step(7, INFINITY, slots, "after step 8, at t = 4 s, and nothing before", "is inf"));
    PetscCall(in_step(STEPS - 1, -INFINITY, slots, "after step 12, at t = 6 s", "is -inf"));
  }
  return elsewhere();
}

CLAIM("the first step after which a state is not finite is named", 1, test)
