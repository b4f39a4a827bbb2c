/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: with correlated errors J is r^T C^-1 r / 2, C_ml = exp(-|t_m - t_l| / tau), gaps left out;
   gradient and Hessian are those of J, also with `huber`; over no time J has the bits of
   independent errors; relative errors are those of larger sigmas; the same bits on any
   decomposition, and after a file; the adjoint of another tau is caught; a window alone, and what
   is bad, are refused. */
#include "hessian_claims.h"
#include "misfit_case.h"
#include "refusal.h"
#include "same_bits.h"
#include "wrong_adjoint.h"

enum { SENSORS = 5, TIMES = 9, STEPS = 14, ALL = TIMES * SENSORS };

typedef struct {
  double tau, huber, student, relative; /* tau: in steps */
} Noise;

static bool is_gap(int m, int k) { return (2 * m + k) % 4 == 1; }

static PetscErrorCode observe(const HeatCase *c, const Noise *noise, HgObservations **o) {
  const double dt = HgProgramTimeStep(c->program);
  PetscCall(HgObservationsCreate(HgMeshComm(c->mesh), "u", "K", TIMES, SENSORS, o));
  (*o)->huber = noise->huber, (*o)->student = noise->student;
  (*o)->relative = noise->relative;
  (*o)->correlation = noise->tau * dt;
  for (int k = 0; k < SENSORS; k++) (*o)->x[k] = 0.11 + 0.17 * k, (*o)->y[k] = 0.75 - 0.13 * k;
  for (int m = 0; m < TIMES; m++) {
    (*o)->time[m] = dt * (0.3 + 1.1 * m + 0.04 * m * m);
    for (int k = 0; k < SENSORS; k++) {
      (*o)->value[m * SENSORS + k] = is_gap(m, k) ? 0 : 0.7 * ((3 * m + 5 * k) % 7) - 2;
      (*o)->sigma[m * SENSORS + k] = is_gap(m, k) ? INFINITY : 0.6 + 0.05 * k;
    }
  }
  return 0;
}

/* Another misfit of the same heat. */
static PetscErrorCode add(MisfitCase *c, const Noise *noise) {
  PetscCall(observe(&c->heat, noise, &c->data));
  return misfit_add(STEPS, c);
}

static PetscErrorCode create(MPI_Comm comm, Layout l, const Noise *noise, MisfitCase *c) {
  PetscCall(misfit_heat(comm, l, STEPS, c));
  return add(c, noise);
}

/* r^T C^-1 r of n residuals, by Cholesky's factors of C. */
static double weighed(int n, const double t[], const double r[], double tau) {
  double L[TIMES][TIMES], y[TIMES], sum = 0;
  for (int i = 0; i < n; i++) {
    y[i] = r[i];
    for (int j = 0; j <= i; j++) {
      L[i][j] = exp(-fabs(t[i] - t[j]) / tau);
      for (int k = 0; k < j; k++) L[i][j] -= L[i][k] * L[j][k];
      L[i][j] = i == j ? sqrt(L[i][j]) : L[i][j] / L[j][j];
    }
    for (int k = 0; k < i; k++) y[i] -= L[i][k] * y[k];
    y[i] /= L[i][i];
    sum += y[i] * y[i];
  }
  return sum;
}

static PetscErrorCode check_value(void) {
  MisfitCase c;
  double J, seen[ALL], expected = 0;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &(Noise){.tau = 3}, &c));
  PetscCall(HgTrajectoryValue(c.trajectory, c.heat.x, &J));
  PetscCall(HgObjectivePredicted(c.objective, 0, seen));
  const HgObservations *const o = c.data;
  for (int k = 0; k < SENSORS; k++) {
    double t[TIMES], r[TIMES];
    int n = 0;
    for (int m = 0; m < TIMES; m++) {
      const int at = m * SENSORS + k;
      if (is_gap(m, k)) continue;
      t[n] = o->time[m], r[n++] = (seen[at] - o->value[at]) / o->sigma[at];
    }
    expected += weighed(n, t, r, o->correlation) / 2;
  }
  claim_at_most(fabs(J / expected - 1), 1e-12, "J is %g, expected %g", J, expected);
  return misfit_destroy(&c);
}

/* J and the digests of its gradient and a product with its Hessian. */
static PetscErrorCode describe(MisfitCase *c, char text[LAYOUT_TEXT]) {
  HgState g, h, dx;
  double J, dJ;
  char digest[2][17];
  HgState *const states[] = {&g, &h, &dx};
  for (int k = 0; k < 3; k++) PetscCall(HgOperatorCreateInput(c->op, states[k]));
  PetscCall(HgStateRandom(dx, 8));
  PetscCall(HgTrajectoryGradient(c->trajectory, c->heat.x, 1, &J, g));
  PetscCall(HgTrajectoryHessians(c->trajectory, c->heat.x, 1, &dx, &dJ, NULL, &h));
  PetscCall(HgStateDigest(g, NULL, digest[0]));
  PetscCall(HgStateDigest(h, NULL, digest[1]));
  snprintf(text, LAYOUT_TEXT, "%a %a %s %s", J, dJ, digest[0], digest[1]);
  return HgStatesDestroy(&g, &h, &dx);
}

static PetscErrorCode same(const char what[], const Noise *a, const Noise *b, bool expected) {
  char text[2][LAYOUT_TEXT];
  MisfitCase c;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, a, &c));
  PetscCall(describe(&c, text[0]));
  PetscCall(misfit_leave(&c));
  PetscCall(add(&c, b));
  PetscCall(describe(&c, text[1]));
  claim_that(!strcmp(text[0], text[1]) == expected, "%s: '%s' and '%s'", what, text[0], text[1]);
  return misfit_destroy(&c);
}

/* Errors of a tenth of each value, beside sigmas that say so. */
static PetscErrorCode relative(void) {
  char text[2][LAYOUT_TEXT];
  MisfitCase c;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &(Noise){.relative = 0.5}, &c));
  PetscCall(describe(&c, text[0]));
  PetscCall(misfit_leave(&c));
  PetscCall(add(&c, &(Noise){0}));
  for (int k = 0; k < ALL; k++)
    c.data->sigma[k] = fmax(c.data->sigma[k], 0.5 * fabs(c.data->value[k]));
  PetscCall(DESTROY(&c.op, &c.trajectory, &c.objective));
  PetscCall(HgObjectiveCreate(c.heat.program, STEPS, &c.objective));
  PetscCall(HgObjectiveAddSensors(c.objective, c.data));
  PetscCall(HgTrajectoryCreate(c.heat.program, STEPS, c.objective, c.heat.store, &c.trajectory));
  PetscCall(HgTrajectoryOperator(c.trajectory, &c.op));
  PetscCall(describe(&c, text[1]));
  claim_that(!strcmp(text[0], text[1]), "relative: '%s' and '%s'", text[0], text[1]);
  return misfit_destroy(&c);
}

static PetscErrorCode derivatives(void) {
  const Noise noise[] = {{.tau = 2}, {.tau = 4, .huber = 1.2}, {.tau = 3, .student = 2}};
  static const char *const names[] = {"correlated", "and Huber's", "and Student's"};
  for (int k = 0; k < 3; k++) {
    MisfitCase c;
    PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &noise[k], &c));
    PetscCall(claim_checks(names[k], c.op, c.heat.x, 1e-11, 3));
    PetscCall(claim_second_order(names[k], c.trajectory, c.heat.x, k ? 1e-4 : 0.1, 1e-13, 20));
    PetscCall(misfit_destroy(&c));
  }
  return 0;
}

static PetscErrorCode plant(void) {
  MisfitCase right, wrong;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &(Noise){.tau = 3}, &right));
  for (int k = 0; k < 2; k++) {
    wrong.heat = right.heat;
    PetscCall(add(&wrong, &(Noise){.tau = k ? 3.01 : 3}));
    PetscCall(
        claim_caught(k ? "another tau" : "the same tau", right.op, wrong.op, right.heat.x, k));
    PetscCall(misfit_leave(&wrong));
  }
  return misfit_destroy(&right);
}

static PetscErrorCode file(void) {
  MisfitCase c;
  HgObservations *o;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &(Noise){.tau = 3}, &c));
  for (int k = 0; k < ALL; k++) c.data->sigma[k] = 1; /* files have no gaps */
  PetscCall(HgObservationsWrite(PETSC_COMM_WORLD, "correlated.h5", c.data, NULL));
  PetscCall(HgObservationsRead(PETSC_COMM_WORLD, "correlated.h5", &o));
  claim_same(o->correlation, c.data->correlation, "what a file keeps");
  PetscCall(HgObservationsDestroy(&o));
  return misfit_destroy(&c);
}

static PetscErrorCode refuse(void) {
  static const Noise bad[] = {{.tau = -1}, {.tau = INFINITY}, {.relative = -1}, {.relative = NAN}};
  static const char *const says[] = {"are correlated over -", "are correlated over inf",
                                     "are at least -1", "are at least nan"};
  MisfitCase c;
  HgState x_bar;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &(Noise){.tau = 3}, &c));
  for (int k = 0; k < 4; k++) {
    HgObservations *o;
    PetscCall(observe(&c.heat, &bad[k], &o));
    REFUSED(HgObjectiveAddSensors(c.objective, o), says[k], "expected a positive finite number");
    PetscCall(HgObservationsDestroy(&o));
  }
  PetscCall(HgOperatorCreateInput(c.op, &x_bar));
  REFUSED(HgTrajectoryWindowGradient(c.trajectory, &(HgTrajectoryWindow){.from = 2, .to = 9},
                                     c.heat.x, 1, x_bar),
          "steps 2 to 9 alone", "their errors are correlated");
  PetscCall(HgStateDestroy(&x_bar));
  return misfit_destroy(&c);
}

static PetscErrorCode run_on(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  MisfitCase c;
  PetscCall(create(comm, l, &(Noise){.tau = 3, .huber = seed ? 1.2 : 0}, &c));
  PetscCall(describe(&c, text));
  return misfit_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("correlated errors have the misfit of their covariance", 0);
  if (!ierr) ierr = check_value();
  if (!ierr) ierr = same("over no time", &(Noise){.tau = 1e-9}, &(Noise){0}, true);
  if (!ierr) ierr = same("over some time", &(Noise){.tau = 1}, &(Noise){0}, false);
  if (!ierr) ierr = relative();
  if (!ierr) ierr = derivatives();
  if (!ierr) ierr = plant();
  if (!ierr) ierr = file();
  if (!ierr) ierr = refuse();
  for (long seed = 0; seed < 2 && !ierr; seed++)
    ierr = expect_same_on_layouts("J, gradient and Hessian", run_on, seed);
  return claim_end(ierr);
}
