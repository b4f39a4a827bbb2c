/* SPDX-License-Identifier: BSD-2-Clause */
/* The source: the sea surface at the start in a box, what is known of it in advance, and how large
   it is. For tohoku_inverse. */
#ifndef TOHOKU_SOURCE_H
#define TOHOKU_SOURCE_H
#include "tohoku_sea.h"
#include <halograd/problem.h>

typedef struct {
  double west, east, south, north;    /* of the box, borders included [degrees] */
  double longitude, latitude, radius; /* of the epicentre [degrees]; R_0 [m] */
  int power;                          /* p */
  double metric; /* distances count degrees of longitude by the cosine of this latitude [degrees] */
  HgState factors; /* "box": 1 on its wet cells; "a", "b_x", "b_y": of the prior */
} TohokuSource;

/* The event's, then -box_west -box_east -box_south -box_north -prior_longitude -prior_latitude
   -prior_radius -prior_power. */
PetscErrorCode TohokuSourceOptions(HgRun run, const TohokuEvent *event, TohokuSource *source);

/* After HgRunCommon(): with -prior_deviation p is 0. Error: another prior is asked for. */
PetscErrorCode TohokuSourceWeigh(HgRun run, TohokuSource *source);

/* The box is turned round the globe to where the sea is. Collective. Errors: a box that reaches
   more than half a cell beyond the sea, or without a wet cell. */
PetscErrorCode TohokuSourceCreate(const TohokuSea *sea, TohokuSource *source);
PetscErrorCode TohokuSourceDestroy(TohokuSource *source);

/* The control m = eta(0) in the box, 0 elsewhere, and its prior,
     R = h1/2 sum over faces between wet cells w (m_a - m_b)^2 + tikhonov/2 sum (r/R_0)^p A m^2
   r = 111.2 km/degree hypot((lon - longitude) cos(metric), lat - latitude), the distance from the
   epicentre, the shorter way round. Collective. */
PetscErrorCode TohokuSourceSeek(const TohokuSource *source, const HgInverse *inverse,
                                HgProblem problem);

/* In the box: volume, its positive part [km^3], the centroid of what rose more than 1 m [degrees],
   the maximum [m]: printed, and reported as volume_km3, positive_km3, centroid_east,
   centroid_north, maximum, `before` before each. Collective. */
PetscErrorCode TohokuSourceTell(HgRun run, const TohokuSource *source, HgState eta,
                                const char what[], const char before[]);

#endif
