/* SPDX-License-Identifier: BSD-2-Clause */
/* block_inverse: finds the diffusivity inside a block of stone from thermometers in layers of it.

     minimise J(kappa) = 1/2 sum ((u(x_k, t_n; kappa) - d_kn) / sigma)^2 + R(kappa)
     subject to block.stencil in a cube of 1 m: u = 0 at t = 0 and at its sides, insulated below and
     above

   A twin: the data come from a hidden kappa, with noise. */
#include "block.h"
#include <halograd/problem.h>

static double bump(double x, double y, double z, const double at[3], double radius) {
  const double square = pow(x - at[0], 2) + pow(y - at[1], 2) + pow(z - at[2], 2);
  return exp(-square / (radius * radius));
}

static double hidden(double x, double y, double z) {
  const double metal[] = {0.32, 0.66, 0.6}, clay[] = {0.68, 0.34, 0.4};
  return 1 + bump(x, y, z, metal, 0.2) - 0.5 * bump(x, y, z, clay, 0.22);
}

static double heaters(double x, double y, double z) {
  double f = 0;
  for (int k = 0; k < 8; k++)
    f += 400 * bump(x, y, z,
                    (double[]){0.3 + 0.4 * (k % 2), 0.3 + 0.4 * (k / 2 % 2), 0.3 + 0.4 * (k / 4)},
                    0.14);
  return f;
}

static const HgGiven given[] = {{"kappa", .value = 1, .least = 0.2, .most = 2.5},
                                {"f", .volume = heaters},
                                {"decay", .value = 10},
                                {.variable = NULL}};

static PetscErrorCode block_inverse(void) {
  HgCommon common = {.nx = 24, .ny = 24, .nz = 24, .dt = 1e-4, .steps = 400, .slots = 60};
  HgInverse inverse = {.h1 = 30, .tolerance = 1e-2, .iterations = 40};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (u_0, kappa, f): cold at first. The sides lie one cell beyond the cells. */
  PetscCall(HgRunStart("block_inverse", "the diffusivity inside a block", &common, &inverse, &run));
  const double dx = 1.0 / (common.nx + 1), dy = 1.0 / (common.ny + 1), dz = 1.0 / common.nz;
  const HgMeshSpec cube = {.x0 = dx, .y0 = dy, .z0 = dz / 2, .dx = dx, .dy = dy, .dz = dz};
  PetscCall(HgProblemCreatePhysics(run, &common, &cube, &block_physics, NULL, given, &problem));

  /* 2. kappa is sought; the data are a twin's; -check, inversion, results, picture, run.json. */
  const HgSensors thermometers = {"u",         .columns = 6,  .rows = 6, .layers = 4,
                                  .times = 12, .sigma = 0.05, .seed = 1};
  PetscCall(HgProblemSeek(problem, "kappa", 1, 0.2, 2.5, &inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"kappa", .volume = hidden}, &thermometers));
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", block_inverse); }
