/* SPDX-License-Identifier: BSD-2-Clause */
/* Shallow water converges at order 2 to a linear gravity wave and to a geostrophic flow, space and
   time refined together (epsilon = 0: Adams-Bashforth with epsilon > 0 is of order 1 in time). */
#include "claim.h"
#include "shallow_case.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>

static const double amplitude = 1e-7, speed = 0.3, coriolis = 5, end = 0.4;

typedef enum { WAVE, FLOW } Kind;

/* Thickness and velocities at time t in the unit square, g = 1, mean thickness 1. Wave: standing,
   so small that it is linear. Flow: u = speed sin(2 pi y) with f u = -h_y, steady. */
typedef struct {
  Kind kind;
  double t, shift_x, shift_y; /* shift: from the centre to where the variable lives */
} Where;

static const double k = 2 * PETSC_PI;

static double exact_h(double x, double y, void *context) {
  const Where *w = context;
  if (w->kind == FLOW) return 1 + coriolis * speed / k * cos(k * y);
  return 1 + amplitude * cos(k * x) * cos(k * y) * cos(sqrt(2) * k * w->t);
}

static double exact_u(double x, double y, void *context) {
  const Where *w = context;
  if (w->kind == FLOW) return speed * sin(k * y);
  return amplitude / sqrt(2) * sin(k * (x + w->shift_x)) * cos(k * y) * sin(sqrt(2) * k * w->t);
}

static double exact_v(double x, double y, void *context) {
  const Where *w = context;
  if (w->kind == FLOW) return 0;
  return amplitude / sqrt(2) * cos(k * x) * sin(k * (y + w->shift_y)) * sin(sqrt(2) * k * w->t);
}

static PetscErrorCode set_exact(Kind kind, double t, double dx, HgState q) {
  Where w = {kind, t, dx / 2, dx / 2};
  PetscCall(HgStateSetField(q, "h", exact_h, &w));
  PetscCall(HgStateSetField(q, "u", exact_u, &w));
  return HgStateSetField(q, "v", exact_v, &w);
}

/* The l2 distance from the exact h, u, v at the end, over that of the signal. */
static PetscErrorCode error_at(Kind kind, int n, double *error) {
  const double dx = 1.0 / n;
  const long steps = 3 * n;
  const HgMeshSpec spec = {
      .nx = n, .ny = n, .dx = dx, .dy = dx, .periodic_x = true, .periodic_y = true, .ghost = 1};
  const HgShallowWaterParams params = {.gravity = 1};
  HgMesh mesh;
  HgProgram program;
  HgState q, next, constants;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(shallow_program(mesh, &(ShallowSpec){0}, end / (double)steps, &params, &program));
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateCarried(program, &next));
  PetscCall(HgProgramCreateConstants(program, &constants));
  if (kind == FLOW) PetscCall(HgStateSetConstant(constants, "f", coriolis));
  PetscCall(set_exact(kind, 0, dx, q));
  for (long step = 0; step < steps; step++) {
    PetscCall(HgProgramStep(program, step, constants, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateCopy(q, next));
  PetscCall(set_exact(kind, end, dx, next));
  PetscCall(HgStateAXPY(next, -1, q)); /* what is left of the tendencies is not compared */
  const char *const old[] = {"h_t", "u_t", "v_t"};
  for (int l = 0; l < 3; l++) PetscCall(HgStateSetConstant(next, old[l], 0));
  double square;
  PetscCall(HgStateDot(next, next, &square));
  *error = sqrt(square) / n / (kind == FLOW ? speed : amplitude);
  return DESTROY(&q, &next, &constants, &program, &mesh);
}

static PetscErrorCode test(void) {
  static const char *const names[] = {"gravity wave", "geostrophic flow"};
  for (Kind kind = WAVE; kind <= FLOW; kind++) {
    double before, now;
    PetscCall(error_at(kind, 16, &before));
    for (int n = 32; n <= 128; n *= 2) {
      PetscCall(error_at(kind, n, &now));
      const double order = log2(before / now);
      claim_at_most(fabs(order - 2), 0.1, "%s, %d cells, error %g: distance of the order from 2",
                    names[kind], n, now);
      before = now;
    }
    claim_at_most(before, 1e-2, "%s: error on 128 cells", names[kind]);
  }
  return 0;
}

CLAIM("shallow water converges at order 2", 0, test)
