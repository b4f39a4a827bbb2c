/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_threads: heat steps with 1, 2, 4 ... threads on each rank, beside one thread; the numbers
   must have the same bits. Run on several numbers of ranks, it gives a table of both. */
#include "bench.h"
#include "own_heat.h"
#include <halograd/options.h>
#include <string.h>

enum { STEPS = 4, MOST = 7 };

static PetscErrorCode create(MPI_Comm comm, int n, int threads, OwnHeat *own) {
  char text[16];
  snprintf(text, sizeof text, "%d", threads);
  PetscCall(PetscOptionsSetValue(NULL, "-hg_threads", text));
  PetscCall(OwnHeatCreate(comm, n, 1, OwnHeatTimeStep(n), STEPS, OwnHeatKappa, own));
  return HgStateSetField(own->q, "u", OwnHeatInitial, NULL);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int n = 4096, rounds = 9, most = 2, ranks;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_threads", "threads on each rank", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 16, 32768, &n));
  PetscCall(HgOptionsInt(options, "-threads", "at most, on a rank", "", 1, 1 << (MOST - 1), &most));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  OwnHeat own[MOST];
  BenchCase cases[MOST];
  int count = 0;
  for (int threads = 1; threads <= most; threads *= 2, count++) {
    PetscCall(create(comm, n, threads, &own[count]));
    cases[count] = (BenchCase){.name = "heat", .run = OwnHeatRun, .context = &own[count]};
  }
  PetscCall(BenchInterleave(comm, rounds, count, cases));
  char first[17], digest[17];
  for (int k = 0; k < count; k++) {
    const int threads = 1 << k;
    BenchLine l = {.row = "threads", .ratio = BenchCompare(&cases[0], &cases[k], 1)};
    PetscCall(HgStateDigest(own[k].q, NULL, k ? digest : first));
    HgRequire(comm, !k || !strcmp(digest, first), HG_ERR_CHECK_FAILED,
              "bench: the digest is %s with %d threads, expected %s as with one", digest, threads,
              first);
    l.sense = BENCH_NO_GOAL;
    snprintf(l.run, sizeof l.run, "%d^2, %d ranks x %d threads", n, ranks, threads);
    snprintf(l.own, sizeof l.own, "%.3f GPt/s",
             (double)n * n * STEPS / BenchSeconds(&cases[k]) / 1e9);
    snprintf(l.peer, sizeof l.peer, "one thread %.3f GPt/s",
             (double)n * n * STEPS / BenchSeconds(&cases[0]) / 1e9);
    PetscCall(BenchPrint(comm, &l));
    PetscCall(OwnHeatDestroy(&own[k]));
  }
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
