/* SPDX-License-Identifier: BSD-2-Clause */
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
  int layers;                      /* on a mesh with levels so many above each other; 0: one */
  double below, above;             /* between these heights [m]; both 0: all levels */
} HgSensors;

/* observations->value: what its sensors see, without noise, while `program` makes `steps` steps
   from the input `x`. Nothing is stored. Collective. Errors: those of HgObjectiveAddSensors() and
   HgTrajectoryValue(). */
PetscErrorCode HgTwinObserve(HgProgram program, long steps, HgState x,
                             HgObservations *observations);

#endif
