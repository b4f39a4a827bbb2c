/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/dart.h -- what an ocean-bottom gauge (DART) measured, in the text of NOAA's National
   Data Buoy Center, and the waves in it.

     #YY  MM DD hh mm ss T   HEIGHT
     #yr  mo dy hr mn  s -        m
     2011 03 11 05 46 00 1 5663.214      UTC, mode of the gauge, height of the water column [m]

   Rows are in any order, titles have a # or are eight words; 9990 m or more, 0 m and MM stand for
   what is missing. The tide is a polynomial p of Chebyshev degree n in time t, least squares of the
   readings from t0 - before to t0 + after:

     eta(t) = height(t) - p(t),   sum w(t) (height(t) - p(t))^2 = min

   w is the time that a reading stands for, half of that between its neighbours, at most 900 s. A
   gauge reads more often when a wave passes; without w the tide would follow the wave. */
#ifndef HALOGRAD_DART_H
#define HALOGRAD_DART_H

#include <halograd/observations.h>

enum { HG_DART_DEGREE = 60 /* at most */ };

typedef struct {
  const char *origin;         /* t0, UTC: "2011-03-11T05:46:24" */
  double before, after;       /* of the readings that tell the tide [s], >= 0 */
  int degree;                 /* 0 .. HG_DART_DEGREE */
  double last;                /* kept are readings from t0 to t0 + last [s] ... */
  int every;                  /* ... at UTC seconds of the day that are a multiple of this [s] */
  double longitude, latitude; /* of the gauge [degrees] */
  double sigma;               /* of all values [m] */
  bool equal;                 /* w = 1: every reading counts alike */
} HgDart;

/* Observations of "eta" [m], times in seconds after t0, from the files `paths`, names between
   commas, which together are one record; *zeros: how many heights of 0 m were left out. Of several
   readings at one time, as gauges send them that change their mode, all tell the tide, and none is
   kept unless they agree. Collective. Errors, naming file and line, expected and found: missing or
   alien file; a row that is none; a byte that is no plain text, with its place; an origin that is
   no time; fewer readings around t0 than the polynomial has coefficients; none left after t0. */
PetscErrorCode HgDartRead(MPI_Comm comm, const char paths[], const HgDart *dart, int *zeros,
                          HgObservations **observations);

#endif
