/* SPDX-License-Identifier: BSD-2-Clause */
/* The source: the initial sea surface in a box, its prior, and its size. For tohoku_inverse. */
#ifndef TOHOKU_SOURCE_H
#define TOHOKU_SOURCE_H
#include "tohoku_sea.h"
#include <halograd/problem.h>

typedef struct {
  double west, east, south, north;    /* of the box, borders included [degrees] */
  double longitude, latitude, radius; /* of the epicentre [degrees]; R_0 [m] */
  int power;                          /* p */
  double
      metric; /* the cosine of this latitude scales degrees of longitude in distances [degrees] */
  HgState factors; /* "box": 1 on its wet cells; "a", "b_x", "b_y": of the prior */
} TohokuSource;

/* Sets the event's defaults, then reads -box_west -box_east -box_south -box_north -prior_longitude
   -prior_latitude -prior_radius -prior_power. */
PetscErrorCode TohokuSourceOptions(HgRun run, const TohokuEvent *event, TohokuSource *source);

/* Call it after HgRunCommon(). With -prior_deviation, sets p = 0. Error: another prior is requested
   as well. */
PetscErrorCode TohokuSourceWeigh(HgRun run, TohokuSource *source);

/* Creates the box, shifted by whole turns to where the sea is. Collective. Errors: a box that
   reaches more than half a cell beyond the sea, or without a wet cell. */
PetscErrorCode TohokuSourceCreate(const TohokuSea *sea, TohokuSource *source);
PetscErrorCode TohokuSourceDestroy(TohokuSource *source);

/* Adds the control m = eta(0) in the box, 0 elsewhere, and its prior,
     R = h1/2 sum over faces between wet cells w (m_a - m_b)^2 + tikhonov/2 sum (r/R_0)^p A m^2
   r = 111.2 km/degree hypot((lon - longitude) cos(metric), lat - latitude), the distance from the
   epicentre, the shorter way round. Collective. */
PetscErrorCode TohokuSourceSeek(const TohokuSource *source, const HgInverse *inverse,
                                HgProblem problem);

/* Prints and reports of the box: volume, its positive part [km^3], the centroid of what rose more
   than 1 m [degrees], the maximum [m]; as volume_km3, positive_km3, centroid_east, centroid_north,
   maximum, with `before` before each key. Collective. */
PetscErrorCode TohokuSourceTell(HgRun run, const TohokuSource *source, HgState eta,
                                const char what[], const char before[]);

#endif
