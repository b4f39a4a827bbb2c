/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/schedule_library.h -- what other rooms of the library need of schedule.h. */
#ifndef HG_SCHEDULE_LIBRARY_H
#define HG_SCHEDULE_LIBRARY_H

#include <halograd/schedule.h>

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

#endif
