/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: -record, -show, -adjoint_monitor watch what a run inverts or
   differentiates, not the forward run that its twin's data come from, whoever has made the
   trajectories; what was found is recorded as "last"; a window is replayed by what was recorded. */
#include "caught.h"
#include "claim.h"
#include "refusal.h"
#include <halograd/control.h>
#include <halograd/heat.h>
#include <halograd/recording_library.h>
#include <halograd/run_library.h>
#include <unistd.h>

enum { STEPS = 8, TEXT = 16384 };

/* How the application of a case is written. */
typedef struct {
  const char *name;
  int twin_slots;  /* of the forward run */
  long twin_steps; /* of it, and another program: 0: STEPS of the same one */
  bool keeps_twin; /* its trajectory outlives the inversion */
  bool own;        /* the trajectory that is inverted is HgTrajectoryCreate()'s */
  bool gradient;   /* and a gradient instead of an inversion */
  bool doctor;     /* which makes runs of its own, after that gradient */
} Way;

static const Way ways[] = {{.name = "values"},
                           {"slots", .twin_slots = 3},
                           {"kept", .twin_slots = 3, .keeps_twin = true},
                           {"other program", .twin_steps = 2 * STEPS},
                           {"shorter", .twin_slots = 2, .twin_steps = 2, .keeps_twin = true},
                           {"own", .twin_slots = 3, .own = true},
                           {"gradient", .twin_slots = 3, .keeps_twin = true, .gradient = true},
                           {.name = "doctor", .twin_slots = 3, .gradient = true, .doctor = true},
                           {.name = "doctor before an inversion", .own = true, .doctor = true}};

static double bump(double x, double y, void *context) {
  return *(const double *)context + x * (1 - x) * y;
}

typedef struct {
  HgMesh mesh;
  HgProgram program, other;
  HgState x, data;
  HgObjective nothing, misfit;
  HgStore store;
  HgTrajectory twin, trajectory;
  char first[17], found[17]; /* digests of u at the start: the guess, and what was found */
} App;

static PetscErrorCode make_program(App *a, const HgPhysics *physics, HgProgram *program) {
  PetscCall(HgProgramCreatePhysics(a->mesh, physics, NULL, 1e-4, program));
  return HgProgramSetUp(*program);
}

/* The data are where u = 2 + .. gets to. */
static PetscErrorCode run_twin(HgRun run, const Way *w, const HgCommon *common, App *a) {
  HgCommon c = *common;
  const HgProgram program = w->twin_steps ? a->other : a->program;
  double J, hidden = 2;
  c.slots = w->twin_slots;
  if (w->twin_steps) c.steps = w->twin_steps;
  PetscCall(HgStateSetField(a->x, "u", bump, &hidden));
  PetscCall(HgObjectiveCreate(program, c.steps, &a->nothing));
  PetscCall(HgRunTrajectory(run, program, a->nothing, &c, &a->twin));
  PetscCall(HgTrajectoryValue(a->twin, a->x, &J));
  PetscCall(HgStateCopy(HgTrajectoryFinal(a->twin), a->data));
  if (!w->keeps_twin) PetscCall(HgTrajectoryDestroy(&a->twin));
  return 0;
}

static PetscErrorCode invert(HgRun run, App *a) {
  HgOperator op, control, J;
  HgInversion inversion;
  HgIterate last;
  HgState m;
  const char *reason;
  PetscCall(HgTrajectoryOperator(a->trajectory, &op));
  PetscCall(HgControlCreate(a->x, 1, &(HgControl){"u", NULL}, &control));
  PetscCall(HgOperatorChain("J", 2, (HgOperator[]){control, op}, &J));
  PetscCall(HgOperatorCreateInput(J, &m));
  PetscCall(HgStateCopyVariable(a->x, HgStateFind(a->x, "u"), m, 0));
  PetscCall(HgInversionCreate(J, &inversion));
  PetscCall(HgInversionSetRules(inversion, &(HgInversionRules){.iterations = 2}));
  const PetscErrorCode ierr = HgRunInvert(run, inversion, NULL, m, &last, &reason);
  PetscCall(HgStateDigest(m, "u", a->found));
  PetscCall(DESTROY(&m, &inversion, &J, &control, &op));
  return ierr;
}

static PetscErrorCode differentiate(App *a) {
  HgState x_bar;
  double J;
  PetscCall(HgStateDuplicate(a->x, &x_bar));
  const PetscErrorCode ierr = HgTrajectoryGradient(a->trajectory, a->x, 1, &J, x_bar);
  PetscCall(HgStateDestroy(&x_bar));
  return ierr;
}

static PetscErrorCode tell_story(HgRun run, const Way *w, const HgCommon *common, App *a) {
  const HgMeshSpec spec = {.nx = 12, .ny = 10, .dx = 1. / 12, .dy = 1. / 10};
  const double guess = 1;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &a->mesh));
  PetscCall(make_program(a, &hg_heat_physics, &a->program));
  PetscCall(make_program(a, &hg_heat_conservative_physics, &a->other));
  PetscCall(HgProgramCreateInput(a->program, &a->x));
  PetscCall(HgProgramCreateCarried(a->program, &a->data));
  PetscCall(HgStateSetConstant(a->x, "kappa", 1));
  PetscCall(run_twin(run, w, common, a));
  PetscCall(HgStateSetField(a->x, "u", bump, (void *)&guess));
  PetscCall(HgStateDigest(a->x, "u", a->first));
  PetscCall(HgObjectiveCreate(a->program, STEPS, &a->misfit));
  PetscCall(HgObjectiveAddSnapshot(a->misfit, "u", STEPS, a->data, 1));
  if (w->own) {
    PetscCall(HgStoreCreate(a->data, 3, 0, NULL, &a->store));
    PetscCall(HgTrajectoryCreate(a->program, STEPS, a->misfit, a->store, &a->trajectory));
  } else PetscCall(HgRunTrajectory(run, a->program, a->misfit, common, &a->trajectory));
  PetscCall(w->gradient ? differentiate(a) : invert(run, a));
  return HgRunFinish(run, common, "completed");
}

static PetscErrorCode free_app(App *a) {
  HgTrajectory *const trajectories[] = {&a->trajectory, &a->twin};
  HgObjective *const objectives[] = {&a->misfit, &a->nothing};
  HgState *const states[] = {&a->x, &a->data};
  HgProgram *const programs[] = {&a->program, &a->other};
  for (int k = 0; k < 2; k++) PetscCall(HgTrajectoryDestroy(trajectories[k]));
  for (int k = 0; k < 2; k++) PetscCall(HgObjectiveDestroy(objectives[k]));
  for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(states[k]));
  PetscCall(HgStoreDestroy(&a->store));
  for (int k = 0; k < 2; k++) PetscCall(HgProgramDestroy(programs[k]));
  return HgMeshDestroy(&a->mesh);
}

/* A start of the application with `options`; *text: what rank 0 says. */
static PetscErrorCode start(const Way *w, const char options[], App *a, char text[TEXT]) {
  FILE *const usual = caught_begin();
  HgCommon common = {.nx = 12, .ny = 10, .steps = STEPS, .slots = 3, .output = "watched/out"};
  HgRun run;
  *a = (App){.program = NULL};
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(HgRunCreate("watched", "a twin and what is found from it", &run));
  PetscCall(HgRunCommon(run, &common));
  const PetscErrorCode ierr = tell_story(run, w, &common, a);
  PetscCall(HgRunDestroy(&run));
  PetscCall(free_app(a));
  PetscCall(PetscOptionsClear(NULL));
  caught_end(usual, text, TEXT);
  return ierr;
}

/* A whole gradient from the state with that digest. */
static PetscErrorCode claim_recorded(const Way *w, const char folder[], const char digest[]) {
  HgRecording r;
  HgState q;
  char found[17];
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, folder, &r));
  claim_that(r->ledger.whole, "%s: %s is whole", w->name, folder);
  claim_that(HgRecordingNext(r, HG_COTANGENT, 0) == 0, "%s: %s has lambda", w->name, folder);
  claim_that(HgRecordingNext(r, HG_PRIMAL, STEPS + 1) > STEPS, "%s: %s ends", w->name, folder);
  PetscCall(HgRecordingRead(r, HG_PRIMAL, 0, false, &q));
  PetscCall(HgStateDigest(q, "u", found));
  claim_that(!strcmp(found, digest), "%s: %s starts from u with digest %s, expected %s", w->name,
             folder, found, digest);
  PetscCall(HgStateDestroy(&q));
  return HgRecordingClose(&r);
}

static PetscErrorCode watches(const Way *w) {
  static char text[TEXT], options[256];
  App a;
  PetscCall(claim_clear("watched"));
  snprintf(options, sizeof options,
           "-record watched/rec -record_every 2 -show q@4,lambda@4 "
           "-adjoint_monitor 2%s",
           w->doctor ? " -doctor" : "");
  const PetscErrorCode ierr = start(w, options, &a, text);
  claim_that(!ierr, "%s: the run comes to its end", w->name);
  if (ierr) return 0;
  PetscCall(claim_recorded(w, "watched/rec/first", a.first));
  if (!w->gradient) PetscCall(claim_recorded(w, "watched/rec/last", a.found));
  claim_that(!access("watched/out/lambda_4.h5", R_OK), "%s: lambda is shown", w->name);
  if (claim.rank) return 0;
  claim_that(strstr(text, "of the first gradient"), "%s: the gradient is shown", w->name);
  const char *const plan = strstr(text, "gradient of 'heat': ");
  claim_that(w->own || plan, "%s: it is said what gradients take", w->name);
  claim_that(!plan || !strstr(plan + 1, "gradient of 'heat': "), "%s: once", w->name);
  claim_that(strstr(text, "|lambda|"), "%s: it is monitored", w->name);
  return 0;
}

/* The window of a gradient, by the trajectory that made it. */
static PetscErrorCode replays(const Way *w) {
  static char text[TEXT];
  App a;
  const PetscErrorCode ierr =
      start(w, "-replay watched/rec/first -window 2:6 -show lambda@3", &a, text);
  claim_that(ierr == HG_ENDED, "%s: the window is replayed", w->name);
  claim_that(claim.rank || strstr(text, "same bits in"), "%s: and is what was recorded: %s",
             w->name, text);
  return 0;
}

/* Without a gradient options that want one are refused, at the end. */
static PetscErrorCode refuses(void) {
  static const char *const options[] = {"-adjoint_monitor", "-show lambda@1",
                                        "-record watched/rec"};
  for (int k = 0; k < 3; k++) {
    HgCommon common = {.nx = 12, .ny = 10, .steps = STEPS, .slots = 3, .output = "watched/out"};
    char name[32];
    HgRun run;
    PetscCall(PetscOptionsClear(NULL));
    PetscCall(PetscOptionsInsertString(NULL, options[k]));
    PetscCall(HgRunCreate("watched", "without a trajectory", &run));
    PetscCall(HgRunCommon(run, &common));
    snprintf(name, sizeof name, "%.*s", (int)strcspn(options[k], " "), options[k]);
    REFUSED(HgRunFinish(run, &common, "completed"), "option", name,
            "this run of 'watched' made no");
    PetscCall(HgRunDestroy(&run));
  }
  return PetscOptionsClear(NULL);
}

static PetscErrorCode all(void) {
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    PetscCall(watches(&ways[k]));
    PetscCall(replays(&ways[k]));
  }
  return refuses();
}

int main(int argc, char **argv) {
  argc = 1, argv[1] = NULL; /* no option: each start has its own */
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "watched runs\n");
  if (ierr) return ierr;
  claim_begin("what is watched is what is differentiated", 20261127);
  return claim_end(all());
}
