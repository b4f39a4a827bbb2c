/* bench_heat_forward: one step of the heat equation at a time, beside PETSc's TSEULER on a DMDA and
   beside what the memory allows at 24 bytes for each cell (u and kappa read, u written). */
#include "bench.h"
#include "own_heat.h"
#include "peer_triad.h"
#include <halograd/options.h>

enum { TRIAD_NUMBERS = 1 << 25, STEPS = 4 };

static PetscErrorCode report(MPI_Comm comm, int n, BenchCase c[4]) {
  const double cells = (double)n * n * STEPS, scale = cells / TRIAD_NUMBERS;
  BenchLine l = {.row = "heat-forward"};
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  snprintf(l.run, sizeof l.run, "%d^2, %d ranks", n, ranks);
  snprintf(l.own, sizeof l.own, "%.3f GPt/s", cells / BenchSeconds(&c[0]) / 1e9);
  snprintf(l.peer, sizeof l.peer, "TSEULER/DMDA %.3f GPt/s", cells / BenchSeconds(&c[1]) / 1e9);
  l.ratio = BenchCompare(&c[1], &c[0], 1);
  l.sense = BENCH_AT_LEAST, l.goal = n >= 8192 ? 3.3 : 2.5;
  PetscCall(BenchPrint(comm, &l));
  snprintf(l.peer, sizeof l.peer, "triad past caches %.1f GB/s",
           24.0 * TRIAD_NUMBERS / BenchSeconds(&c[3]) / 1e9);
  l.ratio = BenchCompare(&c[3], &c[0], scale);
  l.goal = 0.8;
  PetscCall(BenchPrint(comm, &l));
  snprintf(l.peer, sizeof l.peer, "triad %.1f GB/s (%.1f moved)",
           24.0 * TRIAD_NUMBERS / BenchSeconds(&c[2]) / 1e9,
           32.0 * TRIAD_NUMBERS / BenchSeconds(&c[2]) / 1e9);
  l.ratio = BenchCompare(&c[2], &c[0], scale);
  l.sense = BENCH_NO_GOAL;
  return BenchPrint(comm, &l);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int n = 4096, rounds = 9;
  bool stop;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_heat_forward", "heat steps beside PETSc", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 16, 32768, &n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options, &stop));
  if (stop) return 0;
  const double dt = OwnHeatTimeStep(n);
  OwnHeat own;
  PeerHeat peer;
  PeerTriad triad, past_caches;
  PetscCall(OwnHeatCreate(comm, n, 1, dt, STEPS, OwnHeatKappa, &own));
  PetscCall(HgStateSetField(own.q, "u", OwnHeatInitial, NULL));
  PetscCall(PeerHeatCreate(comm, n, dt, STEPS, OwnHeatKappa, &peer));
  PetscCall(PeerHeatSetField(&peer, peer.u, OwnHeatInitial));
  PetscCall(PeerTriadCreate(comm, TRIAD_NUMBERS, false, &triad));
  past_caches = PeerTriadOther(&triad);
  BenchCase cases[] = {{.name = "halograd", .run = OwnHeatRun, .context = &own},
                       {.name = "PETSc", .run = PeerHeatRun, .context = &peer},
                       {.name = "triad", .run = PeerTriadRun, .context = &triad},
                       {.name = "triad past caches", .run = PeerTriadRun, .context = &past_caches}};
  PetscCall(BenchInterleave(comm, rounds, 4, cases));
  PetscCall(OwnHeatSame(own.q, "u", peer.dm, peer.u));
  PetscCall(report(comm, n, cases));
  PetscCall(PeerTriadDestroy(&triad));
  PetscCall(PeerHeatDestroy(&peer));
  return OwnHeatDestroy(&own);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
