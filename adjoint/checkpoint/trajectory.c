#include "objective_private.h"
#include "trajectory_private.h"
#include <halograd/fault.h>
#include <halograd/trajectory.h>
#include <math.h>
#include <string.h>

struct HgTrajectory_s {
  HgProgram program;
  long steps;
  HgObjective objective;
  HgSchedule schedule;                    /* NULL without a store */
  HgAction ahead[2 * HG_TIME_BLOCK_MOST]; /* of the schedule, looked at before their turn */
  int known;                              /* so many of them */
  HgStore store;                          /* NULL: values only, no gradients */
  int origin; /* the slot that holds q_0 of the last gradient; -1: none */
  HgState constants, constants_bar, dconstants;
  HgState scratch[2], final; /* live states that no slot holds; q_N */
  long seen;                 /* the first sweep has come so far */
  long limits_kept;          /* the last step at which the ranks agreed about limits */
  long back;                 /* bar[0] holds lambda of that step; -1: of none yet */
  long end;                  /* of the window */
  bool turned;               /* `final` has been made */
  HgTrajectoryKeeper keeper;
  bool goes_on; /* the gradient under way began elsewhere than at q_0 */
  HgState bar[2], tangent[2];
  HgOperator step; /* for checks that look for what is wrong; NULL: nobody has asked */
  HgWatchFn *watch;
  void *watch_context;
  long watch_every;
  int observers; /* the watch is one of them */
  HgTrajectoryObserver observer[HG_OBSERVERS];
  bool examined; /* the gradient under way is not asked whether it is finite */
  double J;      /* of the gradient under way, from the end of its first sweep on */
  HgTrajectoryCost cost;
};

PetscErrorCode HgTrajectoryCreate(HgProgram program, long steps, HgObjective objective,
                                  HgSchedulePolicy policy, HgStore store,
                                  HgTrajectory *trajectory) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  HgRequire(comm, steps >= 1, "trajectory: %ld steps given, expected at least 1", steps);
  HgRequire(comm, HgObjectiveSteps(objective) == steps,
            "trajectory: %ld steps given, but the objective was made for %ld", steps,
            HgObjectiveSteps(objective));
  HgRequire(comm, !store || policy != HG_SCHEDULE_STORE_ALL || HgStoreSlots(store) >= steps,
            "trajectory: store-all over %ld steps needs as many slots, but the store has %d", steps,
            HgStoreSlots(store));
  HgTrajectory t;
  PetscCall(PetscNew(&t));
  t->program = program, t->steps = steps, t->objective = objective, t->store = store;
  t->origin = -1;
  const bool failed = store && HgScheduleCreate(policy, steps, HgStoreSlots(store), &t->schedule);
  PetscCall(HgAgree(comm, failed,
                    "trajectory: no schedule, or no memory for it, for %ld steps and %d slots",
                    steps, store ? HgStoreSlots(store) : 0));
  PetscCall(HgProgramCreateConstants(program, &t->constants));
  for (int k = 0; k < 2; k++) PetscCall(HgProgramCreateCarried(program, &t->scratch[k]));
  PetscCall(HgProgramCreateCarried(program, &t->final));
  t->cost.steps = steps;
  t->cost.state_bytes = HgStateBytes(t->final);
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
  PetscCall(HgOperatorDestroy(&t->step));
  HgState *const all[] = {&t->constants,  &t->constants_bar, &t->dconstants, &t->scratch[0],
                          &t->scratch[1], &t->final,         &t->bar[0],     &t->bar[1],
                          &t->tangent[0], &t->tangent[1]};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) PetscCall(HgStateDestroy(all[k]));
  return PetscFree(t);
}

/* ---- observers ---- */
PetscErrorCode HgTrajectoryObserve(HgTrajectory t, const HgTrajectoryObserver *observer) {
  HgRequire(HgMeshComm(HgProgramMesh(t->program)), t->observers < HG_OBSERVERS,
            "trajectory of '%s': one more observer, expected at most %d", HgProgramName(t->program),
            HG_OBSERVERS);
  t->observer[t->observers++] = *observer;
  return 0;
}

PetscErrorCode HgTrajectoryForget(HgTrajectory t, void *context) {
  int left = 0;
  for (int k = 0; k < t->observers; k++)
    if (t->observer[k].context != context) t->observer[left++] = t->observer[k];
  t->observers = left;
  return 0;
}

static bool watch_wants(void *self, HgMode direction, long n) {
  const HgTrajectory t = self;
  return direction == HG_PRIMAL && (n % t->watch_every == 0 || n == t->steps);
}

static PetscErrorCode watch_sees(void *self, const HgTrajectorySight *s) {
  HgTrajectory t = self;
  return t->watch(s->n, s->t, s->state, t->watch_context);
}

PetscErrorCode HgTrajectorySetWatch(HgTrajectory t, long every, HgWatchFn *watch, void *context) {
  HgRequire(HgMeshComm(HgProgramMesh(t->program)), !watch || every >= 1,
            "trajectory of '%s': to be watched every %ld steps, expected at least 1",
            HgProgramName(t->program), every);
  t->watch = watch, t->watch_context = context, t->watch_every = every;
  PetscCall(HgTrajectoryForget(t, t));
  if (!watch) return 0;
  return HgTrajectoryObserve(
      t, &(HgTrajectoryObserver){.wants = watch_wants, .see = watch_sees, .context = t});
}

bool HgTrajectoryWanted(HgTrajectory t, HgMode direction, long n) {
  for (int k = 0; k < t->observers; k++)
    if (t->observer[k].wants(t->observer[k].context, direction, n)) return true;
  return false;
}

PetscErrorCode HgTrajectoryShow(HgTrajectory t, const HgTrajectorySight *s) {
  for (int k = 0; k < t->observers; k++) {
    const HgTrajectoryObserver *const o = &t->observer[k];
    if (o->wants(o->context, s->direction, s->n)) PetscCall(o->see(o->context, s));
  }
  return 0;
}

static PetscErrorCode show(HgTrajectory t, HgMode direction, long n, HgState state, HgState q) {
  HgState const constants[HG_MODES] = {t->constants, t->dconstants, t->constants_bar};
  const HgTrajectorySight sight = {.direction = direction,
                                   .n = n,
                                   .t = (double)n * HgProgramTimeStep(t->program),
                                   .state = state,
                                   .q = q,
                                   .constants = constants[direction],
                                   .J = direction == HG_COTANGENT ? t->J : NAN};
  return HgTrajectoryShow(t, &sight);
}

PetscErrorCode HgTrajectoryBegin(HgTrajectory t, HgMode run) {
  for (int k = 0; k < t->observers; k++)
    if (t->observer[k].begin) PetscCall(t->observer[k].begin(t->observer[k].context, run));
  return 0;
}

PetscErrorCode HgTrajectoryEnd(HgTrajectory t, HgMode run, double J) {
  for (int k = 0; k < t->observers; k++)
    if (t->observer[k].end) PetscCall(t->observer[k].end(t->observer[k].context, run, J));
  return 0;
}

void HgTrajectorySetKeeper(HgTrajectory t, const HgTrajectoryKeeper *keeper) {
  t->keeper = keeper ? *keeper : (HgTrajectoryKeeper){.context = NULL};
}

bool HgTrajectoryGoesOn(HgTrajectory t) { return t->goes_on; }

/* The gradient has come to q_n, or is on the way back. */
static PetscErrorCode pass(HgTrajectory t, long n, HgState q) {
  HgFault(HG_FAULT_PAUSE);
  if (!t->keeper.pass) return 0;
  HgTrajectoryPlace place = {.sweep = HG_PRIMAL, .n = n, .state = q, .J = NAN};
  if (t->back >= 0)
    place = (HgTrajectoryPlace){HG_COTANGENT, t->back, t->bar[0], t->constants_bar, t->final, t->J};
  return t->keeper.pass(t->keeper.context, &place);
}

HgProgram HgTrajectoryProgram(HgTrajectory t) { return t->program; }

HgObjective HgTrajectoryObjective(HgTrajectory t) { return t->objective; }

long HgTrajectorySteps(HgTrajectory t) { return t->steps; }

bool HgTrajectoryReverses(HgTrajectory t) { return t->store != NULL; }

HgState HgTrajectoryFinal(HgTrajectory t) { return t->final; }

void HgTrajectoryGetCost(HgTrajectory t, HgTrajectoryCost *cost) {
  *cost = t->cost;
  if (t->store) HgStoreBytes(t->store, &cost->memory_bytes, &cost->file_bytes);
}

/* A live state that is not `q` and no slot's. */
static HgState other(HgTrajectory t, HgState q) {
  return q == t->scratch[0] ? t->scratch[1] : t->scratch[0];
}

/* Have the states up to q_n kept the limits of the program? */
static PetscErrorCode keep_limits(HgTrajectory t, long n, HgState q) {
  if (!HgProgramLimited(t->program)) return 0;
  if (!n) HgProgramStartLimits(t->program, 0, q);
  else if (n < t->steps && n < t->limits_kept + HG_LIMITS_EVERY) return 0;
  t->limits_kept = n;
  return HgProgramCheckLimits(t->program);
}

/* q_n comes by for the first time. */
static PetscErrorCode visit(HgTrajectory t, long n, HgState q, HgState dq) {
  PetscCall(keep_limits(t, n, q));
  PetscCall(HgObjectiveObserve(t->objective, n, q, dq));
  PetscCall(show(t, HG_PRIMAL, n, q, q));
  return dq ? show(t, HG_TANGENT, n, dq, q) : 0;
}

/* q_n comes by, and in this gradient perhaps not for the first time. */
static PetscErrorCode arrive(HgTrajectory t, long n, HgState q) {
  return n > t->seen ? visit(t, t->seen = n, q, NULL) : 0;
}

/* Does the objective or an observer look at the state after n steps, or at its cotangent? */
static bool looked_at(HgTrajectory t, HgMode direction, long n) {
  return HgObjectiveNeeds(t->objective, n) || HgTrajectoryWanted(t, direction, n);
}

/* Steps from q_n on that may be made at once on the way to `to`: up to the next state that somebody
   looks at for the first time. */
static long stride(HgTrajectory t, long n, long to, bool first) {
  const long most = HgProgramStride(t->program, to - n);
  for (long k = 1; first && k < most; k++)
    if (looked_at(t, HG_PRIMAL, n + k)) return k;
  return most;
}

/* ---- what is not finite is looked for afterwards: the run itself spends nothing on it ---- */

/* The first state with a number that is not finite, found by making all steps from q_0 again, one
   by one; in words, "" if there is none. q_0 is overwritten if it is a scratch state. */
static PetscErrorCode find_not_finite(HgTrajectory t, HgState q, size_t size, char words[]) {
  const double dt = HgProgramTimeStep(t->program);
  bool finite = true;
  char where[256];
  *words = 0;
  if (t->constants) PetscCall(HgStateFinite(t->constants, &finite, where, sizeof where));
  if (finite) PetscCall(HgStateFinite(q, &finite, where, sizeof where));
  if (!finite) snprintf(words, size, "%s in what the run starts from", where);

  for (long n = 0; finite && n < t->steps; n++) {
    HgState next = other(t, q);
    PetscCall(HgProgramStep(t->program, n, t->constants, q, next));
    q = next;
    PetscCall(HgStateFinite(q, &finite, where, sizeof where));
    if (!finite)
      snprintf(words, size, "%s after step %ld, at t = %g s, and nothing before", where, n + 1,
               (double)(n + 1) * dt);
  }
  return 0;
}

/* Tells of a run from q_0 whose J or last state is not finite. */
static PetscErrorCode tell_not_finite(HgTrajectory t, HgState q_0, double J) {
  char words[512];
  PetscCall(find_not_finite(t, q_0, sizeof words, words));
  return HgError(HgMeshComm(HgProgramMesh(t->program)),
                 "trajectory of '%s': J is %g after %ld steps, expected %s; %s",
                 HgProgramName(t->program), J, t->steps,
                 isfinite(J) ? "a finite state, too" : "a finite number",
                 *words ? words : "all states are finite: the misfit itself is too large");
}

/* After a run from `x` that stored nothing. */
static PetscErrorCode require_finite(HgTrajectory t, HgState x, double J) {
  bool finite = isfinite(J);
  char where[256];
  if (finite) PetscCall(HgStateFinite(t->final, &finite, where, sizeof where));
  if (finite) return 0;
  PetscCall(HgProgramSplit(t->program, x, t->scratch[0], t->constants));
  return tell_not_finite(t, t->scratch[0], J);
}

PetscErrorCode HgTrajectoryRequireFinite(HgTrajectory t, double J) {
  if (isfinite(J)) return 0;
  HgState q_0 = t->scratch[0]; /* of a single step, before which nothing is stored */
  HgRequire(HgMeshComm(HgProgramMesh(t->program)), t->store && (t->origin >= 0 || t->steps == 1),
            "trajectory of '%s': J is %g, expected a finite number", HgProgramName(t->program), J);
  if (t->origin >= 0) PetscCall(HgStoreGet(t->store, t->origin, 0, t->scratch[0], &q_0));
  return tell_not_finite(t, q_0, J);
}

PetscErrorCode HgTrajectoryValue(HgTrajectory t, HgState x, double *J) {
  const double start = MPI_Wtime();
  HgState q = t->scratch[0];
  PetscCall(HgTrajectoryBegin(t, HG_PRIMAL));
  PetscCall(HgProgramSplit(t->program, x, q, t->constants));
  PetscCall(HgObjectiveStart(t->objective));
  PetscCall(visit(t, 0, q, NULL));
  for (long n = 0, s; n < t->steps; n += s) {
    s = stride(t, n, t->steps, true);
    HgState next = n + s == t->steps ? t->final : other(t, q);
    PetscCall(HgProgramSteps(t->program, n, s, t->constants, q, NULL, HG_SAVE_ALL, next));
    q = next;
    PetscCall(visit(t, n + s, q, NULL));
  }
  PetscCall(HgObjectiveValue(t->objective, J, NULL));
  t->cost.forward_seconds = MPI_Wtime() - start;
  PetscCall(HgTrajectoryEnd(t, HG_PRIMAL, *J));
  return require_finite(t, x, *J);
}

PetscErrorCode HgTrajectoryTangent(HgTrajectory t, HgState x, HgState dx, double *J, double *dJ) {
  if (!t->tangent[0]) {
    PetscCall(HgProgramCreateConstants(t->program, &t->dconstants));
    for (int k = 0; k < 2; k++) PetscCall(HgProgramCreateCarried(t->program, &t->tangent[k]));
  }
  HgState q = t->scratch[0], dq = t->tangent[0], dnext = t->tangent[1];
  PetscCall(HgTrajectoryBegin(t, HG_TANGENT));
  PetscCall(HgProgramSplit(t->program, x, q, t->constants));
  PetscCall(HgProgramSplit(t->program, dx, dq, t->dconstants));
  PetscCall(HgObjectiveStart(t->objective));
  PetscCall(visit(t, 0, q, dq));
  for (long n = 0; n < t->steps; n++) {
    HgState next = n + 1 == t->steps ? t->final : other(t, q);
    PetscCall(HgProgramStepTangent(t->program, n, t->constants, t->dconstants, q, dq, next, dnext));
    const HgState used = dq;
    q = next, dq = dnext, dnext = used;
    PetscCall(visit(t, n + 1, q, dq));
  }
  PetscCall(HgObjectiveValue(t->objective, J, dJ));
  PetscCall(HgTrajectoryEnd(t, HG_TANGENT, *J));
  return require_finite(t, x, *J);
}

/* The k-th of the actions whose turn has not come. */
static const HgAction *upcoming(HgTrajectory t, int k) {
  while (t->known <= k) t->ahead[t->known++] = HgScheduleNext(t->schedule);
  return &t->ahead[k];
}

/* It is the turn of the next `count` actions; the last of them. */
static HgAction take(HgTrajectory t, int count) {
  const HgAction last = *upcoming(t, count - 1);
  t->known -= count;
  memmove(t->ahead, t->ahead + count, (size_t)t->known * sizeof *t->ahead);
  return last;
}

/* Where q_n should be made: the slot it is to be stored in, if that is in memory. */
static HgState landing(HgTrajectory t, const HgAction *next, long n, HgState live) {
  HgState slot =
      next->kind == HG_ACTION_STORE && next->from == n ? HgStoreSlot(t->store, next->slot) : NULL;
  return slot && slot != live ? slot : other(t, live);
}

/* Steps on the way to `to`, as far as nobody keeps what lies between. */
static PetscErrorCode advance(HgTrajectory t, long n, long to, HgState *live) {
  for (long s; n < to; n += s) {
    s = stride(t, n, to, n >= t->seen);
    HgState next = n + s == to ? landing(t, upcoming(t, 0), to, *live) : other(t, *live);
    PetscCall(HgProgramSteps(t->program, n, s, t->constants, *live, NULL, HG_SAVE_ALL, next));
    *live = next;
    PetscCall(arrive(t, n + s, next));
    PetscCall(pass(t, n + s, next));
  }
  return 0;
}

/* How many single steps from step n on, the first of which has just been taken from the schedule,
   can be made at once: all but the last are followed by a store in memory, where `between` says. */
static int storing(HgTrajectory t, const HgAction *first, HgState between[]) {
  const long most = HgProgramStride(t->program, t->end - first->from);
  int count = 1;
  for (; first->to == first->from + 1 && count < most; count++) {
    const HgAction *const store = upcoming(t, 2 * count - 2);
    const HgAction *const step = upcoming(t, 2 * count - 1);
    if (store->kind != HG_ACTION_STORE || step->to != step->from + 1) break;
    if (step->kind != HG_ACTION_ADVANCE) break;
    between[count - 1] = HgStoreSlot(t->store, store->slot);
    if (!between[count - 1]) break;
  }
  return count;
}

/* Is the step that comes after those the last one of all, and can it be made along with them? */
static bool turning(HgTrajectory t, const HgAction *first, int count) {
  const HgAction *const next = upcoming(t, 2 * count - 2);
  return t->back < 0 && first->to == first->from + 1 && next->kind == HG_ACTION_REVERSE &&
         next->to == t->steps && count < HgProgramStride(t->program, t->steps - first->from);
}

/* Of the states between steps n .. n + count at once: if the steps from there are stored, too, or
   the last one, they are restored to be reversed only; but others may want to look at them. */
static HgSaving keep(HgTrajectory t, long n, int count, bool turn) {
  const HgAction *const next = upcoming(t, 2 * count - 2);
  if (!turn && !(next->kind == HG_ACTION_STORE && next->from == n + count)) return HG_SAVE_ALL;
  for (long k = 1; k < count + turn; k++)
    if (looked_at(t, HG_PRIMAL, n + k)) return HG_SAVE_ALL;
  return HG_SAVE_FOR_ADJOINT;
}

/* Steps n .. n + count - 1, and the last one of all if it is its turn, at once; the states between
   them are stored and visited like the others. */
static PetscErrorCode advance_storing(HgTrajectory t, long n, int count, bool turn,
                                      HgState between[], HgState *live) {
  HgState next = t->final;
  if (turn) between[count - 1] = other(t, *live);
  else next = landing(t, upcoming(t, 2 * count - 2), n + count, *live);
  PetscCall(HgProgramSteps(t->program, n, count + turn, t->constants, *live, between,
                           keep(t, n, count, turn), next));
  for (int k = 1; k < count; k++) {
    PetscCall(HgStorePut(t->store, upcoming(t, 0)->slot, n + k, between[k - 1]));
    PetscCall(arrive(t, n + k, between[k - 1]));
    take(t, 2);
  }
  *live = turn ? between[count - 1] : next;
  t->turned = turn;
  PetscCall(arrive(t, n + count, *live));
  return turn ? 0 : pass(t, n + count, *live); /* it may hold what the adjoint needs alone */
}

/* How many steps up to n -> n + 1 can be reversed at once: those between which nobody has looked at
   a state and whose states are in memory. q[k] is the state before the k-th of them. */
static PetscErrorCode gather(HgTrajectory t, long n, HgState live, HgState q[], long *count) {
  long most;
  PetscCall(HgProgramReverseStride(t->program, n + 1, &most));
  *count = most;
  for (int k = 1; k < most; k++) {
    const HgAction *const restore = upcoming(t, 2 * k - 2);
    if (restore->kind != HG_ACTION_RESTORE || restore->from != n - k ||
        !HgStoreSlot(t->store, restore->slot) || looked_at(t, HG_COTANGENT, n - k + 1))
      *count = 1;
  }
  q[*count - 1] = live;
  for (int k = 1; k < *count; k++)
    PetscCall(HgStoreGet(t->store, upcoming(t, 2 * k - 2)->slot, n - k, NULL, &q[*count - 1 - k]));
  return 0;
}

/* Steps n .. n + count - 1 are reversed; bar[0] holds lambda_{n+count} and then lambda_n. */
static PetscErrorCode reverse(HgTrajectory t, long n, long count, const HgState q[], double J_bar) {
  PetscCall(HgProgramStepsAdjoint(t->program, n, count, t->constants, q, other(t, q[count - 1]),
                                  t->bar[0], t->bar[1], t->constants_bar));
  PetscCall(HgObjectiveGradient(t->objective, n, q[0], J_bar, t->bar[1]));
  PetscCall(HgProgramBoundaryAdjoint(t->program, t->bar[1]));
  const HgState used = t->bar[0];
  t->bar[0] = t->bar[1], t->bar[1] = used;
  t->back = n;
  PetscCall(show(t, HG_COTANGENT, n, t->bar[0], q[0]));
  return pass(t, n, NULL);
}

/* The first sweep's last step and the seed lambda_N. */
static PetscErrorCode turn_round(HgTrajectory t, HgState live, double J_bar, double *J) {
  if (!t->turned) PetscCall(HgProgramStep(t->program, t->steps - 1, t->constants, live, t->final));
  t->turned = false;
  t->cost.advances++;
  PetscCall(visit(t, t->steps, t->final, NULL));
  PetscCall(HgObjectiveValue(t->objective, J, NULL));
  PetscCall(HgStateZero(t->bar[0]));
  PetscCall(HgObjectiveGradient(t->objective, t->steps, t->final, J_bar, t->bar[0]));
  PetscCall(HgProgramBoundaryAdjoint(t->program, t->bar[0]));
  t->J = *J;
  if (!isfinite(*J)) return 0;
  t->back = t->steps;
  PetscCall(show(t, HG_COTANGENT, t->steps, t->bar[0], t->final));
  return pass(t, t->steps, NULL);
}

static PetscErrorCode prepare_gradient(HgTrajectory t) {
  if (!t->bar[0]) {
    PetscCall(HgProgramCreateConstants(t->program, &t->constants_bar));
    for (int k = 0; k < 2; k++) PetscCall(HgProgramCreateCarried(t->program, &t->bar[k]));
  }
  PetscCall(HgProgramZeroConstantsBar(t->program, t->constants_bar));
  t->seen = 0, t->back = -1, t->turned = false, t->origin = -1;
  t->cost.advances = 0;
  return HgObjectiveStart(t->objective);
}

PetscErrorCode HgTrajectoryProbe(HgTrajectory t, HgState x, char q[17], char bar[17]) {
  HgState at[] = {t->scratch[0], t->scratch[1]};
  const long last = PetscMin(2, t->steps) - 1;
  PetscCall(prepare_gradient(t));
  PetscCall(HgProgramSplit(t->program, x, at[0], t->constants));
  if (last) {
    PetscCall(HgProgramStep(t->program, 0, t->constants, at[0], at[1]));
    at[0] = at[1], at[1] = t->scratch[0];
  }
  PetscCall(HgProgramStep(t->program, last, t->constants, at[0], t->final));
  PetscCall(HgStateDigest(t->final, NULL, q));
  PetscCall(HgStateCopy(t->final, t->bar[0]));
  PetscCall(HgProgramBoundaryAdjoint(t->program, t->bar[0]));
  PetscCall(HgProgramStepAdjoint(t->program, last, t->constants, at[0], at[1], t->bar[0], t->bar[1],
                                 t->constants_bar));
  PetscCall(HgProgramBoundaryAdjoint(t->program, t->bar[1]));
  return HgStateDigest(t->bar[1], NULL, bar);
}

/* The window from .. to begins; *live: where q_from is put, which is then that of x but for owned
   cells, unless from = 0. */
static PetscErrorCode open_window(HgTrajectory t, long from, long to, HgState x, HgState *live) {
  HgScheduleWindow(t->schedule, from, to);
  t->known = 0, t->end = to;
  *live = landing(t, upcoming(t, 0), from, NULL);
  return HgProgramSplit(t->program, x, *live, t->constants);
}

static PetscErrorCode make_steps(HgTrajectory t, const HgAction *action, HgState *live) {
  HgState q[HG_TIME_BLOCK_MOST];
  const int count = storing(t, action, q);
  const bool turn = turning(t, action, count);
  if (count + turn > 1) PetscCall(advance_storing(t, action->from, count, turn, q, live));
  else PetscCall(advance(t, action->from, action->to, live));
  t->cost.advances += PetscMax((long)count, action->to - action->from);
  return 0;
}

/* From q in `live` to the window's end, and back from lambda there, which is seeded at step N. */
static PetscErrorCode run_window(HgTrajectory t, HgState live, double J_bar, double start,
                                 double *J) {
  HgState q[HG_TIME_BLOCK_MOST];
  for (HgAction action; (action = take(t, 1)).kind != HG_ACTION_DONE;) {
    long count = 1; /* steps at once */
    switch (action.kind) {
    case HG_ACTION_STORE:
      PetscCall(HgStorePut(t->store, action.slot, action.from, live));
      if (action.from == 0) t->origin = action.slot;
      break;
    case HG_ACTION_RESTORE:
      PetscCall(HgStoreGet(t->store, action.slot, action.from, t->scratch[0], &live));
      break;
    case HG_ACTION_ADVANCE: PetscCall(make_steps(t, &action, &live)); break;
    case HG_ACTION_REVERSE:
      if (t->back < 0) {
        PetscCall(turn_round(t, live, J_bar, J));
        t->cost.forward_seconds = MPI_Wtime() - start;
        if (!isfinite(*J)) return 0; /* the caller may want to try elsewhere */
      }
      PetscCall(gather(t, action.from, live, q, &count));
      PetscCall(reverse(t, action.to - count, count, q, J_bar));
      if (count > 1) take(t, 2 * (int)(count - 1)); /* restored and reversed already */
      break;
    case HG_ACTION_DONE: break;
    }
  }
  return 0;
}

/* lambda_n and all that a first sweep leaves behind. */
static PetscErrorCode restore_reverse(HgTrajectory t, HgTrajectoryPlace *place, double *J) {
  PetscCall(HgStateZero(t->bar[0]));
  place->state = t->bar[0], place->constants_bar = t->constants_bar, place->final = t->final;
  PetscCall(t->keeper.restore(t->keeper.context, place));
  PetscCall(HgObjectiveValue(t->objective, J, NULL));
  HgRequire(HgMeshComm(HgProgramMesh(t->program)), !memcmp(J, &place->J, sizeof *J),
            "trajectory of '%s': J is %.17g by what was observed up to lambda_%ld, but %.17g was "
            "kept with it",
            HgProgramName(t->program), *J, place->n, place->J);
  t->J = *J, t->back = place->n, t->seen = t->steps;
  return 0;
}

/* All windows of a gradient from `place` on. J not finite: nothing has been reversed. */
static PetscErrorCode run_windows(HgTrajectory t, HgTrajectoryPlace *place, HgState x, double J_bar,
                                  double start, double *J) {
  HgState live;
  const bool back = place->sweep == HG_COTANGENT;
  const long from = place->sweep == HG_PRIMAL ? place->n : 0;
  PetscCall(open_window(t, from, back ? place->n : t->steps, x, &live));
  if (back) PetscCall(restore_reverse(t, place, J));
  else if (t->goes_on) {
    place->state = live;
    PetscCall(t->keeper.restore(t->keeper.context, place));
    HgProgramStartLimits(t->program, from, live);
    t->seen = t->limits_kept = from;
  } else PetscCall(visit(t, 0, live, NULL));
  PetscCall(run_window(t, live, J_bar, start, J));
  if (!from || !isfinite(*J)) return 0;
  PetscCall(open_window(t, 0, from, x, &live));
  return run_window(t, live, J_bar, start, J);
}

PetscErrorCode HgTrajectoryGradient(HgTrajectory t, HgState x, double J_bar, double *J,
                                    HgState x_bar) {
  const double start = MPI_Wtime();
  HgTrajectoryPlace place = {.sweep = HG_NO_MODE};
  HgRequire(HgMeshComm(HgProgramMesh(t->program)), t->store,
            "trajectory of '%s': a gradient is asked for, but it was made without a store, which "
            "gives values only",
            HgProgramName(t->program));
  if (t->keeper.begin) PetscCall(t->keeper.begin(t->keeper.context, x, J_bar, &place));
  t->goes_on = place.sweep != HG_NO_MODE;
  PetscCall(HgTrajectoryBegin(t, HG_COTANGENT));
  PetscCall(prepare_gradient(t));
  PetscCall(run_windows(t, &place, x, J_bar, start, J));
  if (isfinite(*J)) {
    if (t->constants_bar) PetscCall(HgProgramBoundaryAdjoint(t->program, t->constants_bar));
    PetscCall(HgProgramJoin(t->program, t->bar[0], t->constants_bar, x_bar));
    t->cost.gradient_seconds = MPI_Wtime() - start;
    t->cost.recompute_factor = (double)t->cost.advances / (double)t->steps;
    t->cost.gradient_over_forward =
        t->cost.forward_seconds > 0 ? t->cost.gradient_seconds / t->cost.forward_seconds : 0;
  }
  if (t->keeper.end) PetscCall(t->keeper.end(t->keeper.context));
  PetscCall(HgTrajectoryEnd(t, HG_COTANGENT, *J));
  if (t->examined || !isfinite(*J)) return 0;
  return HgTrajectoryRequireGradient(t, x, J_bar, *J, x_bar);
}

PetscErrorCode HgTrajectoryGradientSeen(HgTrajectory t, const HgTrajectoryObserver *observer,
                                        HgState x, double J_bar) {
  const HgTrajectoryKeeper keeper = t->keeper;
  HgTrajectoryObserver others[HG_OBSERVERS];
  const int count = t->observers;
  HgState x_bar;
  double J;
  memcpy(others, t->observer, sizeof others);
  PetscCall(HgStateDuplicate(x, &x_bar));
  HgTrajectorySetKeeper(t, NULL);
  t->observers = 1, t->observer[0] = *observer, t->examined = true;
  const PetscErrorCode ierr = HgTrajectoryGradient(t, x, J_bar, &J, x_bar);
  HgTrajectorySetKeeper(t, &keeper);
  t->observers = count, t->examined = false;
  memcpy(t->observer, others, sizeof others);
  PetscCall(HgStateDestroy(&x_bar));
  return ierr;
}

PetscErrorCode HgTrajectoryView(HgTrajectory t, PetscViewer viewer) {
  HgTrajectoryCost c;
  HgTrajectoryGetCost(t, &c);
  double bytes[2] = {(double)c.memory_bytes, (double)c.file_bytes};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_DOUBLE, MPI_SUM,
                             HgMeshComm(HgProgramMesh(t->program))));
  return PetscViewerASCIIPrintf(viewer,
                                "trajectory of '%s': %ld steps, %d slots, recompute factor %.3f, "
                                "checkpoints %.1f MiB in memory and %.1f MiB in files, "
                                "gradient / forward %.2f\n",
                                HgProgramName(t->program), t->steps,
                                t->store ? HgScheduleSlots(t->schedule) : 0, c.recompute_factor,
                                bytes[0] / 1048576, bytes[1] / 1048576, c.gradient_over_forward);
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
  return HgTrajectoryGradient(self, x, HgStateArray(y_bar, 0)[0], &J, x_bar);
}

static PetscErrorCode functional_gradient(void *self, HgState x, double *J, HgState x_bar) {
  return HgTrajectoryGradient(self, x, 1, J, x_bar);
}

static bool functional_active(void *self, int k) {
  return HgProgramActive(((HgTrajectory)self)->program, k);
}

/* A step, the third if there are so many: by then what was at rest may move. */
static PetscErrorCode functional_part(void *self, HgState x, int k, HgOperator *part, HgState *at) {
  HgTrajectory t = self;
  HgState q, next;
  const long before = PetscMin(2, t->steps - 1);
  if (k > 0) return 0;
  if (!t->step) PetscCall(HgProgramOperator(t->program, before, &t->step));
  PetscCall(HgProgramCreateCarried(t->program, &q));
  PetscCall(HgProgramCreateCarried(t->program, &next));
  PetscCall(HgProgramSplit(t->program, x, q, t->constants));
  for (long n = 0; n < before; n++) {
    PetscCall(HgProgramStep(t->program, n, t->constants, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateDuplicate(x, at));
  PetscCall(HgStateCopy(x, *at));
  for (int l = 0; l < HgStateCount(q); l++) PetscCall(HgStateCopyVariable(q, l, *at, l));
  *part = t->step;
  PetscCall(HgStateDestroy(&q));
  return HgStateDestroy(&next);
}

PetscErrorCode HgTrajectoryOperator(HgTrajectory t, HgOperator *op) {
  static const HgOperatorTable table = {functional_apply, functional_tangent, functional_adjoint,
                                        functional_gradient, NULL};
  HgState x, J;
  PetscCall(HgProgramCreateInput(t->program, &x));
  PetscCall(HgFunctionalOutput(HgProgramMesh(t->program), &J));
  char name[64];
  snprintf(name, sizeof name, "%s trajectory", HgProgramName(t->program));
  PetscCall(HgOperatorCreate(name, x, J, &table, t, op));
  HgOperatorSetParts(*op, functional_part);
  HgOperatorSetActive(*op, functional_active);
  PetscCall(HgStateDestroy(&x));
  return HgStateDestroy(&J);
}

HgTrajectory HgTrajectoryOf(HgOperator op) { return HgOperatorSelf(op, functional_apply); }
