/* SPDX-License-Identifier: BSD-2-Clause */
/* The readings of all gauges in order of time: what is known at any time comes first. For
   tohoku_inverse. */
#ifndef EXACT_READINGS_H
#define EXACT_READINGS_H
#include "tohoku_gauges.h"

typedef struct {
  int count, gauges;
  int *gauge;                   /* [count] */
  double *time, *value, *sigma; /* [count] [s] since the source, [m], [m] */
} ExactReadings;

/* Takes the readings in the windows of their gauges. Not collective. */
PetscErrorCode ExactReadingsCreate(const TohokuGauges *gauges, const HgObservations *observations,
                                   ExactReadings *readings);
PetscErrorCode ExactReadingsDestroy(ExactReadings *readings);

/* The number of readings in the first `time` seconds after the source. */
int ExactReadingsUntil(const ExactReadings *readings, double time);

/* The largest reading of a gauge, -1: it has none. */
int ExactReadingsPeak(const ExactReadings *readings, int gauge);

#endif
