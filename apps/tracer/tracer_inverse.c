/* SPDX-License-Identifier: BSD-2-Clause */
/* tracer_inverse: finds where a cloud of tracer was released, c at the start, from sensors
   downstream; v is a known swirl in a drift.

     minimise J(c_0) = 1/2 sum ((c(x_k, t_n; c_0) - d_kn) / sigma)^2 + R(c_0),  c_0 >= 0
     subject to tracer.stencil; a twin: the data come from a hidden c_0, with noise */
#include "tracer.h"
#include <halograd/problem.h>
#include <math.h>

static double vx(double x, double y) {
  return 0.15 - 0.35 * sin(2 * PETSC_PI * x) * cos(2 * PETSC_PI * y);
}

static double vy(double x, double y) {
  return 0.35 * cos(2 * PETSC_PI * x) * sin(2 * PETSC_PI * y);
}

static double hidden(double x, double y) {
  return exp(-pow(hypot(x - 0.3, y - 0.35) / 0.11, 2)) +
         0.7 * exp(-pow(hypot(x - 0.65, y - 0.7) / 0.08, 2));
}

static const HgGiven given[] = {
    {"vx", .field = vx}, {"vy", .field = vy}, {"D", .value = 0.01}, {.variable = NULL}};
static const HgSensors sensors = {"c", 8, 8, .times = 8, .from = 0.5, .sigma = 0.01, .seed = 1};

static PetscErrorCode tracer_inverse(void) {
  HgCommon common = {.nx = 48, .ny = 48, .dt = 0.01, .steps = 100, .slots = 50};
  HgInverse inverse = {.h1 = 3, .tolerance = 1e-3, .iterations = 200};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (c_0, vx, vy, D) on a periodic square of 1 m. */
  PetscCall(HgRunStart("tracer_inverse", "where a cloud was released", &common, &inverse, &run));
  const double dx = 1.0 / common.nx, dy = 1.0 / common.ny;
  const HgMeshSpec square = {.dx = dx, .dy = dy, .periodic_x = true, .periodic_y = true};
  PetscCall(HgProblemCreatePhysics(run, &common, &square, &tracer_physics, NULL, given, &problem));

  /* 2. c_0 is sought; the data are a twin's; -check, inversion, results, picture, run.json. */
  PetscCall(HgProblemSeek(problem, "c", 0, 0, INFINITY, &inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"c", .field = hidden}, &sensors));
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", tracer_inverse); }
