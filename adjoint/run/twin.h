/* halograd/twin.h -- twin experiments: data from a run whose truth is known. */
#ifndef HALOGRAD_TWIN_H
#define HALOGRAD_TWIN_H

#include <halograd/trajectory.h>

/* observations->value: what its sensors see, without noise, while `program` makes `steps` steps
   from the input `x`. Nothing is stored. Collective. Errors: those of HgObjectiveAddSensors() and
   HgTrajectoryValue(). */
PetscErrorCode HgTwinObserve(HgProgram program, long steps, HgState x,
                             HgObservations *observations);

#endif
