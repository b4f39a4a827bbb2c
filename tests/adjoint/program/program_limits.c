/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: where a state does not keep a limit of the program, a run ends naming variable, cell and
   the very step, as steps one by one find it, for any length of time blocks, tiles and threads; a
   NaN does not keep it, and a program without such a state runs. */
#include "claim.h"
#include "heat_case.h"
#include "refusal.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <halograd/trajectory_library.h>

enum { NX = 23, NY = 19, STEPS = 17 };

typedef struct {
  long step; /* steps made; -1: none */
  int i, j;
} Found;

/* Cools so much that u falls below every limit on the way. */
static double sink(double x, double y, void *unused) {
  (void)unused;
  return -1000 * (1 + x * y);
}

static PetscErrorCode limit(HgProgram program, void *above) {
  return HgProgramRequireAbove(program, "u", *(double *)above);
}

static PetscErrorCode create(double *above, HeatCase *c) {
  const HeatSpec spec = {.nx = NX,
                         .ny = NY,
                         .steps = STEPS,
                         .walls = WALLS_INSULATED,
                         .ghost = 3,
                         .slots = 5,
                         .more = limit,
                         .context = above};
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, c));
  return HgStateSetField(c->x, "f", sink, NULL);
}

/* The first number of q that is not above the limit, in natural order. */
static PetscErrorCode look(HgState q, double above, long step, Found *found) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  HgReal *const *u = HgStateRows(q, HgStateFind(q, "u"));
  long first = (long)NX * NY;
  for (int j = p->ny - 1; j >= 0; j--)
    for (int i = p->nx - 1; i >= 0; i--)
      if (!(u[j][i] > above))
        first = PetscMin(first, (long)(p->j_global + j) * NX + p->i_global + i);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_LONG, MPI_MIN, PETSC_COMM_WORLD));
  if (first < (long)NX * NY) *found = (Found){step, (int)(first % NX), (int)(first / NX)};
  return 0;
}

/* All steps one by one, each state looked at as a whole. */
static PetscErrorCode by_hand(HeatCase *c, double above, Found *found) {
  HgState q, next, constants;
  *found = (Found){-1, 0, 0};
  PetscCall(HgProgramCreateCarried(c->program, &q));
  PetscCall(HgProgramCreateCarried(c->program, &next));
  PetscCall(HgProgramCreateConstants(c->program, &constants));
  PetscCall(HgProgramSplit(c->program, c->x, q, constants));
  PetscCall(look(q, above, 0, found));
  for (long n = 0; n < STEPS && found->step < 0; n++) {
    PetscCall(HgProgramStep(c->program, n, constants, q, next));
    HgStateSwap(q, next);
    PetscCall(look(q, above, n + 1, found));
  }
  return HgStatesDestroy(&constants, &next, &q);
}

/* `least`: the step is that one at least; none, and 0, are so themselves. */
static PetscErrorCode same(const char option[], const char value[], double above, long least) {
  HeatCase c;
  Found found;
  double J;
  char where[64], when[64];
  HgState x_bar;
  PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(create(&above, &c));
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscCall(by_hand(&c, above, &found));
  claim_that(least > 0 ? found.step > least : found.step == least,
             "limit %g: found after %ld steps", above, found.step);
  PetscCall(HgStateDuplicate(c.x, &x_bar));
  snprintf(where, sizeof where, "in cell (%d, %d) on rank", found.i, found.j);
  snprintf(when, sizeof when, "after %ld steps, expected more than", found.step);
  if (found.step < 0) {
    PetscCall(HgTrajectoryValue(c.trajectory, c.x, &J));
    PetscCall(HgTrajectoryGradient(c.trajectory, c.x, 1, &J, x_bar));
  } else {
    REFUSED(HgTrajectoryValue(c.trajectory, c.x, &J), "'u' is", where, when);
    REFUSED(HgTrajectoryGradient(c.trajectory, c.x, 1, &J, x_bar), "'u' is", where, when);
    REFUSED(HgTrajectoryTangent(c.trajectory, c.x, c.x, &J, &J), "'u' is", where, when);
  }
  PetscCall(HgStateDestroy(&x_bar));
  return heat_destroy(&c);
}

static PetscErrorCode not_a_number(void) {
  double above = -1e300, J;
  HeatCase c;
  PetscCall(create(&above, &c));
  PetscCall(HgStateSetConstant(c.x, "u", NAN));
  REFUSED(HgTrajectoryValue(c.trajectory, c.x, &J), "'u' is nan", "in cell (0, 0) on rank 0",
          "after 0 steps");
  return heat_destroy(&c);
}

static PetscErrorCode refusals(void) {
  HeatCase c;
  double above = 0;
  PetscCall(create(&above, &c));
  REFUSED(HgProgramRequireAbove(c.program, "u", 0), "limit of 'u'", "after HgProgramSetUp");
  return heat_destroy(&c);
}

static PetscErrorCode test(void) {
  static const char *const ways[][2] = {{"-hg_time_block", "1"}, {"-hg_time_block", "2"},
                                        {"-hg_time_block", "3"}, {"-hg_tile_columns", "8"},
                                        {"-hg_tile_rows", "1"},  {"-hg_threads", "2"}};
  static const double limits[] = {-1e300, 0, -2.1, -4};
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
    for (size_t l = 0; l < sizeof ways / sizeof *ways; l++)
      PetscCall(same(ways[l][0], ways[l][1], limits[k], k == 0 ? -1 : k == 1 ? 0 : 1));
  PetscCall(not_a_number());
  return refusals();
}

CLAIM("limits are kept or named", 0, test)
