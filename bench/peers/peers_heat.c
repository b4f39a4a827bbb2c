/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_peers_heat: heat with a variable kappa, several steps at once and one at a time, on one
   rank beside JAX, forward and gradient; on more beside as many ranks of Devito, forward. */
#include "bench.h"
#include "own_heat.h"
#include "peer_process.h"
#include <halograd/options.h>

enum { STEPS = 16, GRADIENT_ROUNDS = 3 };

static double points(int n) { return (double)n * n * STEPS; }

static PetscErrorCode start(MPI_Comm comm, const char program[], int n, const char what[],
                            PeerProcess *peer, bool *installed) {
  char cells[16], steps[16];
  snprintf(cells, sizeof cells, "%d", n);
  snprintf(steps, sizeof steps, "%d", STEPS);
  return PeerProcessStart(comm, program, (const char *const[]){cells, steps, what, NULL}, peer,
                          installed);
}

static PetscErrorCode forward(MPI_Comm comm, int ranks, int n, int rounds) {
  PeerProcess peer;
  OwnHeat own[2]; /* several steps at once, one at a time */
  bool installed;
  PetscCall(start(comm, ranks > 1 ? "heat_devito" : "heat_jax", n, "forward", &peer, &installed));
  if (!installed) return 0;
  for (int one = 0; one < 2; one++) {
    PetscCall(OwnHeatCreate(comm, n, one, OwnHeatTimeStep(n), STEPS, OwnHeatKappa, &own[one]));
    PetscCall(HgStateSetField(own[one].q, "u", OwnHeatInitial, NULL));
  }
  BenchCase c[] = {{.name = "several", .run = OwnHeatRun, .context = &own[0]},
                   {.name = "one", .run = OwnHeatRun, .context = &own[1]},
                   {.name = ranks > 1 ? "Devito" : "JAX", .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(comm, rounds, 3, c));
  for (int one = 0; one < 2; one++) {
    PetscCall(PeerProcessSame(&peer, own[one].q, 1, (PeerResult[]){{"u", 0, 1}}));
    BenchLine l = {
        .row = "peers", .sense = ranks > 1 && !one ? BENCH_AT_LEAST : BENCH_NO_GOAL, .goal = 3};
    snprintf(l.run, sizeof l.run, "heat %d^2, %d rank%s%s", n, ranks, ranks > 1 ? "s" : "",
             one ? ", by one" : "");
    BenchSpeeds(&l, points(n), &c[one], &c[2]);
    PetscCall(BenchPrint(comm, &l));
    PetscCall(OwnHeatDestroy(&own[one]));
  }
  return PeerProcessEnd(&peer);
}

static PetscErrorCode gradient(MPI_Comm comm, int n, int rounds) {
  PeerProcess peer;
  OwnGradient own;
  bool installed;
  PetscCall(start(comm, "heat_jax", n, "gradient", &peer, &installed));
  if (!installed) return 0;
  PetscCall(OwnGradientCreate(comm, n, 0, OwnHeatTimeStep(n), STEPS, STEPS, OwnHeatKappa,
                              OwnHeatInitial, OwnHeatData, &own));
  BenchCase c[] = {{.name = "gradient", .run = OwnGradientRun, .context = &own},
                   {.name = "jax.grad", .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(comm, rounds, 2, c));
  PetscCall(PeerProcessSameValue(&peer, own.J));
  PetscCall(PeerProcessSame(&peer, own.x_bar, 2, (PeerResult[]){{"u", 0, 1}, {"kappa", 1, 1}}));
  BenchLine l = {.row = "peers", .sense = BENCH_NO_GOAL};
  snprintf(l.run, sizeof l.run, "heat %d^2, 1 rank, gradient", n);
  BenchSpeeds(&l, points(n), &c[0], &c[1]);
  PetscCall(BenchPrint(comm, &l));
  PetscCall(OwnGradientDestroy(&own));
  return PeerProcessEnd(&peer);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int n = 4096, gradient_n = 4096, rounds = 7, ranks;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_peers_heat", "heat beside JAX or Devito", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 16, 32768, &n));
  PetscCall(HgOptionsInt(options, "-gradient_n", "of the gradient beside JAX; 0: none", "", 0,
                         32768, &gradient_n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(forward(comm, ranks, n, rounds));
  if (ranks == 1 && gradient_n)
    PetscCall(gradient(comm, gradient_n, PetscMin(rounds, GRADIENT_ROUNDS)));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
