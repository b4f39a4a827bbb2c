/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_directions: J'(x) dx and J''(x) dx of 2, 4 and 8 directions in one sweep, each direction
   beside one alone; products of Gauss-Newton's Hessian beside a gradient: heat, for u_0 and kappa,
   and shallow water, for h, u, v. On one rank: BENCH_CLOCK=cpu. */
#include "bench.h"
#include "own_heat.h"
#include "own_shallow.h"
#include <halograd/objective.h>
#include <halograd/options.h>
#include <halograd/trajectory_library.h>

enum { CASES = 4, MOST = 8 };

static const int counts[CASES] = {1, 2, 4, MOST};

/* So many directions at x. */
typedef struct {
  HgTrajectory trajectory;
  HgState x, dx[MOST], h[MOST];
  double J, dJ[MOST];
  int count;
} Sweep;

static PetscErrorCode sweep_create(HgTrajectory t, HgState x, int count, Sweep *s) {
  *s = (Sweep){.trajectory = t, .x = x, .count = count};
  for (int v = 0; v < count; v++) {
    PetscCall(HgStateDuplicate(x, &s->dx[v]));
    PetscCall(HgStateDuplicate(x, &s->h[v]));
    PetscCall(HgStateRandom(s->dx[v], (uint64_t)v));
    PetscCall(HgStateScale(s->dx[v], 1e-3));
  }
  return 0;
}

static PetscErrorCode sweep_destroy(Sweep *s) {
  for (int v = 0; v < s->count; v++) {
    PetscCall(HgStateDestroy(&s->dx[v]));
    PetscCall(HgStateDestroy(&s->h[v]));
  }
  return 0;
}

static PetscErrorCode tangents(void *self) {
  Sweep *s = self;
  return HgTrajectoryTangents(s->trajectory, s->x, s->count, s->dx, &s->J, s->dJ);
}

static PetscErrorCode hessians(void *self) {
  Sweep *s = self;
  return HgTrajectoryHessians(s->trajectory, s->x, s->count, s->dx, s->dJ, NULL, s->h);
}

static PetscErrorCode gradient(void *self) {
  Sweep *s = self;
  return HgTrajectoryGradient(s->trajectory, s->x, 1, &s->J, s->h[0]);
}

/* One alone, and the most. */
static PetscErrorCode gauss_newton(MPI_Comm comm, const char what[], int rounds, Sweep sweep[]) {
  BenchCase c[] = {{.run = gradient, .context = &sweep[1]},
                   {.run = hessians, .context = &sweep[0]},
                   {.run = hessians, .context = &sweep[CASES - 1]}};
  for (int k = 0; k < CASES; k++)
    HgObjectiveSetGaussNewton(HgTrajectoryObjective(sweep[k].trajectory), true);
  PetscCall(BenchInterleave(comm, rounds, 3, c));
  for (int k = 1; k < 3; k++) {
    const int count = k == 1 ? 1 : MOST;
    BenchLine l = {.row = "directions", .ratio = BenchCompare(&c[k], &c[0], 1.0 / count)};
    l.sense = BENCH_AT_MOST, l.goal = 1.6;
    snprintf(l.run, sizeof l.run, "Gauss-Newton, %s, %d", what, count);
    snprintf(l.own, sizeof l.own, "%.1f ms each", 1e3 * BenchSeconds(&c[k]) / count);
    snprintf(l.peer, sizeof l.peer, "gradient %.1f ms", 1e3 * BenchSeconds(&c[0]));
    PetscCall(BenchPrint(comm, &l));
  }
  return 0;
}

/* The first direction of each is the same. */
static PetscErrorCode same(MPI_Comm comm, const Sweep sweep[]) {
  for (int k = 1; k < CASES; k++)
    HgRequire(comm, sweep[k].dJ[0] == sweep[0].dJ[0], HG_ERR_CHECK_FAILED,
              "bench: J'(x) dx is %.17g alone, %.17g among %d directions", sweep[0].dJ[0],
              sweep[k].dJ[0], counts[k]);
  return 0;
}

static PetscErrorCode compare(MPI_Comm comm, const char what[], BenchFn *run, int rounds,
                              Sweep sweep[]) {
  BenchCase c[CASES];
  for (int k = 0; k < CASES; k++) c[k] = (BenchCase){.run = run, .context = &sweep[k]};
  PetscCall(BenchInterleave(comm, rounds, CASES, c));
  PetscCall(same(comm, sweep));
  for (int k = 1; k < CASES; k++) {
    BenchLine l = {.row = "directions", .ratio = BenchCompare(&c[k], &c[0], 1.0 / counts[k])};
    l.sense = counts[k] == MOST ? BENCH_AT_MOST : BENCH_NO_GOAL, l.goal = 0.6;
    snprintf(l.run, sizeof l.run, "%s, %d", what, counts[k]);
    snprintf(l.own, sizeof l.own, "%.1f ms each", 1e3 * BenchSeconds(&c[k]) / counts[k]);
    snprintf(l.peer, sizeof l.peer, "one alone %.1f ms", 1e3 * BenchSeconds(&c[0]));
    PetscCall(BenchPrint(comm, &l));
  }
  return 0;
}

static PetscErrorCode all_of(MPI_Comm comm, const char what[], int rounds, Sweep sweep[]) {
  char text[64];
  snprintf(text, sizeof text, "tangents, %s", what);
  PetscCall(compare(comm, text, tangents, rounds, sweep));
  snprintf(text, sizeof text, "Hessians, %s", what);
  PetscCall(compare(comm, text, hessians, rounds, sweep));
  PetscCall(gauss_newton(comm, what, rounds, sweep));
  for (int k = 0; k < CASES; k++) PetscCall(sweep_destroy(&sweep[k]));
  return 0;
}

static PetscErrorCode heat(MPI_Comm comm, int n, int rounds) {
  enum { STEPS = 16 };

  OwnGradient own[CASES];
  Sweep sweep[CASES];
  char what[32];
  for (int k = 0; k < CASES; k++) {
    PetscCall(OwnGradientCreate(comm, n, 0, OwnHeatTimeStep(n), STEPS, STEPS, OwnHeatKappa,
                                OwnHeatInitial, OwnHeatData, &own[k]));
    PetscCall(sweep_create(own[k].trajectory, own[k].x, counts[k], &sweep[k]));
  }
  snprintf(what, sizeof what, "heat %d^2", n);
  PetscCall(all_of(comm, what, rounds, sweep));
  for (int k = 0; k < CASES; k++) PetscCall(OwnGradientDestroy(&own[k]));
  return 0;
}

static PetscErrorCode shallow(MPI_Comm comm, int n, int rounds) {
  enum { STEPS = 12, SLOTS = 4 };

  OwnShallowGradient own[CASES];
  Sweep sweep[CASES];
  char what[32];
  for (int k = 0; k < CASES; k++) {
    PetscCall(OwnShallowGradientCreate(n, n, STEPS, SLOTS, false, &own[k]));
    PetscCall(sweep_create(own[k].trajectory, own[k].shallow.x, counts[k], &sweep[k]));
  }
  snprintf(what, sizeof what, "shallow %d^2", n);
  PetscCall(all_of(comm, what, rounds, sweep));
  for (int k = 0; k < CASES; k++) PetscCall(OwnShallowGradientDestroy(&own[k]));
  return 0;
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int heat_n = 1024, shallow_n = 512, rounds = 9;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_directions", "many directions in one sweep", &options));
  PetscCall(HgOptionsInt(options, "-heat_n", "cells along x and y; 0: not", "", 0, 8192, &heat_n));
  PetscCall(HgOptionsInt(options, "-shallow_n", "likewise", "", 0, 8192, &shallow_n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  PetscCall(PetscOptionsSetValue(NULL, "-hg_directions", "8"));
  if (heat_n) PetscCall(heat(comm, heat_n, rounds));
  return shallow_n ? shallow(comm, shallow_n, rounds) : 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
