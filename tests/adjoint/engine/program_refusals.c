/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: programs, objectives, trajectories and operators refuse what they cannot run correctly, in
   one sentence on all ranks. */
#include "claim.h"
#include "refusal.h"
#include <halograd/control.h>
#include <halograd/fault_library.h>
#include <halograd/heat.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <halograd/trajectory.h>
#include <math.h>

static const double dt = 1e-4;

enum { STEPS = 3 };

/* The heat stencil with other reads or writes: it is refused before a kernel runs. */
static HgStencil altered(const HgRead reads[], const char *const writes[]) {
  HgStencil s = hg_heat;
  s.name = "altered";
  if (reads) s.reads = reads;
  if (writes) s.writes = writes;
  return s;
}

/* Patches `wide` cells wide along x, one above the other along y as wide as need be. */
static PetscErrorCode make_mesh(int wide, int ghost, HgMesh *mesh) {
  int ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  return HgMeshCreate(
      PETSC_COMM_WORLD,
      &(HgMeshSpec){
          .nx = wide * ranks, .ny = 8, .px = ranks, .py = 1, .dx = 0.1, .dy = 0.1, .ghost = ghost},
      mesh);
}

static PetscErrorCode heat(HgMesh mesh, HgProgram *program) {
  PetscCall(HgProgramCreate(mesh, "heat", dt, program));
  PetscCall(HgProgramAddStencil(*program, &hg_heat, NULL));
  PetscCall(HgProgramSetBoundary(*program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUnit(*program, "u", "K"));
  return HgProgramSetUp(*program);
}

static PetscErrorCode set_up(HgMesh mesh, const HgStencil *first, const HgStencil *second) {
  HgProgram p;
  PetscCall(HgProgramCreate(mesh, "trial", 1, &p));
  PetscErrorCode ierr = HgProgramAddStencil(p, first, NULL);
  if (!ierr && second) ierr = HgProgramAddStencil(p, second, NULL);
  if (!ierr) ierr = HgProgramSetBoundary(p, "u", HgBoundaryAll(HG_FIXED, 0));
  if (!ierr) ierr = HgProgramSetUp(p);
  PetscCall(HgProgramDestroy(&p));
  return ierr;
}

/* What the stencils read and write. */
static PetscErrorCode stencils(HgMesh mesh) {
  const HgRead none[] = {{NULL, 0, 0}}, negative[] = {{"u", -1, 0}, {NULL, 0, 0}},
               unnamed[] = {{"", 1, 1}, {NULL, 0, 0}}, far_back[] = {{"u", 1, 3}, {NULL, 0, 0}},
               far[] = {{"u", 3, 1}, {NULL, 0, 0}},
               again[] = {{"u", 1, 1}, {"u", 0, 1}, {NULL, 0, 0}},
               long_name[] = {{"a_name_of_fifty_characters_that_is_refused_by_all_", 0, 0},
                              {NULL, 0, 0}};
  HgRead many[40] = {{NULL, 0, 0}};
  char names[39][4];
  for (int k = 0; k < 39; k++) {
    snprintf(names[k], sizeof names[k], "v%d", k);
    many[k] = (HgRead){names[k], 0, 0};
  }
  const char *const v[] = {"v", NULL}, *const nothing[] = {NULL}, *const twice[] = {"u", "u", NULL};
  const HgStencil reads_nothing = altered(none, NULL), reads_many = altered(many, NULL),
                  reads_negative = altered(negative, NULL), reads_unnamed = altered(unnamed, NULL),
                  reads_far = altered(far, NULL), reads_far_back = altered(far_back, NULL),
                  reads_long = altered(long_name, NULL), writes_nothing = altered(NULL, nothing),
                  reads_twice = altered(again, NULL), writes_v = altered(NULL, v),
                  writes_twice = altered(NULL, twice);
  HgStencil no_adjoint = hg_heat;
  no_adjoint.adjoint = NULL;
  REFUSED(set_up(mesh, &reads_nothing, NULL), "'trial'", "'altered' reads 0", "expected 1 to");
  REFUSED(set_up(mesh, &reads_many, NULL), "'altered' reads 39", "expected 1 to");
  REFUSED(set_up(mesh, &writes_nothing, NULL), "writes 0", "expected 1 to");
  REFUSED(set_up(mesh, &writes_twice, NULL), "'altered' writes 'u' twice");
  REFUSED(set_up(mesh, &reads_twice, NULL), "'altered' reads 'u' twice");
  REFUSED(set_up(mesh, &reads_negative, NULL), "'u' within radius -1");
  REFUSED(set_up(mesh, &reads_unnamed, NULL), "name ''", "characters");
  REFUSED(set_up(mesh, &reads_long, NULL), "a_name_of_fifty", "characters");
  REFUSED(set_up(mesh, &no_adjoint, NULL), "'heat' lacks a kernel");
  REFUSED(set_up(mesh, &reads_far, NULL), "'u' needs 3 ghost layers", "ghost width 2");
  REFUSED(set_up(mesh, &reads_far_back, NULL), "'u' needs 3 ghost layers", "ghost width 2");
  REFUSED(set_up(mesh, &writes_v, NULL), "no variable is read and then written", "carry");
  REFUSED(set_up(mesh, &writes_v, &writes_v), "no variable is read and then written", "carry");
  return 0;
}

/* A halo wider than a patch: only where there is a neighbour to fetch it from. */
static PetscErrorCode thin_patches(void) {
  const HgRead two[] = {{"u", 2, 2}, {"kappa", 0, 0}, {NULL, 0, 0}};
  const HgStencil wide = altered(two, NULL);
  HgMesh mesh;
  int ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(make_mesh(1, 2, &mesh));
  if (ranks > 1) REFUSED(set_up(mesh, &wide, NULL), "2 cells deep", "along x has 1");
  else PetscCall(set_up(mesh, &wide, NULL));
  return HgMeshDestroy(&mesh);
}

/* A mesh that is no sphere's, and a stencil that knows no sphere. */
static PetscErrorCode spheres(void) {
  const HgMeshSpec good = {.nx = 40, .ny = 40, .y0 = -20, .dx = 1, .dy = 1, .radius = 6e6};
  HgMeshSpec bad = good;
  HgMesh mesh;
  HgProgram p;
  bad.radius = -1;
  REFUSED(HgMeshCreate(PETSC_COMM_WORLD, &bad, &mesh), "radius of the sphere is -1");
  bad = good, bad.y0 = 50;
  REFUSED(HgMeshCreate(PETSC_COMM_WORLD, &bad, &mesh), "48.5 to 90.5 degrees", "between the poles");
  bad = good, bad.dx = 10;
  REFUSED(HgMeshCreate(PETSC_COMM_WORLD, &bad, &mesh), "400 degrees round", "at most 360");
  bad = good, bad.periodic_x = true;
  REFUSED(HgMeshCreate(PETSC_COMM_WORLD, &bad, &mesh), "40 degrees round", "expected 360");
  bad = good, bad.periodic_y = true;
  REFUSED(HgMeshCreate(PETSC_COMM_WORLD, &bad, &mesh), "periodic in y on a sphere");
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &good, &mesh));
  PetscCall(HgProgramCreate(mesh, "heat", dt, &p));
  REFUSED(HgProgramAddStencil(p, &hg_heat, NULL), "'heat' reads 'u'", "knows no sphere");
  return DESTROY(&p, &mesh);
}

static PetscErrorCode order_of_calls(HgMesh mesh) {
  HgProgram p;
  HgState q;
  REFUSED(HgProgramCreate(mesh, "heat", 0, &p), "'heat'", "time step is 0");
  REFUSED(HgProgramCreate(mesh, "heat", -1, &p), "time step is -1");
  REFUSED(HgProgramCreate(mesh, "heat", NAN, &p), "time step is nan");
  REFUSED(HgProgramCreate(mesh, "heat", INFINITY, &p), "time step is inf");
  PetscCall(HgProgramCreate(mesh, "heat", dt, &p));
  REFUSED(HgProgramSetUp(p), "'heat'", "no stencil");
  REFUSED(HgProgramSetBoundary(p, "u", HgBoundaryAll(HG_FIXED, 0)), "no variable 'u'");
  PetscCall(HgProgramAddStencil(p, &hg_heat, NULL));
  REFUSED(HgProgramSetBoundary(p, "v", HgBoundaryAll(HG_FIXED, 0)), "no variable 'v'", "u, kappa");
  REFUSED(HgProgramSetUnit(p, "v", "K"), "no variable 'v'", "u, kappa");
  REFUSED(HgProgramSetActive(p, "kappa", false), "'kappa' is not set up yet");
  REFUSED(HgProgramCreateInput(p, &q), "'heat'", "before HgProgramSetUp");
  PetscCall(HgProgramSetBoundary(p, "u", HgBoundaryAll(HG_MIRROR, 0.5)));
  REFUSED(HgProgramSetUp(p), "boundary of 'u'", "mirror sign is 0.5", "expected +1 or -1");
  PetscCall(HgProgramDestroy(&p));
  PetscCall(heat(mesh, &p));
  REFUSED(HgProgramSetUp(p), "twice");
  REFUSED(HgProgramAddStencil(p, &hg_heat, NULL), "'heat' added after HgProgramSetUp");
  REFUSED(HgProgramSetBoundary(p, "u", HgBoundaryAll(HG_FIXED, 0)), "'u' set after HgProgramSetUp");
  REFUSED(HgProgramSetActive(p, "f", false), "no variable 'f'", "u, kappa");
  REFUSED(HgProgramSetActive(p, "u", false), "'u' is written by a stencil", "expected a constant");
  PetscCall(HgProgramSetActive(p, "kappa", false));
  return HgProgramDestroy(&p);
}

static PetscErrorCode sensors_at(HgProgram p, double x, double t, const char name[],
                                 const char unit[]) {
  HgObjective objective;
  HgObservations *o;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, name, unit, 1, 1, &o));
  o->x[0] = x, o->y[0] = 0.3, o->time[0] = t;
  PetscCall(HgObjectiveCreate(p, STEPS, &objective));
  const PetscErrorCode ierr = HgObjectiveAddSensors(objective, o);
  PetscCall(DESTROY(&objective, &o));
  return ierr;
}

/* A sigma or a value that a program has made in memory; an infinite sigma is a gap. */
static PetscErrorCode measured(HgProgram p, int sensor, double value, double sigma) {
  HgObjective objective;
  HgObservations *o;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "u", "K", 2, 2, &o));
  for (int k = 0; k < 2; k++) o->x[k] = 0.2, o->y[k] = 0.3;
  strcpy(o->label[0], " (gauge 'a')"), strcpy(o->label[1], " (gauge 'b')");
  o->time[1] = dt, o->value[2 + sensor] = value, o->sigma[2 + sensor] = sigma;
  PetscCall(HgObjectiveCreate(p, STEPS, &objective));
  const PetscErrorCode ierr = HgObjectiveAddSensors(objective, o);
  PetscCall(DESTROY(&objective, &o));
  return ierr;
}

/* Of another mesh, or no field. */
static PetscErrorCode wrong_snapshots(HgObjective objective, HgState data) {
  const HgVariable field = {"u", "K", HG_FIELD, 0}, array = {"u", "K", HG_REPLICATED, 3};
  const HgMeshSpec spec = {.nx = 8, .ny = 8, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  HgState other, numbers;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &field, &other));
  PetscCall(HgStateCreate(HgStateMesh(data), 1, &array, &numbers));
  REFUSED(HgObjectiveAddSnapshot(objective, "u", 1, other, 1), "'u' is on another mesh",
          "expected that of the program");
  REFUSED(HgObjectiveAddSnapshot(objective, "u", 1, numbers, 1), "'u' is no field");
  return DESTROY(&other, &numbers, &mesh);
}

static PetscErrorCode objectives(HgProgram p, HgState data) {
  HgObjective objective;
  double nothing[1];
  REFUSED(HgObjectiveCreate(p, 0, &objective), "0 steps");
  PetscCall(sensors_at(p, 0.2, STEPS * dt, "u", "K"));
  REFUSED(sensors_at(p, -0.2, 0, "u", "K"), "sensor 0", "x = -0.2", "inside the domain");
  REFUSED(sensors_at(p, NAN, 0, "u", "K"), "sensor 0", "nan");
  REFUSED(sensors_at(p, 0.2, 4 * dt, "u", "K"), "observation time 0", "0 to 0.0003 s", "3 steps");
  REFUSED(sensors_at(p, 0.2, -dt, "u", "K"), "observation time 0", "-0.0001");
  REFUSED(sensors_at(p, 0.2, NAN, "u", "K"), "observation time 0", "nan");
  REFUSED(sensors_at(p, 0.2, 0, "v", "K"), "no variable 'v'");
  REFUSED(sensors_at(p, 0.2, 0, "kappa", "1"), "'kappa' cannot be observed, as it is a constant",
          "observe a carried field: u");
  REFUSED(sensors_at(p, 0.2, 0, "u", "degC"), "'u' are in [degC]", "expected [K]");
  PetscCall(measured(p, 0, 1, 0.5));
  PetscCall(measured(p, 0, 1, INFINITY));
  REFUSED(measured(p, 0, 1, 0), "deviation of 'u' at time 1, sensor 0 is 0 K", "above 0");
  REFUSED(measured(p, 0, 1, -1), "deviation of 'u' at time 1, sensor 0 is -1 K", "above 0");
  REFUSED(measured(p, 0, 1, NAN), "deviation of 'u' at time 1, sensor 0 is nan K", "above 0");
  REFUSED(measured(p, 0, NAN, 1), "value of 'u' at time 1, sensor 0 is nan K", "finite");
  REFUSED(measured(p, 1, NAN, 1), "sensor 1 is nan K", "(gauge 'b')");
  PetscCall(HgObjectiveCreate(p, STEPS, &objective));
  PetscCall(wrong_snapshots(objective, data));
  REFUSED(HgObjectivePredicted(objective, 0, nothing), "sensor term 0", "has 0");
  REFUSED(HgObjectiveAddSnapshot(objective, "u", STEPS + 1, data, 1), "step 4", "expected 0 to 3");
  REFUSED(HgObjectiveAddSnapshot(objective, "u", -2, data, 1), "step -2", "expected 0 to 3");
  REFUSED(HgObjectiveAddSnapshot(objective, "u", 1, data, 0), "deviation of 'u' is 0");
  REFUSED(HgObjectiveAddSnapshot(objective, "u", 1, data, NAN), "deviation of 'u' is nan");
  REFUSED(HgObjectiveAddSnapshot(objective, "w", 1, data, 1), "no variable 'w'");
  HgStateRows(data, 0)[0][0] = NAN; /* on every rank: the sentence names the first cell */
  REFUSED(HgObjectiveAddSnapshot(objective, "u", 1, data, 1), "snapshot data", "u", "nan");
  HgStateRows(data, 0)[0][0] = 0;
  return HgObjectiveDestroy(&objective);
}

static PetscErrorCode trajectories(HgProgram p, HgState q, HgState x) {
  HgObjective objective;
  HgStore store;
  HgTrajectory t;
  HgState x_bar;
  double J;
  PetscCall(HgObjectiveCreate(p, STEPS, &objective));
  PetscCall(HgObjectiveAddSnapshot(objective, "u", STEPS, q, 1));
  PetscCall(HgStoreCreate(q, 2, 0, NULL, &store));
  REFUSED(HgTrajectoryCreate(p, 0, objective, store, &t), "0 steps");
  REFUSED(HgTrajectoryCreate(p, 4, objective, store, &t), "4 steps", "made for 3");
  PetscCall(HgTrajectoryCreate(p, STEPS, objective, store, &t));
  PetscCall(HgProgramCreateInput(p, &x_bar));
  REFUSED(HgTrajectoryValue(t, q, &J), "input has 1 variables", "expected 2");
  HgStateRows(x, 0)[0][0] = INFINITY;
  REFUSED(HgTrajectoryValue(t, x, &J), "'heat'", "after 3 steps", "expected a finite number");
  HgStateRows(x, 0)[0][0] = 0;
  PetscCall(HgTrajectoryGradient(t, x, 1, &J, x_bar)); /* it serves on */
  return DESTROY(&x_bar, &t, &store, &objective);
}

/* Of a regularisation. */
static PetscErrorCode factors(HgState x) {
  const HgVariable fields[] = {
      {"a", "1", HG_FIELD, 0}, {"b_x", "1", HG_FIELD, 0}, {"b_y", "1", HG_FIELD, 0}};
  HgRegularisation r = {"kappa", 1, 1, 0, NULL};
  HgOperator op;
  PetscCall(HgStateCreate(HgStateMesh(x), 2, fields, &r.factors));
  REFUSED(HgRegularisationCreate(x, &r, &op), "no variable 'b_y'");
  PetscCall(HgStateDestroy(&r.factors));
  PetscCall(HgStateCreate(HgStateMesh(x), 3, fields, &r.factors));
  PetscCall(HgStateSetConstant(r.factors, "b_x", -2));
  REFUSED(HgRegularisationCreate(x, &r, &op), "'kappa': a factor 'b_x' is -2");
  return HgStateDestroy(&r.factors);
}

static PetscErrorCode controls(HgState x) {
  HgOperator op;
  HgRegularisation r = {"kappa", 1, 1, 0, NULL};
  const HgControl unknown = {"w", NULL}, twice[2] = {{"kappa", NULL}, {"kappa", NULL}};
  REFUSED(HgControlCreate(x, 0, &unknown, &op), "0 given");
  REFUSED(HgControlCreate(x, 1, &unknown, &op), "no variable 'w'", "u, kappa");
  REFUSED(HgControlCreate(x, 2, twice, &op), "'kappa' is controlled twice");
  r.alpha = -1;
  REFUSED(HgRegularisationCreate(x, &r, &op), "'kappa'", "-1");
  r.alpha = NAN;
  REFUSED(HgRegularisationCreate(x, &r, &op), "'kappa'", "nan");
  r = (HgRegularisation){"kappa", 1, INFINITY, 0, NULL};
  REFUSED(HgRegularisationCreate(x, &r, &op), "'kappa'", "inf");
  r = (HgRegularisation){"w", 1, 1, 0, NULL};
  REFUSED(HgRegularisationCreate(x, &r, &op), "no variable 'w'");
  return factors(x);
}

static PetscErrorCode operators(HgProgram p, HgState q, HgState x) {
  HgOperator step, controls, all[2], chain;
  HgState wrong;
  PetscCall(HgProgramOperator(p, 0, &step));
  PetscCall(HgStateDuplicate(x, &wrong));
  REFUSED(HgOperatorApply(step, q, q), "'heat", "variables");
  REFUSED(HgOperatorApply(step, x, wrong), "'heat", "variables");
  REFUSED(HgOperatorTangent(step, x, q, q), "'heat", "variables");
  REFUSED(HgOperatorAdjoint(step, x, x, wrong), "'heat", "variables");
  double J;
  REFUSED(HgOperatorGradient(step, x, &J, wrong), "'heat");
  all[0] = all[1] = step; /* u -> (u, kappa) does not fit */
  REFUSED(HgOperatorChain("two steps", 2, all, &chain), "'two steps'", "does not fit");
  REFUSED(HgOperatorChain("none", 0, all, &chain), "'none'", "0 parts");
  REFUSED(HgOperatorSum("none", 0, all, &chain), "'none'", "0 parts");
  PetscCall(HgControlCreate(x, 1, &(HgControl){"kappa", NULL}, &controls));
  all[1] = controls;
  REFUSED(HgOperatorSum("both", 2, all, &chain), "'both'", "'controls' has other variables");
  return DESTROY(&controls, &wrong, &step);
}

/* Takes `steps` steps at once, with memory for them on all ranks but the last, or on all. */
static PetscErrorCode take_steps(HgProgram p, long steps, HgState constants, HgState q, HgState end,
                                 long failing) {
  int ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  HgFaultSet(HG_FAULT_MEMORY, failing, ranks - 1);
  const PetscErrorCode ierr = HgProgramSteps(p, 0, steps, constants, q, NULL, HG_SAVE_ALL, end);
  HgFaultClear();
  return ierr;
}

/* No memory for the rows of a time block on the last rank, asked for twice; then there is. */
static PetscErrorCode no_memory(void) {
  HgMesh mesh;
  HgProgram p;
  HgState q, end, constants;
  PetscCall(make_mesh(20, 8, &mesh));
  PetscCall(heat(mesh, &p));
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgProgramCreateCarried(p, &end));
  PetscCall(HgProgramCreateConstants(p, &constants));
  const long steps = HgProgramStride(p, 4);
  for (int k = 0; k < 2; k++)
    REFUSED(take_steps(p, steps, constants, q, end, 1), "program 'heat'", "no memory for", "bytes");
  PetscCall(take_steps(p, steps, constants, q, end, 0));
  const bool asked = HgFaultCount(HG_FAULT_MEMORY) > 0;
  PetscCall(take_steps(p, steps, constants, q, end, 1)); /* what is there needs no more memory */
  PetscCall(HgAgree(PETSC_COMM_WORLD, !asked, HG_ERR_CHECK_FAILED,
                    "claim fails: %ld steps ask for no memory", steps));
  return DESTROY(&q, &end, &constants, &p, &mesh);
}

static PetscErrorCode run(void) {
  HgMesh mesh;
  HgProgram p;
  HgState q, x;
  PetscCall(make_mesh(5, 2, &mesh));
  PetscCall(stencils(mesh));
  PetscCall(thin_patches());
  PetscCall(spheres());
  PetscCall(order_of_calls(mesh));
  PetscCall(heat(mesh, &p));
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgProgramCreateInput(p, &x));
  PetscCall(HgStateSetConstant(x, "kappa", 1));
  PetscCall(objectives(p, q));
  PetscCall(trajectories(p, q, x));
  PetscCall(controls(x));
  PetscCall(operators(p, q, x));
  PetscCall(DESTROY(&x, &q, &p, &mesh));
  return no_memory();
}

CLAIM("what cannot run correctly is refused in one sentence on all ranks", 0, run)
