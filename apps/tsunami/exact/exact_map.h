/* SPDX-License-Identifier: BSD-2-Clause */
/* What -precompute keeps, and -online needs: the map G from the source to all readings, and all of
   the posterior that does not depend on what was read. For tohoku_inverse.

   The source m is N(0, C) before the data, C = P^-1 (exact_source.h), and the readings are d = G m
   + noise, N(0, S). With M = G C G^T + S = L L^T, readings in the order of time, the first p of
   them leave, y = L^-1 d, X = L^-1 G C, Z = L^-1 G C G^T, sums over the first p rows,

     the source      sum y_i X_i          variance  C_cc - sum X_ic^2
     reading r       sum y_i Z_ir         variance  (G C G^T)_rr - sum Z_ir^2
     F m             sum y_i (X F^T)_i    variance  F C F^T - sum (X F^T)_i (X F^T)_i^T

   so one factor serves for all times. Of the readings B of one gauge, which all others predict, the
   errors are R (M^-1 d)_B, with the covariance R = ((M^-1)_BB)^-1, noise included. */
#ifndef EXACT_MAP_H
#define EXACT_MAP_H
#include "exact_readings.h"
#include "exact_source.h"

enum { EXACT_HEAD = 16 };

typedef struct {
  int readings, unknowns, gauges;
  ExactPrior prior;
  HgState state; /* holds the arrays below */
  double *head;
  double *G, *X;     /* [readings * unknowns], row by row [1, m] */
  double *Z, *L, *R; /* [readings * readings], likewise [m, m, m^2]; R has a block for each gauge */
  double *before;    /* [unknowns] their variance before the data [m^2] */
  double *a;         /* [cells of the box] of its prior */
  double *XF, *FCF;  /* [readings * EXACT_FUNCTIONALS], [EXACT_FUNCTIONALS * EXACT_FUNCTIONALS] */
  double *east, *north;             /* [cells of the box] degrees */
  double *gauge, *time, *sigma;     /* [readings] number of the gauge, [s] since the source, [m] */
  double *gauge_east, *gauge_north; /* [gauges] degrees */
} ExactMap;

/* Creates an empty map. Collective. Error: more than 2^28 numbers in G or in Z. */
PetscErrorCode ExactMapCreate(const ExactSource *source, int readings, int gauges, ExactMap *map);
PetscErrorCode ExactMapDestroy(ExactMap *map);

/* The standard deviation of a reading's noise [m]. */
static inline double ExactMapNoise(const ExactMap *map, int reading) {
  return map->prior.noise * map->sigma[reading];
}

/* Computes everything that follows from G, the readings' sigmas and the prior. Rank 0 computes.
   Collective. Error: M is not positive definite. */
PetscErrorCode ExactMapFactor(const ExactSource *source, const ExactReadings *readings,
                              const ExactPrior *prior, ExactMap *map);

/* Writes or reads `folder`/exact.h5. Reading also sets box->a of the source to the map's.
   Collective. Errors: those of HgResultsWrite() and HgResultsRead(); when reading: no such file;
   another sea, source, gauge or reading. */
PetscErrorCode ExactMapWrite(const ExactSource *source, const HgObservations *observations,
                             const char folder[], ExactMap *map);
PetscErrorCode ExactMapRead(ExactSource *source, const TohokuGauges *gauges,
                            const HgObservations *observations, const ExactReadings *readings,
                            const char folder[], ExactMap *map);

#endif
