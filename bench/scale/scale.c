/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_scale: heat steps on as many cells for each rank (weak) and on as many in all (strong),
   messages and bytes of a step counted beside those of scale_model.h, and what that model predicts
   for 100 and 10 000 ranks. */
#include "bench.h"
#include "own_heat.h"
#include "scale_model.h"
#include <halograd/options.h>
#include <halograd/program_library.h>
#include <math.h>

enum {
  STEPS = 48,
  RADIUS = 1,
  BLOCK = 6 /* steps of a time block on patches of some hundred cells */
};

static const char row[] = "scale";

static BenchRatio one(double ratio) { return (BenchRatio){ratio, ratio, ratio, ratio}; }

/* What the busiest rank sends in a step of one OwnHeatRun(). */
static PetscErrorCode count(OwnHeat *own, ScaleStep *step) {
  long exchanges, messages[2];
  double bytes[2];
  for (int k = 0; k < 2; k++) { /* kappa is exchanged in the first */
    PetscCall(OwnHeatRun(own));
    HgProgramTraffic(own->program, &exchanges, &messages[k], &bytes[k]);
  }
  double sent[2] = {(double)(messages[1] - messages[0]) / STEPS, (bytes[1] - bytes[0]) / STEPS};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sent, 2, MPI_DOUBLE, MPI_MAX, HgMeshComm(own->mesh)));
  *step = (ScaleStep){.messages = sent[0], .bytes = sent[1]};
  return 0;
}

static ScalePatch patch_of(const OwnHeat *own) {
  const HgMeshSpec *mesh = HgMeshGetSpec(own->mesh);
  return (ScalePatch){.px = mesh->px,
                      .py = mesh->py,
                      .nx = (mesh->nx + mesh->px - 1) / mesh->px,
                      .ny = (mesh->ny + mesh->py - 1) / mesh->py,
                      .steps = (int)HgProgramStride(own->program, STEPS),
                      .radius = RADIUS};
}

/* Farther from 1 than the other way round; 1 if both are 0. */
static double apart(double a, double b) { return a == b ? 1 : fmax(a, b) / fmin(a, b); }

static PetscErrorCode print_counts(const OwnHeat *own, const char what[], const ScaleStep *counted,
                                   const ScaleStep *model) {
  const HgMeshSpec *mesh = HgMeshGetSpec(own->mesh);
  const MPI_Comm comm = HgMeshComm(own->mesh);
  BenchLine l = {.row = row, .sense = BENCH_AT_MOST, .goal = 1.1};
  snprintf(l.run, sizeof l.run, "%s, %d x %d ranks, T = %ld", what, mesh->px, mesh->py,
           HgProgramStride(own->program, STEPS));
  snprintf(l.own, sizeof l.own, "%.2f messages", counted->messages);
  snprintf(l.peer, sizeof l.peer, "model %.2f a step", model->messages);
  l.ratio = one(apart(counted->messages, model->messages));
  PetscCall(BenchPrint(comm, &l));
  snprintf(l.own, sizeof l.own, "%.0f bytes", counted->bytes);
  snprintf(l.peer, sizeof l.peer, "model %.0f a step", model->bytes);
  l.ratio = one(apart(counted->bytes, model->bytes));
  return BenchPrint(comm, &l);
}

/* Beside one rank's time for a cell, all cores busy alike: `ranks` processes share `cores`. */
static PetscErrorCode print_time(const OwnHeat *own, const char what[], const BenchCase *c,
                                 double points, double alone, int cores) {
  int ranks;
  PetscCallMPI(MPI_Comm_size(HgMeshComm(own->mesh), &ranks));
  BenchLine l = {.row = row, .sense = BENCH_NO_GOAL};
  const double rate = points / BenchSeconds(c), ideal = PetscMin(ranks, cores) / alone;
  snprintf(l.run, sizeof l.run, "%s, %d ranks on %d cores", what, ranks, cores);
  snprintf(l.own, sizeof l.own, "%.3f GPt/s", rate / 1e9);
  snprintf(l.peer, sizeof l.peer, "%d alone, no messages %.3f GPt/s", PetscMin(ranks, cores),
           ideal / 1e9);
  l.ratio = one(rate / ideal);
  return BenchPrint(HgMeshComm(own->mesh), &l);
}

/* *seconds of a cell on this rank's own: a rank by itself, all of them at once, as many as cores.
   */
static PetscErrorCode time_alone(int n, int rounds, int cores, double *seconds) {
  int rank;
  OwnHeat own;
  BenchCase c = {.name = "alone", .run = OwnHeatRun, .context = &own};
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  *seconds = 0;
  if (rank < cores) {
    PetscCall(OwnHeatCreate(PETSC_COMM_SELF, n, 0, OwnHeatTimeStep(n), STEPS, OwnHeatKappa, &own));
    PetscCall(HgStateSetField(own.q, "u", OwnHeatInitial, NULL));
    PetscCall(BenchInterleave(PETSC_COMM_SELF, rounds, 1, &c));
    *seconds = BenchSeconds(&c) / ((double)n * n * STEPS);
    PetscCall(OwnHeatDestroy(&own));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  return 0;
}

static PetscErrorCode run_case(const char what[], int n, int rounds, double alone, int cores) {
  OwnHeat own;
  ScaleStep counted = {0};
  BenchCase c = {.name = what, .run = OwnHeatRun, .context = &own};
  const ScaleMachine machine = {alone, 0, INFINITY};
  PetscCall(OwnHeatCreate(PETSC_COMM_WORLD, n, 0, OwnHeatTimeStep(n), STEPS, OwnHeatKappa, &own));
  PetscCall(HgStateSetField(own.q, "u", OwnHeatInitial, NULL));
  PetscCall(count(&own, &counted));
  const ScalePatch patch = patch_of(&own);
  const ScaleStep model = ScaleModel(&patch, &machine);
  PetscCall(print_counts(&own, what, &counted, &model));
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, rounds, 1, &c));
  PetscCall(print_time(&own, what, &c, (double)n * n * STEPS, alone, cores));
  return OwnHeatDestroy(&own);
}

static PetscErrorCode predict(const char what[], int ranks, long n, const ScaleMachine *m) {
  const ScalePatch patch = ScaleSquare(ranks, n, BLOCK, RADIUS);
  const ScaleStep step = ScaleModel(&patch, m);
  BenchLine l = {.row = row, .sense = BENCH_NO_GOAL};
  snprintf(l.run, sizeof l.run, "%s, %d ranks, predicted", what, ranks);
  snprintf(l.own, sizeof l.own, "%.3g s a step", step.seconds);
  snprintf(l.peer, sizeof l.peer, "%d x %d cells without messages", patch.nx, patch.ny);
  l.ratio = one((double)n * n / ranks * m->cell / step.seconds);
  return BenchPrint(PETSC_COMM_WORLD, &l);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int weak = 512, strong = 2048, rounds = 3, cores = 2, ranks;
  double latency = 2e-6, bandwidth = 1e10, alone;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_scale", "heat steps on more ranks", &options));
  PetscCall(
      HgOptionsInt(options, "-weak", "cells along x and y for each rank", "", 16, 8192, &weak));
  PetscCall(HgOptionsInt(options, "-strong", "in all", "", 16, 32768, &strong));
  PetscCall(HgOptionsInt(options, "-cores", "of this machine", "", 1, 1024, &cores));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(
      HgOptionsReal(options, "-latency", "of the network predicted for", "s", "[0, 1]", &latency));
  PetscCall(HgOptionsReal(options, "-bandwidth", "of a rank on it", "B/s", "[1, inf)", &bandwidth));
  PetscCall(HgOptionsEnd(options));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(time_alone(weak, rounds, cores, &alone));
  PetscCall(run_case("weak", (int)lround(weak * sqrt((double)ranks)), rounds, alone, cores));
  PetscCall(run_case("strong", strong, rounds, alone, cores));
  if (ranks > 1) return 0;
  const ScaleMachine machine = {alone, latency, bandwidth};
  for (int many = 100; many <= 10000; many *= 100) {
    PetscCall(predict("weak", many, lround(weak * sqrt((double)many)), &machine));
    PetscCall(predict("strong", many, 10L * strong, &machine));
  }
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
