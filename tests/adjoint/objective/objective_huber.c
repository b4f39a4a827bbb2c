/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a misfit of sensors with `huber` is the sum of Huber's function of the residuals; its
   gradient and Hessian are those of this sum, with residuals on both sides of the bend; its
   expectation is that of normal noise. Beyond all residuals it has the bits of the squares. The
   same bits on any decomposition. What is negative is refused. */
#include "heat_case.h"
#include "hessian_claims.h"
#include "refusal.h"
#include "same_bits.h"
#include <halograd/objective_library.h>
#include <halograd/state_library.h>
#include <math.h>

enum { SENSORS = 9, TIMES = 4 };

static const double bend = 1.5;

static PetscErrorCode observe(const HeatCase *c, long steps, double huber, HgObservations **o) {
  const double end = (double)steps * HgProgramTimeStep(c->program);
  PetscCall(HgObservationsCreate(HgMeshComm(c->mesh), "u", "K", TIMES, SENSORS, o));
  (*o)->huber = huber;
  for (int k = 0; k < SENSORS; k++) (*o)->x[k] = 0.11 + 0.09 * k, (*o)->y[k] = 0.8 - 0.07 * k;
  for (int n = 0; n < TIMES; n++) {
    (*o)->time[n] = end * (0.3 + 0.23 * n);
    for (int k = 0; k < SENSORS; k++) {
      (*o)->value[n * SENSORS + k] = 0.7 * ((3 * n + 5 * k) % 7) - 2;
      (*o)->sigma[n * SENSORS + k] = 0.6 + 0.05 * k;
    }
  }
  return 0;
}

static double counted(double r, double h) {
  return fabs(r) <= h ? r * r / 2 : h * (fabs(r) - h / 2);
}

/* The mean over normal noise, by the trapezoidal rule. */
static double mean(double h) {
  const double step = 1e-3;
  double sum = 0;
  for (double r = -12; r <= 12; r += step) sum += step * counted(r, h) * exp(-r * r / 2);
  return sum / sqrt(2 * PETSC_PI);
}

/* J against its formula; some residuals are beyond the bend, others are not. */
static PetscErrorCode check_value(HgObjective objective, const HgObservations *o, double J) {
  double seen[TIMES * SENSORS], expected = 0;
  int beyond = 0;
  PetscCall(HgObjectivePredicted(objective, 0, seen));
  for (int k = 0; k < TIMES * SENSORS; k++) {
    const double r = (seen[k] - o->value[k]) / o->sigma[k];
    expected += counted(r, bend), beyond += fabs(r) > bend;
  }
  claim_that(beyond > 5 && beyond < TIMES * SENSORS - 5, "%d residuals beyond the bend", beyond);
  claim_at_most(fabs(J - expected) / expected, 1e-13, "J is %g, expected %g", J, expected);
  claim_at_most(fabs(HgObjectiveCount(objective) / (TIMES * SENSORS) - 2 * mean(bend)), 1e-6,
                "its expectation");
  return 0;
}

/* H dx against central differences of the gradient. */
static PetscErrorCode check_hessian(HgOperator op, HgState x) {
  const double e = 1e-6;
  HgState dx, h, side[2];
  double J, off, size;
  PetscCall(HgOperatorCreateInput(op, &dx));
  PetscCall(HgOperatorCreateInput(op, &h));
  PetscCall(HgStateRandom(dx, 3));
  PetscCall(HgOperatorHessian(op, x, dx, h));
  for (int k = 0; k < 2; k++) {
    HgState at;
    PetscCall(HgOperatorCreateInput(op, &at));
    PetscCall(HgOperatorCreateInput(op, &side[k]));
    PetscCall(HgStateCopy(x, at));
    PetscCall(HgStateAXPY(at, k ? -e : e, dx));
    PetscCall(HgOperatorGradient(op, at, &J, side[k]));
    PetscCall(HgStateDestroy(&at));
  }
  PetscCall(HgStateAXPY(side[0], -1, side[1]));
  PetscCall(HgStateScale(side[0], 0.5 / e));
  PetscCall(HgStateDot(h, h, &size));
  PetscCall(HgStateAXPY(side[0], -1, h));
  PetscCall(HgStateDot(side[0], side[0], &off));
  claim_at_most(sqrt(off / size), 1e-6, "Hessian against differences of the gradient");
  return DESTROY(&dx, &h, &side[0], &side[1]);
}

/* J and the digest of its gradient, as text. */
static PetscErrorCode describe(HeatCase *c, long steps, double huber, bool checked, size_t size,
                               char text[]) {
  HgObservations *o;
  HgObjective objective;
  HgTrajectory trajectory;
  HgOperator op;
  HgState g;
  double J;
  char digest[17];
  PetscCall(observe(c, steps, huber, &o));
  PetscCall(HgObjectiveCreate(c->program, steps, &objective));
  PetscCall(HgObjectiveAddSensors(objective, o));
  PetscCall(HgTrajectoryCreate(c->program, steps, objective, c->store, &trajectory));
  PetscCall(HgTrajectoryOperator(trajectory, &op));
  PetscCall(HgOperatorCreateInput(op, &g));
  PetscCall(HgOperatorGradient(op, c->x, &J, g));
  PetscCall(HgStateDigest(g, NULL, digest));
  snprintf(text, size, "%a %s", J, digest);
  if (checked) PetscCall(check_value(objective, o, J));
  if (checked) PetscCall(claim_checks("huber", op, c->x, 1e-11, 2));
  if (checked) PetscCall(check_hessian(op, c->x));
  if (checked) PetscCall(claim_second_order("huber", trajectory, c->x, 1e-4, 1e-13, 3));
  return DESTROY(&g, &op, &trajectory, &o, &objective);
}

static PetscErrorCode refuse(HeatCase *c, long steps) {
  HgObservations *o;
  HgObjective objective;
  PetscCall(observe(c, steps, -1, &o));
  PetscCall(HgObjectiveCreate(c->program, steps, &objective));
  REFUSED(HgObjectiveAddSensors(objective, o), "beyond -1 sigma", "positive number");
  return DESTROY(&o, &objective);
}

static PetscErrorCode run_on(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  const HeatSpec s = {
      .nx = 23, .ny = 19, .px = l.px, .py = l.py, .steps = 12, .walls = WALLS_MIXED, .slots = 4};
  char squares[LAYOUT_TEXT], far[LAYOUT_TEXT];
  HeatCase c;
  PetscCall(heat_create(comm, &s, &c));
  PetscCall(describe(&c, s.steps, bend, seed == 0, LAYOUT_TEXT, text));
  PetscCall(describe(&c, s.steps, 0, false, LAYOUT_TEXT, squares));
  PetscCall(describe(&c, s.steps, 1e9, false, LAYOUT_TEXT, far));
  claim_that(!strcmp(squares, far) && strcmp(squares, text), "'%s' far away, '%s' of squares", far,
             squares);
  if (comm == PETSC_COMM_WORLD) PetscCall(refuse(&c, s.steps));
  return heat_destroy(&c);
}

static PetscErrorCode on_all(void) {
  char text[LAYOUT_TEXT];
  return run_on(PETSC_COMM_WORLD, (Layout){0, 0}, 0, text);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  claim_begin("Huber's misfit has its value, gradient and Hessian", 0);
  if (!ierr) ierr = on_all();
  if (!ierr) ierr = expect_same_on_layouts("J and gradient", run_on, 1);
  return claim_end(ierr);
}
