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

/* out[n] = the wavelet at n dt, n < count, up to `frequency` [Hz]: of Ricker's, and of the low-pass
   filter that one of a file passes through, the spectrum has fallen to half of its peak there. */
void WaveletSample(const Wavelet *wavelet, double frequency, double dt, long count, double out[]);

#endif
