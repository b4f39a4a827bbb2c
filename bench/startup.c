/* bench_startup: 16 ranks from mpirun to the end of a heat step on 64^2 cells, beside ranks that
   only start MPI and PETSc. Run it without mpirun: it starts itself under mpirun, in turns. */
#include "bench.h"
#include "own_heat.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds from mpirun's start to its end; -1 if it failed. `which`: the word that main() looks for.
   */
static double launch(char *program, char *ranks, char *which) {
  char *const command[] = {"mpirun", "-n", ranks, program, which, NULL};
  const double start = now();
  const pid_t child = fork();
  int status;
  if (child == 0) {
    execvp(command[0], command);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status) return -1;
  return now() - start;
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "bare")) return bare(argc, argv);
  if (argc > 1 && !strcmp(argv[1], "halograd")) return halograd(argc, argv);
  char *const ranks = argc > 1 ? argv[1] : "16";
  static char *const which[] = {"halograd", "bare"};
  BenchCase c[2] = {{.name = which[0], .rounds = ROUNDS}, {.name = which[1], .rounds = ROUNDS}};
  for (int round = -1; round < ROUNDS; round++)
    for (int k = 0; k < 2; k++) {
      const int turn = round % 2 ? 1 - k : k;
      const double seconds = launch(argv[0], ranks, which[turn]);
      if (seconds < 0) {
        fprintf(stderr,
                "bench_startup: 'mpirun -n %s %s %s' failed; expected mpirun on the PATH (. "
                "scripts/env) and %s ranks\n",
                ranks, argv[0], which[turn], ranks);
        return 1;
      }
      if (round >= 0) c[turn].seconds[round] = seconds; /* the first launch fills the page cache */
    }
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
