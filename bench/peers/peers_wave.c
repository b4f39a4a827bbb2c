/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_peers_wave: the acoustic wave of the gallery, forward and its gradient with respect to m,
   beside Devito on as many ranks. */
#include "bench.h"
#include "own_wave.h"
#include "peer_process.h"
#include <halograd/options.h>

enum { GRADIENT_STEPS = 48 };

typedef struct {
  int n, steps, rounds, ranks;
  const char *what;
} Size;

static PetscErrorCode start(const Size *s, PeerProcess *peer, bool *installed) {
  char cells[16], steps[16], rounds[16];
  snprintf(cells, sizeof cells, "%d", s->n);
  snprintf(steps, sizeof steps, "%d", s->steps);
  snprintf(rounds, sizeof rounds, "%d", s->rounds);
  return PeerProcessStart(PETSC_COMM_WORLD, "wave_devito",
                          (const char *const[]){cells, steps, rounds, s->what, NULL}, peer,
                          installed);
}

/* c[0]: ours, c[1]: the peer's. */
static PetscErrorCode report(const Size *s, const BenchCase c[2]) {
  BenchLine l = {.row = "peers", .sense = BENCH_AT_LEAST, .goal = 1};
  snprintf(l.run, sizeof l.run, "wave %d^2, %d rank%s, %s", s->n, s->ranks, s->ranks > 1 ? "s" : "",
           s->what);
  BenchSpeeds(&l, (double)s->n * s->n * s->steps, &c[0], &c[1]);
  return BenchPrint(PETSC_COMM_WORLD, &l);
}

/* Rounding grows with the steps of all rounds. */
static const PeerResult pressure = {"p", 0, 100}, slope = {"m", 0, 100};

static PetscErrorCode forward(const Size *s) {
  PeerProcess peer;
  OwnWave wave;
  OwnForward own;
  bool installed;
  PetscCall(start(s, &peer, &installed));
  if (!installed) return 0;
  PetscCall(OwnWaveCreate(PETSC_COMM_WORLD, s->n, 0, (long)s->steps * (s->rounds + 1), &wave));
  PetscCall(OwnForwardCreate(wave.program, wave.x, s->steps, &own));
  BenchCase c[] = {{.name = "own", .run = OwnForwardRun, .context = &own},
                   {.name = "Devito", .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, s->rounds, 2, c));
  PetscCall(PeerProcessSame(&peer, own.q, 1, &pressure));
  PetscCall(report(s, c));
  PetscCall(OwnForwardDestroy(&own));
  PetscCall(OwnWaveDestroy(&wave));
  return PeerProcessEnd(&peer);
}

static PetscErrorCode gradient(const Size *s) {
  PeerProcess peer;
  OwnWave wave;
  OwnTrajectory own;
  bool installed;
  const char *const known[] = {"damping", "source"};
  PetscCall(start(s, &peer, &installed));
  if (!installed) return 0;
  PetscCall(OwnWaveCreate(PETSC_COMM_WORLD, s->n, 0, s->steps, &wave));
  for (int k = 0; k < 2; k++) PetscCall(HgProgramSetActive(wave.program, known[k], false));
  PetscCall(OwnTrajectoryCreate(wave.program, wave.x, "p", s->steps, s->steps, &own));
  BenchCase c[] = {{.name = "gradient", .run = OwnTrajectoryGradient, .context = &own},
                   {.name = "Devito", .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, s->rounds, 2, c));
  PetscCall(PeerProcessSameValue(&peer, own.J));
  PetscCall(PeerProcessSame(&peer, own.x_bar, 1, &slope));
  PetscCall(report(s, c));
  PetscCall(OwnTrajectoryDestroy(&own));
  PetscCall(OwnWaveDestroy(&wave));
  return PeerProcessEnd(&peer);
}

static PetscErrorCode run(void) {
  Size s = {.n = 1024, .rounds = 7};
  HgOptions options;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "bench_peers_wave", "the acoustic wave beside Devito",
                            &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 64, 8192, &s.n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &s.rounds));
  PetscCall(HgOptionsEnd(options));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &s.ranks));
  s.what = "forward", s.steps = (int)PetscMax(4, 50000000L / ((long)s.n * s.n));
  PetscCall(forward(&s));
  s.what = "gradient", s.steps = GRADIENT_STEPS;
  return gradient(&s);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
