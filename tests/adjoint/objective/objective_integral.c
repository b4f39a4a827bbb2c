/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a goal and a measurement of an integral have their value, gradient and Hessian, also of a
   negative J; a goal has no part in Gauss-Newton's Hessian and is no measurement; what is kept goes
   on with the same bits, which are those of any decomposition; an adjoint of another box is caught;
   what is bad is refused. */
#include "heat_case.h"
#include "hessian_claims.h"
#include "refusal.h"
#include "same_bits.h"
#include "wrong_adjoint.h"
#include <halograd/objective_library.h>

enum { STEPS = 12 };

static const HgIntegral goal = {.variable = "u",
                                .west = 0.13,
                                .east = 0.62,
                                .south = 0.2,
                                .north = 0.71,
                                .step = 7,
                                .weight = -3000},
                        measured = {.variable = "u",
                                    .north = 0.5,
                                    .step = STEPS,
                                    .value = 0.4,
                                    .sigma = 0.01};

typedef struct {
  HeatCase heat;
  HgObjective objective;
  HgTrajectory trajectory;
  HgOperator op;
} Case;

static PetscErrorCode create(MPI_Comm comm, Layout l, int count, const HgIntegral integral[],
                             Case *c) {
  const HeatSpec s = {
      .nx = 23, .ny = 19, .px = l.px, .py = l.py, .steps = STEPS, .walls = WALLS_MIXED, .slots = 4};
  PetscCall(heat_create(comm, &s, &c->heat));
  PetscCall(HgObjectiveCreate(c->heat.program, STEPS, &c->objective));
  for (int k = 0; k < count; k++) PetscCall(HgObjectiveAddIntegral(c->objective, &integral[k]));
  PetscCall(
      HgTrajectoryCreate(c->heat.program, STEPS, c->objective, c->heat.store, &c->trajectory));
  return HgTrajectoryOperator(c->trajectory, &c->op);
}

static PetscErrorCode destroy(Case *c) {
  PetscCall(DESTROY(&c->op, &c->trajectory, &c->objective));
  return heat_destroy(&c->heat);
}

/* What was observed is kept, forgotten and restored. */
static PetscErrorCode go_on(Case *c, double J) {
  double kept[2], again;
  claim_that(HgObjectiveKept(c->objective) == 2, "two numbers are kept");
  PetscCall(HgObjectiveKeep(c->objective, kept));
  PetscCall(HgObjectiveRestore(c->objective, kept));
  PetscCall(HgObjectiveValue(c->objective, &again, NULL));
  claim_same(again, J, "J of what was kept");
  return 0;
}

/* Its parts, and which of them is a measurement. */
static PetscErrorCode parts(Case *c, double J) {
  double part[3];
  PetscCall(HgObjectiveParts(c->objective, part));
  claim_that(part[0] < 0 && part[1] > 0, "parts %g and %g", part[0], part[1]);
  claim_at_most(fabs(part[0] + part[1] - J), 1e-13 * fabs(J), "the sum of the parts beside J");
  claim_same(part[2], part[1], "what is measured");
  claim_same(HgObjectiveCount(c->objective), 1, "how many measurements there are");
  return 0;
}

static PetscErrorCode run_on(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  Case c;
  HgState g, h, dx;
  double J, dJ;
  char digest[2][17];
  PetscCall(create(comm, l, 2, (HgIntegral[]){goal, measured}, &c));
  HgState *const states[] = {&g, &h, &dx};
  for (int k = 0; k < 3; k++) PetscCall(HgOperatorCreateInput(c.op, states[k]));
  PetscCall(HgStateRandom(dx, (uint64_t)seed));
  PetscCall(HgTrajectoryGradient(c.trajectory, c.heat.x, 1, &J, g));
  PetscCall(HgTrajectoryHessians(c.trajectory, c.heat.x, 1, &dx, &dJ, NULL, &h));
  PetscCall(HgStateDigest(g, NULL, digest[0]));
  PetscCall(HgStateDigest(h, NULL, digest[1]));
  snprintf(text, LAYOUT_TEXT, "%a %a %s %s", J, dJ, digest[0], digest[1]);
  PetscCall(go_on(&c, J));
  PetscCall(parts(&c, J));
  PetscCall(HgStatesDestroy(&g, &h, &dx));
  return destroy(&c);
}

/* Gauss-Newton's Hessian of a goal alone, and the exact one, which has the model's. */
static PetscErrorCode bend(Case *c) {
  HgState dx, h[2];
  double dJ, size[2];
  PetscCall(HgOperatorCreateInput(c->op, &dx));
  PetscCall(HgStateRandom(dx, 4));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgOperatorCreateInput(c->op, &h[k]));
    HgObjectiveSetGaussNewton(c->objective, k == 0);
    PetscCall(HgTrajectoryHessians(c->trajectory, c->heat.x, 1, &dx, &dJ, NULL, &h[k]));
    PetscCall(HgStateDot(h[k], h[k], &size[k]));
  }
  claim_that(size[0] == 0 && size[1] > 0, "a goal's Hessians have the squares %g, %g", size[0],
             size[1]);
  return HgStatesDestroy(&dx, &h[0], &h[1]);
}

static PetscErrorCode derivatives(void) {
  const HgIntegral both[] = {goal, measured};
  static const char *const names[] = {"a goal", "a measurement", "both"};
  for (int k = 0; k < 3; k++) {
    Case c;
    double J;
    PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, k < 2 ? 1 : 2, k < 2 ? &both[k] : both, &c));
    PetscCall(HgTrajectoryValue(c.trajectory, c.heat.x, &J));
    claim_that((J < 0) == (k != 1), "%s: J is %g", names[k], J);
    PetscCall(claim_checks(names[k], c.op, c.heat.x, 1e-12, 3));
    PetscCall(claim_second_order(names[k], c.trajectory, c.heat.x, 0.1, 1e-13, 20));
    if (k == 0) PetscCall(bend(&c));
    PetscCall(destroy(&c));
  }
  return 0;
}

/* The adjoint of a box that is a cell wider. */
static PetscErrorCode plant(void) {
  Case right, wrong;
  HgIntegral wider = goal;
  wider.east += 1.0 / 23;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, 1, &goal, &right));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgObjectiveCreate(right.heat.program, STEPS, &wrong.objective));
    PetscCall(HgObjectiveAddIntegral(wrong.objective, k ? &wider : &goal));
    PetscCall(HgTrajectoryCreate(right.heat.program, STEPS, wrong.objective, right.heat.store,
                                 &wrong.trajectory));
    PetscCall(HgTrajectoryOperator(wrong.trajectory, &wrong.op));
    PetscCall(
        claim_caught(k ? "a wider box" : "the same box", right.op, wrong.op, right.heat.x, k));
    PetscCall(DESTROY(&wrong.op, &wrong.trajectory, &wrong.objective));
  }
  return destroy(&right);
}

static PetscErrorCode refuse(void) {
  static const struct {
    HgIntegral of;
    const char *says;
  } bad[] = {
      {{"v", .step = 1, .weight = 1}, "'v'"},
      {{"u", .step = STEPS + 1, .weight = 1}, "after step 13, expected 0 to 12"},
      {{"u", .west = 0.5, .east = 1.2, .weight = 1}, "x = 0.5 to 1.2 m, expected"},
      {{"u", .south = -0.1, .north = 0.2, .weight = 1}, "inside the domain, 0 to 0.8 m"},
      {{"u", .west = 0.5, .east = 0.5, .weight = 1}, "from x = 0.5 to 0.5 m"},
      {{"u", .below = 0, .above = 1, .weight = 1}, "it has no levels"},
      {{"u"}, "has the weight 0"},
      {{"u", .weight = INFINITY}, "has the weight inf"},
      {{"u", .sigma = -1}, "is -1, expected a positive"},
      {{"u", .sigma = INFINITY}, "is inf, expected a positive"},
      {{"u", .sigma = 1, .value = NAN}, "measured as nan"},
      {{"u", .sigma = 1, .weight = 2}, "and has the weight 2"},
  };

  Case c;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, 0, NULL, &c));
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    REFUSED(HgObjectiveAddIntegral(c.objective, &bad[k].of), bad[k].says);
  claim_that(HgObjectiveTerms(c.objective) == 0, "nothing that is refused is a term");
  return destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("integrals have their value, gradient and Hessian", 0);
  if (!ierr) ierr = derivatives();
  if (!ierr) ierr = plant();
  if (!ierr) ierr = refuse();
  if (!ierr) ierr = expect_same_on_layouts("J, gradient and Hessian", run_on, 6);
  return claim_end(ierr);
}
