/* tracer_inverse: finds where a cloud of tracer was released, from sensors downstream.

     minimise J(c_0) = 1/2 sum ((c(x_k, t_n) - d_kn) / sigma)^2 + R(c_0),  c_0 >= 0
     subject to c_t + v . grad c = D lap(c) on a periodic square of 1 m, v a known swirl in a drift

   R is Tikhonov and H1. Without -observations FILE this is a twin experiment: the data come from
   the same equation on a mesh twice as fine, with noise. It shows that the inversion works, not
   that the equation describes a real cloud.

   Sample runs:
     mpirun -n 4 tracer_inverse
     mpirun -n 4 tracer_inverse -nx 30 -ny 30 -check -digest */
#include "tracer_case.h"
#include <halograd/problem.h>
#include <math.h>

static PetscErrorCode tracer_inverse(void) {
  HgRun run;
  Tracer tracer;
  HgProblem problem;
  HgObservations *data;
  HgCommon common = {.nx = 48, .ny = 48, .slots = 50};
  HgInverse inverse = {.h1 = 3, .tolerance = 1e-3, .iterations = 200};
  double sigma = 0.01;
  int seed = 1;
  bool stop;

  /* 1. Options. */
  PetscCall(HgRunCreate("tracer_inverse", "finds where a cloud of tracer was released", &run));
  const HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsGroup(o, "Tracer"));
  PetscCall(HgOptionsReal(o, "-noise", "of the twin's sensors", "kg/m^3", "(0, 1]", &sigma));
  PetscCall(HgOptionsInt(o, "-seed", "of the noise", "", 0, 1 << 30, &seed));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(HgRunCommon(run, &common, &stop));
  if (stop) return HgRunDestroy(&run);

  /* 2. Mesh, program and its input x = (c_0, vx, vy, D). */
  PetscCall(HgRunTimeStep(run, 1.0, TracerLargestStep(common.nx, common.ny), &common));
  PetscCall(TracerCreate(&common, 1, &tracer));
  PetscCall(HgReportSetMesh(HgRunReport(run), tracer.mesh));

  /* 3. J(c_0) = misfit(x) + R(c_0), c_0 >= 0. */
  const bool twin = !common.observations[0];
  if (!twin)
    PetscCall(
        HgOptionsRefuse(o, "with -observations", (const char *const[]){"-noise", "-seed", NULL}));
  if (twin) PetscCall(TracerTwin(&common, sigma, (uint64_t)seed, &data));
  else PetscCall(HgObservationsRead(PETSC_COMM_WORLD, common.observations, "kg/m^3", &data));
  PetscCall(HgProblemCreate(run, &common, tracer.program, tracer.x, &problem));
  PetscCall(HgProblemObserve(problem, &data));
  PetscCall(HgProblemControl(problem, "c", NULL));
  PetscCall(HgProblemBound(problem, "c", 0, INFINITY));
  PetscCall(HgProblemRegularise(problem,
                                &(HgRegularisation){"c", inverse.tikhonov, inverse.h1, 0, NULL}));
  PetscCall(HgProblemSetUp(problem));

  /* 4. The hidden release of a twin, to compare with. */
  HgState truth = NULL;
  if (twin) PetscCall(HgProblemTruth(problem, "c", "c_0", &truth));
  if (twin) PetscCall(HgStateSetField(truth, "c", TracerHidden, NULL));

  /* 5. Checks if asked for, inversion, what was found. */
  PetscCall(HgProblemSolve(problem, &inverse));

  /* 6. Results, picture, run.json. */
  const HgPanel end = {
      .title = "at the end, with sensors", .state = HgProblemFinal(problem), .field = "c"};
  const HgPanel panels[] = {{.title = "found", .state = tracer.x, .field = "c"},
                            HgProblemMark(problem, end),
                            {.title = "hidden release", .state = truth, .field = "c"}};
  PetscCall(HgProblemWrite(problem, twin ? 3 : 2, panels));

  PetscCall(HgProblemDestroy(&problem));
  PetscCall(TracerDestroy(&tracer));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "tracer_inverse: finds where a cloud of tracer was released\n",
                tracer_inverse);
}
