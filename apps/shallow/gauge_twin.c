#include "gauge_case.h"
#include <halograd/gauges.h>
#include <halograd/twin.h>
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
  GaugeDepth depth = {.steps = common->steps};
  PetscCall(HgOptionsCheckUnused(HgRunOptions(run)));
  PetscCall(GaugeSensors(g, &data));
  PetscCall(HgTwinObserve(g->program, common->steps, g->truth, GaugeWatch, &depth, data));
  HgObservationsAddNoise(data, noise, seed);
  const char *const ending = strrchr(path, '.');
  if (ending && !strcmp(ending, ".csv"))
    PetscCall(HgGaugesWrite(PETSC_COMM_WORLD, path, data, NULL));
  else PetscCall(HgObservationsWrite(PETSC_COMM_WORLD, path, data, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d gauges, read %d times, are in %s\n", data->sensors,
                        data->times, path));
  return HgObservationsDestroy(&data);
}
