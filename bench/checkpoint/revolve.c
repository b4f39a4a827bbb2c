/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_revolve: steps that a checkpointed gradient advances, which must be the closed form's, and
   its wall time against t F + N R, with the times F of a step forward and R of a step reversed. */
#include "bench.h"
#include "own_heat.h"
#include <halograd/options.h>
#include <halograd/program_library.h>
#include <halograd/schedule_library.h>

enum { PROBE_STEPS = 2000 };

/* Steps forward and steps reversed on their own, without schedule, store or objective. */
typedef struct {
  OwnHeat heat;
  HgState bar[2], constants_bar;
} Probe;

static PetscErrorCode probe_create(MPI_Comm comm, int n, Probe *p) {
  PetscCall(OwnHeatCreate(comm, n, 1, OwnHeatTimeStep(n), PROBE_STEPS, OwnHeatKappa, &p->heat));
  PetscCall(HgStateSetField(p->heat.q, "u", OwnHeatInitial, NULL));
  for (int k = 0; k < 2; k++) PetscCall(HgProgramCreateCarried(p->heat.program, &p->bar[k]));
  PetscCall(HgStateSetField(p->bar[0], "u", OwnHeatData, NULL));
  return HgProgramCreateConstants(p->heat.program, &p->constants_bar);
}

static PetscErrorCode probe_destroy(Probe *p) {
  for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(&p->bar[k]));
  PetscCall(HgStateDestroy(&p->constants_bar));
  return OwnHeatDestroy(&p->heat);
}

static PetscErrorCode probe_reverse(void *self) {
  Probe *p = self;
  const OwnHeat *h = &p->heat;
  for (int n = 0; n < PROBE_STEPS; n++) {
    HgStateSetGhostDepth(h->q, 0, 0); /* in a reverse sweep every q is another one */
    PetscCall(HgProgramStepAdjoint(h->program, n, h->constants, h->q, h->q_next, p->bar[0],
                                   p->bar[1], p->constants_bar));
    PetscCall(HgProgramBoundaryAdjoint(h->program, p->bar[1]));
    const HgState used = p->bar[0];
    p->bar[0] = p->bar[1], p->bar[1] = used;
  }
  return 0;
}

/* C(n, k), exact where it fits. */
static double binomial(long n, long k) {
  double b = 1;
  for (long i = 1; i <= k; i++) b = b * (double)(n - k + i) / (double)i;
  return b;
}

/* r N - C(S + r, r - 1) with the smallest r such that C(S + r, S) >= N; S states are stored, q_0
   among them. Griewank & Walther, ACM TOMS 26 (2000). */
static double closed_form(long steps, long slots) {
  long r = 0;
  while (binomial(slots + r, slots) < (double)steps) r++;
  return r == 0 ? 0 : (double)r * (double)steps - binomial(slots + r, r - 1);
}

static PetscErrorCode row(MPI_Comm comm, int n, long steps, int slots, int rounds, Probe *probe) {
  OwnGradient own;
  HgTrajectoryCost cost;
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(OwnGradientCreate(comm, n, 1, OwnHeatTimeStep(n), steps, slots, OwnHeatKappa,
                              OwnHeatInitial, OwnHeatData, &own));
  BenchCase c[] = {{.name = "revolve", .run = OwnGradientRun, .context = &own},
                   {.name = "forward", .run = OwnHeatRun, .context = &probe->heat},
                   {.name = "reverse", .run = probe_reverse, .context = probe}};
  PetscCall(BenchInterleave(comm, rounds, 3, c));
  HgTrajectoryGetCost(own.trajectory, &cost);
  const double expected = closed_form(steps, slots);
  const long planned = HgScheduleAdvances(HG_SCHEDULE_REVOLVE, steps, slots);
  HgRequire(
      comm, (double)planned == expected && cost.advances == planned + 1, HG_ERR_CHECK_FAILED,
      "bench: revolve of %ld steps in %d slots plans %ld advances and ran %ld, expected %.0f and "
      "one more, the step to q_N",
      steps, slots, planned, cost.advances, expected);
  double ratio[BENCH_ROUNDS_MOST], model[BENCH_ROUNDS_MOST];
  for (int k = 0; k < rounds; k++) {
    model[k] = ((expected + 1) * c[1].seconds[k] + (double)steps * c[2].seconds[k]) / PROBE_STEPS;
    ratio[k] = c[0].seconds[k] / model[k];
  }
  BenchLine l = {.row = "revolve", .sense = BENCH_AT_MOST, .goal = 1.03};
  l.ratio = BenchQuartiles(rounds, ratio);
  BenchQuartiles(rounds, model);
  l.ratio.best = BenchBest(&c[0]) / model[0];
  snprintf(l.run, sizeof l.run, "N %ld S %d, %d^2, %d ranks", steps, slots, n, ranks);
  snprintf(l.own, sizeof l.own, "%ld advances", planned);
  snprintf(l.peer, sizeof l.peer, "%.1f ms beside t F + N R %.1f ms", BenchSeconds(&c[0]) * 1e3,
           BenchQuartiles(rounds, model).median * 1e3);
  PetscCall(BenchPrint(comm, &l));
  return OwnGradientDestroy(&own);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  static const long steps[] = {100, 1000, 10000};
  static const int slots[] = {5, 10, 20, 50};
  int n = 128, rounds = 5;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_revolve", "checkpointing against its model", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 16, 8192, &n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  Probe probe;
  PetscCall(probe_create(comm, n, &probe));
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 4; l++) PetscCall(row(comm, n, steps[k], slots[l], rounds, &probe));
  return probe_destroy(&probe);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
