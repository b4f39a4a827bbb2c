/* SPDX-License-Identifier: BSD-2-Clause */
/* heat_flux_inverse: finds the flux that warms a wall, at each time, from thermometers inside it.

     minimise J(q) = 1/2 sum ((T(x_k, t_n; q) - d_kn) / sigma)^2 + h1/2 sum_n (q_n+1 - q_n)^2
     subject to heat_flux.stencil in 0.2 m x 0.1 m of brick during two hours

   With -along it also changes along the wall, q_n(y): heat_flux_side.stencil. A twin: the data come
   from a hidden flux, with noise of 1 % of the largest temperature. */
#include "heat_flux.h"
#include "heat_flux_side.h"
#include <halograd/problem.h>
#include <math.h>

/* A fire: it flares up, burns down, and is fed once more. Over density and heat capacity. */
static double hidden(double t) {
  const double hour = t / 3600;
  return 1e-3 * (exp(-pow((hour - 0.5) / 0.25, 2)) + 0.6 * exp(-pow((hour - 1.2) / 0.2, 2)));
}

/* It moves north. */
static double hidden_along(double t, double y) {
  return hidden(t) * exp(-pow((y - 0.03 - 0.03 * t / 3600) / 0.03, 2));
}

static const HgGiven given[] = {{"kappa", .value = 5e-7}, {.variable = NULL}};

static PetscErrorCode heat_flux_inverse(void) {
  HgCommon common = {.nx = 80, .ny = 40, .dt = 3, .steps = 2400, .slots = 60};
  HgInverse inverse = {.h1 = 1e10, .tolerance = 1e-4, .iterations = 100};
  double across = 0;
  bool along = false;
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (T_0, kappa, q): T is counted from that at the start. */
  PetscCall(HgRunCreate("heat_flux_inverse", "the flux that warms a wall", &run));
  PetscCall(HgOptionsGroup(HgRunOptions(run), "Flux"));
  PetscCall(HgOptionsFlag(HgRunOptions(run), "-along", "let the flux also change along the wall",
                          &along));
  PetscCall(HgOptionsReal(HgRunOptions(run), "-h1_along",
                          "weight of the flux's differences along the wall", "", "[0, inf)",
                          &across));
  if (!along)
    PetscCall(HgOptionsRefuse(HgRunOptions(run), "without -along",
                              (const char *const[]){"-h1_along", NULL}));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(HgRunCommon(run, &common));
  const double dx = 0.2 / common.nx, dy = 0.1 / common.ny;
  const HgMeshSpec brick = {.x0 = dx / 2, .y0 = dy / 2, .dx = dx, .dy = dy};
  PetscCall(HgProblemCreatePhysics(run, &common, &brick,
                                   along ? &heat_flux_side_physics : &heat_flux_physics, NULL,
                                   given, &problem));

  /* 2. The flux of each step is sought; the data are a twin's; -check, inversion, results. */
  const HgSensors thermometers = {
      "T",           .columns = 2,  .rows = along ? 8 : 3, .times = 120, .west = 0.005,
      .east = 0.025, .south = 0.01, .north = 0.09,         .sigma = 0.4, .seed = 1};
  const HgGiven flux[] = {{"q", .time = hidden}, {"q", .along = hidden_along}};
  PetscCall(HgProblemControl(problem, "q", NULL));
  PetscCall(HgProblemRegularise(
      problem, &(HgRegularisation){"q", inverse.tikhonov, inverse.h1, .across = across}));
  PetscCall(HgProblemTwin(problem, &flux[along], &thermometers));
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", heat_flux_inverse); }
