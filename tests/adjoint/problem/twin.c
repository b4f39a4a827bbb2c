/* Claim: a problem of a physics is the one put together by hand: its model holds what was given and
   its twin's data are what the sensors see of the hidden truth, with noise; a step that is too long
   for a value that a variable may get is refused, and so is what cannot be given. */
#include "claim.h"
#include "refusal.h"
#include <halograd/heat.h>
#include <halograd/problem.h>
#include <math.h>

static const HgMeshSpec spec = {.x0 = 0.05, .y0 = 0.05, .dx = 0.1, .dy = 0.1};
static const HgSensors sensors = {"u", 3, 2, .times = 4, .from = 0.002, .sigma = 0.01, .seed = 5};

static double first(double x, double y) { return 1 + x * y; }

static double hidden(double x, double y) { return 1.5 + 0.5 * x - 0.25 * y; }

/* kappa is 1, but may get `most`. */
static PetscErrorCode model_of(HgRun run, const HgCommon *common, double most, HgModel *model) {
  const HgGiven given[] = {
      {"u", .field = first}, {"kappa", 1, .least = 0.5, .most = most}, {.variable = NULL}};
  return HgModelCreate(run, common, &spec, &hg_heat_physics, NULL, given, model);
}

static PetscErrorCode refusals(HgRun run, HgCommon *common) {
  const double largest = HgHeatLargestStep(2, 0.1, 0.1);
  const HgGiven unknown[] = {{"w", .value = 1}, {.variable = NULL}};
  HgModel model;
  common->dt = largest;
  PetscCall(model_of(run, common, 2, &model));
  PetscCall(HgModelDestroy(&model));
  REFUSED(model_of(run, common, 2.01, &model), "beyond the stability limit", "at most");
  claim_that(!model.mesh && !model.program && !model.x, "nothing is left of a refused model");
  REFUSED(model_of(run, common, 0.4, &model), "'kappa'", "least 0.5 is above most 0.4");
  const HgGiven twice[] = {{"u", .value = 1}, {"u", .value = 2}, {.variable = NULL}};
  REFUSED(HgModelCreate(run, common, &spec, &hg_heat_physics, NULL, unknown, &model), "'w'");
  REFUSED(HgModelCreate(run, common, &spec, &hg_heat_physics, NULL, twice, &model), "'u'", "twice");
  HgCommon none = *common;
  none.steps = 0;
  REFUSED(model_of(run, &none, 2, &model), "'heat'", "no number of steps", "-steps");
  none = *common, none.dt = 0;
  REFUSED(model_of(run, &none, 2, &model), "'heat'", "no time step", "-dt");
  common->dt = 1e-3;
  return 0;
}

/* The data of `problem` are those of `by_hand`, but for noise of the size that was said. */
static void compare(const HgObservations *data, const HgObservations *by_hand) {
  double square = 0;
  int differ = 0;
  claim_that(data->times == 4 && data->sensors == 6, "%d times and %d sensors", data->times,
             data->sensors);
  for (int k = 0; k < 24; k++) {
    const double noise = (data->value[k] - by_hand->value[k]) / sensors.sigma;
    square += noise * noise, differ += noise != 0;
    claim_same(data->sigma[k], sensors.sigma, "sigma");
  }
  claim_that(differ == 24, "%d values have noise", differ);
  claim_at_most(fabs(square / 24 - 1), 0.9, "the noise's variance from sigma^2, relative");
  claim_at_most(fabs(data->time[0] - (0.002 + 0.018 / 4)), 1e-15, "the first time");
  claim_at_most(fabs(data->x[1] - (0.05 + 0.5 * 1.1)), 1e-15, "x of the second sensor");
  claim_at_most(fabs(data->y[3] - (0.05 + 0.75 * 0.9)), 1e-15, "y of the fourth sensor");
}

static PetscErrorCode twin(HgRun run, const HgCommon *common) {
  const HgGiven given[] = {{"u", .field = first}, {"kappa", 1, .most = 2}, {.variable = NULL}};
  const HgInverse inverse = {.h1 = 1e-3};
  HgModel model;
  HgObservations *data;
  HgOperator J;
  HgProblem problem;
  PetscCall(model_of(run, common, 2, &model));
  PetscCall(HgFieldFill(model.x, "kappa", hidden));
  PetscCall(HgSensorsPlace(&sensors, "K", model.mesh, 0.02, &data));
  PetscCall(HgTwinObserve(model.program, common->steps, model.x, data));

  PetscCall(HgProblemCreatePhysics(run, common, &spec, &hg_heat_physics, NULL, given, &problem));
  PetscCall(HgProblemSeek(problem, "kappa", 1, 0.5, 2.5, &inverse));
  PetscCall(HgProblemTwin(problem, "kappa", hidden, &sensors));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(HgProblemFunctional(problem, &J));
  compare(HgProblemObservations(problem, 0), data);
  const double kappa = HgStateRows(HgProblemControls(problem), 0)[0][0];
  claim_same(kappa, 1, "the first guess, whatever the truth");
  PetscCall(HgObservationsDestroy(&data));
  PetscCall(HgProblemDestroy(&problem));
  return HgModelDestroy(&model);
}

/* Sensors that cannot be placed, and where those stand that can. */
static PetscErrorCode places(void) {
  static const int wrong[][2] = {{0, 3}, {3, 0}, {-2, -2}, {65536, 65537}};
  const HgMeshSpec mesh_spec = {.nx = 12, .ny = 10, .dx = 0.1, .dy = 0.1};
  HgMesh mesh;
  HgObservations *o;
  HgSensors s = sensors;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &mesh_spec, &mesh));
  for (int k = 0; k < 4; k++) {
    s.columns = wrong[k][0], s.rows = wrong[k][1];
    REFUSED(HgSensorsPlace(&s, "K", mesh, 1, &o), "sensors of 'u'", "columns", "rows");
  }
  s.columns = 1, s.rows = 2, s.west = s.east = 0.3, s.south = s.north = 0.7;
  PetscCall(HgSensorsPlace(&s, "K", mesh, 1, &o));
  claim_same(o->x[1], 0.3, "x of a point");
  claim_same(o->y[1], 0.7, "y of a point");
  PetscCall(HgObservationsDestroy(&o));
  return HgMeshDestroy(&mesh);
}

/* Noise that is none, and a misfit of nothing. */
static PetscErrorCode unmeasured(HgRun run, const HgCommon *common) {
  static const double wrong[] = {0, -0.01, INFINITY, NAN, 1e-300};
  const HgGiven given[] = {{"u", .field = first}, {"kappa", 1, .most = 2}, {.variable = NULL}};
  const HgInverse inverse = {.h1 = 1e-3, .iterations = 3};
  HgProblem problem;
  PetscCall(HgProblemCreatePhysics(run, common, &spec, &hg_heat_physics, NULL, given, &problem));
  PetscCall(HgProblemSeek(problem, "kappa", 1, 0.5, 2.5, &inverse));
  for (int k = 0; k < 5; k++) {
    HgSensors s = sensors;
    s.sigma = wrong[k];
    REFUSED(HgProblemTwin(problem, "kappa", hidden, &s), "sensors of 'u'", "standard deviation");
  }
  REFUSED(HgProblemSolve(problem, &inverse), "problem of 'heat'", "nothing is observed");
  return HgProblemDestroy(&problem);
}

/* A file of another variable than the sensors' in the same unit. */
static PetscErrorCode other_file(HgRun run, const HgCommon *common) {
  const HgGiven given[] = {{"u", .field = first}, {"kappa", 1, .most = 2}, {.variable = NULL}};
  HgCommon with = *common;
  HgObservations *o;
  HgProblem problem;
  snprintf(with.observations, sizeof with.observations, "other_%d.h5", claim.ranks);
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "v", "K", 1, 1, &o));
  o->x[0] = o->y[0] = 0.5, o->time[0] = 0.01;
  PetscCall(HgObservationsWrite(PETSC_COMM_WORLD, with.observations, o, NULL));
  PetscCall(HgObservationsDestroy(&o));
  PetscCall(HgProblemCreatePhysics(run, &with, &spec, &hg_heat_physics, NULL, given, &problem));
  REFUSED(HgProblemTwin(problem, "kappa", hidden, &sensors), "option -observations",
          with.observations, "those of 'v', expected of 'u'");
  return HgProblemDestroy(&problem);
}

static PetscErrorCode test(void) {
  HgCommon common = {.nx = 12, .ny = 10, .dt = 1e-3, .steps = 20, .slots = 5};
  HgRun run;
  PetscCall(HgRunCreate("twin", "a test", &run));
  PetscCall(refusals(run, &common));
  PetscCall(twin(run, &common));
  PetscCall(unmeasured(run, &common));
  PetscCall(places());
  PetscCall(other_file(run, &common));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a problem of a physics is the one put together by hand", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
