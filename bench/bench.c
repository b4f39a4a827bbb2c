/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Linear between the two nearest of the sorted numbers. */
static double quantile(int count, const double sorted[], double share) {
  const double at = share * (count - 1);
  const int below = (int)at, above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

BenchRatio BenchQuartiles(int count, double numbers[]) {
  qsort(numbers, (size_t)count, sizeof *numbers, ascending);
  return (BenchRatio){quantile(count, numbers, 0.25), quantile(count, numbers, 0.5),
                      quantile(count, numbers, 0.75), numbers[0]};
}

/* Elapsed time, or what this process had of its core. */
static double now(void) {
  const char *clock = getenv("BENCH_CLOCK");
  if (!clock || strcmp(clock, "cpu")) return MPI_Wtime();
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static PetscErrorCode time_case(MPI_Comm comm, BenchCase *c, double *seconds) {
  if (c->prepare) PetscCall(c->prepare(c->context));
  PetscCallMPI(MPI_Barrier(comm));
  const double start = now();
  PetscCall(c->run(c->context));
  const double elapsed = now() - start;
  PetscCallMPI(MPI_Allreduce(&elapsed, seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
  return 0;
}

PetscErrorCode BenchInterleave(MPI_Comm comm, int rounds, int count, BenchCase cases[]) {
  PetscCheck(rounds >= 1 && rounds <= BENCH_ROUNDS_MOST, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%d rounds asked for, expected 1 to %d", rounds, BENCH_ROUNDS_MOST);
  double unused;
  for (int k = 0; k < count; k++) {
    cases[k].rounds = rounds;
    PetscCall(time_case(comm, &cases[k], &unused));
  }
  for (int round = 0; round < rounds; round++)
    for (int k = 0; k < count; k++) {
      BenchCase *c = &cases[round % 2 ? count - 1 - k : k];
      PetscCall(time_case(comm, c, &c->seconds[round]));
    }
  return 0;
}

static BenchRatio times(const BenchCase *c) {
  double sorted[BENCH_ROUNDS_MOST];
  for (int k = 0; k < c->rounds; k++) sorted[k] = c->seconds[k];
  return BenchQuartiles(c->rounds, sorted);
}

double BenchSeconds(const BenchCase *c) { return times(c).median; }

double BenchBest(const BenchCase *c) { return times(c).best; }

BenchRatio BenchCompare(const BenchCase *a, const BenchCase *b, double scale) {
  double sorted[BENCH_ROUNDS_MOST];
  for (int k = 0; k < a->rounds; k++) sorted[k] = scale * a->seconds[k] / b->seconds[k];
  BenchRatio ratio = BenchQuartiles(a->rounds, sorted);
  ratio.best = scale * times(a).best / times(b).best;
  return ratio;
}

void BenchSpeeds(BenchLine *l, double points, const BenchCase *own, const BenchCase *peer) {
  const bool most = l->sense == BENCH_AT_MOST;
  l->ratio = BenchCompare(most ? own : peer, most ? peer : own, 1);
  snprintf(l->own, sizeof l->own, "%.3g GPt/s", points / BenchSeconds(own) / 1e9);
  snprintf(l->peer, sizeof l->peer, "%s %.3g GPt/s", peer->name, points / BenchSeconds(peer) / 1e9);
}

static const char *const sign[] = {">=", "<="}; /* of a BenchSense */

/* Appends the line as JSON to the file that BENCH_LINES names, for figures.py. */
static void keep_line(const BenchLine *l) {
  const char *name = getenv("BENCH_LINES");
  if (!name || !*name) return;
  FILE *file = fopen(name, "a");
  if (!file) {
    fprintf(stderr, "bench: the file %s (BENCH_LINES) cannot be opened\n", name);
    return;
  }
  char goal[32] = "null";
  if (l->sense != BENCH_NO_GOAL) snprintf(goal, sizeof goal, "\"%s %g\"", sign[l->sense], l->goal);
  fprintf(file,
          "{\"row\": \"%s\", \"run\": \"%s\", \"halograd\": \"%s\", \"beside\": \"%s\", "
          "\"ratio\": %.6g, \"low\": %.6g, \"high\": %.6g, \"best\": %.6g, \"goal\": %s}\n",
          l->row, l->run, l->own, l->peer, l->ratio.median, l->ratio.low, l->ratio.high,
          l->ratio.best, goal);
  if (fclose(file)) fprintf(stderr, "bench: a line could not be written to %s\n", name);
}

void BenchPrintAlone(const BenchLine *l) {
  char spread[32] = ""; /* a count has none */
  if (l->ratio.low < l->ratio.high)
    snprintf(spread, sizeof spread, "(%.3f .. %.3f)", l->ratio.low, l->ratio.high);
  printf("%-14s %-30s %-16s %-38s %8.3f %-20s %8.3f", l->row, l->run, l->own, l->peer,
         l->ratio.median, spread, l->ratio.best);
  if (l->sense != BENCH_NO_GOAL) {
    const bool met =
        l->sense == BENCH_AT_LEAST ? l->ratio.median >= l->goal : l->ratio.median <= l->goal;
    printf("  %s %g %s", sign[l->sense], l->goal, met ? "ok" : "MISSED");
  }
  printf("\n");
  fflush(stdout);
  keep_line(l);
}

PetscErrorCode BenchPrint(MPI_Comm comm, const BenchLine *l) {
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) BenchPrintAlone(l);
  return 0;
}
