/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/bench.h -- cases timed side by side, and the line of the dashboard that comes of it.

   Other jobs can halve a figure for minutes. So the cases of one comparison take turns: a round
   runs each of them once, every second round in opposite order, and what is compared are the two
   times of one round. Printed are medians over the rounds, in brackets the quartiles of the ratio,
   and the ratio of the fastest rounds: what a quiet machine might show. */
#ifndef HALOGRAD_BENCH_H
#define HALOGRAD_BENCH_H

#include <petscsys.h>
#include <stdbool.h>

enum { BENCH_ROUNDS_MOST = 64 };

typedef PetscErrorCode BenchFn(void *context);

typedef struct {
  const char *name;
  BenchFn *prepare; /* before each run, without a clock; NULL: nothing to do */
  BenchFn *run;
  void *context;
  int rounds;
  double seconds[BENCH_ROUNDS_MOST]; /* of the slowest rank */
} BenchCase;

/* Each case once without a clock, then `rounds` (<= BENCH_ROUNDS_MOST) rounds. Collective. */
PetscErrorCode BenchInterleave(MPI_Comm comm, int rounds, int count, BenchCase cases[]);

/* Median time of a case [s]. */
double BenchSeconds(const BenchCase *c);

/* Its fastest time [s]. */
double BenchBest(const BenchCase *c);

typedef struct {
  double low, median, high; /* quartiles over the rounds */
  double best;              /* of the fastest times */
} BenchRatio;

/* scale * time of a / time of b. */
BenchRatio BenchCompare(const BenchCase *a, const BenchCase *b, double scale);

/* Median and quartiles of `count` numbers, which are sorted; best: the smallest. */
BenchRatio BenchQuartiles(int count, double numbers[]);

typedef enum { BENCH_AT_LEAST, BENCH_AT_MOST, BENCH_NO_GOAL } BenchSense;

typedef struct {
  const char *row;                 /* of the dashboard, such as "heat-forward" */
  char run[64], own[32], peer[64]; /* what was run; our figure; the peer and its figure */
  BenchRatio ratio;
  BenchSense sense;
  double goal;
} BenchLine;

/* Fills own, peer and ratio of a line whose sense is set: the speeds of both cases, which do
   `points` cell steps each, the peer's behind its name; ratio: time of own over the peer's for
   BENCH_AT_MOST, else the peer's over own. */
void BenchSpeeds(BenchLine *line, double points, const BenchCase *own, const BenchCase *peer);

/* Prints the line, with "ok" or "MISSED" for the median against the goal, and appends it as JSON to
   the file that the environment variable BENCH_LINES names. The first works without MPI, the second
   prints on rank 0. */
void BenchPrintAlone(const BenchLine *line);
PetscErrorCode BenchPrint(MPI_Comm comm, const BenchLine *line);

#endif
