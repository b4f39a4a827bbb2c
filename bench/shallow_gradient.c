/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_shallow_gradient: the gradient of 1/2 ||h(T) - D||^2 in the published shallow-water case in
   units of one's own forward run: over stored steps, with respect to h, u, v, then to b, f and nu
   too; and over steps most of which are run again. */
#include "bench.h"
#include "own_shallow.h"

typedef struct {
  const char *what;
  int steps, slots;
  bool constants;
  double goal; /* 0: none */
} Row;

static PetscErrorCode row(MPI_Comm comm, int nx, int ny, int rounds, const Row *r) {
  OwnShallowGradient own;
  HgTrajectoryCost cost;
  const double points = (double)nx * ny * r->steps / 1e9;
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(OwnShallowGradientCreate(nx, ny, r->steps, r->slots, r->constants, &own));
  BenchCase c[] = {{.name = "gradient", .run = OwnShallowGradientRun, .context = &own},
                   {.name = "forward", .run = OwnShallowForward, .context = &own}};
  PetscCall(BenchInterleave(comm, rounds, 2, c));
  HgTrajectoryGetCost(own.trajectory, &cost);
  BenchLine l = {.row = "shallow-gradient",
                 .ratio = BenchCompare(&c[0], &c[1], 1),
                 .sense = r->goal > 0 ? BENCH_AT_MOST : BENCH_NO_GOAL,
                 .goal = r->goal};
  snprintf(l.run, sizeof l.run, "%d x %d, %d ranks, %s", nx, ny, ranks, r->what);
  snprintf(l.own, sizeof l.own, "%.3f GPt/s", points / BenchSeconds(&c[0]));
  snprintf(l.peer, sizeof l.peer, "own forward %.3f GPt/s, advances %.2f",
           points / BenchSeconds(&c[1]), cost.recompute_factor);
  PetscCall(BenchPrint(comm, &l));
  return OwnShallowGradientDestroy(&own);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  static const Row rows[] = {{"16 stored steps", 16, 16, false, 2.8},
                             {"b f nu too", 16, 16, true, 3.8},
                             {"32 steps in 8 slots", 32, 8, false, 0}};
  int nx = 3600, ny = 1800, rounds = 5;
  PetscCall(OwnShallowOptions("bench_shallow_gradient",
                              "shallow-water gradient beside its own forward run", &nx, &ny,
                              &rounds));
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    PetscCall(row(comm, nx, ny, rounds, &rows[k]));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
