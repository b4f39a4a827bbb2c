/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a disturbed objective is that of data with a coin of one sigma more at each reading, of
   correlated errors at what is new in each: where the data fit, J is half their number, and
   opposite shifts of the data add up to what no coin changes; its derivatives are those of that J;
   undone, it has the bits of before; the same bits on any decomposition; the adjoint of what is not
   disturbed is caught; snapshots and shapes are refused. */
#include "hessian_claims.h"
#include "misfit_case.h"
#include "refusal.h"
#include "same_bits.h"
#include "wrong_adjoint.h"

enum { SENSORS = 6, TIMES = 9, STEPS = 14, ALL = TIMES * SENSORS };

static bool is_gap(int k) { return k % 7 == 3; }

static int gaps(void) {
  int count = 0;
  for (int k = 0; k < ALL; k++) count += is_gap(k);
  return count;
}

/* Data are `value`, or some others. */
static PetscErrorCode add(MisfitCase *c, double steps_kept, bool shape, const double value[]) {
  const double dt = HgProgramTimeStep(c->heat.program);
  HgObservations *o;
  PetscCall(HgObservationsCreate(HgMeshComm(c->heat.mesh), "u", "K", TIMES, SENSORS, &o));
  o->correlation = steps_kept * dt, o->shape = shape;
  for (int k = 0; k < SENSORS; k++) o->x[k] = 0.11 + 0.15 * k, o->y[k] = 0.75 - 0.11 * k;
  for (int m = 0; m < TIMES; m++) o->time[m] = dt * (0.3 + 1.1 * m + 0.04 * m * m);
  for (int k = 0; k < ALL; k++) {
    o->value[k] = value ? value[k] : 0.7 * (5 * k % 7) - 2;
    o->sigma[k] = is_gap(k) ? INFINITY : 0.6 + 0.05 * (k % SENSORS);
  }
  c->data = o;
  return misfit_add(STEPS, c);
}

/* J as it is, and disturbed, of data `shift` sigma above what is predicted. */
static PetscErrorCode shifted(MisfitCase *c, double steps_kept, double shift, double J[2]) {
  double seen[ALL];
  PetscCall(add(c, steps_kept, false, NULL));
  PetscCall(HgTrajectoryValue(c->trajectory, c->heat.x, &J[0]));
  PetscCall(HgObjectivePredicted(c->objective, 0, seen));
  for (int k = 0; k < ALL; k++) seen[k] += is_gap(k) ? 0 : shift * c->data->sigma[k];
  PetscCall(misfit_leave(c));
  PetscCall(add(c, steps_kept, false, seen));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgObjectiveDisturb(c->objective, 0, k));
    PetscCall(HgTrajectoryValue(c->trajectory, c->heat.x, &J[k]));
  }
  return misfit_leave(c);
}

/* (r' - xi)^2 + (r' + xi)^2 = 2 r'^2 + 2: the sum over both signs of the shift. */
static PetscErrorCode values(void) {
  const double count = ALL - gaps();
  MisfitCase c;
  PetscCall(misfit_heat(PETSC_COMM_WORLD, (Layout){0, 0}, STEPS, &c));
  for (int k = 0; k < 2; k++) {
    double fits[2], more[2], less[2];
    PetscCall(shifted(&c, 3 * k, 0, fits));
    PetscCall(shifted(&c, 3 * k, 0.7, more));
    PetscCall(shifted(&c, 3 * k, -0.7, less));
    claim_at_most(fabs(fits[1] / (count / 2) - 1), 1e-12, "J where data fit is %g", fits[1]);
    claim_at_most(fabs((more[1] + less[1]) / (2 * more[0] + count) - 1), 1e-12,
                  "J of both shifts is %g and %g, undisturbed %g", more[1], less[1], more[0]);
    const double sum = (less[1] - more[1]) / 1.4; /* of all coins */
    if (!k) claim_at_most(fabs(sum), 4 * sqrt(count), "the sum of %g coins", count);
  }
  return heat_destroy(&c.heat);
}

static PetscErrorCode describe(MisfitCase *c, char text[LAYOUT_TEXT]) {
  HgState g;
  double J;
  char digest[17];
  PetscCall(HgOperatorCreateInput(c->op, &g));
  PetscCall(HgTrajectoryGradient(c->trajectory, c->heat.x, 1, &J, g));
  PetscCall(HgStateDigest(g, NULL, digest));
  snprintf(text, LAYOUT_TEXT, "%a %s", J, digest);
  return HgStateDestroy(&g);
}

static PetscErrorCode derivatives(void) {
  for (int k = 0; k < 2; k++) {
    char text[3][LAYOUT_TEXT];
    uint64_t digest[3];
    MisfitCase c;
    PetscCall(misfit_heat(PETSC_COMM_WORLD, (Layout){0, 0}, STEPS, &c));
    PetscCall(add(&c, 3 * k, false, NULL));
    for (int n = 0; n < 3; n++) {
      PetscCall(HgObjectiveDisturb(c.objective, 0, n == 1));
      PetscCall(HgObjectiveDigest(c.objective, &digest[n]));
      PetscCall(describe(&c, text[n]));
      if (n == 1) PetscCall(claim_checks("disturbed", c.op, c.heat.x, 1e-11, 3));
      if (n == 1)
        PetscCall(claim_second_order("disturbed", c.trajectory, c.heat.x, 0.1, 1e-13, 20));
    }
    claim_that(!strcmp(text[0], text[2]) && strcmp(text[0], text[1]), "'%s', disturbed '%s', '%s'",
               text[0], text[1], text[2]);
    claim_that(digest[0] == digest[2] && digest[0] != digest[1], "its data are told from others");
    PetscCall(misfit_leave(&c));
    PetscCall(heat_destroy(&c.heat));
  }
  return 0;
}

static PetscErrorCode plant(void) {
  MisfitCase right, wrong;
  PetscCall(misfit_heat(PETSC_COMM_WORLD, (Layout){0, 0}, STEPS, &right));
  PetscCall(add(&right, 0, false, NULL));
  wrong.heat = right.heat;
  PetscCall(add(&wrong, 0, false, NULL));
  PetscCall(HgObjectiveDisturb(right.objective, 0, true));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgObjectiveDisturb(wrong.objective, 0, !k));
    PetscCall(
        claim_caught(k ? "undisturbed" : "disturbed, too", right.op, wrong.op, right.heat.x, k));
  }
  PetscCall(misfit_leave(&wrong));
  PetscCall(misfit_leave(&right));
  return heat_destroy(&right.heat);
}

static PetscErrorCode refuse(void) {
  MisfitCase c;
  PetscCall(misfit_heat(PETSC_COMM_WORLD, (Layout){0, 0}, STEPS, &c));
  PetscCall(add(&c, 0, true, NULL));
  REFUSED(HgObjectiveDisturb(c.objective, 0, true), "shapes of 'u'", "cannot be disturbed");
  PetscCall(misfit_leave(&c));
  PetscCall(add(&c, 0, false, NULL));
  c.data->student = 4;
  PetscCall(HgObjectiveAddSensors(c.objective, c.data));
  REFUSED(HgObjectiveDisturb(c.objective, 0, true), "by huber or student", "expected squares");
  PetscCall(misfit_leave(&c));
  PetscCall(add(&c, 0, false, NULL));
  PetscCall(HgObjectiveAddIntegral(c.objective,
                                   &(HgIntegral){"u", .step = STEPS, .value = 0.3, .sigma = 0.2}));
  REFUSED(HgObjectiveDisturb(c.objective, 0, true), "term 1", "no misfit of sensors");
  PetscCall(misfit_leave(&c));
  return heat_destroy(&c.heat);
}

static PetscErrorCode run_on(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  MisfitCase c;
  PetscCall(misfit_heat(comm, l, STEPS, &c));
  PetscCall(add(&c, seed ? 3 : 0, false, NULL));
  PetscCall(HgObjectiveDisturb(c.objective, 0, true));
  PetscCall(describe(&c, text));
  PetscCall(misfit_leave(&c));
  return heat_destroy(&c.heat);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("disturbed data differ by a coin", 0);
  if (!ierr) ierr = values();
  if (!ierr) ierr = derivatives();
  if (!ierr) ierr = plant();
  if (!ierr) ierr = refuse();
  for (long seed = 0; seed < 2 && !ierr; seed++)
    ierr = expect_same_on_layouts("J and gradient", run_on, seed);
  return claim_end(ierr);
}
