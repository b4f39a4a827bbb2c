/* SPDX-License-Identifier: BSD-2-Clause */
/* States between several steps at once: kept whole they are those of single steps; kept for the
   adjoint they have what reversing a step reads and nothing else is touched, and the way back is
   the same. */
#include "shallow_case.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>

enum { STEPS = 3 };

static const double untouched = 7;

/* The cotangent of nu depends on the velocities before friction, which are made of the old
   tendencies, by the kernel that steps h, too. */
static bool reads(const char name[], bool nu) {
  static const char *const always[] = {"h", "u", "v"}, *const for_nu[] = {"u_t", "v_t", "h_t"};
  for (int k = 0; k < 3; k++)
    if (!strcmp(name, always[k])) return true;
  for (int k = 0; nu && k < 3; k++)
    if (!strcmp(name, for_nu[k])) return true;
  return false;
}

static PetscErrorCode fill(HgState q, double value) {
  for (int k = 0; k < HgStateCount(q); k++)
    PetscCall(HgStateSetConstant(q, HgStateVariable(q, k)->name, value));
  return 0;
}

/* Does variable k differ on this rank's cells? */
static bool differ(HgState a, HgState b, int k) {
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(a));
  bool differs = false;
  for (int j = 0; j < patch->ny; j++)
    for (int i = 0; i < patch->nx; i++)
      differs = differs || HgStateRows(a, k)[j][i] != HgStateRows(b, k)[j][i];
  return differs;
}

static PetscErrorCode make(HgProgram program, HgState *const states[], int count) {
  for (int k = 0; k < count; k++) PetscCall(HgProgramCreateCarried(program, states[k]));
  return 0;
}

/* The way back from q[0 .. STEPS - 1], step by step: the bits of the cotangents of q[0] and of the
   constants, if there are any. */
static PetscErrorCode back(HgProgram program, HgState constants, HgState q[], HgState scratch,
                           char digest[34]) {
  HgState bar, next_bar, constants_bar, *const bars[] = {&bar, &next_bar};
  PetscCall(make(program, bars, 2));
  PetscCall(HgProgramCreateConstants(program, &constants_bar));
  PetscCall(HgStateRandom(next_bar, 5));
  for (long n = STEPS - 1; n >= 0; n--) {
    PetscCall(
        HgProgramStepAdjoint(program, n, constants, q[n], scratch, next_bar, bar, constants_bar));
    PetscCall(HgProgramBoundaryAdjoint(program, bar));
    HgStateSwap(bar, next_bar);
  }
  PetscCall(HgStateDigest(next_bar, NULL, digest));
  if (constants_bar) {
    digest[16] = ' ';
    PetscCall(HgStateDigest(constants_bar, NULL, digest + 17));
  }
  return HgStatesDestroy(&bar, &next_bar, &constants_bar);
}

static PetscErrorCode compare(ShallowCase *c, bool nu, HgState constants, HgState q) {
  HgState whole[STEPS], some[STEPS], end, again, marked;
  HgState *const all[] = {&whole[1], &whole[2], &some[1], &some[2], &end, &again, &marked};
  char digest[2][34];
  PetscCall(make(c->program, all, 7));
  whole[0] = some[0] = q;
  for (int k = 1; k < STEPS; k++) PetscCall(fill(some[k], untouched));
  PetscCall(fill(marked, untouched));
  PetscCall(HgProgramSteps(c->program, 0, STEPS, constants, q, whole + 1, HG_SAVE_ALL, end));
  PetscCall(
      HgProgramSteps(c->program, 0, STEPS, constants, q, some + 1, HG_SAVE_FOR_ADJOINT, again));
  for (int k = 0; k < HgStateCount(q); k++) {
    const char *const name = HgStateVariable(q, k)->name;
    claim_that(!differ(end, again, k), "'%s' at the end differs", name);
    for (int n = 1; n < STEPS; n++)
      claim_that(!differ(some[n], reads(name, nu) ? whole[n] : marked, k),
                 "'%s' after %d steps is not %s", name, n, reads(name, nu) ? "kept" : "untouched");
  }
  PetscCall(back(c->program, constants, whole, again, digest[0]));
  PetscCall(back(c->program, constants, some, again, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]), "reversed: %s from whole states, %s from others",
             digest[0], digest[1]);
  for (int k = 0; k < 7; k++) PetscCall(HgStateDestroy(all[k]));
  return 0;
}

/* u' = u + v, v' = w, w' = w (v'_W + v'_E), v'' = v'/2: reversing reads v' outside the walls, which
   hold what they held of v, although it reads v nowhere else. */
static void add(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = x[0][j][i] + x[1][j][i];
}

static void add_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows w[],
                        const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int k = 0; k < 2; k++)
    for (int j = b->j0; j < b->j1; j++)
      for (int i = b->i0; i < b->i1; i++) x_bar[k][j][i] += w[0][j][i];
}

static void scale(const HgBox *b, const void *factor, const HgRows x[], const HgRowsOut y[]) {
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = *(const double *)factor * x[0][j][i];
}

static void scale_adjoint(const HgBox *b, const void *factor, const HgRows x[], const HgRows w[],
                          const HgRowsOut x_bar[]) {
  (void)x;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[0][j][i] += *(const HgReal *)factor * w[0][j][i];
}

static void times(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = x[0][j][i] * (x[1][j][i - 1] + x[1][j][i + 1]);
}

static void times_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows w[],
                          const HgRowsOut x_bar[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      x_bar[0][j][i] += w[0][j][i] * (x[1][j][i - 1] + x[1][j][i + 1]);
      x_bar[1][j][i] += x[0][j][i - 1] * w[0][j][i - 1] + x[0][j][i + 1] * w[0][j][i + 1];
    }
}

static void no_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                       const HgRowsOut dy[]) {
  (void)b, (void)params, (void)x, (void)dx, (void)dy; /* nobody asks for it here */
}

static const HgStencil terms[] = {
    {.name = "add",
     .reads = (const HgRead[]){{"u", 0, HG_ADJOINT_UNUSED}, {"v", 0, HG_ADJOINT_UNUSED}, {0}},
     .writes = (const char *const[]){"u", NULL},
     .apply = add,
     .tangent = no_tangent,
     .adjoint = add_adjoint},
    {.name = "copy",
     .reads = (const HgRead[]){{"w", 0, HG_ADJOINT_UNUSED}, {0}},
     .writes = (const char *const[]){"v", NULL},
     .apply = scale,
     .tangent = no_tangent,
     .adjoint = scale_adjoint,
     .params_size = sizeof(double)},
    {.name = "times",
     .reads = (const HgRead[]){{"w", 0, 1}, {"v", 1, 1}, {0}},
     .writes = (const char *const[]){"w", NULL},
     .apply = times,
     .tangent = no_tangent,
     .adjoint = times_adjoint},
    {.name = "halve",
     .reads = (const HgRead[]){{"v", 0, HG_ADJOINT_UNUSED}, {0}},
     .writes = (const char *const[]){"v", NULL},
     .apply = scale,
     .tangent = no_tangent,
     .adjoint = scale_adjoint,
     .params_size = sizeof(double)}};
static const double factor[] = {0, 1, 0, 0.5}; /* of those that scale */

static PetscErrorCode frozen_walls(void) {
  const HgMeshSpec spec = {.nx = 61, .ny = 59, .dx = 1, .dy = 1, .ghost = 8};
  HgMesh mesh;
  HgProgram program;
  HgState q, whole[STEPS], some[STEPS], end;
  HgState *const all[] = {&q, &whole[1], &whole[2], &some[1], &some[2], &end};
  char digest[2][34];
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "frozen", 1, &program));
  for (int k = 0; k < 4; k++)
    PetscCall(HgProgramAddStencil(program, &terms[k], terms[k].params_size ? &factor[k] : NULL));
  PetscCall(HgProgramSetBoundary(program, "v", HgBoundaryAll(HG_FROZEN, 0)));
  PetscCall(HgProgramSetUp(program));
  PetscCall(make(program, all, 6));
  PetscCall(HgStateRandom(q, 3));
  const int v = HgStateFind(q, "v"), ghost = spec.ghost;
  for (int j = -ghost; j < HgMeshGetPatch(mesh)->ny + ghost; j++)
    for (int i = -ghost; i < HgMeshGetPatch(mesh)->nx + ghost; i++)
      if (i < 0 || j < 0 || i >= HgMeshGetPatch(mesh)->nx || j >= HgMeshGetPatch(mesh)->ny)
        HgStateRows(q, v)[j][i] = 2;
  claim_that(HgProgramStride(program, STEPS) == STEPS, "%ld steps at once, expected %d",
             HgProgramStride(program, STEPS), STEPS);
  whole[0] = some[0] = q;
  PetscCall(HgProgramSteps(program, 0, STEPS, NULL, q, whole + 1, HG_SAVE_ALL, end));
  PetscCall(HgProgramSteps(program, 0, STEPS, NULL, q, some + 1, HG_SAVE_FOR_ADJOINT, end));
  PetscCall(back(program, NULL, whole, end, digest[0]));
  PetscCall(back(program, NULL, some, end, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]), "frozen walls: %s from whole states, %s from others",
             digest[0], digest[1]);
  for (int k = 0; k < 6; k++) PetscCall(HgStateDestroy(all[k]));
  return DESTROY(&program, &mesh);
}

static PetscErrorCode physics(void) {
  const ShallowSpec spec = {
      .nx = 61, .ny = 59, .steps = STEPS, .ghost = 9, .periodic_x = true, .slots = STEPS};
  ShallowCase c;
  HgState q, constants;
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  for (int active = 0; active < 2; active++) {
    PetscCall(HgProgramSetActive(c.program, "nu", active));
    PetscCall(HgProgramCreateCarried(c.program, &q));
    PetscCall(HgProgramCreateConstants(c.program, &constants));
    PetscCall(HgProgramSplit(c.program, c.x, q, constants));
    claim_that(HgProgramStride(c.program, STEPS) == STEPS, "%ld steps at once, expected %d",
               HgProgramStride(c.program, STEPS), STEPS);
    PetscCall(compare(&c, active, constants, q));
    PetscCall(HgStatesDestroy(&q, &constants));
  }
  return shallow_destroy(&c);
}

CLAIM("states between steps keep what reversing reads", 0, physics, frozen_walls)
