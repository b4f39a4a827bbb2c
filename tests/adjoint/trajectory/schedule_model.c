/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: every schedule up to 60 steps and 60 slots can be obeyed, reverses N .. 1 once each,
   a window of it is like a schedule of its own, and a faulty one is noticed. */
#include "fake_model.h"
#include <halograd/schedule_library.h>
#include <stdarg.h>

enum { LARGEST = 60, ACTIONS_MAX = 1 << 14 };

static int failures;
static void fail(const char format[], ...) __attribute__((format(printf, 1, 2)));

static void fail(const char format[], ...) {
  va_list list;
  va_start(list, format);
  fprintf(stderr, "every schedule can be obeyed: ");
  vfprintf(stderr, format, list);
  fprintf(stderr, " (no seed, rank 0)\n");
  va_end(list);
  failures++;
}

/* All actions up to the first DONE. */
static int actions_of(HgSchedule schedule, HgAction list[]) {
  for (int k = 0; k < ACTIONS_MAX; k++) {
    list[k] = HgScheduleNext(schedule);
    if (list[k].kind == HG_ACTION_DONE) return k + 1;
  }
  return ACTIONS_MAX;
}

/* Does the model obey the whole list and see the end? */
static bool obeys(long steps, int slots, int count, const HgAction list[], FakeModel *model) {
  *model = fake_model_new(steps, slots);
  bool ok = true;
  for (int k = 0; k < count && ok; k++) ok = fake_model_obey(model, list[k]);
  if (ok && !model->done) {
    snprintf(model->why, sizeof model->why, "never done");
    ok = false;
  }
  fake_model_free(model);
  return ok;
}

static void check_schedule(HgSchedulePolicy policy, long steps, int slots) {
  static HgAction list[ACTIONS_MAX], again[ACTIONS_MAX];
  HgSchedule schedule;
  FakeModel model;
  if (HgScheduleCreate(policy, steps, slots, &schedule)) {
    fail("policy %d, %ld steps, %d slots: not created", (int)policy, steps, slots);
    return;
  }
  const int count = actions_of(schedule, list);
  if (!obeys(steps, slots, count, list, &model))
    fail("policy %d, %ld steps, %d slots: %s", (int)policy, steps, slots, model.why);
  if (model.slots_used > slots)
    fail("policy %d, %ld steps, %d slots: %d slots used", (int)policy, steps, slots,
         model.slots_used);
  if (model.advances != HgScheduleAdvances(policy, steps, slots))
    fail("policy %d, %ld steps, %d slots: %ld advances, expected %ld", (int)policy, steps, slots,
         model.advances, HgScheduleAdvances(policy, steps, slots));
  if (count > 2 && (list[0].saving == HG_SAVING_NONE || list[0].from != 0))
    fail("policy %d, %ld steps, %d slots: the first action does not keep q_0", (int)policy, steps,
         slots);
  for (int k = 0; k < 3; k++)
    if (HgScheduleNext(schedule).kind != HG_ACTION_DONE)
      fail("policy %d, %ld steps, %d slots: done is not final", (int)policy, steps, slots);
  HgScheduleWindow(schedule, 0, steps);
  bool same = actions_of(schedule, again) == count;
  for (int k = 0; k < count && same; k++)
    same = list[k].kind == again[k].kind && list[k].from == again[k].from &&
           list[k].to == again[k].to && list[k].slot == again[k].slot &&
           list[k].saving == again[k].saving;
  if (!same)
    fail("policy %d, %ld steps, %d slots: other actions after a rewind", (int)policy, steps, slots);
  HgScheduleDestroy(&schedule);
}

/* The actions for a window are those of a schedule of as many steps, begun at its first. */
static void check_windows(long steps, int slots) {
  static HgAction list[ACTIONS_MAX], expected[ACTIONS_MAX];
  HgSchedule whole, part = NULL;
  if (HgScheduleCreate(HG_SCHEDULE_REVOLVE, steps, slots, &whole)) {
    fail("revolve, %ld steps, %d slots: not created", steps, slots);
    return;
  }
  for (long from = 0; from <= steps; from++)
    for (long to = from; to <= steps; to++) {
      expected[0] = (HgAction){.kind = HG_ACTION_DONE, .slot = -1};
      if (to > from) {
        if (HgScheduleCreate(HG_SCHEDULE_REVOLVE, to - from, slots, &part)) fail("not created");
        else actions_of(part, expected);
        HgScheduleDestroy(&part);
      }
      HgScheduleWindow(whole, from, to);
      const int count = actions_of(whole, list);
      bool same = true;
      for (int k = 0; k < count && same; k++)
        same = list[k].kind == expected[k].kind && list[k].slot == expected[k].slot &&
               list[k].saving == expected[k].saving &&
               (list[k].kind == HG_ACTION_DONE ||
                (list[k].from - from == expected[k].from && list[k].to - from == expected[k].to));
      if (!same)
        fail("%ld steps, %d slots: the window %ld to %ld is not as a schedule of its own", steps,
             slots, from, to);
    }
  HgScheduleDestroy(&whole);
}

/* One fault, planted into action k. Returns whether the fault applies to it. */
typedef bool Fault(HgAction *a);

static bool advances_too_far(HgAction *a) { return a->kind == HG_ACTION_ADVANCE && a->to++; }

static bool skips_a_step(HgAction *a) { return a->kind == HG_ACTION_ADVANCE && ++a->from; }

static bool advances_too_little(HgAction *a) { return a->kind == HG_ACTION_ADVANCE && a->to--; }

static bool restores_another_slot(HgAction *a) {
  return a->kind == HG_ACTION_RESTORE && (a->slot = a->slot ? a->slot - 1 : 1, true);
}

static bool restores_no_slot(HgAction *a) { return a->kind == HG_ACTION_RESTORE && (a->slot = -1); }

static bool restores_another_state(HgAction *a) {
  return a->kind == HG_ACTION_RESTORE && ++a->from;
}

static bool keeps(const HgAction *a) {
  return a->kind == HG_ACTION_ADVANCE && a->saving == HG_SAVING_START;
}

static bool stores_in_no_slot(HgAction *a) { return keeps(a) && (a->slot = 1000); }

static bool stores_over_the_start(HgAction *a) { return keeps(a) && a->slot && !(a->slot = 0); }

static bool stores_nothing(HgAction *a) {
  return keeps(a) && (a->saving = HG_SAVING_NONE, a->slot = -1, true);
}

static bool reverses_out_of_order(HgAction *a) {
  return a->kind == HG_ACTION_REVERSE && (a->from--, a->to--, true);
}

static bool reverses_two(HgAction *a) { return a->kind == HG_ACTION_REVERSE && a->from-- >= 0; }

static bool stops_early(HgAction *a) {
  const bool applies = a->kind != HG_ACTION_DONE;
  a->kind = HG_ACTION_DONE;
  return applies;
}

static const struct {
  const char *name;
  Fault *plant;
} faults[] = {
    {"advances too far", advances_too_far},
    {"skips a step", skips_a_step},
    {"advances too little", advances_too_little},
    {"restores another slot", restores_another_slot},
    {"restores no slot", restores_no_slot},
    {"restores another state", restores_another_state},
    {"stores in no slot", stores_in_no_slot},
    {"stores over the start", stores_over_the_start},
    {"stores nothing", stores_nothing},
    {"reverses out of order", reverses_out_of_order},
    {"reverses two steps", reverses_two},
    {"stops early", stops_early},
};

static void check_faults(long steps, int slots) {
  static HgAction list[ACTIONS_MAX], wrong[ACTIONS_MAX];
  HgSchedule schedule;
  FakeModel model;
  if (HgScheduleCreate(HG_SCHEDULE_REVOLVE, steps, slots, &schedule)) {
    fail("revolve, %ld steps: not created", steps);
    return;
  }
  const int count = actions_of(schedule, list);
  for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
    int planted = 0;
    for (int k = 0; k < count; k++) {
      for (int l = 0; l < count; l++) wrong[l] = list[l];
      if (!faults[f].plant(&wrong[k])) continue;
      planted++;
      if (obeys(steps, slots, count, wrong, &model))
        fail("%ld steps, %d slots: '%s' in action %d was not noticed", steps, slots, faults[f].name,
             k);
    }
    if (!planted) fail("'%s' was never planted", faults[f].name);
  }
  for (int k = 0; k < count; k++) { /* any action left out */
    for (int l = 0; l < count - 1; l++) wrong[l] = list[l < k ? l : l + 1];
    if (obeys(steps, slots, count - 1, wrong, &model))
      fail("%ld steps, %d slots: action %d (%s) left out was not noticed", steps, slots, k,
           fake_model_name(list[k].kind));
  }
  for (int l = 0; l < count; l++) wrong[l] = list[l];
  wrong[count] = list[0];
  if (obeys(steps, slots, count + 1, wrong, &model))
    fail("%ld steps, %d slots: an action after done was not noticed", steps, slots);
  HgScheduleDestroy(&schedule);
}

static void check_refusals(void) {
  static const struct {
    HgSchedulePolicy policy;
    long steps;
    int slots;
  } wrong[] = {{HG_SCHEDULE_REVOLVE, 0, 1},
               {HG_SCHEDULE_REVOLVE, -1, 1},
               {HG_SCHEDULE_REVOLVE, 1, 0},
               {HG_SCHEDULE_REVOLVE, 1, -1},
               {HG_SCHEDULE_STORE_ALL, 10, 9},
               {(HgSchedulePolicy)7, 10, 10},
               {HG_SCHEDULE_REVOLVE, 1000000000001, 5}};

  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    HgSchedule schedule;
    if (!HgScheduleCreate(wrong[k].policy, wrong[k].steps, wrong[k].slots, &schedule) || schedule)
      fail("policy %d, %ld steps, %d slots was not refused", (int)wrong[k].policy, wrong[k].steps,
           wrong[k].slots);
    if (HgScheduleAdvances(wrong[k].policy, wrong[k].steps, wrong[k].slots) != -1)
      fail("policy %d, %ld steps, %d slots has advances", (int)wrong[k].policy, wrong[k].steps,
           wrong[k].slots);
  }
}

int main(void) {
  for (long steps = 1; steps <= LARGEST; steps++)
    for (int slots = 1; slots <= LARGEST; slots++) {
      check_schedule(HG_SCHEDULE_REVOLVE, steps, slots);
      if (slots >= steps) check_schedule(HG_SCHEDULE_STORE_ALL, steps, slots);
    }
  for (int slots = 1; slots <= 9; slots++) check_windows(24, slots);
  check_faults(20, 4);
  check_faults(33, 2);
  check_refusals();
  return failures ? 1 : 0;
}
