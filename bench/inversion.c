/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_inversion: evaluations of J and its gradient until |g| <= 1e-4 |g_0|, which must not grow
   with the grid.

   Transient heat, m = log kappa from m = 0; kappa has a fast and a slow inclusion. Data: the
   whole field at 5 times with 1 % noise. J = 1/2 sum over times of the integral of (u - d)^2 +
   alpha/2 times that of m^2 + beta/2 times that of |grad m|^2; alpha = 1e-5 is about what Bayes'
   rule asks for: the variance of the noise, (1e-2 0.08 K)^2 here, over that of m. With beta =
   1e-6 alone L-BFGS needs more evaluations on each finer grid, unless R preconditions it; so with
   Matern's prior of the deviation 0.3 of m, over (1e-2 0.08 K) as J is that much smaller. */
#include "bench.h"
#include "own_heat.h"
#include <halograd/control.h>
#include <halograd/inversion.h>
#include <halograd/options.h>
#include <math.h>

enum { SNAPSHOTS = 5 };

static const double end_time = 0.02, noise = 0.01,
                    kappa_most = 3; /* kappa of iterates: for the time step */

typedef struct {
  const char *name;
  double alpha, beta, deviation, length;
  bool preconditioned;
  int most; /* evaluations */
} Weights;

static const Weights all[] = {
    {"Tikhonov", .alpha = 1e-5, .most = 64},
    {"H1", .beta = 1e-6, .preconditioned = true, .most = 30},
    {"Matern", .deviation = 400, .length = 0.4, .preconditioned = true, .most = 30}};

typedef struct {
  HgMesh mesh;
  HgProgram program;
  long steps;
  HgState data[SNAPSHOTS], truth, start; /* inputs (u_0, kappa) */
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator misfit, log, control, chain, tikhonov, functional;
} Case;

static double bump(double x, double y, double x0, double y0) {
  return exp(-((x - x0) * (x - x0) + (y - y0) * (y - y0)) / (2 * 0.12 * 0.12));
}

static double log_kappa(double x, double y, void *unused) {
  (void)unused;
  return 0.7 * bump(x, y, 0.3, 0.35) - 0.7 * bump(x, y, 0.68, 0.62);
}

static double kappa_true(double x, double y, void *unused) { return exp(log_kappa(x, y, unused)); }

static double initial(double x, double y, void *unused) {
  (void)unused;
  return 0.15 * sin(M_PI * x) * sin(M_PI * y);
}

/* Truth at the snapshot times, plus uniform noise whose standard deviation is `noise` times the
   root mean square of the field. */
static PetscErrorCode keep_snapshot(long n, double t, HgState q, void *context) {
  Case *c = context;
  HgState random;
  double square;
  (void)t;
  if (n == 0) return 0;
  const int k = (int)(n / (c->steps / SNAPSHOTS)) - 1;
  const HgMeshSpec *s = HgMeshGetSpec(c->mesh);
  PetscCall(HgStateCopy(q, c->data[k]));
  PetscCall(HgStateDot(q, q, &square));
  PetscCall(HgStateDuplicate(q, &random));
  PetscCall(HgStateRandom(random, 1000 + (uint64_t)k));
  const double root_mean_square = sqrt(square / ((double)s->nx * s->ny));
  PetscCall(HgStateAXPY(c->data[k], noise * root_mean_square * sqrt(3), random));
  return HgStateDestroy(&random);
}

static PetscErrorCode make_data(Case *c) {
  HgObjective nothing;
  HgStore store;
  HgTrajectory trajectory;
  double J;
  PetscCall(HgObjectiveCreate(c->program, c->steps, &nothing));
  PetscCall(HgStoreCreate(c->data[0], 1, 0, NULL, &store));
  PetscCall(HgTrajectoryCreate(c->program, c->steps, nothing, store, &trajectory));
  PetscCall(HgTrajectoryWatch(trajectory, c->truth, c->steps / SNAPSHOTS, keep_snapshot, c, &J));
  PetscCall(HgTrajectoryDestroy(&trajectory));
  PetscCall(HgStoreDestroy(&store));
  return HgObjectiveDestroy(&nothing);
}

static PetscErrorCode create_model(MPI_Comm comm, int n, Case *c) {
  const double h = 1.0 / n;
  const HgMeshSpec spec = {
      .nx = n, .ny = n, .x0 = h / 2, .y0 = h / 2, .dx = h, .dy = h, .ghost = 1};
  *c = (Case){0};
  c->steps = SNAPSHOTS * (long)ceil(end_time / SNAPSHOTS / HgHeatLargestStep(kappa_most, h, h));
  PetscCall(HgMeshCreate(comm, &spec, &c->mesh));
  PetscCall(HgProgramCreate(c->mesh, "heat", end_time / (double)c->steps, &c->program));
  PetscCall(HgProgramAddStencil(c->program, &hg_heat, NULL));
  PetscCall(HgProgramSetBoundary(c->program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(c->program));
  PetscCall(HgProgramCreateInput(c->program, &c->truth));
  PetscCall(HgStateSetField(c->truth, "u", initial, NULL));
  PetscCall(HgStateSetField(c->truth, "kappa", kappa_true, NULL));
  PetscCall(HgStateDuplicate(c->truth, &c->start));
  PetscCall(HgStateSetField(c->start, "u", initial, NULL));
  PetscCall(HgStateSetConstant(c->start, "kappa", 1));
  for (int k = 0; k < SNAPSHOTS; k++) PetscCall(HgProgramCreateCarried(c->program, &c->data[k]));
  return make_data(c);
}

/* m -> J(exp m) + R(m). A cell of a snapshot weighs its area: sigma = 1 / h. */
static PetscErrorCode create_functional(Weights w, Case *c) {
  const double sigma = 1 / HgMeshGetSpec(c->mesh)->dx;
  PetscCall(HgObjectiveCreate(c->program, c->steps, &c->objective));
  for (int k = 0; k < SNAPSHOTS; k++)
    PetscCall(HgObjectiveAddSnapshot(c->objective, "u", c->steps / SNAPSHOTS * (k + 1), c->data[k],
                                     sigma));
  PetscCall(HgStoreCreate(c->data[0], 64, 0, NULL, &c->store));
  PetscCall(HgTrajectoryCreate(c->program, c->steps, c->objective, c->store, &c->trajectory));
  PetscCall(HgTrajectoryOperator(c->trajectory, &c->misfit));
  PetscCall(HgParametrisationLog(c->mesh, "log_kappa", "kappa", "m^2/s", &c->log));
  PetscCall(HgControlCreate(c->start, 1, &(HgControl){"kappa", c->log}, &c->control));
  PetscCall(HgOperatorChain("misfit", 2, (HgOperator[]){c->control, c->misfit}, &c->chain));
  HgState m;
  PetscCall(HgOperatorCreateInput(c->chain, &m));
  PetscCall(HgRegularisationCreate(m,
                                   &(HgRegularisation){.control = "log_kappa",
                                                       .alpha = w.alpha,
                                                       .beta = w.beta,
                                                       .deviation = w.deviation,
                                                       .length = w.length},
                                   &c->tikhonov));
  PetscCall(HgStateDestroy(&m));
  return HgOperatorSum("J", 2, (HgOperator[]){c->chain, c->tikhonov}, &c->functional);
}

static PetscErrorCode destroy(Case *c) {
  HgOperator *const operators[] = {&c->functional, &c->tikhonov, &c->chain,
                                   &c->control,    &c->log,      &c->misfit};
  for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
    PetscCall(HgOperatorDestroy(operators[k]));
  PetscCall(HgTrajectoryDestroy(&c->trajectory));
  PetscCall(HgStoreDestroy(&c->store));
  PetscCall(HgObjectiveDestroy(&c->objective));
  for (int k = 0; k < SNAPSHOTS; k++) PetscCall(HgStateDestroy(&c->data[k]));
  PetscCall(HgStateDestroy(&c->truth));
  PetscCall(HgStateDestroy(&c->start));
  PetscCall(HgProgramDestroy(&c->program));
  return HgMeshDestroy(&c->mesh);
}

/* ||m - log kappa_true|| / ||log kappa_true||: 1 at the start. */
static PetscErrorCode error_of(HgState m, double *error) {
  HgState truth;
  double square, norm;
  PetscCall(HgStateDuplicate(m, &truth));
  PetscCall(HgStateSetField(truth, "log_kappa", log_kappa, NULL));
  PetscCall(HgStateDot(truth, truth, &norm));
  PetscCall(HgStateAXPY(truth, -1, m));
  PetscCall(HgStateDot(truth, truth, &square));
  *error = sqrt(square / norm);
  return HgStateDestroy(&truth);
}

static PetscErrorCode row(MPI_Comm comm, int n, Weights w) {
  Case c;
  HgState m;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  double error = 0;
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(create_model(comm, n, &c));
  PetscCall(create_functional(w, &c));
  PetscCall(HgOperatorCreateInput(c.functional, &m));
  PetscCall(HgInversionCreate(c.functional, &inversion));
  PetscCall(
      HgInversionSetRules(inversion, &(HgInversionRules){.tolerance = 1e-4,
                                                         .iterations = 500,
                                                         .evaluations = 1000,
                                                         .preconditioned = w.preconditioned}));
  PetscCall(HgInversionSetPart(inversion, c.tikhonov));
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  PetscCall(error_of(m, &error));
  const double count = last.evaluations;
  BenchLine l = {.row = "inversion",
                 .ratio = {count, count, count, count},
                 .sense = BENCH_AT_MOST,
                 .goal = w.most};
  snprintf(l.run, sizeof l.run, "%s, %d^2, %d ranks", w.name, n, ranks);
  snprintf(l.own, sizeof l.own, "%d evaluations", last.evaluations);
  snprintf(l.peer, sizeof l.peer, "%d iterations, %.1f s, error %.3f", last.iteration, last.seconds,
           error);
  PetscCall(BenchPrint(comm, &l));
  PetscCall(PetscPrintf(comm, "%14s alpha %g, beta %g, J %.4e, |g| %.2e: %s\n", "", w.alpha, w.beta,
                        last.J, last.gradient_norm, reason));
  PetscCall(HgInversionDestroy(&inversion));
  PetscCall(HgStateDestroy(&m));
  return destroy(&c);
}

static PetscErrorCode run(void) {
  int most = 128;
  HgOptions options;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "bench_inversion", "evaluations of an inversion",
                            &options));
  PetscCall(
      HgOptionsInt(options, "-n", "cells of the finest grid along x and y", "", 32, 1024, &most));
  PetscCall(HgOptionsEnd(options));
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    for (int n = 32; n <= most; n *= 2) PetscCall(row(PETSC_COMM_WORLD, n, all[k]));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
