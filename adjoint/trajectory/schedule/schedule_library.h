/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/schedule_library.h -- what other rooms of the library need of schedule.h. */
#ifndef HG_SCHEDULE_LIBRARY_H
#define HG_SCHEDULE_LIBRARY_H

#include <halograd/schedule.h>
#include <petscsys.h>
#include <stdbool.h>

/* A schedule for 1 <= steps <= 10^12 with slots >= 1, one of which holds q_0
   (store-all needs slots >= steps). Memory is one number per slot. Returns 0, or non-zero if out of
   range or out of memory. */
int HgScheduleCreate(HgSchedulePolicy policy, long steps, int slots, HgSchedule *schedule);

/* The multistage schedule for that many slots in files and those in memory after them, at least one
   together. Its table has 4 steps (files + memory) bytes and takes as many comparisons as steps^2 /
   2 (files + memory). Returns 0, or non-zero if out of range or out of memory, or more than 2 10^9
   of these. */
int HgScheduleCreateMultistage(long steps, int files, int memory, const HgScheduleCosts *costs,
                               HgSchedule *schedule);
void HgScheduleDestroy(HgSchedule *schedule);

/* Starts with the first action for `from` .. `to` - 1 alone, 0 <= from <= to <= steps: q_from is
   the live state. Actions count from 0, as ever. Without steps it is done at once. */
void HgScheduleWindow(HgSchedule schedule, long from, long to);

/* The next action. No allocation. */
HgAction HgScheduleNext(HgSchedule schedule);

/* Plays the schedule from where it stands to its end; the first `files` slots are files. Step
   numbers become step_of(context, number), NULL: they stay. */
void HgScheduleCount(HgSchedule schedule, int files, long (*step_of)(void *context, long number),
                     void *context, HgScheduleCounts *counts);

/* The time of what was counted [ns]. */
double HgScheduleTime(const HgScheduleCounts *counts, const HgScheduleCosts *costs);

/* The number of steps that revolve's ADVANCE actions sum to, by the closed form, and the others'
   but for the last; -1 if it overflows or if steps and slots are out of range. */
long HgScheduleAdvances(HgSchedulePolicy policy, long steps, int slots);

/* How long the parts of a gradient take, measured as they run, and agreed upon by all ranks, whose
   schedules are then the same. */

/* A step forward, a step reversed, a state written to a tier, and read: HG_COST_WRITE + tier. */
enum {
  HG_COST_ADVANCE,
  HG_COST_REVERSE,
  HG_COST_WRITE,
  HG_COST_WRITE_FILE,
  HG_COST_READ,
  HG_COST_READ_FILE,
  HG_COSTS,
  HG_COST_NONE = HG_COSTS /* what is no part of the schedule: keepers, observers */
};

typedef struct {
  double seconds[HG_COSTS]; /* of this rank, since the last agreement */
  long count[HG_COSTS];
  double each[HG_COSTS]; /* [s] as agreed; NAN: not measured yet */
  PetscBool given;       /* by the user: not measured at all */
  double counted;        /* [s] of this rank in all that was added */
} HgCosts;

/* Nothing is known. */
void HgCostsReset(HgCosts *costs);

/* A clock that has stood still during all that was added. */
double HgCostsClock(const HgCosts *costs);

/* `count` of a kind have run since HgCostsClock() was `start`, without what was added in between.
   */
void HgCostsAdd(HgCosts *costs, int kind, long count, double start);

/* `each` of what has run since the last time becomes its mean over all ranks, of which each spends
   its time on one kind or another, or waits for the others in it; of the rest it stays. The kinds
   that have run are the same on all ranks. Collective. */
PetscErrorCode HgCostsAgree(MPI_Comm comm, HgCosts *costs);

/* What a schedule is told [ns] whose unit is so many steps; kinds not measured cost nothing. */
HgScheduleCosts HgCostsOfUnit(const HgCosts *costs, double steps);

/* Where a window of steps is cut into blocks, each of which is reversed at once: at every step that
   is looked at, and between two of these into blocks of about equal length. */

typedef long HgCutFn(void *context, long n); /* the first step from n on that is looked at */

typedef struct {
  long step, block; /* block `block` begins at `step` */
} HgCut;

typedef struct {
  long longest; /* steps of a block, at most */
  long cuts, room;
  HgCut *cut; /* the first and the last step of the window, and those looked at between them */
} HgCuts;

/* Cuts steps from .. to - 1, from <= to, into blocks of at most `longest` steps. Memory and time go
   with the steps that are looked at; where these are more than HG_CUTS, each step is a block. Not
   collective. */
enum { HG_CUTS = 1 << 22 };

PetscErrorCode HgCutsMake(HgCuts *cuts, long from, long to, long longest, HgCutFn *next,
                          void *context);
PetscErrorCode HgCutsFree(HgCuts *cuts);

long HgCutsBlocks(const HgCuts *cuts);

/* The first step of a block; HgCutsStep(cuts, HgCutsBlocks(cuts)) = to. */
long HgCutsStep(const HgCuts *cuts, long block);

#endif
