/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors planted in every adjoint and tangent of every physics, one for each read and kind of
   error: the doctor finds at least 99 %, names the stencil and the read in 97 %, the step
   and the cell of those that are in one step, in one cell, in 95 %; of a block's 8 levels each has
   its cell. With -table, how many of each.
   Several ranks, and the sanitizers, take every 27th of them. */
#include "claim.h"
#include "draws.h"
#include "findings.h"
#include "trajectory_case.h"
#include <block.h>
#include <halograd/heat.h>
#include <halograd/shallow_water.h>
#include <math.h>
#include <stdlib.h>
#include <tracer.h>

enum {
  NX = 18,
  NY = 15,
  STEPS = 7,
  STEP = 4,
  COLUMN = 5,
  ROW = 4,
  BLOCK = 10,
  LEVELS = 8,
  STENCILS = 8
};

typedef enum {
  SIGN,     /* of a contribution */
  SCALE,    /* a wrong coefficient, by 1 % */
  DROP,     /* a term forgotten */
  TWICE,    /* a term twice */
  SHIFT,    /* the western cell's contribution */
  ONE_STEP, /* forgotten in step STEP only */
  ONE_CELL, /* forgotten in cell (COLUMN, ROW) of one level only */
  TANGENT,  /* a term forgotten in the tangent */
  FAULTS
} Fault;

static const char *const names[FAULTS] = {"sign",    "coefficient", "dropped",  "twice",
                                          "shifted", "one step",    "one cell", "tangent"};

/* What is planted: in read `read` of stencil `original`. */
static struct {
  Fault fault;
  const HgStencil *original;
  int read, levels, level; /* levels: of the mesh, 0: none */
} plant;

static int every; /* one of so many errors is planted */

/* Slabs of zeros that reach as far around a box as any kernel does. */
typedef struct {
  double *data, **rows;
} Scratch;

enum { MARGIN = 3 };

static Scratch scratch_new(const HgBox *b) {
  const ptrdiff_t levels = b->k1 - b->k0 + 2 * MARGIN,
                  width = plant.levels ? levels * b->pitch : b->i1 - b->i0 + 2 * MARGIN,
                  first = plant.levels ? (MARGIN - b->k0) * b->pitch : MARGIN - b->i0;
  const int height = b->j1 - b->j0 + 2 * MARGIN;
  Scratch s = {calloc((size_t)width * (size_t)height, sizeof(double)),
               malloc((size_t)height * sizeof(double *))};
  for (int j = 0; j < height; j++) s.rows[j] = s.data + j * width + first;
  return s;
}

static HgReal *const *rows_of(const Scratch *s, const HgBox *b) { return s->rows + MARGIN - b->j0; }

static void scratch_free(Scratch *s) {
  free(s->data);
  free(s->rows);
}

static int reads_of(const HgStencil *s) {
  int n = 0;
  while (s->reads[n].name) n++;
  return n;
}

/* What becomes of the contribution to cell i of `row`, which is in level k. */
static double spoilt(const HgBox *b, const double row[], int i, int j, int k) {
  switch (plant.fault) {
  case SIGN: return -row[i];
  case SCALE: return 1.01 * row[i];
  case DROP: return 0;
  case TWICE: return 2 * row[i];
  case SHIFT: return row[i - 1];
  case ONE_STEP: return b->step == STEP ? 0 : row[i];
  case ONE_CELL:
    return b->i_global + i == COLUMN && b->j_global + j == ROW && k == plant.level ? 0 : row[i];
  default: return row[i];
  }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const int reads = reads_of(plant.original), k = plant.read;
  HgRowsOut to[16];
  HgBox plain = *b, wide = *b;
  memcpy(to, x_bar, (size_t)reads * sizeof *to);
  plain.fresh = wide.fresh = 0;
  if (!x_bar[k]) {
    plant.original->adjoint(&plain, params, x, y_bar, x_bar);
    return;
  }
  Scratch s = scratch_new(b);
  HgReal *const *own = rows_of(&s, b);
  to[k] = own;
  plant.original->adjoint(&plain, params, x, y_bar, to);
  for (int j = b->j0; j < b->j1; j++)
    for (int level = b->k0; level < b->k1; level++)
      for (int i = b->i0; i < b->i1; i++)
        x_bar[k][j][level * b->pitch + i] += spoilt(b, own[j] + level * b->pitch, i, j, level);
  scratch_free(&s);
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  HgRows from[16];
  Scratch zeros = scratch_new(b);
  memcpy(from, dx, (size_t)reads_of(plant.original) * sizeof *from);
  if (plant.fault == TANGENT) from[plant.read] = (HgRows)rows_of(&zeros, b);
  plant.original->tangent(b, params, x, from, dy);
  scratch_free(&zeros);
}

/* ---- a case of any physics ---- */

/* A physics with one stencil spoilt. */
static struct {
  HgStencil spoilt;
  const HgStencil *stencils[STENCILS + 1];
  HgPhysics physics;
} with;

static double bump(double x, double y, double z, void *phase) {
  return 2 + 0.3 * sin(3 * x + *(double *)phase) * cos(2 * y - 4 * z);
}

static double flat_bump(double x, double y, void *phase) { return bump(x, y, 0, phase); }

static PetscErrorCode create(const HgPhysics *physics, const void *params, TrajectoryCase *c) {
  const bool block = plant.levels;
  const HgMeshSpec spec = {.nx = block ? BLOCK : NX,
                           .ny = block ? BLOCK : NY,
                           .dx = 0.2,
                           .dy = 0.2,
                           .periodic_x = !block,
                           .nz = plant.levels,
                           .dz = block ? 0.2 : 0};
  with.spoilt = *plant.original, with.physics = *physics;
  with.spoilt.adjoint = adjoint, with.spoilt.tangent = tangent, with.spoilt.sets = false;
  memset(with.stencils, 0, sizeof with.stencils);
  for (int k = 0; physics->stencils[k]; k++)
    with.stencils[k] = physics->stencils[k] == plant.original ? &with.spoilt : physics->stencils[k];
  with.physics.stencils = with.stencils;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c->mesh));
  PetscCall(HgProgramCreatePhysics(c->mesh, &with.physics, params, 1e-3, &c->program));
  PetscCall(trajectory_case_begin(STEPS, 3, c));
  for (int k = 0; k < HgStateCount(c->x); k++) {
    double phase = k;
    const char *name = HgStateVariable(c->x, k)->name;
    if (block) PetscCall(HgStateSetVolume(c->x, name, bump, &phase));
    else PetscCall(HgStateSetField(c->x, name, flat_bump, &phase));
  }
  for (int k = 0; k < HgStateCount(c->data); k++)
    PetscCall(
        HgObjectiveAddSnapshot(c->objective, HgStateVariable(c->data, k)->name, STEPS, c->data, 1));
  return trajectory_case_end(c);
}

/* How many there were, and what the doctor said of them. */
typedef struct {
  int planted, found, stencil, read, place;
} Tally;

static Tally tally[FAULTS];

static bool cell_named(const HgFinding *f) {
  return f->i == COLUMN && f->j == ROW && f->level == (plant.levels ? plant.level : -1);
}

static void judge(const HgFindings *r) {
  Tally *t = &tally[plant.fault];
  bool stencil = false, read = false, place = false;
  for (int k = 0; k < r->findings; k++) {
    const HgFinding *f = &r->finding[k];
    stencil = stencil || !strcmp(f->part, plant.original->name);
    read = read || !strcmp(f->read, plant.original->reads[plant.read].name);
    place = place || (plant.fault == ONE_STEP ? f->step == STEP : cell_named(f));
  }
  t->planted++, t->found += r->findings > 0, t->stencil += stencil, t->read += read;
  t->place += place;
}

static PetscErrorCode plant_one(const HgPhysics *physics, const void *params) {
  TrajectoryCase c;
  HgFindings r;
  PetscCall(create(physics, params, &c));
  PetscCall(examine_trajectory(c.trajectory, c.x, &r));
  judge(&r);
  if (!r.findings)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "not found: %s of '%s' in '%s'\n", names[plant.fault],
                          plant.original->reads[plant.read].name, plant.original->name));
  return trajectory_case_destroy(&c);
}

/* All, or every 27th of them: 27 and the number of kinds have no common factor. */
static PetscErrorCode plant_all(const HgPhysics *physics, const void *params) {
  static int number;
  const int places = plant.levels ? plant.levels : 1;
  for (int s = 0; physics->stencils[s]; s++) {
    plant.original = physics->stencils[s];
    for (plant.read = 0; plant.original->reads[plant.read].name; plant.read++)
      for (plant.fault = SIGN; plant.fault < FAULTS; plant.fault++)
        for (plant.level = 0; plant.level < (plant.fault == ONE_CELL ? places : 1); plant.level++)
          if (number++ % every == 0) PetscCall(plant_one(physics, params));
  }
  return 0;
}

static PetscErrorCode print_table(void) {
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "| planted | how many | found | stencil named | read "
                        "named | step or cell named |\n|---|---|---|---|---|---|\n"));
  for (int k = 0; k < FAULTS; k++)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "| %s | %d | %d | %d | %d | %d |\n", names[k],
                          tally[k].planted, tally[k].found, tally[k].stencil, tally[k].read,
                          tally[k].place));
  return 0;
}

static void claim_rates(void) {
  Tally all = {0};
  for (int k = 0; k < FAULTS; k++) {
    all.planted += tally[k].planted, all.found += tally[k].found;
    all.stencil += tally[k].stencil, all.read += tally[k].read;
    if (k == ONE_STEP || k == ONE_CELL)
      claim_at_most(0.95 * tally[k].planted, tally[k].place, "%s: place named", names[k]);
  }
  claim_at_most(200.0 / every, all.planted, "errors planted");
  claim_at_most(0.99 * all.planted, all.found, "found");
  claim_at_most(0.97 * all.planted, all.stencil, "stencil named");
  claim_at_most(0.97 * all.planted, all.read, "read named");
}

static PetscErrorCode test(void) {
  const HgHeatParams heat = {.decay = 1};
  const HgShallowWaterParams shallow = {.gravity = 1, .scheme.epsilon = 0.1};
  PetscBool table;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-table", &table));
  every = (SANITIZED || claim.ranks > 1) && !table ? 27 : 1;
  PetscCall(plant_all(&hg_heat_physics, NULL));
  PetscCall(plant_all(&hg_heat_forced_physics, &heat));
  PetscCall(plant_all(&hg_heat_conservative_physics, NULL));
  PetscCall(plant_all(&tracer_physics, NULL));
  PetscCall(plant_all(&hg_shallow_water_physics, &shallow));
  plant.levels = LEVELS;
  PetscCall(plant_all(&block_physics, &(BlockParams){1}));
  if (table) PetscCall(print_table());
  claim_rates();
  return 0;
}

CLAIM("the doctor finds and names errors planted in all kernels", 1, test)
