/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a problem of a physics is the one put together by hand: its model holds what was given and
   its twin's data are what the sensors see of the hidden truth, or snapshots of it, with noise; a
   step that is too long for a value that a variable may get is refused, and so is what cannot be
   given; a physics that states no largest step says so. */
#include "claim.h"
#include "refusal.h"
#include <halograd/heat.h>
#include <halograd/objective_library.h>
#include <halograd/problem.h>
#include <halograd/problem_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <math.h>

static const HgMeshSpec spec = {.x0 = 0.05, .y0 = 0.05, .dx = 0.1, .dy = 0.1};
static const HgSensors sensors = {"u", 3, 2, .times = 4, .from = 0.002, .sigma = 0.01, .seed = 5};
static const HgSensors snapshots = {"u",           .times = 2, .from = 0.004,
                                    .sigma = 0.01, .seed = 5,  .whole = true};

static double first(double x, double y) { return 1 + x * y; }

static double hidden(double x, double y) { return 1.5 + 0.5 * x - 0.25 * y; }

static const HgGiven hidden_kappa = {"kappa", .field = hidden};

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
  const HgMeshSpec columns = {.dx = 1, .dy = 1, .dz = 1, .nz = 3};
  REFUSED(HgModelCreate(run, common, &columns, &hg_heat_physics, NULL, twice, &model),
          "HgMeshSpec has nz = 3, HgCommon nz = 0");
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
  PetscCall(HgGivenFill(model.program, model.x, &hidden_kappa));
  PetscCall(HgSensorsPlace(&sensors, "K", model.mesh, 0.02, &data));
  PetscCall(HgTwinObserve(model.program, common->steps, model.x, data));

  PetscCall(HgProblemCreatePhysics(run, common, &spec, &hg_heat_physics, NULL, given, &problem));
  PetscCall(HgProblemSeek(problem, "kappa", 1, 0.5, 2.5, &inverse));
  PetscCall(HgProblemTwin(problem, &(HgGiven){"kappa", .field = hidden}, &sensors));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(HgProblemFunctional(problem, &J));
  compare(HgProblemGet(problem).observations[0], data);
  const double kappa = HgStateRows(HgProblemGet(problem).controls, 0)[0][0];
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
  REFUSED(HgSensorsPlace(&snapshots, "K", mesh, 1, &o), "snapshots have no places");
  s.columns = 1, s.rows = 2, s.west = s.east = 0.3, s.south = s.north = 0.7;
  PetscCall(HgSensorsPlace(&s, "K", mesh, 1, &o));
  claim_same(o->x[1], 0.3, "x of a point");
  claim_same(o->y[1], 0.7, "y of a point");
  PetscCall(HgObservationsDestroy(&o));
  s.south = s.north = 0;
  PetscCall(HgSensorsPlace(&s, "K", mesh, 1, &o));
  claim_same(o->x[1], 0.3, "x of a line");
  claim_same(o->y[1], 0.75 * (9 * 0.1), "y of a line");
  return DESTROY(&o, &mesh);
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
    REFUSED(HgProblemTwin(problem, &hidden_kappa, &s), "sensors of 'u'", "standard deviation");
  }
  const char *reason;
  PetscCall(HgProblemSetUp(problem));
  REFUSED(HgProblemInvert(problem, &inverse, &reason), "problem of 'heat'", "nothing is observed");
  return HgProblemDestroy(&problem);
}

/* One sensor, whose only reading is a gap. */
static PetscErrorCode gap_alone(HgRun run, const HgCommon *common) {
  const HgGiven given[] = {{"u", .field = first}, {"kappa", 1, .most = 2}, {.variable = NULL}};
  const HgInverse inverse = {.h1 = 1e-3, .iterations = 3};
  const char *reason;
  HgObservations *o;
  HgProblem problem;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "u", "K", 1, 1, &o));
  o->x[0] = o->y[0] = 0.5, o->time[0] = 0.01, o->sigma[0] = INFINITY;
  PetscCall(HgProblemCreatePhysics(run, common, &spec, &hg_heat_physics, NULL, given, &problem));
  PetscCall(HgProblemSeek(problem, "kappa", 1, 0.5, 2.5, &inverse));
  PetscCall(HgProblemObserve(problem, &o));
  PetscCall(HgProblemSetUp(problem));
  REFUSED(HgProblemInvert(problem, &inverse, &reason), "all readings of its sensors are gaps");
  return HgProblemDestroy(&problem);
}

/* A file of another variable than the sensors', or of theirs in another unit. */
static PetscErrorCode other_file(HgRun run, const HgCommon *common, const char name[],
                                 const char unit[], const char words[]) {
  const HgGiven given[] = {{"u", .field = first}, {"kappa", 1, .most = 2}, {.variable = NULL}};
  HgCommon with = *common;
  HgObservations *o;
  HgProblem problem;
  snprintf(with.observations, sizeof with.observations, "other_%d.h5", claim.ranks);
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, name, unit, 1, 1, &o));
  o->x[0] = o->y[0] = 0.5, o->time[0] = 0.01;
  PetscCall(HgObservationsWrite(PETSC_COMM_WORLD, with.observations, o, NULL));
  PetscCall(HgObservationsDestroy(&o));
  PetscCall(HgProblemCreatePhysics(run, &with, &spec, &hg_heat_physics, NULL, given, &problem));
  REFUSED(HgProblemTwin(problem, &hidden_kappa, &sensors), with.observations, words);
  return HgProblemDestroy(&problem);
}

/* ---- snapshots ---- */

/* u after `steps` steps from the truth. */
static PetscErrorCode true_field(HgProgram program, HgState truth, long steps, HgState *u) {
  HgState q, next, constants;
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateCarried(program, &next));
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(HgProgramSplit(program, truth, q, constants));
  for (long n = 0; n < steps; n++) {
    PetscCall(HgProgramStep(program, n, constants, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStatesDestroy(&next, &constants));
  *u = q;
  return 0;
}

/* One call: J at the first guess is that of snapshots made by hand, after steps 12 and 20, and so
   is the gradient. */
static PetscErrorCode twin_of_snapshots(HgRun run, const HgCommon *common) {
  static const long steps[] = {12, 20};
  const HgInverse inverse = {0};
  HgModel model;
  HgState truth, data[2], m_bar[2];
  HgOperator J;
  HgProblem problem[2];
  double value[2];
  char digest[2][17];
  PetscCall(model_of(run, common, 2, &model));
  PetscCall(HgStateDuplicate(model.x, &truth));
  PetscCall(HgStateCopy(model.x, truth));
  PetscCall(HgGivenFill(model.program, truth, &hidden_kappa));
  for (int k = 0; k < 2; k++) {
    PetscCall(true_field(model.program, truth, steps[k], &data[k]));
    PetscCall(HgStateAddNoise(data[k], "u", snapshots.sigma, snapshots.seed + (uint64_t)k));
  }
  for (int twin = 0; twin < 2; twin++) {
    HgProblem *const p = &problem[twin];
    PetscCall(HgProblemCreate(run, common, model.program, model.x, p));
    PetscCall(HgProblemSeek(*p, "kappa", 1, 0.5, 2.5, &inverse));
    if (twin) PetscCall(HgProblemTwin(*p, &hidden_kappa, &snapshots));
    for (int k = 0; !twin && k < 2; k++)
      PetscCall(HgObjectiveAddSnapshot(HgProblemGet(*p).objective, "u", steps[k], data[k],
                                       snapshots.sigma));
    PetscCall(HgProblemSetUp(*p));
    PetscCall(HgProblemFunctional(*p, &J));
    PetscCall(HgOperatorCreateGradient(J, &m_bar[twin]));
    PetscCall(HgOperatorGradient(J, HgProblemGet(*p).controls, &value[twin], m_bar[twin]));
    PetscCall(HgStateDigest(m_bar[twin], NULL, digest[twin]));
  }
  claim_that(value[0] > 100, "J of two snapshots of 120 cells is %g", value[0]);
  claim_same(value[1], value[0], "J of a twin of snapshots");
  claim_that(!strcmp(digest[0], digest[1]), "gradients %s by hand, %s of a twin", digest[0],
             digest[1]);
  claim_same(HgObjectiveCount(HgProblemGet(problem[1]).objective), 240, "measurements");
  for (int k = 0; k < 2; k++) {
    PetscCall(HgStatesDestroy(&data[k], &m_bar[k]));
    PetscCall(HgProblemDestroy(&problem[k]));
  }
  PetscCall(HgStateDestroy(&truth));
  return HgModelDestroy(&model);
}

static PetscErrorCode wrong_snapshots(HgRun run, const HgCommon *common) {
  const HgGiven given[] = {{"u", .field = first}, {"kappa", 1, .most = 2}, {.variable = NULL}};
  HgSensors s = snapshots;
  HgProblem p;
  PetscCall(HgProblemCreatePhysics(run, common, &spec, &hg_heat_physics, NULL, given, &p));
  s.times = 0;
  REFUSED(HgProblemTwin(p, &hidden_kappa, &s), "snapshots of 'u': 0 times");
  s.times = 21;
  REFUSED(HgProblemTwin(p, &hidden_kappa, &s), "snapshots of 'u': 21 times", "one of each step");
  s = snapshots, s.columns = 3;
  REFUSED(HgProblemTwin(p, &hidden_kappa, &s), "3 columns and 0 rows", ".whole");
  s = snapshots, s.sigma = 0;
  REFUSED(HgProblemTwin(p, &hidden_kappa, &s), "standard deviation 0");
  s = snapshots, s.variable = "kappa";
  REFUSED(HgProblemTwin(p, &hidden_kappa, &s), "'kappa' cannot be observed", "a constant");
  return HgProblemDestroy(&p);
}

/* What is printed as the model of a physics is made. */
static PetscErrorCode printed(HgRun run, const HgCommon *common, const HgPhysics *physics,
                              char text[1024], int *lines) {
  const HgGiven given[] = {{"kappa", .value = 1}, {.variable = NULL}};
  HgModel model;
  fflush(stdout);
  const int terminal = dup(STDOUT_FILENO);
  const Said said = said_begin();
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const PetscErrorCode ierr = HgModelCreate(run, common, &spec, physics, NULL, given, &model);
  fflush(stdout);
  dup2(terminal, STDOUT_FILENO);
  close(terminal);
  *lines = said_end(said, text, 1024);
  return ierr ? ierr : HgModelDestroy(&model);
}

static PetscErrorCode no_largest_step(HgRun run, const HgCommon *common) {
  HgPhysics physics = hg_heat_physics;
  char text[1024];
  int lines;
  const int rank = claim.rank;
  PetscCall(printed(run, common, &physics, text, &lines));
  claim_that(lines == 0, "a physics with a largest step is silent; it says: %s", text);
  physics.name = "free heat", physics.largest_step = NULL;
  PetscCall(printed(run, common, &physics, text, &lines));
  claim_that(lines == 1, "%d lines of a physics without a largest step, expected 1", lines);
  claim_that(rank ||
                 (strstr(text, "'free heat' states no largest_step: nobody limits dt = 0.001 s")),
             "a physics without a largest step says: %s", text);
  return 0;
}

static PetscErrorCode test(void) {
  HgCommon common = {.nx = 12, .ny = 10, .dt = 1e-3, .steps = 20, .slots = 5};
  HgRun run;
  PetscCall(HgRunCreate("twin", "a test", &run));
  PetscCall(refusals(run, &common));
  PetscCall(twin(run, &common));
  PetscCall(twin_of_snapshots(run, &common));
  PetscCall(wrong_snapshots(run, &common));
  PetscCall(unmeasured(run, &common));
  PetscCall(gap_alone(run, &common));
  PetscCall(places());
  PetscCall(no_largest_step(run, &common));
  PetscCall(other_file(run, &common, "v", "m", "option -observations: file"));
  PetscCall(other_file(run, &common, "v", "m", "those of 'v', expected of 'u'"));
  PetscCall(other_file(run, &common, "u", "degC", "'u' (of '"));
  PetscCall(other_file(run, &common, "u", "degC", "are in [degC], expected [K]"));
  return HgRunDestroy(&run);
}

CLAIM("a problem of a physics is the one put together by hand", 0, test)
