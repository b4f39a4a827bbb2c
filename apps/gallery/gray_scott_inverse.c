/* SPDX-License-Identifier: BSD-2-Clause */
/* gray_scott_inverse: finds where a reaction is fed, the field F(x, y), from sensors that see v.

     minimise J(F) = 1/2 sum ((v(x_k, t_n; F) - d_kn) / sigma)^2 + R(F),  0.01 <= F <= 0.08
     subject to gray_scott.stencil; a twin: the data come from a hidden F, with noise */
#include "gray_scott.h"
#include <halograd/problem.h>
#include <math.h>

static double seed(double x, double y) { return exp(-pow(hypot(x - 24, y - 24), 2) / 60); }

static double first_u(double x, double y) { return 1 - seed(x, y) / 2; }

static double first_v(double x, double y) { return 0.4 * seed(x, y); }

static double hidden(double x, double y) {
  return 0.036 + 0.012 * sin(PETSC_PI * x / 24) * cos(PETSC_PI * y / 24);
}

static const HgGiven given[] = {
    {"u", .field = first_u}, {"v", .field = first_v}, {"Du", .value = 0.16}, {"Dv", .value = 0.08},
    {"F", .value = 0.036},   {"K", .value = 0.06},    {.variable = NULL}};
static const HgSensors sensors = {"v", 12, 12, .times = 6, .sigma = 0.005, .seed = 1};

static PetscErrorCode gray_scott_inverse(void) {
  HgCommon common = {.nx = 48, .ny = 48, .dt = 1, .steps = 700, .slots = 60};
  HgInverse inverse = {.h1 = 4e5, .tolerance = 1e-3, .iterations = 80};
  const HgMeshSpec square = {.dx = 1, .dy = 1, .periodic_x = true, .periodic_y = true};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (u_0, v_0, Du, Dv, F, K) on a periodic square. */
  PetscCall(HgRunStart("gray_scott_inverse", "where a reaction is fed", &common, &inverse, &run));
  PetscCall(
      HgProblemCreatePhysics(run, &common, &square, &gray_scott_physics, NULL, given, &problem));

  /* 2. F is sought; the data are a twin's. */
  PetscCall(HgProblemSeek(problem, "F", 0.036, 0.01, 0.08, &inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"F", .field = hidden}, &sensors));

  /* 3. -check: all derivatives; inversion; results, picture, run.json. */
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", gray_scott_inverse); }
