/* SPDX-License-Identifier: BSD-2-Clause */
/* acoustic_inverse: finds the speed of sound below ground from receivers near the surface,
   full-waveform inversion in small; m is its square.

     minimise J(m) = 1/2 sum ((p(x_k, t_n; m) - d_kn) / sigma)^2 + R(m),  2.5 <= m <= 6.5 km^2/s^2
     subject to acoustic.stencil; a twin: the data come from a hidden m, with noise */
#include "acoustic.h"
#include "ground.h"
#include <halograd/problem.h>

static double hidden(double x, double y) {
  const double fast = GroundBump(x, y, 320, 520, 110), slow = GroundBump(x, y, 650, 430, 120);
  return pow(2000 + 300 * fast - 250 * slow, 2);
}

static double source(double x, double y) { return 1e4 * GroundShots(x, y, false); }

static double damping(double x, double y) { return 70 * GroundSponge(x, y); }

static double wavelet(double t) { return GroundRicker(15, t); }

static const HgGiven given[] = {{"m", .value = 4e6, .least = 2.5e6, .most = 6.5e6},
                                {"damping", .field = damping},
                                {"source", .field = source},
                                {"wavelet", .time = wavelet},
                                {.variable = NULL}};

static PetscErrorCode acoustic_inverse(void) {
  HgCommon common = {.nx = 96, .ny = 96, .dt = 1.5e-3, .steps = 450, .slots = 60};
  HgInverse inverse = {.h1 = 1e-11, .tolerance = 1e-3, .iterations = 40};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (p_0, p_-1, m, damping, source), where it is silent. */
  PetscCall(HgRunStart("acoustic_inverse", "the speed of sound", &common, &inverse, &run));
  PetscCall(
      HgProblemCreatePhysics(run, &common, &ground, &acoustic_physics, NULL, given, &problem));

  /* 2. m is sought; the data are a twin's; -check, inversion, results, picture, run.json. */
  const HgSensors receivers = GroundReceivers("p", 0.01);
  PetscCall(HgProblemSeek(problem, "m", 4e6, 2.5e6, 6.5e6, &inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"m", .field = hidden}, &receivers));
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", acoustic_inverse); }
