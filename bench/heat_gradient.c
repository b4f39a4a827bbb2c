/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_heat_gradient: u_0 and kappa gradient of 16 stored steps in units of one's own forward run,
   and, on a grid that assembled matrices can afford, beside PETSc's TSAdjoint. */
#include "bench.h"
#include "own_heat.h"
#include "peer_gradient.h"
#include <halograd/memory_library.h>
#include <halograd/options.h>
#include <string.h>

enum { STEPS = 16 };

static double points(int n) { return (double)n * n * STEPS; }

typedef struct {
  const char *what;
  int steps, slots;
  double goal; /* in forward runs that make one step at a time */
} Row;

/* The host gives a virtual machine memory at a tenth of the speed at which its own system hands it
   out again. So as much as a gradient takes is used here, and given back. Collective. */
static PetscErrorCode use_memory(MPI_Comm comm, int n) {
  enum { STATES = 12 };

  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  const size_t bytes = STATES * sizeof(double) * (size_t)n * (size_t)n / (size_t)ranks;
  void *const memory = HgZeroedMemory(bytes);
  HgRequire(comm, memory, HG_ERR_MEMORY,
            "bench_heat_gradient: no memory for %d states of %d^2 cells", STATES, n);
  memset(memory, 1, bytes);
  HgFreeMemory(memory, bytes);
  PetscCallMPI(MPI_Barrier(comm));
  return 0;
}

/* The first one, whose memory is fresh. *seconds of the slowest rank. */
static PetscErrorCode run_first(MPI_Comm comm, OwnGradient *own, double *seconds) {
  PetscCallMPI(MPI_Barrier(comm));
  const double start = MPI_Wtime();
  PetscCall(OwnGradientRun(own));
  *seconds = MPI_Wtime() - start;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
  return 0;
}

static PetscErrorCode print_first(MPI_Comm comm, BenchLine *l, double seconds, const BenchCase *c) {
  const double ratio = seconds / BenchSeconds(c);
  snprintf(l->own, sizeof l->own, "the first %.3f s", seconds);
  snprintf(l->peer, sizeof l->peer, "later ones %.3f s", BenchSeconds(c));
  l->ratio = (BenchRatio){ratio, ratio, ratio, ratio}, l->sense = BENCH_AT_MOST, l->goal = 1.3;
  return BenchPrint(comm, l);
}

/* Beside one's own forward runs: one step at a time, and in time blocks. */
static PetscErrorCode own_row(MPI_Comm comm, int n, int rounds, const Row *r) {
  const double dt = OwnHeatTimeStep(n), points = (double)n * n * r->steps / 1e9;
  OwnGradient own;
  OwnHeat single;
  HgTrajectoryCost cost;
  int ranks;
  double first;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(use_memory(comm, n));
  PetscCall(OwnGradientCreate(comm, n, 0, dt, r->steps, r->slots, OwnHeatKappa, OwnHeatInitial,
                              OwnHeatData, &own));
  PetscCall(OwnHeatCreate(comm, n, 1, dt, r->steps, OwnHeatKappa, &single));
  PetscCall(HgStateSetField(single.q, "u", OwnHeatInitial, NULL));
  BenchCase c[] = {{.name = "gradient", .run = OwnGradientRun, .context = &own},
                   {.name = "one by one", .run = OwnHeatRun, .context = &single},
                   {.name = "forward", .run = OwnGradientForward, .context = &own}};
  PetscCall(run_first(comm, &own, &first));
  PetscCall(BenchInterleave(comm, rounds, 3, c));
  HgTrajectoryGetCost(own.trajectory, &cost);
  BenchLine l = {.row = "heat-gradient",
                 .ratio = BenchCompare(&c[0], &c[1], 1),
                 .sense = BENCH_AT_MOST,
                 .goal = r->goal};
  snprintf(l.run, sizeof l.run, "%d^2, %d ranks, %s", n, ranks, r->what);
  snprintf(l.own, sizeof l.own, "%.3f GPt/s", points / BenchSeconds(&c[0]));
  snprintf(l.peer, sizeof l.peer, "own steps one by one %.3f GPt/s, advances %.2f",
           points / BenchSeconds(&c[1]), cost.recompute_factor);
  PetscCall(BenchPrint(comm, &l));
  l.ratio = BenchCompare(&c[0], &c[2], 1), l.sense = BENCH_NO_GOAL;
  snprintf(l.peer, sizeof l.peer, "own steps in time blocks %.3f GPt/s",
           points / BenchSeconds(&c[2]));
  PetscCall(BenchPrint(comm, &l));
  PetscCall(print_first(comm, &l, first, &c[0]));
  PetscCall(OwnHeatDestroy(&single));
  return OwnGradientDestroy(&own);
}

static PetscErrorCode same_gradient(const OwnGradient *own, const PeerGradient *peer) {
  const MPI_Comm comm = HgMeshComm(own->mesh);
  HgRequire(comm, PetscAbsReal(own->J - peer->J) <= 1e-12 * peer->J, HG_ERR_CHECK_FAILED,
            "bench: our J is %.17g, PETSc's %.17g", own->J, peer->J);
  PetscCall(OwnHeatSame(own->x_bar, "u", peer->heat.dm, peer->lambda));
  return OwnHeatSame(own->x_bar, "kappa", peer->heat.dm, peer->mu);
}

static PetscErrorCode peer_row(MPI_Comm comm, int n, int rounds) {
  const double dt = OwnHeatTimeStep(n);
  OwnGradient own;
  PeerGradient peer;
  PeerHeat forward;
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(OwnGradientCreate(comm, n, 0, dt, STEPS, STEPS, OwnHeatKappa, OwnHeatInitial,
                              OwnHeatData, &own));
  PetscCall(
      PeerGradientCreate(comm, n, dt, STEPS, OwnHeatKappa, OwnHeatInitial, OwnHeatData, &peer));
  PetscCall(PeerHeatCreate(comm, n, dt, STEPS, OwnHeatKappa, &forward));
  PetscCall(PeerHeatSetField(&forward, forward.u, OwnHeatInitial));
  BenchCase c[] = {{.name = "gradient", .run = OwnGradientRun, .context = &own},
                   {.name = "TSAdjoint gradient", .run = PeerGradientRun, .context = &peer},
                   {.name = "TSEULER forward", .run = PeerHeatRun, .context = &forward}};
  PetscCall(BenchInterleave(comm, rounds, 3, c));
  PetscCall(same_gradient(&own, &peer));
  BenchLine l = {.row = "heat-gradient", .sense = BENCH_AT_LEAST, .goal = 60};
  snprintf(l.run, sizeof l.run, "%d^2, %d steps, %d ranks", n, STEPS, ranks);
  BenchSpeeds(&l, points(n), &c[0], &c[1]);
  PetscCall(BenchPrint(comm, &l));
  l.sense = BENCH_AT_MOST, l.goal = 0.6;
  BenchSpeeds(&l, points(n), &c[0], &c[2]);
  PetscCall(BenchPrint(comm, &l));
  PetscCall(PeerHeatDestroy(&forward));
  PetscCall(PeerGradientDestroy(&peer));
  return OwnGradientDestroy(&own);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  static const Row rows[] = {{"16 steps, all stored", 16, 16, 1.8},
                             {"1000 steps in 32 slots", 1000, 32, 2.4}};
  int n = 4096, long_n = 1024, peer_n = 1024, rounds = 5;
  HgOptions options;
  PetscCall(
      HgOptionsCreate(comm, "bench_heat_gradient", "heat gradient beside TSAdjoint", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 16, 32768, &n));
  PetscCall(HgOptionsInt(options, "-long_n", "of 1000 steps; 0: not", "", 0, 8192, &long_n));
  PetscCall(HgOptionsInt(options, "-peer_n", "beside TSAdjoint; 0: not", "", 0, 4096, &peer_n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  PetscCall(own_row(comm, n, rounds, &rows[0]));
  if (long_n) PetscCall(own_row(comm, long_n, rounds, &rows[1]));
  if (peer_n) PetscCall(peer_row(comm, peer_n, rounds));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
