/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/launch/launch.h -- commands that start their own MPI, timed in turns. */
#ifndef HALOGRAD_BENCH_LAUNCH_H
#define HALOGRAD_BENCH_LAUNCH_H

#include "bench.h"

typedef struct {
  char *const *command; /* for execvp(), which prints nothing; NULL behind the last word */
  const char *report;   /* run.json that it writes, whose "seconds" count; NULL: from its start to
                           its end */
} BenchLaunch;

/* Each command once without a clock, then `rounds` rounds of both, every second one in opposite
   order; without MPI. False, and a sentence of `program`: a command failed, or wrote no report. */
bool BenchLaunchBoth(const char program[], int rounds, const BenchLaunch launch[2],
                     BenchCase cases[2]);

#endif
