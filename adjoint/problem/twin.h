/* halograd/twin.h -- twin experiments: data from a run whose truth is known. */
#ifndef HALOGRAD_TWIN_H
#define HALOGRAD_TWIN_H

#include <halograd/trajectory.h>

/* columns x rows sensors of a variable in the middle of the boxes that a rectangle is cut into, and
   when they look; or `whole`: snapshots of the variable in all cells, after the steps next to those
   times. */
typedef struct {
  const char *variable;
  int columns, rows;
  double west, east, south, north; /* the rectangle [m]; all 0: from the first cell's centre to the
                                      last one's */
  int times;                       /* equally far apart, the last at the end of the run */
  double from;                     /* [s] before the first of them by as much */
  double sigma;                    /* standard deviation of the noise, in its unit, above 0 */
  uint64_t seed;                   /* of the noise */
  bool whole;                      /* snapshots; columns, rows and rectangle stay 0 */
} HgSensors;

/* Observations of `sensors` [unit] in a run to the time `end` [s] on `mesh`, all values 0 with the
   standard deviation of the noise. Collective. Errors: those of HgObservationsCreate(); less than
   one column or row; times not within the run; a standard deviation that is not positive and
   finite. */
PetscErrorCode HgSensorsPlace(const HgSensors *sensors, const char unit[], HgMesh mesh, double end,
                              HgObservations **observations);

/* observations->value: what its sensors see, without noise, while `program` makes `steps` steps
   from the input `x`. Nothing is stored. Collective. Errors: those of HgObjectiveAddSensors() and
   HgTrajectoryValue(). */
PetscErrorCode HgTwinObserve(HgProgram program, long steps, HgState x,
                             HgObservations *observations);

/* Both, with noise. Collective. Errors: theirs; snapshots; a variable that is not carried. */
PetscErrorCode HgTwinSense(HgProgram program, long steps, HgState x, const HgSensors *sensors,
                           HgObservations **observations);

/* The same for snapshots, sensors->whole: data[sensors->times] are fields of the variable, made here
   and the caller's to destroy after `objective`, to which they are added. Collective. Errors: of
   the time, the noise and the variable as above; two snapshots of one step. */
PetscErrorCode HgTwinSnapshots(HgProgram program, long steps, HgState x, const HgSensors *sensors,
                               HgObjective objective, HgState data[]);

#endif
