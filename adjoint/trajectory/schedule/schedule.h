/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/schedule.h -- which steps to advance, store, restore and reverse next. Plain C, integers
   only.

   A schedule is an iterator over actions on ranges [from, to). Read each as a sentence about the
   live state q:
     ADVANCE q_from becomes q_to, from < to (the live state was q_from). `saving` says what is
             stored: nothing; the start: q_from in `slot`; all: q_from .. q_(to-1) in `slot` and
             the slots after it
     RESTORE q_from of `slot` becomes the live state (the slot keeps it)
     REVERSE q_bar of `to` becomes that of `from` (the live state is q_(to-1); the states before it
             are in `slot` and the slots after it)
     DONE    everything has been reversed
   The numbers count steps, or blocks of steps if blocks are reversed at once. Advances count
   ADVANCE only, including the forward sweep, not what a REVERSE recomputes.

   Store-all saves all of [0, N) and reverses [0, N); it also takes the last state from its slot.
   Store-start saves q_0 alone and reverses [0, N), for adjoints that read no state. Revolve
   reverses step by step. But if there are as many free slots as states before the last step, it
   saves all of these states, a second time the one it stands at if that is already stored, and
   reverses them at once. Its forward sweep ends with q_(N-1) live, from which the last step is
   reversed. It is optimal:
     t(N, S) = r N - C(S + r, r - 1) with r the smallest such that C(S + r, S) >= N.
   Of the optimal schedules, ours stores the fewest states. Its slots are a stack: slot k holds an
   earlier state than slot k + 1. With slots >= N - 1 no step is advanced twice. Source: Griewank &
   Walther, Algorithm 799, ACM TOMS 26 (2000).

   Multistage has slots of two tiers and takes the least time for the given costs of a step and of a
   slot of each tier. It, too, reverses step by step. Source: Herrmann & Pallez, H-Revolve, ACM TOMS
   46 (2020). */
#ifndef HALOGRAD_SCHEDULE_H
#define HALOGRAD_SCHEDULE_H

typedef enum {
  HG_ACTION_ADVANCE,
  HG_ACTION_RESTORE,
  HG_ACTION_REVERSE,
  HG_ACTION_DONE
} HgActionKind;

typedef enum { HG_SAVING_NONE, HG_SAVING_START, HG_SAVING_ALL } HgActionSaving;

typedef struct {
  HgActionKind kind;
  long from, to;
  HgActionSaving saving; /* of ADVANCE */
  int slot;              /* RESTORE, ADVANCE that saves, REVERSE of what was saved; else -1 */
} HgAction;

typedef enum {
  HG_SCHEDULE_STORE_ALL,
  HG_SCHEDULE_REVOLVE,
  HG_SCHEDULE_STORE_START,
  HG_SCHEDULE_MULTISTAGE
} HgSchedulePolicy;

/* Kinds of slots: the slots below some number are files, the others memory. */
enum { HG_MEMORY_TIER, HG_FILE_TIER, HG_TIERS };

/* Costs [ns]; pass the same on all ranks that need the same schedule. */
typedef struct {
  long advance, reverse;                /* a step */
  long write[HG_TIERS], read[HG_TIERS]; /* a state */
} HgScheduleCosts;

/* A schedule and its position. */
typedef struct HgSchedule_s *HgSchedule;

/* What a schedule does in total. */
typedef struct {
  long advances, reverses; /* steps, including those advanced in a range reversed at once */
  long writes[HG_TIERS], reads[HG_TIERS]; /* states */
  int slots[HG_TIERS];                    /* used */
} HgScheduleCounts;

#endif
