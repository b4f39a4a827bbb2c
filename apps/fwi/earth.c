/* SPDX-License-Identifier: BSD-2-Clause */
#include "earth.h"
#include <halograd/results.h>
#include <math.h>

/* Of one run, which sets it once. */
static Earth earth = {.width = 4500, .across = 2400, .depth = 1500, .water = 1500, .fastest = 4000};

const Earth *EarthGet(void) { return &earth; }

double EarthSlowest(void) { return earth.water - 200; }

static double floor_of_sea(double x, double y) { return 140 + 40 * x / earth.width + 0.01 * y; }

/* Layers that dip; right of the fault they lie deeper by its throw. */
static double layers(double x, double y, double depth) {
  static const struct {
    double to, speed; /* down to this depth, at the middle */
  } layer[] = {{320, 1700}, {470, 1950}, {640, 2200}, {810, 2450}, {1000, 2700}, {INFINITY, 3000}};

  const double throw = x > 2800 + 0.45 * depth + 0.25 * y ? 110 : 0;
  const double at = depth - 0.03 * (x - 0.5 * earth.width) - 0.02 * y - throw;
  int k = 0;
  while (at > layer[k].to) k++;
  return layer[k].speed;
}

/* A dome with a flat base. */
static bool in_salt(double x, double y, double depth) {
  const double a = (x - 1600) / 450, b = (depth - 700) / 260, c = y / 500;
  return a * a + b * b + c * c < 1 && depth < 700;
}

double EarthHidden(double x, double y, double depth, void *unused) {
  (void)unused;
  if (depth < floor_of_sea(x, y)) return earth.water * earth.water;
  const double v = in_salt(x, y, depth) ? 3600 : layers(x, y, depth);
  return v * v;
}

static double layers_first(double x, double y, double depth, void *unused) {
  const double below = depth - floor_of_sea(x, y), v = below < 0 ? earth.water : 1650 + 1.1 * below;
  (void)unused;
  return v * v;
}

/* From 0 at the inner side of the sponge to 1 at its outer side. */
static double within_sponge(double x, double y, double depth) {
  const double along = fmax(EARTH_SPONGE - x, x - earth.width + EARTH_SPONGE),
               across = fabs(y) - 0.5 * earth.across + EARTH_SPONGE,
               below = EARTH_SPONGE + depth - earth.depth;
  return fmax(0, fmax(fmax(along, across), below) / EARTH_SPONGE);
}

double EarthDamping(double x, double y, double depth, void *unused) {
  (void)unused;
  return 60 * pow(within_sponge(x, y, depth), 2);
}

/* Waves get weaker with depth; what lies in the sponge they hardly see. */
static double weight(double x, double y, double depth, void *unused) {
  const double below = depth - (*earth.first ? 0 : floor_of_sea(x, y));
  (void)unused;
  return fmax(0, fmin(1, 0.3 + below / 600)) * (1 - 0.8 * within_sponge(x, y, depth));
}

/* v = the squares of the speeds of the file; where these are lower than water's there is water. */
static PetscErrorCode square(MPI_Comm comm, size_t cells, double v[]) {
  double most = 0;
  for (size_t k = 0; k < cells; k++) most = fmax(most, v[k]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm));
  HgRequire(comm, most < earth.fastest, HG_ERR_DATA,
            "file '%s': speed is up to %g m/s, expected less than %g m/s, -fastest", earth.first,
            most, earth.fastest);
  for (size_t k = 0; k < cells; k++) v[k] = pow(fmax(earth.water, v[k]), 2);
  return 0;
}

/* The first guess of a program is fastest in the lowest cell where the sea is least deep. */
static PetscErrorCode set_layers(HgState x) {
  const HgMeshSpec *const s = HgMeshGetSpec(HgStateMesh(x));
  const double most = sqrt(layers_first(s->x0, s->nz ? s->y0 : 0, -(s->nz ? s->z0 : s->y0), NULL));
  HgRequire(HgMeshComm(HgStateMesh(x)), most < earth.fastest, HG_ERR_OPTION_RANGE,
            "option -fastest: the first guess is up to %g m/s, expected less than %g m/s; take a "
            "larger one, or another first guess (-first)",
            most, earth.fastest);
  return EarthSet(x, "m", layers_first, NULL);
}

PetscErrorCode EarthFirst(HgState x) {
  static const HgVariable variable = {.name = "speed", .unit = "m/s"};
  HgState speed;
  double *v;
  int m;
  if (!*earth.first) return set_layers(x);
  PetscCall(HgStateIndex(x, "m", &m));
  PetscCall(HgStateCreate(HgStateMesh(x), 1, &variable, &speed));
  PetscCall(HgFieldRead(speed, "speed", earth.first, "speed"));
  PetscCall(PetscMalloc1(HgStateLength(speed), &v));
  HgStatePack(speed, v);
  PetscCall(square(HgMeshComm(HgStateMesh(x)), HgStateLength(speed), v));
  HgStateUnpack(v, speed);
  PetscCall(HgStateCopyVariable(speed, 0, x, m));
  PetscCall(PetscFree(v));
  return HgStateDestroy(&speed);
}

PetscErrorCode EarthWeigh(HgState x, HgState weights) {
  const size_t cells = HgStateLength(weights);
  double *m, *w;
  int index;
  PetscCall(PetscMalloc2(cells, &m, cells, &w));
  PetscCall(HgStateIndex(x, "m", &index));
  PetscCall(HgStateCopyVariable(x, index, weights, 0));
  HgStatePack(weights, m);
  PetscCall(EarthSet(weights, "weight", weight, NULL));
  HgStatePack(weights, w);
  for (size_t k = 0; k < cells; k++)
    if (m[k] <= earth.water * earth.water * (1 + 1e-6)) w[k] = 0;
  HgStateUnpack(w, weights);
  return PetscFree2(m, w);
}

PetscErrorCode EarthCommon(HgRun run, HgCommon *c) {
  int levels = 0;
  const HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsGroup(o, "Ground"));
  PetscCall(HgOptionsInt(o, "-nz", "cells along z of a volume (0: a section in two dimensions)", "",
                         0, 1 << 20, &levels));
  PetscCall(
      HgOptionsReal(o, "-width", "length of the model along x", "m", "[1e3, 1e6]", &earth.width));
  PetscCall(
      HgOptionsReal(o, "-across", "length of a volume along y", "m", "[1e3, 1e6]", &earth.across));
  PetscCall(HgOptionsReal(o, "-depth", "depth of the model below the surface of the sea", "m",
                          "[500, 1e5]", &earth.depth));
  PetscCall(
      HgOptionsReal(o, "-water", "speed of sound in the sea", "m/s", "[1000, 2000]", &earth.water));
  PetscCall(HgOptionsReal(o, "-fastest", "largest speed that the inversion may find", "m/s",
                          "[2100, 12000]", &earth.fastest));
  PetscCall(HgOptionsString(o, "-first", "HDF5 file with the first guess of the speed",
                            sizeof earth.first, earth.first));
  if (levels) { /* cubes */
    c->nx = (int)round(levels * earth.width / earth.depth);
    c->ny = (int)round(levels * earth.across / earth.depth);
  }
  PetscCall(HgRunCommon(run, c));
  c->nz = levels;
  return levels ? 0 : HgOptionsRefuse(o, "without -nz", (const char *const[]){"-across", NULL});
}

HgMeshSpec EarthMesh(const HgCommon *c) {
  const double dx = earth.width / c->nx, dy = (c->nz ? earth.across : earth.depth) / c->ny;
  HgMeshSpec mesh = {.x0 = 0.5 * dx, .y0 = 0.5 * dy - earth.depth, .dx = dx, .dy = dy};
  if (!c->nz) return mesh;
  mesh.y0 = 0.5 * (dy - earth.across);
  mesh.dz = earth.depth / c->nz;
  mesh.z0 = 0.5 * mesh.dz - earth.depth;
  return mesh;
}

double EarthCell(const HgMeshSpec *mesh) { return fmax(fmax(mesh->dx, mesh->dy), mesh->dz); }

typedef struct {
  EarthFn *f;
  void *context;
} Given;

static double in_section(double x, double y, void *given) {
  const Given *g = given;
  return g->f(x, 0, -y, g->context);
}

static double in_volume(double x, double y, double z, void *given) {
  const Given *g = given;
  return g->f(x, y, -z, g->context);
}

PetscErrorCode EarthSet(HgState x, const char field[], EarthFn *f, void *context) {
  Given given = {f, context};
  if (HgMeshGetSpec(HgStateMesh(x))->nz) return HgStateSetVolume(x, field, in_volume, &given);
  return HgStateSetField(x, field, in_section, &given);
}
