/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a NaN that the adjoint of one stencil makes in one step and cell, of any physics and
   any of its reads, is named with that step, stencil, variable and cell. */
#include "claim.h"
#include "planted_case.h"
#include "refusal.h"
#include <halograd/heat.h>
#include <halograd/shallow_water.h>
#include <math.h>
#include <tracer.h>

enum { STEPS = 11, STEP = 4, COLUMN = 5, ROW = 4 };

/* BEYOND: a NaN in cells beyond the patch, which are computed only where steps, or stencils, are
   reversed together. */
typedef enum { SOUND, NOT_A_NUMBER, BEYOND } Fault;

/* What is planted: in read `read` of stencil `original`. */
static struct {
  Fault fault;
  const HgStencil *original;
  int read;
} plant;

/* A NaN in one cell. */
static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const HgRowsOut spoilt = x_bar[plant.read];
  plant.original->adjoint(b, params, x, y_bar, x_bar);
  if (plant.fault == BEYOND && spoilt && (b->i0 < 0 || b->j0 < 0)) spoilt[b->j0][b->i0] = NAN;
  if (b->step != STEP || !spoilt) return;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const bool here = b->i_global + i == COLUMN && b->j_global + j == ROW;
      if (plant.fault == NOT_A_NUMBER && here) spoilt[j][i] = NAN;
    }
}

static PetscErrorCode not_a_number(PlantedCase *c) {
  char step[64], stencil[64], cell[96];
  double J;
  snprintf(step, sizeof step, "first in the reverse sweep lambda_%d (", STEP);
  snprintf(stencil, sizeof stencil, "the adjoint of '%s' made it of finite cotangents",
           plant.original->name);
  snprintf(cell, sizeof cell, ": that of '%s' is nan in cell (%d, %d)",
           plant.original->reads[plant.read].name, COLUMN, ROW);
  PetscCall(HgStateZero(c->x_bar));
  REFUSED(HgTrajectoryGradient(c->trajectory, c->x, 1, &J, c->x_bar), step, stencil, cell,
          "but its gradient is not finite");
  return 0;
}

static PetscErrorCode plant_all(const HgPhysics *physics, const void *params) {
  for (int s = 0; physics->stencils[s]; s++) {
    plant.original = physics->stencils[s];
    for (plant.read = 0; plant.original->reads[plant.read].name; plant.read++) {
      PlantedCase c;
      HgStencil spoilt = *plant.original;
      spoilt.adjoint = adjoint;
      PetscCall(planted_create(physics, params, plant.original, &spoilt, STEPS, &c));
      plant.fault = NOT_A_NUMBER;
      PetscCall(not_a_number(&c));
      PetscCall(planted_destroy(&c));
    }
  }
  return 0;
}

/* J is finite and dJ/dq is not: (1e-10 / 1e-160)^2 and 1e-10 / 1e-320. */
static PetscErrorCode objective(void) {
  PlantedCase c;
  double J;
  plant.fault = SOUND, plant.read = 0, plant.original = hg_heat_physics.stencils[0];
  PetscCall(planted_create(&hg_heat_physics, NULL, plant.original, plant.original, STEPS, &c));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "u", 6, c.data, 1e-160));
  PetscCall(HgStateScale(c.x, 1e-10));
  PetscCall(HgStateZero(c.x_bar));
  REFUSED(HgTrajectoryGradient(c.trajectory, c.x, 1, &J, c.x_bar), "but its gradient is not finite",
          "first in the reverse sweep lambda_6 (", "it is dJ/dq of that time alone");
  return planted_destroy(&c);
}

/* What goes wrong in several steps reversed at once only. */
static PetscErrorCode together(void) {
  PlantedCase c;
  double J;
  plant.fault = BEYOND, plant.read = 0, plant.original = hg_heat_physics.stencils[0];
  HgStencil spoilt = *plant.original;
  spoilt.adjoint = adjoint;
  PetscCall(planted_create(&hg_heat_physics, NULL, plant.original, &spoilt, STEPS, &c));
  PetscCall(HgStateZero(c.x_bar));
  REFUSED(HgTrajectoryGradient(c.trajectory, c.x, 1, &J, c.x_bar), "but its gradient is not finite",
          "and not if its steps are reversed one by one");
  return planted_destroy(&c);
}

static PetscErrorCode test(void) {
  PetscCall(objective());
  PetscCall(together());
  const HgHeatParams heat = {.decay = 1};
  const HgShallowWaterParams shallow = {.gravity = 1, .scheme.epsilon = 0.1};
  PetscCall(plant_all(&hg_heat_physics, NULL));
  PetscCall(plant_all(&hg_heat_forced_physics, &heat));
  PetscCall(plant_all(&hg_heat_conservative_physics, NULL));
  PetscCall(plant_all(&tracer_physics, NULL));
  return plant_all(&hg_shallow_water_physics, &shallow);
}

CLAIM("a lambda that is not finite is named with step, stencil, cell", 1, test)
