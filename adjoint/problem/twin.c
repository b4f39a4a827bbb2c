#include <halograd/twin.h>
#include <limits.h>
#include <math.h>

static PetscErrorCode run(HgProgram program, long steps, HgState x, HgObjective objective) {
  HgTrajectory trajectory;
  double unused;
  PetscCall(HgTrajectoryCreate(program, steps, objective, HG_SCHEDULE_REVOLVE, NULL, &trajectory));
  const PetscErrorCode ierr = HgTrajectoryValue(trajectory, x, &unused);
  PetscCall(HgTrajectoryDestroy(&trajectory));
  return ierr;
}

PetscErrorCode HgTwinObserve(HgProgram program, long steps, HgState x,
                             HgObservations *observations) {
  HgObjective objective;
  PetscCall(HgObjectiveCreate(program, steps, &objective));
  PetscErrorCode ierr = HgObjectiveAddSensors(objective, observations);
  if (!ierr) ierr = run(program, steps, x, objective);
  if (!ierr) ierr = HgObjectivePredicted(objective, 0, observations->value);
  PetscCall(HgObjectiveDestroy(&objective));
  return ierr;
}

/* From the first cell's centre to the last one's. */
static void whole_domain(HgMesh mesh, HgSensors *s) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  s->west = m->x0, s->east = m->x0 + (m->nx - 1) * m->dx;
  s->south = m->y0, s->north = m->y0 + (m->ny - 1) * m->dy;
}

PetscErrorCode HgSensorsPlace(const HgSensors *sensors, const char unit[], HgMesh mesh, double end,
                              HgObservations **observations) {
  HgSensors s = *sensors;
  HgObservations *o;
  const int64_t all = (int64_t)s.columns * s.rows;
  const int count = (int)all;
  HgRequire(HgMeshComm(mesh), s.columns >= 1 && s.rows >= 1 && all <= INT_MAX,
            "sensors of '%s': %d columns of %d rows, expected at least one of each and at most %d "
            "sensors",
            s.variable, s.columns, s.rows, INT_MAX);
  HgRequire(HgMeshComm(mesh), s.from >= 0 && s.from < end,
            "sensors of '%s': they look after %g s, expected a time within the run of %g s",
            s.variable, s.from, end);
  HgRequire(
      HgMeshComm(mesh), s.sigma > 0 && isnormal(1 / (s.sigma * s.sigma)),
      "sensors of '%s': their noise has the standard deviation %g, expected a positive finite "
      "number",
      s.variable, s.sigma);
  PetscCall(HgObservationsCreate(HgMeshComm(mesh), s.variable, unit, s.times, count, &o));
  o->degrees = HgMeshGetSpec(mesh)->radius > 0;
  if (!s.west && !s.east && !s.south && !s.north) whole_domain(mesh, &s);
  for (int k = 0; k < count; k++) {
    o->x[k] = s.west + (k % s.columns + 0.5) * (s.east - s.west) / s.columns;
    o->y[k] = s.south + (k / s.columns + 0.5) * (s.north - s.south) / s.rows;
  }
  for (int n = 0; n < s.times; n++) o->time[n] = s.from + (end - s.from) * (n + 1) / s.times;
  for (int k = 0; k < s.times * count; k++) o->sigma[k] = s.sigma;
  *observations = o;
  return 0;
}

PetscErrorCode HgTwinSense(HgProgram program, long steps, HgState x, const HgSensors *sensors,
                           HgObservations **observations) {
  int k;
  PetscCall(HgStateIndex(x, sensors->variable, &k));
  PetscCall(HgSensorsPlace(sensors, HgStateVariable(x, k)->unit, HgProgramMesh(program),
                           (double)steps * HgProgramTimeStep(program), observations));
  const PetscErrorCode ierr = HgTwinObserve(program, steps, x, *observations);
  if (ierr) PetscCall(HgObservationsDestroy(observations));
  else HgObservationsAddNoise(*observations, sensors->sigma, sensors->seed);
  return ierr;
}
