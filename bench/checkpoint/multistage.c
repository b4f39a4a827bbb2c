/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_multistage: the time of a gradient whose states are kept in memory and in files, beside
   what its plan has said before: the recurrence's time, by costs measured in the gradient before.
   */
#include "bench.h"
#include "own_heat.h"
#include <halograd/options.h>
#include <halograd/trajectory_library.h>

typedef struct {
  OwnGradient heat;
  HgStore store;
  HgTrajectory trajectory;
} Tiers;

static PetscErrorCode create(MPI_Comm comm, int n, int ghost, long steps, int files, int memory,
                             const char directory[], Tiers *t) {
  OwnGradient *const h = &t->heat;
  PetscCall(OwnGradientCreate(comm, n, ghost, OwnHeatTimeStep(n), steps, 1, OwnHeatKappa,
                              OwnHeatInitial, OwnHeatData, h));
  PetscCall(HgStoreCreate(h->data, memory, files, directory, &t->store));
  return HgTrajectoryCreate(h->program, steps, h->objective, t->store, &t->trajectory);
}

static PetscErrorCode destroy(Tiers *t) {
  PetscCall(HgTrajectoryDestroy(&t->trajectory));
  PetscCall(HgStoreDestroy(&t->store));
  return OwnGradientDestroy(&t->heat);
}

/* One gradient: its time over the time that was predicted. */
static PetscErrorCode run_once(Tiers *t, double *ratio, HgTrajectoryPlan *plan,
                               HgTrajectoryCost *cost) {
  PetscCall(HgStateZero(t->heat.x_bar));
  PetscCall(HgTrajectoryGradient(t->trajectory, t->heat.x, 1, &t->heat.J, t->heat.x_bar));
  HgTrajectoryGetPlan(t->trajectory, plan);
  HgTrajectoryGetCost(t->trajectory, cost);
  *ratio = cost->gradient_seconds / plan->seconds;
  return 0;
}

static PetscErrorCode line(MPI_Comm comm, int n, const char when[], int rounds, double ratio[],
                           BenchSense sense, const HgTrajectoryPlan *plan,
                           const HgTrajectoryCost *cost) {
  BenchLine l = {.row = "multistage", .sense = sense, .goal = 1.05};
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  l.ratio = BenchQuartiles(rounds, ratio);
  snprintf(l.run, sizeof l.run, "%s, N %ld, %d^2, %d ranks", when, cost->steps, n, ranks);
  snprintf(l.own, sizeof l.own, "%.3f s", cost->gradient_seconds);
  snprintf(l.peer, sizeof l.peer, "predicted %.3f s, %d files %d in memory, %.2f", plan->seconds,
           plan->slots[HG_FILE_TIER], plan->slots[HG_MEMORY_TIER], plan->recompute_factor);
  return BenchPrint(comm, &l);
}

static PetscErrorCode rows(MPI_Comm comm, int n, int ghost, long steps, int files, int memory,
                           int rounds, const char directory[]) {
  double ratio[BENCH_ROUNDS_MOST];
  HgTrajectoryPlan plan;
  HgTrajectoryCost cost;
  Tiers t;
  PetscCall(create(comm, n, ghost, steps, files, memory, directory, &t));
  PetscCall(run_once(&t, ratio, &plan, &cost));
  PetscCall(line(comm, n, "first", 1, ratio, BENCH_NO_GOAL, &plan, &cost));
  for (int k = 0; k < rounds; k++) PetscCall(run_once(&t, &ratio[k], &plan, &cost));
  PetscCall(
      line(comm, n, ghost == 1 ? "single" : "blocks", rounds, ratio, BENCH_AT_MOST, &plan, &cost));
  return destroy(&t);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int n = 1024, rounds = 5, files = 100, memory = 8, steps = 1000;
  char directory[256] = "bench_slots";
  HgOptions options;
  PetscCall(
      HgOptionsCreate(comm, "bench_multistage", "memory and files against their plan", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 16, 8192, &n));
  PetscCall(HgOptionsInt(options, "-steps", "steps", "", 2, 1000000, &steps));
  PetscCall(HgOptionsInt(options, "-files", "slots in files", "", 1, 10000, &files));
  PetscCall(HgOptionsInt(options, "-memory", "slots in memory", "", 0, 10000, &memory));
  PetscCall(HgOptionsString(options, "-directory", "of the files", sizeof directory, directory));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  for (int ghost = 1; ghost >= 0; ghost--)
    PetscCall(rows(comm, n, ghost, steps, files, memory, rounds, directory));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
