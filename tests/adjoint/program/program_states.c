/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a program fills the ghosts that another program's walls have filled anew, refuses to step
   from a state into itself, and refuses limits, boundaries, units and values of its options that it
   cannot keep, before anything runs. */
#include "claim.h"
#include "refusal.h"
#include <halograd/program_library.h>

/* u' = u_W + u_E + u_S + u_N, w' = u */
static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const HgRows u = x[0];
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      y[0][j][i] = u[j][i - 1] + u[j][i + 1] + u[j - 1][i] + u[j + 1][i] + 0 * x[1][j][i];
      y[1][j][i] = u[j][i];
    }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)x;
  apply(b, params, dx, dy);
}

static void no_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                       const HgRowsOut x_bar[]) {
  (void)b, (void)params, (void)x, (void)y_bar, (void)x_bar; /* is not called here */
}

static const HgStencil neighbours = {
    .name = "neighbours",
    .reads =
        (const HgRead[]){{"u", 1, HG_ADJOINT_UNUSED}, {"k", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "w", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = no_adjoint};

static PetscErrorCode create(HgMesh mesh, HgBoundary walls, HgProgram *program) {
  PetscCall(HgProgramCreate(mesh, "walls", 1, program));
  PetscCall(HgProgramAddStencil(*program, &neighbours, NULL));
  return HgProgramSetBoundary(*program, "u", walls);
}

/* The digest of u after one step of `program` from q, of whose ghosts nothing is known or what is
   left there. */
static PetscErrorCode step(HgProgram program, HgState constants, HgState q, char digest[17]) {
  HgState next;
  PetscCall(HgProgramCreateCarried(program, &next));
  PetscCall(HgProgramStep(program, 0, constants, q, next));
  PetscCall(HgStateDigest(next, "u", digest));
  return HgStateDestroy(&next);
}

static PetscErrorCode two_programs(HgMesh mesh) {
  HgProgram fixed, copied;
  HgState q, constants;
  char alone[17], after[17];
  PetscCall(create(mesh, HgBoundaryAll(HG_FIXED, 100), &fixed));
  PetscCall(create(mesh, HgBoundaryAll(HG_COPY, 0), &copied));
  PetscCall(HgProgramSetUp(fixed));
  PetscCall(HgProgramSetUp(copied));
  PetscCall(HgProgramCreateCarried(fixed, &q));
  PetscCall(HgProgramCreateConstants(fixed, &constants));
  PetscCall(HgStateSetConstant(q, "u", 1));
  PetscCall(step(copied, constants, q, alone));
  PetscCall(HgStateSetConstant(q, "u", 1));
  PetscCall(step(fixed, constants, q, after));
  claim_that(strcmp(alone, after), "the walls of both programs differ");
  PetscCall(step(copied, constants, q, after));
  claim_that(!strcmp(alone, after), "ghosts that another program filled: %s, expected %s", after,
             alone);
  REFUSED(HgProgramStep(fixed, 0, constants, q, q), "program 'walls'", "into itself");
  return DESTROY(&q, &constants, &fixed, &copied);
}

/* A program whose SetUp is refused. */
static PetscErrorCode refuse(HgMesh mesh, const char limited[], HgBoundary walls, const char word[],
                             const char other[]) {
  HgProgram program;
  PetscCall(create(mesh, walls, &program));
  if (limited) PetscCall(HgProgramRequireAbove(program, limited, 0));
  REFUSED(HgProgramSetUp(program), word, other);
  return HgProgramDestroy(&program);
}

static PetscErrorCode refusals(HgMesh mesh) {
  static const char *const options[][3] = {
      {"-hg_tile_rows", "abc", "whole number"},  {"-hg_tile_columns", "-3", "whole number"},
      {"-hg_time_block", "3.5", "from 1 to"},    {"-hg_time_block", "0", "from 1 to"},
      {"-hg_threads", "x", "from 1 to"},         {"-hg_fuse", "maybe", "true or false"},
      {"-hg_overlap", "2", "true or false"},     {"-hg_reverse", "back", "cheaper"},
      {"-hg_tile_columns", NULL, "got no value"}};
  const HgBoundary zero = HgBoundaryAll(HG_FIXED, 0);
  HgProgram program;
  PetscCall(refuse(mesh, "k", zero, "'k' has a limit", "a constant"));
  PetscCall(refuse(mesh, "w", zero, "'w' has a limit", "carried"));
  PetscCall(create(mesh, zero, &program));
  PetscCall(HgProgramSetBoundary(program, "k", HgBoundaryAll(HG_MIRROR, 0.5)));
  REFUSED(HgProgramSetUp(program), "boundary of 'k'", "mirror sign is 0.5");
  REFUSED(HgProgramSetUnit(program, "u", "kg m^2 s^-3 K^-1 mol^-1 per step"), "unit", "at most 31");
  PetscCall(HgProgramDestroy(&program));
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    PetscCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
    PetscCall(refuse(mesh, NULL, zero, options[k][0], options[k][2]));
    PetscCall(PetscOptionsClearValue(NULL, options[k][0]));
  }
  return 0;
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = 16, .ny = 12, .dx = 1, .dy = 1, .ghost = 2};
  HgMesh mesh;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(two_programs(mesh));
  PetscCall(refusals(mesh));
  return HgMeshDestroy(&mesh);
}

CLAIM("a program fills its own walls, and refuses what it cannot keep", 0, test)
