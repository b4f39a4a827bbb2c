/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_shallow_forward: steps of the published shallow-water case beside a hand-fused sweep of the
   same scheme, which reads b, f and nu for each cell as we do or has them built in, beside our own
   of tendencies and stock integrators, which have the same bits, beside the run that shallow_water
   makes of such steps, and beside what the memory allows at 72 bytes for each cell (h, u, v and
   their tendencies read, h, u, v written). On grids in the cache, without what would empty it. */
#include "bench.h"
#include "own_shallow.h"
#include "peer_triad.h"

enum { TRIAD_NUMBERS = 1 << 25, RUN_TIMES = 4 /* as many steps */ };

enum { OWN, FIELDS, UNIFORM, APART, RUN, TRIAD, TRIAD_PAST, CASES };

static bool in_cache(int nx, int ny) { return (double)nx * ny < 1 << 18; }

/* Of one round: twelve, or what takes some hundredths of a second. */
static int steps_of(int nx, int ny) {
  const int steps = (1 << 21) / (nx * ny);
  return in_cache(nx, ny) ? steps - steps % 12 + 12 : 12;
}

static PetscErrorCode report(MPI_Comm comm, int nx, int ny, BenchCase c[CASES]) {
  const int steps = steps_of(nx, ny);
  const double cells = (double)nx * ny * steps, scale = 72 / 24.0 * cells / TRIAD_NUMBERS;
  static const char *const peer[] = {
      [FIELDS] = "fused sweep", [UNIFORM] = "with b, f, nu built in"};
  BenchLine l = {.row = "shallow-forward"};
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  snprintf(l.run, sizeof l.run, "%d x %d, %d ranks", nx, ny, ranks);
  snprintf(l.own, sizeof l.own, "%.3f GPt/s", cells / BenchSeconds(&c[OWN]) / 1e9);
  for (int k = FIELDS; k <= UNIFORM; k++) {
    snprintf(l.peer, sizeof l.peer, "%s %.3f GPt/s", peer[k], cells / BenchSeconds(&c[k]) / 1e9);
    l.ratio = BenchCompare(&c[k], &c[OWN], 1);
    l.sense = k == FIELDS ? BENCH_AT_LEAST : BENCH_NO_GOAL, l.goal = 1.4;
    PetscCall(BenchPrint(comm, &l));
  }
  snprintf(l.peer, sizeof l.peer, "tendencies apart %.3f GPt/s",
           cells / BenchSeconds(&c[APART]) / 1e9);
  l.ratio = BenchCompare(&c[APART], &c[OWN], 1), l.sense = BENCH_NO_GOAL;
  PetscCall(BenchPrint(comm, &l));
  snprintf(l.peer, sizeof l.peer, "a run of %d steps %.3f GPt/s", RUN_TIMES * steps,
           RUN_TIMES * cells / BenchSeconds(&c[RUN]) / 1e9);
  l.ratio = BenchCompare(&c[RUN], &c[OWN], 1. / RUN_TIMES);
  l.sense = BENCH_AT_MOST, l.goal = 1 / 0.95;
  PetscCall(BenchPrint(comm, &l));
  if (in_cache(nx, ny)) return 0;
  l.sense = BENCH_NO_GOAL;
  snprintf(l.peer, sizeof l.peer, "triad past caches %.1f GB/s",
           24.0 * TRIAD_NUMBERS / BenchSeconds(&c[TRIAD_PAST]) / 1e9);
  l.ratio = BenchCompare(&c[TRIAD_PAST], &c[OWN], scale);
  PetscCall(BenchPrint(comm, &l));
  snprintf(l.peer, sizeof l.peer, "triad %.1f GB/s (%.1f moved)",
           24.0 * TRIAD_NUMBERS / BenchSeconds(&c[TRIAD]) / 1e9,
           32.0 * TRIAD_NUMBERS / BenchSeconds(&c[TRIAD]) / 1e9);
  l.ratio = BenchCompare(&c[TRIAD], &c[OWN], scale);
  return BenchPrint(comm, &l);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int nx = 3600, ny = 1800, rounds = 9;
  PetscCall(OwnShallowOptions("bench_shallow_forward", "shallow water beside a hand-fused sweep",
                              &nx, &ny, &rounds));
  const int steps = steps_of(nx, ny);
  OwnShallow own, apart;
  OwnShallowGradient whole;
  PeerShallow fields, uniform;
  PeerTriad triad, past_caches;
  PetscCall(OwnShallowCreate(nx, ny, NULL, steps, &own));
  PetscCall(OwnShallowCreate(nx, ny, &hg_shallow_reference_physics, steps, &apart));
  PetscCall(OwnShallowGradientCreate(nx, ny, RUN_TIMES * steps, 1, false, &whole));
  PetscCall(OwnShallowPeer(&own, false, &fields));
  PetscCall(OwnShallowPeer(&own, true, &uniform));
  PetscCall(PeerTriadCreate(comm, TRIAD_NUMBERS, false, &triad));
  past_caches = PeerTriadOther(&triad);
  BenchCase cases[CASES] = {
      [OWN] = {.name = "halograd", .run = OwnShallowRun, .context = &own},
      [FIELDS] = {.name = "fused", .run = PeerShallowRun, .context = &fields},
      [UNIFORM] = {.name = "fused, built in", .run = PeerShallowRun, .context = &uniform},
      [APART] = {.name = "tendencies apart", .run = OwnShallowRun, .context = &apart},
      [RUN] = {.name = "a run", .run = OwnShallowForward, .context = &whole},
      [TRIAD] = {.name = "triad", .run = PeerTriadRun, .context = &triad},
      [TRIAD_PAST] = {.name = "triad past caches", .run = PeerTriadRun, .context = &past_caches}};
  PetscCall(BenchInterleave(comm, 1, APART, cases));
  PetscCall(OwnShallowSame(&own, &fields));
  PetscCall(OwnShallowSame(&own, &uniform));
  PetscCall(BenchInterleave(comm, rounds, in_cache(nx, ny) ? TRIAD : CASES, cases));
  PetscCall(report(comm, nx, ny, cases));
  PetscCall(PeerTriadDestroy(&triad));
  PetscCall(PeerShallowDestroy(&uniform));
  PetscCall(PeerShallowDestroy(&fields));
  PetscCall(OwnShallowGradientDestroy(&whole));
  PetscCall(OwnShallowDestroy(&apart));
  return OwnShallowDestroy(&own);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
