/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact_rows.h"
#include <math.h>

typedef struct {
  const ExactReadings *readings;
  const ExactSource *source;
  int gauge;
  long steps; /* the last reading of the gauge lies so many steps after the source, at most */
  double dt;
  bool *wanted; /* [steps + 1] is lambda of that step looked at? */
  double *G;
} Rows;

static const double slack = 1e-9; /* of a step: times of steps are rounded */

/* Reading r lies between the steps `lag` and lag + 1, of which the later one has this weight. */
static double later_of(const Rows *rows, int r, long *lag) {
  const double at = rows->readings->time[r] / rows->dt, nearest = round(at);
  const bool met = fabs(at - nearest) < slack * fmax(1, nearest);
  *lag = (long)(met ? nearest : floor(at));
  return met ? 0 : at - floor(at);
}

static long next_step(void *self, HgMode direction, long n) {
  const Rows *rows = self;
  if (direction != HG_COTANGENT) return HG_NO_STEP;
  while (n <= rows->steps && !rows->wanted[n]) n++;
  return n <= rows->steps ? n : HG_NO_STEP;
}

static PetscErrorCode add_rows(void *self, const HgTrajectorySight *sight) {
  const Rows *rows = self;
  for (int r = 0; r < rows->readings->count; r++) {
    long lag;
    if (rows->readings->gauge[r] != rows->gauge) continue;
    const double later = later_of(rows, r, &lag);
    const long back = rows->steps - sight->n;
    const double weight = back == lag ? 1 - later : back == lag + 1 ? later : 0;
    if (weight > 0)
      PetscCall(ExactSourceProject(rows->source, sight->state, weight,
                                   rows->G + (size_t)r * (size_t)rows->source->count));
  }
  return 0;
}

/* Up to the gauge's last reading. */
static PetscErrorCode plan(Rows *rows) {
  long lag;
  rows->steps = 0;
  for (int r = 0; r < rows->readings->count; r++)
    if (rows->readings->gauge[r] == rows->gauge) {
      const double later = later_of(rows, r, &lag);
      rows->steps = PetscMax(rows->steps, PetscMax(1, lag + (later > 0)));
    }
  PetscCall(PetscCalloc1(rows->steps + 1, &rows->wanted));
  for (int r = 0; r < rows->readings->count; r++)
    if (rows->readings->gauge[r] == rows->gauge) {
      const double later = later_of(rows, r, &lag);
      rows->wanted[rows->steps - lag] = true;
      if (later > 0) rows->wanted[rows->steps - lag - 1] = true;
    }
  return 0;
}

/* Of a sea at rest the gauge, which reads -1 m with sigma 1 m at the last step, has lambda_N = g.
   */
static PetscErrorCode read_end(const Rows *rows, const HgObservations *o, HgObjective objective) {
  HgObservations *end;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "eta", "m", 1, 1, &end));
  end->degrees = o->degrees;
  end->x[0] = o->x[rows->gauge], end->y[0] = o->y[rows->gauge];
  end->time[0] = (double)rows->steps * rows->dt;
  end->value[0] = -1, end->sigma[0] = 1;
  PetscCall(HgObjectiveAddSensors(objective, end));
  return HgObservationsDestroy(&end);
}

static PetscErrorCode reverse(HgRun run, const HgCommon *common, const TohokuSea *sea,
                              const HgObservations *o, Rows *rows) {
  HgCommon c = *common;
  HgObjective objective;
  HgTrajectory trajectory;
  HgState unused;
  double J;
  PetscCall(plan(rows));
  c.steps = rows->steps;
  PetscCall(HgObjectiveCreate(sea->program, c.steps, &objective));
  PetscCall(read_end(rows, o, objective));
  PetscCall(HgRunTrajectory(run, sea->program, objective, &c, &trajectory));
  PetscCall(HgTrajectoryAddObserver(
      trajectory, &(HgTrajectoryObserver){
                      .next = next_step, .see = add_rows, .context = rows, .without_q = true}));
  PetscCall(HgProgramCreateInput(sea->program, &unused));
  PetscCall(HgTrajectoryGradient(trajectory, sea->x, 1, &J, unused));
  PetscCall(HgStateDestroy(&unused));
  PetscCall(HgTrajectoryDestroy(&trajectory));
  PetscCall(HgObjectiveDestroy(&objective));
  return PetscFree(rows->wanted);
}

static PetscErrorCode require_seen(const TohokuGauges *g, const ExactReadings *readings,
                                   int unknowns, const double G[]) {
  int blind = -1;
  for (int r = readings->count - 1; r >= 0; r--) {
    bool sees = false;
    for (int c = 0; c < unknowns && !sees; c++)
      sees = G[(size_t)r * (size_t)unknowns + (size_t)c] != 0;
    if (!sees) blind = r;
  }
  if (blind < 0) return 0;
  const TohokuGauge *gauge = &g->gauge[readings->gauge[blind]];
  return HgError(PETSC_COMM_WORLD, HG_ERR_DATA,
                 "gauge '%s': its reading at %g s sees nothing of the source, from which no wave "
                 "comes so soon, expected a window that begins later than its %d s (-windows)",
                 gauge->name, readings->time[blind] + g->tau, gauge->first);
}

PetscErrorCode ExactRowsRun(HgRun run, const HgCommon *common, const TohokuSea *sea,
                            const TohokuGauges *g, const HgObservations *o,
                            const ExactReadings *readings, const ExactSource *source, double G[]) {
  static const char *const constants[] = {"keep", "keep_u", "keep_v", "h_u", "h_v"};
  const size_t size = (size_t)readings->count * (size_t)source->count;
  Rows rows = {.readings = readings, .source = source, .dt = common->dt, .G = G};
  for (int k = 0; k < (int)(sizeof constants / sizeof *constants); k++)
    PetscCall(HgProgramSetActive(sea->program, constants[k], false));
  PetscCall(PetscArrayzero(G, size));
  for (rows.gauge = 0; rows.gauge < readings->gauges; rows.gauge++) {
    const double start = MPI_Wtime();
    PetscCall(reverse(run, common, sea, o, &rows));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "gauge %s: %ld steps reversed, %.3g s\n",
                          g->gauge[rows.gauge].name, rows.steps, MPI_Wtime() - start));
  }
  for (int r = 0; r < readings->count; r++) /* one rank's number and zeros: exact */
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, G + (size_t)r * (size_t)source->count, source->count,
                               MPI_DOUBLE, MPI_SUM, HgMeshComm(sea->mesh)));
  return require_seen(g, readings, source->count, G);
}
