/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by mesh/io/observations*.c, by readers and writers of gauges, and by the terms of an
   objective with sensors. */
#ifndef HG_OBSERVATIONS_LIBRARY_H
#define HG_OBSERVATIONS_LIBRARY_H

#include <halograd/observations.h>

enum { HG_OBSERVATIONS_LARGEST = 1 << 30 /* numbers: counts stay far inside int */ };

/* Bytes of memory for so many observations. */
double HgObservationsBytes(int times, int sensors);

/* Creates observations of zeros with sigma 1; NULL: no memory. */
HgObservations *HgObservationsNew(const char name[], const char unit[], int times, int sensors);

/* "m" or "degrees". */
const char *HgObservationsPlaceUnit(const HgObservations *o);

/* Whether values are finite and standard deviations above 0. If not, `problem` is a sentence that
   begins with `where`. `gaps`: sigma may be infinite. */
bool HgObservationsMeasured(const HgObservations *o, bool gaps, const char where[], char problem[],
                            size_t size);

/* Whether all numbers are valid, from whatever file. If not, `problem` is a sentence that names
   `path`. */
bool HgObservationsSound(const HgObservations *o, bool gaps, const char path[], char problem[],
                         size_t size);

#endif
