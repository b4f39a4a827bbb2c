/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_heat_forward: steps of the heat equation one at a time and in time blocks, beside PETSc's
   TSEULER on a DMDA and beside what the memory allows at 24 bytes for each cell (u and kappa read,
   u written). */
#include "bench.h"
#include "own_heat.h"
#include "peer_triad.h"
#include <halograd/options.h>

enum { TRIAD_NUMBERS = 1 << 25 };

enum { SINGLE, BLOCKS, PETSC, TRIAD, PAST_CACHES, CASES };

static double gpts(int n, int steps, const BenchCase *c) {
  return (double)n * n * steps / BenchSeconds(c) / 1e9;
}

/* What is asked for at that size. */
static double goal_single(int n) { return n >= 8192 ? 3.3 : 2.5; }

static double goal_blocks(int n) { return n >= 8192 ? 8 : n >= 2048 ? 4 : 3; }

/* Blocks beside PETSc and beside one's own single steps; these beside PETSc. */
static PetscErrorCode report_steps(MPI_Comm comm, int n, int steps, BenchCase c[CASES]) {
  const double points = (double)n * n * steps;
  BenchLine l = {.row = "heat-forward", .sense = BENCH_AT_LEAST, .goal = goal_blocks(n)};
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  snprintf(l.run, sizeof l.run, "%d^2, %d ranks, blocks", n, ranks);
  BenchSpeeds(&l, points, &c[BLOCKS], &c[PETSC]);
  PetscCall(BenchPrint(comm, &l));
  l.sense = n < 4096 ? BENCH_NO_GOAL : BENCH_AT_LEAST, l.goal = 2.4;
  BenchSpeeds(&l, points, &c[BLOCKS], &c[SINGLE]);
  PetscCall(BenchPrint(comm, &l));
  snprintf(l.run, sizeof l.run, "%d^2, %d ranks, one by one", n, ranks);
  l.goal = goal_single(n);
  BenchSpeeds(&l, points, &c[SINGLE], &c[PETSC]);
  return BenchPrint(comm, &l);
}

/* Single steps beside the memory's limit. */
static PetscErrorCode report_memory(MPI_Comm comm, int n, int steps, BenchCase c[CASES]) {
  const double cells = (double)n * n * steps, scale = cells / TRIAD_NUMBERS;
  BenchLine l = {.row = "heat-forward", .sense = BENCH_AT_LEAST, .goal = 0.8};
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  snprintf(l.run, sizeof l.run, "%d^2, %d ranks, one by one", n, ranks);
  snprintf(l.own, sizeof l.own, "%.3f GPt/s", gpts(n, steps, &c[SINGLE]));
  snprintf(l.peer, sizeof l.peer, "triad past caches %.1f GB/s",
           24.0 * TRIAD_NUMBERS / BenchSeconds(&c[PAST_CACHES]) / 1e9);
  l.ratio = BenchCompare(&c[PAST_CACHES], &c[SINGLE], scale);
  PetscCall(BenchPrint(comm, &l));
  snprintf(l.peer, sizeof l.peer, "triad %.1f GB/s (%.1f moved)",
           24.0 * TRIAD_NUMBERS / BenchSeconds(&c[TRIAD]) / 1e9,
           32.0 * TRIAD_NUMBERS / BenchSeconds(&c[TRIAD]) / 1e9);
  l.ratio = BenchCompare(&c[TRIAD], &c[SINGLE], scale);
  l.sense = BENCH_NO_GOAL;
  return BenchPrint(comm, &l);
}

/* Twelve steps of a large grid, as many more of a small one as take a few milliseconds. */
static int steps_of(int n) { return n >= 2048 ? 12 : 12 * (2048 / n) * (2048 / n); }

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int n = 4096, rounds = 9;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_heat_forward", "heat steps beside PETSc", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 16, 32768, &n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  const double dt = OwnHeatTimeStep(n);
  const int steps = steps_of(n);
  OwnHeat single, blocks;
  PeerHeat peer;
  PeerTriad triad, past_caches;
  PetscCall(OwnHeatCreate(comm, n, 1, dt, steps, OwnHeatKappa, &single));
  PetscCall(HgStateSetField(single.q, "u", OwnHeatInitial, NULL));
  PetscCall(OwnHeatCreate(comm, n, 0, dt, steps, OwnHeatKappa, &blocks));
  PetscCall(HgStateSetField(blocks.q, "u", OwnHeatInitial, NULL));
  PetscCall(PeerHeatCreate(comm, n, dt, steps, OwnHeatKappa, &peer));
  PetscCall(PeerHeatSetField(&peer, peer.u, OwnHeatInitial));
  PetscCall(PeerTriadCreate(comm, TRIAD_NUMBERS, false, &triad));
  past_caches = PeerTriadOther(&triad);
  BenchCase cases[CASES] = {
      [SINGLE] = {.name = "one by one", .run = OwnHeatRun, .context = &single},
      [BLOCKS] = {.name = "blocks", .run = OwnHeatRun, .context = &blocks},
      [PETSC] = {.name = "TSEULER/DMDA", .run = PeerHeatRun, .context = &peer},
      [TRIAD] = {.name = "triad", .run = PeerTriadRun, .context = &triad},
      [PAST_CACHES] = {.name = "triad past caches", .run = PeerTriadRun, .context = &past_caches}};
  PetscCall(BenchInterleave(comm, rounds, n >= 2048 ? CASES : TRIAD, cases));
  PetscCall(OwnHeatSame(single.q, "u", peer.dm, peer.u));
  PetscCall(OwnHeatSame(blocks.q, "u", peer.dm, peer.u));
  PetscCall(report_steps(comm, n, steps, cases));
  if (n >= 2048) PetscCall(report_memory(comm, n, steps, cases));
  PetscCall(PeerTriadDestroy(&triad));
  PetscCall(PeerHeatDestroy(&peer));
  PetscCall(OwnHeatDestroy(&blocks));
  return OwnHeatDestroy(&single);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
