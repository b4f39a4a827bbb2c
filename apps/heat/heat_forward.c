/* SPDX-License-Identifier: BSD-2-Clause */
/* heat_forward: heats a plate and measures it.

     u_t = kappa lap(u) + exp(-decay t) f     (or div(kappa grad u)),   u = 0 at t = 0

   with the case's hidden kappa; writes the temperature over time, a picture and, with -observations
   FILE, what its sensors see, with noise.

   Sample runs:
     mpirun -n 4 heat_forward -nx 96 -ny 96
     mpirun -n 16 heat_forward -nx 96 -ny 96 -observations plate.h5 -noise 0.01
     mpirun -n 4 heat_forward -sensors 5 -noise 0.1 -observations five.h5
     mpirun -n 2 heat_forward -case exercise -nx 49 -ny 49 -observations exercise.h5 */
#include "heat_case.h"
#include <halograd/file.h>
#include <halograd/problem.h>
#include <halograd/progress.h>
#include <halograd/results.h>
#include <math.h>
#include <stdio.h>

typedef struct {
  HgResults results;
  long every; /* steps */
} Output;

static PetscErrorCode write_state(long n, double t, HgState q, void *context) {
  const Output *o = context;
  return n % o->every ? 0 : HgResultsWrite(o->results, t, q, NULL); /* not the last step */
}

static PetscErrorCode check_noise(double noise) {
  HgRequire(PETSC_COMM_WORLD, noise == 0 || isnormal(1 / (noise * noise)), HG_ERR_OPTION_RANGE,
            "option -noise: %g, expected 0, or a number that has a weight in a misfit, 1/noise^2",
            noise);
  return 0;
}

/* Thermometers with a noise relative to the largest signal; exact ones still need a scale. */
static void measure(HgObservations *o, double noise, uint64_t seed) {
  double largest = 0;
  for (int k = 0; k < o->times * o->sensors; k++) largest = fmax(largest, fabs(o->value[k]));
  for (int k = 0; k < o->times * o->sensors; k++) o->sigma[k] = largest;
  if (noise > 0) HgObservationsAddNoise(o, noise * largest, seed);
}

static PetscErrorCode heat_forward(void) {
  HgRun run;
  Heat heat;
  HgCommon common = {.nx = 96, .ny = 96, .slots = 100, .output = "output/heat_forward"};
  double noise = 0.01;
  int frames = 50, seed = 1, side = 0;

  /* 1. Options. */
  PetscCall(
      HgRunCreate("heat_forward", "heats a plate with a hidden diffusivity and measures it", &run));
  PetscCall(HeatOptions(run, &heat));
  PetscCall(HgOptionsReal(HgRunOptions(run), "-noise",
                          "noise of the sensors, as a fraction of the largest signal", "", "[0, 1]",
                          &noise));
  PetscCall(HgOptionsInt(HgRunOptions(run), "-seed", "seed of the noise", "", 0, 1 << 30, &seed));
  PetscCall(HgOptionsInt(HgRunOptions(run), "-sensors",
                         "sensors along x and along y (0: those of the case)", "", 0, 100, &side));
  PetscCall(HgOptionsInt(HgRunOptions(run), "-frames", "number of times written to the results", "",
                         1, 100000, &frames));
  PetscCall(HgRunCommon(run, &common));
  PetscCall(check_noise(noise));
  if (common.observations[0]) PetscCall(HgFileCheckWrite(PETSC_COMM_WORLD, common.observations));
  else
    PetscCall(HgOptionsRefuse(HgRunOptions(run), "without -observations",
                              (const char *const[]){"-noise", "-seed", NULL}));

  /* 2. Mesh, program and initial state; the diffusivity is the case's own. */
  PetscCall(HeatCreate(run, &common, &heat));
  PetscCall(HgStateSetField(heat.x, "kappa", heat.which->kappa, NULL));

  /* 3. Sensors: J is half the sum of squares of what they see. */
  HgProblem problem;
  HgObservations *seen;
  PetscCall(HeatSensors(&heat, (double)common.steps * common.dt, side, &seen));
  PetscCall(HgProblemCreate(run, &common, heat.program, heat.x, &problem));
  PetscCall(HgProblemObserve(problem, &seen));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(HgProblemCheck(problem, heat.x));
  PetscCall(HgOptionsCheckUnused(HgRunOptions(run)));

  /* 4. The run, results as it goes. */
  const HgTrajectory trajectory = HgProblemGet(problem).trajectory;
  Output output = {NULL, PetscMax(1L, common.steps / frames)};
  double J;
  PetscCall(
      HgResultsCreate(heat.mesh, common.output, "heat_forward", heat.which->text, &output.results));
  PetscCall(HgResultsWriteConstant(output.results, heat.x, "kappa", NULL, "diffusivity"));
  PetscCall(HgProgressShow(trajectory));
  PetscCall(HgTrajectoryWatch(trajectory, heat.x, output.every, write_state, &output, &J));
  PetscCall(HgResultsClose(&output.results));

  /* 5. What the sensors saw. */
  seen = HgProblemGet(problem).observations[0];
  PetscCall(HgObjectivePredicted(HgProblemGet(problem).objective, 0, seen->value));
  measure(seen, noise, (uint64_t)seed);
  if (common.observations[0])
    PetscCall(HgObservationsWrite(PETSC_COMM_WORLD, common.observations, seen,
                                  (HgNote[]){{"case", heat.which->name}, {NULL, NULL}}));

  /* 6. Gradient and digests if asked for, picture, report. */
  if (common.digest) PetscCall(HgProblemDigest(problem));
  const HgState final = HgProblemGet(problem).final;
  const HgPanel kappa = {.title = "diffusivity", .state = heat.x, .field = "kappa"},
                warm = {.title = "temperature at the end",
                        .state = final,
                        .field = "u",
                        .markers = seen->sensors,
                        .marker_x = seen->x,
                        .marker_y = seen->y};
  const HgPanel panels[] = {kappa, warm};
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, common.output, "heat_forward", 2, panels));
  PetscCall(HgReportSetReal(HgRunReport(run), "J", J));
  PetscCall(HgRunFinish(run, &common, "completed"));

  PetscCall(HgProblemDestroy(&problem));
  PetscCall(HeatDestroy(&heat));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "heat_forward: heats a plate and measures it\n", heat_forward);
}
