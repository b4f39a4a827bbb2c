/* tohoku_inverse: what raised the sea on 11 March 2011, from four gauges on the floor of the Pacific.

     minimise J(m) = 1/2 sum ((eta(x_k, t_n; m) - d_kn) / sigma_k)^2 + R(m)
     subject to the linear long-wave equations on the sphere (stencils/tsunami/tsunami.h), from rest

   m is the surface at the start, in a box east of Japan; R wants it smooth where there is water, and
   small far from the epicentre. docs/tsunami.md tells what comes out, and what four gauges cannot
   see. Your own sea: -topography -west -south -cell -nx -ny, -gauges, -windows, -box_west ...

   Sample runs:
     mpirun -n 4 tohoku_inverse
     mpirun -n 4 tohoku_inverse -leave_out 21413
     mpirun -n 4 tohoku_inverse -check -digest -iterations 5 */
#include "tohoku_picture.h"
#include "tohoku_source.h"
#include <halograd/results.h>

static PetscErrorCode tohoku_inverse(void) {
  HgRun run;
  TohokuSea sea;
  TohokuGauges gauges;
  TohokuSource source;
  HgProblem problem;
  HgCommon common = {
      .nx = 251, .ny = 231, .dt = 12, .steps = 545, .slots = 1, .output = "output/tohoku_inverse"};
  HgInverse inverse = {
      .tikhonov = 4e-9, .h1 = 2, .tolerance = 3e-4, .iterations = 100, .pairs = 20};
  bool stop;

  /* 1. Options. */
  PetscCall(
      HgRunCreate("tohoku_inverse", "finds a tsunami's source from ocean-bottom gauges", &run));
  PetscCall(TohokuSeaOptions(run, &sea));
  PetscCall(TohokuGaugesOptions(run, &gauges));
  PetscCall(TohokuSourceOptions(run, &source));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(HgRunCommon(run, &common, &stop));
  if (stop) return HgRunDestroy(&run);

  /* 2. The sea, its gauges, where the source may be. */
  HgObservations *readings;
  PetscCall(TohokuSeaCreate(run, &common, &sea));
  PetscCall(TohokuGaugesRead(&sea, &common, &gauges, &readings));
  PetscCall(TohokuSourceCreate(&sea, &source));

  /* 3. J(m) = misfit(x(m)) + R(m). */
  const size_t count = (size_t)readings->times * (size_t)readings->sensors;
  PetscCall(HgProblemCreate(run, &common, sea.program, sea.x, &problem));
  PetscCall(HgProblemObserve(problem, &readings));
  PetscCall(TohokuSourceSeek(&source, &inverse, problem));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(HgProblemCheck(problem, sea.x));

  /* 4. The inversion, from a sea at rest. */
  const char *reason;
  PetscCall(HgProblemInvert(problem, &inverse, &reason));
  PetscCall(HgProblemFit(problem));

  /* 5. What was found: each gauge, the size of the source; digests and costs. */
  double *fitted, ratio;
  readings = HgProblemObservations(problem, 0);
  PetscCall(PetscMalloc1(count, &fitted));
  PetscCall(HgObjectivePredicted(HgProblemObjective(problem), 0, fitted));
  PetscCall(TohokuGaugesFit(run, &gauges, readings, fitted, &ratio));
  PetscCall(TohokuSourceTell(run, sea.x, "source"));
  PetscCall(HgProblemDigest(problem));

  /* 6. Results, picture, run.json. */
  HgResults results;
  PetscCall(HgResultsCreate(sea.mesh, common.output, "tohoku_inverse", "tsunami", &results));
  PetscCall(HgResultsWriteConstant(results, sea.floor, "b", NULL, "elevation"));
  PetscCall(HgResultsWriteConstant(results, sea.x, "eta", "source", "surface found at the start"));
  PetscCall(HgResultsWrite(results, (double)common.steps * common.dt, HgProblemFinal(problem),
                           (const char *const[]){"eta", NULL}));
  PetscCall(HgResultsClose(&results));
  PetscCall(TohokuPicture(run, &common, &sea, &gauges, problem, fitted));
  PetscCall(HgRunFinish(run, &common, reason));

  PetscCall(PetscFree(fitted));
  PetscCall(HgProblemDestroy(&problem));
  PetscCall(TohokuSourceDestroy(&source));
  PetscCall(TohokuGaugesDestroy(&gauges));
  PetscCall(TohokuSeaDestroy(&sea));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "tohoku_inverse: a tsunami's source from ocean-bottom gauges\n",
                tohoku_inverse);
}
