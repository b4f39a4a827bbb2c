/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_peers_tsunami: the linear tsunami on a sphere, forward and the gradient of 1/2 ||eta(T)||^2
   with respect to eta, u and v, on one rank beside JAX on one core. */
#include "bench.h"
#include "own_tsunami.h"
#include "peer_process.h"
#include <halograd/options.h>

enum { GOAL = 10 };

typedef struct {
  int nx, ny, steps, rounds;
} Size;

/* To 1e-10 of its own largest value each: rounding grows with the steps of all rounds. */
static const PeerResult waves[] = {{"eta", 0, 100}, {"u", 1, 100}, {"v", 1, 100}};

static PetscErrorCode start(const Size *s, const char what[], PeerProcess *peer, bool *installed) {
  char nx[16], ny[16], steps[16];
  snprintf(nx, sizeof nx, "%d", s->nx);
  snprintf(ny, sizeof ny, "%d", s->ny);
  snprintf(steps, sizeof steps, "%d", s->steps);
  return PeerProcessStart(PETSC_COMM_WORLD, "tsunami_jax",
                          (const char *const[]){nx, ny, steps, what, NULL}, peer, installed);
}

/* c[0]: ours, c[1]: the peer's. */
static PetscErrorCode report(const Size *s, const char what[], const BenchCase c[2]) {
  BenchLine l = {.row = "peers", .sense = BENCH_AT_LEAST, .goal = GOAL};
  snprintf(l.run, sizeof l.run, "tsunami %d x %d, %s", s->nx, s->ny, what);
  BenchSpeeds(&l, (double)s->nx * s->ny * s->steps, &c[0], &c[1]);
  return BenchPrint(PETSC_COMM_WORLD, &l);
}

/* plain: the peer's program as one writes it; else with its barriers. */
static PetscErrorCode forward(const Size *s, bool plain) {
  PeerProcess peer;
  OwnTsunami own;
  bool installed;
  PetscCall(start(s, plain ? "plain" : "forward", &peer, &installed));
  if (!installed) return 0;
  PetscCall(OwnTsunamiCreate(s->nx, s->ny, s->steps, 0.2, false, &own));
  BenchCase c[] = {
      {.name = "own", .run = OwnTsunamiRun, .context = &own},
      {.name = plain ? "JAX, plain," : "JAX", .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, s->rounds, 2, c));
  PetscCall(PeerProcessSame(&peer, own.q, 3, waves));
  PetscCall(report(s, "forward", c));
  PetscCall(OwnTsunamiDestroy(&own));
  return PeerProcessEnd(&peer);
}

static PetscErrorCode gradient(const Size *s) {
  PeerProcess peer;
  OwnTsunami own;
  bool installed;
  PetscCall(start(s, "gradient", &peer, &installed));
  if (!installed) return 0;
  PetscCall(OwnTsunamiCreate(s->nx, s->ny, s->steps, 0.2, false, &own));
  BenchCase c[] = {{.name = "own", .run = OwnTsunamiGradient, .context = &own},
                   {.name = "jax.grad", .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, s->rounds, 2, c));
  PetscCall(PeerProcessSameValue(&peer, own.J));
  PetscCall(PeerProcessSame(&peer, own.x_bar, 3, waves));
  PetscCall(report(s, "gradient", c));
  PetscCall(OwnTsunamiDestroy(&own));
  return PeerProcessEnd(&peer);
}

static PetscErrorCode run(void) {
  Size s = {.nx = 251, .ny = 231, .steps = 120, .rounds = 7};
  HgOptions options;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "bench_peers_tsunami",
                            "the linear tsunami beside JAX on one core", &options));
  PetscCall(HgOptionsInt(options, "-nx", "cells along x", "", 16, 32768, &s.nx));
  PetscCall(HgOptionsInt(options, "-ny", "cells along y", "", 16, 32768, &s.ny));
  PetscCall(HgOptionsInt(options, "-steps", "of a run", "", 1, 100000, &s.steps));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &s.rounds));
  PetscCall(HgOptionsEnd(options));
  for (int plain = 0; plain < 2; plain++) PetscCall(forward(&s, plain));
  return gradient(&s);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
