/* SPDX-License-Identifier: BSD-2-Clause */
#include "earth.h"
#include <math.h>

static double floor_of_sea(double x, double y) { return 140 + 40 * x / EARTH_WIDTH + 0.01 * y; }

/* Layers that dip; right of the fault they lie deeper by its throw. */
static double layers(double x, double y, double depth) {
  static const struct {
    double to, speed; /* down to this depth, at the middle */
  } layer[] = {{320, 1700}, {470, 1950}, {640, 2200}, {810, 2450}, {1000, 2700}, {INFINITY, 3000}};

  const double throw = x > 2800 + 0.45 * depth + 0.25 * y ? 110 : 0;
  const double at = depth - 0.03 * (x - 0.5 * EARTH_WIDTH) - 0.02 * y - throw;
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
  if (depth < floor_of_sea(x, y)) return EARTH_WATER * EARTH_WATER;
  const double v = in_salt(x, y, depth) ? 3600 : layers(x, y, depth);
  return v * v;
}

double EarthFirst(double x, double y, double depth, void *unused) {
  const double below = depth - floor_of_sea(x, y), v = below < 0 ? EARTH_WATER : 1650 + 1.1 * below;
  (void)unused;
  return v * v;
}

/* From 0 at the inner side of the sponge to 1 at its outer side. */
static double within_sponge(double x, double y, double depth) {
  const double along = fmax(EARTH_SPONGE - x, x - EARTH_WIDTH + EARTH_SPONGE),
               across = fabs(y) - 0.5 * EARTH_ACROSS + EARTH_SPONGE,
               below = EARTH_SPONGE + depth - EARTH_DEPTH;
  return fmax(0, fmax(fmax(along, across), below) / EARTH_SPONGE);
}

double EarthDamping(double x, double y, double depth, void *unused) {
  (void)unused;
  return 60 * pow(within_sponge(x, y, depth), 2);
}

/* Waves get weaker with depth; what lies in the sponge they hardly see. */
double EarthWeight(double x, double y, double depth, void *unused) {
  const double below = depth - floor_of_sea(x, y), seen = 1 - 0.8 * within_sponge(x, y, depth);
  (void)unused;
  return below < 0 ? 0 : fmin(1, 0.3 + below / 600) * seen;
}

PetscErrorCode EarthCommon(HgRun run, HgCommon *c) {
  int levels = 0;
  const HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsGroup(o, "Ground"));
  PetscCall(HgOptionsInt(o, "-nz", "levels of a volume (0: a section)", "", 0, 1 << 20, &levels));
  if (levels) c->nx = 3 * levels, c->ny = (8 * levels + 2) / 5; /* cubes */
  PetscCall(HgRunCommon(run, c));
  c->nz = levels;
  return 0;
}

HgMeshSpec EarthMesh(const HgCommon *c) {
  const double dx = EARTH_WIDTH / c->nx, dy = (c->nz ? EARTH_ACROSS : EARTH_DEPTH) / c->ny;
  HgMeshSpec mesh = {.x0 = 0.5 * dx, .y0 = 0.5 * dy - EARTH_DEPTH, .dx = dx, .dy = dy};
  if (!c->nz) return mesh;
  mesh.y0 = 0.5 * (dy - EARTH_ACROSS);
  mesh.dz = EARTH_DEPTH / c->nz;
  mesh.z0 = 0.5 * mesh.dz - EARTH_DEPTH;
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
