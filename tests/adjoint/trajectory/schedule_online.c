/* Claim: a schedule whose number of steps is not known before its end, up to 150 steps and 12
   slots, can be obeyed and reverses each step once; a state in memory may be made in its slot
   before the end is known; no step is made more than once more often than by the optimal schedule
   that knows. */
#include "fake_model.h"
#include <string.h>

enum { STEPS = 150, SLOTS = 12 };

static int failures;

static void fail(long steps, int slots, bool ahead, const char what[], long value, long bound) {
  fprintf(stderr,
          "a schedule without an end can be obeyed: %ld steps, %d slots%s: %s: %ld, expected %ld "
          "(no seed, rank 0)\n",
          steps, slots, ahead ? ", one action ahead" : "", what, value, bound);
  failures++;
}

/* The first sweep up to `steps`, where the run ends; `ahead`: the next action has been drawn by
   then, and a state been made in its slot. */
static bool first_sweep(FakeModel *m, HgSchedule schedule, bool ahead, long made[]) {
  HgAction a = HgScheduleNext(schedule), next;
  for (bool ok = true;; a = next) {
    FAKE_MODEL_NEEDS(a.kind == HG_ACTION_ADVANCE && a.to == a.from + 1,
                     "%s %ld -> %ld before the end is known", HgActionName(a.kind), a.from, a.to);
    const bool last = a.to == m->steps;
    if (a.from < m->steps) made[a.from]++;
    if (!last) ok = fake_model_obey(m, a);
    else if (a.saving == HG_SAVING_START) ok = fake_model_store(m, a.slot);
    if (!ok) return false;
    if (last && !ahead) break;
    next = HgScheduleNext(schedule);
    if (!last) continue;
    if (next.saving == HG_SAVING_START) m->slot[next.slot] = -1;
    break;
  }
  HgScheduleEnd(schedule, m->steps);
  return true;
}

/* The least r with C(slots + r, slots) >= steps. */
static long repetitions(long steps, int slots) {
  long r = 0, reach = 1;
  while (reach < steps) {
    r++;
    reach = reach * (slots + r) / r;
  }
  return r;
}

static bool back(FakeModel *m, HgSchedule schedule, long made[]) {
  while (!m->done) {
    const HgAction a = HgScheduleNext(schedule);
    if (!fake_model_obey(m, a)) return false;
    for (long n = a.from; a.kind == HG_ACTION_ADVANCE && n < a.to; n++) made[n]++;
  }
  return true;
}

static void check(HgSchedule schedule, long steps, int slots, bool ahead) {
  FakeModel model = fake_model_new(steps, slots);
  long made[STEPS] = {0}, most = 0;
  HgScheduleRewind(schedule);
  if (!first_sweep(&model, schedule, ahead, made) || !back(&model, schedule, made))
    fail(steps, slots, ahead, model.why, 1, 0);
  if (model.reverses != steps) fail(steps, slots, ahead, "steps reversed", model.reverses, steps);
  if (model.slots_used > slots) fail(steps, slots, ahead, "slots used", model.slots_used, slots);
  for (long n = 0; n < steps; n++) most = made[n] > most ? made[n] : most;
  const long bound = repetitions(steps, slots) + 1;
  if (most > bound) fail(steps, slots, ahead, "times that a step is made", most, bound);
  fake_model_free(&model);
}

/* With room for all states nothing is made twice. */
static void check_enough(HgSchedule schedule, int slots) {
  HgScheduleRewind(schedule);
  for (long n = 0; n < slots; n++) {
    const HgAction a = HgScheduleNext(schedule);
    if (a.saving != HG_SAVING_START) fail(slots, slots, false, "not kept", a.from, a.from);
  }
}

int main(void) {
  for (int slots = 1; slots <= SLOTS; slots++) {
    HgSchedule schedule;
    if (HgScheduleCreate(HG_SCHEDULE_ONLINE, 1000, slots, &schedule)) {
      fail(1000, slots, false, "not created", 1, 0);
      continue;
    }
    for (long steps = 1; steps <= STEPS; steps++)
      for (int ahead = 0; ahead < 2; ahead++) check(schedule, steps, slots, ahead);
    check_enough(schedule, slots);
    HgScheduleDestroy(&schedule);
  }
  return failures ? 1 : 0;
}
