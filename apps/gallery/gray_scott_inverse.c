/* gray_scott_inverse: finds where a reaction is fed, the field F(x, y), from sensors that see v;
   the kernels are gray_scott.stencil's. A twin: the data come from a hidden F, with noise.

   Sample run: mpirun -n 2 gray_scott_inverse -check */
#include "gray_scott.h"
#include <halograd/problem.h>
#include <halograd/twin.h>
#include <math.h>

enum { SIDE = 12, TIMES = 6 };

static double seed(double x, double y) { return exp(-pow(hypot(x - 24, y - 24), 2) / 60); }

static double first_u(double x, double y, void *unused) { return (void)unused, 1 - seed(x, y) / 2; }

static double first_v(double x, double y, void *unused) { return (void)unused, 0.4 * seed(x, y); }

static double hidden(double x, double y, void *unused) {
  return (void)unused, 0.036 + 0.012 * sin(PETSC_PI * x / 24) * cos(PETSC_PI * y / 24);
}

static PetscErrorCode gray_scott_inverse(void) {
  HgCommon common = {.nx = 48, .ny = 48, .slots = 60, .output = "output/gray_scott_inverse"};
  HgInverse inverse = {.h1 = 1e5, .tolerance = 1e-3, .iterations = 100};
  HgMesh mesh;
  HgObservations *data;
  HgProblem problem;
  HgProgram program;
  HgRun run;
  HgState x, truth;
  bool stop;
  const char *reason, *constants[] = {"Du", "Dv", "K", "F"};
  const double values[] = {0.16, 0.08, 0.06, 0.036};
  PetscCall(HgRunCreate("gray_scott_inverse", "where a reaction is fed", &run));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(HgRunCommon(run, &common, &stop));
  if (stop) return HgRunDestroy(&run);
  PetscCall(HgRunTimeStep(run, 300, 1, &common));
  const HgMeshSpec spec = {.nx = common.nx,
                           .ny = common.ny,
                           .px = common.px,
                           .py = common.py,
                           .dx = 1,
                           .dy = 1,
                           .periodic_x = true,
                           .periodic_y = true};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "gray_scott", common.dt, &program));
  PetscCall(HgProgramAddStencil(program, &gray_scott, NULL));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramCreateInput(program, &x));
  PetscCall(HgStateSetField(x, "u", first_u, NULL));
  PetscCall(HgStateSetField(x, "v", first_v, NULL));
  for (int k = 0; k < 4; k++) PetscCall(HgStateSetConstant(x, constants[k], values[k]));
  PetscCall(HgStateSetField(x, "F", hidden, NULL));
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "v", "1", TIMES, SIDE * SIDE, &data));
  for (int k = 0; k < SIDE * SIDE; k++) {
    data->x[k] = (k % SIDE + 0.5) * (common.nx - 1) / SIDE;
    data->y[k] = (k / SIDE + 0.5) * (common.ny - 1) / SIDE;
  }
  for (int n = 0; n < TIMES; n++)
    data->time[n] = (double)common.steps * common.dt * (n + 1) / TIMES;
  PetscCall(HgTwinObserve(program, common.steps, x, data));
  HgObservationsAddNoise(data, 0.005, 1);
  PetscCall(HgStateSetConstant(x, "F", values[3]));
  PetscCall(HgProblemCreate(run, &common, program, x, &problem));
  PetscCall(HgProblemObserve(problem, &data));
  PetscCall(HgProblemControl(problem, "F", NULL));
  PetscCall(HgProblemBound(problem, "F", 0.01, 0.08));
  PetscCall(HgProblemRegularise(problem, &(HgRegularisation){"F", 0, inverse.h1, values[3], NULL}));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(HgProblemTruth(problem, "F", NULL, &truth));
  PetscCall(HgStateSetField(truth, "F", hidden, NULL));
  PetscCall(HgProblemCheck(problem, x));
  PetscCall(HgProblemInvert(problem, &inverse, &reason));
  PetscCall(HgProblemFit(problem));
  PetscCall(HgProblemDigest(problem));
  const HgPanel panels[] = {
      {.title = "F found", .state = x, .field = "F"},
      {.title = "hidden F", .state = truth, .field = "F"},
      {.title = "v at the end", .state = HgProblemFinal(problem), .field = "v"}};
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, common.output, "gray_scott_inverse", 3, panels));
  PetscCall(HgRunFinish(run, &common, reason));
  PetscCall(HgProblemDestroy(&problem));
  PetscCall(HgStateDestroy(&x));
  PetscCall(HgProgramDestroy(&program));
  PetscCall(HgMeshDestroy(&mesh));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "gray_scott_inverse: where a reaction is fed\n");
  return HgFinalize(ierr ? ierr : gray_scott_inverse());
}
