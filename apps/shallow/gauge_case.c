/* SPDX-License-Identifier: BSD-2-Clause */
#include "gauge_case.h"
#include <math.h>

static const double gravity = 9.81, coriolis = 1e-4, viscosity = 100; /* m/s^2, 1/s, m^2/s */
static const double rotation = 7.292115e-5;                           /* of the Earth [1/s] */
static const double plain = 4000,
                    shelf = 500; /* depths of the open sea, of a shelf in the east [m] */
static const double fastest = 5, least_depth = 1; /* of a current [m/s]; of a chart [m] */

enum { ACROSS = 8, ALONG = 5, GAUGES = ACROSS * ALONG, TIMES = 80 };

static double bump(double x, double y, double x0, double y0, double radius) {
  const double across = x - x0, along = y - y0;
  return exp(-(across * across + along * along) / (radius * radius));
}

/* What the chart says: an open sea in the west, a slope and a shelf in the east. */
static double charted(double x, double y, void *context) {
  (void)y, (void)context;
  return plain - 0.5 * (plain - shelf) * (1 + tanh((x - 380e3) / 40e3));
}

/* What the chart does not: a seamount and a basin. */
static double true_depth(double x, double y, void *context) {
  const double factor = -0.9 * bump(x, y, 270e3, 200e3, 45e3) + 0.2 * bump(x, y, 200e3, 90e3, 50e3);
  return charted(x, y, context) * exp(factor);
}

/* An uplift and a subsidence beside it. */
static double source(double x, double y, void *context) {
  (void)context;
  return 3 * bump(x, y, 120e3, 170e3, 50e3) - 1.5 * bump(x, y, 210e3, 150e3, 50e3);
}

PetscErrorCode GaugeOptions(HgRun run, GaugeCase *g) {
  static const char *const ways[] = {"surface", "bathymetry"};
  const GaugeCase cases[] = {{.sought = "eta",
                              .lowest = -10,
                              .highest = 10,
                              .colours = {-3, 3},
                              .inverse = {.h1 = 60, .tolerance = 1e-2, .iterations = 100}},
                             {.sought = "b",
                              .lowest = log(0.3),
                              .highest = log(1.3),
                              .colours = {-5000, 0},
                              .inverse = {.h1 = 100, .tolerance = 1e-2, .iterations = 100}}};
  const HgOptions o = HgRunOptions(run);
  int way = GAUGE_SURFACE;
  PetscCall(HgOptionsGroup(o, "Basin"));
  PetscCall(HgOptionsChoice(o, "-control", "what to find", 2, ways, &way));
  *g = cases[way];
  g->way = (GaugeWay)way, g->length = 480e3, g->width = 320e3, g->time = 2400;
  PetscCall(HgOptionsString(o, "-topography",
                            "file with the chart of the bottom: ESRI, GeoClaw or netCDF-4",
                            sizeof g->topography, g->topography));
  PetscCall(HgOptionsReal(o, "-longitude",
                          "longitude of the south-west corner, for a chart in degrees", "degrees",
                          "[-360, 360]", &g->origin.longitude));
  PetscCall(HgOptionsReal(o, "-latitude",
                          "latitude of the south-west corner, for a chart in degrees", "degrees",
                          "(-90, 90)", &g->origin.latitude));
  PetscCall(
      HgOptionsReal(o, "-length", "length of the basin along x", "m", "(0, 4e7]", &g->length));
  PetscCall(HgOptionsReal(o, "-width", "length of the basin along y", "m", "(0, 4e7]", &g->width));
  PetscCall(HgOptionsReal(o, "-time", "duration of the run", "s", "(0, inf)", &g->time));
  g->degrees = HgOptionsGiven(o, "-longitude") || HgOptionsGiven(o, "-latitude");
  g->truth_known = way == GAUGE_SURFACE || !g->topography[0];
  return 0;
}

/* Water at rest in `x` with the depth and the surface of `of`. */
static PetscErrorCode set_water(const GaugeCase *g, HgState of, HgState x) {
  HgOperator still;
  HgState zero;
  PetscCall(GaugeControlCreate(GAUGE_SURFACE, of, g->x, &still));
  PetscCall(HgOperatorCreateInput(still, &zero));
  PetscCall(HgOperatorApply(still, zero, x));
  PetscCall(HgStateDestroy(&zero));
  PetscCall(HgOperatorDestroy(&still));
  return HgProgramCheckLimits(g->program, 0, x);
}

/* The bottom of the file, as the depth of both the first guess and the truth. */
static PetscErrorCode read_chart(GaugeCase *g) {
  static const HgVariable fields[] = {{"b", "m", HG_FIELD, 0}, {"depth", "m", HG_FIELD, 0}};
  HgState file;
  PetscCall(HgStateCreate(g->mesh, 2, fields, &file));
  PetscCall(HgTopographyRead(file, "b", g->topography, g->degrees ? &g->origin : NULL));
  PetscCall(HgTopographyStillWater(file, "b", 0, least_depth, "depth"));
  PetscCall(HgStateCopyVariable(file, 1, g->known, 0));
  PetscCall(HgStateCopyVariable(file, 1, g->hidden, 0));
  return HgStateDestroy(&file);
}

static PetscErrorCode chart(GaugeCase *g) {
  static const HgVariable fields[] = {{"depth", "m", HG_FIELD, 0}, {"surface", "m", HG_FIELD, 0}};
  const bool surface = g->way == GAUGE_SURFACE;
  PetscCall(HgStateCreate(g->mesh, 2, fields, &g->hidden));
  PetscCall(HgStateDuplicate(g->hidden, &g->known));
  if (g->topography[0]) PetscCall(read_chart(g));
  else {
    PetscCall(HgStateSetField(g->hidden, "depth", true_depth, NULL));
    PetscCall(HgStateSetField(g->known, "depth", surface ? true_depth : charted, NULL));
  }
  PetscCall(HgStateSetField(g->hidden, "surface", source, NULL));
  return surface ? 0 : HgStateSetField(g->known, "surface", source, NULL);
}

/* The deepest water [m] there can be in the first guess, the truth and whatever is tried. */
static PetscErrorCode deepest(const GaugeCase *g, double *depth) {
  const HgPatch *p = HgMeshGetPatch(g->mesh);
  const double factor = g->way == GAUGE_SURFACE ? 1 : exp(g->highest);
  *depth = 0;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      *depth = fmax(*depth,
                    fmax(factor * HgStateRows(g->known, 0)[j][i], HgStateRows(g->hidden, 0)[j][i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, depth, 1, MPI_DOUBLE, MPI_MAX, HgMeshComm(g->mesh)));
  return 0;
}

PetscErrorCode GaugeCreate(HgRun run, HgCommon *c, GaugeCase *g) {
  const double dx = g->length / c->nx, dy = g->width / c->ny;
  double depth;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD,
                         &(HgMeshSpec){.nx = c->nx,
                                       .ny = c->ny,
                                       .px = c->px,
                                       .py = c->py,
                                       .x0 = 0.5 * dx,
                                       .y0 = 0.5 * dy,
                                       .dx = dx,
                                       .dy = dy},
                         &g->mesh));
  PetscCall(chart(g));
  PetscCall(deepest(g, &depth));
  PetscCall(HgRunTimeStep(run, g->time,
                          HgShallowWaterLargestStep(gravity, 0.1, depth, fastest, dx, dy), c));
  const HgShallowWaterParams params = {.gravity = gravity, .scheme.epsilon = 0.1};
  PetscCall(
      HgProgramCreatePhysics(g->mesh, &hg_shallow_surface_physics, &params, c->dt, &g->program));
  PetscCall(HgProgramSetUp(g->program));
  PetscCall(HgReportSetMesh(HgRunReport(run), g->mesh));
  PetscCall(HgProgramCreateInput(g->program, &g->x));
  PetscCall(HgStateSetConstant(
      g->x, "f",
      g->degrees ? 2 * rotation * sin(g->origin.latitude * (PETSC_PI / 180)) : coriolis));
  PetscCall(HgStateSetConstant(g->x, "nu", viscosity));
  PetscCall(GaugeControlCreate(g->way, g->known, g->x, &g->control));
  PetscCall(HgOperatorCreateInput(g->control, &g->m));
  PetscCall(HgStateDuplicate(g->x, &g->truth));
  PetscCall(set_water(g, g->hidden, g->truth));
  return set_water(g, g->known, g->x);
}

PetscErrorCode GaugeDestroy(GaugeCase *g) {
  HgState *const states[] = {&g->m, &g->x, &g->truth, &g->known, &g->hidden};
  for (int k = 0; k < 5; k++) PetscCall(HgStateDestroy(states[k]));
  PetscCall(HgOperatorDestroy(&g->control));
  PetscCall(HgProgramDestroy(&g->program));
  return HgMeshDestroy(&g->mesh);
}

PetscErrorCode GaugeSensors(const GaugeCase *g, HgObservations **observations) {
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "eta", "m", TIMES, GAUGES, observations));
  for (int k = 0; k < GAUGES; k++) {
    (*observations)->x[k] = (k % ACROSS + 0.5) / ACROSS * g->length;
    (*observations)->y[k] = (k / ACROSS + 0.5) / ALONG * g->width;
  }
  for (int n = 0; n < TIMES; n++) (*observations)->time[n] = g->time * (n + 1) / TIMES;
  return 0;
}
