/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_sea.h"
#include <halograd/topography.h>
#include <tsunami.h>
#include <tsunami_nonlinear.h>

static const double earth = 6371e3;                                             /* radius [m] */
static const double highest = 20;                                               /* surface [m] */
static const TsunamiParams linear = {.gravity = 9.81, .rotation = 7.292115e-5}; /* of the Earth */
static const TsunamiNonlinearParams nonlinear = {.gravity = 9.81, .rotation = 7.292115e-5};

PetscErrorCode TohokuSeaOptions(HgRun run, const TohokuEvent *event, TohokuSea *s) {
  static const char *const physics[] = {"linear", "nonlinear"};
  const HgOptions o = HgRunOptions(run);
  *s = (TohokuSea){.west = event->west, .south = event->south, .cell = event->cell};
  s->sea = (HgSea){.shore = 10, .shallowest = 50, .sponge = 15, .strongest = 0.013};
  PetscCall(HgRunDataPath(event->topography, sizeof s->topography, s->topography));
  PetscCall(HgOptionsGroup(o, "Sea"));
  PetscCall(HgOptionsChoice(o, "-physics", "physics of the waves", 2, physics, &s->nonlinear));
  PetscCall(HgOptionsString(
      o, "-topography",
      "file with elevations on a grid in degrees: ESRI, GeoClaw or netCDF-4; FILE or FILE?VARIABLE",
      sizeof s->topography, s->topography));
  PetscCall(HgOptionsReal(o, "-west", "longitude of the first cell's centre", "degrees",
                          "[-360, 360]", &s->west));
  PetscCall(HgOptionsReal(o, "-south", "latitude of the first cell's centre", "degrees",
                          "(-90, 90)", &s->south));
  PetscCall(HgOptionsReal(o, "-cell", "size of a cell", "degrees", "(0, 10]", &s->cell));
  PetscCall(HgOptionsInt(o, "-sponge",
                         "width of the sponge at the sides that damps waves, in cells", "", 0, 1000,
                         &s->sea.sponge));
  PetscCall(HgOptionsReal(o, "-shore", "smallest depth of water; a cell with less is land", "m",
                          "(0, 1000]", &s->sea.shore));
  return HgOptionsReal(o, "-shallowest", "depth that shallower cells get", "m", "[0, 1000]",
                       &s->sea.shallowest);
}

/* A sea that is made deeper than its chart has other arrivals: no one is to look for the reason. */
static PetscErrorCode tell_shallow(HgRun run, const TohokuSea *s) {
  const HgPatch *p = HgMeshGetPatch(s->mesh);
  HgReal *const *b = HgStateRows(s->floor, HgStateFind(s->floor, "b")), *const *h = HgStateRows(
                                                                            s->floor,
                                                                            HgStateFind(s->floor,
                                                                                        "h"));
  int64_t cells = 0;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) cells += h[j][i] > 0 && -b[j][i] < s->sea.shallowest;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &cells, 1, MPI_INT64_T, MPI_SUM, HgMeshComm(s->mesh)));
  PetscCall(HgReportSetInteger(HgRunReport(run), "cells_made_deeper", cells));
  if (!cells) return 0;
  return PetscPrintf(PETSC_COMM_WORLD,
                     "sea: %lld cells with less than %.4g m of water count as %.4g m deep "
                     "(-shallowest)\n",
                     (long long)cells, s->sea.shallowest, s->sea.shallowest);
}

static double step_limit(double width, double height, double depth) {
  enum { H_U = 6, H_V, VARIABLES };

  HgRange range[VARIABLES] = {[H_U] = {0, depth}, [H_V] = {0, depth}};
  return tsunami_physics.largest_step(&linear, width, height, 0, range);
}

static double nonlinear_limit(double width, double height, double depth) {
  return step_limit(width, height, depth + highest);
}

/* -dt is below the limit of the sea's waves, which is printed. */
static PetscErrorCode check_step(HgRun run, const TohokuSea *s, const HgCommon *c) {
  double largest;
  PetscCall(HgSeaLeast(s->floor, s->nonlinear ? nonlinear_limit : step_limit, &largest));
  PetscCall(HgRunTimeStep(run, 0, largest, &(HgCommon){.dt = c->dt}));
  if (!s->nonlinear) return 0;
  return PetscPrintf(
      PETSC_COMM_WORLD,
      "nonlinear waves: steps of %.4g s, at most %.2f s under a surface %.4g m high\n", c->dt,
      largest, highest);
}

PetscErrorCode TohokuSeaCreate(HgRun run, const HgCommon *c, TohokuSea *s) {
  static const HgVariable fields[] = {{"b", "m", HG_FIELD, 0}, {"h", "m", HG_FIELD, 0}};
  const HgMeshSpec spec = {.nx = c->nx,
                           .ny = c->ny,
                           .px = c->px,
                           .py = c->py,
                           .x0 = s->west,
                           .y0 = s->south,
                           .dx = s->cell,
                           .dy = s->cell,
                           .radius = earth};
  const HgPhysics *const physics = s->nonlinear ? &tsunami_nonlinear_physics : &tsunami_physics;
  const void *const params = s->nonlinear ? (const void *)&nonlinear : &linear;
  HgRequire(PETSC_COMM_WORLD, c->nx * s->cell < 360 - 1e-9, HG_ERR_DATA,
            "sea: %d cells of %g degrees reach all round the globe, expected less, as walls and "
            "sponge would stand where its ends meet",
            c->nx, s->cell);
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &s->mesh));
  PetscCall(HgProgramCreatePhysics(s->mesh, physics, params, c->dt, &s->program));
  if (s->nonlinear) PetscCall(HgProgramRequireAbove(s->program, "eta", -s->sea.shallowest));
  PetscCall(HgProgramSetUp(s->program));
  PetscCall(HgReportSetMesh(HgRunReport(run), s->mesh));

  PetscCall(HgStateCreate(s->mesh, 2, fields, &s->floor));
  PetscCall(HgProgramCreateInput(s->program, &s->x));
  PetscCall(HgTopographyRead(s->floor, "b", s->topography, NULL));
  PetscCall(HgSeaFill(s->floor, &s->sea, c->dt, s->x));
  PetscCall(tell_shallow(run, s));
  PetscCall(HgProgramSetMask(s->program, s->x, "keep"));
  return check_step(run, s, c);
}

PetscErrorCode TohokuSeaDestroy(TohokuSea *s) {
  PetscCall(HgStateDestroy(&s->x));
  PetscCall(HgStateDestroy(&s->floor));
  PetscCall(HgProgramDestroy(&s->program));
  return HgMeshDestroy(&s->mesh);
}

void TohokuSeaEdges(const TohokuSea *s, double edges[4]) {
  const HgMeshSpec *m = HgMeshGetSpec(s->mesh);
  edges[0] = m->x0 - 0.5 * m->dx, edges[1] = edges[0] + m->nx * m->dx;
  edges[2] = m->y0 - 0.5 * m->dy, edges[3] = edges[2] + m->ny * m->dy;
}
