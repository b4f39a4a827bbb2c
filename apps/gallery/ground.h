/* SPDX-License-Identifier: BSD-2-Clause */
/* What both apps of waves below ground share: a square of 96 x 96 cells of 10 m with a sponge along
   its sides, shots near its bottom, a line of receivers near its surface. x and y in [m]. */
#ifndef GROUND_H
#define GROUND_H
#include <halograd/problem.h>
#include <math.h>

static const HgMeshSpec ground = {.dx = 10, .dy = 10};

static inline double GroundBump(double x, double y, double x0, double y0, double radius) {
  return exp(-((x - x0) * (x - x0) + (y - y0) * (y - y0)) / (radius * radius));
}

/* Four shots; with `signs` their signs alternate. */
static inline double GroundShots(double x, double y, bool signs) {
  double s = 0;
  for (int k = 0; k < 4; k++)
    s += (signs && k % 2 ? -1 : 1) * GroundBump(x, y, 150 + 220 * k, 200, 15);
  return s;
}

/* 0 from 150 m inside on, growing with the square of the depth in the sponge to 1 at the sides. */
static inline double GroundSponge(double x, double y) {
  const double depth = fmax(fmax(150 - x, x - 800), fmax(150 - y, y - 800)) / 150;
  return depth > 0 ? depth * depth : 0;
}

/* 40 receivers of `variable` 170 m below the surface, which read 150 times. */
static inline HgSensors GroundReceivers(const char variable[], double sigma) {
  return (HgSensors){variable, 40, 1, 160, 790, 780, 780, .times = 150, .sigma = sigma, .seed = 1};
}

/* Ricker's wavelet at the time t [s]: (1 - 2 a) exp(-a), a = (pi (frequency t - 1))^2, which begins
   and ends below 0.001 of its peak; frequency [Hz]. */
static inline double GroundRicker(double frequency, double t) {
  const double s = PETSC_PI * (frequency * t - 1), a = s * s;
  return (1 - 2 * a) * exp(-a);
}

#endif
