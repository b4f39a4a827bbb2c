#include "gauge_case.h"
#include <halograd/gauges.h>
#include <string.h>

/* The ranks agree every 100 steps only: that costs as much as a step of a small grid. */
PetscErrorCode GaugeWatch(long n, double t, HgState q, void *context) {
  GaugeDepth *depth = context;
  (void)t;
  if (n == 0) depth->dry.found = false;
  ShallowFindDry(n, q, &depth->dry);
  return n % 100 == 0 || n == depth->steps ? ShallowRequireWet(HgStateMesh(q), &depth->dry) : 0;
}

PetscErrorCode GaugeTwin(HgRun run, const GaugeCase *g, const HgCommon *common, const char path[],
                         double noise, uint64_t seed) {
  HgObservations *data;
  HgObjective objective;
  HgTrajectory trajectory;
  HgCommon once = *common;
  GaugeDepth depth = {.steps = common->steps};
  double unused;
  once.slots = 0; /* nothing is reversed */
  PetscCall(GaugeSensors(g, &data));
  PetscCall(HgObjectiveCreate(g->program, common->steps, &objective));
  PetscCall(HgObjectiveAddSensors(objective, data));
  PetscCall(HgRunTrajectory(run, g->program, objective, &once, &trajectory));
  PetscCall(HgOptionsCheckUnused(HgRunOptions(run)));
  PetscCall(HgTrajectorySetWatch(trajectory, GaugeWatch, &depth));
  PetscCall(HgTrajectoryValue(trajectory, g->truth, &unused));
  PetscCall(HgObjectivePredicted(objective, 0, data->value));
  HgObservationsAddNoise(data, noise, seed);
  const char *const ending = strrchr(path, '.');
  if (ending && !strcmp(ending, ".csv"))
    PetscCall(HgGaugesWrite(PETSC_COMM_WORLD, path, data, NULL));
  else PetscCall(HgObservationsWrite(PETSC_COMM_WORLD, path, data, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d gauges, read %d times, are in %s\n", data->sensors,
                        data->times, path));
  PetscCall(HgTrajectoryDestroy(&trajectory));
  PetscCall(HgObjectiveDestroy(&objective));
  return HgObservationsDestroy(&data);
}
