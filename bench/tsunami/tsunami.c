/* bench_tsunami: the linear tsunami on a sphere, of as many cells as docs/tsunami.md takes, and on a grid eight times as fine: its steps
   beside a hand-fused sweep of the same scheme, and its gradient, for which nothing is stored, in units of one's own forward run. */
#include "bench.h"
#include "own_tsunami.h"
#include <halograd/options.h>

enum { FORWARD, FUSED, VALUE, GRADIENT, CASES };

static PetscErrorCode row(int nx, int ny, int steps, int rounds) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  const double points = (double)nx * ny * steps / 1e9;
  OwnTsunami own;
  PeerTsunami peer;
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(OwnTsunamiCreate(nx, ny, steps, &own));
  PetscCall(OwnTsunamiPeer(&own, &peer));
  BenchCase c[CASES] = {
      [FORWARD] = {.name = "halograd", .run = OwnTsunamiRun, .context = &own},
      [FUSED] = {.name = "fused", .run = PeerTsunamiRun, .context = &peer},
      [VALUE] = {.name = "forward", .run = OwnTsunamiForward, .context = &own},
      [GRADIENT] = {.name = "gradient", .run = OwnTsunamiGradient, .context = &own}};
  PetscCall(BenchInterleave(comm, rounds, CASES, c));
  PetscCall(OwnTsunamiSame(&own, &peer));

  BenchLine l = {.row = "tsunami",
                 .ratio = BenchCompare(&c[FUSED], &c[FORWARD], 1),
                 .sense = BENCH_AT_LEAST,
                 .goal = 1.2};
  snprintf(l.run, sizeof l.run, "%d x %d, %d ranks, forward", nx, ny, ranks);
  snprintf(l.own, sizeof l.own, "%.3f GPt/s", points / BenchSeconds(&c[FORWARD]));
  snprintf(l.peer, sizeof l.peer, "fused sweep %.3f GPt/s", points / BenchSeconds(&c[FUSED]));
  PetscCall(BenchPrint(comm, &l));
  l.ratio = BenchCompare(&c[GRADIENT], &c[VALUE], 1), l.sense = BENCH_AT_MOST, l.goal = 2.5;
  snprintf(l.run, sizeof l.run, "%d x %d, %d ranks, gradient", nx, ny, ranks);
  snprintf(l.own, sizeof l.own, "%.3f GPt/s", points / BenchSeconds(&c[GRADIENT]));
  snprintf(l.peer, sizeof l.peer, "own forward %.3f GPt/s", points / BenchSeconds(&c[VALUE]));
  PetscCall(BenchPrint(comm, &l));
  PetscCall(PeerTsunamiDestroy(&peer));
  return OwnTsunamiDestroy(&own);
}

static PetscErrorCode run(void) {
  HgOptions options;
  int nx = 251, ny = 231, steps = 120, rounds = 7;
  bool stop;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "bench_tsunami",
                            "the linear tsunami beside a hand-fused sweep, its gradient beside its "
                            "forward run",
                            &options));
  PetscCall(HgOptionsInt(options, "-nx", "cells along x", "", 16, 32768, &nx));
  PetscCall(HgOptionsInt(options, "-ny", "cells along y", "", 16, 32768, &ny));
  PetscCall(HgOptionsInt(options, "-steps", "of a run", "", 1, 100000, &steps));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options, &stop));
  return stop ? 0 : row(nx, ny, steps, rounds);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
