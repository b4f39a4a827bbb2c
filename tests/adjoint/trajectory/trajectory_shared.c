/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of constants that repeat the row before share its memory while a trajectory runs, and no bit
   of its gradient shows it, nor of a step with a copy of them; where they repeat it no longer, they
   have memory of their own. */
#include "heat_case.h"
#include "shallow_case.h"
#include "trajectory_case.h"
#include <halograd/program_library.h>

enum { STEPS = 17 };

static const char *const heat_names[] = {"kappa", NULL};
static const char *const shallow_names[] = {"b", "f", "nu", NULL};
static double heat_sizes[] = {0.4}, shallow_sizes[] = {0.2, 0.7, 2e-3};

/* A case, and what an observer has seen of its constants. */
typedef struct {
  TrajectoryParts parts;
  const char *name;
  const char *const *constant;
  double *size;
  int shared; /* rows that share the memory of the one before, of all of them */
} Shared;

static long at_end(void *context, HgMode direction, long n) {
  (void)context;
  return direction == HG_PRIMAL && n <= STEPS ? STEPS : HG_NO_STEP;
}

/* A step from here with the constants, and one with a copy of them. */
static PetscErrorCode claim_copy(const Shared *c, const HgTrajectorySight *sight) {
  HgState copy, next;
  char digest[2][17];
  PetscCall(HgStateDuplicate(sight->constants, &copy));
  PetscCall(HgProgramCreateCarried(c->parts.program, &next));
  PetscCall(HgStateCopy(sight->constants, copy));
  const HgState constants[] = {sight->constants, copy};
  for (int k = 0; k < 2; k++) {
    PetscCall(HgProgramStep(c->parts.program, sight->n, constants[k], sight->state, next));
    PetscCall(HgStateDigest(next, NULL, digest[k]));
  }
  claim_that(!strcmp(digest[0], digest[1]), "%s: a step with the constants %s, with a copy %s",
             c->name, digest[0], digest[1]);
  return HgStatesDestroy(&copy, &next);
}

static PetscErrorCode look(void *context, const HgTrajectorySight *sight) {
  Shared *c = context;
  PetscCall(claim_copy(c, sight));
  c->shared = 0;
  for (int k = 0, index; c->constant[k]; k++) {
    PetscCall(HgStateIndex(sight->constants, c->constant[k], &index));
    HgReal *const *const rows = HgStateRows(sight->constants, index);
    for (int j = 1; j < HgMeshGetPatch(HgStateMesh(sight->state))->ny; j++)
      c->shared += rows[j] == rows[j - 1];
  }
  return 0;
}

static double by_column(double x, double y, void *size) {
  (void)y;
  return *(double *)size * (1.5 + sin(3 * x)) / 3;
}

enum { BAND = 7, WEST = 20 };

/* The band of a cell: of seven rows each, in the west three rows lower. */
static int band(int i, int j) { return (j + (i < WEST ? 3 : 0)) / BAND; }

static void set_bands(HgState x, int index, double size) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRows(x, index)[j][i] =
          (HgReal)(size * (1.5 + sin(band(p->i_global + i, p->j_global + j))) / 3);
}

enum { GIVEN, BY_COLUMN, UNIFORM, BANDS, BUT_ONE, TURNS };

/* Constants as the case has them in `given`, the same in each column, in all cells, in bands, in
   all cells but the last. */
static PetscErrorCode set_constants(Shared *c, HgState given, int turn) {
  const HgState x = c->parts.x;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(x));
  PetscCall(HgStateCopy(given, x));
  for (int k = 0, index; c->constant[k] && turn != GIVEN; k++) {
    PetscCall(HgStateIndex(x, c->constant[k], &index));
    if (turn == BY_COLUMN) PetscCall(HgStateSetField(x, c->constant[k], by_column, &c->size[k]));
    else if (turn == BANDS) set_bands(x, index, c->size[k]);
    else PetscCall(HgStateSetConstant(x, c->constant[k], c->size[k]));
    const bool last = p->i_global + p->nx == m->nx && p->j_global + p->ny == m->ny;
    if (turn == BUT_ONE && last) HgStateRows(x, index)[p->ny - 1][p->nx - 1] *= 1.25;
  }
  return 0;
}

/* How many rows of a constant repeat the one before, in all patches of the row. */
static int repeated(HgMesh mesh, int turn) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  int rows = 0;
  if (turn == GIVEN) return 0;
  for (int j = p->j_global + 1; j < p->j_global + p->ny; j++)
    rows += turn == BANDS     ? band(0, j) == band(0, j - 1) && band(WEST, j) == band(WEST, j - 1)
            : turn == BUT_ONE ? j < HgMeshGetSpec(mesh)->ny - 1
                              : 1;
  return rows;
}

/* One trajectory in all turns: what one shares, the next may have to undo. */
static PetscErrorCode claim_shared(Shared *c) {
  const HgTrajectoryObserver observer = {.next = at_end, .see = look, .context = c};
  HgState q, x_bar, given;
  HgStore store;
  HgTrajectory t;
  char expected[17], gradient[17];
  double J;
  int constants = 0;
  while (c->constant[constants]) constants++;
  PetscCall(HgProgramCreateCarried(c->parts.program, &q));
  PetscCall(HgProgramCreateInput(c->parts.program, &x_bar));
  PetscCall(HgStateDuplicate(c->parts.x, &given));
  PetscCall(HgStateCopy(c->parts.x, given));
  PetscCall(HgStoreCreate(q, 3, 0, NULL, &store));
  PetscCall(HgTrajectoryCreate(c->parts.program, STEPS, c->parts.objective, store, &t));
  PetscCall(HgTrajectoryAddObserver(t, &observer));
  for (int n = 0; n <= TURNS; n++) {
    const int turn = n % TURNS;
    PetscCall(set_constants(c, given, turn));
    PetscCall(trajectory_by_hand(&c->parts, false, expected));
    PetscCall(HgStateZero(x_bar));
    PetscCall(HgTrajectoryGradient(t, c->parts.x, 1, &J, x_bar));
    PetscCall(HgStateDigest(x_bar, NULL, gradient));
    claim_that(!strcmp(gradient, expected), "%s, turn %d: %s, by hand %s", c->name, n, gradient,
               expected);
    const int wanted = constants * repeated(HgStateMesh(q), turn);
    claim_that(c->shared == wanted,
               "%s, turn %d: %d rows share the memory of the one before, expected %d", c->name, n,
               c->shared, wanted);
  }
  return DESTROY(&t, &store, &q, &x_bar, &given);
}

static PetscErrorCode test(int ghost) {
  for (int walls = 0; walls < WALLS; walls++) {
    HeatCase c;
    const HeatSpec spec = {
        .nx = 41, .ny = 38, .steps = STEPS, .walls = (Walls)walls, .ghost = ghost, .slots = 1};
    PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
    PetscCall(claim_shared(&(Shared){.parts = {c.program, c.objective, c.x, STEPS},
                                     .name = "heat",
                                     .constant = heat_names,
                                     .size = heat_sizes}));
    PetscCall(heat_destroy(&c));
  }
  for (int periodic = 0; periodic < 2; periodic++) {
    ShallowCase c;
    const ShallowSpec spec = {.nx = 41,
                              .ny = 38,
                              .steps = STEPS,
                              .slots = 1,
                              .ghost = ghost,
                              .periodic_x = periodic,
                              .reflecting = !periodic};
    PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
    PetscCall(claim_shared(&(Shared){.parts = {c.program, c.objective, c.x, STEPS},
                                     .name = "shallow water",
                                     .constant = shallow_names,
                                     .size = shallow_sizes}));
    PetscCall(shallow_destroy(&c));
  }
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("rows of constants that repeat share memory, and no bit shows it", 0);
  if (!ierr) ierr = test(5);
  if (!ierr) ierr = test(11);
  return claim_end(ierr);
}
