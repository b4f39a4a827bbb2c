/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: with `shape` J is the sum over sensors of |b|^2 (1 - <a, b> / (|a| |b|)), a = u / sigma
   and b = d / sigma, gaps left out, so that data four times as large have 16 times this J, to the
   last bit, and data that are twice what is predicted none. Its gradient and Hessian are those of
   J, that of Gauss and Newton is never negative, and the exact one where shapes fit; the same bits
   on any decomposition. The doctor finds nothing, nor in robust residuals. The plain misfit's
   adjoint is caught; what is bad is refused. */
#include "findings.h"
#include "hessian_claims.h"
#include "misfit_case.h"
#include "refusal.h"
#include "same_bits.h"
#include "wrong_adjoint.h"

enum { SENSORS = 5, TIMES = 9, STEPS = 14, ALL = TIMES * SENSORS };

/* One of the sensors has no value at all. */
static bool is_gap(int m, int k) { return k == 3 || (2 * m + k) % 4 == 1; }

static PetscErrorCode observe(const HeatCase *c, HgObservations **o) {
  const double dt = HgProgramTimeStep(c->program);
  PetscCall(HgObservationsCreate(HgMeshComm(c->mesh), "u", "K", TIMES, SENSORS, o));
  (*o)->shape = true;
  for (int k = 0; k < SENSORS; k++) (*o)->x[k] = 0.11 + 0.17 * k, (*o)->y[k] = 0.75 - 0.13 * k;
  for (int m = 0; m < TIMES; m++) {
    (*o)->time[m] = dt * (0.3 + 1.1 * m + 0.04 * m * m);
    for (int k = 0; k < SENSORS; k++) {
      (*o)->value[m * SENSORS + k] = is_gap(m, k) ? 0 : 0.7 * ((3 * m + 5 * k) % 7) - 2;
      (*o)->sigma[m * SENSORS + k] = is_gap(m, k) ? INFINITY : 0.6 + 0.05 * k + 0.02 * m;
    }
  }
  return 0;
}

static PetscErrorCode create(MPI_Comm comm, Layout l, MisfitCase *c) {
  PetscCall(misfit_heat(comm, l, STEPS, c));
  PetscCall(observe(&c->heat, &c->data));
  return misfit_add(STEPS, c);
}

static double formula(const HgObservations *o, const double u[]) {
  double J = 0;
  for (int k = 0; k < SENSORS; k++) {
    double aa = 0, bb = 0, ab = 0;
    for (int m = 0; m < TIMES; m++) {
      const int n = m * SENSORS + k;
      const double a = u[n] / o->sigma[n], b = o->value[n] / o->sigma[n];
      if (!is_gap(m, k)) aa += a * a, bb += b * b, ab += a * b;
    }
    if (bb > 0) J += bb * (1 - ab / sqrt(aa * bb));
  }
  return J;
}

/* J by its formula; of data that are larger; of some that fit but for their size. */
static PetscErrorCode values(MisfitCase *c) {
  double J, larger, none, seen[ALL];
  int count = 0;
  PetscCall(HgTrajectoryValue(c->trajectory, c->heat.x, &J));
  PetscCall(HgObjectivePredicted(c->objective, 0, seen));
  claim_at_most(fabs(J / formula(c->data, seen) - 1), 1e-12, "J is %g", J);
  for (int n = 0; n < ALL; n++) count += !is_gap(n / SENSORS, n % SENSORS);
  claim_same(HgObjectiveCount(c->objective), count - (SENSORS - 1), "what counts");

  PetscCall(misfit_drop(c));
  for (int n = 0; n < ALL; n++) c->data->value[n] *= 4;
  PetscCall(misfit_add(STEPS, c));
  PetscCall(HgTrajectoryValue(c->trajectory, c->heat.x, &larger));
  claim_same(larger, 16 * J, "J of data four times as large");

  PetscCall(misfit_drop(c));
  for (int n = 0; n < ALL; n++) c->data->value[n] = 2 * seen[n];
  PetscCall(misfit_add(STEPS, c));
  PetscCall(HgTrajectoryValue(c->trajectory, c->heat.x, &none));
  claim_at_most(none, 1e-20 * J, "J where shapes fit");
  return 0;
}

static PetscErrorCode check_all(void) {
  MisfitCase c;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &c));
  PetscCall(claim_checks("shapes", c.op, c.heat.x, 1e-11, 3));
  PetscCall(claim_second_order("shapes", c.trajectory, c.heat.x, 0.1, 1e-12, 20));
  PetscCall(claim_gauss_newton(&c, false));
  PetscCall(values(&c));
  PetscCall(claim_gauss_newton(&c, true));
  return misfit_destroy(&c);
}

static PetscErrorCode doctor(void) {
  HgFindings r;
  MisfitCase c;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &c));
  for (int robust = 0; robust < 2; robust++) {
    PetscCall(misfit_drop(&c));
    c.data->shape = !robust, c.data->huber = robust;
    PetscCall(misfit_add(STEPS, &c));
    PetscCall(examine_trajectory(c.trajectory, c.heat.x, &r));
    claim_that(!r.findings, "the doctor, %s: %s", robust ? "huber" : "shapes", first_finding(&r));
  }
  return misfit_destroy(&c);
}

static PetscErrorCode plant(void) {
  MisfitCase right, wrong;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &right));
  for (int k = 0; k < 2; k++) {
    wrong = right;
    wrong.data->shape = !k;
    PetscCall(misfit_add(STEPS, &wrong));
    PetscCall(claim_caught(k ? "plain" : "shapes", right.op, wrong.op, right.heat.x, k));
    PetscCall(misfit_drop(&wrong));
  }
  return misfit_destroy(&right);
}

static PetscErrorCode refuse_data(MisfitCase *c, const char says[]) {
  HgObjective another;
  PetscCall(HgObjectiveCreate(c->heat.program, STEPS, &another));
  REFUSED(HgObjectiveAddSensors(another, c->data), says, "shapes");
  return HgObjectiveDestroy(&another);
}

/* Nothing is warm, nothing warms: all predictions are 0. */
static PetscErrorCode refuse_rest(MisfitCase *c) {
  HgState rest;
  double J;
  PetscCall(HgStateDuplicate(c->heat.x, &rest));
  PetscCall(HgStateCopy(c->heat.x, rest));
  PetscCall(HgStateSetConstant(rest, "u", 0));
  PetscCall(HgStateSetConstant(rest, "f", 0));
  REFUSED(HgTrajectoryValue(c->trajectory, rest, &J), "J is nan",
          "the shape (-shape) of a sensor whose predictions are all 0");
  return HgStateDestroy(&rest);
}

static PetscErrorCode refuse(void) {
  MisfitCase c;
  HgState x_bar;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &c));
  PetscCall(HgOperatorCreateInput(c.op, &x_bar));
  REFUSED(HgTrajectoryWindowGradient(c.trajectory, &(HgTrajectoryWindow){.from = 2, .to = 9},
                                     c.heat.x, 1, x_bar),
          "steps 2 to 9 alone", "shapes compared");
  PetscCall(refuse_rest(&c));
  c.data->huber = 1.5;
  PetscCall(refuse_data(&c, "huber 1.5"));
  c.data->huber = 0, c.data->correlation = 2;
  PetscCall(refuse_data(&c, "correlated over 2 s"));
  c.data->correlation = 0;
  for (int m = 0; m < TIMES; m++) c.data->value[m * SENSORS + 2] = 0;
  PetscCall(refuse_data(&c, "sensor 2 of 'u' has 9 readings, 0 of which are not 0"));
  for (int m = 0; m < TIMES; m++) c.data->sigma[m * SENSORS + 2] = m ? INFINITY : 1;
  c.data->value[2] = 1;
  PetscCall(refuse_data(&c, "sensor 2 of 'u' has 1 readings, 1 of which are not 0"));
  PetscCall(HgStateDestroy(&x_bar));
  return misfit_destroy(&c);
}

static PetscErrorCode run_on(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  MisfitCase c;
  PetscCall(create(comm, l, &c));
  PetscCall(misfit_digests(&c, seed > 0, text));
  return misfit_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("shapes have the misfit of their correlation", 0);
  if (!ierr) ierr = check_all();
  if (!ierr) ierr = doctor();
  if (!ierr) ierr = plant();
  if (!ierr) ierr = refuse();
  for (long seed = 0; seed < 2 && !ierr; seed++)
    ierr = expect_same_on_layouts("J, gradient and Hessian", run_on, seed);
  return claim_end(ierr);
}
