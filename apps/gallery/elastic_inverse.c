/* SPDX-License-Identifier: BSD-2-Clause */
/* elastic_inverse: finds how stiff the ground is against shear, mu, from seismometers near the
   surface.

     minimise J(mu) = 1/2 sum ((vy(x_k, t_n; mu) - d_kn) / sigma)^2 + R(mu),  2 <= mu <= 9 GPa
     subject to elastic.stencil; a twin: the data come from a hidden mu, with noise */
#include "elastic.h"
#include "ground.h"
#include <halograd/problem.h>

static double hidden(double x, double y) {
  const double hard = GroundBump(x, y, 320, 500, 110), soft = GroundBump(x, y, 640, 450, 120);
  return 5e9 + 1.5e9 * hard - 1.2e9 * soft;
}

static double force(double x, double y) { return 1e6 * GroundShots(x, y, true); }

static double keep(double x, double y) { return 1 - 0.1 * GroundSponge(x, y); }

static double wavelet(double t) { return GroundRicker(8, t); }

static const HgGiven given[] = {
    {"lambda", .value = 6e9}, {"mu", .value = 5e9, .least = 2e9, .most = 9e9},
    {"keep", .field = keep},  {"force", .field = force},
    {"rho", .value = 2000},   {"wavelet", .time = wavelet},
    {.variable = NULL}};

static PetscErrorCode elastic_inverse(void) {
  HgCommon common = {.nx = 96, .ny = 96, .dt = 1.5e-3, .steps = 500, .slots = 60};
  HgInverse inverse = {.h1 = 1e-16, .tolerance = 1e-3, .iterations = 32};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (velocities, stresses, lambda, mu, keep, force), at rest. */
  PetscCall(HgRunStart("elastic_inverse", "how stiff the ground is", &common, &inverse, &run));
  PetscCall(HgProblemCreatePhysics(run, &common, &ground, &elastic_physics, NULL, given, &problem));

  /* 2. mu is sought; the data are a twin's; -check, inversion, results, picture, run.json. */
  const HgSensors receivers = GroundReceivers("vy", 1e-3);
  PetscCall(HgProblemSeek(problem, "mu", 5e9, 2e9, 9e9, &inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"mu", .field = hidden}, &receivers));
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", elastic_inverse); }
