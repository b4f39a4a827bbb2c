/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: gradient@0 and lambda@0, read back from their files, are the gradient, bit for bit; to
   show steps changes no bit of J and gradient; neither a later gradient nor those of checks are
   shown; where a gradient needs no states, none are made to show lambda. */
#include "heat_case.h"
#include <halograd/operator_library.h>
#include <halograd/results.h>
#include <halograd/show_library.h>
#include <halograd/trajectory_library.h>
#include <unistd.h>

static const char what[] = "gradient@0,lambda@0,q@3,lambda@9,gradient@9";

/* Variable `as` of the file against `name` of the gradient. */
static PetscErrorCode claim_field(HgState x_bar, const char path[], const char as[],
                                  const char name[]) {
  HgState read;
  double time, difference;
  const HgVariable *const v = HgStateVariable(x_bar, HgStateFind(x_bar, name));
  char unit[64];
  HgUnitQuotient("1", v->unit, sizeof unit, unit);
  PetscCall(HgStateCreate(HgStateMesh(x_bar), 1, &(HgVariable){as, unit, HG_FIELD, 0}, &read));
  PetscCall(HgResultsRead(read, path, 0, &time));
  PetscCall(HgStateAXPYVariable(read, 0, -1, x_bar, HgStateFind(x_bar, name)));
  PetscCall(HgStateDot(read, read, &difference));
  claim_that(difference == 0 && time == 0, "'%s' of %s differs from the gradient by %g, t = %g", as,
             path, sqrt(difference), time);
  return HgStateDestroy(&read);
}

static long last_step(void *self, HgMode direction, long n) {
  (void)self;
  return direction == HG_COTANGENT && n <= 3 ? 3 : HG_NO_STEP;
}

static PetscErrorCode has_state(void *self, const HgTrajectorySight *s) {
  *(bool *)self = s->q != NULL;
  return 0;
}

/* Of a gradient that needs no states lambda comes by without them: it costs nothing to show it. An
   observer of q beside it makes them. */
static PetscErrorCode without_states(void) {
  const HeatSpec spec = {.nx = 33, .ny = 29, .steps = 12, .slots = 1, .ghost = 4};
  HeatCase c;
  HgShow show;
  HgState x_bar;
  HgTrajectoryPlan plan;
  double J;
  bool gradient, seen = false;
  char plain[256], shown[256];
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgProgramSetActive(c.program, "kappa", false));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, plain));
  PetscCall(HgShowCreate(c.trajectory, "lambda@0,lambda@7", "shown", &show));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, shown));
  HgTrajectoryGetPlan(c.trajectory, &plan);
  claim_that(!strcmp(plan.policy, "store-start") && plan.recompute_factor == 1,
             "%s, recompute factor %g, expected store-start", plan.policy, plan.recompute_factor);
  claim_that(!strcmp(plain, shown), "without states: '%s', expected '%s'", shown, plain);
  PetscCall(HgShowEnd(show, &gradient));
  PetscCall(HgShowDestroy(&show));
  PetscCall(HgStateDuplicate(c.x, &x_bar));
  PetscCall(HgOperatorGradient(c.op, c.x, &J, x_bar));
  PetscCall(claim_field(x_bar, "shown/lambda_0.h5", "lambda_u", "u"));
  PetscCall(HgStateDestroy(&x_bar));
  PetscCall(HgTrajectoryAddObserver(
      c.trajectory,
      &(HgTrajectoryObserver){.next = last_step, .see = has_state, .context = &seen}));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, shown));
  HgTrajectoryGetPlan(c.trajectory, &plan);
  claim_that(seen && plan.recompute_factor > 1, "q_3 is made for who looks at it");
  claim_that(!strcmp(plain, shown), "with states: '%s', expected '%s'", shown, plain);
  return heat_destroy(&c);
}

static PetscErrorCode test(void) {
  const HeatSpec spec = {
      .nx = 33, .ny = 29, .steps = 12, .walls = WALLS_MIXED, .slots = 5, .ghost = 4};
  HeatCase c;
  HgShow show;
  HgState x_bar;
  double J;
  bool gradient;
  char plain[256], shown[256];
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, plain));
  if (!claim.rank) unlink("shown/q_3.png");
  MPI_Barrier(PETSC_COMM_WORLD);
  PetscCall(HgShowCreate(c.trajectory, what, "shown", &show));
  const HgTrajectorySuspended before = HgTrajectorySuspend(c.trajectory);
  PetscCall(fingerprint(c.op, c.x, c.trajectory, shown));
  HgTrajectoryResume(c.trajectory, &before);
  claim_that(access("shown/q_3.png", F_OK), "a run that is not meant is shown");
  PetscCall(fingerprint(c.op, c.x, c.trajectory, shown));
  claim_that(!strcmp(plain, shown), "shown: '%s', expected '%s'", shown, plain);
  PetscCall(HgShowEnd(show, &gradient));
  claim_that(gradient, "a gradient was shown");
  PetscCall(HgStateDuplicate(c.x, &x_bar));
  PetscCall(HgOperatorGradient(c.op, c.x, &J, x_bar));
  PetscCall(HgStateScale(c.x, 2));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, shown)); /* another gradient */
  PetscCall(HgShowDestroy(&show));
  PetscCall(claim_field(x_bar, "shown/lambda_0.h5", "lambda_u", "u"));
  PetscCall(claim_field(x_bar, "shown/gradient_0.h5", "gradient_kappa", "kappa"));
  PetscCall(claim_field(x_bar, "shown/gradient_0.h5", "gradient_f", "f"));
  PetscCall(HgStateDestroy(&x_bar));
  PetscCall(without_states());
  return heat_destroy(&c);
}

CLAIM("what is shown is the gradient, and nothing else changes", 0, test)
