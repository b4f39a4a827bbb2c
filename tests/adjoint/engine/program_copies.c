/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes that are copies, as p_old' = p: several steps at once leave them out and keep the bits of
   single steps, forward and back; where a wall makes the copy something else, they are made. */
#include "claim.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <string.h>

enum { STEPS = 3 };

static bool left_out; /* was a row of p_old' not wanted? */

/* p' = p / 2 - p_old / 4 + p (p_W + p_E + p_S + p_N) / 10, p_old' = p */
static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  left_out = left_out || !y[1];
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double around = x[0][j][i - 1] + x[0][j][i + 1] + x[0][j - 1][i] + x[0][j + 1][i];
      y[0][j][i] = 0.5 * x[0][j][i] - 0.25 * x[1][j][i] + 0.1 * x[0][j][i] * around;
      if (y[1]) y[1][j][i] = x[0][j][i];
    }
}

static void no_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                       const HgRowsOut dy[]) {
  (void)b, (void)params, (void)x, (void)dx, (void)dy; /* nobody asks for it here */
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows w[],
                    const HgRowsOut x_bar[]) {
  (void)params;
  const HgRows p = x[0], v = w[0];
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double around = p[j][i - 1] + p[j][i + 1] + p[j - 1][i] + p[j + 1][i],
                   gathered = v[j][i - 1] * p[j][i - 1] + v[j][i + 1] * p[j][i + 1] +
                              v[j - 1][i] * p[j - 1][i] + v[j + 1][i] * p[j + 1][i];
      x_bar[0][j][i] += w[1][j][i] + 0.5 * v[j][i] + 0.1 * (v[j][i] * around + gathered);
      x_bar[1][j][i] -= 0.25 * v[j][i];
    }
}

static const char *const copies[][2] = {{"p_old", "p"}, {NULL, NULL}};
static const HgStencil wave = {
    .name = "wave",
    .reads = (const HgRead[]){{"p", 1, 1}, {"p_old", 0, HG_ADJOINT_UNUSED}, {0}},
    .writes = (const char *const[]){"p", "p_old", NULL},
    .copies = copies,
    .apply = apply,
    .tangent = no_tangent,
    .adjoint = adjoint};

typedef struct {
  HgState q, between[STEPS - 1], end, bar, end_bar;
  char digest[STEPS + 1][17]; /* of the states, and of bar */
} Way;

static PetscErrorCode make(HgProgram program, Way *w) {
  HgState *const states[] = {&w->q, &w->between[0], &w->between[1], &w->end, &w->bar, &w->end_bar};
  for (int k = 0; k < 6; k++) PetscCall(HgProgramCreateCarried(program, states[k]));
  PetscCall(HgStateRandom(w->q, 3));
  return HgStateRandom(w->end_bar, 5);
}

static PetscErrorCode destroy(Way *w) {
  PetscCall(HgStatesDestroy(&w->q, &w->between[0], &w->between[1], &w->end, &w->bar, &w->end_bar));
  return 0;
}

static PetscErrorCode digests(Way *w) {
  for (int k = 0; k < STEPS - 1; k++) PetscCall(HgStateDigest(w->between[k], NULL, w->digest[k]));
  PetscCall(HgStateDigest(w->end, NULL, w->digest[STEPS - 1]));
  return HgStateDigest(w->bar, NULL, w->digest[STEPS]);
}

static PetscErrorCode one_by_one(HgProgram program, Way *w) {
  const HgState q[] = {w->q, w->between[0], w->between[1], w->end};
  HgState scratch;
  PetscCall(HgProgramCreateCarried(program, &scratch));
  for (int n = 0; n < STEPS; n++) PetscCall(HgProgramStep(program, n, NULL, q[n], q[n + 1]));
  for (int n = STEPS - 1; n >= 0; n--) {
    PetscCall(HgProgramStepAdjoint(program, n, NULL, q[n], scratch, w->end_bar, w->bar, NULL));
    PetscCall(HgProgramBoundaryAdjoint(program, w->bar));
    if (n) HgStateSwap(w->bar, w->end_bar);
  }
  PetscCall(digests(w));
  return HgStateDestroy(&scratch);
}

/* As many steps at once as are reversed so, which caches decide. */
static PetscErrorCode back(HgProgram program, bool all, Way *w) {
  const HgState q[] = {w->q, w->between[0], w->between[1], w->end};
  HgReversal way;
  HgState scratch;
  PetscCall(HgProgramReversal(program, all, &way));
  PetscCall(HgProgramCreateCarried(program, &scratch));
  for (long n = STEPS, count; n > 0; n -= count) {
    count = PetscMin(n, way.steps);
    PetscCall(HgProgramStepsAdjoint(program, n - count, count, NULL, q[n - count],
                                    way.stored ? &q[n - count + 1] : NULL, scratch, w->end_bar,
                                    w->bar, NULL));
    PetscCall(HgProgramBoundaryAdjoint(program, w->bar));
    if (n > count) HgStateSwap(w->bar, w->end_bar);
  }
  return HgStateDestroy(&scratch);
}

/* Nothing is left out where the states between are asked for: it is looked for without them. */
static PetscErrorCode at_once(HgProgram program, bool all, Way *w) {
  PetscCall(HgProgramSteps(program, 0, STEPS, NULL, w->q, w->between, HG_SAVE_ALL, w->end));
  left_out = false;
  PetscCall(HgProgramSteps(program, 0, STEPS, NULL, w->q, NULL, HG_SAVE_ALL, w->end));
  PetscCall(back(program, all, w));
  return digests(w);
}

/* alike: p_old has the walls of p, so that its copies are not needed. */
static PetscErrorCode walls(HgBoundary p, HgBoundary p_old, bool alike) {
  const HgMeshSpec spec = {.nx = 61, .ny = 59, .dx = 1, .dy = 1, .ghost = 8};
  HgMesh mesh;
  HgProgram program;
  Way single = {0}, block = {0};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "copies", 1, &program));
  PetscCall(HgProgramAddStencil(program, &wave, NULL));
  PetscCall(HgProgramSetBoundary(program, "p", p));
  PetscCall(HgProgramSetBoundary(program, "p_old", p_old));
  PetscCall(HgProgramSetUp(program));
  claim_that(HgProgramStride(program, STEPS) == STEPS, "%ld steps at once, expected %d",
             HgProgramStride(program, STEPS), STEPS);
  PetscCall(make(program, &single));
  PetscCall(one_by_one(program, &single));
  for (int all = 0; all < 2; all++) {
    PetscCall(make(program, &block));
    PetscCall(at_once(program, all, &block));
    for (int k = 0; k <= STEPS; k++)
      claim_that(!strcmp(single.digest[k], block.digest[k]), "%s: %s one by one, %s at once",
                 k < STEPS ? "a state" : "the cotangent", single.digest[k], block.digest[k]);
    claim_that(left_out == alike, "copies were %s", left_out ? "left out" : "made");
    PetscCall(destroy(&block));
  }
  PetscCall(destroy(&single));
  return DESTROY(&program, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  const HgBoundary zero = HgBoundaryAll(HG_FIXED, 0), two = HgBoundaryAll(HG_FIXED, 2),
                   mirror = HgBoundaryAll(HG_MIRROR, 1);
  claim_begin("copies within a time block change no bit", 0);
  if (!ierr) ierr = walls(zero, zero, true);
  if (!ierr) ierr = walls(mirror, mirror, true);
  if (!ierr) ierr = walls(zero, two, false);
  if (!ierr) ierr = walls(mirror, zero, false);
  return claim_end(ierr);
}
