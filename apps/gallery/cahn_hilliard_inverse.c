/* SPDX-License-Identifier: BSD-2-Clause */
/* cahn_hilliard_inverse: finds how a mixture was before it separated, the concentration c at the
   start, from late measurements.

     minimise J(c_0) = 1/2 sum ((c(x_k, t_n; c_0) - d_kn) / sigma)^2 + R(c_0),  -1 <= c_0 <= 1
     subject to cahn_hilliard.stencil; a twin: the data come from a hidden c_0, with noise */
#include "cahn_hilliard.h"
#include <halograd/problem.h>
#include <math.h>

static double hidden(double x, double y) {
  const double k = PETSC_PI / 24;
  return 0.2 * sin(3 * k * x + cos(2 * k * y)) * cos(2 * k * y) + 0.1 * cos(4 * k * (x + y));
}

static const HgGiven given[] = {
    {"c", .least = -1.2, .most = 1.2}, {"gamma", .value = 0.5}, {.variable = NULL}};
static const HgSensors sensors = {"c", 24, 24, .times = 3, .from = 6, .sigma = 0.02, .seed = 1};

static PetscErrorCode cahn_hilliard_inverse(void) {
  HgCommon common = {.nx = 48, .ny = 48, .dt = 0.03, .steps = 400, .slots = 60};
  HgInverse inverse = {.h1 = 100, .tolerance = 1e-6, .iterations = 60};
  const HgMeshSpec square = {.dx = 1, .dy = 1, .periodic_x = true, .periodic_y = true};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (c_0, gamma) on a periodic square. */
  PetscCall(HgRunStart("cahn_hilliard_inverse", "how a mixture was before it separated", &common,
                       &inverse, &run));
  PetscCall(
      HgProblemCreatePhysics(run, &common, &square, &cahn_hilliard_physics, NULL, given, &problem));

  /* 2. c_0 is sought; the data are a twin's. */
  PetscCall(HgProblemSeek(problem, "c", 0, -1, 1, &inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"c", .field = hidden}, &sensors));

  /* 3. -check: all derivatives; inversion; results, picture, run.json. */
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) {
  return HgMain(n, words, "cahn_hilliard_inverse: how a mixture was before it separated\n",
                cahn_hilliard_inverse);
}
