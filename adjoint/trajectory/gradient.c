/* SPDX-License-Identifier: BSD-2-Clause */
/* A gradient: the first sweep under a schedule, the turn, the reverse sweep, block by block. */
#include "gradient_private.h"
#include <halograd/fault_library.h>
#include <math.h>

/* Tells the keeper that the gradient has reached q_n, or where it is on the way back. */
static PetscErrorCode pass(HgTrajectory t, long n, HgState q) {
  const HgGradient *const g = &t->gradient;
  HgFault(HG_FAULT_PAUSE);
  if (!t->keeper.pass) return HgTrajectoryAsk(t);
  HgTrajectoryPlace place = {.sweep = HG_PRIMAL, .n = n, .state = q, .J = NAN};
  if (g->back >= 0)
    place = (HgTrajectoryPlace){HG_COTANGENT, g->back, t->bar[0], t->constants_bar, t->final, g->J};
  const double start = HgCostsClock(&t->costs);
  PetscCall(t->keeper.pass(t->keeper.context, &place));
  HgCostsAdd(&t->costs, HG_COST_NONE, 0, start);
  return 0;
}

/* Shows q_n to observers and objective, only the first time in this gradient. */
static PetscErrorCode arrive(HgTrajectory t, long n, HgState q) {
  HgGradient *const g = &t->gradient;
  return n > g->seen ? HgTrajectoryVisit(t, g->seen = n, q) : 0;
}

/* ---- actions ---- */

static HgAction take_action(HgTrajectory t) {
  const HgAction action = t->gradient.next;
  t->gradient.next = HgScheduleNext(t->schedule);
  return action;
}

/* The memory slot in which the next action will store its first state; NULL: none. */
static HgState landing(HgTrajectory t) {
  const HgAction *const next = &t->gradient.next;
  const bool kept = next->kind == HG_ACTION_ADVANCE && next->saving != HG_SAVING_NONE;
  return kept ? HgStoreSlot(t->store, next->slot) : NULL;
}

static int tier_of(HgTrajectory t, int slot) {
  return HgStoreSlot(t->store, slot) ? HG_MEMORY_TIER : HG_FILE_TIER;
}

static PetscErrorCode keep(HgTrajectory t, int slot, long n, HgState q) {
  HgGradient *const g = &t->gradient;
  const double start = HgCostsClock(&t->costs);
  if (n == 0) g->origin = slot;
  g->slots = PetscMax(g->slots, slot + 1);
  PetscCall(HgStorePut(t->store, slot, n, q));
  HgCostsAdd(&t->costs, HG_COST_WRITE + tier_of(t, slot), 1, start);
  return 0;
}

/* Advances q_n to q_to, which is stored in `last`; NULL: in one of the two `spare` states, which
   hold the states between. */
static PetscErrorCode make_steps(HgTrajectory t, long n, long to, HgState const spare[2],
                                 HgState last, HgState *q) {
  const double start = HgCostsClock(&t->costs);
  const long steps = to - n;
  t->cost.advances += steps;
  for (long s; n < to; n += s) {
    s = HgTrajectoryStride(t, n, to, n >= t->gradient.seen);
    HgState next = n + s == to && last ? last : *q == spare[0] ? spare[1] : spare[0];
    PetscCall(HgProgramSteps(t->program, n, s, t->constants, *q, NULL, HG_SAVE_ALL, next));
    *q = next;
    PetscCall(arrive(t, n + s, next));
    if (n + s < t->end) PetscCall(pass(t, n + s, next));
  }
  HgCostsAdd(&t->costs, HG_COST_ADVANCE, steps, start);
  return 0;
}

/* What to save of the `count` states after q_n: what reversing reads, unless an observer looks at
   one of them. */
static HgSaving saving_of(HgTrajectory t, long n, long count) {
  const bool looked_at = HgTrajectoryNextLook(t, HG_PRIMAL, n + 1) <= n + count ||
                         HgTrajectoryNextLook(t, HG_COTANGENT, n + 1) <= n + count;
  return looked_at ? HG_SAVE_ALL : HG_SAVE_FOR_ADJOINT;
}

/* Advances the live state, one or several steps at a time. Stores it and all states after it but
   the last directly in slots of memory. */
static PetscErrorCode make_and_keep_all(HgTrajectory t, const HgAction *action, HgState *q) {
  HgState between[HG_TIME_BLOCK_MOST];
  const long from = action->from, to = action->to;
  const long first = from - action->slot; /* slot of q_n: n - first */
  const double start = HgCostsClock(&t->costs);
  t->cost.advances += to - from;
  for (long n = from, s; n < to; n += s) {
    s = PetscMin(HgProgramStride(t->program, to - n), HgStoreAtOnce(t->store) - 1);
    for (long k = 1; k < s; k++) between[k - 1] = HgStoreSlot(t->store, (int)(n + k - first));
    HgState next = n + s < to    ? HgStoreSlot(t->store, (int)(n + s - first))
                   : to < t->end ? HgTrajectoryOther(t, *q)
                                 : t->final;
    PetscCall(keep(t, (int)(n - first), n, *q));
    PetscCall(
        HgProgramSteps(t->program, n, s, t->constants, *q, between, saving_of(t, n, s - 1), next));
    for (long k = 1; k < s; k++) {
      PetscCall(keep(t, (int)(n + k - first), n + k, between[k - 1]));
      PetscCall(arrive(t, n + k, between[k - 1]));
    }
    *q = next;
    PetscCall(arrive(t, n + s, next));
    if (n + s < t->end) PetscCall(pass(t, n + s, next));
  }
  HgCostsAdd(&t->costs, HG_COST_ADVANCE, to - from, start);
  return 0;
}

/* Advances the live state block by block. Stores the first state of each block in a slot of either
   tier. */
static PetscErrorCode make_and_keep_firsts(HgTrajectory t, const HgAction *action, HgState *q) {
  for (long k = action->from; k < action->to; k++) {
    const int slot = action->slot + (int)(k - action->from);
    HgState next = k + 1 < action->to ? HgStoreSlot(t->store, slot + 1) : NULL;
    PetscCall(keep(t, slot, HgGradientStep(t, k), *q));
    PetscCall(make_steps(t, HgGradientStep(t, k), HgGradientStep(t, k + 1), t->scratch, next, q));
  }
  return 0;
}

/* bar[1] = lambda_n, from lambda_{n+count} in bar[0], q_n and the states after it (NULL:
   recomputed). */
static PetscErrorCode find_lambda(HgTrajectory t, long n, long count, HgState q,
                                  const HgState between[], double J_bar) {
  PetscCall(HgProgramStepsAdjoint(t->program, n, count, t->constants, q, between,
                                  HgTrajectoryOther(t, q), t->bar[0], t->bar[1], t->constants_bar));
  PetscCall(HgObjectiveGradient(t->objective, n, q, J_bar, t->bar[1]));
  return HgProgramBoundaryAdjoint(t->program, t->bar[1]);
}

/* Reverses steps n .. n + count - 1 in the same way; bar[0] holds lambda_{n+count} before and
   lambda_n after. */
static PetscErrorCode reverse(HgTrajectory t, long n, long count, HgState q,
                              const HgState between[], double J_bar) {
  const double start = HgCostsClock(&t->costs);
  PetscCall(find_lambda(t, n, count, q, between, J_bar));
  const HgState used = t->bar[0];
  t->bar[0] = t->bar[1], t->bar[1] = used;
  t->gradient.back = n;
  if (!between && t->gradient.way.reads_state) t->cost.made_again += count - 1;
  const bool has_q = t->gradient.policy != HG_SCHEDULE_STORE_START;
  PetscCall(
      HgTrajectoryShowState(t, HG_COTANGENT, n, t->bar[0], has_q ? q : NULL, t->constants_bar));
  PetscCall(pass(t, n, NULL));
  HgCostsAdd(&t->costs, HG_COST_REVERSE, count, start);
  return 0;
}

/* The first state of unit `k` of what `action` reverses. That of the last unit is live under all
   policies but store-all; the others are stored, or not read. */
static PetscErrorCode first_state(HgTrajectory t, const HgAction *action, long k, HgState live,
                                  HgState *q) {
  const bool all = t->gradient.policy == HG_SCHEDULE_STORE_ALL;
  *q = live;
  if (action->slot < 0 || (k == action->to - 1 && !all)) return 0;
  return HgStoreGet(t->store, action->slot + (int)(k - action->from), HgGradientStep(t, k),
                    t->scratch[0], q);
}

/* Raises *off to |x - exact| / |exact|, and frees `exact`. */
static PetscErrorCode compare(HgState x, HgState *exact, double *off) {
  double all, difference;
  PetscCall(HgStateDot(*exact, *exact, &all));
  PetscCall(HgStateAXPY(*exact, -1, x));
  PetscCall(HgStateDot(*exact, *exact, &difference));
  if (difference > 0) *off = fmax(*off, sqrt(difference / all)); /* NAN: nothing yet */
  return HgStateDestroy(exact);
}

static PetscErrorCode copy_of(HgState x, HgState *copy) {
  PetscCall(HgStateDuplicate(x, copy));
  return HgStateCopy(x, *copy);
}

/* Reverses the last block twice from lambda_N, and compares lambda and c_bar: first from its states
   before they were rounded, which the store still has, then as all other blocks. c_bar starts at 0
   both times. */
static PetscErrorCode reverse_twice(HgTrajectory t, const HgAction *action, long n, long count,
                                    double J_bar) {
  HgState q[HG_TIME_BLOCK_MOST], exact[2] = {NULL, NULL}, seed;
  const HgState *const between = count > 1 ? q + 1 : NULL;
  for (long k = 0; k < count; k++)
    q[k] = HgStoreSlot(t->store, action->slot + (int)(n + k - action->from));
  PetscCall(copy_of(t->bar[0], &seed));
  PetscCall(find_lambda(t, n, count, q[0], between, J_bar));
  HgStateSwap(seed, t->bar[0]);
  PetscCall(HgStateDestroy(&seed));
  PetscCall(copy_of(t->bar[1], &exact[0]));
  if (t->constants_bar) PetscCall(copy_of(t->constants_bar, &exact[1]));
  PetscCall(HgProgramZeroConstantsBar(t->program, t->constants_bar));
  for (long k = 0; k < count; k++) PetscCall(first_state(t, action, n + k, NULL, &q[k]));
  PetscCall(reverse(t, n, count, q[0], between, J_bar));
  PetscCall(compare(t->bar[0], &exact[0], &t->cost.rounded));
  return exact[1] ? compare(t->constants_bar, &exact[1], &t->cost.rounded) : 0;
}

/* Reverses as many steps at once as have no observed state between them. */
static PetscErrorCode reverse_steps(HgTrajectory t, const HgAction *action, HgState live,
                                    double J_bar) {
  HgState q[HG_TIME_BLOCK_MOST];
  const bool compares =
      HgStoreRounds(t->store) && !t->gradient.given && t->gradient.policy == HG_SCHEDULE_STORE_ALL;
  for (long n = action->to, count; n > action->from; n -= count) {
    count = PetscMin(PetscMin(t->gradient.way.steps, HgStoreAtOnce(t->store)), n - action->from);
    for (long m = n - count; (m = HgTrajectoryNextLook(t, HG_COTANGENT, m + 1)) < n;) count = n - m;
    if (compares && n == t->end) {
      PetscCall(reverse_twice(t, action, n - count, count, J_bar));
      continue;
    }
    for (long k = 0; k < count; k++) PetscCall(first_state(t, action, n - count + k, live, &q[k]));
    const bool between = action->slot >= 0 && count > 1;
    PetscCall(reverse(t, n - count, count, q[0], between ? q + 1 : NULL, J_bar));
  }
  return 0;
}

/* Reverses blocks, each from its first state only. */
static PetscErrorCode reverse_blocks(HgTrajectory t, const HgAction *action, HgState live,
                                     double J_bar) {
  for (long k = action->to - 1; k >= action->from; k--) {
    const long n = HgGradientStep(t, k);
    HgState q;
    PetscCall(first_state(t, action, k, live, &q));
    PetscCall(reverse(t, n, HgGradientStep(t, k + 1) - n, q, NULL, J_bar));
  }
  return 0;
}

/* The last steps up to q_N, from the last live state of the first sweep, which is kept. */
static PetscErrorCode finish_first_sweep(HgTrajectory t, long n, HgState live) {
  HgState q = live, spare[] = {t->final, HgTrajectoryOther(t, live)};
  PetscCall(make_steps(t, n, t->end, spare, NULL, &q));
  if (q != t->final) HgStateSwap(q, t->final);
  return 0;
}

/* Computes J, and the seed lambda_N unless lambda is given. */
static PetscErrorCode turn_round(HgTrajectory t, double J_bar) {
  HgGradient *const g = &t->gradient;
  if (g->given) {
    t->cost.forward_seconds = MPI_Wtime() - g->start;
    g->back = t->end;
    return HgTrajectoryShowState(t, HG_COTANGENT, t->end, t->bar[0], t->final, t->constants_bar);
  }
  PetscCall(HgObjectiveValue(t->objective, &g->J, NULL));
  PetscCall(HgStateZero(t->bar[0]));
  PetscCall(HgObjectiveGradient(t->objective, t->end, t->final, J_bar, t->bar[0]));
  PetscCall(HgProgramBoundaryAdjoint(t->program, t->bar[0]));
  t->cost.forward_seconds = MPI_Wtime() - g->start;
  if (!isfinite(g->J)) return 0;
  g->back = t->end;
  PetscCall(HgTrajectoryShowState(t, HG_COTANGENT, t->end, t->bar[0], t->final, t->constants_bar));
  return pass(t, t->end, NULL);
}

/* ---- windows ---- */

PetscErrorCode HgGradientMakeRoom(HgTrajectory t) {
  if (t->bar[0]) return 0; /* made last: without it some of the others may have found no memory */
  if (!t->constants_bar) PetscCall(HgProgramCreateConstants(t->program, &t->constants_bar));
  if (!t->bar[1]) PetscCall(HgProgramCreateCarried(t->program, &t->bar[1]));
  return HgProgramCreateCarried(t->program, &t->bar[0]);
}

static PetscErrorCode prepare(HgTrajectory t) {
  HgGradient *const g = &t->gradient;
  PetscCall(HgProgramZeroConstantsBar(t->program, t->constants_bar));
  g->seen = 0, g->back = -1, g->origin = -1, g->slots = 0, g->q_0 = NULL, g->given = false;
  t->cost.advances = t->cost.made_again = 0, t->cost.rounded = NAN;
  return 0;
}

/* The window from .. to begins; *live: where q_from is put, which is then that of x but for owned
   cells, unless from = 0. */
static PetscErrorCode open_window(HgTrajectory t, long from, long to, HgState x, HgState *live) {
  HgGradient *const g = &t->gradient;
  if (!HgGradientInBlocks(t)) HgScheduleWindow(t->schedule, from, to);
  else {
    PetscCall(HgGradientCut(t, from, to));
    HgScheduleWindow(t->schedule, 0, HgCutsBlocks(&g->cuts));
  }
  take_action(t);
  HgState slot = landing(t);
  *live = slot ? slot : t->scratch[0];
  if (from == 0) g->q_0 = *live;
  return HgProgramSplitShared(t->program, x, *live, t->constants);
}

/* What the last gradient has kept of the same states is not made again. */
static PetscErrorCode obey_advance_all(HgTrajectory t, const HgAction *action, HgState *live) {
  HgGradient *const g = &t->gradient;
  const bool unchanged = g->again && g->puts == HgStorePuts(t->store);
  if (action->from == 0 && unchanged && g->kept == action->to) {
    g->origin = action->slot, g->slots = (int)action->to, g->seen = t->end;
    *live = t->scratch[1];
    return 0;
  }
  PetscCall(HgGradientInBlocks(t) ? make_and_keep_firsts(t, action, live)
                                  : make_and_keep_all(t, action, live));
  g->kept = action->from == 0 ? action->to : 0;
  g->puts = HgStorePuts(t->store), *g->kept_of = 0;
  return 0;
}

static PetscErrorCode obey_advance(HgTrajectory t, const HgAction *action, HgState *live) {
  const long from = HgGradientStep(t, action->from), to = HgGradientStep(t, action->to);
  if (t->gradient.policy == HG_SCHEDULE_STORE_START && t->gradient.back >= 0)
    return 0; /* no need */
  if (action->saving == HG_SAVING_ALL) return obey_advance_all(t, action, live);
  if (action->saving == HG_SAVING_START) PetscCall(keep(t, action->slot, from, *live));
  const bool last = t->gradient.policy == HG_SCHEDULE_STORE_START;
  return make_steps(t, from, to, t->scratch, last ? t->final : landing(t), live);
}

/* A state from a file is read into the memory slot that will keep it, if there is one. */
static PetscErrorCode obey_restore(HgTrajectory t, const HgAction *action, HgState *live) {
  const long from = HgGradientStep(t, action->from);
  const double start = HgCostsClock(&t->costs);
  HgState slot = landing(t);
  PetscCall(HgStoreGet(t->store, action->slot, from, slot ? slot : t->scratch[0], live));
  HgCostsAdd(&t->costs, HG_COST_READ + tier_of(t, action->slot), 1, start);
  return 0;
}

static PetscErrorCode obey_reverse(HgTrajectory t, const HgAction *action, HgState live,
                                   double J_bar) {
  HgGradient *const g = &t->gradient;
  if (g->back < 0) {
    if (g->seen < t->end) PetscCall(finish_first_sweep(t, HgGradientStep(t, action->to - 1), live));
    if (live == t->scratch[0]) t->scratch[0] = t->scratch[1], t->scratch[1] = live;
    PetscCall(turn_round(t, J_bar));
    if (g->back < 0) return 0; /* the caller may want to try elsewhere */
  }
  return HgGradientInBlocks(t) ? reverse_blocks(t, action, live, J_bar)
                               : reverse_steps(t, action, live, J_bar);
}

/* Runs from q in `live` to the window's end, and back from lambda there, which is seeded at step N
   unless given. */
static PetscErrorCode run_window(HgTrajectory t, HgState live, double J_bar) {
  for (HgAction action; (action = take_action(t)).kind != HG_ACTION_DONE;) switch (action.kind) {
    case HG_ACTION_ADVANCE: PetscCall(obey_advance(t, &action, &live)); break;
    case HG_ACTION_RESTORE: PetscCall(obey_restore(t, &action, &live)); break;
    case HG_ACTION_REVERSE:
      PetscCall(obey_reverse(t, &action, live, J_bar));
      if (t->gradient.back < 0) return 0;
      break;
    case HG_ACTION_DONE: break;
    }
  return 0;
}

/* Restores lambda_n and all that a first sweep leaves behind. */
static PetscErrorCode restore_reverse(HgTrajectory t, HgTrajectoryPlace *place) {
  double J;
  PetscCall(HgStateZero(t->bar[0]));
  place->state = t->bar[0], place->constants_bar = t->constants_bar, place->final = t->final;
  PetscCall(t->keeper.restore(t->keeper.context, place));
  PetscCall(HgObjectiveValue(t->objective, &J, NULL));
  HgRequire(HgTrajectoryComm(t), !memcmp(&J, &place->J, sizeof J), HG_ERR_FILE_DAMAGED,
            "trajectory of '%s': J is %.17g by what was observed up to lambda_%ld, but %.17g was "
            "kept with it",
            HgProgramName(t->program), J, place->n, place->J);
  t->gradient.J = J, t->gradient.back = place->n, t->gradient.seen = t->steps;
  return 0;
}

/* Runs all windows of a gradient from `place` on. If J is not finite, nothing is reversed. */
static PetscErrorCode run_windows(HgTrajectory t, HgTrajectoryPlace *place, HgState x,
                                  double J_bar) {
  HgState live;
  const bool back = place->sweep == HG_COTANGENT;
  const long from = place->sweep == HG_PRIMAL ? place->n : 0;
  PetscCall(open_window(t, from, back ? place->n : t->steps, x, &live));
  if (HgTrajectoryGoesOn(t)) PetscCall(HgObjectiveStart(t->objective));
  if (back) PetscCall(restore_reverse(t, place));
  else if (HgTrajectoryGoesOn(t)) {
    place->state = live;
    PetscCall(t->keeper.restore(t->keeper.context, place));
    HgProgramStartLimits(t->program, from, live);
    t->gradient.seen = t->limits_kept = from;
  } else PetscCall(HgTrajectoryEnter(t, &(HgTrajectoryWindow){.to = t->steps}, live));
  PetscCall(run_window(t, live, J_bar));
  if (!from || t->gradient.back < 0) return 0;
  PetscCall(open_window(t, 0, from, x, &live));
  return run_window(t, live, J_bar);
}

static PetscErrorCode require_store(HgTrajectory t) {
  HgRequire(HgTrajectoryComm(t), t->store, HG_ERR_NO_DERIVATIVE,
            "trajectory of '%s': a gradient is asked for, but it was made without a store, which "
            "gives values only; expected one (-slots, or HgCommon.slots, above 0)",
            HgProgramName(t->program));
  return 0;
}

static const HgTrajectoryStart nowhere = {.sweep = HG_NO_MODE};

/* Records the costs of a gradient of so many steps. */
static PetscErrorCode settle(HgTrajectory t, long steps) {
  HgTrajectoryCost *const c = &t->cost;
  c->gradient_seconds = MPI_Wtime() - t->gradient.start;
  PetscCall(HgCostsAgree(HgTrajectoryComm(t), &t->costs));
  c->steps = steps;
  if (HgTrajectoryGoesOn(t)) c->forward_seconds = NAN; /* in part, or in whole, another run's */
  c->recompute_factor = HgTrajectoryGoesOn(t) ? NAN : (double)c->advances / (double)steps;
  c->gradient_over_forward = c->forward_seconds == 0 ? 0 : c->gradient_seconds / c->forward_seconds;
  return 0;
}

static PetscErrorCode whole(HgTrajectory t, HgState x, double J_bar, double *J, HgState x_bar) {
  HgTrajectoryPlace place = {.sweep = HG_NO_MODE};
  PetscCall(require_store(t));
  PetscCall(HgTrajectoryRequireAlike(t, x, x_bar, "x_bar"));
  if (t->keeper.begin) PetscCall(t->keeper.begin(t->keeper.context, x, J_bar, &place));
  t->gradient.began = (HgTrajectoryStart){x, J_bar, place.sweep, place.n};
  PetscCall(HgTrajectoryBegin(t, HG_COTANGENT));
  PetscCall(HgGradientMakeRoom(t));
  PetscCall(HgGradientPlan(t, x));
  PetscCall(HgTrajectoryTellPlan(t));
  PetscCall(prepare(t));
  PetscCall(run_windows(t, &place, x, J_bar));
  *J = t->gradient.J;
  if (isfinite(*J)) {
    if (t->constants_bar) PetscCall(HgProgramBoundaryAdjoint(t->program, t->constants_bar));
    PetscCall(HgProgramJoin(t->program, t->bar[0], t->constants_bar, x_bar));
  }
  PetscCall(settle(t, t->end));
  if (t->keeper.end) PetscCall(t->keeper.end(t->keeper.context));
  return HgTrajectoryEnd(t, HG_COTANGENT, *J);
}

PetscErrorCode HgTrajectoryGradient(HgTrajectory t, HgState x, double J_bar, double *J,
                                    HgState x_bar) {
  t->gradient.start = MPI_Wtime();
  const PetscErrorCode ierr = whole(t, x, J_bar, J, x_bar);
  t->gradient.began = nowhere;
  if (ierr || t->examined || !isfinite(*J)) return ierr;
  return HgTrajectoryRequireGradient(t, x, J_bar, *J, x_bar);
}

/* ---- a window of the reverse sweep ---- */

static PetscErrorCode run_back(HgTrajectory t, const HgTrajectoryWindow *w, HgState x, double J_bar,
                               HgState x_bar) {
  HgGradient *const g = &t->gradient;
  HgState live;
  PetscCall(HgGradientMakeRoom(t));
  PetscCall(HgGradientPlan(t, x));
  PetscCall(prepare(t));
  PetscCall(open_window(t, w->from, w->to, x, &live));
  g->given = true, g->J = w->J, g->seen = w->from;
  PetscCall(HgStateCopyShared(x_bar, t->bar[0]));
  if (t->constants_bar) PetscCall(HgStateCopyShared(x_bar, t->constants_bar));
  PetscCall(HgTrajectoryEnter(t, w, live));
  PetscCall(run_window(t, live, J_bar));
  PetscCall(HgStateCopyShared(t->bar[0], x_bar));
  if (t->constants_bar) PetscCall(HgStateCopyShared(t->constants_bar, x_bar));
  return settle(t, w->to - w->from);
}

PetscErrorCode HgTrajectoryWindowGradient(HgTrajectory t, const HgTrajectoryWindow *w, HgState x,
                                          double J_bar, HgState x_bar) {
  const HgTrajectoryKeeper keeper = t->keeper;
  t->gradient.start = MPI_Wtime();
  PetscCall(require_store(t));
  HgRequire(
      HgTrajectoryComm(t), !HgObjectiveCoupled(t->objective) || (w->from == 0 && w->to == t->steps),
      HG_ERR_NO_DERIVATIVE,
      "trajectory of '%s': the gradient of steps %ld to %ld alone needs readings of other "
      "steps, as their errors are correlated or shapes compared; expected all steps, 0 to %ld",
      HgProgramName(t->program), w->from, w->to, t->steps);
  HgTrajectoryOnlyAsk(t, &keeper);
  t->end = w->to;
  t->gradient.began = (HgTrajectoryStart){x, J_bar, HG_NO_MODE, 0};
  const PetscErrorCode ierr = run_back(t, w, x, J_bar, x_bar);
  t->gradient.began = nowhere;
  t->keeper = keeper;
  return ierr;
}
