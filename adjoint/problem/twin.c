/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/problem_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <limits.h>
#include <math.h>

/* Makes the steps of `objective`; `observer` may be NULL. */
static PetscErrorCode run(HgProgram program, long steps, HgState x, HgObjective objective,
                          const HgTrajectoryObserver *observer) {
  HgTrajectory trajectory;
  double unused;
  PetscCall(HgTrajectoryCreate(program, steps, objective, NULL, &trajectory));
  PetscErrorCode ierr = observer ? HgTrajectoryAddObserver(trajectory, observer) : 0;
  if (!ierr) ierr = HgTrajectoryValue(trajectory, x, &unused);
  PetscCall(HgTrajectoryDestroy(&trajectory));
  return ierr;
}

PetscErrorCode HgTwinObserve(HgProgram program, long steps, HgState x,
                             HgObservations *observations) {
  HgObjective objective;
  PetscCall(HgObjectiveCreate(program, steps, &objective));
  PetscErrorCode ierr = HgObjectiveAddSensors(objective, observations);
  if (!ierr) ierr = run(program, steps, x, objective, NULL);
  if (!ierr) ierr = HgObjectivePredicted(objective, 0, observations->value);
  PetscCall(HgObjectiveDestroy(&objective));
  return ierr;
}

/* If no rectangle is given: from the first cell's centre to the last one's. */
static void whole_axes(HgMesh mesh, HgSensors *s) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  if (!s->west && !s->east) s->west = m->x0, s->east = m->x0 + (m->nx - 1) * m->dx;
  if (!s->south && !s->north) s->south = m->y0, s->north = m->y0 + (m->ny - 1) * m->dy;
}

/* The same for heights. */
static void set_heights(HgMesh mesh, const HgSensors *s, HgObservations *o) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const bool whole = !s->below && !s->above;
  const double below = whole ? m->z0 : s->below,
               above = whole ? m->z0 + (m->nz - 1) * m->dz : s->above;
  o->levels = m->nz > 0;
  for (int k = 0; o->levels && k < o->sensors; k++)
    o->z[k] = below + (k / (s->columns * s->rows) + 0.5) * (above - below) / s->layers;
}

/* Checks the noise, and that the times are within the run. */
static PetscErrorCode check_sensors(const HgSensors *s, MPI_Comm comm, double end) {
  HgRequire(comm, s->from >= 0 && s->from < end, HG_ERR_DATA,
            "sensors of '%s': they look after %g s, expected a time within the run of %g s",
            s->variable, s->from, end);
  HgRequire(
      comm, s->sigma > 0 && isnormal(1 / (s->sigma * s->sigma)), HG_ERR_DATA,
      "sensors of '%s': their noise has the standard deviation %g, expected a number above 0 whose "
      "square and its inverse are finite",
      s->variable, s->sigma);
  return 0;
}

PetscErrorCode HgSensorsPlace(const HgSensors *sensors, const char unit[], HgMesh mesh, double end,
                              HgObservations **observations) {
  HgSensors s = *sensors;
  HgObservations *o;
  s.layers = PetscMax(1, s.layers);
  const int64_t all = (int64_t)s.columns * s.rows * s.layers;
  const int count = (int)all;
  HgRequire(HgMeshComm(mesh), !s.whole, HG_ERR_DATA,
            "sensors of '%s': snapshots have no places, expected sensors without .whole",
            s.variable);
  HgRequire(HgMeshComm(mesh), s.layers == 1 || HgMeshGetSpec(mesh)->nz, HG_ERR_DATA,
            "sensors of '%s': %d layers of them, but the mesh has no levels", s.variable, s.layers);
  HgRequire(HgMeshComm(mesh), s.columns >= 1 && s.rows >= 1 && all <= INT_MAX, HG_ERR_DATA,
            "sensors of '%s': %d columns of %d rows, expected at least one of each and at most %d "
            "sensors",
            s.variable, s.columns, s.rows, INT_MAX);
  PetscCall(check_sensors(&s, HgMeshComm(mesh), end));
  PetscCall(HgObservationsCreate(HgMeshComm(mesh), s.variable, unit, s.times, count, &o));
  o->degrees = HgMeshGetSpec(mesh)->radius > 0;
  whole_axes(mesh, &s);
  for (int k = 0; k < count; k++) {
    o->x[k] = s.west + (k % s.columns + 0.5) * (s.east - s.west) / s.columns;
    o->y[k] = s.south + (k / s.columns % s.rows + 0.5) * (s.north - s.south) / s.rows;
  }
  set_heights(mesh, &s, o);
  for (int n = 0; n < s.times; n++) o->time[n] = s.from + (end - s.from) * (n + 1) / s.times;
  for (int k = 0; k < s.times * count; k++) o->sigma[k] = s.sigma;
  *observations = o;
  return 0;
}

PetscErrorCode HgTwinSense(HgProgram program, long steps, HgState x, const HgSensors *sensors,
                           HgObservations **observations) {
  int k;
  PetscCall(HgProgramFindCarried(program, sensors->variable, &k));
  k = HgStateFind(x, sensors->variable);
  PetscCall(HgSensorsPlace(sensors, HgStateVariable(x, k)->unit, HgProgramMesh(program),
                           (double)steps * HgProgramTimeStep(program), observations));
  const PetscErrorCode ierr = HgTwinObserve(program, steps, x, *observations);
  if (ierr) PetscCall(HgObservationsDestroy(observations));
  else HgObservationsAddNoise(*observations, sensors->sigma, sensors->seed);
  return ierr;
}

/* ---- snapshots ---- */

typedef struct {
  const HgSensors *of;
  long steps;
  double end; /* [s] */
  HgState *data;
} Snapshots;

/* The step after which snapshot k is taken. */
static long step_of(const Snapshots *s, int k) {
  const double t = s->of->from + (s->end - s->of->from) * (k + 1) / s->of->times;
  return lround(t / s->end * (double)s->steps);
}

static long next_snapshot(void *self, HgMode direction, long n) {
  const Snapshots *s = self;
  for (int k = 0; direction == HG_PRIMAL && k < s->of->times; k++)
    if (step_of(s, k) >= n) return step_of(s, k);
  return HG_NO_STEP;
}

static PetscErrorCode take_snapshot(void *self, const HgTrajectorySight *sight) {
  const Snapshots *s = self;
  int k = 0;
  while (step_of(s, k) != sight->n) k++;
  return HgStateCopyShared(sight->state, s->data[k]);
}

static PetscErrorCode check_snapshots(const Snapshots *s, MPI_Comm comm) {
  PetscCall(check_sensors(s->of, comm, s->end));
  HgRequire(comm, s->of->whole && !s->of->columns && !s->of->rows, HG_ERR_DATA,
            "snapshots of '%s': %d columns and %d rows of sensors, expected none and .whole",
            s->of->variable, s->of->columns, s->of->rows);
  HgRequire(comm, s->of->times >= 1, HG_ERR_DATA,
            "snapshots of '%s': %d times, expected at least 1", s->of->variable, s->of->times);
  for (int k = 1; k < s->of->times; k++)
    HgRequire(
        comm, step_of(s, k) > step_of(s, k - 1), HG_ERR_DATA,
        "snapshots of '%s': %d times between %g s and %g s, expected at most one of each step",
        s->of->variable, s->of->times, s->of->from, s->end);
  return 0;
}

/* Without noise. */
static PetscErrorCode run_snapshots(HgProgram program, HgState x, Snapshots *s) {
  const HgTrajectoryObserver observer = {.next = next_snapshot, .see = take_snapshot, .context = s};
  HgObjective nothing;
  PetscCall(HgObjectiveCreate(program, s->steps, &nothing));
  const PetscErrorCode ierr = run(program, s->steps, x, nothing, &observer);
  PetscCall(HgObjectiveDestroy(&nothing));
  return ierr;
}

PetscErrorCode HgTwinSnapshots(HgProgram program, long steps, HgState x, const HgSensors *sensors,
                               HgObjective objective, HgState data[]) {
  Snapshots s = {sensors, steps, (double)steps * HgProgramTimeStep(program), data};
  int k, made = 0;
  PetscCall(check_snapshots(&s, HgMeshComm(HgProgramMesh(program))));
  PetscCall(HgProgramFindCarried(program, sensors->variable, &k));
  k = HgStateFind(x, sensors->variable);
  PetscErrorCode ierr = 0;
  for (; made < sensors->times && !ierr; made += !ierr)
    ierr = HgStateCreate(HgProgramMesh(program), 1, HgStateVariable(x, k), &data[made]);
  if (!ierr) ierr = run_snapshots(program, x, &s);
  for (int n = 0; n < sensors->times && !ierr; n++) {
    ierr = HgStateAddNoise(data[n], sensors->variable, sensors->sigma, sensors->seed + (uint64_t)n);
    if (!ierr)
      ierr = HgObjectiveAddSnapshot(objective, sensors->variable, step_of(&s, n), data[n],
                                    sensors->sigma);
  }
  while (ierr && made) PetscCall(HgStateDestroy(&data[--made]));
  return ierr;
}
