/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: every multistage schedule up to 24 steps and 4 + 4 slots, whatever its costs, can be
   obeyed, and takes the least time of the recurrence; so do its windows; with states of no cost it
   is revolve. */
#include "fake_model.h"
#include <halograd/schedule_library.h>
#include <string.h>

enum { STEPS = 24, SLOTS = 4 };

static int failures;

typedef struct {
  int files, memory;
  HgScheduleCosts costs;
} Case;

static void fail(const Case *c, long steps, const char what[], double value, double bound) {
  fprintf(stderr,
          "multistage is obeyed and optimal: %ld steps, %d files, %d in memory, F %ld R %ld, "
          "writes %ld %ld, reads %ld %ld: %s: %.17g, expected %.17g (no seed, rank 0)\n",
          steps, c->files, c->memory, c->costs.advance, c->costs.reverse, c->costs.write[0],
          c->costs.write[1], c->costs.read[0], c->costs.read[1], what, value, bound);
  failures++;
}

static const long never = 1L << 50;

static long smaller(long a, long b) { return a < b ? a : b; }

/* The recurrence as it stands, each value once: [tier][kept][m][n]. */
static long known[HG_TIERS][2][SLOTS + 1][STEPS + 1];

static long least(const Case *c, int tier, bool kept, int m, long n) {
  if (n == 1) return c->costs.reverse;
  const int all = tier ? c->memory : 0;
  if (tier < 0 || (!m && !tier)) return never;
  if (!m) return least(c, tier - 1, false, all, n);
  long *const value = &known[tier][kept][m][n];
  if (*value) return *value;
  long best = tier ? least(c, tier - 1, false, all, n) : never;
  if (!kept) best = smaller(best, c->costs.write[tier] + least(c, tier, true, m, n));
  for (long i = 1; kept && i < n; i++)
    best = smaller(best, i * c->costs.advance + least(c, tier, false, m - 1, n - i) +
                             c->costs.read[tier] + least(c, tier, true, m, i));
  return *value = best;
}

/* What the model spends on the window from .. to - 1 of a schedule. */
static void check_window(const Case *c, HgSchedule schedule, long from, long to) {
  const long steps = to - from;
  FakeModel model = fake_model_new(steps, c->files + c->memory);
  model.files = c->files;
  bool ok = true;
  HgScheduleWindow(schedule, from, to);
  while (ok && !model.done) {
    HgAction a = HgScheduleNext(schedule);
    if (a.kind != HG_ACTION_DONE) a.from -= from, a.to -= from;
    ok = fake_model_obey(&model, a);
  }
  if (!ok) fail(c, steps, model.why, 0, 0);
  HgScheduleCounts spent = {.advances = model.advances, .reverses = model.reverses};
  memcpy(spent.writes, model.writes, sizeof spent.writes);
  memcpy(spent.reads, model.reads, sizeof spent.reads);
  memset(known, 0, sizeof known);
  const double time = HgScheduleTime(&spent, &c->costs),
               bound = (double)least(c, HG_FILE_TIER, false, c->files, steps);
  if (time != bound) fail(c, steps, "time spent", time, bound);
  fake_model_free(&model);
}

static void check_schedule(const Case *c, long steps) {
  HgSchedule schedule;
  HgScheduleCounts counts;
  if (HgScheduleCreateMultistage(steps, c->files, c->memory, &c->costs, &schedule)) {
    fail(c, steps, "not created", 1, 0);
    return;
  }
  check_window(c, schedule, 0, steps);
  memset(known, 0, sizeof known);
  const double bound = (double)least(c, HG_FILE_TIER, false, c->files, steps);
  HgScheduleWindow(schedule, 0, steps);
  HgScheduleCount(schedule, c->files, NULL, NULL, &counts);
  if (HgScheduleTime(&counts, &c->costs) != bound)
    fail(c, steps, "counted time", HgScheduleTime(&counts, &c->costs), bound);
  if (counts.slots[HG_FILE_TIER] > c->files || counts.slots[HG_MEMORY_TIER] > c->memory)
    fail(c, steps, "slots used", counts.slots[HG_FILE_TIER] + counts.slots[HG_MEMORY_TIER],
         c->files + c->memory);
  if (steps % 7 == 0)
    for (long from = 0; from < steps; from += 3)
      for (long to = from + 1; to <= steps; to++) check_window(c, schedule, from, to);
  HgScheduleDestroy(&schedule);
}

/* States that cost nothing to keep: as many advances as revolve over all slots. */
static void check_revolve(void) {
  const HgScheduleCosts free_of_cost = {.advance = 1};
  for (long steps = 1; steps <= 200; steps += 1 + steps / 8)
    for (int files = 0; files <= 6; files += 2)
      for (int memory = !files; memory <= 6; memory += 3) {
        const Case c = {files, memory, free_of_cost};
        HgSchedule schedule;
        if (HgScheduleCreateMultistage(steps, files, memory, &free_of_cost, &schedule)) {
          fail(&c, steps, "not created", 1, 0);
          continue;
        }
        const long bound = HgScheduleAdvances(HG_SCHEDULE_REVOLVE, steps, files + memory);
        HgScheduleCounts counts;
        HgScheduleCount(schedule, files, NULL, NULL, &counts);
        if (counts.advances != bound)
          fail(&c, steps, "advances", (double)counts.advances, (double)bound);
        HgScheduleDestroy(&schedule);
      }
}

static void check_refusals(void) {
  static const struct {
    long steps;
    Case c;
  } wrong[] = {
      {0, {1, 1, {1, 1, {0, 0}, {0, 0}}}},        {9, {0, 0, {1, 1, {0, 0}, {0, 0}}}},
      {9, {-1, 2, {1, 1, {0, 0}, {0, 0}}}},       {9, {1, 1, {1, 1, {0, -1}, {0, 0}}}},
      {9, {1, 1, {1L << 60, 1, {0, 0}, {0, 0}}}}, {1000000, {100, 1, {1, 1, {0, 0}, {0, 0}}}}};

  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    HgSchedule schedule;
    if (!HgScheduleCreateMultistage(wrong[k].steps, wrong[k].c.files, wrong[k].c.memory,
                                    &wrong[k].c.costs, &schedule) ||
        schedule)
      fail(&wrong[k].c, wrong[k].steps, "not refused", 0, 1);
  }
}

int main(void) {
  static const HgScheduleCosts costs[] = {
      {10, 25, {0, 0}, {0, 0}},    {10, 25, {0, 30}, {0, 20}},   {10, 25, {1, 100}, {2, 70}},
      {10, 40, {0, 3}, {0, 2}},    {7, 11, {5, 13}, {3, 17}},    {1, 1, {0, 1000}, {0, 1000}},
      {10, 25, {0, 100}, {0, 0}},  {10, 25, {0, 0}, {0, 100}},   {0, 1, {1, 1}, {1, 1}},
      {1000, 1, {0, 999}, {0, 1}}, {3, 5, {1000, 2}, {1000, 1}}, {10, 25, {4, 4}, {6, 6}}};
  for (size_t k = 0; k < sizeof costs / sizeof *costs; k++)
    for (int files = 0; files <= SLOTS; files++)
      for (int memory = !files; memory <= SLOTS; memory++)
        for (long steps = 1; steps <= STEPS; steps++)
          check_schedule(&(Case){files, memory, costs[k]}, steps);
  check_revolve();
  check_refusals();
  return failures ? 1 : 0;
}
