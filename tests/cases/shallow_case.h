/* SPDX-License-Identifier: BSD-2-Clause */
/* Shallow water in a small domain over a hill, complete: any walls, either friction, any schedule.
   */
#ifndef HALOGRAD_TEST_SHALLOW_CASE_H
#define HALOGRAD_TEST_SHALLOW_CASE_H

#include "shallow_published.h"
#include "trajectory_claims.h"
#include <halograd/shallow_water.h>
#include <halograd/trajectory.h>
#include <math.h>

typedef struct {
  int nx, ny, px, py;
  long steps;
  bool periodic_x, periodic_y, published, in_files;
  int slots;
  int ghost;       /* 0: 1 */
  bool widens;     /* as many ghosts as the plan asks for instead */
  bool reference;  /* of tendencies and stock integrators */
  bool surface;    /* eta is carried beside h, and J depends on it at the end */
  bool reflecting; /* every wall copies or mirrors every variable that is not closed there */
} ShallowSpec;

typedef struct {
  HgMesh mesh;
  HgShallowWaterParams params;
  HgProgram program;
  HgState data, x;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
} ShallowCase;

static inline double bottom(double x, double y, void *context) {
  (void)context;
  return 0.2 + 0.15 * sin(2 * x + 0.4) * cos(3 * y);
}

static inline double thickness(double x, double y, void *context) {
  return 1.2 - bottom(x, y, context) + 0.1 * cos(3 * x - 0.2) * sin(2 * y + 1);
}

static inline double current(double x, double y, void *context) {
  const double *phase = context;
  return 0.2 * sin(2 * x + 3 * y + *phase);
}

static inline double turning(double x, double y, void *context) {
  (void)context;
  return 0.7 + 0.2 * y + 0.1 * x;
}

static inline double rubbing(double x, double y, void *context) {
  (void)context;
  return 2e-3 * (1.5 + sin(x) * cos(y));
}

/* No physics, but cotangents from every wall to every variable; eastern and northern walls stay
   closed. */
static inline PetscErrorCode reflect(HgProgram program) {
  static const char *const all[] = {"h", "u",  "v", "h_t", "u_t", "v_t", "b",
                                    "f", "nu", "q", "P",   "F",   "G"};
  for (int k = 0; k < (int)(sizeof all / sizeof *all); k++) {
    const HgSide mirror = {HG_MIRROR, 1}, copy = {HG_COPY, 0},
                 odd = {HG_MIRROR, k < 3 && k ? -1 : 1};
    const HgBoundary sides[] = {
        {mirror, copy, odd, mirror}, {odd, mirror, copy, odd}, {copy, odd, mirror, copy}};
    HgBoundary b = sides[k % 3];
    if (*all[k] == 'u' || *all[k] == 'F') b.east.kind = HG_CLOSED;
    if (*all[k] == 'v' || *all[k] == 'G') b.north.kind = HG_CLOSED;
    PetscCall(HgProgramSetBoundary(program, all[k], b));
  }
  return 0;
}

/* Not set up yet. */
static inline PetscErrorCode shallow_stencils(HgMesh mesh, bool published, double dt,
                                              const HgShallowWaterParams *params,
                                              HgProgram *program) {
  PetscCall(HgProgramCreatePhysics(
      mesh, published ? &shallow_published_physics : &hg_shallow_water_physics, params, dt,
      program));
  return published ? ShallowPublishedWalls(*program) : 0;
}

static inline PetscErrorCode shallow_program(HgMesh mesh, const ShallowSpec *s, double dt,
                                             const HgShallowWaterParams *params,
                                             HgProgram *program) {
  if (s->reference)
    PetscCall(HgProgramCreatePhysics(mesh, &hg_shallow_reference_physics, params, dt, program));
  else if (s->surface)
    PetscCall(HgProgramCreatePhysics(mesh, &hg_shallow_surface_physics, params, dt, program));
  else PetscCall(shallow_stencils(mesh, s->published, dt, params, program));
  if (s->reflecting) PetscCall(reflect(*program));
  return HgProgramSetUp(*program);
}

/* J: misfits of h half way and of u and v, and eta, at the end. */
static inline PetscErrorCode shallow_objective(ShallowCase *c, const ShallowSpec *s) {
  PetscCall(HgObjectiveCreate(c->program, s->steps, &c->objective));
  PetscCall(HgProgramCreateCarried(c->program, &c->data));
  PetscCall(HgStateSetConstant(c->data, "h", 0.9));
  PetscCall(HgStateSetConstant(c->data, "v", -0.05));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "h", s->steps / 2, c->data, 0.3));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "u", s->steps, c->data, 0.2));
  if (s->surface) PetscCall(HgObjectiveAddSnapshot(c->objective, "eta", s->steps, c->data, 0.1));
  return HgObjectiveAddSnapshot(c->objective, "v", s->steps, c->data, 0.2);
}

static inline PetscErrorCode shallow_create(MPI_Comm comm, const ShallowSpec *s, ShallowCase *c) {
  const HgMeshSpec spec = {.nx = s->nx,
                           .ny = s->ny,
                           .px = s->px,
                           .py = s->py,
                           .dx = 0.11,
                           .dy = 0.13,
                           .periodic_x = s->periodic_x,
                           .periodic_y = s->periodic_y,
                           .ghost = s->widens  ? 0
                                    : s->ghost ? s->ghost
                                               : 1};
  double phase[2] = {0.3, 1.9};
  *c = (ShallowCase){0};
  PetscCall(HgMeshCreate(comm, &spec, &c->mesh));
  const double dt = 0.8 * HgShallowWaterLargestStep(1, 0.1, 1.2, 0.2, spec.dx, spec.dy);
  c->params = (HgShallowWaterParams){.gravity = 1, .scheme.epsilon = 0.1};
  PetscCall(shallow_program(c->mesh, s, dt, &c->params, &c->program));
  PetscCall(shallow_objective(c, s));
  PetscCall(make_trajectory(c->program, c->objective, c->data, s->steps, s->slots, s->in_files,
                            &c->store, &c->trajectory, &c->op));
  PetscCall(HgProgramCreateInput(c->program, &c->x));
  PetscCall(HgStateSetField(c->x, "h", thickness, NULL));
  PetscCall(HgStateSetField(c->x, "u", current, &phase[0]));
  PetscCall(HgStateSetField(c->x, "v", current, &phase[1]));
  PetscCall(HgStateSetField(c->x, "b", bottom, NULL));
  PetscCall(HgStateSetField(c->x, "f", turning, NULL));
  return HgStateSetField(c->x, "nu", rubbing, NULL);
}

static inline PetscErrorCode shallow_destroy(ShallowCase *c) {
  return DESTROY(&c->op, &c->trajectory, &c->store, &c->objective, &c->x, &c->data, &c->program,
                 &c->mesh);
}

#endif
