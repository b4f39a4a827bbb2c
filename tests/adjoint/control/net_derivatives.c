/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: value, tangent and adjoint of the net agree to rounding with a net of a few lines in
   complex numbers, differentiated by a complex step (Squire & Trapp, SIAM Rev. 40, 1998), for
   several sizes; a first guess is near its value; wrong sizes are refused. */
#include "claim.h"
#include "refusal.h"
#include <complex.h>
#include <float.h>
#include <halograd/control_library.h>
#include <halograd/state.h>
#include <halograd/sum_library.h>
#include <math.h>

enum { POINTS = HG_NET_BATCH, LOOKED_AT = 7 };

static const double step = 1e-40;

/* The net at one point, theta with an imaginary step at number `at` (-1: none). */
static double complex plain(const HgNetSpec *s, const double theta[], int at, double x, double y) {
  double complex a[HG_NET_WIDTH] = {x, y}, z[HG_NET_WIDTH];
  int before = 2, k = 0;
  for (int l = 0; l <= s->layers; l++) {
    const int units = l < s->layers ? s->width[l] : 1, bias = k + units * before;
    for (int m = 0; m < units; m++) {
      z[m] = theta[bias + m] + (bias + m == at ? step * I : 0);
      for (int n = 0; n < before; n++, k++) z[m] += (theta[k] + (k == at ? step * I : 0)) * a[n];
    }
    for (int m = 0; m < units; m++) a[m] = l < s->layers ? ctanh(z[m]) : clog(1 + cexp(z[m]));
    before = units, k = bias + units;
  }
  return a[0];
}

static PetscErrorCode compare(const HgNetSpec *spec, int size, uint64_t seed) {
  HgNet net;
  HgSum *sums;
  double *theta, *dtheta, *gradient, x[POINTS], y[POINTS], u[POINTS], du[POINTS], w[POINTS] = {0};
  PetscCall(HgNetCreate(PETSC_COMM_SELF, spec, &net));
  claim_same(HgNetSize(net), size, "numbers of a net of %d layers", spec->layers);
  PetscCall(PetscMalloc4(size, &theta, size, &dtheta, size, &gradient, size, &sums));
  PetscCall(HgNetInitialise(PETSC_COMM_SELF, spec, 0.7, seed, theta));
  for (int k = 0; k < size; k++) {
    theta[k] += 0.3 * HgRandom(seed + 1, (uint64_t)k);
    dtheta[k] = HgRandom(seed + 2, (uint64_t)k);
    gradient[k] = 0;
    HgSumReset(&sums[k]);
  }
  for (int i = 0; i < POINTS; i++)
    x[i] = HgRandom(seed + 3, (uint64_t)i), y[i] = HgRandom(seed + 4, (uint64_t)i);
  for (int i = 0; i < LOOKED_AT; i++) w[37 * i] = HgRandom(seed + 5, (uint64_t)i);
  HgNetApply(net, theta, POINTS, x, y, u);
  HgNetTangent(net, theta, dtheta, POINTS, x, y, du);
  HgNetAdjoint(net, theta, POINTS, x, y, w, sums);
  double largest = 0;
  for (int i = 0; i < 37 * LOOKED_AT; i += 37) {
    double expected = 0, scale = 0;
    for (int k = 0; k < size; k++) {
      const double d = cimag(plain(spec, theta, k, x[i], y[i])) / step;
      gradient[k] += w[i] * d;
      expected += dtheta[k] * d, scale += fabs(dtheta[k] * d);
    }
    claim_at_most(fabs(u[i] - creal(plain(spec, theta, -1, x[i], y[i]))), 100 * DBL_EPSILON,
                  "value at point %d of a net of %d layers", i, spec->layers);
    claim_at_most(fabs(du[i] - expected), 100 * DBL_EPSILON * (1 + scale),
                  "tangent at point %d of a net of %d layers", i, spec->layers);
  }
  for (int k = 0; k < size; k++) largest = fmax(largest, fabs(gradient[k]));
  claim_that(largest > 0.01, "the gradient is not tiny: %g", largest);
  for (int k = 0; k < size; k++)
    claim_at_most(fabs(HgSumValue(&sums[k]) - gradient[k]), 100 * DBL_EPSILON * largest,
                  "adjoint of number %d of a net of %d layers", k, spec->layers);
  PetscCall(PetscFree4(theta, dtheta, gradient, sums));
  return HgNetDestroy(&net);
}

/* The same point in batches of other sizes, at other places in them. */
static PetscErrorCode batches(void) {
  HgNet net;
  double theta[921], x[POINTS], y[POINTS], u[POINTS], alone;
  PetscCall(HgNetCreate(PETSC_COMM_SELF, &(HgNetSpec){0}, &net));
  PetscCall(HgNetInitialise(PETSC_COMM_SELF, &(HgNetSpec){0}, 0.7, 3, theta));
  for (int i = 0; i < POINTS; i++) x[i] = HgRandom(1, (uint64_t)i), y[i] = HgRandom(2, (uint64_t)i);
  HgNetApply(net, theta, POINTS, x, y, u);
  for (int i = 0; i < POINTS; i++) {
    HgNetApply(net, theta, 1, x + i, y + i, &alone);
    claim_same(u[i], alone, "point %d in a batch and alone", i);
    claim_at_most(fabs(u[i] - 0.7), 0.3, "the first guess at point %d is near 0.7", i);
  }
  for (int n = 1; n < POINTS; n += 13) {
    HgNetApply(net, theta, n, x + POINTS - n, y + POINTS - n, u);
    HgNetApply(net, theta, 1, x + POINTS - 1, y + POINTS - 1, &alone);
    claim_same(u[n - 1], alone, "the last of %d points", n);
  }
  return HgNetDestroy(&net);
}

static PetscErrorCode refusals(void) {
  HgNet net;
  double theta[921];
  REFUSED(HgNetCreate(PETSC_COMM_WORLD, &(HgNetSpec){.layers = 9}, &net), "9 hidden layers",
          "expected 1 to 8");
  REFUSED(HgNetCreate(PETSC_COMM_WORLD, &(HgNetSpec){.layers = -1}, &net), "-1 hidden layers");
  REFUSED(HgNetCreate(PETSC_COMM_WORLD, &(HgNetSpec){.layers = 2, .width = {5, 0}}, &net),
          "layer 2 has 0 units", "expected 1 to 64");
  REFUSED(HgNetCreate(PETSC_COMM_WORLD, &(HgNetSpec){.layers = 2, .width = {65, 3}}, &net),
          "layer 1 has 65 units");
  REFUSED(HgNetInitialise(PETSC_COMM_WORLD, &(HgNetSpec){0}, -1, 1, theta), "'softplus'",
          "cannot start at -1");
  return 0;
}

static PetscErrorCode test(void) {
  PetscCall(compare(&(HgNetSpec){.layers = 3, .width = {20, 20, 20}}, 921, 1));
  PetscCall(compare(&(HgNetSpec){.layers = 1, .width = {1}}, 5, 10));
  PetscCall(compare(&(HgNetSpec){.layers = 2, .width = {7, 3}}, 49, 20));
  PetscCall(compare(&(HgNetSpec){.layers = 8, .width = {3, 5, 4, 2, 6, 3, 4, 5}}, 149, 30));
  PetscCall(batches());
  return refusals();
}

CLAIM("the net is that of complex numbers, so are its derivatives", 1, test)
