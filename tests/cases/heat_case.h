/* SPDX-License-Identifier: BSD-2-Clause */
/* A small heat inversion, complete: sensors between cells and steps, a snapshot, any walls, any
   schedule and store. */
#ifndef HALOGRAD_TEST_HEAT_CASE_H
#define HALOGRAD_TEST_HEAT_CASE_H

#include "trajectory_claims.h"
#include <halograd/heat.h>
#include <halograd/program_library.h>
#include <halograd/trajectory.h>
#include <math.h>

typedef enum {
  WALLS_FIXED,
  WALLS_INSULATED,
  WALLS_PERIODIC,
  WALLS_FROZEN,
  WALLS_MIXED,
  WALLS
} Walls;

typedef struct {
  int nx, ny, px, py;
  long steps;
  Walls walls;
  bool periodic_x, periodic_y;           /* as well */
  int ghost;                             /* 0: 1 */
  bool conservative, snapshot, in_files; /* snapshot: and integrals */
  int slots;
  PetscErrorCode (*more)(HgProgram program, void *context); /* after the stencil; NULL: nothing */
  void *context;
  double decay; /* of the source; 0: 3 */
} HeatSpec;

typedef struct {
  HgMesh mesh;
  HgHeatParams params;
  HgProgram program;
  HgObservations *sensors;
  HgState data, x;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
} HeatCase;

static inline double hill(double x, double y, void *context) {
  (void)context;
  return 1 + 0.5 * sin(5 * x + 0.3) * cos(4 * y);
}

static inline double wave(double x, double y, void *context) {
  (void)context;
  return sin(3 * x + 1) + cos(7 * y) * x;
}

static inline HgBoundary heat_walls(Walls walls) {
  if (walls == WALLS_INSULATED) return HgBoundaryAll(HG_MIRROR, 1);
  if (walls == WALLS_FROZEN) return HgBoundaryAll(HG_FROZEN, 0);
  if (walls == WALLS_MIXED)
    return (HgBoundary){{HG_MIRROR, -1}, {HG_COPY, 0}, {HG_FIXED, 0.25}, {HG_MIRROR, 1}};
  return HgBoundaryAll(HG_FIXED, 0);
}

/* 7 sensors, one in each corner region beyond the outermost centres, at 6 times that fall between
   steps and on them. */
static inline PetscErrorCode heat_sensors(HeatCase *c, const HeatSpec *s) {
  const MPI_Comm comm = HgMeshComm(c->mesh);
  const HgMeshSpec *m = HgMeshGetSpec(c->mesh);
  const double lx = m->dx * s->nx, ly = m->dy * s->ny,
               end = s->steps * HgProgramTimeStep(c->program);
  static const double at[7][2] = {{0.001, 0.002}, {0.999, 0.998}, {0.003, 0.996}, {0.997, 0.001},
                                  {0.5, 0.5},     {0.31, 0.72},   {0.63, 0.18}};
  PetscCall(HgObservationsCreate(comm, "u", "K", 6, 7, &c->sensors));
  for (int k = 0; k < 7; k++)
    c->sensors->x[k] = m->x0 - m->dx / 2 + at[k][0] * lx,
    c->sensors->y[k] = m->y0 - m->dy / 2 + at[k][1] * ly;
  for (int n = 0; n < 6; n++) {
    c->sensors->time[n] = end * (n == 0 ? 0 : n == 5 ? 1 : 0.17 * n + 0.013);
    for (int k = 0; k < 7; k++)
      c->sensors->value[7 * n + k] = 0.1 * n - 0.05 * k,
                                c->sensors->sigma[7 * n + k] = 0.5 + 0.1 * k;
  }
  return HgObjectiveAddSensors(c->objective, c->sensors);
}

/* One sensor more, which measures after so many steps each: a term of J. */
static inline PetscErrorCode heat_sense(HeatCase *c, int times, const double steps[],
                                        HgObjective J) {
  HgObservations *o;
  PetscCall(HgObservationsCreate(HgMeshComm(c->mesh), "u", "K", times, 1, &o));
  o->x[0] = 0.4, o->y[0] = 0.3;
  for (int k = 0; k < times; k++)
    o->time[k] = steps[k] * HgProgramTimeStep(c->program), o->value[k] = 0.1, o->sigma[k] = 1;
  const PetscErrorCode ierr = HgObjectiveAddSensors(J, o);
  PetscCall(HgObservationsDestroy(&o));
  return ierr;
}

/* A snapshot, and integrals: a goal and a measurement. */
static inline PetscErrorCode heat_whole(HeatCase *c, const HeatSpec *s) {
  const HgIntegral goal = {"u", .west = 0.2, .east = 0.55, .step = s->steps / 3, .weight = -0.5},
                   measured = {"u", .step = s->steps, .value = 0.3, .sigma = 0.2};
  PetscCall(HgObjectiveAddSnapshot(c->objective, "u", s->steps / 2, c->data, 3));
  PetscCall(HgObjectiveAddIntegral(c->objective, &goal));
  return HgObjectiveAddIntegral(c->objective, &measured);
}

static inline PetscErrorCode heat_create(MPI_Comm comm, const HeatSpec *s, HeatCase *c) {
  const bool periodic = s->walls == WALLS_PERIODIC;
  const HgMeshSpec spec = {.nx = s->nx,
                           .ny = s->ny,
                           .px = s->px,
                           .py = s->py,
                           .x0 = 0.5 / s->nx,
                           .y0 = 0.4 / s->ny,
                           .dx = 1.0 / s->nx,
                           .dy = 0.8 / s->ny,
                           .periodic_x = periodic || s->periodic_x,
                           .periodic_y = periodic || s->periodic_y,
                           .ghost = s->ghost ? s->ghost : 1};
  *c = (HeatCase){0};
  PetscCall(HgMeshCreate(comm, &spec, &c->mesh));
  c->params = (HgHeatParams){.decay = s->decay > 0 ? s->decay : 3};
  PetscCall(
      HgProgramCreate(c->mesh, "heat", 0.8 * HgHeatLargestStep(2, spec.dx, spec.dy), &c->program));
  PetscCall(HgProgramAddStencil(
      c->program, s->conservative ? &hg_heat_conservative_forced : &hg_heat_forced, &c->params));
  PetscCall(HgProgramSetBoundary(c->program, "u", heat_walls(s->walls)));
  PetscCall(HgProgramSetBoundary(c->program, "kappa", HgBoundaryAll(HG_COPY, 0)));
  PetscCall(HgProgramSetUnit(c->program, "u", "K"));
  if (s->more) PetscCall(s->more(c->program, s->context));
  PetscCall(HgProgramSetUp(c->program));
  PetscCall(HgObjectiveCreate(c->program, s->steps, &c->objective));
  PetscCall(heat_sensors(c, s));
  PetscCall(HgProgramCreateCarried(c->program, &c->data));
  PetscCall(HgStateSetField(c->data, "u", wave, NULL));
  if (s->snapshot) PetscCall(heat_whole(c, s));
  PetscCall(make_trajectory(c->program, c->objective, c->data, s->steps, s->slots, s->in_files,
                            &c->store, &c->trajectory, &c->op));
  PetscCall(HgProgramCreateInput(c->program, &c->x));
  PetscCall(HgStateSetField(c->x, "u", wave, NULL));
  PetscCall(HgStateSetField(c->x, "kappa", hill, NULL));
  return HgStateSetField(c->x, "f", wave, NULL);
}

static inline PetscErrorCode heat_destroy(HeatCase *c) {
  return DESTROY(&c->op, &c->trajectory, &c->store, &c->objective, &c->sensors, &c->x, &c->data,
                 &c->program, &c->mesh);
}

#endif
