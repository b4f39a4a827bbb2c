#include "bench.h"
#include <stdlib.h>
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
                      quantile(count, numbers, 0.75)};
}
static PetscErrorCode time_case(MPI_Comm comm, BenchCase *c, double *seconds) {
  PetscCallMPI(MPI_Barrier(comm));
  const double start = MPI_Wtime();
  PetscCall(c->run(c->context));
  const double elapsed = MPI_Wtime() - start;
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
double BenchSeconds(const BenchCase *c) {
  double sorted[BENCH_ROUNDS_MOST];
  for (int k = 0; k < c->rounds; k++) sorted[k] = c->seconds[k];
  return BenchQuartiles(c->rounds, sorted).median;
}
BenchRatio BenchCompare(const BenchCase *a, const BenchCase *b, double scale) {
  double ratio[BENCH_ROUNDS_MOST];
  for (int k = 0; k < a->rounds; k++) ratio[k] = scale * a->seconds[k] / b->seconds[k];
  return BenchQuartiles(a->rounds, ratio);
}
PetscErrorCode BenchPrint(MPI_Comm comm, const BenchLine *l) {
  static const char *const sign[] = {">=", "<="};
  char verdict[32] = "";
  if (l->sense != BENCH_NO_GOAL) {
    const bool met =
        l->sense == BENCH_AT_LEAST ? l->ratio.median >= l->goal : l->ratio.median <= l->goal;
    PetscCall(PetscSNPrintf(verdict, sizeof verdict, "%s %-6g %s", sign[l->sense], l->goal,
                            met ? "ok" : "MISSED"));
  }
  PetscCall(PetscPrintf(comm, "%-14s %-30s %-18s %-36s %8.3f (%.3f .. %.3f)  %s\n", l->row, l->run,
                        l->own, l->peer, l->ratio.median, l->ratio.low, l->ratio.high, verdict));
  return 0;
}
