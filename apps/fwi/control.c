/* SPDX-License-Identifier: BSD-2-Clause */
#include "control.h"
#include <halograd/control.h>
#include <math.h>

/* ---- m = phi(s), a root of it between two speeds ---- */

static double span(void) { return EarthGet()->fastest - EarthSlowest(); }

/* phi(0) is the water's. */
static double shift(void) {
  const double water = EarthGet()->water;
  return log((water - EarthSlowest()) / (EarthGet()->fastest - water));
}

static double fraction(double s) { return 1 / (1 + exp(-s - shift())); }

static double value(double s, const double p[2]) {
  (void)p;
  const double v = EarthSlowest() + span() * fraction(s);
  return v * v;
}

static double derivative(double s, const double p[2]) {
  (void)p;
  const double f = fraction(s), v = EarthSlowest() + span() * f;
  return 2 * v * span() * f * (1 - f);
}

static double second(double s, const double p[2]) {
  (void)p;
  const double f = fraction(s), v = EarthSlowest() + span() * f, dv = span() * f * (1 - f);
  return 2 * (dv * dv + v * dv * (1 - 2 * f));
}

static double inverse(double m, const double p[2]) {
  (void)p;
  const double v = sqrt(m);
  return log((v - EarthSlowest()) / (EarthGet()->fastest - v)) - shift();
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

PetscErrorCode ControlGuess(HgState x, HgState weights, HgState c) {
  const size_t cells = HgStateLength(c);
  double *s, *w;
  int m;
  PetscCall(HgStateIndex(x, "m", &m));
  PetscCall(HgStateCopyVariable(x, m, c, 0));
  PetscCall(PetscMalloc2(cells, &s, cells, &w));
  HgStatePack(c, s);
  HgStatePack(weights, w);
  for (size_t k = 0; k < cells; k++) s[k] = w[k] > 0 ? inverse(s[k], NULL) / w[k] : 0;
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

/* dv = dm / (2 v) */
PetscErrorCode ControlDeviation(HgOperator m_of_c, HgState c, HgState d, HgState deviation, int k,
                                double *mean) {
  HgState in[2], m[2];
  double *v[2], count = 0;
  for (int l = 0; l < 2; l++) {
    PetscCall(HgOperatorCreateInput(m_of_c, &in[l]));
    PetscCall(HgOperatorCreateOutput(m_of_c, &m[l]));
    PetscCall(HgStateCopyVariable(l ? d : c, 0, in[l], 0));
    PetscCall(PetscMalloc1(HgStateLength(m[l]), &v[l]));
  }
  PetscCall(HgOperatorApply(m_of_c, in[0], m[0]));
  PetscCall(HgOperatorTangent(m_of_c, in[0], in[1], m[1]));
  for (int l = 0; l < 2; l++) HgStatePack(m[l], v[l]);
  for (size_t i = 0; i < HgStateLength(m[0]); i++) {
    v[0][i] = v[1][i] / (2 * sqrt(v[0][i]));
    v[1][i] = v[0][i] > 0;
  }
  for (int l = 0; l < 2; l++) HgStateUnpack(v[l], m[l]);
  PetscCall(HgStateCopyVariable(m[0], 0, deviation, k));
  PetscCall(HgStateDot(m[0], m[0], mean));
  PetscCall(HgStateDot(m[1], m[1], &count));
  *mean = sqrt(*mean / fmax(1, count));
  for (int l = 0; l < 2; l++) {
    PetscCall(PetscFree(v[l]));
    PetscCall(HgStateDestroy(&in[l]));
    PetscCall(HgStateDestroy(&m[l]));
  }
  return 0;
}
