/* SPDX-License-Identifier: BSD-2-Clause */
/* plume_inverse: finds what rises from the ground, from stations 8 m above it.

     minimise J(flux) = 1/2 sum ((c(x_k, t_n; flux) - d_kn) / sigma)^2 + R(flux),  flux >= 0
     subject to plume.stencil in 1200 m x 600 m x 96 m of air; the wind blows along x, stronger
     above

   A twin: the data come from a hidden flux, with noise. */
#include "plume.h"
#include <halograd/problem.h>
#include <math.h>

enum { LENGTH = 1200, WIDTH = 600, HEIGHT = 96, STATION = 8 };

static double spot(double x, double y, double at_x, double at_y, double radius) {
  return exp(-pow(hypot(x - at_x, y - at_y) / radius, 2));
}

static double hidden(double x, double y) {
  return spot(x, y, 300, 200, 80) + 0.7 * spot(x, y, 550, 420, 60);
}

static double wind(double x, double y, double z) {
  (void)x, (void)y;
  return 1 + log1p(z / 4);
}

static const HgGiven given[] = {
    {"wind", .volume = wind}, {"spread", .value = 5}, {"lift", .value = 2}, {.variable = NULL}};
static const HgSensors stations = {"c",        .columns = 12,    .rows = 9,
                                   .times = 8, .from = 200,      .sigma = 0.02,
                                   .seed = 1,  .below = STATION, .above = STATION};

static PetscErrorCode plume_inverse(void) {
  HgCommon common = {.nx = 48, .ny = 24, .nz = 12, .dt = 2, .steps = 400, .slots = 60};
  HgInverse inverse = {.h1 = 300, .tolerance = 1e-4, .iterations = 200};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (c_0, flux, wind): the air is clean at first. */
  PetscCall(HgRunStart("plume_inverse", "what rises from the ground", &common, &inverse, &run));
  const double dx = (double)LENGTH / common.nx, dy = (double)WIDTH / common.ny,
               dz = (double)HEIGHT / common.nz;
  const HgMeshSpec air = {.x0 = dx / 2, .y0 = dy / 2, .z0 = dz / 2, .dx = dx, .dy = dy, .dz = dz};
  PetscCall(HgProblemCreatePhysics(run, &common, &air, &plume_physics, NULL, given, &problem));

  /* 2. The flux is sought; the data are a twin's; -check, inversion, results, picture, run.json. */
  PetscCall(HgProblemSeek(problem, "flux", 0, 0, INFINITY, &inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"flux", .field = hidden}, &stations));
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", plume_inverse); }
