/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_water: an unstable jet in a channel, the published demo case.

   Nonlinear shallow water on a C-grid (stencils/shallow/shallow_water.h), periodic in x, walls
   north and south; writes h, u, v and a frame of h every model hour, a picture of the end, and into
   run.json the numbers that tell whether two programs ran the same case.

   Sample runs:
     mpirun -n 4 shallow_water
     mpirun -n 4 shallow_water -steps 101 -published
     mpirun -n 2 shallow_water -interval 21600 -frames off
     mpirun -n 2 shallow_water -benchmark
     mpirun -n 4 shallow_water -nx 96 -ny 48 -steps 400 -digest -show lambda@film
     mpirun -n 4 shallow_water -nx 48 -ny 24 -steps 20 -interval 0 -check -digest */
#include "shallow_case.h"
#include <halograd/animation.h>
#include <halograd/problem.h>
#include <halograd/progress.h>
#include <halograd/results.h>
#include <math.h>
#include <stdio.h>

/* What happens as steps come by. The clock runs from the end of step 1, which is Euler's and makes
   the exchange plans, to the end of the last one, and stands still while results are written. */
typedef struct {
  const ShallowCase *shallow;
  HgResults results;
  HgAnimation animation; /* NULL: none */
  double interval;       /* of model time between results [s]; 0: none */
  long steps;
  double seconds, started;
  double traffic[2]; /* messages and bytes of this rank */
} Watch;

static void read_traffic(const Watch *w, double sign, double traffic[2]) {
  long exchanges, messages;
  double bytes;
  HgProgramTraffic(w->shallow->program, &exchanges, &messages, &bytes);
  traffic[0] += sign * (double)messages, traffic[1] += sign * bytes;
}

/* The same colours in all frames: those of the start reach to half of them. */
static PetscErrorCode add_frame(const Watch *w, double t, HgState q) {
  const double depth = w->shallow->depth, reach = 2 * w->shallow->swing;
  char title[64];
  snprintf(title, sizeof title, "thickness after %.2f hours", t / 3600);
  const HgPanel panel = {
      .title = title, .state = q, .field = "h", .low = depth - reach, .high = depth + reach};
  return HgAnimationAdd(w->animation, 1, &panel);
}

/* Is a result due after n steps: does t pass a multiple of the interval there? */
static bool due(const Watch *w, long n) {
  const double dt = HgProgramTimeStep(w->shallow->program);
  return w->interval > 0 &&
         (!n || floor((double)n * dt / w->interval) > floor((double)(n - 1) * dt / w->interval));
}

/* The first such step from n on. */
static long next_due(const Watch *w, long n) {
  const double dt = HgProgramTimeStep(w->shallow->program),
               results = floor((double)(n - 1) * dt / w->interval) + 1, /* before n */
      at = floor(results * w->interval / dt);
  if (!(w->interval > 0) || !(at < (double)w->steps)) return HG_NO_STEP;
  long m = PetscMax(n, (long)at); /* or one of the next: by rounding */
  while (!due(w, m)) m++;
  return m;
}

static long next_step(void *context, HgMode direction, long n) {
  const Watch *w = context;
  if (direction != HG_PRIMAL || n > w->steps) return HG_NO_STEP;
  if (n <= 1) return due(w, n) ? n : 1;
  return PetscMin(next_due(w, n), w->steps);
}

static PetscErrorCode watch(void *context, const HgTrajectorySight *s) {
  static const char *const names[] = {"h", "u", "v", NULL};
  Watch *w = context;
  if (s->n > 1) w->seconds += MPI_Wtime() - w->started;
  if (s->n == 1) read_traffic(w, -1, w->traffic);
  if (s->n == w->steps) read_traffic(w, 1, w->traffic);
  if (due(w, s->n)) {
    PetscCall(HgProgramCheckLimits(w->shallow->program, s->n, NULL));
    PetscCall(HgResultsWrite(w->results, s->t, s->state, names));
    if (w->animation) PetscCall(add_frame(w, s->t, s->state));
  }
  w->started = MPI_Wtime();
  return 0;
}

/* Speed and traffic of the slowest and the busiest rank, printed and reported. */
static PetscErrorCode report_cost(HgRun run, const HgCommon *c, const Watch *w) {
  const double timed = (double)PetscMax(1L, c->steps - 1);
  double most[3] = {w->seconds, w->traffic[0] / timed, w->traffic[1] / timed};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  const double rate = c->steps > 1 ? (double)c->nx * c->ny * timed / most[0] : NAN;
  if (c->steps > 1)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%ld steps after the first in %.3f s: %.4g cell-steps per second; each "
                          "rank sends at most %.4g messages and %.6g bytes per step\n",
                          c->steps - 1, most[0], rate, most[1], most[2]));
  PetscCall(HgReportSetReal(HgRunReport(run), "loop_seconds", most[0]));
  PetscCall(HgReportSetReal(HgRunReport(run), "cell_steps_per_second", rate));
  PetscCall(HgReportSetReal(HgRunReport(run), "messages_per_step", most[1]));
  return HgReportSetReal(HgRunReport(run), "bytes_per_step", most[2]);
}

static PetscErrorCode report_numbers(HgRun run, const ShallowCase *s, HgState q) {
  ShallowNumbers n;
  PetscCall(ShallowMeasure(s, q, &n));

  const struct {
    const char *name;
    double value;
  } all[] = {{"mean_h", n.mean_h},
             {"rms_h", n.rms_h},
             {"mean_u", n.mean_u},
             {"rms_u", n.rms_u},
             {"rms_v", n.rms_v}};

  for (int k = 0; k < 5; k++) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %.15g\n", all[k].name, all[k].value));
    PetscCall(HgReportSetReal(HgRunReport(run), all[k].name, all[k].value));
  }
  return 0;
}

static PetscErrorCode shallow_water(void) {
  HgRun run;
  ShallowCase shallow;
  HgCommon common = {.nx = 360, .ny = 180, .slots = 20, .output = "output/shallow_water"};
  double interval = 3600, J;
  bool frames = true;

  /* 1. Options. */
  PetscCall(HgRunCreate("shallow_water", "an unstable jet in a channel: the published case", &run));
  PetscCall(ShallowOptions(run, &common, &shallow));
  if (shallow.benchmark) interval = 0;
  PetscCall(HgOptionsReal(HgRunOptions(run), "-interval",
                          "model time between results (0: no results on the way)", "s", "[0, inf)",
                          &interval));
  PetscCall(HgOptionsFlag(
      HgRunOptions(run), "-frames",
      "write a PNG of each result, and print the ffmpeg command that makes a film", &frames));
  PetscCall(HgRunCommon(run, &common));
  HgRequire(PETSC_COMM_WORLD, !common.observations[0], HG_ERR_OPTION_CONFLICT,
            "option -observations: '%s' given, but this case has no sensors", common.observations);

  /* 2. Mesh, program, initial state. */
  PetscCall(ShallowCreateFromOptions(run, &common, &shallow));

  /* 3. J: how far the surface is from flat at the end, so that there is something to
     differentiate. */
  HgProblem problem;
  HgState flat;
  PetscCall(HgProgramCreateCarried(shallow.program, &flat));
  PetscCall(HgStateSetConstant(flat, "h", shallow.depth));
  PetscCall(HgProblemCreate(run, &common, shallow.program, shallow.x, &problem));
  PetscCall(HgObjectiveAddSnapshot(HgProblemGet(problem).objective, "h", common.steps, flat, 1));
  PetscCall(HgProblemSetUp(problem));
  PetscCall(HgProblemCheck(problem, shallow.x));
  PetscCall(HgOptionsCheckUnused(HgRunOptions(run)));

  /* 4. The run, results as it goes. */
  Watch w = {.shallow = &shallow, .interval = interval, .steps = common.steps};
  if (interval > 0)
    PetscCall(HgResultsCreate(shallow.mesh, common.output, "shallow_water",
                              "an unstable jet in a channel, shallow water", &w.results));
  if (interval > 0 && frames)
    PetscCall(HgAnimationCreate(PETSC_COMM_WORLD, common.output, "shallow_water", &w.animation));
  const HgTrajectory trajectory = HgProblemGet(problem).trajectory;
  PetscCall(HgTrajectoryAddObserver(
      trajectory, &(HgTrajectoryObserver){.next = next_step, .see = watch, .context = &w}));
  PetscCall(HgProgressShow(trajectory));
  const PetscErrorCode broken = HgTrajectoryValue(trajectory, shallow.x, &J);
  PetscCall(HgAnimationClose(&w.animation, 24));
  PetscCall(broken); /* results stay up to the last good one */
  if (w.results) PetscCall(HgResultsClose(&w.results));
  PetscCall(HgTrajectoryRemoveObserver(trajectory, &w));
  PetscCall(report_numbers(run, &shallow, HgProblemGet(problem).final));
  PetscCall(report_cost(run, &common, &w));

  /* 5. Gradient and digests if asked for, picture, report. */
  if (common.digest) PetscCall(HgProblemDigest(problem));
  const HgState q = HgProblemGet(problem).final;
  const HgPanel panels[] = {
      {.title = "thickness at the end", .state = q, .field = "h"},
      {.title = "velocity to the east", .state = q, .field = "u", .diverging = true},
      {.title = "velocity to the north", .state = q, .field = "v", .diverging = true}};
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, common.output, "shallow_water", 3, panels));
  PetscCall(HgReportSetReal(HgRunReport(run), "J", J));
  PetscCall(HgRunFinish(run, &common, "completed"));

  PetscCall(HgProblemDestroy(&problem));
  PetscCall(HgStateDestroy(&flat));
  PetscCall(ShallowDestroy(&shallow));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "shallow_water: an unstable jet in a channel\n", shallow_water);
}
