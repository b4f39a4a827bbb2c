/* SPDX-License-Identifier: BSD-2-Clause */
#include "control.h"
#include <halograd/parametrisation.h>
#include <math.h>

/* ---- m = phi(s), a root of it between two speeds ---- */

static const double span = EARTH_FASTEST - EARTH_SLOWEST;

/* phi(0) is the water's. */
static double shift(void) {
  return log((EARTH_WATER - EARTH_SLOWEST) / (EARTH_FASTEST - EARTH_WATER));
}

static double fraction(double s) { return 1 / (1 + exp(-s - shift())); }

static double value(double s, const double p[2]) {
  (void)p;
  const double v = EARTH_SLOWEST + span * fraction(s);
  return v * v;
}

static double derivative(double s, const double p[2]) {
  (void)p;
  const double f = fraction(s), v = EARTH_SLOWEST + span * f;
  return 2 * v * span * f * (1 - f);
}

static double second(double s, const double p[2]) {
  (void)p;
  const double f = fraction(s), v = EARTH_SLOWEST + span * f, dv = span * f * (1 - f);
  return 2 * (dv * dv + v * dv * (1 - 2 * f));
}

static double inverse(double m, const double p[2]) {
  (void)p;
  const double v = sqrt(m);
  return log((v - EARTH_SLOWEST) / (EARTH_FASTEST - v)) - shift();
}

PetscErrorCode ControlCreate(HgState weights, HgOperator *m_of_c) {
  const HgPointwise phi = {"speed", value, derivative, inverse, {0, 0}, second};
  const HgMesh mesh = HgStateMesh(weights);
  HgOperator part[2];
  PetscCall(HgParametrisationScaled(weights, "weight", "c", "s", "1", &part[0]));
  PetscCall(HgParametrisationPointwise(mesh, "s", "m", "m^2/s^2", &phi, &part[1]));
  PetscCall(HgOperatorChain("m of c", 2, part, m_of_c));
  for (int k = 0; k < 2; k++) PetscCall(HgOperatorDestroy(&part[k]));
  return 0;
}

static double guess(double x, double y, double depth, void *unused) {
  return inverse(EarthFirst(x, y, depth, unused), NULL);
}

PetscErrorCode ControlGuess(HgState weights, HgState c) {
  const size_t cells = HgStateLength(c);
  double *s, *w;
  PetscCall(EarthSet(c, "c", guess, NULL));
  PetscCall(PetscMalloc2(cells, &s, cells, &w));
  HgStatePack(c, s);
  HgStatePack(weights, w);
  for (size_t k = 0; k < cells; k++) s[k] = w[k] > 0 ? s[k] / w[k] : 0;
  HgStateUnpack(s, c);
  return PetscFree2(s, w);
}

PetscErrorCode ControlSpeed(HgState x, HgState speed) {
  const size_t cells = HgStateLength(speed);
  double *v;
  int m;
  PetscCall(HgStateIndex(x, "m", &m));
  PetscCall(HgStateCopyVariable(x, m, speed, 0));
  PetscCall(PetscMalloc1(cells, &v));
  HgStatePack(speed, v);
  for (size_t k = 0; k < cells; k++) v[k] = sqrt(v[k]);
  HgStateUnpack(v, speed);
  return PetscFree(v);
}
