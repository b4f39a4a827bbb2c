/* SPDX-License-Identifier: BSD-2-Clause */
/* The readings of all gauges in the order of time, so that what is known at any time comes first.
   For tohoku_inverse. */
#ifndef EXACT_READINGS_H
#define EXACT_READINGS_H
#include "tohoku_gauges.h"

typedef struct {
  int count, gauges;
  int *gauge;                   /* [count] */
  double *time, *value, *sigma; /* [count] [s] since the source, [m], [m] */
} ExactReadings;

/* Those in the windows of their gauges. Not collective. */
PetscErrorCode ExactReadingsCreate(const TohokuGauges *gauges, const HgObservations *observations,
                                   ExactReadings *readings);
PetscErrorCode ExactReadingsDestroy(ExactReadings *readings);

/* How many of them stand in the first `time` seconds since the source. */
int ExactReadingsUntil(const ExactReadings *readings, double time);

/* The one at which a gauge reads most, -1: it has none. */
int ExactReadingsPeak(const ExactReadings *readings, int gauge);

#endif
