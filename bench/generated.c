/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_generated: kernels written by hgstencil beside those written by hand, value, tangent and
   the adjoint for all cotangents, on n x n cells: 128 lies in the second-level cache, 2048 in
   memory. */
#include "bench.h"
#include <halograd/heat.h>
#include <halograd/heat_conservative_generated.h>
#include <halograd/heat_generated.h>
#include <halograd/options_library.h>
#include <halograd/shallow_diagnostics_generated.h>
#include <halograd/shallow_dynamics_generated.h>
#include <halograd/shallow_friction_generated.h>
#include <halograd/shallow_water.h>

enum { ROUNDS = 31, VARIABLES = 10, KINDS = 5, GHOST = 4, LAPS = 1 << 22 };

static const HgStencil *const pairs[][2] = {
    {&hg_heat, &hg_heat_generated},
    {&hg_heat_forced, &hg_heat_forced_generated},
    {&hg_heat_conservative, &hg_heat_conservative_generated},
    {&hg_shallow_diagnostics, &hg_shallow_diagnostics_generated},
    {&hg_shallow_dynamics, &hg_shallow_dynamics_generated},
    {&hg_shallow_friction, &hg_shallow_friction_generated}};

static const char *const kernels[] = {"apply", "tangent", "adjoint"};

/* x, dx, y, y_bar, x_bar */
typedef struct {
  int n;
  double *data[KINDS][VARIABLES], **rows[KINDS][VARIABLES];
} Fields;

typedef struct {
  const HgStencil *stencil;
  int kernel;
  Fields *fields;
} Case;

static PetscErrorCode run_case(void *context) {
  static const HgShallowWaterParams params = {{0.1}, 9.81};
  const Case *c = context;
  const int n = c->fields->n;
  const HgBox box = {.i1 = n,
                     .j1 = n,
                     .nx_global = n,
                     .ny_global = n,
                     .dx = 1,
                     .dy = 1.1,
                     .dt = 0.01,
                     .t = 1,
                     .step = 3};
  HgRowsOut rows[KINDS][VARIABLES];
  HgRows in[KINDS][VARIABLES];
  for (int k = 0; k < KINDS; k++)
    for (int v = 0; v < VARIABLES; v++) {
      rows[k][v] = c->fields->rows[k][v] + GHOST;
      in[k][v] = (HgRows)rows[k][v];
    }
  for (long lap = 0; lap < PetscMax(1, LAPS / ((long)n * n)); lap++) {
    if (c->kernel == 0) c->stencil->apply(&box, &params, in[0], rows[2]);
    if (c->kernel == 1) c->stencil->tangent(&box, &params, in[0], in[1], rows[2]);
    if (c->kernel == 2) c->stencil->adjoint(&box, &params, in[0], in[3], rows[4]);
  }
  return 0;
}

/* Rows of all fields begin at different places of a page, as those of large states do. */
static PetscErrorCode fields_create(int n, Fields *f) {
  const size_t width = (size_t)n + 2 * GHOST, size = width * width + 512;
  f->n = n;
  for (int k = 0; k < KINDS; k++)
    for (int v = 0; v < VARIABLES; v++) {
      PetscCall(PetscMalloc2(size, &f->data[k][v], width, &f->rows[k][v]));
      for (size_t m = 0; m < size; m++) f->data[k][v][m] = 1 + 1e-3 * (double)(m % 17);
      for (size_t j = 0; j < width; j++)
        f->rows[k][v][j] = f->data[k][v] + (size_t)((8 * k + v) * 37 % 61) * 8 + j * width + GHOST;
    }
  return 0;
}

static PetscErrorCode compare(int n) {
  Fields fields;
  PetscCall(fields_create(n, &fields));
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
    for (int kernel = 0; kernel < 3; kernel++) {
      Case hand = {pairs[p][0], kernel, &fields}, generated = {pairs[p][1], kernel, &fields};
      BenchCase cases[2] = {{.name = "generated", .run = run_case, .context = &generated},
                            {.name = "hand", .run = run_case, .context = &hand}};
      PetscCall(BenchInterleave(PETSC_COMM_WORLD, ROUNDS, 2, cases));
      const double cells = 1e-9 * PetscMax(1, LAPS / ((long)n * n)) * n * n;
      BenchLine line = {.row = "generated",
                        .ratio = BenchCompare(&cases[0], &cases[1], 1),
                        .sense = BENCH_AT_MOST,
                        .goal = kernel ? 1.05 : 1.03};
      snprintf(line.run, sizeof line.run, "%s %s, %d^2", hand.stencil->name, kernels[kernel], n);
      snprintf(line.own, sizeof line.own, "%.2f GPt/s", cells / BenchSeconds(&cases[0]));
      snprintf(line.peer, sizeof line.peer, "hand %.2f", cells / BenchSeconds(&cases[1]));
      PetscCall(BenchPrint(PETSC_COMM_WORLD, &line));
    }
  for (int k = 0; k < KINDS; k++)
    for (int v = 0; v < VARIABLES; v++) PetscCall(PetscFree2(fields.data[k][v], fields.rows[k][v]));
  return 0;
}

static PetscErrorCode run(void) {
  long n = 0;
  HgOptions options;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "bench_generated", "kernels of hgstencil", &options));
  PetscCall(HgOptionsLong(options, "-n", "cells along an axis, 0: 128 and 2048", "", 0, 8192, &n));
  PetscCall(HgOptionsEnd(options));
  if (n) return compare((int)n);
  PetscCall(compare(128));
  return compare(2048);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  return HgFinalize(ierr ? ierr : run());
}
