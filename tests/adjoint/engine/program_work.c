/* SPDX-License-Identifier: BSD-2-Clause */
/* A variable that lives within a step alone, read by kernels of several radii, behind walls of any
   kind: what its rows held before, or another variable's, does not matter, however the step is
   cut. */
#include "trajectory_claims.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>

enum { STEPS = 4 };

static double cross(HgRows u, int i, int j, int r) {
  return (u[j][i - r] + u[j][i + r]) + (u[j - r][i] + u[j + r][i]);
}

/* a = the mean of u around it; b = the mean of a^2 two cells off; u' = u/2 + b/4 + the mean of a
   around it / 4. Crosses are symmetric: their adjoints gather alike. */
static void around_apply(const HgBox *box, const void *params, const HgRows x[],
                         const HgRowsOut y[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++)
    for (int i = box->i0; i < box->i1; i++) y[0][j][i] = 0.25 * cross(x[0], i, j, 1);
}

static void around_tangent(const HgBox *box, const void *params, const HgRows x[],
                           const HgRows dx[], const HgRowsOut dy[]) {
  (void)x;
  around_apply(box, params, dx, dy);
}

static void around_adjoint(const HgBox *box, const void *params, const HgRows x[],
                           const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int j = box->j0; x_bar[0] && j < box->j1; j++)
    for (int i = box->i0; i < box->i1; i++) x_bar[0][j][i] += 0.25 * cross(y_bar[0], i, j, 1);
}

static double cross_of_products(HgRows a, HgRows b, int i, int j) {
  return (a[j][i - 2] * b[j][i - 2] + a[j][i + 2] * b[j][i + 2]) +
         (a[j - 2][i] * b[j - 2][i] + a[j + 2][i] * b[j + 2][i]);
}

static void farther_apply(const HgBox *box, const void *params, const HgRows x[],
                          const HgRowsOut y[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++)
    for (int i = box->i0; i < box->i1; i++) y[0][j][i] = 0.25 * cross_of_products(x[0], x[0], i, j);
}

static void farther_tangent(const HgBox *box, const void *params, const HgRows x[],
                            const HgRows dx[], const HgRowsOut dy[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++)
    for (int i = box->i0; i < box->i1; i++)
      dy[0][j][i] = 0.5 * cross_of_products(x[0], dx[0], i, j);
}

static void farther_adjoint(const HgBox *box, const void *params, const HgRows x[],
                            const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params;
  for (int j = box->j0; x_bar[0] && j < box->j1; j++)
    for (int i = box->i0; i < box->i1; i++)
      x_bar[0][j][i] += 0.5 * x[0][j][i] * cross(y_bar[0], i, j, 2);
}

static void blend_apply(const HgBox *box, const void *params, const HgRows x[],
                        const HgRowsOut y[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++)
    for (int i = box->i0; i < box->i1; i++)
      y[0][j][i] = 0.5 * x[0][j][i] + (0.25 * x[2][j][i] + 0.0625 * cross(x[1], i, j, 1));
}

static void blend_tangent(const HgBox *box, const void *params, const HgRows x[], const HgRows dx[],
                          const HgRowsOut dy[]) {
  (void)x;
  blend_apply(box, params, dx, dy);
}

static void blend_adjoint(const HgBox *box, const void *params, const HgRows x[],
                          const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int j = box->j0; j < box->j1; j++)
    for (int i = box->i0; i < box->i1; i++) {
      if (x_bar[0]) x_bar[0][j][i] += 0.5 * y_bar[0][j][i];
      if (x_bar[1]) x_bar[1][j][i] += 0.0625 * cross(y_bar[0], i, j, 1);
      if (x_bar[2]) x_bar[2][j][i] += 0.25 * y_bar[0][j][i];
    }
}

static const HgStencil around = {.name = "around",
                                 .reads = (const HgRead[]){{"u", 1, HG_ADJOINT_UNUSED}, {0}},
                                 .writes = (const char *const[]){"a", NULL},
                                 .apply = around_apply,
                                 .tangent = around_tangent,
                                 .adjoint = around_adjoint};
static const HgStencil farther = {.name = "farther",
                                  .reads = (const HgRead[]){{"a", 2, 0}, {0}},
                                  .writes = (const char *const[]){"b", NULL},
                                  .apply = farther_apply,
                                  .tangent = farther_tangent,
                                  .adjoint = farther_adjoint};
static const HgStencil blend = {.name = "blend",
                                .reads = (const HgRead[]){{"u", 0, HG_ADJOINT_UNUSED},
                                                          {"a", 1, HG_ADJOINT_UNUSED},
                                                          {"b", 0, HG_ADJOINT_UNUSED},
                                                          {0}},
                                .writes = (const char *const[]){"u", NULL},
                                .apply = blend_apply,
                                .tangent = blend_tangent,
                                .adjoint = blend_adjoint};

typedef struct {
  int ghost;
  const char *fuse, *strip, *block;
} Cut;

/* Digests of u after four steps, as many of them at once as can be, and of one step reversed. */
static PetscErrorCode run(HgSideKind walls, const Cut *cut, char text[64]) {
  const HgMeshSpec spec = {.nx = 45, .ny = 43, .dx = 1, .dy = 1, .ghost = cut->ghost};
  HgMesh mesh;
  HgProgram program;
  HgState q, next, bar, back;
  HgOperator op;
  char digest[2][17];
  PetscCall(PetscOptionsSetValue(NULL, "-hg_fuse", cut->fuse));
  PetscCall(PetscOptionsSetValue(NULL, "-hg_tile_columns", cut->strip));
  PetscCall(PetscOptionsSetValue(NULL, "-hg_tile_rows", cut->block));
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "work", 1, &program));
  PetscCall(HgProgramAddStencil(program, &around, NULL));
  PetscCall(HgProgramAddStencil(program, &farther, NULL));
  PetscCall(HgProgramAddStencil(program, &blend, NULL));
  PetscCall(HgProgramSetBoundary(program, "a", HgBoundaryAll(walls, walls == HG_MIRROR ? -1 : 2)));
  PetscCall(HgProgramSetBoundary(program, "u", HgBoundaryAll(HG_FIXED, 3)));
  PetscCall(HgProgramSetUp(program));
  HgState *const all[] = {&q, &next, &bar, &back};
  for (int k = 0; k < 4; k++) PetscCall(HgProgramCreateCarried(program, all[k]));
  PetscCall(HgStateRandom(q, 5));
  PetscCall(HgStateRandom(bar, 7));
  snprintf(text, 64, "walls %d, ghosts %d, fused %s", (int)walls, cut->ghost, cut->fuse);
  PetscCall(HgProgramOperator(program, 0, &op));
  PetscCall(claim_checks(text, op, q, 0, 3));
  PetscCall(HgOperatorDestroy(&op));
  PetscCall(HgProgramStepAdjoint(program, 0, NULL, q, next, bar, back, NULL));
  PetscCall(HgProgramBoundaryAdjoint(program, back));
  PetscCall(HgStateDigest(back, NULL, digest[1]));
  for (long n = 0, count; n < STEPS; n += count) {
    count = HgProgramStride(program, STEPS - n);
    PetscCall(HgProgramSteps(program, n, count, NULL, q, NULL, HG_SAVE_ALL, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateDigest(q, NULL, digest[0]));
  snprintf(text, 64, "state %s, reversed %s", digest[0], digest[1]);
  for (int k = 0; k < 4; k++) PetscCall(HgStateDestroy(all[k]));
  return DESTROY(&program, &mesh);
}

static PetscErrorCode test(void) {
  static const HgSideKind walls[] = {HG_FROZEN, HG_FIXED, HG_COPY, HG_MIRROR};
  static const Cut cuts[] = {
      {4, "1", "0", "0"}, {4, "1", "16", "1"}, {8, "1", "0", "3"}, {8, "1", "8", "2"}};
  const Cut plain = {2, "0", "0", "0"};
  for (int k = 0; k < 4; k++) {
    char expected[64], text[64];
    PetscCall(run(walls[k], &plain, expected));
    for (int n = 0; n < 4; n++) {
      PetscCall(run(walls[k], &cuts[n], text));
      claim_that(!strcmp(text, expected),
                 "walls %d, ghosts %d, strips %s, blocks %s: '%s', "
                 "plainly '%s'",
                 (int)walls[k], cuts[n].ghost, cuts[n].strip, cuts[n].block, text, expected);
    }
  }
  return 0;
}

CLAIM("what a work variable's rows held before does not matter", 0, test)
