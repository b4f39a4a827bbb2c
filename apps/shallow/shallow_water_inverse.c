/* shallow_water_inverse: what raised the sea, or what lies on its bottom, from gauges of a tsunami.

     minimise J(m) = 1/2 sum ((eta(x_k, t_n; m) - d_kn) / sigma_kn)^2 + R(m)
     subject to nonlinear shallow water in a basin (stencils/shallow/shallow_water.h), at rest at t = 0 but
     for its surface

   -control surface: m is the surface at t = 0, the bottom is known; -control bathymetry: m is the
   log of true over charted depth, the source is known. R is Tikhonov and H1. With -twin FILE it
   makes the gauges' data instead, with noise: on a finer mesh, so that the inversion does not find
   its own errors in them. Your own sea: -topography, -length, -width, -time; your own gauges:
   -gauges (text) or -observations (HDF5).

   Sample runs:
     mpirun -n 16 shallow_water_inverse
     mpirun -n 16 shallow_water_inverse -control bathymetry
     mpirun -n 4 shallow_water_inverse -check -digest -store hdf5 -slots 20 -memory_slots 5
     mpirun -n 4 shallow_water_inverse -twin basin.h5 -nx 180 -ny 120
     mpirun -n 4 shallow_water_inverse -control bathymetry -topography chart.asc -gauges tide.csv */
#include "gauge_case.h"
#include <halograd/file.h>
#include <halograd/gauges.h>
#include <halograd/regularisation.h>
#include <halograd/results.h>

static PetscErrorCode shallow_water_inverse(void) {
  HgRun run;
  GaugeCase gauge;
  HgCommon common = {.nx = 60, .ny = 40, .slots = 100, .output = "output/shallow_water_inverse"};
  char twin[HG_PATH_SIZE] = "", gauges[HG_PATH_SIZE] = "";
  double noise = 0.05;
  int seed = 1;
  bool stop, passed = true;
  /* 1. Options. */
  PetscCall(HgRunDataPath("basin.h5", sizeof common.observations, common.observations));
  PetscCall(HgRunCreate("shallow_water_inverse",
                        "finds a tsunami's source, or the bottom of its sea, from gauges", &run));
  PetscCall(GaugeOptions(run, &gauge));
  PetscCall(HgOptionsPath(HgRunOptions(run), "-twin", "make the gauges' data: file to be written",
                          sizeof twin, twin));
  PetscCall(HgOptionsPath(HgRunOptions(run), "-gauges",
                          "text tables of gauges, names between commas; else -observations",
                          sizeof gauges, gauges));
  PetscCall(HgOptionsReal(HgRunOptions(run), "-noise",
                          "standard deviation: of -twin; of -gauges where the file gives none", "m",
                          "(0, 100]", &noise));
  PetscCall(HgOptionsInt(HgRunOptions(run), "-seed", "of the noise", "", 0, 1 << 30, &seed));
  PetscCall(HgRunInverse(run, &gauge.inverse));
  PetscCall(HgRunCommon(run, &common, &stop));
  if (stop) return HgRunDestroy(&run);
  HgRequire(PETSC_COMM_WORLD, !gauges[0] || !HgOptionsGiven(HgRunOptions(run), "-observations"),
            "options -gauges '%s' and -observations '%s': expected one of them", gauges,
            common.observations);
  HgRequire(PETSC_COMM_WORLD,
            !twin[0] || !(gauges[0] || HgOptionsGiven(HgRunOptions(run), "-observations")),
            "option -twin '%s': makes gauges, expected neither -gauges nor -observations", twin);
  if (gauges[0]) gauge.truth_known = false; /* somebody's own */
  if (twin[0]) PetscCall(HgFileCheckWrite(PETSC_COMM_WORLD, twin));
  /* 2. Mesh, program, first guess and truth. */
  PetscCall(GaugeCreate(run, &common, &gauge));
  if (twin[0]) {
    PetscCall(GaugeTwin(run, &gauge, &common, twin, noise, (uint64_t)seed));
    PetscCall(GaugeDestroy(&gauge));
    return HgRunDestroy(&run);
  }
  /* 3. Observations and misfit. */
  HgObservations *data;
  HgObjective objective;
  if (gauges[0]) PetscCall(HgGaugesRead(PETSC_COMM_WORLD, gauges, noise, &data));
  else PetscCall(HgObservationsRead(PETSC_COMM_WORLD, common.observations, "m", &data));
  PetscCall(HgObjectiveCreate(gauge.program, common.steps, &objective));
  PetscCall(HgObjectiveAddSensors(objective, data));
  /* 4. Trajectory under a revolve schedule, which stops where the water runs dry: x -> misfit. */
  HgTrajectory trajectory;
  HgOperator misfit;
  GaugeDepth depth = {.steps = common.steps};
  PetscCall(HgRunTrajectory(run, gauge.program, objective, &common, &trajectory));
  PetscCall(HgTrajectorySetWatch(trajectory, GaugeWatch, &depth));
  PetscCall(HgTrajectoryOperator(trajectory, &misfit));
  /* 5. J(m) = misfit(x(m)) + R(m). */
  HgOperator fit, regularisation, total;
  PetscCall(HgOperatorChain("misfit of m", 2, (HgOperator[]){gauge.control, misfit}, &fit));
  PetscCall(HgRegularisationCreate(
      gauge.m, &(HgRegularisation){"m", gauge.inverse.tikhonov, gauge.inverse.h1, 0},
      &regularisation));
  PetscCall(HgOperatorSum("J", 2, (HgOperator[]){fit, regularisation}, &total));
  /* 6. Only the cotangent of what is sought is wanted. Checks, at the application's own size, of what
     will run. */
  PetscCall(HgProgramSetActive(gauge.program, "f", false));
  PetscCall(HgProgramSetActive(gauge.program, "nu", false));
  PetscCall(HgProgramSetActive(gauge.program, "b", gauge.way == GAUGE_BATHYMETRY));
  if (common.check) {
    PetscCall(HgRunCheckProgram(run, gauge.program, gauge.truth, common.steps, &passed));
    PetscCall(HgRunCheck(run, gauge.control, gauge.m, 0, &passed));
    PetscCall(HgRunCheck(run, regularisation, gauge.m, 0, &passed));
    PetscCall(HgRunCheck(run, misfit, gauge.truth, 1e-11, &passed));
    PetscCall(HgRunCheck(run, total, gauge.m, 1e-11, &passed));
  }
  HgRequire(PETSC_COMM_WORLD, passed, "shallow_water_inverse: a check failed, see above");
  /* 7. What the gauges would see if the first guess were true. */
  HgState value, gradient;
  double *guess, *fitted, start, end, J;
  const size_t count = (size_t)data->times * (size_t)data->sensors;
  PetscCall(PetscMalloc2(count, &guess, count, &fitted));
  PetscCall(HgOperatorCreateGradient(total, &gradient));
  PetscCall(HgOperatorCreateOutput(total, &value));
  PetscCall(HgOperatorApply(total, gauge.m, value));
  PetscCall(HgObjectivePredicted(objective, 0, guess));
  PetscCall(HgStateRelativeError(gauge.x, gauge.truth, gauge.sought, &start));
  /* 8. Inversion. */
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  PetscCall(HgInversionCreate(total, &inversion));
  PetscCall(HgInversionSetBounds(inversion, "m", gauge.lowest, gauge.highest));
  PetscCall(HgInversionSetStop(inversion, gauge.inverse.tolerance, 0, gauge.inverse.iterations,
                               10 * gauge.inverse.iterations + 1));
  const PetscErrorCode broken =
      HgRunInvert(run, inversion, regularisation, gauge.m, &last, &reason);
  /* 9. What was found, or the last iterate before the water ran dry. */
  HgResults results;
  PetscCall(HgResultsCreate(gauge.mesh, common.output, "shallow_water_inverse",
                            "a tsunami in a basin", &results));
  PetscCall(HgOperatorApply(gauge.control, gauge.m, gauge.x));
  PetscCall(HgResultsWriteConstant(results, gauge.x, gauge.sought, "found", "what was found"));
  if (gauge.truth_known)
    PetscCall(HgResultsWriteConstant(results, gauge.truth, gauge.sought, "truth", "hidden truth"));
  else PetscCall(HgResultsWriteConstant(results, gauge.truth, "b", "chart", "bottom as charted"));
  if (broken) PetscCall(HgResultsClose(&results));
  PetscCall(broken);
  /* 10. Misfit against its expectation, error against the truth. */
  PetscCall(HgOperatorGradient(total, gauge.m, &J, gradient));
  PetscCall(HgObjectivePredicted(objective, 0, fitted));
  PetscCall(HgStateRelativeError(gauge.x, gauge.truth, gauge.sought, &end));
  PetscCall(HgRunFit(run, objective, gauge.truth_known ? start : -1, end));
  PetscCall(HgRunDigest(run, J, gradient, HgTrajectoryFinal(trajectory), common.digest));
  PetscCall(HgRunCost(run, trajectory));
  /* 11. Results, picture, run.json. */
  PetscCall(HgResultsWrite(results, (double)common.steps * common.dt, HgTrajectoryFinal(trajectory),
                           (const char *const[]){"eta", "h", "u", "v", NULL}));
  PetscCall(HgResultsClose(&results));
  PetscCall(GaugePicture(run, &common, &gauge, data, guess, fitted));
  PetscCall(HgRunFinish(run, &common, reason));
  /* 12. The end. */
  HgOperator *const operators[] = {&total, &regularisation, &fit, &misfit};
  for (int k = 0; k < 4; k++) PetscCall(HgOperatorDestroy(operators[k]));
  PetscCall(HgStateDestroy(&value));
  PetscCall(HgStateDestroy(&gradient));
  PetscCall(PetscFree2(guess, fitted));
  PetscCall(HgInversionDestroy(&inversion));
  PetscCall(HgTrajectoryDestroy(&trajectory));
  PetscCall(HgObjectiveDestroy(&objective));
  PetscCall(HgObservationsDestroy(&data));
  PetscCall(GaugeDestroy(&gauge));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(
      &argc, &argv, "shallow_water_inverse: a tsunami's source, or the bottom of its sea\n");
  if (!ierr) ierr = shallow_water_inverse();
  return HgFinalize(ierr);
}
