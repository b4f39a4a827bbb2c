/* SPDX-License-Identifier: BSD-2-Clause */
/* The posterior of source and gauges given the first readings; exact_map.h has the formulas. Every
   rank computes all of it. For tohoku_inverse. */
#ifndef EXACT_KNOWN_H
#define EXACT_KNOWN_H
#include "exact_map.h"

/* A number and its standard deviation. */
typedef struct {
  double mean, deviation;
} ExactNumber;

typedef struct {
  int readings;              /* number of readings used */
  double J, misfit;          /* at the mean, the minimum of J */
  double evidence;           /* the logarithm of the readings' probability density */
  ExactNumber total, before; /* volume or moment (exact_source.h); before: the data */
  ExactNumber east,
      north; /* centroid of the volume, by the delta method; NAN of no volume [degrees] */
  double *source, *deviation;     /* [unknowns] mean and standard deviation [m] */
  double *predicted, *unsure;     /* [all readings] of the surface there [m] */
  double *left_out, *left_unsure; /* [all readings] by all other gauges; noise included [m] */
  double *chi2;                   /* [gauges] of one that is left out */
  double *y, *weights;            /* [all readings] */
} ExactKnown;

PetscErrorCode ExactKnownCreate(const ExactMap *map, ExactKnown *known);
PetscErrorCode ExactKnownDestroy(ExactKnown *known);

/* Computes all but `left_out` from the first `count` readings. Not collective. */
PetscErrorCode ExactKnownUpdate(const ExactMap *map, const ExactReadings *readings, int count,
                                ExactKnown *known);

/* Predicts each gauge from all readings of the others. Call it after ExactKnownUpdate() with all
   readings. Not collective. */
PetscErrorCode ExactKnownLeaveOut(const ExactMap *map, const ExactReadings *readings,
                                  ExactKnown *known);

#endif
