/* heat_inverse: finds the diffusivity of a plate from noisy thermometers.

     minimise J(m) = 1/2 sum ((u(x_k, t_n; kappa(m)) - d_kn) / sigma_kn)^2 + R(m)
     subject to u_t = kappa lap(u) + exp(-decay t) f,  u = 0 at t = 0

   kappa = exp(m) (-parametrise log), m itself (field) or a + b x + c y (affine); R is Tikhonov and
   H1.

   Sample runs:
     mpirun -n 16 heat_inverse
     mpirun -n 4 heat_inverse -check -digest -store hdf5 -slots 20
     mpirun -n 2 heat_inverse -case exercise -parametrise affine -nx 49 -ny 49 -observations
     exercise.h5 */
#include "heat_case.h"
#include <halograd/control.h>
#include <halograd/parametrisation.h>
#include <halograd/picture.h>
#include <halograd/regularisation.h>
#include <halograd/results.h>
#include <math.h>
enum { LOG, FIELD, AFFINE };
/* ||kappa - truth|| / ||truth|| */
static PetscErrorCode relative_error(HgState x, HgState truth, double *error) {
  int k;
  HgState difference;
  double square, whole;
  PetscCall(HgStateIndex(x, "kappa", &k));
  PetscCall(HgStateDuplicate(truth, &difference));
  PetscCall(HgStateCopyVariable(x, k, difference, 0));
  PetscCall(HgStateAXPY(difference, -1, truth));
  PetscCall(HgStateDot(difference, difference, &square));
  PetscCall(HgStateDot(truth, truth, &whole));
  *error = sqrt(square / whole);
  return HgStateDestroy(&difference);
}
static PetscErrorCode heat_inverse(void) {
  static const char *const ways[] = {"log", "field", "affine"};
  HgRun run;
  Heat heat;
  HgCommon common = {.nx = 32, .ny = 32, .slots = 100, .output = "output/heat_inverse"};
  int way = LOG, iterations = 100;
  double tikhonov = 0, h1 = 30, tolerance = 3e-3;
  bool stop;
  /* 1. Options. */
  PetscCall(HgRunDataPath("plate.h5", sizeof common.observations, common.observations));
  PetscCall(HgRunCreate("heat_inverse", "finds the diffusivity of a plate from noisy thermometers",
                        &run));
  PetscCall(HeatOptions(run, &heat));
  PetscCall(HgOptionsGroup(HgRunOptions(run), "Inversion"));
  PetscCall(HgOptionsChoice(HgRunOptions(run), "-parametrise",
                            "kappa = exp(m), m, or a + b x + c y", 3, ways, &way));
  PetscCall(HgOptionsReal(HgRunOptions(run), "-tikhonov", "weight of |m - m_0|^2 / 2", "",
                          "[0, inf)", &tikhonov));
  PetscCall(
      HgOptionsReal(HgRunOptions(run), "-h1", "weight of |grad m|^2 / 2", "", "[0, inf)", &h1));
  PetscCall(HgOptionsReal(HgRunOptions(run), "-tolerance", "of |g| relative to the first one", "",
                          "[0, 1)", &tolerance));
  PetscCall(HgOptionsInt(HgRunOptions(run), "-iterations", "at most", "", 0, 1000000, &iterations));
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
  /* 5. Controls m -> x, regularisation, and J(m) = misfit(x(m)) + R(m). */
  HgOperator parametrisation = NULL, controls, parts[2], data, regularisation = NULL, total;
  HgState m, gradient;
  const double guess = heat.which->guess, low = heat.which->lowest, high = heat.which->highest;
  if (way == LOG)
    PetscCall(HgParametrisationLog(heat.mesh, "m", "kappa", "m^2/s", &parametrisation));
  if (way == AFFINE)
    PetscCall(HgParametrisationAffine(heat.mesh, "theta", "kappa", "m^2/s", &parametrisation));
  PetscCall(HgControlCreate(heat.x, 1, &(HgControl){"kappa", parametrisation}, &controls));
  PetscCall(HgOperatorCreateInput(controls, &m));
  PetscCall(HgOperatorCreateInput(controls, &gradient));
  for (int k = 0; way == AFFINE && k < 3; k++) HgStateArray(m, 0)[k] = heat.which->affine[k];
  if (way != AFFINE)
    PetscCall(HgStateSetConstant(m, HgStateVariable(m, 0)->name, way == LOG ? log(guess) : guess));
  PetscCall(HgOperatorChain("misfit of controls", 2, (HgOperator[]){controls, misfit}, &data));
  parts[0] = data;
  if (way != AFFINE) {
    const HgRegularisation weights = {HgStateVariable(m, 0)->name, tikhonov, h1,
                                      way == LOG ? log(guess) : guess};
    PetscCall(HgRegularisationCreate(m, &weights, &regularisation));
    parts[1] = regularisation;
  }
  PetscCall(HgOperatorSum("J", regularisation ? 2 : 1, parts, &total));
  /* 6. Checks of the application's own operators at its own size. */
  bool passed = true;
  if (common.check) {
    HgOperator step;
    PetscCall(HgProgramOperator(heat.program, 0, &step));
    PetscCall(HgRunCheck(run, step, heat.x, 0, &passed));
    PetscCall(HgRunCheck(run, controls, m, 0, &passed));
    if (regularisation) PetscCall(HgRunCheck(run, regularisation, m, 0, &passed));
    PetscCall(HgRunCheck(run, misfit, heat.x, 1e-11, &passed));
    PetscCall(HgRunCheck(run, total, m, 1e-11, &passed));
    PetscCall(HgOperatorDestroy(&step));
  }
  HgRequire(PETSC_COMM_WORLD, passed, "heat_inverse: a check failed, see above");
  /* 7. Inversion with bounds that keep the explicit step stable. */
  PetscCall(HgProgramSetActive(heat.program, "f",
                               false)); /* the source is known: nobody needs its cotangent */
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  HgState truth;
  double start, end, J;
  PetscCall(HgStateCreate(heat.mesh, 1, &(HgVariable){"kappa", "m^2/s", HG_FIELD, 0}, &truth));
  PetscCall(HgStateSetField(truth, "kappa", heat.which->kappa, NULL));
  PetscCall(HgOperatorApply(controls, m, heat.x));
  PetscCall(relative_error(heat.x, truth, &start));
  PetscCall(HgInversionCreate(total, &inversion));
  if (way != AFFINE)
    PetscCall(HgInversionSetBounds(inversion, HgStateVariable(m, 0)->name,
                                   way == LOG ? log(low) : low, way == LOG ? log(high) : high));
  PetscCall(HgInversionSetStop(inversion, tolerance, 0, iterations, 10 * iterations + 1));
  PetscCall(HgRunInvert(run, inversion, regularisation, m, &last, &reason));
  /* 8. What was found: J, misfit against its expectation, error against the hidden truth. */
  PetscCall(HgOperatorGradient(total, m, &J, gradient));
  PetscCall(HgOperatorApply(controls, m, heat.x));
  PetscCall(relative_error(heat.x, truth, &end));
  double fit;
  PetscCall(HgObjectiveValue(objective, &fit, NULL));
  fit /= HgObjectiveCount(objective) / 2;
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD,
                  "misfit / expectation %.4f, error of kappa %.4f -> %.4f (first guess -> found)\n",
                  fit, start, end));
  if (way == AFFINE)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "kappa = %.9f + %.9f x + %.9f y\n",
                          HgStateArray(m, 0)[0], HgStateArray(m, 0)[1], HgStateArray(m, 0)[2]));
  if (way == AFFINE) PetscCall(HgReportSetReals(HgRunReport(run), "theta", 3, HgStateArray(m, 0)));
  PetscCall(HgReportSetReal(HgRunReport(run), "misfit_ratio", fit));
  PetscCall(HgReportSetReal(HgRunReport(run), "error_start", start));
  PetscCall(HgReportSetReal(HgRunReport(run), "error_end", end));
  PetscCall(HgRunDigest(run, J, gradient, HgTrajectoryFinal(trajectory), common.digest));
  PetscCall(HgRunCost(run, trajectory));
  /* 9. Results, picture, run.json. */
  HgResults results;
  PetscCall(HgResultsCreate(heat.mesh, common.output, "heat_inverse", heat.which->text, &results));
  PetscCall(HgResultsWriteConstant(results, heat.x, "kappa", NULL, "diffusivity found"));
  PetscCall(HgResultsWriteConstant(results, truth, "kappa", "kappa_truth", "hidden diffusivity"));
  PetscCall(HgResultsWrite(results, (double)common.steps * common.dt, HgTrajectoryFinal(trajectory),
                           NULL));
  PetscCall(HgResultsClose(&results));
  const double *iteration, *history, *misfits;
  const int count = HgRunHistory(run, &iteration, &history, &misfits);
  const HgCurve curves[2] = {{"J", count, iteration, history},
                             {"misfit", count, iteration, misfits}};
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
  HgOperator *const operators[] = {&total,    &regularisation,  &data,
                                   &controls, &parametrisation, &misfit};
  for (int k = 0; k < 6; k++) PetscCall(HgOperatorDestroy(operators[k]));
  HgState *const states[] = {&m, &gradient, &truth};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(states[k]));
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
