/* SPDX-License-Identifier: BSD-2-Clause */
/* A frozen ghost is what the rank beside it put there, on every rank that reads it: a user who
   fills the ghosts beside his own cells has the same bits on every decomposition, for ghosts of any
   width. */
#include "heat_case.h"
#include "same_bits.h"
#include <halograd/state_library.h>

enum { STEPS = 12 };

static const double garbage =
    -99; /* where another rank's part of a wall is filled by the library */

static double held(int i, int j) { return 0.5 + 0.3 * sin(0.7 * i) - 0.2 * cos(0.4 * j); }

/* Ghosts of u: outside the domain beside the rank's own cells, corners outside both walls included,
   what is held there; beyond seams and periodic edges garbage. */
static void fill_walls(HgState x, int index) {
  const HgMesh mesh = HgStateMesh(x);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int g = HgMeshGetSpec(mesh)->ghost;
  HgReal *const *u = HgStateRows(x, index);
  for (int j = -g; j < p->ny + g; j++)
    for (int i = -g; i < p->nx + g; i++) {
      const bool across = (i < 0 && !p->wall_west) || (i >= p->nx && !p->wall_east) ||
                          (j < 0 && !p->wall_south) || (j >= p->ny && !p->wall_north);
      const bool own = i >= 0 && i < p->nx && j >= 0 && j < p->ny;
      if (!own) u[j][i] = across ? garbage : held(p->i_global + i, p->j_global + j);
    }
  HgStateSetGhostDepth(x, index, 0);
}

/* ---- heat: several steps at once, sensors that look at frozen ghosts, the way back ---- */
static HeatSpec spec;

static PetscErrorCode heat(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  HeatCase c;
  spec.px = layout.px, spec.py = layout.py;
  PetscCall(heat_create(comm, &spec, &c));
  fill_walls(c.x, HgStateFind(c.x, "u"));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  if (layout.px * layout.py > 1 && spec.ghost > 3)
    PetscCall(claim_checks("heat between frozen walls", c.op, c.x, 1e-12, (uint64_t)seed));
  return heat_destroy(&c);
}

/* ---- corners, and a carried variable that is written before any kernel reads it around a cell
   ---- */

/* u' = u + v,  v' = w,  w' = (w + the mean of v' in the four corners) / 2,  v'' = v' */
static void sum(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = x[0][j][i] + x[1][j][i];
}

static void copy(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = x[0][j][i];
}

static double corners(HgRows u, int i, int j) {
  return (u[j - 1][i - 1] + u[j - 1][i + 1]) + (u[j + 1][i - 1] + u[j + 1][i + 1]);
}

static void mean(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = 0.5 * x[0][j][i] + 0.125 * corners(x[1], i, j);
}

/* All are linear. */
static void sum_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                        const HgRowsOut dy[]) {
  (void)x;
  sum(b, params, dx, dy);
}

static void copy_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  (void)x;
  copy(b, params, dx, dy);
}

static void mean_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  (void)x;
  mean(b, params, dx, dy);
}

/* x_bar[k] += y_bar for every read. */
static void same_adjoint(const HgBox *b, const HgRows y_bar[], int reads, const HgRowsOut x_bar[]) {
  for (int k = 0; k < reads; k++)
    for (int j = b->j0; x_bar[k] && j < b->j1; j++)
      for (int i = b->i0; i < b->i1; i++) x_bar[k][j][i] += y_bar[0][j][i];
}

static void sum_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                        const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  same_adjoint(b, y_bar, 2, x_bar);
}

static void copy_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  same_adjoint(b, y_bar, 1, x_bar);
}

static void mean_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      if (x_bar[0]) x_bar[0][j][i] += 0.5 * y_bar[0][j][i];
      if (x_bar[1]) x_bar[1][j][i] += 0.125 * corners(y_bar[0], i, j);
    }
}

#define READ(name, radius)                                                                         \
  { name, radius, HG_ADJOINT_UNUSED }
static const HgStencil terms[] = {{.name = "sum",
                                   .reads = (const HgRead[]){READ("u", 0), READ("v", 0), {0}},
                                   .writes = (const char *const[]){"u", NULL},
                                   .apply = sum,
                                   .tangent = sum_tangent,
                                   .adjoint = sum_adjoint},
                                  {.name = "copy",
                                   .reads = (const HgRead[]){READ("w", 0), {0}},
                                   .writes = (const char *const[]){"v", NULL},
                                   .apply = copy,
                                   .tangent = copy_tangent,
                                   .adjoint = copy_adjoint},
                                  {.name = "mean",
                                   .reads = (const HgRead[]){READ("w", 0), READ("v", 1), {0}},
                                   .writes = (const char *const[]){"w", NULL},
                                   .apply = mean,
                                   .tangent = mean_tangent,
                                   .adjoint = mean_adjoint},
                                  {.name = "again",
                                   .reads = (const HgRead[]){READ("v", 0), {0}},
                                   .writes = (const char *const[]){"v", NULL},
                                   .apply = copy,
                                   .tangent = copy_tangent,
                                   .adjoint = copy_adjoint}};

enum { TERMS = sizeof terms / sizeof *terms };

static PetscErrorCode make(MPI_Comm comm, Layout l, HgMesh *mesh, HgProgram *program) {
  const HgMeshSpec m = {.nx = 37,
                        .ny = 35,
                        .px = l.px,
                        .py = l.py,
                        .dx = 1,
                        .dy = 1,
                        .periodic_x = spec.periodic_x,
                        .periodic_y = spec.periodic_y,
                        .ghost = spec.ghost};
  PetscCall(HgMeshCreate(comm, &m, mesh));
  PetscCall(HgProgramCreate(*mesh, "corners", 1, program));
  for (int k = 0; k < TERMS; k++) PetscCall(HgProgramAddStencil(*program, &terms[k], NULL));
  PetscCall(HgProgramSetBoundary(*program, "v", HgBoundaryAll(HG_FROZEN, 0)));
  return HgProgramSetUp(*program);
}

static PetscErrorCode toys(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  HgMesh mesh;
  HgProgram program;
  HgOperator step;
  HgState q, next, bar, back;
  HgState *const all[] = {&q, &next, &bar, &back};
  char forward[17], reverse[17];
  PetscCall(make(comm, l, &mesh, &program));
  for (int k = 0; k < 4; k++) PetscCall(HgProgramCreateCarried(program, all[k]));
  PetscCall(HgStateRandom(q, (uint64_t)seed));
  PetscCall(HgStateRandom(bar, (uint64_t)seed + 1));
  fill_walls(q, HgStateFind(q, "v"));
  PetscCall(HgProgramOperator(program, 0, &step));
  PetscCall(claim_checks("corners of frozen walls", step, q, 0, (uint64_t)seed));
  PetscCall(HgOperatorDestroy(&step));
  PetscCall(HgProgramStepAdjoint(program, 0, NULL, q, next, bar, back, NULL));
  PetscCall(HgProgramBoundaryAdjoint(program, back));
  PetscCall(HgStateDigest(back, NULL, reverse));
  claim_that(HgProgramStride(program, STEPS) == spec.ghost, "%ld steps at once, expected %d",
             HgProgramStride(program, STEPS), spec.ghost);
  for (long n = 0, count; n < STEPS; n += count) {
    count = HgProgramStride(program, STEPS - n);
    PetscCall(HgProgramSteps(program, n, count, NULL, q, NULL, HG_SAVE_ALL, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateDigest(q, NULL, forward));
  snprintf(text, LAYOUT_TEXT, "state %s, reversed %s", forward, reverse);
  for (int k = 0; k < 4; k++) PetscCall(HgStateDestroy(all[k]));
  return DESTROY(&program, &mesh);
}

/* On all layouts, and for all widths of ghosts. */
static char narrow[LAYOUT_TEXT]; /* of ghosts as narrow as can be */
static LayoutRun *computed;

static PetscErrorCode any_width(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  int rank;
  PetscCall(computed(comm, l, seed, text));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank && spec.ghost == 1 && l.px * l.py == 1) snprintf(narrow, sizeof narrow, "%s", text);
  if (!rank)
    claim_that(!strcmp(text, narrow), "%d ghosts, %d x %d patches: '%s', for one ghost '%s'",
               spec.ghost, l.px, l.py, text, narrow);
  return 0;
}

static PetscErrorCode test(void) {
  static const int ghosts[] = {1, 3, 6};

  for (int periodic = 0; periodic < 3; periodic++)
    for (int k = 0; k < 3; k++) {
      spec = (HeatSpec){.nx = 38,
                        .ny = 36,
                        .steps = STEPS,
                        .walls = WALLS_FROZEN,
                        .periodic_x = periodic == 1,
                        .periodic_y = periodic == 2,
                        .ghost = ghosts[k],
                        .slots = STEPS};
      computed = heat;
      PetscCall(expect_same_on_layouts("heat", any_width, periodic));
    }
  for (int periodic = 0; periodic < 3; periodic++)
    for (int k = 0; k < 3; k++) {
      spec.periodic_x = periodic == 1, spec.periodic_y = periodic == 2, spec.ghost = ghosts[k];
      computed = toys;
      PetscCall(expect_same_on_layouts("corners", any_width, periodic));
    }
  return 0;
}

CLAIM("a frozen ghost is its owner's on every rank that reads it", 0, test)
