/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_water.c -- how long a step may be; see shallow_water.h. */
#include <halograd/shallow_water.h>
#include <math.h>

/* x' = i omega x: an amplification exp(i theta) needs i z (a e^(i theta) + b) = e^(2 i theta) -
   e^(i theta) with z = omega dt real, hence cos theta = 1 / (1 + 2 epsilon) and z as below. */
static double imaginary_limit(double epsilon) {
  const double a = 1.5 + epsilon, b = -(0.5 + epsilon), c = 1 / (1 + 2 * epsilon);
  return sqrt(1 - c * c) * (a + b * (2 * c - 1)) / (a * a + b * b + 2 * a * b * c);
}

double HgShallowWaterLargestStep(double gravity, double epsilon, double depth, double speed,
                                 double dx, double dy) {
  return imaginary_limit(epsilon) /
         (2 * (sqrt(gravity * depth) + speed) * sqrt(1 / (dx * dx) + 1 / (dy * dy)));
}
