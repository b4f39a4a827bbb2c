/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/schedule_library.h -- what other rooms of the library need of schedule.h. */
#ifndef HG_SCHEDULE_LIBRARY_H
#define HG_SCHEDULE_LIBRARY_H

#include <halograd/schedule.h>
#include <petscsys.h>
#include <stdbool.h>

/* Creates a schedule for 1 <= steps <= 10^12 with slots >= 1, one of which holds q_0 (store-all
   needs slots >= steps). It takes one number of memory per slot. Returns 0; non-zero if out of
   range or out of memory. */
int HgScheduleCreate(HgSchedulePolicy policy, long steps, int slots, HgSchedule *schedule);

/* Creates the multistage schedule for `files` slots in files and then `memory` slots in memory,
   together at least one. Its table has 4 steps (files + memory) bytes and takes steps^2 / 2 (files
   + memory) comparisons. Returns 0; non-zero if out of range, out of memory, or for more than 2
   10^9 comparisons. */
int HgScheduleCreateMultistage(long steps, int files, int memory, const HgScheduleCosts *costs,
                               HgSchedule *schedule);
void HgScheduleDestroy(HgSchedule *schedule);

/* Starts again, for steps `from` .. `to` - 1 only, 0 <= from <= to <= steps; q_from is the live
   state. Step numbers of actions still count from 0. Without steps the schedule is done. */
void HgScheduleWindow(HgSchedule schedule, long from, long to);

/* The next action. Allocates nothing. */
HgAction HgScheduleNext(HgSchedule schedule);

/* Counts the actions from the present position to the end; the first `files` slots are files.
   step_of() turns numbers of actions into steps; NULL: they are steps. */
void HgScheduleCount(HgSchedule schedule, int files, long (*step_of)(void *context, long number),
                     void *context, HgScheduleCounts *counts);

/* The time of what was counted [ns]. */
double HgScheduleTime(const HgScheduleCounts *counts, const HgScheduleCosts *costs);

/* The steps that all ADVANCE actions sum to: of revolve by the closed form; of the others without
   the last step. -1: overflow, or steps or slots out of range. */
long HgScheduleAdvances(HgSchedulePolicy policy, long steps, int slots);

/* Costs: how long the parts of a gradient take. They are measured while they run; all ranks agree
   on them, so that all make the same schedule. */

/* Kinds: a step forward, a step reversed, a state written to a tier, a state read. The kind of a
   tier is HG_COST_WRITE + tier or HG_COST_READ + tier. */
enum {
  HG_COST_ADVANCE,
  HG_COST_REVERSE,
  HG_COST_WRITE,
  HG_COST_WRITE_FILE,
  HG_COST_READ,
  HG_COST_READ_FILE,
  HG_COSTS,
  HG_COST_NONE = HG_COSTS /* not part of the schedule: keepers, observers */
};

typedef struct {
  double seconds[HG_COSTS]; /* of this rank, since the last agreement */
  long count[HG_COSTS];
  double each[HG_COSTS]; /* [s] as agreed; NAN: not measured yet */
  PetscBool given;       /* given by the user, not measured */
  double counted;        /* [s] of this rank, of all that was added */
} HgCosts;

/* Forgets all measurements. */
void HgCostsReset(HgCosts *costs);

/* A clock that stands still during all that is added. */
double HgCostsClock(const HgCosts *costs);

/* Adds `count` parts of a kind that have run since HgCostsClock() was `start`; what was added in
   between does not count again. */
void HgCostsAdd(HgCosts *costs, int kind, long count, double start);

/* Sets `each` of the kinds that have run since the last call to the mean over all ranks; the others
   do not change. The kinds must be the same on all ranks. Collective. */
PetscErrorCode HgCostsAgree(MPI_Comm comm, HgCosts *costs);

/* The costs [ns] for a schedule whose unit is `steps` steps; kinds not measured cost 0. */
HgScheduleCosts HgCostsOfUnit(const HgCosts *costs, double steps);

/* Cuts: a window of steps is cut into blocks, each reversed at once. Cuts are at every step that is
   observed, and between two of these at about equal distances. */

typedef long HgCutFn(void *context, long n); /* the first step from n on that is observed */

typedef struct {
  long step, block; /* block `block` begins at `step` */
} HgCut;

typedef struct {
  long longest; /* most steps of a block */
  long cuts, room;
  HgCut *cut; /* first and last step of the window, and those observed between them */
} HgCuts;

/* Cuts steps from .. to - 1, from <= to, into blocks of at most `longest` steps. Memory and time
   grow with the number of observed steps; if that is more than HG_CUTS, each step is a block. Not
   collective. */
enum { HG_CUTS = 1 << 22 };

PetscErrorCode HgCutsMake(HgCuts *cuts, long from, long to, long longest, HgCutFn *next,
                          void *context);
PetscErrorCode HgCutsFree(HgCuts *cuts);

long HgCutsBlocks(const HgCuts *cuts);

/* The first step of a block; HgCutsStep(cuts, HgCutsBlocks(cuts)) = to. */
long HgCutsStep(const HgCuts *cuts, long block);

#endif
