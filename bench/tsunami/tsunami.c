/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_tsunami: the linear tsunami on a sphere, of as many cells as docs/tsunami.md takes, and on
   a grid eight times as fine: its steps beside a hand-fused sweep of the same scheme, and its
   gradient, for which nothing is stored, in units of one's own forward run; and both where land is
   skipped beside those that compute it. */
#include "bench.h"
#include "own_tsunami.h"
#include <halograd/options.h>

enum { FORWARD, FUSED, VALUE, GRADIENT, MASKED, MASKED_GRADIENT, CASES };

typedef struct {
  int nx, ny, steps, rounds;
  double land;
} Size;

/* One row: ours beside another case, of the sense and goal of l. */
static PetscErrorCode print(const Size *s, const BenchCase *own, const BenchCase *peer, BenchLine l,
                            const char what[]) {
  int ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  l.row = "tsunami";
  snprintf(l.run, sizeof l.run, "%d x %d, %d ranks, %s", s->nx, s->ny, ranks, what);
  BenchSpeeds(&l, (double)s->nx * s->ny * s->steps, own, peer);
  return BenchPrint(PETSC_COMM_WORLD, &l);
}

static PetscErrorCode rows(const Size *s) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  const double skipped = 0.9 / (1 - PetscMin(s->land, 0.99)); /* of all that land takes */
  OwnTsunami own, masked;
  PeerTsunami peer;
  PetscCall(OwnTsunamiCreate(s->nx, s->ny, s->steps, s->land, false, &own));
  PetscCall(OwnTsunamiCreate(s->nx, s->ny, s->steps, s->land, true, &masked));
  PetscCall(OwnTsunamiPeer(&own, &peer));
  BenchCase c[CASES] = {
      [FORWARD] = {.name = "all cells", .run = OwnTsunamiRun, .context = &own},
      [FUSED] = {.name = "fused sweep", .run = PeerTsunamiRun, .context = &peer},
      [VALUE] = {.name = "own forward", .run = OwnTsunamiForward, .context = &own},
      [GRADIENT] = {.name = "all cells", .run = OwnTsunamiGradient, .context = &own},
      [MASKED] = {.name = "land skipped", .run = OwnTsunamiRun, .context = &masked},
      [MASKED_GRADIENT] = {.name = "land skipped", .run = OwnTsunamiGradient, .context = &masked}};
  PetscCall(BenchInterleave(comm, s->rounds, CASES, c));
  PetscCall(OwnTsunamiSame(&own, &peer));
  PetscCall(OwnTsunamiSame(&masked, &peer));
  PetscCall(print(s, &c[FORWARD], &c[FUSED], (BenchLine){.sense = BENCH_AT_LEAST, .goal = 1.2},
                  "forward"));
  PetscCall(print(s, &c[GRADIENT], &c[VALUE], (BenchLine){.sense = BENCH_AT_MOST, .goal = 2.5},
                  "gradient"));
  PetscCall(print(s, &c[MASKED], &c[FORWARD], (BenchLine){.sense = BENCH_AT_LEAST, .goal = skipped},
                  "land skipped"));
  PetscCall(print(s, &c[MASKED_GRADIENT], &c[GRADIENT],
                  (BenchLine){.sense = BENCH_AT_LEAST, .goal = skipped}, "land skipped, gradient"));
  PetscCall(PeerTsunamiDestroy(&peer));
  PetscCall(OwnTsunamiDestroy(&masked));
  return OwnTsunamiDestroy(&own);
}

static PetscErrorCode run(void) {
  HgOptions options;
  Size s = {.nx = 251, .ny = 231, .steps = 120, .rounds = 7, .land = 0.2};
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "bench_tsunami",
                            "the linear tsunami beside a hand-fused sweep, its gradient beside its "
                            "forward run",
                            &options));
  PetscCall(HgOptionsInt(options, "-nx", "cells along x", "", 16, 32768, &s.nx));
  PetscCall(HgOptionsInt(options, "-ny", "cells along y", "", 16, 32768, &s.ny));
  PetscCall(HgOptionsInt(options, "-steps", "of a run", "", 1, 100000, &s.steps));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &s.rounds));
  PetscCall(HgOptionsReal(options, "-land", "how much of the domain is land, about", "", "[0, 1)",
                          &s.land));
  PetscCall(HgOptionsEnd(options));
  return rows(&s);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
