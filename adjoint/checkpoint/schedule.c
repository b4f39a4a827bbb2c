/* Binomial checkpointing as an iterator. Slots are a stack: slot k holds a later state than
   slot k - 1, so the top is the start of the steps that are reversed next, and all that is
   remembered is which state each slot holds. */
#include <halograd/memory.h>
#include <halograd/schedule.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

__extension__ typedef __int128 Wide; /* products of two counts */
#define STEPS_LARGEST 1000000000000  /* keeps every binomial below within 128 bits */

struct HgSchedule_s {
  HgSchedulePolicy policy;
  long steps;
  int slots;    /* really used */
  int usable;   /* of them, for the window */
  long from;    /* the window's first step */
  int stored;   /* slots in use now */
  long live;    /* index of the live state, -1: none */
  long end;     /* steps from end on have been reversed */
  long state[]; /* state[k]: what slot k holds */
};

static bool out_of_range(HgSchedulePolicy policy, long steps, int slots) {
  if ((unsigned)policy > HG_SCHEDULE_STORE_START) return true;
  return steps < 1 || steps > STEPS_LARGEST || slots < 1 ||
         (policy == HG_SCHEDULE_STORE_ALL && slots < steps);
}

/* The smallest r >= 1 with reach = C(s + r, s) >= n: the most steps that s slots reverse with
   no step advanced more than r times; *before = C(s + r - 1, s). Takes r of the order of (s!
   n)^(1/s) rounds, fewer than the steps that are reversed before the question comes up again. */
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

/* How far to advance from a stored state with n >= 2 steps ahead and s slots, that of the state
   included. Among the optimal answers the one with which the fewest states are stored. Source:
   adj.c of Algorithm 799. */
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
  const long most = policy == HG_SCHEDULE_STORE_ALL ? steps
                    : policy == HG_SCHEDULE_REVOLVE ? steps - 1
                                                    : 1;
  const long used = most < slots ? most : slots;
  HgSchedule s = HgAllocate(1, sizeof *s + (size_t)used * sizeof s->state[0]);
  if (!s) return 1;
  s->policy = policy, s->steps = steps, s->slots = (int)used;
  HgScheduleRewind(s);
  *schedule = s;
  return 0;
}

void HgScheduleDestroy(HgSchedule *schedule) {
  free(*schedule);
  *schedule = NULL;
}

void HgScheduleRewind(HgSchedule schedule) { HgScheduleWindow(schedule, 0, schedule->steps); }

void HgScheduleWindow(HgSchedule s, long from, long to) {
  const long most = to - from < 2 ? 1 : to - from - 1;
  s->usable = most < s->slots ? (int)most : s->slots;
  s->from = from, s->stored = 0, s->live = from, s->end = to;
}

static HgAction done(void) { return (HgAction){.kind = HG_ACTION_DONE, .slot = -1}; }

static HgAction restore_top(HgSchedule s) {
  const int top = s->stored - 1;
  s->live = s->state[top];
  return (HgAction){HG_ACTION_RESTORE, s->live, s->live, HG_SAVING_NONE, top};
}

static HgAction reverse_last(HgSchedule s) {
  s->end--, s->live = -1;
  if (s->stored && s->state[s->stored - 1] == s->end) s->stored--; /* its step is done */
  return (HgAction){HG_ACTION_REVERSE, s->end, s->end + 1, HG_SAVING_NONE, -1};
}

static HgAction advance(HgSchedule s) {
  const long from = s->live;
  HgAction a = {HG_ACTION_ADVANCE, from, from, HG_SAVING_NONE, -1};
  if (!s->stored || from > s->state[s->stored - 1]) {
    s->state[s->stored] = from;
    a.saving = HG_SAVING_START, a.slot = s->stored++;
  }
  a.to = s->live += advance_length(s->end - from, s->usable - (s->stored - 1));
  return a;
}

static HgAction next_of_revolve(HgSchedule s) {
  if (s->end <= s->from) return done();
  if (s->live < 0) return restore_top(s);
  return s->live == s->end - 1 ? reverse_last(s) : advance(s);
}

/* There and back at once. */
static HgAction next_of_range(HgSchedule s, HgActionSaving saving) {
  const long from = s->from, to = s->end;
  if (to <= from) return done();
  if (s->live == from) {
    s->live = to;
    return (HgAction){HG_ACTION_ADVANCE, from, to, saving, 0};
  }
  s->end = from;
  return (HgAction){HG_ACTION_REVERSE, from, to, HG_SAVING_NONE, -1};
}

HgAction HgScheduleNext(HgSchedule s) {
  switch (s->policy) {
  case HG_SCHEDULE_STORE_ALL: return next_of_range(s, HG_SAVING_ALL);
  case HG_SCHEDULE_STORE_START: return next_of_range(s, HG_SAVING_START);
  default: return next_of_revolve(s);
  }
}

int HgScheduleSlots(HgSchedule schedule) { return schedule->slots; }

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

const char *HgActionName(HgActionKind kind) {
  static const char *const names[] = {"advance", "restore", "reverse", "done"};
  return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}
