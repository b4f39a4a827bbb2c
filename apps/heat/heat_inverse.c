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
#include <halograd/picture.h>
#include <halograd/results.h>

static PetscErrorCode heat_inverse(void) {
  HgRun run;
  Heat heat;
  HgCommon common = {.nx = 32, .ny = 32, .slots = 100, .output = "output/heat_inverse"};
  HgInverse inverse = {.h1 = 30, .tolerance = 3e-3, .iterations = 100};
  HeatControlSpec spec = {.coarse = {8, 8}, .net = {.layers = 3, .width = {20, 20, 20}}, .seed = 1};
  bool stop, passed = true;
  /* 1. Options. */
  PetscCall(HgRunDataPath("plate.h5", sizeof common.observations, common.observations));
  PetscCall(
      HgRunCreate("heat_inverse", "finds the diffusivity of a plate from thermometers", &run));
  PetscCall(HeatOptions(run, &heat));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(HeatControlOptions(run, &spec));
  PetscCall(HgRunCommon(run, &common, &stop));
  if (stop) return HgRunDestroy(&run);
  /* 2. Mesh, program, initial state with the first guess of kappa. */
  PetscCall(HeatCreate(run, &common, &heat));
  /* 3. Observations and misfit. */
  HgObservations *observations;
  HgObjective objective;
  PetscCall(HgObservationsRead(PETSC_COMM_WORLD, common.observations, "K", &observations));
  PetscCall(HgObjectiveCreate(heat.program, common.steps, &objective));
  PetscCall(HgObjectiveAddSensors(objective, observations));
  /* 4. Trajectory under a revolve schedule: x = (u_0, kappa, f) -> misfit. */
  HgTrajectory trajectory;
  HgOperator misfit;
  PetscCall(HgRunTrajectory(run, heat.program, objective, &common, &trajectory));
  PetscCall(HgTrajectoryOperator(trajectory, &misfit));
  /* 5. Controls m -> x and J(m) = misfit(x(m)) + R(m). */
  HeatControl control;
  HgOperator total;
  PetscCall(HeatControlCreate(&heat, &spec, &inverse, &control));
  PetscCall(HeatControlObjective(&control, misfit, &total));
  const HgOperator regularisation = control.regularisation;
  /* 6. Nobody needs the source's cotangent. Checks, at the application's own size, of what will run. */
  PetscCall(HgProgramSetActive(heat.program, "f", false));
  if (common.check) {
    PetscCall(HgRunCheckProgram(run, heat.program, heat.x, common.steps, &passed));
    PetscCall(HgRunCheck(run, control.op, control.m, 0, &passed));
    if (regularisation) PetscCall(HgRunCheck(run, regularisation, control.m, 0, &passed));
    PetscCall(HgRunCheck(run, misfit, heat.x, 1e-11, &passed));
    PetscCall(HgRunCheck(run, total, control.m, 1e-11, &passed));
  }
  HgRequire(PETSC_COMM_WORLD, passed, "heat_inverse: a check failed, see above");
  /* 7. Inversion with bounds that keep the step stable. */
  HgInversion inversion;
  HgIterate last;
  HgState truth, gradient;
  const char *reason;
  double start, end, J;
  PetscCall(HgStateDuplicate(heat.x, &truth));
  PetscCall(HgStateSetField(truth, "kappa", heat.which->kappa, NULL));
  PetscCall(HgOperatorApply(control.op, control.m, heat.x));
  PetscCall(HgStateRelativeError(heat.x, truth, "kappa", &start));
  PetscCall(HgInversionCreate(total, &inversion));
  PetscCall(HgInversionSetBounds(inversion, control.name, control.lowest, control.highest));
  PetscCall(HgInversionSetStop(inversion, inverse.tolerance, 0, inverse.iterations,
                               10 * inverse.iterations + 1));
  PetscCall(HgRunInvert(run, inversion, regularisation, control.m, &last, &reason));
  /* 8. What was found: misfit against its expectation, error against the hidden truth. */
  PetscCall(HgOperatorCreateGradient(total, &gradient));
  PetscCall(HgOperatorGradient(total, control.m, &J, gradient));
  PetscCall(HgOperatorApply(control.op, control.m, heat.x));
  PetscCall(HgStateRelativeError(heat.x, truth, "kappa", &end));
  PetscCall(HgRunFit(run, objective, start, end));
  PetscCall(HeatControlReport(&control, run));
  PetscCall(HgRunDigest(run, J, gradient, HgTrajectoryFinal(trajectory), common.digest));
  PetscCall(HgRunCost(run, trajectory));
  /* 9. Results, picture, run.json. */
  HgResults results;
  const HgState final = HgTrajectoryFinal(trajectory);
  PetscCall(HgResultsCreate(heat.mesh, common.output, "heat_inverse", heat.which->text, &results));
  PetscCall(HgResultsWriteConstant(results, heat.x, "kappa", NULL, "diffusivity found"));
  PetscCall(HgResultsWriteConstant(results, truth, "kappa", "kappa_truth", "hidden diffusivity"));
  PetscCall(HgResultsWrite(results, (double)common.steps * common.dt, final, NULL));
  PetscCall(HgResultsClose(&results));
  HgCurve curves[2] = {{.label = "J"}, {.label = "misfit"}};
  const int count = HgRunHistory(run, &curves[0].x, &curves[0].y, &curves[1].y);
  curves[0].count = curves[1].count = count, curves[1].x = curves[0].x;
  const HgPanel panels[3] = {{.title = "hidden diffusivity", .state = truth, .field = "kappa"},
                             {.title = "found",
                              .state = heat.x,
                              .field = "kappa",
                              .markers = observations->sensors,
                              .marker_x = observations->x,
                              .marker_y = observations->y},
                             {.title = "convergence",
                              .x_label = "iteration",
                              .y_label = "J",
                              .log_y = true,
                              .curves = 2,
                              .curve = curves}};
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, common.output, "heat_inverse", 3, panels));
  PetscCall(HgRunFinish(run, &common, reason));
  /* 10. The end. */
  PetscCall(HgOperatorDestroy(&total));
  PetscCall(HgOperatorDestroy(&misfit));
  PetscCall(HgStateDestroy(&truth));
  PetscCall(HgStateDestroy(&gradient));
  PetscCall(HeatControlDestroy(&control));
  PetscCall(HgInversionDestroy(&inversion));
  PetscCall(HgTrajectoryDestroy(&trajectory));
  PetscCall(HgObjectiveDestroy(&objective));
  PetscCall(HgObservationsDestroy(&observations));
  PetscCall(HeatDestroy(&heat));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(
      &argc, &argv, "heat_inverse: finds the diffusivity of a plate from noisy thermometers\n");
  if (!ierr) ierr = heat_inverse();
  return HgFinalize(ierr);
}
