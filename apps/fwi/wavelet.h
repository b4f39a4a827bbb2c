/* SPDX-License-Identifier: BSD-2-Clause */
/* What a charge gives off in time, for fwi. */
#ifndef WAVELET_H
#define WAVELET_H
#include <petscsys.h>

typedef struct {
  int samples; /* in a file; 0: Ricker's wavelet */
  double *time, *value;
} Wavelet;

/* Reads a table "time [s],wavelet [1]" of increasing times. The wavelet is linear between them and
   0 outside. Collective. Errors: those of HgTableRead(); another table; fewer than 2 rows. */
PetscErrorCode WaveletRead(MPI_Comm comm, const char path[], Wavelet *wavelet);
PetscErrorCode WaveletDestroy(Wavelet *wavelet);

/* The low-pass filter, which halves the spectrum at `frequency` [Hz]: a moving mean with weights
   exp(-(s / width)^2 / 2), |s| <= WAVELET_REACH width [s]. */
enum { WAVELET_REACH = 5 };

double WaveletWidth(double frequency);

/* out[n] = the wavelet at n dt, n < count. The spectrum of Ricker's has half of its peak at
   `frequency`. A file's wavelet is filtered and delayed by the filter's reach; frequency 0: as in
   the file. */
void WaveletSample(const Wavelet *wavelet, double frequency, double dt, long count, double out[]);

#endif
