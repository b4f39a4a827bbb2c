/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_exact_sum: an exact sum of 64 M doubles beside a plain one, and a dot product beside a
   plain one; the values must have the same bits for two different ways to cut the numbers.

   Plain is what a compiler makes of 32 running sums: vectors, and enough of them to hide the
   latency of additions. */
#include "bench.h"
#include <halograd/options_library.h>
#include <halograd/sum.h>
#include <string.h>

enum { PLAIN = 32, ROUNDS = 15 };

typedef struct {
  size_t n;            /* numbers on this rank */
  const double *x, *y; /* y: NULL for a sum */
  double value;
} Case;

static PetscErrorCode exact(void *context) {
  Case *c = context;
  HgSum sum;
  HgSumReset(&sum);
  if (c->y) HgSumAddProducts(&sum, c->n, c->x, c->y);
  else HgSumAdd(&sum, c->n, c->x);
  return HgSumReduce(PETSC_COMM_WORLD, 1, &sum, &c->value);
}

static PetscErrorCode plain(void *context) {
  Case *c = context;
  double sums[PLAIN] = {0}, total = 0;
  const double *x = c->x, *y = c->y;
  size_t i = 0;
  if (y)
    for (; i + PLAIN <= c->n; i += PLAIN)
      for (size_t k = 0; k < PLAIN; k++) sums[k] += x[i + k] * y[i + k];
  else
    for (; i + PLAIN <= c->n; i += PLAIN)
      for (size_t k = 0; k < PLAIN; k++) sums[k] += x[i + k];
  for (; i < c->n; i++) total += y ? x[i] * y[i] : x[i];
  for (int k = 0; k < PLAIN; k++) total += sums[k];
  PetscCallMPI(MPI_Allreduce(&total, &c->value, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  return 0;
}

/* The same numbers in pieces of 1, 2, 3, ... from the last to the first. */
static PetscErrorCode cut_differently(const Case *c, double *value) {
  HgSum sum;
  HgSumReset(&sum);
  for (size_t end = c->n, piece = 1; end > 0; piece++) {
    const size_t count = piece < end ? piece : end;
    end -= count;
    if (c->y) HgSumAddProducts(&sum, count, c->x + end, c->y + end);
    else HgSumAdd(&sum, count, c->x + end);
  }
  return HgSumReduce(PETSC_COMM_WORLD, 1, &sum, value);
}

/* In [-1, 1), from the global index alone. */
static double number(uint64_t index) {
  index = (index ^ index >> 30) * 0xbf58476d1ce4e5b9;
  index = (index ^ index >> 27) * 0x94d049bb133111eb;
  return (double)(int64_t)index * 0x1p-63;
}

static PetscErrorCode compare(const char name[], Case *c, long total) {
  int size;
  double again;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  Case peer = *c;
  BenchCase cases[2] = {{.name = "exact", .run = exact, .context = c},
                        {.name = "plain", .run = plain, .context = &peer}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, ROUNDS, 2, cases));
  PetscCall(cut_differently(c, &again));
  HgRequire(PETSC_COMM_WORLD, !memcmp(&again, &c->value, sizeof again), HG_ERR_CHECK_FAILED,
            "bench_exact_sum: %s cut differently: %a, expected the same bits as %a", name, again,
            c->value);
  const double gigabytes = (c->y ? 16e-9 : 8e-9) * (double)total;
  BenchLine line = {.row = "exact-sum",
                    .ratio = BenchCompare(&cases[0], &cases[1], 1),
                    .sense = BENCH_AT_MOST,
                    .goal = 1.7};
  snprintf(line.run, sizeof line.run, "%s, %ld, %d rank%s", name, total, size, size > 1 ? "s" : "");
  snprintf(line.own, sizeof line.own, "%.1f GB/s same bits", gigabytes / BenchSeconds(&cases[0]));
  snprintf(line.peer, sizeof line.peer, "plain %s %.1f GB/s", name,
           gigabytes / BenchSeconds(&cases[1]));
  return BenchPrint(PETSC_COMM_WORLD, &line);
}

static PetscErrorCode run(void) {
  long total = 1L << 26;
  int rank, size;
  HgOptions options;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "bench_exact_sum", "exact sums beside plain ones",
                            &options));
  PetscCall(HgOptionsLong(options, "-n", "numbers of all ranks", "", 2, 1L << 40, &total));
  PetscCall(HgOptionsEnd(options));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const long first = total / size * rank,
             end = rank == size - 1 ? total : total / size * (rank + 1);
  const size_t n = (size_t)(end - first);
  double *x, *y;
  PetscCall(PetscMalloc2(n, &x, n / 2, &y)); /* a dot product reads as much as a sum */
  for (size_t i = 0; i < n; i++) x[i] = number((uint64_t)first + i);
  for (size_t i = 0; i < n / 2; i++) y[i] = number((uint64_t)first + i + (UINT64_C(1) << 50));
  PetscCall(compare("sum", &(Case){.n = n, .x = x}, total));
  PetscCall(compare("dot", &(Case){.n = n / 2, .x = x, .y = y}, total / 2));
  return PetscFree2(x, y);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "Exact sums beside plain ones.\n");
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
