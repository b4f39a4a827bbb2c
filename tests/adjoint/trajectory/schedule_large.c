/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a schedule of 10^9 steps is cheap: four million actions, those on a range counted step by
   step, take seconds, and the model can obey them all. */
#include "fake_model.h"
#include <halograd/schedule_library.h>
#include <time.h>

enum { ACTIONS = 4000000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
  static const long steps[] = {1000000000, 1000000000000};
  static const int slots[] = {1, 2, 3, 10, 100, 1000, 1000000};
  const double seconds_bound =
      5; /* 1.25 us for an action; a step on the smallest useful grid takes more */
  int failures = 0;
  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 7; l++) {
      HgSchedule schedule;
      if (HgScheduleCreate(HG_SCHEDULE_REVOLVE, steps[k], slots[l], &schedule)) {
        fprintf(stderr,
                "a large schedule is cheap: %ld steps, %d slots not created (no seed, rank 0)\n",
                steps[k], slots[l]);
        return 1;
      }
      FakeModel model = fake_model_new(steps[k], slots[l]);
      const double start = now();
      bool ok = true;
      for (long n = 0; n < ACTIONS && ok;) {
        const HgAction a = HgScheduleNext(schedule);
        n += a.saving == HG_SAVING_ALL || a.kind == HG_ACTION_REVERSE ? a.to - a.from : 1;
        ok = fake_model_obey(&model, a);
      }
      const double seconds = now() - start;
      ok = ok && model.bar < steps[k];
      if (!ok || !(seconds < seconds_bound)) {
        fprintf(stderr,
                "a large schedule is cheap: %ld steps, %d slots: %g s, bound %g, %ld steps "
                "reversed, %s (no seed, rank 0)\n",
                steps[k], slots[l], seconds, seconds_bound, steps[k] - model.bar, model.why);
        failures++;
      }
      fake_model_free(&model);
      HgScheduleDestroy(&schedule);
    }
  return failures ? 1 : 0;
}
