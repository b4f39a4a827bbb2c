/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_oversubscribed: heat_inverse on 16 ranks, which share two cores, beside the same on 2: the
   seconds of its run.json. Run it without mpirun: it starts heat_inverse under mpirun, in turns. */
#include "launch.h"
#include <limits.h>

enum { ROUNDS = 5 };

static void print(const BenchCase c[2]) {
  BenchLine l = {.row = "oversubscribed",
                 .run = "heat_inverse, 32^2, 16 ranks",
                 .ratio = BenchCompare(&c[0], &c[1], 1),
                 .sense = BENCH_AT_MOST,
                 .goal = 4};
  snprintf(l.own, sizeof l.own, "%.2f s", BenchSeconds(&c[0]));
  snprintf(l.peer, sizeof l.peer, "2 ranks %.2f s", BenchSeconds(&c[1]));
  BenchPrintAlone(&l);
}

int main(int argc, char **argv) {
  char report[PATH_MAX];
  if (argc != 3 || snprintf(report, sizeof report, "%s/run.json", argv[2]) >= PATH_MAX) {
    fprintf(stderr, "bench_oversubscribed: expected heat_inverse and a folder for its results\n");
    return 1;
  }
  BenchCase c[2] = {{.name = "16 ranks"}, {.name = "2 ranks"}};
  char *const many[] = {"mpirun", "-n", "16", argv[1], "-output", argv[2], NULL};
  char *const few[] = {"mpirun", "-n", "2", argv[1], "-output", argv[2], NULL};
  const BenchLaunch both[2] = {{many, report}, {few, report}};
  if (!BenchLaunchBoth("bench_oversubscribed", ROUNDS, both, c)) return 1;
  print(c);
  return 0;
}
