/* SPDX-License-Identifier: BSD-2-Clause */
#include "section.h"
#include <halograd/parametrisation.h>
#include <math.h>

static double floor_of_sea(double x) { return 140 + 40 * x / SECTION_WIDTH; }

/* Layers that dip; right of the fault they lie deeper by its throw. */
static double layers(double x, double depth) {
  static const struct {
    double to, speed; /* down to this depth, at the middle */
  } layer[] = {{320, 1700}, {470, 1950}, {640, 2200}, {810, 2450}, {1000, 2700}, {INFINITY, 3000}};

  const double throw = x > 2800 + 0.45 * depth ? 110 : 0;
  const double at = depth - 0.03 * (x - 0.5 * SECTION_WIDTH) - throw;
  int k = 0;
  while (at > layer[k].to) k++;
  return layer[k].speed;
}

/* A dome with a flat base. */
static bool in_salt(double x, double depth) {
  const double a = (x - 1600) / 450, b = (depth - 700) / 260;
  return a * a + b * b < 1 && depth < 700;
}

double SectionHidden(double x, double y) {
  const double depth = -y;
  if (depth < floor_of_sea(x)) return SECTION_WATER * SECTION_WATER;
  const double v = in_salt(x, depth) ? 3600 : layers(x, depth);
  return v * v;
}

double SectionFirst(double x, double y) {
  const double below = -y - floor_of_sea(x), v = below < 0 ? SECTION_WATER : 1650 + 1.1 * below;
  return v * v;
}

/* From 0 at the inner side of the sponge to 1 at the end of the section. */
static double within_sponge(double x, double y) {
  const double side = fmax(SECTION_SPONGE - x, x - SECTION_WIDTH + SECTION_SPONGE);
  return fmax(0, fmax(side, SECTION_SPONGE - y - SECTION_DEPTH) / SECTION_SPONGE);
}

double SectionDamping(double x, double y) { return 60 * pow(within_sponge(x, y), 2); }

/* Waves get weaker with depth; what lies in the sponge they hardly see. */
static double weight_at(double x, double y, void *context) {
  const double below = -y - floor_of_sea(x), seen = 1 - 0.8 * within_sponge(x, y);
  (void)context;
  return below < 0 ? 0 : fmin(1, 0.3 + below / 600) * seen;
}

/* ---- m = phi(s), a root of it between two speeds ---- */

static const double span = SECTION_FASTEST - SECTION_SLOWEST;

/* phi(0) is the water's. */
static double shift(void) {
  return log((SECTION_WATER - SECTION_SLOWEST) / (SECTION_FASTEST - SECTION_WATER));
}

static double fraction(double s) { return 1 / (1 + exp(-s - shift())); }

static double value(double s, const double p[2]) {
  (void)p;
  const double v = SECTION_SLOWEST + span * fraction(s);
  return v * v;
}

static double derivative(double s, const double p[2]) {
  (void)p;
  const double f = fraction(s), v = SECTION_SLOWEST + span * f;
  return 2 * v * span * f * (1 - f);
}

static double second(double s, const double p[2]) {
  (void)p;
  const double f = fraction(s), v = SECTION_SLOWEST + span * f, dv = span * f * (1 - f);
  return 2 * (dv * dv + v * dv * (1 - 2 * f));
}

static double inverse(double m, const double p[2]) {
  (void)p;
  const double v = sqrt(m);
  return log((v - SECTION_SLOWEST) / (SECTION_FASTEST - v)) - shift();
}

PetscErrorCode SectionControl(HgMesh mesh, HgOperator *m_of_c) {
  static const HgVariable weight = {.name = "weight", .unit = "1"};
  const HgPointwise phi = {"speed", value, derivative, inverse, {0, 0}, second};
  HgState weights;
  HgOperator part[2];
  PetscCall(HgStateCreate(mesh, 1, &weight, &weights));
  PetscCall(HgStateSetField(weights, "weight", weight_at, NULL));
  PetscCall(HgParametrisationScaled(weights, "weight", "c", "s", "1", &part[0]));
  PetscCall(HgParametrisationPointwise(mesh, "s", "m", "m^2/s^2", &phi, &part[1]));
  PetscCall(HgOperatorChain("m of c", 2, part, m_of_c));
  for (int k = 0; k < 2; k++) PetscCall(HgOperatorDestroy(&part[k]));
  return HgStateDestroy(&weights);
}

static double guess(double x, double y, void *context) {
  const double w = weight_at(x, y, context);
  return w > 0 ? inverse(SectionFirst(x, y), NULL) / w : 0;
}

PetscErrorCode SectionGuess(HgState c) { return HgStateSetField(c, "c", guess, NULL); }

PetscErrorCode SectionSpeed(HgState x, HgState speed) {
  const HgPatch *const patch = HgMeshGetPatch(HgStateMesh(x));
  int k;
  PetscCall(HgStateIndex(x, "m", &k));
  HgReal *const *const m = HgStateRows(x, k), *const *const v = HgStateRows(speed, 0);
  for (int j = 0; j < patch->ny; j++)
    for (int i = 0; i < patch->nx; i++) v[j][i] = sqrt(m[j][i]);
  HgStateSetGhostDepth(speed, 0, 0);
  return 0;
}
