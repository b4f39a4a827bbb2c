/* tracer_inverse: finds where a cloud of tracer was released, from sensors downstream.

     minimise J(c_0) = 1/2 sum ((c(x_k, t_n) - d_kn) / sigma)^2 + R(c_0),  c_0 >= 0
     subject to c_t + v . grad c = D lap(c) on a periodic square of 1 m, v a known swirl in a drift

   R is Tikhonov and H1. Without -observations FILE this is a twin experiment: the data come from
   the
   same equation on a mesh twice as fine, with noise. It shows that the inversion works, not that
   the
   equation describes a real cloud.

   Sample runs:
     mpirun -n 4 tracer_inverse
     mpirun -n 4 tracer_inverse -nx 30 -ny 30 -check -digest */
#include "tracer_case.h"
#include <halograd/control.h>
#include <halograd/picture.h>
#include <halograd/regularisation.h>
#include <halograd/results.h>
#include <math.h>

static PetscErrorCode tracer_inverse(void) {
  HgRun run;
  HgCommon common = {.nx = 48, .ny = 48, .slots = 50, .output = "output/tracer_inverse"};
  HgInverse inverse = {.h1 = 3, .tolerance = 1e-3, .iterations = 200};
  double sigma = 0.01;
  int seed = 1;
  bool stop, passed = true;
  /* 1. Options. */
  PetscCall(HgRunCreate("tracer_inverse", "finds where a cloud of tracer was released", &run));
  HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsGroup(o, "Tracer"));
  PetscCall(HgOptionsReal(o, "-noise", "of the twin's sensors", "kg/m^3", "(0, 1]", &sigma));
  PetscCall(HgOptionsInt(o, "-seed", "of the noise", "", 0, 1 << 30, &seed));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(HgRunCommon(run, &common, &stop));
  if (stop) return HgRunDestroy(&run);
  const bool twin = !common.observations[0];
  /* 2. Mesh, program and input. */
  Tracer tracer;
  PetscCall(HgRunTimeStep(run, 1.0, TracerLargestStep(common.nx, common.ny), &common));
  PetscCall(TracerCreate(&common, 1, &tracer));
  PetscCall(HgReportSetMesh(HgRunReport(run), tracer.mesh));
  /* 3. Observations, misfit, trajectory x = (c_0, vx, vy, D) -> misfit. */
  HgObservations *data;
  HgObjective objective;
  HgTrajectory trajectory;
  HgOperator misfit, controls, fit, regularisation, total;
  if (twin) PetscCall(TracerTwin(&common, sigma, (uint64_t)seed, &data));
  else PetscCall(HgObservationsRead(PETSC_COMM_WORLD, common.observations, "kg/m^3", &data));
  PetscCall(HgObjectiveCreate(tracer.program, common.steps, &objective));
  PetscCall(HgObjectiveAddSensors(objective, data));
  PetscCall(HgRunTrajectory(run, tracer.program, objective, &common, &trajectory));
  PetscCall(HgTrajectoryOperator(trajectory, &misfit));
  /* 4. The control c_0 and J(c_0) = misfit(x(c_0)) + R(c_0). */
  HgState m, gradient, truth;
  PetscCall(HgControlCreate(tracer.x, 1, &(HgControl){"c", NULL}, &controls));
  PetscCall(HgOperatorCreateInput(controls, &m));
  PetscCall(HgOperatorChain("misfit of c_0", 2, (HgOperator[]){controls, misfit}, &fit));
  PetscCall(HgRegularisationCreate(m, &(HgRegularisation){"c", inverse.tikhonov, inverse.h1, 0},
                                   &regularisation));
  PetscCall(HgOperatorSum("J", 2, (HgOperator[]){fit, regularisation}, &total));
  PetscCall(HgOperatorCreateGradient(total, &gradient));
  /* 5. Only the cotangent of c_0 is wanted. Checks, around the velocity and diffusivity in use. */
  for (int k = 0; k < 3; k++)
    PetscCall(HgProgramSetActive(tracer.program, (const char *[]){"vx", "vy", "D"}[k], false));
  if (common.check) {
    PetscCall(HgRunCheckProgram(run, tracer.program, tracer.x, common.steps, &passed));
    PetscCall(HgRunCheck(run, misfit, tracer.x, 1e-11, &passed));
    PetscCall(HgRunCheck(run, total, m, 1e-11, &passed));
  }
  HgRequire(PETSC_COMM_WORLD, passed, "tracer_inverse: a check failed, see above");
  /* 6. Inversion. */
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  PetscCall(HgInversionCreate(total, &inversion));
  PetscCall(HgInversionSetBounds(inversion, "c", 0, INFINITY));
  PetscCall(HgInversionSetStop(inversion, inverse.tolerance, 0, inverse.iterations,
                               10 * inverse.iterations + 1));
  PetscCall(HgRunInvert(run, inversion, regularisation, m, &last, &reason));
  /* 7. What was found: J, misfit against its expectation, of a twin also the error. */
  double J, ratio, error = 0;
  PetscCall(HgStateDuplicate(m, &truth));
  PetscCall(HgStateSetField(truth, "c", TracerHidden, NULL));
  PetscCall(HgOperatorGradient(total, m, &J, gradient));
  PetscCall(HgObjectiveValue(objective, &ratio, NULL));
  ratio /= HgObjectiveCount(objective) / 2;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "misfit / expectation %.4f\n", ratio));
  PetscCall(HgReportSetReal(HgRunReport(run), "misfit_ratio", ratio));
  if (twin) {
    PetscCall(HgStateRelativeError(m, truth, "c", &error));
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "error of c_0 1 -> %.4f (first guess -> found)\n", error));
    PetscCall(HgReportSetReal(HgRunReport(run), "error_start", 1)); /* of c_0 = 0 */
    PetscCall(HgReportSetReal(HgRunReport(run), "error_end", error));
  }
  PetscCall(HgRunDigest(run, J, gradient, HgTrajectoryFinal(trajectory), common.digest));
  PetscCall(HgRunCost(run, trajectory));
  /* 8. Results, picture, run.json. */
  HgResults results;
  const HgState final = HgTrajectoryFinal(trajectory);
  PetscCall(
      HgResultsCreate(tracer.mesh, common.output, "tracer_inverse", "a cloud of tracer", &results));
  PetscCall(HgResultsWriteConstant(results, m, "c", "c_0", "release found"));
  if (twin) PetscCall(HgResultsWriteConstant(results, truth, "c", "c_0_truth", "hidden release"));
  PetscCall(HgResultsWrite(results, (double)common.steps * common.dt, final, NULL));
  PetscCall(HgResultsClose(&results));
  const HgPanel panels[3] = {{.title = "found", .state = m, .field = "c"},
                             {.title = "at the end, with sensors",
                              .state = final,
                              .field = "c",
                              .markers = data->sensors,
                              .marker_x = data->x,
                              .marker_y = data->y},
                             {.title = "hidden release", .state = truth, .field = "c"}};
  PetscCall(
      HgPictureWrite(PETSC_COMM_WORLD, common.output, "tracer_inverse", twin ? 3 : 2, panels));
  PetscCall(HgRunFinish(run, &common, reason));
  /* 9. The end. */
  HgOperator *const operators[] = {&total, &regularisation, &fit, &controls, &misfit};
  for (int k = 0; k < 5; k++) PetscCall(HgOperatorDestroy(operators[k]));
  HgState *const states[] = {&m, &gradient, &truth};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(states[k]));
  PetscCall(HgInversionDestroy(&inversion));
  PetscCall(HgTrajectoryDestroy(&trajectory));
  PetscCall(HgObjectiveDestroy(&objective));
  PetscCall(HgObservationsDestroy(&data));
  PetscCall(TracerDestroy(&tracer));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr =
      HgInitialize(&argc, &argv, "tracer_inverse: finds where a cloud of tracer was released\n");
  if (!ierr) ierr = tracer_inverse();
  return HgFinalize(ierr);
}
