/* SPDX-License-Identifier: BSD-2-Clause */
/* What a charge gives off in time, for fwi. */
#ifndef WAVELET_H
#define WAVELET_H
#include <petscsys.h>

typedef struct {
  int samples; /* of a file; 0: Ricker's wavelet */
  double *time, *value;
} Wavelet;

/* A table "time [s],wavelet [1]" of increasing times; between them it is linear, 0 outside.
   Collective. Errors: those of HgTableRead(); another table; fewer than 2 rows. */
PetscErrorCode WaveletRead(MPI_Comm comm, const char path[], Wavelet *wavelet);
PetscErrorCode WaveletDestroy(Wavelet *wavelet);

/* The low-pass filter up to `frequency` [Hz], where it halves the spectrum: the mean around a time,
   weighted by exp(-(s / width)^2 / 2) for |s| <= WAVELET_REACH width [s]. */
enum { WAVELET_REACH = 5 };

double WaveletWidth(double frequency);

/* out[n] = the wavelet at n dt, n < count. Ricker's has half of its peak at `frequency`; one of a
   file passes through the filter, and is late by its reach, before which it begins; frequency 0: it
   is as it stands in the file. */
void WaveletSample(const Wavelet *wavelet, double frequency, double dt, long count, double out[]);

#endif
