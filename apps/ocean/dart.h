/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/dart.h -- readings of an ocean-bottom gauge (DART), in the text format of NOAA's
   National Data Buoy Center, and the waves in them.

     #YY  MM DD hh mm ss T   HEIGHT
     #yr  mo dy hr mn  s -        m
     2011 03 11 05 46 00 1 5663.214      UTC, mode of the gauge, height of the water column [m]

   Rows may be in any order. Title lines begin with # or have eight words. 9990 m or more, 0 m and
   MM mean missing data. The tide is a polynomial p of Chebyshev degree n in time t, fitted to the
   readings from t0 - before to t0 + after:

     eta(t) = height(t) - p(t),   sum w(t) (height(t) - p(t))^2 = min

   The weight w is half the time between a reading's neighbours, at most 900 s. A gauge reads more
   often when a wave passes; without w the tide would follow the wave. */
#ifndef HALOGRAD_DART_H
#define HALOGRAD_DART_H

#include <halograd/observations.h>

enum { HG_DART_DEGREE = 60 /* at most */ };

typedef struct {
  const char *origin;         /* t0, UTC: "2011-03-11T05:46:24" */
  double before, after;       /* readings for the tide [s], >= 0 */
  int degree;                 /* 0 .. HG_DART_DEGREE */
  double last;                /* keeps readings from t0 to t0 + last [s] ... */
  int every;                  /* ... at UTC seconds of the day that are a multiple of this [s] */
  double longitude, latitude; /* of the gauge [degrees] */
  double sigma;               /* of all values [m] */
  bool equal;                 /* w = 1: every reading counts alike */
} HgDart;

/* Reads observations of "eta" [m], with times in seconds after t0, from the files `paths`: names
   with commas between, which together are one record. *zeros: the number of omitted heights of 0 m.
   Gauges that change their mode send several readings of one time: all count for the tide, and none
   is kept unless they agree. Collective. Errors, with file and line, expected and found: a missing
   or foreign file; an invalid row; a byte that is not plain text, with its place; an invalid
   origin; fewer readings around t0 than the polynomial has coefficients; none left after t0. */
PetscErrorCode HgDartRead(MPI_Comm comm, const char paths[], const HgDart *dart, int *zeros,
                          HgObservations **observations);

#endif
