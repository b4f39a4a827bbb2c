/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_tsunami.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <tsunami.h>

static const TsunamiParams params = {.gravity = 9.81, .rotation = 7.292115e-5};
static const double deepest = 5200, shallowest = 200;
static const char *const names[PEER_SEA_FIELDS] = {"eta",    "u",      "v",   "keep",
                                                   "keep_u", "keep_v", "h_u", "h_v"};

/* The depth of cell (i, j) of nx x ny, 0 on land, which is so much of the domain about, and
   outside. */
static double depth_at(double land, int nx, int ny, int i, int j) {
  if (i < 0 || j < 0 || i >= nx || j >= ny) return 0;
  const double x = (i + 0.5) / nx, y = (j + 0.5) / ny, coast = land + 0.1 * sin(9 * y);
  if (x < coast) return 0;
  return shallowest + (deepest - shallowest) * (1 - exp(-6 * (x - coast)));
}

/* Between two cells: half the sum of their depths, 0 unless both are wet. */
static double face(double a, double b) { return a > 0 && b > 0 ? 0.5 * (a + b) : 0; }

static void fill(const OwnTsunami *o, double land) {
  const HgMeshSpec *m = HgMeshGetSpec(o->mesh);
  const HgPatch *p = HgMeshGetPatch(o->mesh);
  HgReal *const *rows[PEER_SEA_FIELDS];
  for (int k = 0; k < PEER_SEA_FIELDS; k++)
    rows[k] = HgStateRows(o->x, HgStateFind(o->x, names[k]));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const int column = p->i_global + i, line = p->j_global + j;
      const double here = depth_at(land, m->nx, m->ny, column, line),
                   east = face(here, depth_at(land, m->nx, m->ny, column + 1, line)),
                   north = face(here, depth_at(land, m->nx, m->ny, column, line + 1)),
                   x = (column + 0.5) / m->nx - 0.5, y = (line + 0.5) / m->ny - 0.5;
      rows[PEER_ETA][j][i] = here > 0 ? exp(-200 * (x * x + y * y)) : 0;
      rows[PEER_KEEP][j][i] = here > 0;
      rows[PEER_KEEP_EAST][j][i] = east > 0;
      rows[PEER_KEEP_NORTH][j][i] = north > 0;
      rows[PEER_DEPTH_EAST][j][i] = east;
      rows[PEER_DEPTH_NORTH][j][i] = north;
    }
}

static PetscErrorCode create_gradient(OwnTsunami *o) {
  for (int k = PEER_KEEP; k < PEER_SEA_FIELDS; k++)
    PetscCall(HgProgramSetActive(o->program, names[k], false));
  PetscCall(HgProgramCreateCarried(o->program, &o->still));
  PetscCall(HgObjectiveCreate(o->program, o->steps, &o->objective));
  PetscCall(HgObjectiveAddSnapshot(o->objective, "eta", o->steps, o->still, 1));
  PetscCall(HgStoreCreate(o->still, 1, 0, NULL, &o->store));
  PetscCall(HgTrajectoryCreate(o->program, o->steps, o->objective, o->store, &o->trajectory));
  return HgProgramCreateInput(o->program, &o->x_bar);
}

PetscErrorCode OwnTsunamiCreate(int nx, int ny, int steps, double land, bool masked,
                                OwnTsunami *o) {
  const HgMeshSpec spec = {.nx = nx,
                           .ny = ny,
                           .px = 1,
                           .x0 = 135,
                           .y0 = 25,
                           .dx = 25.0 / nx,
                           .dy = 23.0 / ny,
                           .radius = 6371e3};
  *o = (OwnTsunami){.steps = steps};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &o->mesh));
  HgRange range[PEER_SEA_FIELDS] = {{0, 0}};
  range[PEER_DEPTH_EAST] = range[PEER_DEPTH_NORTH] = (HgRange){0, deepest};
  const double dt = 0.9 * tsunami_physics.largest_step(
                              &params, HgMeshGetMetric(o->mesh)->width * cos(48 * PETSC_PI / 180),
                              HgMeshGetMetric(o->mesh)->height, 0, range);
  PetscCall(HgProgramCreatePhysics(o->mesh, &tsunami_physics, &params, dt, &o->program));
  PetscCall(HgProgramSetUp(o->program));
  PetscCall(HgProgramCreateInput(o->program, &o->x));
  fill(o, land);
  PetscCall(HgProgramCreateCarried(o->program, &o->q));
  PetscCall(HgProgramCreateCarried(o->program, &o->q_next));
  PetscCall(HgProgramCreateConstants(o->program, &o->constants));
  PetscCall(HgProgramSplitShared(o->program, o->x, o->q, o->constants));
  if (masked) PetscCall(HgProgramSetMask(o->program, o->x, "keep"));
  return create_gradient(o);
}

PetscErrorCode OwnTsunamiDestroy(OwnTsunami *o) {
  PetscCall(HgTrajectoryDestroy(&o->trajectory));
  PetscCall(HgStoreDestroy(&o->store));
  PetscCall(HgObjectiveDestroy(&o->objective));
  PetscCall(HgStateDestroy(&o->still));
  PetscCall(HgStateDestroy(&o->x_bar));
  PetscCall(HgStateDestroy(&o->constants));
  PetscCall(HgStateDestroy(&o->q_next));
  PetscCall(HgStateDestroy(&o->q));
  PetscCall(HgStateDestroy(&o->x));
  PetscCall(HgProgramDestroy(&o->program));
  return HgMeshDestroy(&o->mesh);
}

PetscErrorCode OwnTsunamiRun(void *self) {
  OwnTsunami *o = self;
  for (long n = 0, stride; n < o->steps; n += stride) {
    stride = HgProgramStride(o->program, o->steps - n);
    PetscCall(
        HgProgramSteps(o->program, n, stride, o->constants, o->q, NULL, HG_SAVE_ALL, o->q_next));
    HgStateSwap(o->q, o->q_next);
  }
  return 0;
}

PetscErrorCode OwnTsunamiForward(void *self) {
  OwnTsunami *o = self;
  return HgTrajectoryValue(o->trajectory, o->x, &o->J);
}

PetscErrorCode OwnTsunamiGradient(void *self) {
  OwnTsunami *o = self;
  PetscCall(HgStateZero(o->x_bar));
  return HgTrajectoryGradient(o->trajectory, o->x, 1, &o->J, o->x_bar);
}

/* Rows inside the domain; 0 beyond, where nothing flows. */
static void fill_rows(const OwnTsunami *o, PeerTsunami *p) {
  const HgLatitude *at = HgMeshGetMetric(o->mesh)->latitudes;
  const double dt = HgProgramTimeStep(o->program), dx = HgMeshGetMetric(o->mesh)->width,
               dy = HgMeshGetMetric(o->mesh)->height;
  const int first = HgMeshGetPatch(o->mesh)->j_global;
  for (int j = -1; j <= p->ny; j++) {
    const int line = first + j;
    if (line < 0 || line >= HgMeshGetSpec(o->mesh)->ny) continue;
    p->row[j] = (PeerRow){.turn = 0.25 * (dt * (2 * params.rotation * at[line].sine)),
                          .turn_north = 0.25 * (dt * (2 * params.rotation * at[line].north_sine)),
                          .slope = dt * (params.gravity / (at[line].cosine * dx)),
                          .slope_north = dt * (params.gravity / dy),
                          .r = dt / (at[line].cosine * dx),
                          .s = dt / (at[line].cosine * dy),
                          .north = at[line].north_cosine,
                          .south = line > 0 ? at[line - 1].north_cosine : 0};
  }
}

PetscErrorCode OwnTsunamiPeer(const OwnTsunami *o, PeerTsunami *p) {
  const MPI_Comm comm = HgMeshComm(o->mesh);
  const HgMeshSpec *m = HgMeshGetSpec(o->mesh);
  const HgPatch *patch = HgMeshGetPatch(o->mesh);
  PetscCall(PeerTsunamiCreate(comm, m->nx, m->ny, p));
  PetscCall(HgAgree(comm, patch->nx != p->nx || patch->ny != p->ny, HG_ERR_CHECK_FAILED,
                    "bench: our patch is %d x %d cells, the peer's %d x %d: expected the same",
                    patch->nx, patch->ny, p->nx, p->ny));
  p->steps = o->steps;
  for (int k = 0; k < PEER_SEA_FIELDS; k++) {
    HgReal *const *from = HgStateRows(o->x, HgStateFind(o->x, names[k]));
    for (int j = 0; j < p->ny; j++) PetscCall(PetscArraycpy(p->field[k][j], from[j], p->nx));
  }
  fill_rows(o, p);
  return PeerTsunamiFill(p);
}

PetscErrorCode OwnTsunamiSame(const OwnTsunami *o, const PeerTsunami *p) {
  const MPI_Comm comm = HgMeshComm(o->mesh);
  double value[PEER_WAVES] = {0}, difference[PEER_WAVES] = {0}; /* the largest */
  for (int k = 0; k < PEER_WAVES; k++) {
    HgReal *const *ours = HgStateRows(o->q, HgStateFind(o->q, names[k]));
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) {
        difference[k] = fmax(difference[k], fabs(ours[j][i] - p->field[k][j][i]));
        value[k] = fmax(value[k], fabs(ours[j][i]));
      }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, PEER_WAVES, MPI_DOUBLE, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, difference, PEER_WAVES, MPI_DOUBLE, MPI_MAX, comm));
  for (int k = 0; k < PEER_WAVES; k++)
    HgRequire(comm, value[k] > 0 && difference[k] <= 1e-12 * value[k], HG_ERR_CHECK_FAILED,
              "bench: '%s' differs from the peer's by %g, expected at most 1e-12 of %g", names[k],
              difference[k], value[k]);
  return 0;
}
