/* SPDX-License-Identifier: BSD-2-Clause */
#include "gauge_case.h"
#include <halograd/gauges.h>
#include <halograd/problem.h>
#include <string.h>

PetscErrorCode GaugeTwin(HgRun run, const GaugeCase *g, const HgCommon *common, const char path[],
                         double noise, uint64_t seed) {
  HgObservations *data;
  PetscCall(HgOptionsCheckUnused(HgRunOptions(run)));
  PetscCall(GaugeSensors(g, &data));
  PetscCall(HgTwinObserve(g->program, common->steps, g->truth, data));
  HgObservationsAddNoise(data, noise, seed);
  const char *const ending = strrchr(path, '.');
  if (ending && !strcmp(ending, ".csv"))
    PetscCall(HgGaugesWrite(PETSC_COMM_WORLD, path, data, NULL, NULL));
  else PetscCall(HgObservationsWrite(PETSC_COMM_WORLD, path, data, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d gauges, read %d times, are in %s\n", data->sensors,
                        data->times, path));
  return HgObservationsDestroy(&data);
}
