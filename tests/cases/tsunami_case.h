/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of the sea east of Japan, complete: the tsunami, linear or not, on 6 minutes of arc, its
   gauges and their J. */
#ifndef HALOGRAD_TEST_TSUNAMI_CASE_H
#define HALOGRAD_TEST_TSUNAMI_CASE_H

#include "trajectory_claims.h"
#include <halograd/program_library.h>
#include <halograd/run.h>
#include <halograd/sea.h>
#include <halograd/state_library.h>
#include <halograd/topography.h>
#include <tsunami.h>
#include <tsunami_nonlinear.h>

typedef struct {
  int px, py, sponge;
  long steps;
  bool on_still_planet;     /* no rotation */
  const HgPhysics *physics; /* NULL: tsunami_physics */
  double above;             /* limit of eta [m]; 0: none */
} TsunamiSpec;

typedef struct {
  const HgPhysics *physics;
  double above;
  TsunamiParams params;
  HgMesh mesh;
  HgProgram program;
  HgState floor, x, q; /* q: what is carried, for stores */
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
} TsunamiCase;

/* Of a case that is to be made. */
static inline TsunamiCase tsunami_case(const HgPhysics *physics) {
  return (TsunamiCase){.physics = physics ? physics : &tsunami_physics,
                       .params = {.gravity = 9.81, .rotation = 7.292115e-5}};
}

static inline double tsunami_hump(double lon, double lat, void *context) {
  const double x = (lon - 143.5) / 0.8, y = (lat - 38) / 1.2;
  (void)context;
  return 4 * exp(-(x * x) - y * y);
}

/* The sea of a mesh: program, floor and an input with `surface` on wet cells. */
static inline PetscErrorCode
tsunami_sea(HgMesh mesh, int sponge, double (*surface)(double, double, void *), TsunamiCase *c) {
  static const HgVariable fields[] = {{"b", "m", HG_FIELD, 0}, {"h", "m", HG_FIELD, 0}};
  const HgSea sea = {.shore = 10, .shallowest = 50, .sponge = sponge, .strongest = 0.013};
  const HgPatch *p = HgMeshGetPatch(mesh);
  char path[HG_PATH_SIZE];
  c->mesh = mesh;
  PetscCall(HgProgramCreatePhysics(mesh, c->physics, &c->params, 12, &c->program));
  if (c->above != 0) PetscCall(HgProgramRequireAbove(c->program, "eta", c->above));
  PetscCall(HgProgramSetUp(c->program));
  PetscCall(HgStateCreate(mesh, 2, fields, &c->floor));
  PetscCall(HgProgramCreateInput(c->program, &c->x));
  PetscCall(HgRunDataPath("tohoku/japan_6min.asc", sizeof path, path));
  PetscCall(HgTopographyRead(c->floor, "b", path, NULL));
  PetscCall(HgSeaFill(c->floor, &sea, 12, c->x));
  PetscCall(HgStateSetField(c->x, "eta", surface, NULL));
  HgReal *const *h = HgStateRows(c->floor, 1), *const *eta = HgStateRows(c->x, 0);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      if (h[j][i] == 0) eta[j][i] = 0;
  return 0;
}

/* J = 1/2 sum eta^2 at P06 and DART 21418 after steps 3, 8, 13, ... */
static inline PetscErrorCode tsunami_objective(long steps, TsunamiCase *c) {
  HgObservations *o;
  PetscCall(HgObjectiveCreate(c->program, steps, &c->objective));
  PetscCall(HgObservationsCreate(HgMeshComm(c->mesh), "eta", "m", (int)((steps + 1) / 5), 2, &o));
  const double x[] = {142.5838, 148.694}, y[] = {38.634, 38.711};
  o->degrees = true;
  for (int k = 0; k < 2; k++) o->x[k] = x[k], o->y[k] = y[k];
  for (int n = 0; n < o->times; n++) o->time[n] = 12 * (3 + 5 * n);
  PetscCall(HgObjectiveAddSensors(c->objective, o));
  return HgObservationsDestroy(&o);
}

/* Whether it is differentiated by all constants of its sea. */
static inline PetscErrorCode tsunami_constants(const TsunamiCase *c, bool active) {
  for (const HgPhysicsVariable *v = c->physics->variables + 3; v->name; v++)
    PetscCall(HgProgramSetActive(c->program, v->name, active));
  return 0;
}

/* 121 x 101 cells, 140 to 152 E, 33 to 43 N; only eta(0) is active. */
static inline PetscErrorCode tsunami_create(MPI_Comm comm, const TsunamiSpec *s, TsunamiCase *c) {
  const HgMeshSpec spec = {.nx = 121,
                           .ny = 101,
                           .px = s->px,
                           .py = s->py,
                           .x0 = 140,
                           .y0 = 33,
                           .dx = 0.1,
                           .dy = 0.1,
                           .radius = 6371e3};
  HgMesh mesh;
  *c = tsunami_case(s->physics);
  c->above = s->above;
  if (s->on_still_planet) c->params.rotation = 0;
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(tsunami_sea(mesh, s->sponge, tsunami_hump, c));
  PetscCall(tsunami_constants(c, false));
  PetscCall(tsunami_objective(s->steps, c));
  PetscCall(HgProgramCreateCarried(c->program, &c->q));
  return make_trajectory(c->program, c->objective, c->q, s->steps, 5, false, &c->store,
                         &c->trajectory, &c->op);
}

static inline PetscErrorCode tsunami_destroy(TsunamiCase *c) {
  return DESTROY(&c->op, &c->trajectory, &c->store, &c->objective, &c->x, &c->q, &c->floor,
                 &c->program, &c->mesh);
}

/* The state after `steps` steps from x. */
static inline PetscErrorCode tsunami_steps(HgProgram program, HgState x, long steps, HgState *q) {
  HgState constants, next;
  PetscCall(HgProgramCreateCarried(program, q));
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(HgStateDuplicate(*q, &next));
  PetscCall(HgProgramSplit(program, x, *q, constants));
  for (long n = 0; n < steps; n++) {
    PetscCall(HgProgramStep(program, n, constants, *q, next));
    HgStateSwap(*q, next);
  }
  return HgStatesDestroy(&next, &constants);
}

/* sum of eta A over wet cells, A = (R Delta)^2 cos(phi) [m^3], exactly summed. */
static inline PetscErrorCode tsunami_volume(HgMesh mesh, HgState q, double *volume) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  const double area = HgMeshGetMetric(mesh)->width * HgMeshGetMetric(mesh)->height;
  double *cells;
  HgSum sum;
  HgSumReset(&sum);
  PetscCall(PetscMalloc1(p->nx, &cells));
  for (int j = 0; j < p->ny; j++) {
    const double c = HgMeshGetMetric(mesh)->latitudes[p->j_global + j].cosine;
    for (int i = 0; i < p->nx; i++) cells[i] = HgStateRows(q, 0)[j][i] * (area * c);
    HgSumAdd(&sum, (size_t)p->nx, cells);
  }
  PetscCall(PetscFree(cells));
  return HgSumReduce(HgMeshComm(mesh), 1, &sum, volume);
}

#endif
