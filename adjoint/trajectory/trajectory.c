/* SPDX-License-Identifier: BSD-2-Clause */
#include "gradient_private.h"
#include <halograd/operator_library.h>
#include <math.h>
#include <string.h>

PetscErrorCode HgTrajectoryCreate(HgProgram program, long steps, HgObjective objective,
                                  HgStore store, HgTrajectory *trajectory) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  HgRequire(comm, steps >= 1, HG_ERR_ARGUMENT, "trajectory: %ld steps given, expected at least 1",
            steps);
  HgRequire(comm, HgObjectiveSteps(objective) == steps, HG_ERR_ARGUMENT,
            "trajectory: %ld steps given, but the objective was made for %ld", steps,
            HgObjectiveSteps(objective));
  HgTrajectory t;
  int most;
  PetscCall(HgDirectionsRead(comm, &most));
  PetscCall(PetscNew(&t));
  t->gradient.began.sweep = HG_NO_MODE;
  t->directions_most = most;
  t->program = program, t->steps = t->end = steps, t->objective = objective, t->store = store;
  t->gradient.origin = -1;
  HgTrajectoryShowOnly(t, 0, HG_NO_STEP);
  HgCostsReset(&t->costs);
  PetscCall(HgProgramCreateConstants(program, &t->constants));
  for (int k = 0; k < 2; k++) PetscCall(HgProgramCreateCarried(program, &t->scratch[k]));
  PetscCall(HgProgramCreateCarried(program, &t->final));
  t->cost.steps = steps, t->cost.rounded = NAN;
  *trajectory = t;
  return 0;
}

PetscErrorCode HgTrajectoryDestroy(HgTrajectory *trajectory) {
  HgTrajectory t = *trajectory;
  *trajectory = NULL;
  if (!t) return 0;
  for (int k = 0; k < t->observers; k++)
    if (t->observer[k].leave) t->observer[k].leave(t->observer[k].context);
  if (t->keeper.leave) t->keeper.leave(t->keeper.context);
  HgScheduleDestroy(&t->schedule);
  PetscCall(HgCutsFree(&t->gradient.cuts));
  PetscCall(HgOperatorDestroy(&t->step));
  PetscCall(HgDirectionsDestroy(&t->directions));
  PetscCall(HgStatesDestroy(&t->constants, &t->constants_bar, &t->scratch[0], &t->scratch[1],
                            &t->final, &t->bar[0], &t->bar[1]));
  return PetscFree(t);
}

/* ---- observers ---- */
PetscErrorCode HgTrajectoryAddObserver(HgTrajectory t, const HgTrajectoryObserver *observer) {
  HgRequire(HgTrajectoryComm(t), t->observers < HG_OBSERVERS, HG_ERR_ARGUMENT,
            "trajectory of '%s': one more observer, expected at most %d", HgProgramName(t->program),
            HG_OBSERVERS);
  t->observer[t->observers++] = *observer;
  return 0;
}

PetscErrorCode HgTrajectoryRemoveObserver(HgTrajectory t, void *context) {
  const int awake = t->awake;
  int left = 0;
  for (int k = 0; k < t->observers; k++)
    if (t->observer[k].context != context) t->observer[left++] = t->observer[k];
    else if (k < awake) t->awake--;
  t->observers = left;
  return 0;
}

HgTrajectorySuspended HgTrajectorySuspend(HgTrajectory t) {
  const HgTrajectorySuspended before = {t->awake, t->keeper};
  t->awake = t->observers;
  HgTrajectoryOnlyAsk(t, &before.keeper);
  t->keeper.leave = before.keeper.leave;
  return before;
}

void HgTrajectoryResume(HgTrajectory t, const HgTrajectorySuspended *before) {
  t->awake = before->awake, t->keeper = before->keeper;
}

static long next_of(const HgTrajectoryObserver *o, HgMode direction, long n) {
  return o->next(o->context, direction, n);
}

void HgTrajectoryShowOnly(HgTrajectory t, long from, long to) {
  t->shown[0] = from, t->shown[1] = to;
}

long HgTrajectoryNextSeen(HgTrajectory t, HgMode direction, long n) {
  long first = HG_NO_STEP;
  n = PetscMax(n, t->shown[0]);
  for (int k = t->awake; k < t->observers && first > n; k++)
    first = PetscMin(first, next_of(&t->observer[k], direction, n));
  return first <= t->shown[1] ? first : HG_NO_STEP;
}

bool HgTrajectoryLooksAtStates(HgTrajectory t) {
  for (int k = t->awake; k < t->observers; k++) {
    const HgTrajectoryObserver *const o = &t->observer[k];
    const long n = o->without_q ? HG_NO_STEP : next_of(o, HG_COTANGENT, t->shown[0]);
    if (n < t->steps && n <= t->shown[1]) return true;
  }
  return false;
}

static PetscErrorCode show(HgTrajectory t, const HgTrajectorySight *s) {
  if (s->n < t->shown[0] || s->n > t->shown[1]) return 0;
  const double start = HgCostsClock(&t->costs);
  for (int k = t->awake; k < t->observers; k++) {
    const HgTrajectoryObserver *const o = &t->observer[k];
    if (next_of(o, s->direction, s->n) == s->n) PetscCall(o->see(o->context, s));
  }
  HgCostsAdd(&t->costs, HG_COST_NONE, 0, start);
  return 0;
}

PetscErrorCode HgTrajectoryShowState(HgTrajectory t, HgMode direction, long n, HgState state,
                                     HgState q, HgState constants) {
  const HgTrajectorySight sight = {.direction = direction,
                                   .n = n,
                                   .t = (double)n * HgProgramTimeStep(t->program),
                                   .state = state,
                                   .q = q,
                                   .constants = constants,
                                   .J = direction == HG_COTANGENT ? t->gradient.J : NAN};
  return show(t, &sight);
}

PetscErrorCode HgTrajectoryBegin(HgTrajectory t, HgMode run) {
  t->end = t->steps;
  for (int k = t->awake; k < t->observers; k++)
    if (t->observer[k].begin) PetscCall(t->observer[k].begin(t->observer[k].context, run));
  return 0;
}

PetscErrorCode HgTrajectoryTellPlan(HgTrajectory t) {
  for (int k = t->awake; k < t->observers; k++)
    if (t->observer[k].planned) PetscCall(t->observer[k].planned(t->observer[k].context, &t->plan));
  return 0;
}

PetscErrorCode HgTrajectoryEnd(HgTrajectory t, HgMode run, double J) {
  for (int k = t->observers - 1; k >= t->awake; k--)
    if (t->observer[k].end) PetscCall(t->observer[k].end(t->observer[k].context, run, J));
  return 0;
}

void HgTrajectorySetKeeper(HgTrajectory t, const HgTrajectoryKeeper *keeper) {
  t->keeper = keeper ? *keeper : (HgTrajectoryKeeper){.context = NULL};
}

PetscErrorCode HgTrajectoryAsk(HgTrajectory t) {
  return t->keeper.ask ? t->keeper.ask(t->keeper.context) : 0;
}

void HgTrajectoryOnlyAsk(HgTrajectory t, const HgTrajectoryKeeper *keeper) {
  t->keeper = (HgTrajectoryKeeper){.ask = keeper->ask, .context = keeper->context};
}

HgTrajectoryStart HgTrajectoryBegan(HgTrajectory t) { return t->gradient.began; }

bool HgTrajectoryGoesOn(HgTrajectory t) { return t->gradient.began.sweep != HG_NO_MODE; }

HgProgram HgTrajectoryProgram(HgTrajectory t) { return t->program; }

HgObjective HgTrajectoryObjective(HgTrajectory t) { return t->objective; }

long HgTrajectorySteps(HgTrajectory t) { return t->steps; }

bool HgTrajectoryReverses(HgTrajectory t) { return t->store != NULL; }

HgState HgTrajectoryFinal(HgTrajectory t) { return t->final; }

void HgTrajectoryGetPlan(HgTrajectory t, HgTrajectoryPlan *plan) { *plan = t->plan; }

size_t HgTrajectoryLiveBytes(HgTrajectory t) {
  const HgState all[] = {t->constants, t->constants_bar, t->scratch[0], t->scratch[1],
                         t->final,     t->bar[0],        t->bar[1]};
  size_t bytes = 0;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) bytes += all[k] ? HgStateBytes(all[k]) : 0;
  return bytes;
}

void HgTrajectoryGetCost(HgTrajectory t, HgTrajectoryCost *cost) {
  *cost = t->cost;
  cost->slots = t->gradient.slots;
  if (t->store) HgStoreBytes(t->store, &cost->memory_bytes, &cost->file_bytes);
}

PetscErrorCode HgTrajectoryRequireAlike(HgTrajectory t, HgState x, HgState other,
                                        const char name[]) {
  HgRequire(HgTrajectoryComm(t), HgStateSame(x, other), HG_ERR_OPERATOR,
            "trajectory of '%s': %s has other variables than x, expected the same",
            HgProgramName(t->program), name);
  return 0;
}

HgState HgTrajectoryOther(HgTrajectory t, HgState q) {
  return q == t->scratch[0] ? t->scratch[1] : t->scratch[0];
}

/* Checks that the states up to q_n are within the limits of the program. */
static PetscErrorCode keep_limits(HgTrajectory t, long n) {
  if (!HgProgramLimited(t->program)) return 0;
  if (n < t->end && n < t->limits_kept + HG_LIMITS_EVERY) return 0;
  t->limits_kept = n;
  return HgProgramCheckLimits(t->program, n, NULL);
}

PetscErrorCode HgTrajectoryVisit(HgTrajectory t, long n, HgState q) {
  PetscCall(keep_limits(t, n));
  PetscCall(HgTrajectoryShowState(t, HG_PRIMAL, n, q, q, t->constants));
  return HgObjectiveObserve(t->objective, n, q, NULL);
}

long HgTrajectoryNextLook(HgTrajectory t, HgMode direction, long n) {
  const long first = HgObjectiveNext(t->objective, n);
  return first == n ? n : PetscMin(first, HgTrajectoryNextSeen(t, direction, n));
}

long HgTrajectoryStride(HgTrajectory t, long n, long to, bool first) {
  const long most = HgProgramStride(t->program, to - n);
  return first ? PetscMin(most, HgTrajectoryNextLook(t, HG_PRIMAL, n + 1) - n) : most;
}

/* ---- what is not finite is looked for afterwards: the run itself spends nothing on it ---- */

/* Describes the first state with a number that is not finite, "" if there is none. Repeats all
   steps from q_0, one by one; overwrites q_0 if it is a scratch state. */
static PetscErrorCode find_not_finite(HgTrajectory t, HgState q, size_t size, char words[]) {
  const double dt = HgProgramTimeStep(t->program);
  bool finite = true;
  char where[256];
  *words = 0;
  if (t->constants) PetscCall(HgStateFinite(t->constants, &finite, where, sizeof where));
  if (finite) PetscCall(HgStateFinite(q, &finite, where, sizeof where));
  if (!finite) snprintf(words, size, "%s in what the run starts from", where);

  for (long n = 0; finite && n < t->steps; n++) {
    HgState next = HgTrajectoryOther(t, q);
    PetscCall(HgProgramStep(t->program, n, t->constants, q, next));
    q = next;
    PetscCall(HgStateFinite(q, &finite, where, sizeof where));
    if (!finite)
      snprintf(words, size, "%s after step %ld, at t = %g s, and nothing before", where, n + 1,
               (double)(n + 1) * dt);
  }
  return 0;
}

/* Reports that J or the last state of a run from q_0 is not finite. */
static PetscErrorCode tell_not_finite(HgTrajectory t, HgState q_0, double J) {
  const char *const misfit =
      isnan(J)
          ? "all states are finite: a residual over its sigma is too large, or a misfit compares "
            "the shape (-shape) of a sensor whose predictions are all 0, which have none"
          : "all states are finite: a residual over its sigma is too large";
  char words[512];
  PetscCall(find_not_finite(t, q_0, sizeof words, words));
  return HgError(HgTrajectoryComm(t), HG_ERR_NOT_FINITE,
                 "trajectory of '%s': J is %g after %ld steps, expected %s; %s",
                 HgProgramName(t->program), J, t->steps,
                 isfinite(J) ? "a finite state, too" : "a finite number", *words ? words : misfit);
}

static PetscErrorCode require_finite(HgTrajectory t, HgState x, double J) {
  bool finite = isfinite(J);
  char where[256];
  if (finite) PetscCall(HgStateFinite(t->final, &finite, where, sizeof where));
  if (finite) return 0;
  PetscCall(HgProgramSplitShared(t->program, x, t->scratch[0], t->constants));
  return tell_not_finite(t, t->scratch[0], J);
}

PetscErrorCode HgTrajectoryRequireFinite(HgTrajectory t, double J) {
  if (isfinite(J)) return 0;
  HgState q_0 = t->gradient.q_0;
  HgRequire(HgTrajectoryComm(t), q_0, HG_ERR_NOT_FINITE,
            "trajectory of '%s': J is %g, expected a finite number", HgProgramName(t->program), J);
  if (t->gradient.origin >= 0)
    PetscCall(HgStoreGet(t->store, t->gradient.origin, 0, t->scratch[0], &q_0));
  return tell_not_finite(t, q_0, J);
}

/* ---- forward ---- */

PetscErrorCode HgTrajectoryEnter(HgTrajectory t, const HgTrajectoryWindow *w, HgState q) {
  HgProgramStartLimits(t->program, w->from, q);
  t->limits_kept = w->from;
  if (w->goes_on) return 0;
  PetscCall(HgObjectiveStart(t->objective));
  return HgTrajectoryVisit(t, w->from, q);
}

/* Runs from (q_from, c) in x to the last state. */
static PetscErrorCode forward(HgTrajectory t, const HgTrajectoryWindow *w, HgState x) {
  HgState q = t->scratch[0];
  t->gradient.kept = 0;
  PetscCall(HgProgramSplitShared(t->program, x, q, t->constants));
  PetscCall(HgTrajectoryEnter(t, w, q));
  for (long n = w->from, s; n < t->end; n += s) {
    PetscCall(HgTrajectoryAsk(t));
    s = HgTrajectoryStride(t, n, t->end, true);
    HgState next = n + s == t->end ? t->final : HgTrajectoryOther(t, q);
    PetscCall(HgProgramSteps(t->program, n, s, t->constants, q, NULL, HG_SAVE_ALL, next));
    q = next;
    PetscCall(HgTrajectoryVisit(t, n + s, q));
  }
  t->cost.steps = t->end - w->from;
  return 0;
}

PetscErrorCode HgTrajectoryValue(HgTrajectory t, HgState x, double *J) {
  const double start = MPI_Wtime();
  PetscCall(HgTrajectoryBegin(t, HG_PRIMAL));
  PetscCall(forward(t, &(HgTrajectoryWindow){.to = t->steps}, x));
  PetscCall(HgObjectiveValue(t->objective, J, NULL));
  t->cost.forward_seconds = MPI_Wtime() - start;
  PetscCall(HgTrajectoryEnd(t, HG_PRIMAL, *J));
  return require_finite(t, x, *J);
}

typedef struct {
  HgWatchFn *see;
  void *context;
  long every, end;
} Watch;

static long watch_next(void *context, HgMode direction, long n) {
  const Watch *w = context;
  if (direction != HG_PRIMAL || n > w->end) return HG_NO_STEP;
  return PetscMin(HgStepMultiple(w->every, n), w->end);
}

static PetscErrorCode watch_see(void *context, const HgTrajectorySight *s) {
  const Watch *w = context;
  return w->see(s->n, s->t, s->state, w->context);
}

PetscErrorCode HgTrajectoryWatch(HgTrajectory t, HgState x, long every, HgWatchFn *watch,
                                 void *context, double *J) {
  Watch w = {watch, context, every, t->steps};
  HgRequire(HgTrajectoryComm(t), every >= 1, HG_ERR_ARGUMENT,
            "trajectory of '%s': to be watched every %ld steps, expected at least 1",
            HgProgramName(t->program), every);
  PetscCall(HgTrajectoryAddObserver(
      t, &(HgTrajectoryObserver){.next = watch_next, .see = watch_see, .context = &w}));
  const PetscErrorCode broken = HgTrajectoryValue(t, x, J);
  PetscCall(HgTrajectoryRemoveObserver(t, &w));
  return broken;
}

PetscErrorCode HgTrajectoryWindowValue(HgTrajectory t, const HgTrajectoryWindow *w, HgState x) {
  const HgTrajectoryKeeper keeper = t->keeper;
  HgTrajectoryOnlyAsk(t, &keeper);
  t->end = w->to;
  const PetscErrorCode ierr = forward(t, w, x);
  t->keeper = keeper;
  return ierr;
}

PetscErrorCode HgTrajectoryView(HgTrajectory t, PetscViewer viewer) {
  static const char *const reversed_from[] = {"stored states", "the first state", "no state",
                                              "the first state"};
  HgTrajectoryCost c;
  HgTrajectoryGetCost(t, &c);
  char factor[48] = "", ratio[48] = "", rounded[64] = "";
  const bool whole = !isnan(c.recompute_factor);
  if (whole) snprintf(factor, sizeof factor, "recompute factor %.3f, ", c.recompute_factor);
  if (whole) snprintf(ratio, sizeof ratio, "gradient / forward %.2f, ", c.gradient_over_forward);
  if (!isnan(c.rounded))
    snprintf(rounded, sizeof rounded, " as floats (one block's gradient off by %.1e)", c.rounded);
  double bytes[2] = {(double)c.memory_bytes, (double)c.file_bytes};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_DOUBLE, MPI_SUM, HgTrajectoryComm(t)));
  return PetscViewerASCIIPrintf(
      viewer,
      "trajectory of '%s': %ld steps, %d slots, %ld reversed at once from "
      "%s, %scheckpoints %.1f MiB in memory%s and %.1f MiB in files, %s%.3g s%s\n",
      HgProgramName(t->program), t->cost.steps, t->gradient.slots, t->gradient.way.steps,
      reversed_from[t->gradient.way.stored ? HG_SCHEDULE_STORE_ALL : t->gradient.policy], factor,
      bytes[0] / 1048576, rounded, bytes[1] / 1048576, ratio, c.gradient_seconds,
      whole ? "" : " since it went on");
}

static PetscErrorCode functional_apply(void *self, HgState x, HgState y) {
  return HgTrajectoryValue(self, x, HgStateArray(y, 0));
}

static PetscErrorCode functional_tangent(void *self, HgState x, HgState dx, HgState dy) {
  double J;
  return HgTrajectoryTangent(self, x, dx, &J, HgStateArray(dy, 0));
}

static PetscErrorCode functional_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  double J;
  PetscCall(HgTrajectoryGradient(self, x, HgStateArray(y_bar, 0)[0], &J, x_bar));
  return HgTrajectoryRequireFinite(self, J);
}

static PetscErrorCode functional_gradient(void *self, HgState x, double *J, HgState x_bar) {
  return HgTrajectoryGradient(self, x, 1, J, x_bar);
}

/* h = J_bar J'' dx + dJ_bar J'. */
static PetscErrorCode functional_second(void *self, HgState x, HgState dx, HgState J_bar,
                                        HgState dJ_bar, HgState x_bar, HgState h) {
  const double weight = HgStateArray(J_bar, 0)[0], moved = HgStateArray(dJ_bar, 0)[0];
  HgState gradient = NULL;
  double dJ;
  PetscCall(HgStateZero(h));
  if (x_bar || moved != 0) PetscCall(HgStateDuplicate(x, &gradient));
  PetscCall(HgTrajectoryHessians(self, x, 1, &dx, &dJ, gradient, &h));
  PetscCall(HgStateScale(h, weight));
  if (moved != 0) PetscCall(HgStateAXPY(h, moved, gradient));
  if (x_bar) PetscCall(HgStateZero(x_bar));
  if (x_bar) PetscCall(HgStateAXPY(x_bar, weight, gradient));
  return HgStateDestroy(&gradient);
}

static PetscErrorCode functional_hessians(void *self, HgState x, int directions, const HgState dx[],
                                          HgState x_bar, const HgState h[]) {
  double *dJ;
  PetscCall(PetscMalloc1(directions, &dJ));
  if (x_bar) PetscCall(HgStateZero(x_bar));
  for (int v = 0; v < directions; v++) PetscCall(HgStateZero(h[v]));
  const PetscErrorCode ierr = HgTrajectoryHessians(self, x, directions, dx, dJ, x_bar, h);
  PetscCall(PetscFree(dJ));
  return ierr;
}

static bool functional_active(void *self, int k) {
  return HgProgramActive(((HgTrajectory)self)->program, k);
}

/* The part is one step, the third if there are as many: by then a state initially at rest may have
   moved. */
static PetscErrorCode functional_part(void *self, HgState x, int k, HgOperator *part, HgState *at) {
  HgTrajectory t = self;
  HgState q, next;
  const long before = PetscMin(2, t->steps - 1);
  if (k > 0) return 0;
  if (!t->step) PetscCall(HgProgramOperator(t->program, before, &t->step));
  PetscCall(HgProgramCreateCarried(t->program, &q));
  PetscCall(HgProgramCreateCarried(t->program, &next));
  PetscCall(HgProgramSplitShared(t->program, x, q, t->constants));
  for (long n = 0; n < before; n++) {
    PetscCall(HgProgramStep(t->program, n, t->constants, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateDuplicate(x, at));
  PetscCall(HgStateCopy(x, *at));
  for (int l = 0; l < HgStateCount(q); l++) PetscCall(HgStateCopyVariable(q, l, *at, l));
  *part = t->step;
  return HgStatesDestroy(&q, &next);
}

PetscErrorCode HgTrajectoryOperator(HgTrajectory t, HgOperator *op) {
  const HgOperatorTable table = {functional_apply, functional_tangent, functional_adjoint,
                                 functional_gradient,
                                 .second = t->store ? functional_second : NULL};
  HgState x;
  PetscCall(HgProgramCreateInput(t->program, &x));
  char name[64];
  snprintf(name, sizeof name, "%s trajectory", HgProgramName(t->program));
  PetscCall(HgOperatorCreate(name, x, NULL, &table, t, op));
  HgOperatorSetParts(*op, functional_part);
  if (t->store) HgOperatorSetHessians(*op, functional_hessians);
  HgOperatorSetActive(*op, functional_active);
  return HgStateDestroy(&x);
}

HgTrajectory HgTrajectoryOf(HgOperator op) { return HgOperatorSelf(op, functional_apply); }
