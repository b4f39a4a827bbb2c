/* SPDX-License-Identifier: BSD-2-Clause */
/* Time step and time are the program's, and params are a copy of those that a stencil was added
   with: who changes his own between forward and reverse, or between two checks of a gradient,
   changes no bit; HgProgramSetParams() does, and all ranks give the same numbers. */
#include "heat_case.h"
#include "refusal.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>

enum { STEPS = 6 };

static HeatSpec spec = {
    .nx = 16, .ny = 15, .steps = STEPS, .walls = WALLS_INSULATED, .snapshot = true, .slots = STEPS};

/* In the middle of the first sweep: from there on the source decays faster. */
static long middle(void *context, HgMode direction, long n) {
  (void)context;
  return direction == HG_PRIMAL && n <= STEPS / 2 ? STEPS / 2 : HG_NO_STEP;
}

static PetscErrorCode change(void *context, const HgTrajectorySight *sight) {
  HeatCase *c = context;
  (void)sight;
  c->params.decay = 1e4;
  return 0;
}

static PetscErrorCode changed_on_the_way(void) {
  HeatCase c;
  char plain[256], changed[256];
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, plain));
  PetscCall(HgTrajectoryAddObserver(
      c.trajectory, &(HgTrajectoryObserver){.next = middle, .see = change, .context = &c}));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, changed));
  PetscCall(HgTrajectoryRemoveObserver(c.trajectory, &c));
  claim_that(c.params.decay == 1e4, "decay is %g, expected it to have been changed to 1e4",
             c.params.decay);
  claim_that(!strcmp(plain, changed), "'%s', but with params changed between steps '%s'", plain,
             changed);
  PetscCall(claim_checks("after params have been changed", c.op, c.x, 1e-12, 4));
  return heat_destroy(&c);
}

/* u' = u + dt,  v' = v + t: after N steps u is N dt, v the sum of all t. */
static void clocks(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      y[0][j][i] = x[0][j][i] + b->dt;
      y[1][j][i] = x[1][j][i] + b->t;
    }
}

static void same_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  (void)params, (void)x;
  for (int k = 0; k < 2; k++)
    for (int j = b->j0; j < b->j1; j++)
      for (int i = b->i0; i < b->i1; i++) dy[k][j][i] = dx[k][j][i];
}

static void same_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int k = 0; k < 2; k++)
    for (int j = b->j0; x_bar[k] && j < b->j1; j++)
      for (int i = b->i0; i < b->i1; i++) x_bar[k][j][i] += y_bar[k][j][i];
}

static const HgStencil clock_stencil = {
    .name = "clocks",
    .reads =
        (const HgRead[]){{"u", 0, HG_ADJOINT_UNUSED}, {"v", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "v", NULL},
    .apply = clocks,
    .tangent = same_tangent,
    .adjoint = same_adjoint};

static PetscErrorCode one_clock(HgMesh mesh) {
  HgProgram program;
  HgState q, next;
  const double dt = 0.125; /* no sum of its multiples rounds */
  PetscCall(HgProgramCreate(mesh, "clocks", dt, &program));
  PetscCall(HgProgramAddStencil(program, &clock_stencil, NULL));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateCarried(program, &next));
  for (long n = 0; n < STEPS; n++) {
    PetscCall(HgProgramStep(program, n, NULL, q, next));
    HgStateSwap(q, next);
  }
  claim_same(HgStateRows(q, 0)[0][0], STEPS * dt, "the sum of all dt");
  claim_same(HgStateRows(q, 1)[0][0], dt * STEPS * (STEPS - 1) / 2, "the sum of all t");
  return DESTROY(&q, &next, &program);
}

/* New params are those of a program made with them, its second derivatives and its largest step
   included. */
static PetscErrorCode set_anew(void) {
  HeatCase c;
  char made[256], set[256], before[256];
  spec.decay = 50;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, made));
  PetscCall(heat_destroy(&c));
  spec.decay = 0;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, before));
  PetscCall(HgProgramSetParams(c.program, "heat_forced", &(HgHeatParams){.decay = 50}));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, set));
  claim_that(strcmp(before, made) && !strcmp(set, made), "made with decay 50 '%s', set '%s'", made,
             set);
  PetscCall(claim_checks("after params have been set", c.op, c.x, 1e-12, 4));
  return heat_destroy(&c);
}

/* A rate and, between members and addresses that each rank has of its own, a number of steps. */
typedef struct {
  const double *table;
  int entries;
  double rate;
  float two[2];
} Mixed;

static PetscErrorCode mixed(HgMesh mesh, double rate, float second, HgProgram *program) {
  static const double table[2] = {1, 2};
  HgStencil stencil = clock_stencil;
  const int rank = claim.rank;
  double *const own = malloc((size_t)(1 + rank) * 4096);
  Mixed params;
  memset(&params, 0, sizeof params); /* what lies between members */
  params.table = rank % 2 ? table : own, params.entries = 2, params.rate = rate;
  params.two[0] = 1, params.two[1] = second;
  stencil.params_size = sizeof params;
  PetscCall(HgProgramCreate(mesh, "mixed", 1, program));
  const PetscErrorCode ierr = HgProgramAddStencil(*program, &stencil, &params);
  PetscCall(HgProgramDestroy(program));
  free(own);
  return ierr;
}

/* The entries of a table that a stencil tells of, which no rank may have otherwise. */
typedef struct {
  const double *by_step;
  long count;
  const double *by_row;
} Tables;

static PetscErrorCode tables(HgMesh mesh, long count, double last, HgProgram *program) {
  double by_step[3] = {1, 2, last}, by_row[9] = {[8] = last};
  const Tables params = {by_step, count, count < 3 ? NULL : by_row};
  HgStencil stencil = clock_stencil;
  stencil.params_size = sizeof params;
  stencil.tables = (const HgTable[]){{'s', offsetof(Tables, by_step), offsetof(Tables, count)},
                                     {'j', offsetof(Tables, by_row), 0},
                                     {0, 0, 0}};
  PetscCall(HgProgramCreate(mesh, "tables", 1, program));
  const PetscErrorCode ierr = HgProgramAddStencil(*program, &stencil, &params);
  PetscCall(HgProgramDestroy(program));
  return ierr;
}

/* Params that ranks do not share. */
static PetscErrorCode differing(HgMesh mesh) {
  HgProgram program;
  const int rank = claim.rank, ranks = claim.ranks;
  const double own = rank == ranks - 1 ? 0.5 : 1;
  const HgHeatParams params = {.decay = own};
  PetscCall(mixed(mesh, 1, 1, &program));
  PetscCall(tables(mesh, 3, 1, &program));
  REFUSED(tables(mesh, 2, 1, &program),
          "table 2 in the params of 'clocks', read by j, is not given");
  if (ranks == 1) return 0;
  PetscCall(HgProgramCreate(mesh, "heat", 1, &program));
  REFUSED(HgProgramAddStencil(program, &hg_heat_forced, &params), "program 'heat'",
          "params of 'heat_forced' differ between ranks: byte 0 of 8 on (0.5 as a double)");
  REFUSED(HgProgramAddStencil(program, &hg_heat_forced, rank ? &params : NULL),
          "'heat_forced' takes 8 bytes", "none were given");
  PetscCall(HgProgramAddStencil(program, &hg_heat_forced, &(HgHeatParams){0}));
  REFUSED(HgProgramSetParams(program, "heat_forced", &params), "differ between ranks");
  PetscCall(HgProgramDestroy(&program));
  REFUSED(HgProgramCreatePhysics(mesh, &hg_heat_forced_physics, &params, 1, &program),
          "the params of 'heat' differ between ranks");
  REFUSED(tables(mesh, 3, own, &program), "table 1 in the params of 'clocks' differs");
  REFUSED(tables(mesh, rank == 1 ? 0 : 2, 1, &program), "table 1 in the params of 'clocks'");
  REFUSED(tables(mesh, 2 + (rank == 1), 1, &program), "table 1 in the params of 'clocks'");
  REFUSED(mixed(mesh, own, 1, &program), "byte 16 of 32");
  REFUSED(mixed(mesh, 1, (float)own, &program), "byte 24 of 32");
  return 0;
}

static PetscErrorCode refusals(HgMesh mesh) {
  HgProgram program;
  const HgHeatParams steady = {0};
  PetscCall(HgProgramCreatePhysics(mesh, &hg_heat_forced_physics, &steady, 1, &program));
  REFUSED(HgProgramSetParams(program, "heat_forced", &steady), "params for a stencil 'heat_forced'",
          "the name is NULL");
  REFUSED(HgProgramSetParams(program, NULL, NULL), "none were given");
  PetscCall(HgProgramSetParams(program, NULL, &steady));
  PetscCall(HgProgramDestroy(&program));
  REFUSED(HgProgramCreatePhysics(mesh, &hg_heat_physics, &steady, 1, &program),
          "'heat' takes no params", "params_size");
  PetscCall(HgProgramCreate(mesh, "heat", 1, &program));
  REFUSED(HgProgramAddStencil(program, &hg_heat_forced, NULL), "'heat_forced' takes",
          "none were given");
  REFUSED(HgProgramAddStencil(program, &hg_heat, &steady), "'heat' takes no params",
          ".params_size");
  REFUSED(HgProgramSetParams(program, NULL, &steady), "a physics, which it does not have");
  REFUSED(HgProgramSetParams(program, "heat", NULL), "params for a stencil 'heat'");
  return HgProgramDestroy(&program);
}

static PetscErrorCode test(void) {
  const HgMeshSpec any = {.nx = 8, .ny = 9, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &any, &mesh));
  PetscCall(one_clock(mesh));
  PetscCall(refusals(mesh));
  PetscCall(differing(mesh));
  PetscCall(HgMeshDestroy(&mesh));
  PetscCall(set_anew());
  return changed_on_the_way();
}

CLAIM("dt and t are the program's, and params those that a stencil was added with", 4, test)
