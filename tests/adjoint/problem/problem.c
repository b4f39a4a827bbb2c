/* SPDX-License-Identifier: BSD-2-Clause */
/* A problem is what its story says: J(m) = misfit(x(m)) + R(m) and its gradient have the bits of
   the same operators put together by hand, with R of a control or of a variable; the program's
   constants are active if they depend on m; what comes in the wrong order is refused. */
#include "claim.h"
#include "heat_case.h"
#include "refusal.h"
#include <halograd/control.h>
#include <halograd/problem_library.h>
#include <halograd/state_library.h>

enum { STEPS = 12 };

static const HgRegularisation penalty = {"kappa", 0.25, 0.5, 1.1, NULL};

typedef struct {
  HeatCase heat;
  HgRun run;
  HgCommon common;
  HgOperator log_kappa; /* m -> kappa */
} Setting;

/* A copy of the case's sensors, for a problem to own. */
static PetscErrorCode copy_sensors(const HgObservations *from, HgObservations **to) {
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, from->name, from->unit, from->times,
                                 from->sensors, to));
  for (int n = 0; n < from->times; n++) (*to)->time[n] = from->time[n];
  for (int k = 0; k < from->sensors; k++) (*to)->x[k] = from->x[k], (*to)->y[k] = from->y[k];
  for (int k = 0; k < from->times * from->sensors; k++)
    (*to)->value[k] = from->value[k], (*to)->sigma[k] = from->sigma[k];
  return 0;
}

/* Each case is a run of its own: the problems of one run share what is active. */
static PetscErrorCode restart(Setting *s) {
  PetscCall(HgRunDestroy(&s->run));
  return HgRunCreate("problem", "a test", &s->run);
}

static PetscErrorCode create(Setting *s, HgProblem *problem) {
  HgObservations *sensors;
  PetscCall(copy_sensors(s->heat.sensors, &sensors));
  PetscCall(HgProblemCreate(s->run, &s->common, s->heat.program, s->heat.x, problem));
  PetscCall(HgProblemObserve(*problem, &sensors));
  claim_that(!sensors, "the observations belong to the problem");
  return 0;
}

/* J, gradient and controls of the problem are those of `by_hand` at m. */
static PetscErrorCode compare(const char what[], HgProblem problem, HgOperator by_hand) {
  HgState expected, found;
  HgOperator functional;
  double J, J_found;
  const HgState m = HgProblemGet(problem).controls;
  char digest[2][17];
  PetscCall(HgProblemFunctional(problem, &functional));
  PetscCall(HgStateDuplicate(m, &expected));
  PetscCall(HgStateDuplicate(m, &found));
  PetscCall(HgOperatorGradient(by_hand, m, &J, expected));
  PetscCall(HgOperatorGradient(functional, m, &J_found, found));
  PetscCall(HgStateDigest(expected, NULL, digest[0]));
  PetscCall(HgStateDigest(found, NULL, digest[1]));
  claim_same(J_found, J, "%s: J", what);
  claim_that(!strcmp(digest[0], digest[1]), "%s: the gradient has the same bits", what);
  PetscCall(HgProblemGradient(problem, &J_found));
  claim_same(J_found, J, "%s: J once more", what);
  return HgStatesDestroy(&expected, &found);
}

/* max |dJ/d name| is 0 or not, of the trajectory's gradient. */
static PetscErrorCode claim_active(HgProblem problem, HgState x, const char name[], bool active) {
  HgState x_bar;
  double J, error;
  int k;
  PetscCall(HgStateDuplicate(x, &x_bar));
  PetscCall(HgTrajectoryGradient(HgProblemGet(problem).trajectory, x, 1, &J, x_bar));
  PetscCall(HgStateIndex(x_bar, name, &k));
  for (int l = 0; l < HgStateCount(x_bar); l++)
    if (l != k) PetscCall(HgStateZeroVariable(x_bar, l));
  PetscCall(HgStateDot(x_bar, x_bar, &error));
  claim_that((error > 0) == active, "'%s' is %sactive", name, active ? "" : "not ");
  return HgStateDestroy(&x_bar);
}

/* Without controls. */
static PetscErrorCode forward(Setting *s) {
  HgProblem problem;
  PetscCall(restart(s));
  PetscCall(create(s, &problem));
  PetscCall(HgProblemSetUp(problem));
  claim_that(HgProblemGet(problem).controls == s->heat.x, "x is its own control");
  PetscCall(compare("forward", problem, s->heat.op));
  PetscCall(claim_active(problem, s->heat.x, "kappa", true));
  PetscCall(claim_active(problem, s->heat.x, "f", true));
  HgInversion inversion;
  REFUSED(HgProblemInversion(problem, &inversion), "it has no controls");
  return HgProblemDestroy(&problem);
}

/* kappa is sought itself, with R of it. */
static PetscErrorCode field(Setting *s) {
  HgProblem problem;
  HgOperator controls, fit, R, J;
  HgState m;
  PetscCall(restart(s));
  PetscCall(HgControlCreate(s->heat.x, 1, &(HgControl){"kappa", NULL}, &controls));
  PetscCall(HgOperatorCreateInput(controls, &m));
  PetscCall(HgRegularisationCreate(m, &penalty, &R));
  PetscCall(HgOperatorChain("fit", 2, (HgOperator[]){controls, s->heat.op}, &fit));
  PetscCall(HgOperatorSum("J", 2, (HgOperator[]){fit, R}, &J));

  PetscCall(create(s, &problem));
  PetscCall(HgProblemControl(problem, "kappa", NULL));
  PetscCall(HgProblemRegularise(problem, &penalty));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(compare("field", problem, J));
  PetscCall(claim_active(problem, s->heat.x, "kappa", true));
  PetscCall(claim_active(problem, s->heat.x, "f", false));
  PetscCall(HgProblemDestroy(&problem));

  return DESTROY(&controls, &fit, &R, &J, &m);
}

/* kappa = exp(m), with R of kappa or of m; the problem owns the parametrisation. */
static PetscErrorCode parametrised(Setting *s, bool of_kappa) {
  const HgRegularisation r = {of_kappa ? "kappa" : "m", 0.25, 0.5, 0.1, NULL};
  HgProblem problem;
  HgOperator log_kappa, controls, R, inner, J;
  HgState m;
  PetscCall(restart(s));
  PetscCall(HgParametrisationLog(s->heat.mesh, "m", "kappa", "1", &log_kappa));
  PetscCall(HgControlCreate(s->heat.x, 1, &(HgControl){"kappa", log_kappa}, &controls));
  PetscCall(HgOperatorCreateInput(controls, &m));
  PetscCall(HgRegularisationCreate(of_kappa ? s->heat.x : m, &r, &R));
  if (of_kappa) {
    PetscCall(HgOperatorSum("sum", 2, (HgOperator[]){s->heat.op, R}, &inner));
    PetscCall(HgOperatorChain("J", 2, (HgOperator[]){controls, inner}, &J));
  } else {
    PetscCall(HgOperatorChain("fit", 2, (HgOperator[]){controls, s->heat.op}, &inner));
    PetscCall(HgOperatorSum("J", 2, (HgOperator[]){inner, R}, &J));
  }

  PetscCall(create(s, &problem));
  PetscCall(HgProblemControl(problem, "kappa", log_kappa));
  PetscCall(HgOperatorDestroy(&log_kappa));
  PetscCall(HgProblemRegularise(problem, &r));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(HgStateSetConstant(HgProblemGet(problem).controls, "m", 0.2));
  PetscCall(compare(of_kappa ? "R of kappa" : "R of m", problem, J));
  PetscCall(HgProblemDestroy(&problem));

  return DESTROY(&controls, &R, &inner, &J, &m);
}

/* kappa between 3 x 4 numbers, with R of numbers that are three side by side. */
static PetscErrorCode side_by_side(Setting *s) {
  const HgRegularisation r = {.control = "m", .alpha = 0.25, .beta = 0.5, .spacing = 2, .each = 3};
  HgProblem problem;
  HgOperator coarse, controls, R, fit, J;
  HgState m;
  PetscCall(restart(s));
  PetscCall(HgParametrisationCoarse(s->heat.mesh, "m", "kappa", "1", 3, 4, &coarse));
  PetscCall(HgControlCreate(s->heat.x, 1, &(HgControl){"kappa", coarse}, &controls));
  PetscCall(HgOperatorCreateInput(controls, &m));
  PetscCall(HgRegularisationCreate(m, &r, &R));
  PetscCall(HgOperatorChain("fit", 2, (HgOperator[]){controls, s->heat.op}, &fit));
  PetscCall(HgOperatorSum("J", 2, (HgOperator[]){fit, R}, &J));

  PetscCall(create(s, &problem));
  PetscCall(HgProblemControl(problem, "kappa", coarse));
  PetscCall(HgOperatorDestroy(&coarse));
  PetscCall(HgProblemRegularise(problem, &r));
  PetscCall(HgProblemSetUp(problem));
  for (int k = 0; k < 12; k++)
    HgStateArray(HgProblemGet(problem).controls, 0)[k] = 1 + 0.01 * k * k;
  PetscCall(compare("numbers side by side", problem, J));
  PetscCall(HgProblemDestroy(&problem));

  return DESTROY(&controls, &fit, &R, &J, &m);
}

/* An operator of one's own from m to x. */
static PetscErrorCode mapped(Setting *s) {
  HgProblem problem;
  HgOperator controls, J;
  PetscCall(restart(s));
  PetscCall(HgControlCreate(s->heat.x, 1, &(HgControl){"f", NULL}, &controls));
  PetscCall(HgOperatorChain("J", 2, (HgOperator[]){controls, s->heat.op}, &J));
  PetscCall(create(s, &problem));
  PetscCall(HgProblemMap(problem, controls, (const char *const[]){"f", NULL}));
  REFUSED(HgProblemControl(problem, "kappa", NULL), "control of 'kappa'", "expected one of them");
  PetscCall(HgOperatorDestroy(&controls));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(compare("map", problem, J));
  PetscCall(claim_active(problem, s->heat.x, "f", true));
  PetscCall(claim_active(problem, s->heat.x, "kappa", false));
  PetscCall(HgProblemDestroy(&problem));
  return HgOperatorDestroy(&J);
}

/* Operators without variables, which change nothing that is known of. */
static PetscErrorCode mapped_nothing(Setting *s) {
  HgProblem problem;
  HgOperator controls;
  PetscCall(restart(s));
  PetscCall(HgControlCreate(s->heat.x, 1, &(HgControl){"f", NULL}, &controls));
  PetscCall(create(s, &problem));
  REFUSED(HgProblemMap(problem, controls, (const char *const[]){NULL}), "operator 'controls'",
          "no variable");
  PetscCall(HgProblemMap(problem, controls, (const char *const[]){"f", NULL}));
  REFUSED(HgProblemMap(problem, controls, (const char *const[]){"f", NULL}), "beside other");
  PetscCall(HgOperatorDestroy(&controls));
  return HgProblemDestroy(&problem);
}

static PetscErrorCode last_norm(const HgIterate *iterate, HgState m, void *context) {
  (void)m;
  *(double *)context = iterate->gradient_norm;
  return 0;
}

/* |g| at the first guess of kappa in [0.5, 2], bounded in one go or again. */
static PetscErrorCode first_norm(Setting *s, double lower, bool again, double *norm) {
  const HgInverse weights = {.h1 = 1e-3};
  HgProblem problem;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  PetscCall(restart(s));
  PetscCall(create(s, &problem));
  PetscCall(HgProblemSeek(problem, "kappa", 1, lower, lower + 1.5, &weights));
  if (again) PetscCall(HgProblemBound(problem, "kappa", 0.5, 2, 0));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(HgStateSetConstant(HgProblemGet(problem).controls, "kappa", 1));
  PetscCall(HgProblemInversion(problem, &inversion));
  PetscCall(HgInversionSetMonitor(inversion, last_norm, norm));
  PetscCall(HgInversionSetRules(inversion, &(HgInversionRules){.evaluations = 1}));
  PetscCall(HgInversionSolve(inversion, HgProblemGet(problem).controls, &last, &reason));
  return HgProblemDestroy(&problem);
}

/* Bounds once more are other bounds in the same units. */
static PetscErrorCode bounded_again(Setting *s) {
  double once, twice;
  PetscCall(first_norm(s, 0.5, false, &once));
  PetscCall(first_norm(s, 1.25, true, &twice));
  claim_same(twice, once, "|g| of kappa / 1.5");
  return 0;
}

/* A gradient over so many steps: recompute factor and bytes of its store. */
static PetscErrorCode gradient_over(Setting *s, long steps, int slots, bool in_files,
                                    HgTrajectoryCost *cost) {
  HgCommon common = s->common;
  HgObjective objective;
  HgTrajectory trajectory;
  HgState data, x_bar;
  double J;
  common.steps = steps, common.slots = slots, common.in_files = in_files;
  PetscCall(HgProgramCreateCarried(s->heat.program, &data));
  PetscCall(HgObjectiveCreate(s->heat.program, steps, &objective));
  PetscCall(HgObjectiveAddSnapshot(objective, "u", steps, data, 1));
  PetscCall(HgRunTrajectory(s->run, s->heat.program, objective, &common, &trajectory));
  PetscCall(HgStateDuplicate(s->heat.x, &x_bar));
  PetscCall(HgTrajectoryGradient(trajectory, s->heat.x, 1, &J, x_bar));
  HgTrajectoryGetCost(trajectory, cost);
  return DESTROY(&x_bar, &data, &trajectory, &objective);
}

/* A later trajectory has the slots that it asks for, where it asks for them. */
static PetscErrorCode stored(Setting *s) {
  HgTrajectoryCost few, many, again, files;
  PetscCall(restart(s));
  PetscCall(PetscOptionsSetValue(NULL, "-hg_time_block", "1"));
  PetscCall(gradient_over(s, 5, 100, false, &few));
  PetscCall(gradient_over(s, 60, 100, false, &many));
  PetscCall(gradient_over(s, 5, 100, false, &again));
  PetscCall(gradient_over(s, 60, 8, true, &files));
  claim_same(many.recompute_factor, 1, "60 steps in 100 slots after 5 steps: recompute factor");
  claim_that(many.memory_bytes == 12 * few.memory_bytes, "%zu bytes for 60 steps, %zu for 5",
             many.memory_bytes, few.memory_bytes);
  claim_that(again.memory_bytes == many.memory_bytes, "5 steps go into what is there");
  claim_that(files.file_bytes > 0, "8 slots in files, after 100 in memory");
  return PetscOptionsClearValue(NULL, "-hg_time_block");
}

/* Two problems of one run on one program, which seek different constants: both have their
   gradients. */
static PetscErrorCode two(Setting *s) {
  static const char *const names[] = {"kappa", "f"};
  HgProblem problem[2];
  PetscCall(restart(s));
  for (int k = 0; k < 2; k++) {
    PetscCall(create(s, &problem[k]));
    PetscCall(HgProblemControl(problem[k], names[k], NULL));
    PetscCall(HgProblemSetUp(problem[k]));
  }
  for (int k = 0; k < 2; k++) PetscCall(claim_active(problem[k], s->heat.x, names[k], true));
  for (int k = 0; k < 2; k++) PetscCall(HgProblemDestroy(&problem[k]));
  return 0;
}

/* Of two that seek kappa one is destroyed; for the other kappa stays active when a third comes. */
static PetscErrorCode destroyed(Setting *s) {
  static const char *const names[] = {"kappa", "kappa", "f"};
  HgProblem problem[3];
  PetscCall(restart(s));
  for (int k = 0; k < 3; k++) {
    PetscCall(create(s, &problem[k]));
    PetscCall(HgProblemControl(problem[k], names[k], NULL));
    if (k == 2) PetscCall(HgProblemDestroy(&problem[0]));
    PetscCall(HgProblemSetUp(problem[k]));
  }
  for (int k = 1; k < 3; k++) {
    PetscCall(claim_active(problem[k], s->heat.x, names[k], true));
    PetscCall(HgProblemDestroy(&problem[k]));
  }
  return 0;
}

static PetscErrorCode refusals(Setting *s) {
  HgProblem problem;
  HgOperator J;
  PetscCall(restart(s));
  PetscCall(create(s, &problem));
  REFUSED(HgProblemControl(problem, "salt", NULL), "no variable 'salt'");
  REFUSED(HgProblemFunctional(problem, &J), "before HgProblemSetUp()");
  REFUSED(HgProblemDigest(problem), "before HgProblemSetUp()");
  REFUSED(HgProblemCheck(problem, s->heat.x), "before HgProblemSetUp()");
  PetscCall(HgProblemControl(problem, "kappa", NULL));
  PetscCall(HgProblemBound(problem, "salt", 0, 1, 0));
  PetscCall(HgProblemSetUp(problem));
  REFUSED(HgProblemSetUp(problem), "set up already");
  REFUSED(HgProblemControl(problem, "f", NULL), "control of 'f'", "after HgProblemSetUp()");
  REFUSED(HgProblemRegularise(problem, &penalty), "regularisation of 'kappa'", "after");
  HgInversion inversion;
  REFUSED(HgProblemInversion(problem, &inversion), "no variable 'salt'");
  return HgProblemDestroy(&problem);
}

static PetscErrorCode run_problem(void) {
  Setting s = {0};
  const HeatSpec spec = {.nx = 20, .ny = 18, .steps = STEPS, .slots = 4};
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &s.heat));
  s.common = (HgCommon){.steps = STEPS, .slots = 4, .digest = true, .output = "."};
  PetscCall(forward(&s));
  PetscCall(field(&s));
  PetscCall(parametrised(&s, true));
  PetscCall(parametrised(&s, false));
  PetscCall(side_by_side(&s));
  PetscCall(mapped(&s));
  PetscCall(mapped_nothing(&s));
  PetscCall(bounded_again(&s));
  PetscCall(stored(&s));
  PetscCall(two(&s));
  PetscCall(destroyed(&s));
  PetscCall(refusals(&s));
  PetscCall(HgRunDestroy(&s.run));
  return heat_destroy(&s.heat);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "problems\n");
  if (ierr) return ierr;
  claim_begin("a problem is what its story says", 0);
  FILE *const stdout_before = PETSC_STDOUT; /* runs say what their gradients are going to take */
  PETSC_STDOUT = tmpfile();
  ierr = run_problem();
  fclose(PETSC_STDOUT);
  PETSC_STDOUT = stdout_before;
  return claim_end(ierr);
}
