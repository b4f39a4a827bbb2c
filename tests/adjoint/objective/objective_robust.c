/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a misfit of sensors with `huber` is the sum of Huber's function of the residuals, and with
   `student` that of Student's; its gradient and Hessian are those of this sum, with residuals on
   both sides of the bend; its expectation is that of normal noise; its Hessian of Gauss and Newton
   is not negative, in no direction. Beyond all residuals Huber's has the bits of the squares. The
   same bits on any decomposition. What is negative is refused, and both at once. */
#include "heat_case.h"
#include "hessian_claims.h"
#include "refusal.h"
#include "same_bits.h"
#include <halograd/objective_library.h>
#include <halograd/state_library.h>
#include <math.h>

enum { SENSORS = 9, TIMES = 4 };

typedef struct {
  double huber, student;
} Robust;

static const Robust none, by_huber = {.huber = 1.5}, by_student = {.student = 2.25};

static PetscErrorCode observe(const HeatCase *c, long steps, const Robust *how,
                              HgObservations **o) {
  const double end = (double)steps * HgProgramTimeStep(c->program);
  PetscCall(HgObservationsCreate(HgMeshComm(c->mesh), "u", "K", TIMES, SENSORS, o));
  (*o)->huber = how->huber, (*o)->student = how->student;
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

static double counted(double r, const Robust *how) {
  const double h = how->huber, s = how->student;
  if (s > 0) return (s + 1) / 2 * log(1 + r * r / s);
  return fabs(r) <= h ? r * r / 2 : h * (fabs(r) - h / 2);
}

/* The mean over normal noise, by the trapezoidal rule. */
static double mean(const Robust *how) {
  const double step = 1e-3;
  double sum = 0;
  for (double r = -12; r <= 12; r += step) sum += step * counted(r, how) * exp(-r * r / 2);
  return sum / sqrt(2 * PETSC_PI);
}

/* J against its formula; some residuals are beyond the bend, others are not. */
static PetscErrorCode check_value(HgObjective objective, const HgObservations *o, const Robust *how,
                                  double J) {
  const double bend = how->student > 0 ? sqrt(how->student) : how->huber;
  double seen[TIMES * SENSORS], expected = 0;
  int beyond = 0;
  PetscCall(HgObjectivePredicted(objective, 0, seen));
  for (int k = 0; k < TIMES * SENSORS; k++) {
    const double r = (seen[k] - o->value[k]) / o->sigma[k];
    expected += counted(r, how), beyond += fabs(r) > bend;
  }
  claim_that(beyond > 5 && beyond < TIMES * SENSORS - 5, "%d residuals beyond the bend", beyond);
  claim_at_most(fabs(J - expected) / expected, 1e-13, "J is %g, expected %g", J, expected);
  claim_at_most(fabs(HgObjectiveCount(objective) / (TIMES * SENSORS) - 2 * mean(how)), 1e-6,
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

/* v^T H v of Gauss and Newton; where the exact one is negative, too. */
static PetscErrorCode check_gauss_newton(HgObjective objective, HgOperator op, HgState x) {
  HgState v, h;
  double of[2];
  PetscCall(HgOperatorCreateInput(op, &v));
  PetscCall(HgOperatorCreateInput(op, &h));
  PetscCall(HgStateRandom(v, 5));
  for (int gauss = 0; gauss < 2; gauss++) {
    HgObjectiveSetGaussNewton(objective, gauss);
    PetscCall(HgOperatorHessian(op, x, v, h));
    PetscCall(HgStateDot(v, h, &of[gauss]));
  }
  HgObjectiveSetGaussNewton(objective, false);
  claim_that(of[1] > 0 && of[1] > of[0], "curvature %g, of Gauss and Newton %g", of[0], of[1]);
  return DESTROY(&v, &h);
}

/* J and the digest of its gradient, as text. */
static PetscErrorCode describe(HeatCase *c, long steps, const Robust *how, bool checked,
                               size_t size, char text[]) {
  HgObservations *o;
  HgObjective objective;
  HgTrajectory trajectory;
  HgOperator op;
  HgState g;
  double J;
  char digest[17];
  PetscCall(observe(c, steps, how, &o));
  PetscCall(HgObjectiveCreate(c->program, steps, &objective));
  PetscCall(HgObjectiveAddSensors(objective, o));
  PetscCall(HgTrajectoryCreate(c->program, steps, objective, c->store, &trajectory));
  PetscCall(HgTrajectoryOperator(trajectory, &op));
  PetscCall(HgOperatorCreateInput(op, &g));
  PetscCall(HgOperatorGradient(op, c->x, &J, g));
  PetscCall(HgStateDigest(g, NULL, digest));
  snprintf(text, size, "%a %s", J, digest);
  if (checked) PetscCall(check_value(objective, o, how, J));
  if (checked) PetscCall(claim_checks("robust", op, c->x, 1e-11, 2));
  if (checked) PetscCall(check_hessian(op, c->x));
  if (checked) PetscCall(claim_second_order("robust", trajectory, c->x, 1e-4, 1e-13, 3));
  if (checked && how->student > 0) PetscCall(check_gauss_newton(objective, op, c->x));
  return DESTROY(&g, &op, &trajectory, &o, &objective);
}

static PetscErrorCode refuse(HeatCase *c, long steps, Robust how, const char words[],
                             const char expected[]) {
  HgObservations *o;
  HgObjective objective;
  PetscCall(observe(c, steps, &how, &o));
  PetscCall(HgObjectiveCreate(c->program, steps, &objective));
  REFUSED(HgObjectiveAddSensors(objective, o), words, expected);
  return DESTROY(&o, &objective);
}

static PetscErrorCode refuse_all(HeatCase *c, long steps) {
  PetscCall(refuse(c, steps, (Robust){.huber = -1}, "beyond -1 sigma", "positive number"));
  PetscCall(
      refuse(c, steps, (Robust){.student = -1}, "Student's of -1 degrees", "positive finite"));
  PetscCall(refuse(c, steps, (Robust){.student = INFINITY}, "Student's of inf degrees",
                   "positive finite"));
  return refuse(c, steps, (Robust){1.5, 4}, "huber 1.5 and student 4 of 'u'",
                "one of them to be 0");
}

static PetscErrorCode run_on(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  const HeatSpec s = {
      .nx = 23, .ny = 19, .px = l.px, .py = l.py, .steps = 12, .walls = WALLS_MIXED, .slots = 4};
  const bool checked = seed == 0;
  char huber[LAYOUT_TEXT / 2], student[LAYOUT_TEXT / 2], squares[LAYOUT_TEXT], far[LAYOUT_TEXT];
  HeatCase c;
  PetscCall(heat_create(comm, &s, &c));
  PetscCall(describe(&c, s.steps, &by_huber, checked, sizeof huber, huber));
  PetscCall(describe(&c, s.steps, &by_student, checked, sizeof student, student));
  PetscCall(describe(&c, s.steps, &none, false, LAYOUT_TEXT, squares));
  PetscCall(describe(&c, s.steps, &(Robust){.huber = 1e9}, false, LAYOUT_TEXT, far));
  claim_that(!strcmp(squares, far) && strcmp(squares, huber), "'%s' far away, '%s' of squares", far,
             squares);
  snprintf(text, LAYOUT_TEXT, "%s %s", huber, student);
  if (comm == PETSC_COMM_WORLD) PetscCall(refuse_all(&c, s.steps));
  return heat_destroy(&c);
}

static PetscErrorCode on_all(void) {
  char text[LAYOUT_TEXT];
  return run_on(PETSC_COMM_WORLD, (Layout){0, 0}, 0, text);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  claim_begin("robust misfits have their value, gradient and Hessian", 0);
  if (!ierr) ierr = on_all();
  if (!ierr) ierr = expect_same_on_layouts("J and gradient", run_on, 1);
  return claim_end(ierr);
}
