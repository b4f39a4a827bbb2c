/* halograd/schedule.h -- which step to advance, store, restore, reverse next. Plain C, integers
   only.

   A schedule is an iterator over actions, each to be read as a sentence about the live state q:
     STORE   q_from is kept in `slot`                    (live state is q_from)
     ADVANCE q_from becomes q_to, from < to              (live state was q_from)
     RESTORE q_from of `slot` becomes the live state     (the slot keeps it)
     REVERSE step `from` -> `to` = from + 1 is reversed  (live state is q_from, q_bar was of q_to)
     DONE    every step has been reversed
   The first sweep ends with the live state q_{N-1}; the first REVERSE then covers step N-1 -> N.
   Counting: ADVANCE steps only, the first sweep included, the step inside a REVERSE not.
   Revolve is optimal:
     t(N, S) = r N - C(S + r, r - 1) with r the smallest such that C(S + r, S) >= N.
   Of the optimal schedules ours stores the fewest states. Its slots are a stack: slot k holds an
   earlier state than slot k + 1. With slots >= steps - 1 it is store-all: q_0 .. q_{N-2} are
   stored, no step is advanced twice.
   Source: Griewank & Walther, Algorithm 799, ACM TOMS 26 (2000). */
#ifndef HALOGRAD_SCHEDULE_H
#define HALOGRAD_SCHEDULE_H

typedef enum {
  HG_ACTION_STORE,
  HG_ACTION_ADVANCE,
  HG_ACTION_RESTORE,
  HG_ACTION_REVERSE,
  HG_ACTION_DONE
} HgActionKind;

typedef struct {
  HgActionKind kind;
  long from, to; /* steps; to is used by ADVANCE and REVERSE */
  int slot;      /* STORE, RESTORE; else -1 */
} HgAction;

typedef enum { HG_SCHEDULE_STORE_ALL, HG_SCHEDULE_REVOLVE } HgSchedulePolicy;
typedef struct HgSchedule_s *HgSchedule;

/* A schedule for 1 <= steps <= 10^12 with slots >= 1, one of which holds q_0 (store-all needs
   slots >= steps). Memory is one number per slot. Returns 0, or non-zero if out of range or out
   of memory. */
int HgScheduleCreate(HgSchedulePolicy policy, long steps, int slots, HgSchedule *schedule);
void HgScheduleDestroy(HgSchedule *schedule);

/* Starts again from the first action. */
void HgScheduleRewind(HgSchedule schedule);

/* Starts with the first action for steps `from` .. `to` - 1 alone, 0 <= from <= to <= steps: q_from is
   the live state, and what is to be kept of it is stored first. Actions count steps from 0, as ever.
   Without steps it is done at once. */
void HgScheduleWindow(HgSchedule schedule, long from, long to);

/* The next action. No allocation. */
HgAction HgScheduleNext(HgSchedule schedule);

/* How many slots the schedule really uses. */
int HgScheduleSlots(HgSchedule schedule);

/* The number of steps all ADVANCE actions sum to, by the closed form; -1 if it overflows or if
   steps and slots are out of range. */
long HgScheduleAdvances(HgSchedulePolicy policy, long steps, int slots);

/* Name of an action ("advance", ...), for messages. */
const char *HgActionName(HgActionKind kind);

#endif
