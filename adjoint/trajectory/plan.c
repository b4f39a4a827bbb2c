/* SPDX-License-Identifier: BSD-2-Clause */
/* How the next gradient is made: how blocks are reversed, under which schedule, and what that will
   take. */
#include "gradient_private.h"
#include <halograd/options_library.h>
#include <math.h>
#include <string.h>

/* Whether the states before all steps fit into memory. */
static bool all_can_be_kept(HgTrajectory t) {
  return HgStoreSlots(t->store) >= t->steps && HgStoreFiles(t->store) == 0;
}

/* Whether the reverse sweep reads no state but the last. */
static bool forgets(HgTrajectory t) {
  if (t->gradient.way.reads_state) return false;
  return HgObjectiveNextRead(t->objective, 0) >= t->steps && !HgTrajectoryLooksAtStates(t);
}

/* ---- the first measurement ---- */

enum { TRIALS = 5 };

/* Runs and reverses steps from q_0 of x, to measure them. The first trial, which also sets up what
   is created at first use, does not count. */
static PetscErrorCode try_steps(HgTrajectory t, HgState x) {
  HgState q[] = {t->scratch[0], t->scratch[1]};
  const long ahead = HgProgramStride(t->program, t->steps),
             back = PetscMin(t->gradient.way.steps, t->steps);
  PetscCall(HgProgramSplitShared(t->program, x, q[0], t->constants));
  for (int k = 0; k < TRIALS; k++) {
    double start = HgCostsClock(&t->costs);
    PetscCall(
        HgProgramSteps(t->program, 0, ahead, t->constants, q[0], NULL, HG_SAVE_ALL, t->final));
    if (k) HgCostsAdd(&t->costs, HG_COST_ADVANCE, ahead, start);
    PetscCall(HgStateCopy(t->final, t->bar[0]));
    PetscCall(HgProgramBoundaryAdjoint(t->program, t->bar[0]));
    start = HgCostsClock(&t->costs);
    PetscCall(HgProgramStepsAdjoint(t->program, 0, back, t->constants, q[0], NULL, q[1], t->bar[0],
                                    t->bar[1], t->constants_bar));
    PetscCall(HgProgramBoundaryAdjoint(t->program, t->bar[1]));
    if (k) HgCostsAdd(&t->costs, HG_COST_REVERSE, back, start);
  }
  return 0;
}

/* Writes q_0, left behind by try_steps(), to a slot of each tier and reads it again. */
static PetscErrorCode try_slots(HgTrajectory t) {
  const int files = HgStoreFiles(t->store), slots = HgStoreSlots(t->store);
  for (int k = 0; k < TRIALS; k++)
    for (int tier = 0; tier < HG_TIERS; tier++) {
      const int slot = tier == HG_FILE_TIER ? 0 : files;
      HgState got;
      if (tier == HG_FILE_TIER ? !files : files == slots) continue;
      double start = HgCostsClock(&t->costs);
      PetscCall(HgStorePut(t->store, slot, 0, t->scratch[0]));
      HgCostsAdd(&t->costs, HG_COST_WRITE + tier, 1, start);
      start = HgCostsClock(&t->costs);
      PetscCall(HgStoreGet(t->store, slot, 0, t->scratch[1], &got));
      HgCostsAdd(&t->costs, HG_COST_READ + tier, 1, start);
    }
  return 0;
}

/* ---- schedules ---- */

/* Whether the schedule leaves the last unit to the reverse sweep. */
static bool ends_before_last(HgTrajectory t) {
  return t->gradient.policy != HG_SCHEDULE_STORE_ALL &&
         t->gradient.policy != HG_SCHEDULE_STORE_START;
}

bool HgGradientInBlocks(HgTrajectory t) { return ends_before_last(t) && !t->gradient.way.stored; }

static long next_look(void *self, long n) { return HgTrajectoryNextLook(self, HG_COTANGENT, n); }

PetscErrorCode HgGradientCut(HgTrajectory t, long from, long to) {
  return HgCutsMake(&t->gradient.cuts, from, to, t->gradient.way.steps, next_look, t);
}

long HgGradientStep(HgTrajectory t, long unit) {
  return HgGradientInBlocks(t) ? HgCutsStep(&t->gradient.cuts, unit) : unit;
}

static PetscErrorCode count_units(HgTrajectory t, long *units) {
  HgGradient *const g = &t->gradient;
  *units = t->steps;
  if (!HgGradientInBlocks(t)) return 0;
  PetscCall(HgGradientCut(t, 0, t->steps));
  *units = HgCutsBlocks(&g->cuts);
  return 0;
}

static bool alike(long a, long b) { return labs(a - b) <= PetscMax(a, b) / 10; }

static bool costs_alike(const HgScheduleCosts *a, const HgScheduleCosts *b) {
  bool same = alike(a->advance, b->advance) && alike(a->reverse, b->reverse);
  for (int k = 0; k < HG_TIERS; k++)
    same = same && alike(a->write[k], b->write[k]) && alike(a->read[k], b->read[k]);
  return same;
}

/* *made: the schedule of least time was created; false on all ranks if one has no room for its
   table. */
static PetscErrorCode make_multistage(HgTrajectory t, long units, bool *made) {
  HgGradient *const g = &t->gradient;
  const int files = HgStoreFiles(t->store);
  *made = !HgScheduleCreateMultistage(units, files, HgStoreSlots(t->store) - files, &g->costs,
                                      &t->schedule);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, made, 1, MPI_C_BOOL, MPI_LAND, HgTrajectoryComm(t)));
  if (!*made) HgScheduleDestroy(&t->schedule);
  return 0;
}

/* Creates the schedule of the policy, again if it or its inputs have changed. */
static PetscErrorCode make_schedule(HgTrajectory t, HgSchedulePolicy before) {
  HgGradient *const g = &t->gradient;
  const long units_before = g->units;
  const HgScheduleCosts costs_before = g->costs;
  bool made = false;
  PetscCall(count_units(t, &g->units));
  g->costs = HgCostsOfUnit(&t->costs, (double)t->steps / (double)g->units);
  bool keep = t->schedule && g->policy == before;
  if (g->policy == HG_SCHEDULE_MULTISTAGE)
    keep = keep && g->units == units_before && costs_alike(&g->costs, &costs_before);
  if (keep) {
    g->costs = costs_before;
    return 0;
  }
  HgScheduleDestroy(&t->schedule);
  if (g->policy == HG_SCHEDULE_MULTISTAGE) {
    PetscCall(make_multistage(t, g->units, &made));
    if (made) return 0;
    g->policy = HG_SCHEDULE_REVOLVE;
  }
  const int slots = HgStoreSlots(t->store);
  return HgAgree(HgTrajectoryComm(t),
                 HgScheduleCreate(g->policy, t->steps, slots, &t->schedule) != 0, HG_ERR_MEMORY,
                 "trajectory: no schedule, or no memory for it, for %ld steps and %d slots",
                 t->steps, slots);
}

/* ---- what it will take ---- */

enum { PLAYED = 1 << 20 }; /* units of a schedule that is played to be counted, at most */

static long step_of(void *self, long unit) { return HgGradientStep(self, unit); }

/* Counts the actions of the schedule by playing it. For more units it uses the closed form, as if
   all units had the mean length, and without copies of states. Returns false for too many steps to
   count. */
static bool count(HgTrajectory t, int files, HgScheduleCounts *counts) {
  const HgGradient *const g = &t->gradient;
  const int slots = HgStoreSlots(t->store);
  if (!ends_before_last(t) || g->units <= PLAYED) {
    HgScheduleWindow(t->schedule, 0, g->units);
    HgScheduleCount(t->schedule, files, step_of, t, counts);
    if (ends_before_last(t)) counts->advances += t->steps - HgGradientStep(t, g->units - 1);
    return true;
  }
  const long units = HgScheduleAdvances(g->policy, g->units, slots);
  const double advances = (double)t->steps / (double)g->units * ((double)units + 1);
  *counts = (HgScheduleCounts){.advances = (long)PetscMin(advances, 9e18),
                               .reverses = t->steps,
                               .slots = {slots - files, files}};
  return units >= 0;
}

static PetscErrorCode predict(HgTrajectory t) {
  static const char *const names[] = {"store-all", "revolve", "store-start", "multistage"};
  const HgGradient *const g = &t->gradient;
  HgTrajectoryPlan *const p = &t->plan;
  HgScheduleCounts counts;
  const int files = HgStoreFiles(t->store);
  size_t bytes[HG_TIERS];
  *p = (HgTrajectoryPlan){.policy = names[g->policy],
                          .units = g->units,
                          .blocks = HgGradientInBlocks(t),
                          .rounded = HgStoreRounds(t->store),
                          .recompute_factor = NAN,
                          .seconds = NAN};
  HgStoreBytes(t->store, &bytes[HG_MEMORY_TIER], &bytes[HG_FILE_TIER]);
  for (int k = 0; k < HG_TIERS; k++) p->bytes[k] = (double)bytes[k];
  p->live_bytes = (double)HgTrajectoryLiveBytes(t);
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, p->bytes, HG_TIERS, MPI_DOUBLE, MPI_SUM, HgTrajectoryComm(t)));
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &p->live_bytes, 1, MPI_DOUBLE, MPI_SUM, HgTrajectoryComm(t)));
  const bool counted = count(t, files, &counts);
  memcpy(p->slots, counts.slots, sizeof p->slots);
  if (!counted) return 0;
  p->recompute_factor = (double)counts.advances / (double)t->steps;
  if (t->costs.given || isnan(t->costs.each[HG_COST_ADVANCE])) return 0;
  const HgScheduleCosts of_step = HgCostsOfUnit(&t->costs, 1);
  p->seconds = 1e-9 * HgScheduleTime(&counts, &of_step);
  return 0;
}

/* Sets the costs that multistage needs: measured, or given by -hg_file_cost. */
static PetscErrorCode set_costs(HgTrajectory t, HgState x) {
  HgCosts *const c = &t->costs;
  PetscReal steps = -1; /* not given */
  if (t->gradient.policy != HG_SCHEDULE_MULTISTAGE) return 0;
  PetscCall(HgOptionReadReal(HgTrajectoryComm(t), "-hg_file_cost", 0, 1e6, &steps));
  c->given = steps >= 0;
  if (c->given) {
    *c = (HgCosts){.given = true, .each = {1e-3, 3e-3, 0, 1e-3 * steps, 0, 1e-3 * steps}};
    return 0;
  }
  if (!isnan(c->each[HG_COST_WRITE + HG_FILE_TIER])) return 0;
  PetscCall(try_steps(t, x));
  PetscCall(try_slots(t));
  return HgCostsAgree(HgTrajectoryComm(t), c);
}

/* The cost of a gradient of the whole run under revolve, with the numbers of HgReversal; INFINITY:
   unknown. */
static double revolve_cost(HgTrajectory t, HgReversal way, long steps_of_unit) {
  const long units = (t->steps + steps_of_unit - 1) / steps_of_unit;
  const long advances = HgScheduleAdvances(HG_SCHEDULE_REVOLVE, units, HgStoreSlots(t->store));
  if (advances < 0) return INFINITY;
  return (double)advances * (double)steps_of_unit * way.ahead + (double)t->steps * way.back;
}

/* If memory has too few slots for all states, chooses between two ways: steps reversed from stored
   states, only at the ends of revolve's recursion, or blocks from their first states. */
static PetscErrorCode choose_way(HgTrajectory t, bool all) {
  HgReversal *const way = &t->gradient.way, stored;
  PetscCall(HgProgramReversal(t->program, all, way));
  if (HgStoreRounds(t->store) && !way->stored) way->steps = 1;
  if (all || HgStoreFiles(t->store)) return 0;
  PetscCall(HgProgramReversal(t->program, true, &stored));
  if (stored.stored && revolve_cost(t, stored, 1) < revolve_cost(t, *way, way->steps))
    *way = stored;
  return 0;
}

/* States recomputed from rounded ones would depend on which of them were stored. */
static PetscErrorCode require_room(HgTrajectory t, bool all) {
  HgRequire(HgTrajectoryComm(t), all || !HgStoreRounds(t->store) || forgets(t),
            HG_ERR_OPTION_CONFLICT,
            "option -checkpoint_storage single: %d states are kept of %ld steps, expected all, as "
            "none is to be made again from a rounded one (-slots %ld, or more -checkpoint_memory)",
            HgStoreSlots(t->store), t->steps, t->steps);
  return 0;
}

PetscErrorCode HgGradientPlan(HgTrajectory t, HgState x) {
  HgGradient *const g = &t->gradient;
  const HgSchedulePolicy before = g->policy;
  const long steps = g->way.steps;
  const bool can = all_can_be_kept(t);
  PetscCall(choose_way(t, can));
  PetscCall(require_room(t, can));
  g->policy = forgets(t)                                    ? HG_SCHEDULE_STORE_START
              : can && (g->way.stored || g->way.steps == 1) ? HG_SCHEDULE_STORE_ALL
              : HgStoreFiles(t->store)                      ? HG_SCHEDULE_MULTISTAGE
                                                            : HG_SCHEDULE_REVOLVE;
  PetscCall(set_costs(t, x));
  PetscCall(make_schedule(t, before));
  if (g->policy != before || g->way.steps != steps || HgStoreRounds(t->store)) g->kept = 0;
  return predict(t);
}
