/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: revolve advances exactly as many steps as the optimum, found by exhaustive search and
   from tables, and as many as the closed form says. */
#include <halograd/schedule_library.h>
#include <stdio.h>

enum { STEPS = 200, SLOTS = 12 };

static int failures;

static void expect(const char what[], long steps, int slots, long value, long bound) {
  if (value == bound) return;
  fprintf(stderr,
          "revolve is optimal: %s for %ld steps, %d slots: %ld, expected %ld (no seed, rank 0)\n",
          what, steps, slots, value, bound);
  failures++;
}

/* The fewest advances, and with that many the fewest stored states, by trying every first advance:
   e(1, s) = 0, e(n, 1) = n (n - 1) / 2, e(n, s) = min over i of i + e(i, s) + e(n - i, s - 1). */
typedef struct {
  long advances, stores;
} Cost;

static Cost optimum[STEPS + 1][SLOTS + 1];

static void search(void) {
  for (int s = 1; s <= SLOTS; s++)
    for (int n = 1; n <= STEPS; n++) {
      Cost best = {(long)n * (n - 1) / 2, 0};
      for (int i = 1; i < n && s > 1; i++) {
        const Cost left = optimum[i][s], right = optimum[n - i][s - 1];
        const Cost cost = {i + left.advances + right.advances,
                           left.stores + right.stores + (n - i > 1)};
        if (i == 1 || cost.advances < best.advances ||
            (cost.advances == best.advances && cost.stores < best.stores))
          best = cost;
      }
      optimum[n][s] = best;
    }
}

/* What is restored and kept once more is stored once. */
static Cost run(HgSchedulePolicy policy, long steps, int slots) {
  HgSchedule schedule;
  HgAction a, before = {.kind = HG_ACTION_DONE};
  Cost cost = {0, steps > 1 ? -1 : 0}; /* q_0 does not count */
  if (HgScheduleCreate(policy, steps, slots, &schedule)) return cost;
  for (; (a = HgScheduleNext(schedule)).kind != HG_ACTION_DONE; before = a) {
    if (a.kind != HG_ACTION_ADVANCE) continue;
    cost.advances += a.to - a.from;
    if (a.saving == HG_SAVING_START) cost.stores++;
    if (a.saving == HG_SAVING_ALL)
      cost.stores += a.to - a.from - (before.kind == HG_ACTION_RESTORE && before.slot == a.slot);
  }
  HgScheduleDestroy(&schedule);
  return cost;
}

static void check_all_small(void) {
  search();
  for (int n = 1; n <= STEPS; n++)
    for (int s = 1; s <= SLOTS; s++) {
      const Cost cost = run(HG_SCHEDULE_REVOLVE, n, s);
      expect("advances against the search", n, s, cost.advances, optimum[n][s].advances);
      expect("stores against the search", n, s, cost.stores, optimum[n][s].stores);
      expect("HgScheduleAdvances()", n, s, HgScheduleAdvances(HG_SCHEDULE_REVOLVE, n, s),
             optimum[n][s].advances);
    }
}

/* Values as published with other implementations of revolve. */
static void check_tables(void) {
  static const struct {
    long steps;
    int slots;
    long advances;
  } table[] = {{100, 5, 316},      {100, 10, 222},     {100, 20, 178},     {1000, 5, 6284},
               {1000, 10, 3636},   {1000, 20, 2747},   {1000, 32, 2405},   {1000, 50, 1948},
               {1000, 100, 1898},  {10000, 10, 57624}, {10000, 20, 37976}, {10000, 50, 28622},
               {10000, 100, 24747}};

  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    const long n = table[k].steps;
    const int s = table[k].slots;
    expect("advances against the table", n, s, run(HG_SCHEDULE_REVOLVE, n, s).advances,
           table[k].advances);
    expect("HgScheduleAdvances() against the table", n, s,
           HgScheduleAdvances(HG_SCHEDULE_REVOLVE, n, s), table[k].advances);
  }
}

/* With enough slots no step is advanced twice, and the closed form neither overflows in between
   nor hides an overflow. */
static void check_extremes(void) {
  for (int n = 1; n <= STEPS; n++) {
    expect("store-all", n, n, run(HG_SCHEDULE_STORE_ALL, n, n).advances, n);
    expect("HgScheduleAdvances() of store-all", n, n,
           HgScheduleAdvances(HG_SCHEDULE_STORE_ALL, n, n), n - 1);
    expect("one slot per step but the last", n, n > 1 ? n - 1 : 1,
           run(HG_SCHEDULE_REVOLVE, n, n > 1 ? n - 1 : 1).advances, n - 1);
  }
  const long billion = 1000000000;
  expect("HgScheduleAdvances()", billion, 1, HgScheduleAdvances(HG_SCHEDULE_REVOLVE, billion, 1),
         billion * (billion - 1) / 2);
  expect("HgScheduleAdvances()", 4 * billion, 1,
         HgScheduleAdvances(HG_SCHEDULE_REVOLVE, 4 * billion, 1), 2 * billion * (4 * billion - 1));
  expect("HgScheduleAdvances()", 5 * billion, 1,
         HgScheduleAdvances(HG_SCHEDULE_REVOLVE, 5 * billion, 1), -1);
  expect("HgScheduleAdvances()", 1000 * billion, 1,
         HgScheduleAdvances(HG_SCHEDULE_REVOLVE, 1000 * billion, 1), -1);
  expect("HgScheduleAdvances()", billion, 999999999,
         HgScheduleAdvances(HG_SCHEDULE_REVOLVE, billion, 999999999), billion - 1);
  expect("HgScheduleAdvances()", billion, 1000000,
         HgScheduleAdvances(HG_SCHEDULE_REVOLVE, billion, 1000000), 2 * billion - 1000002);
}

int main(void) {
  check_all_small();
  check_tables();
  check_extremes();
  return failures ? 1 : 0;
}
