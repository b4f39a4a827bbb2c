/* SPDX-License-Identifier: BSD-2-Clause */
/* heat_inverse: finds the diffusivity of a plate from noisy thermometers.

     minimise J(m) = 1/2 sum ((u(x_k, t_n; kappa(m)) - d_kn) / sigma_kn)^2 + R(m)
     subject to u_t = kappa lap(u) + exp(-decay t) f,  u = 0 at t = 0

   kappa = exp(m) (-parametrise log), m itself (field), a + b x + c y (affine), numbers on a coarse
   grid (coarse) or a dense net of x and y with m its weights (net); R is Tikhonov and H1.

   Sample runs:
     mpirun -n 16 heat_inverse
     mpirun -n 4 heat_inverse -check -digest -store hdf5 -slots 20
     mpirun -n 4 heat_inverse -parametrise net -net 20,20,20
     mpirun -n 4 heat_inverse -parametrise coarse -coarse 8,8
     mpirun -n 2 heat_inverse -case exercise -parametrise affine -nx 49 -ny 49 -observations
     exercise.h5 */
#include "heat_control.h"
#include <halograd/problem.h>
#include <string.h>

/* What lies beside the program was measured on a plate whose walls are held at 0. */
static PetscErrorCode require_own_data(HgOptions options, const Heat *heat) {
  const bool plate = !strcmp(heat->which->name, "plate") && !heat->insulated;
  HgRequire(PETSC_COMM_WORLD, plate || HgOptionsGiven(options, "-observations"),
            HG_ERR_OPTION_CONFLICT,
            "option %s: the thermometers that come with heat_inverse are those of a plate with "
            "fixed walls, expected others with it (-observations; heat_forward makes them)",
            heat->insulated ? "-walls" : "-case");
  return 0;
}

static PetscErrorCode heat_inverse(void) {
  HgRun run;
  Heat heat;
  HgProblem problem;
  HgCommon common = {.nx = 32, .ny = 32, .slots = 100};
  HgInverse inverse = {.h1 = 30, .tolerance = 3e-3, .iterations = 100};
  HeatControlSpec spec = {.coarse = {8, 8}, .net = {.layers = 3, .width = {20, 20, 20}}, .seed = 1};

  /* 1. Options. */
  PetscCall(HgRunDataPath("plate.h5", sizeof common.observations, common.observations));
  PetscCall(
      HgRunCreate("heat_inverse", "finds the diffusivity of a plate from thermometers", &run));
  PetscCall(HeatOptions(run, &heat));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(HeatControlOptions(run, &spec));
  PetscCall(HgRunCommon(run, &common));
  PetscCall(require_own_data(HgRunOptions(run), &heat));

  /* 2. The plate: mesh, program, x = (u_0, kappa, f) with the first guess of kappa. */
  PetscCall(HeatCreate(run, &common, &heat));

  /* 3. J(m) = misfit(x(m)) + R(m) with kappa = P(m) between bounds that keep the step stable. */
  HgObservations *thermometers;
  PetscCall(HgObservationsRead(PETSC_COMM_WORLD, common.observations, &thermometers));
  PetscCall(HgProblemCreate(run, &common, heat.program, heat.x, &problem));
  PetscCall(HgProblemObserve(problem, &thermometers));
  PetscCall(HeatControl(&heat, &spec, &inverse, problem));

  /* 4. The hidden truth, to compare with. */
  HgState truth;
  PetscCall(HgProblemTruth(problem, "kappa", &truth));
  PetscCall(HgStateSetField(truth, "kappa", heat.which->kappa, NULL));

  /* 5. The derivatives checked at the run's own size, if asked for; the inversion. */
  const char *reason;
  PetscCall(HgProblemCheck(problem, heat.x));
  PetscCall(HgProblemInvert(problem, &inverse, &reason));

  /* 6. What was found; digests and costs. */
  PetscCall(HeatControlReport(&spec, HgProblemGet(problem).controls, run));
  PetscCall(HgProblemDigest(problem));

  /* 7. Results, picture, run.json. */
  thermometers = HgProblemGet(problem).observations[0];
  const HgPanel hidden = {.title = "hidden diffusivity", .state = truth, .field = "kappa"},
                found = {.title = "found",
                         .state = heat.x,
                         .field = "kappa",
                         .markers = thermometers->sensors,
                         .marker_x = thermometers->x,
                         .marker_y = thermometers->y};
  const HgPanel panels[] = {hidden, found, HgRunConvergence(run)};
  PetscCall(HgProblemWrite(problem, 3, panels));

  PetscCall(HgProblemDestroy(&problem));
  PetscCall(HeatDestroy(&heat));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv,
                "heat_inverse: finds the diffusivity of a plate from noisy thermometers\n",
                heat_inverse);
}
