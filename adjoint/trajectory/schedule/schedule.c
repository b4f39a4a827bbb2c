/* SPDX-License-Identifier: BSD-2-Clause */
/* Binomial checkpointing as an iterator. What is kept is a stack, each state later than the one
   below it, so the top is the start of the steps that are reversed next: slot k holds the k-th. */
#include "multistage_private.h"
#include <halograd/memory_library.h>
#include <halograd/schedule_library.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

__extension__ typedef __int128 Wide; /* products of two counts */
#define STEPS_LARGEST 1000000000000  /* keeps every binomial below within 128 bits */

struct HgSchedule_s {
  HgSchedulePolicy policy;
  HgMultistage multistage; /* NULL: another policy */
  long steps;
  int slots;   /* really used */
  int usable;  /* of them, for the window */
  long from;   /* the window's first step */
  int stored;  /* slots in use now */
  long live;   /* index of the live state, -1: none */
  long end;    /* steps from end on have been reversed */
  long range;  /* revolve: states from that step to the live one are all kept; -1: they are not */
  long kept[]; /* [slots]: the state in each of `stored` slots */
};

static bool out_of_range(HgSchedulePolicy policy, long steps, int slots) {
  if ((unsigned)policy > HG_SCHEDULE_MULTISTAGE || policy == HG_SCHEDULE_MULTISTAGE) return true;
  return steps < 1 || steps > STEPS_LARGEST || slots < 1 ||
         (policy == HG_SCHEDULE_STORE_ALL && slots < steps);
}

/* The smallest r >= 1 with reach = C(s + r, s) >= n: s slots reverse at most `reach` steps if no
   step is advanced more than r times; *before = C(s + r - 1, s). Takes about (s! n)^(1/s) rounds,
   fewer than the steps reversed until the next call. */
static long repetitions(long n, long s, Wide *before, Wide *reach) {
  long r = 1;
  *before = 1, *reach = s + 1;
  while (*reach < n) {
    r++;
    *before = *reach;
    *reach = *reach * (s + r) / r;
  }
  return r;
}

/* How far to advance from a stored state with n >= 2 steps ahead and s slots, including the state's
   own. Of the optimal answers, the one that stores the fewest states. Source: adj.c of Algorithm
   799. */
static long advance_length(long n, long s) {
  if (s == 1) return n - 1;
  Wide before, reach;
  const Wide r = repetitions(n, s, &before, &reach);
  const Wide one_less = before * s / (s + r - 1);                         /* C(s-1 + r-1, r-1) */
  const Wide two_less = s + r > 2 ? one_less * (s - 1) / (s + r - 2) : 0; /* C(s-2 + r-1, r-1) */
  const Wide shorter = before * (r - 1) / (s + r - 1);                    /* C(s + r-2, s) */
  Wide three_less = 0;                                                    /* C(s-3 + r, r) */
  if (s >= 3) three_less = reach * s / (s + r) * (s - 1) / (s + r - 1) * (s - 2) / (s + r - 2);
  if (n <= before + two_less) return shorter > 1 ? (long)shorter : 1;
  if (n >= reach - three_less) return (long)before;
  return (long)(n - one_less - two_less);
}

int HgScheduleCreate(HgSchedulePolicy policy, long steps, int slots, HgSchedule *schedule) {
  *schedule = NULL;
  if (out_of_range(policy, steps, slots)) return 1;
  /* revolve never stores q_{N-1}: it is live when its step is reversed */
  const long most = policy == HG_SCHEDULE_STORE_ALL     ? steps
                    : policy == HG_SCHEDULE_STORE_START ? 1
                                                        : steps - 1;
  const long used = most < slots ? most : slots;
  HgSchedule s = HgAllocate(1, sizeof *s + (size_t)used * sizeof s->kept[0]);
  if (!s) return 1;
  s->policy = policy, s->steps = steps, s->slots = (int)used;
  HgScheduleWindow(s, 0, steps);
  *schedule = s;
  return 0;
}

int HgScheduleCreateMultistage(long steps, int files, int memory, const HgScheduleCosts *costs,
                               HgSchedule *schedule) {
  *schedule = NULL;
  if (steps < 1 || files < 0 || memory < 0 || memory > INT_MAX - files || files + memory < 1)
    return 1;
  HgSchedule s = HgAllocate(1, sizeof *s);
  if (!s) return 1;
  *s = (struct HgSchedule_s){.policy = HG_SCHEDULE_MULTISTAGE, .steps = steps};
  s->slots = files + memory;
  s->multistage = HgMultistageCreate(steps, files, memory, costs);
  *schedule = s;
  if (!s->multistage) HgScheduleDestroy(schedule);
  return !*schedule;
}

void HgScheduleDestroy(HgSchedule *schedule) {
  if (*schedule) HgMultistageDestroy(&(*schedule)->multistage);
  free(*schedule);
  *schedule = NULL;
}

void HgScheduleWindow(HgSchedule s, long from, long to) {
  if (s->multistage) {
    HgMultistageWindow(s->multistage, from, to);
    return;
  }
  const long most = to - from < 2 ? 1 : to - from - 1;
  s->usable = most < s->slots ? (int)most : s->slots;
  s->from = from, s->stored = 0, s->live = from, s->end = to, s->range = -1;
}

static HgAction done(void) { return (HgAction){.kind = HG_ACTION_DONE, .slot = -1}; }

static HgAction restore_top(HgSchedule s) {
  const int top = s->stored - 1;
  s->live = s->kept[top];
  return (HgAction){HG_ACTION_RESTORE, s->live, s->live, HG_SAVING_NONE, top};
}

/* The slot of the first state of the range that is stored completely. */
static int slot_of_range(HgSchedule s) {
  const int top = s->stored - 1;
  return top >= 0 && s->kept[top] == s->range ? top : s->stored;
}

/* Reverses the last step, or all steps whose states are stored (the last one's is live). */
static HgAction reverse_last(HgSchedule s) {
  HgAction a = {HG_ACTION_REVERSE, s->end - 1, s->end, HG_SAVING_NONE, -1};
  if (s->range >= 0) a.from = s->range, a.slot = slot_of_range(s);
  s->end = a.from, s->live = s->range = -1;
  if (s->stored && s->kept[s->stored - 1] == s->end) s->stored--; /* its step is done */
  return a;
}

/* Advances to the last step if there are slots for the states before it, else less far. */
static HgAction advance(HgSchedule s) {
  const long from = s->live;
  const bool kept = s->stored && s->kept[s->stored - 1] == from;
  HgAction a = {HG_ACTION_ADVANCE, from, s->end - 1, HG_SAVING_ALL, s->stored - kept};
  if (s->policy == HG_SCHEDULE_REVOLVE && a.to - from <= s->usable - a.slot) {
    s->range = from, s->live = a.to;
    return a;
  }
  a.saving = kept ? HG_SAVING_NONE : HG_SAVING_START, a.slot = kept ? -1 : s->stored;
  if (!kept) s->kept[s->stored++] = from;
  a.to = s->live += advance_length(s->end - from, s->usable - (s->stored - 1));
  return a;
}

static HgAction next_of_revolve(HgSchedule s) {
  if (s->end <= s->from) return done();
  if (s->live < 0) return restore_top(s);
  return s->live == s->end - 1 ? reverse_last(s) : advance(s);
}

/* Advances the whole range, then reverses it. */
static HgAction next_of_range(HgSchedule s, HgActionSaving saving) {
  const long from = s->from, to = s->end;
  if (to <= from) return done();
  if (s->live == from) {
    s->live = to;
    return (HgAction){HG_ACTION_ADVANCE, from, to, saving, 0};
  }
  s->end = from;
  return (HgAction){HG_ACTION_REVERSE, from, to, HG_SAVING_NONE, saving == HG_SAVING_ALL ? 0 : -1};
}

HgAction HgScheduleNext(HgSchedule s) {
  switch (s->policy) {
  case HG_SCHEDULE_STORE_ALL: return next_of_range(s, HG_SAVING_ALL);
  case HG_SCHEDULE_STORE_START: return next_of_range(s, HG_SAVING_START);
  case HG_SCHEDULE_MULTISTAGE: return HgMultistageNext(s->multistage);
  default: return next_of_revolve(s);
  }
}

/* Counts a write or read of the states first .. first + count - 1. */
static void count_slots(HgScheduleCounts *c, long visits[HG_TIERS], int files, long first,
                        long count) {
  for (long k = first; k < first + count; k++) {
    const int tier = k < files ? HG_FILE_TIER : HG_MEMORY_TIER;
    const long used = tier == HG_FILE_TIER ? k + 1 : k + 1 - files;
    visits[tier]++;
    if (c->slots[tier] < used) c->slots[tier] = (int)used;
  }
}

void HgScheduleCount(HgSchedule s, int files, long (*step_of)(void *context, long number),
                     void *context, HgScheduleCounts *c) {
  *c = (HgScheduleCounts){0};
  for (HgAction a; (a = HgScheduleNext(s)).kind != HG_ACTION_DONE;) {
    const long from = step_of ? step_of(context, a.from) : a.from,
               steps = (step_of ? step_of(context, a.to) : a.to) - from, states = a.to - a.from;
    const bool live = s->policy != HG_SCHEDULE_STORE_ALL; /* the last state of a range */
    if (a.kind == HG_ACTION_ADVANCE) c->advances += steps;
    if (a.kind == HG_ACTION_REVERSE) c->reverses += steps;
    if (a.slot < 0) continue;
    if (a.kind == HG_ACTION_ADVANCE)
      count_slots(c, c->writes, files, a.slot, a.saving == HG_SAVING_ALL ? states : 1);
    else count_slots(c, c->reads, files, a.slot, a.kind == HG_ACTION_RESTORE ? 1 : states - live);
  }
}

double HgScheduleTime(const HgScheduleCounts *n, const HgScheduleCosts *c) {
  double time = (double)n->advances * (double)c->advance + (double)n->reverses * (double)c->reverse;
  for (int k = 0; k < HG_TIERS; k++)
    time += (double)n->writes[k] * (double)c->write[k] + (double)n->reads[k] * (double)c->read[k];
  return time;
}

long HgScheduleAdvances(HgSchedulePolicy policy, long steps, int slots) {
  if (out_of_range(policy, steps, slots)) return -1;
  if (steps == 1) return 0;
  if (policy == HG_SCHEDULE_STORE_START) return steps - 1;
  Wide total;
  if (slots == 1)
    total = (Wide)steps * (steps - 1) / 2; /* r = N - 1: too many rounds to find out */
  else {
    Wide before, reach;
    const Wide r = repetitions(steps, slots, &before, &reach);
    total = r * steps - reach * r / (slots + 1); /* C(S + r, r - 1) = C(S + r, r) r / (S + 1) */
  }
  return total > LONG_MAX ? -1 : (long)total;
}
