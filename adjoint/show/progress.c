/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/program_library.h>
#include <halograd/progress.h>
#include <halograd/trajectory_library.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 1000, WIDTH = 40 }; /* steps at which it may be drawn, about; its signs */

/* Cells times steps of a run that may take a minute. */
static const double long_run = 2e8;

typedef struct {
  bool drawn; /* by this rank */
  bool bar;   /* on a terminal; else a plain line, which a log keeps */
  long steps; /* -1: the run has ended */
  long every;
  double start, shown; /* [s] */
} Progress;

/* mpirun gives its ranks a pseudo-terminal even when its own output goes to a file: then its
   stdout, the parent's, decides. */
static bool on_terminal(void) {
  if (!isatty(STDOUT_FILENO)) return false;
  if (!getenv("OMPI_COMM_WORLD_SIZE")) return true;
  char link[64], target[256];
  snprintf(link, sizeof link, "/proc/%d/fd/1", (int)getppid());
  const ssize_t length = readlink(link, target, sizeof target - 1);
  if (length < 0) return false;
  target[length] = 0;
  return !strncmp(target, "/dev/pts/", 9) || !strncmp(target, "/dev/tty", 8);
}

static long next_step(void *self, HgMode direction, long n) {
  const Progress *b = self;
  if (direction != HG_PRIMAL || n > b->steps) return HG_NO_STEP;
  return PetscMin(HgStepMultiple(b->every, PetscMax(n, 1)), b->steps);
}

/* Every 0.2 s and at the end on a terminal, every minute elsewhere. */
static bool due(const Progress *b, double now, bool last) {
  if (!b->bar) return now - PetscMax(b->shown, b->start) >= 60;
  return b->shown <= 0 || now - b->shown >= 0.2 || last;
}

static PetscErrorCode draw(void *self, const HgTrajectorySight *s) {
  Progress *const b = self;
  const double now = MPI_Wtime();
  if (!b->drawn || !due(b, now, s->n == b->steps)) return 0;
  const double done = (double)s->n / (double)b->steps, elapsed = now - b->start;
  char bar[WIDTH + 1];
  for (int k = 0; k < WIDTH; k++) bar[k] = k < WIDTH * done ? '#' : '.';
  bar[WIDTH] = 0;
  if (b->bar) printf("%s[%s] ", b->shown > 0 ? "\033[A" : "", bar);
  printf("step %ld of %ld, t = %.4g s, ETA %.0f s%s\n", s->n, b->steps, s->t,
         elapsed * (1 / done - 1), b->bar ? "   " : "");
  b->shown = now;
  fflush(stdout);
  return 0;
}

static PetscErrorCode end_run(void *self, HgMode run, double J) {
  (void)run, (void)J;
  ((Progress *)self)->steps = -1;
  return 0;
}

static void destroy_bar(void *self) { (void)PetscFree(self); }

/* Draws the bar one line up, so that whatever is printed next, including an error, begins a new
   line. The ranks stop for it only between time blocks. */
PetscErrorCode HgProgressShow(HgTrajectory trajectory) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(HgTrajectoryProgram(trajectory)));
  const long steps = HgTrajectorySteps(trajectory),
             block = HgProgramStride(HgTrajectoryProgram(trajectory), steps);
  const HgMeshSpec *const s = HgMeshGetSpec(HgProgramMesh(HgTrajectoryProgram(trajectory)));
  const double cell_steps = (double)s->nx * s->ny * PetscMax(1, s->nz) * (double)steps;
  Progress *bar;
  int rank, terminal;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  terminal = !rank && on_terminal();
  PetscCallMPI(MPI_Bcast(&terminal, 1, MPI_INT, 0, comm));
  if (!terminal && cell_steps < long_run) return 0;
  PetscCall(PetscNew(&bar));
  *bar = (Progress){.drawn = !rank,
                    .bar = terminal,
                    .steps = steps,
                    .every = block * (1 + steps / (MOST * block)),
                    .start = MPI_Wtime()};
  return HgTrajectoryAddObserver(
      trajectory,
      &(HgTrajectoryObserver){
          .next = next_step, .see = draw, .end = end_run, .leave = destroy_bar, .context = bar});
}
