/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_wave: the acoustic wave of the gallery, forward beside a plain loop, and its gradient with
   respect to m beside its own forward run, on one rank. */
#include "bench.h"
#include "own_wave.h"
#include <halograd/options.h>
#include <halograd/program_library.h>

enum { GRADIENT_STEPS = 48 };

static double speed(int n, int steps, const BenchCase *c) {
  return (double)n * n * steps / BenchSeconds(c) / 1e9;
}

/* 50 M cells and steps. */
static int steps_of(int n) { return (int)PetscMax(4, 50000000L / ((long)n * n)); }

static PetscErrorCode forward(MPI_Comm comm, int n, int rounds) {
  const int steps = steps_of(n);
  OwnWave wave;
  OwnForward own;
  PeerWave peer;
  PetscCall(OwnWaveCreate(comm, n, 0, (long)steps * (rounds + 1), &wave));
  PetscCall(OwnForwardCreate(wave.program, wave.x, steps, &own));
  PetscCall(OwnWavePeer(&wave, steps, &peer));
  BenchCase c[] = {{.name = "own", .run = OwnForwardRun, .context = &own},
                   {.name = "plain loop", .run = PeerWaveRun, .context = &peer}};
  PetscCall(BenchInterleave(comm, rounds, 2, c));
  PetscCall(OwnWaveSame(own.q, &peer));
  BenchLine l = {.row = "wave", .sense = BENCH_AT_LEAST, .goal = 1};
  snprintf(l.run, sizeof l.run, "%d^2, forward, %ld at once", n,
           HgProgramStride(wave.program, steps));
  BenchSpeeds(&l, (double)n * n * steps, &c[0], &c[1]);
  PetscCall(BenchPrint(comm, &l));
  PetscCall(PeerWaveDestroy(&peer));
  PetscCall(OwnForwardDestroy(&own));
  return OwnWaveDestroy(&wave);
}

static PetscErrorCode gradient(MPI_Comm comm, int n, int rounds) {
  OwnWave wave;
  OwnTrajectory own;
  OwnForward single;
  const char *const known[] = {"damping", "source"};
  PetscCall(OwnWaveCreate(comm, n, 0, (long)GRADIENT_STEPS * (rounds + 1), &wave));
  for (int k = 0; k < 2; k++) PetscCall(HgProgramSetActive(wave.program, known[k], false));
  PetscCall(OwnTrajectoryCreate(wave.program, wave.x, "p", GRADIENT_STEPS, GRADIENT_STEPS, &own));
  PetscCall(OwnForwardCreate(wave.program, wave.x, GRADIENT_STEPS, &single));
  BenchCase c[] = {{.name = "gradient", .run = OwnTrajectoryGradient, .context = &own},
                   {.name = "value", .run = OwnTrajectoryValue, .context = &own},
                   {.name = "steps", .run = OwnForwardRun, .context = &single}};
  PetscCall(BenchInterleave(comm, rounds, 3, c));
  BenchLine l = {.row = "wave", .ratio = BenchCompare(&c[0], &c[1], 1)};
  l.sense = BENCH_AT_MOST, l.goal = 3;
  snprintf(l.run, sizeof l.run, "%d^2, gradient", n);
  snprintf(l.own, sizeof l.own, "%.3f GPt/s", speed(n, GRADIENT_STEPS, &c[0]));
  snprintf(l.peer, sizeof l.peer, "own J %.3f, steps %.3f", speed(n, GRADIENT_STEPS, &c[1]),
           speed(n, GRADIENT_STEPS, &c[2]));
  PetscCall(BenchPrint(comm, &l));
  PetscCall(OwnForwardDestroy(&single));
  PetscCall(OwnTrajectoryDestroy(&own));
  return OwnWaveDestroy(&wave);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int n = 96, rounds = 9, ranks;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_wave", "the acoustic wave beside a plain loop", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 64, 32768, &n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  HgRequire(comm, ranks == 1, HG_ERR_CHECK_FAILED,
            "bench_wave: %d ranks, expected 1, as the plain loop has", ranks);
  PetscCall(forward(comm, n, rounds));
  return gradient(comm, n, rounds);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
