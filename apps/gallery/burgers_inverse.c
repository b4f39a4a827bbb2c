/* SPDX-License-Identifier: BSD-2-Clause */
/* burgers_inverse: finds how a gust began, the velocity u at the start, from sensors that see it
   steepen to fronts.

     minimise J(u_0) = 1/2 sum ((u(x_k, t_n; u_0) - d_kn) / sigma)^2 + R(u_0),  -2 <= u_0 <= 2
     subject to burgers.stencil; a twin: the data come from a hidden u_0, with noise */
#include "burgers.h"
#include <halograd/problem.h>
#include <math.h>

static double hidden(double x, double y) {
  return exp(-50 * (pow(x - 0.35, 2) + pow(y - 0.4, 2))) -
         0.7 * exp(-70 * (pow(x - 0.7, 2) + pow(y - 0.65, 2)));
}

static const HgGiven given[] = {
    {"u", .least = -2, .most = 2}, {"nu", .value = 1e-3}, {.variable = NULL}};
static const HgSensors sensors = {"u", 16, 16, .times = 4, .sigma = 0.01, .seed = 1};

static PetscErrorCode burgers_inverse(void) {
  HgCommon common = {.nx = 64, .ny = 64, .dt = 1.5e-3, .steps = 200, .slots = 40};
  HgInverse inverse = {.h1 = 300, .tolerance = 1e-3, .iterations = 50};
  const HgMeshSpec square = {.x0 = 1.0 / 128,
                             .y0 = 1.0 / 128,
                             .dx = 1.0 / 64,
                             .dy = 1.0 / 64,
                             .periodic_x = true,
                             .periodic_y = true};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (u_0, nu) on a periodic square. */
  PetscCall(HgRunStart("burgers_inverse", "how a gust began", &common, &inverse, &run));
  PetscCall(HgProblemCreatePhysics(run, &common, &square, &burgers_physics, NULL, given, &problem));

  /* 2. u_0 is sought; the data are a twin's. */
  PetscCall(HgProblemSeek(problem, "u", 0, -2, 2, &inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"u", .field = hidden}, &sensors));

  /* 3. -check: all derivatives; inversion; results, picture, run.json. */
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", burgers_inverse); }
