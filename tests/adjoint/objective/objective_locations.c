/* SPDX-License-Identifier: BSD-2-Clause */
/* Sensors see a variable where it lives, at centres, faces or corners: what is bilinear in x and y
   they see exactly, between a closed wall and the first face too; value, tangent and adjoint pass
   every check. */
#include "trajectory_claims.h"
#include <halograd/control.h>
#include <halograd/location_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

enum { SENSORS = 40, STEPS = 2 };

/* u' = u */
static void keep_apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = x[0][j][i];
}

static void keep_tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  (void)x;
  keep_apply(b, none, dx, dy);
}

static void keep_adjoint(const HgBox *b, const void *none, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  (void)none, (void)x;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[0][j][i] += y_bar[0][j][i];
}

static const HgStencil keep = {.name = "keep",
                               .reads = (const HgRead[]){{"u", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
                               .writes = (const char *const[]){"u", NULL},
                               .apply = keep_apply,
                               .tangent = keep_tangent,
                               .adjoint = keep_adjoint};

/* Bilinear, 0 on western and southern walls that have faces. */
static double field(HgLocation location, double x, double y) {
  const double along_x = HgLocationEast(location) > 0 ? x : 1 + 0.3 * x;
  const double along_y = HgLocationNorth(location) > 0 ? y : 2 - 0.1 * y;
  return along_x * along_y;
}

static PetscErrorCode set_field(HgState x) {
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(x));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  const HgLocation at = HgStateLocation(x, 0);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRows(x, 0)[j][i] = field(at, m->x0 + (p->i_global + i + HgLocationEast(at)) * m->dx,
                                      m->y0 + (p->j_global + j + HgLocationNorth(at)) * m->dy);
  HgStateSetGhostDepth(x, 0, 0);
  return 0;
}

/* From the western and southern walls, or first places, up to the last but one column and row,
   which walls close. */
static PetscErrorCode sensors(const HgMeshSpec *m, HgLocation at, HgObservations **o) {
  const double west = HgLocationEast(at) > 0 ? 0 : 0.5, south = HgLocationNorth(at) > 0 ? 0 : 0.5;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "u", "1", 1, SENSORS, o));
  for (uint64_t k = 0; k < SENSORS; k++) {
    const double s = 0.5 * (HgRandom(3, k) + 1), t = 0.5 * (HgRandom(4, k) + 1);
    (*o)->x[k] = (west + s * (m->nx - 1 - west)) * m->dx;
    (*o)->y[k] = (south + t * (m->ny - 1 - south)) * m->dy;
  }
  (*o)->time[0] = STEPS;
  return 0;
}

/* Controls of u and gradients by it live where u does. */
static PetscErrorCode copies(HgOperator op, HgState x, HgLocation at) {
  HgOperator controls;
  HgState m, x_bar;
  PetscCall(HgControlCreate(x, 1, (HgControl[]){{"u", NULL}}, &controls));
  PetscCall(HgOperatorCreateInput(controls, &m));
  PetscCall(HgOperatorCreateGradient(op, &x_bar));
  claim_that(HgStateLocation(m, 0) == at, "controls of u live at %s, expected %s",
             HgLocationName(HgStateLocation(m, 0)), HgLocationName(at));
  claim_that(HgStateLocation(x_bar, 0) == at, "a gradient by u lives at %s, expected %s",
             HgLocationName(HgStateLocation(x_bar, 0)), HgLocationName(at));
  return DESTROY(&m, &x_bar, &controls);
}

static PetscErrorCode test(HgLocation at) {
  const HgMeshSpec spec = {
      .nx = 16, .ny = 12, .x0 = 0.5, .y0 = 0.25, .dx = 1, .dy = 0.5, .ghost = 1};
  const HgSide copy = {HG_COPY, 0}, closed = {HG_CLOSED, 0};
  const HgSide x_walls = HgLocationEast(at) > 0 ? closed : copy,
               y_walls = HgLocationNorth(at) > 0 ? closed : copy;
  HgMesh mesh;
  HgProgram program;
  HgObservations *o;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
  HgState x, data;
  double J, seen[SENSORS];
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "keep", 1, &program));
  PetscCall(HgProgramAddStencil(program, &keep, NULL));
  PetscCall(HgProgramSetLocation(program, "u", at));
  PetscCall(HgProgramSetBoundary(program, "u", (HgBoundary){x_walls, x_walls, y_walls, y_walls}));
  PetscCall(HgProgramSetUp(program));
  PetscCall(sensors(&spec, at, &o));
  PetscCall(HgObjectiveCreate(program, STEPS, &objective));
  PetscCall(HgObjectiveAddSensors(objective, o));
  PetscCall(HgProgramCreateInput(program, &x));
  PetscCall(HgProgramCreateCarried(program, &data));
  PetscCall(
      make_trajectory(program, objective, data, STEPS, STEPS, false, &store, &trajectory, &op));
  PetscCall(set_field(x));
  PetscCall(HgTrajectoryValue(trajectory, x, &J));
  PetscCall(HgObjectivePredicted(objective, 0, seen));
  for (int k = 0; k < SENSORS; k++)
    claim_at_most(fabs(seen[k] - field(at, o->x[k], o->y[k])), 1e-13 * HG_ROUNDING,
                  "%s: sensor at (%g, %g)", HgLocationName(at), o->x[k], o->y[k]);
  PetscCall(claim_checks(HgLocationName(at), op, x, 1e-12, 7));
  PetscCall(copies(op, x, at));
  return DESTROY(&op, &trajectory, &store, &data, &x, &objective, &o, &program, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("sensors see a variable where it lives", 0);
  for (int at = HG_CENTRE; at <= HG_CORNER && !ierr; at++) ierr = test((HgLocation)at);
  return claim_end(ierr);
}
