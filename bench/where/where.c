/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_where: where the time of a step goes, for the program of any text.

     build/bench/bench_where -text apps/gallery/acoustic.stencil -nx 96 -ny 96

   Each line is one way to make the steps, and so says what the way above it lacks: the numbers' way
   through memory, what a program does at seams and walls, what handing rows on in the cache saves.
   Reverse is a gradient over stored states without a forward run, which stores none. Fields,
   numbers and tables hold 1 or a little more; dt is so small that nothing grows. */
#include "bare.h"
#include "bench.h"
#include "own_program.h"
#include <halograd/file_library.h>
#include <halograd/mesh_library.h>
#include <halograd/options_library.h>
#include <halograd/physics_compile.h>
#include <halograd/state_library.h>

enum { ROUNDS = 9, WAYS = 3, STEPS_MOST = 64 };

static const double cells_at_once = 4e6, dt = 1e-9;

typedef struct {
  char text[PETSC_MAX_PATH_LEN];
  int nx, ny, nz;
} Asked;

static PetscErrorCode read_options(Asked *a) {
  HgOptions o;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "bench_where", "where the time of a step goes", &o));
  PetscCall(HgOptionsString(o, "-text", "the physics: a .stencil file", sizeof a->text, a->text));
  PetscCall(HgOptionsInt(o, "-nx", "cells along x", "", 16, 1 << 20, &a->nx));
  PetscCall(HgOptionsInt(o, "-ny", "cells along y", "", 16, 1 << 20, &a->ny));
  PetscCall(HgOptionsInt(o, "-nz", "levels, if it has them", "", 1, 1 << 20, &a->nz));
  return HgOptionsEnd(o);
}

static PetscErrorCode compile(const char path[], const HgPhysics **physics) {
  char *text;
  size_t size;
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, path, 1 << 20, &text, &size));
  const PetscErrorCode ierr = HgPhysicsCompile(PETSC_COMM_WORLD, text, physics);
  PetscCall(PetscFree(text));
  return ierr;
}

/* The params of a physics: numbers and tables hold 1. */
typedef struct {
  char *bytes;
  double *ones;
} Params;

static PetscErrorCode fill_params(const HgPhysics *physics, long steps, Params *p) {
  HgRequire(PETSC_COMM_WORLD, !physics->series || !physics->series->name, HG_ERR_ARGUMENT,
            "bench_where: '%s' has numbers by step, expected a text without", physics->name);
  PetscCall(PetscCalloc1(physics->params_size + 1, &p->bytes));
  PetscCall(PetscMalloc1(steps, &p->ones));
  for (long n = 0; n < steps; n++) p->ones[n] = 1;
  for (const HgPhysicsNumber *n = physics->numbers; n && n->name; n++)
    *(double *)(void *)(p->bytes + n->offset) = 1;
  for (const HgPhysicsTable *t = physics->tables; t && t->name; t++) {
    *(double **)(void *)(p->bytes + t->offset) = p->ones;
    *(long *)(void *)(p->bytes + t->count) = steps;
  }
  return 0;
}

/* ---- the ways of a program ---- */
static const char *const ways[WAYS] = {"the program, kernel after kernel (-hg_fuse false)",
                                       "rows handed on in tiles, one step at a time",
                                       "the program as it runs, several steps at once"};

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgState x;
  OwnForward forward;
  OwnTrajectory trajectory;
} Way;

static PetscErrorCode way_create(const HgPhysics *physics, const Params *params, const Asked *a,
                                 int way, int steps, Way *w) {
  const HgMeshSpec spec = {.nx = a->nx,
                           .ny = a->ny,
                           .nz = physics->levels ? a->nz : 0,
                           .dx = 1,
                           .dy = 1,
                           .dz = physics->levels};
  if (way < 2) PetscCall(PetscOptionsSetValue(NULL, "-hg_fuse", way ? "true" : "false"));
  if (way < 2) PetscCall(PetscOptionsSetValue(NULL, "-hg_time_block", "1"));
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &w->mesh));
  PetscCall(HgProgramCreatePhysics(w->mesh, physics, physics->params_size ? params->bytes : NULL,
                                   dt, &w->program));
  for (const HgPhysicsVariable *v = physics->variables; v->name; v++)
    if (v->boundary.west.kind == HG_UNSTATED)
      PetscCall(HgProgramSetBoundary(w->program, v->name, HgBoundaryAll(HG_COPY, 0)));
  PetscCall(HgProgramSetUp(w->program));
  PetscCall(PetscOptionsClearValue(NULL, "-hg_fuse"));
  PetscCall(PetscOptionsClearValue(NULL, "-hg_time_block"));
  PetscCall(HgProgramCreateInput(w->program, &w->x));
  for (int k = 0; k < HgStateCount(w->x); k++)
    for (int n = 0; n < HgStateRowCount(w->x, k); n++)
      for (int i = 0; i < HgMeshGetPatch(w->mesh)->nx; i++)
        HgStateRow(w->x, k, n)[i] = (HgReal)(1 + 1e-3 * ((i + 3 * n) % 17));
  PetscCall(OwnForwardCreate(w->program, w->x, steps, &w->forward));
  HgState *const q = &w->forward.q;
  return OwnTrajectoryCreate(w->program, w->x, HgStateVariable(*q, 0)->name, steps, steps,
                             &w->trajectory);
}

static PetscErrorCode way_destroy(Way *w) {
  PetscCall(OwnTrajectoryDestroy(&w->trajectory));
  PetscCall(OwnForwardDestroy(&w->forward));
  PetscCall(HgStateDestroy(&w->x));
  PetscCall(HgProgramDestroy(&w->program));
  return HgMeshDestroy(&w->mesh);
}

/* Tables have as many entries as a run has steps. */
static PetscErrorCode rewind_run(void *self) {
  ((OwnForward *)self)->step = 0;
  return 0;
}

/* ---- the states that a gradient stores ---- */
typedef struct {
  HgState q, *stored;
  int steps;
} Stored;

static PetscErrorCode stored_create(HgState q, int steps, Stored *s) {
  *s = (Stored){.q = q, .steps = steps};
  PetscCall(PetscMalloc1(steps, &s->stored));
  for (int n = 0; n < steps; n++) PetscCall(HgStateDuplicate(q, &s->stored[n]));
  return 0;
}

static PetscErrorCode stored_destroy(Stored *s) {
  for (int n = 0; n < s->steps; n++) PetscCall(HgStateDestroy(&s->stored[n]));
  return PetscFree(s->stored);
}

/* Writes all of them, and reads them again, the last one first. */
static PetscErrorCode stored_run(void *self) {
  Stored *s = self;
  for (int n = 0; n < s->steps; n++) PetscCall(HgStateCopy(s->q, s->stored[n]));
  for (int n = s->steps - 1; n >= 0; n--) PetscCall(HgStateCopy(s->stored[n], s->q));
  return 0;
}

/* ---- the table ---- */
static PetscErrorCode print(const char what[], double forward, double reverse) {
  return PetscPrintf(PETSC_COMM_WORLD, "%-52s %8.2f %8.2f\n", what, 1e9 * forward, 1e9 * reverse);
}

enum { CASES = 5 + 3 * WAYS };

static double less(const BenchCase *all, const BenchCase *part) {
  return BenchSeconds(all) - BenchSeconds(part);
}

/* Of a cell of this rank's patch, which the kernels alone compute, too. */
static PetscErrorCode measure(Way w[WAYS], Bare bare[2], Stored *stored) {
  const HgPatch *p = HgMeshGetPatch(w->mesh);
  const double work = (double)p->nx * p->ny * HgMeshLevels(w->mesh) * stored->steps;
  BenchCase c[CASES] = {{.run = BareApply, .context = &bare[0]},
                        {.run = BareAdjoint, .context = &bare[0]},
                        {.run = BareApply, .context = &bare[1]},
                        {.run = BareAdjoint, .context = &bare[1]},
                        {.run = stored_run, .context = stored}};
  for (int k = 0; k < WAYS; k++) {
    BenchCase *const of = &c[5 + 3 * k];
    of[0] = (BenchCase){.prepare = rewind_run, .run = OwnForwardRun, .context = &w[k].forward};
    of[1] = (BenchCase){.run = OwnTrajectoryValue, .context = &w[k].trajectory};
    of[2] = (BenchCase){.run = OwnTrajectoryGradient, .context = &w[k].trajectory};
  }
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, ROUNDS, CASES, c));
  for (int k = 0; k < 2; k++)
    PetscCall(print(k ? "kernels alone, one after another on whole fields"
                      : "kernels alone, on rows in the first-level cache",
                    BenchSeconds(&c[2 * k]) / BareCells(&bare[k]),
                    BenchSeconds(&c[2 * k + 1]) / BareCells(&bare[k])));
  PetscCall(print("states of all steps written, and read again", 0, BenchSeconds(&c[4]) / work));
  for (int k = 0; k < WAYS; k++)
    PetscCall(print(ways[k], BenchSeconds(&c[5 + 3 * k]) / work,
                    less(&c[7 + 3 * k], &c[6 + 3 * k]) / work));
  return 0;
}

static PetscErrorCode run(void) {
  Asked a = {.text = "", .nx = 251, .ny = 231, .nz = 100};
  const HgPhysics *physics;
  Params params;
  Way w[WAYS];
  Bare bare[2];
  Stored stored;
  PetscCall(read_options(&a));
  HgRequire(PETSC_COMM_WORLD, *a.text, HG_ERR_OPTION_CONFLICT,
            "bench_where: no text of a physics, expected -text FILE");
  PetscCall(compile(a.text, &physics));
  if (!physics->levels) a.nz = 1;
  const double cells = (double)a.nx * a.ny * a.nz;
  const int steps = (int)PetscMax(6, PetscMin(STEPS_MOST, cells_at_once / cells));
  PetscCall(fill_params(physics, steps, &params));
  for (int k = 0; k < WAYS; k++) PetscCall(way_create(physics, &params, &a, k, steps, &w[k]));
  for (int k = 0; k < 2; k++) PetscCall(BareCreate(w[0].program, k == 0, steps, &bare[k]));
  PetscCall(stored_create(w[0].forward.q, steps, &stored));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %d x %d x %d cells\n%-52s %8s %8s\n", physics->name,
                        a.nx, a.ny, a.nz, "ns a cell and step", "forward", "reverse"));
  PetscCall(measure(w, bare, &stored));
  PetscCall(stored_destroy(&stored));
  for (int k = 0; k < 2; k++) PetscCall(BareDestroy(&bare[k]));
  for (int k = 0; k < WAYS; k++) PetscCall(way_destroy(&w[k]));
  PetscCall(PetscFree(params.ones));
  return PetscFree(params.bytes);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  return HgFinalize(ierr ? ierr : run());
}
