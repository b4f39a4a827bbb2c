/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: with `envelope` J is half the sum of ((E(u) - E(d)) / sigma)^2, E^2 = u^2 + (H u)^2 +
   sigma^2 with the Hilbert transform H, which turns a cosine into a sine, so that a wave that
   changes its phase alone changes J little. Its gradient and Hessian are those of J, that of Gauss
   and Newton is never negative, and the exact one where envelopes fit; the same bits on any
   decomposition. The doctor finds nothing; the plain misfit's adjoint is caught; what is bad is
   refused. */
#include "findings.h"
#include "hessian_claims.h"
#include "misfit_case.h"
#include "refusal.h"
#include "same_bits.h"
#include "wrong_adjoint.h"

enum { SENSORS = 5, TIMES = 10, STEPS = 14, ALL = TIMES * SENSORS, LONG = 400 };

/* One of the sensors has no value at all. */
static PetscErrorCode observe(const HeatCase *c, HgObservations **o) {
  const double dt = HgProgramTimeStep(c->program);
  PetscCall(HgObservationsCreate(HgMeshComm(c->mesh), "u", "K", TIMES, SENSORS, o));
  (*o)->envelope = true;
  for (int k = 0; k < SENSORS; k++) (*o)->x[k] = 0.11 + 0.17 * k, (*o)->y[k] = 0.75 - 0.13 * k;
  for (int m = 0; m < TIMES; m++) {
    (*o)->time[m] = dt * (0.3 + 1.4 * m);
    for (int k = 0; k < SENSORS; k++) {
      (*o)->value[m * SENSORS + k] = k == 3 ? 0 : 0.7 * ((3 * m + 5 * k) % 7) - 2;
      (*o)->sigma[m * SENSORS + k] = k == 3 ? INFINITY : 0.6 + 0.05 * k + 0.02 * m;
    }
  }
  return 0;
}

static PetscErrorCode create(MPI_Comm comm, Layout l, MisfitCase *c) {
  PetscCall(misfit_heat(comm, l, STEPS, c));
  PetscCall(observe(&c->heat, &c->data));
  return misfit_add(STEPS, c);
}

/* E of n readings u[m * stride], by the definition. */
static double envelope(int n, int stride, const double u[], int m, double sigma) {
  double turned = 0;
  for (int l = 0; l < n; l++)
    if ((m - l) % 2) turned += 2 / (PETSC_PI * (m - l)) * u[l * stride];
  return sqrt(u[m * stride] * u[m * stride] + turned * turned + sigma * sigma);
}

static double formula(const HgObservations *o, const double u[]) {
  double J = 0;
  for (int n = 0; n < ALL; n++) {
    const int m = n / SENSORS, k = n % SENSORS;
    if (!isfinite(o->sigma[n])) continue;
    const double r = (envelope(TIMES, SENSORS, u + k, m, o->sigma[n]) -
                      envelope(TIMES, SENSORS, o->value + k, m, o->sigma[n])) /
                     o->sigma[n];
    J += r * r / 2;
  }
  return J;
}

/* A wave of whatever phase within a bell has the bell as its envelope. */
static void phases(void) {
  double u[LONG];
  for (int phase = 0; phase < 4; phase++) {
    double off = 0;
    for (int m = 0; m < LONG; m++) {
      const double t = (m - LONG / 2) / 50.0;
      u[m] = exp(-t * t) * cos(0.5 * m + 0.7 * phase);
    }
    for (int m = 0; m < LONG; m++) {
      const double t = (m - LONG / 2) / 50.0;
      off = fmax(off, fabs(envelope(LONG, 1, u, m, 0) - exp(-t * t)));
    }
    claim_at_most(off, 1e-3, "phase %d: the envelope is the bell", phase);
  }
}

/* J by its formula; of data that fit. */
static PetscErrorCode values(MisfitCase *c) {
  double J, none, seen[ALL];
  PetscCall(HgTrajectoryValue(c->trajectory, c->heat.x, &J));
  PetscCall(HgObjectivePredicted(c->objective, 0, seen));
  claim_at_most(fabs(J / formula(c->data, seen) - 1), 1e-12, "J is %g", J);
  claim_same(HgObjectiveCount(c->objective), TIMES * (SENSORS - 1), "what counts");
  PetscCall(misfit_drop(c));
  for (int n = 0; n < ALL; n++) c->data->value[n] = -seen[n];
  PetscCall(misfit_add(STEPS, c));
  PetscCall(HgTrajectoryValue(c->trajectory, c->heat.x, &none));
  claim_same(none, 0, "J of waves turned by half a period");
  return 0;
}

static PetscErrorCode check_all(void) {
  HgFindings r;
  MisfitCase c;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &c));
  PetscCall(claim_checks("envelopes", c.op, c.heat.x, 1e-11, 3));
  PetscCall(claim_second_order("envelopes", c.trajectory, c.heat.x, 0.1, 1e-12, 20));
  PetscCall(examine_trajectory(c.trajectory, c.heat.x, &r));
  claim_that(!r.findings, "the doctor: %s", first_finding(&r));
  PetscCall(claim_gauss_newton(&c, false));
  PetscCall(values(&c));
  PetscCall(claim_gauss_newton(&c, true));
  return misfit_destroy(&c);
}

static PetscErrorCode plant(void) {
  MisfitCase right, wrong;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &right));
  wrong = right;
  wrong.data->envelope = false;
  PetscCall(misfit_add(STEPS, &wrong));
  PetscCall(claim_caught("plain", right.op, wrong.op, right.heat.x, true));
  PetscCall(misfit_drop(&wrong));
  return misfit_destroy(&right);
}

static PetscErrorCode refuse_data(MisfitCase *c, const char says[]) {
  HgObjective another;
  PetscCall(HgObjectiveCreate(c->heat.program, STEPS, &another));
  REFUSED(HgObjectiveAddSensors(another, c->data), says, "envelopes");
  return HgObjectiveDestroy(&another);
}

static PetscErrorCode refuse(void) {
  MisfitCase c;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &c));
  REFUSED(HgObjectiveDisturb(c.objective, 0, true), "envelopes of 'u'", "cannot be disturbed");
  c.data->huber = 1.5;
  PetscCall(refuse_data(&c, "huber 1.5"));
  c.data->huber = 0, c.data->shape = true;
  PetscCall(refuse_data(&c, "expected one of them"));
  c.data->shape = false, c.data->sigma[2 * SENSORS + 1] = INFINITY;
  PetscCall(refuse_data(&c, "sensor 1 of 'u'"));
  c.data->sigma[2 * SENSORS + 1] = 1, c.data->time[2] *= 1.01;
  PetscCall(refuse_data(&c, "evenly apart"));
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
  claim_begin("envelopes have the misfit of their definition", 0);
  phases();
  if (!ierr) ierr = check_all();
  if (!ierr) ierr = plant();
  if (!ierr) ierr = refuse();
  for (long seed = 0; seed < 2 && !ierr; seed++)
    ierr = expect_same_on_layouts("J, gradient and Hessian", run_on, seed);
  return claim_end(ierr);
}
