/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_startup: 16 ranks from mpirun to the end of a heat step on 64^2 cells, beside ranks that
   only start MPI and PETSc. Run it without mpirun: it starts itself under mpirun, in turns. */
#include "bench.h"
#include "launch.h"
#include "own_heat.h"
#include <string.h>

enum { CELLS = 64, ROUNDS = 9 };

static int bare(int argc, char **argv) {
  if (MPI_Init(&argc, &argv) || PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  return PetscFinalize() || MPI_Finalize();
}

static PetscErrorCode one_step(void) {
  OwnHeat own;
  PetscCall(
      OwnHeatCreate(PETSC_COMM_WORLD, CELLS, 1, OwnHeatTimeStep(CELLS), 1, OwnHeatKappa, &own));
  PetscCall(HgStateSetField(own.q, "u", OwnHeatInitial, NULL));
  PetscCall(OwnHeatRun(&own));
  return OwnHeatDestroy(&own);
}

static int halograd(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = one_step();
  return HgFinalize(ierr);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "bare")) return bare(argc, argv);
  if (argc > 1 && !strcmp(argv[1], "halograd")) return halograd(argc, argv);
  char *const ranks = argc > 1 ? argv[1] : "16";
  BenchCase c[2] = {{.name = "halograd"}, {.name = "bare"}};
  char *const own[] = {"mpirun", "-n", ranks, argv[0], "halograd", NULL};
  char *const peer[] = {"mpirun", "-n", ranks, argv[0], "bare", NULL};
  const BenchLaunch both[2] = {{own, NULL}, {peer, NULL}};
  if (!BenchLaunchBoth("bench_startup", ROUNDS, both, c)) return 1;
  BenchLine l = {.row = "startup",
                 .ratio = BenchCompare(&c[0], &c[1], 1),
                 .sense = BENCH_AT_MOST,
                 .goal = 1.3};
  snprintf(l.run, sizeof l.run, "%d^2, %s ranks", CELLS, ranks);
  snprintf(l.own, sizeof l.own, "%.2f s", BenchSeconds(&c[0]));
  snprintf(l.peer, sizeof l.peer, "MPI_Init + PetscInitialize %.2f s", BenchSeconds(&c[1]));
  BenchPrintAlone(&l);
  return 0;
}
