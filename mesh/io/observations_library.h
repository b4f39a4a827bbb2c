/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by mesh/io/observations*.c, by what reads and writes gauges, and by the terms of an
   objective that look at sensors. */
#ifndef HG_OBSERVATIONS_LIBRARY_H
#define HG_OBSERVATIONS_LIBRARY_H

#include <halograd/observations.h>

enum { HG_OBSERVATIONS_LARGEST = 1 << 30 /* numbers: counts stay far inside int */ };

/* Bytes of memory of so many. */
double HgObservationsBytes(int times, int sensors);

/* Zeros, sigma 1; NULL if there is no memory. */
HgObservations *HgObservationsNew(const char name[], const char unit[], int times, int sensors);

/* "m" or "degrees" */
const char *HgObservationsPlaceUnit(const HgObservations *o);

/* Are values finite and standard deviations above 0? If not, one sentence that begins with `where`.
   `gaps`: may sigma be infinite? */
bool HgObservationsMeasured(const HgObservations *o, bool gaps, const char where[], char problem[],
                            size_t size);

/* What all numbers must satisfy whatever their file; if not, one sentence that names `path`. */
bool HgObservationsSound(const HgObservations *o, bool gaps, const char path[], char problem[],
                         size_t size);

#endif
