/* SPDX-License-Identifier: BSD-2-Clause */
/* The earthquakes whose seas, gauges and published sources come with tohoku_inverse: defaults of
   its options. */
#ifndef TOHOKU_EVENT_H
#define TOHOKU_EVENT_H
#include <halograd/run.h>

enum { TOHOKU_GAUGES = 4 }; /* of an event */

typedef struct {
  const char *title;
  const char *topography, *subfaults;  /* files of the data folder */
  const char *gauges[TOHOKU_GAUGES];   /* the same */
  int ends, window[2 * TOHOKU_GAUGES]; /* first and last second to use, gauge by gauge */
  double tau;                          /* time of a source that acts at once [s] */
  double rupture; /* time when the last subfault has slipped, if onsets are controls [s] */
  double west, south, cell; /* of the grid [degrees] */
  int nx, ny;
  double dt;                         /* [s] */
  long steps, forward_steps;         /* of an inversion; of a forward run, from the origin time */
  double box[4];                     /* of the source: west, east, south, north [degrees] */
  double epicentre[2], prior_radius; /* east, north [degrees]; [m] */
  /* Latitude whose cosine scales distances from the epicentre, unless another is given [degrees].
     */
  double metric;
  bool forward; /* runs the published source, without an inversion */
} TohokuEvent;

/* Declares and reads -chile and -forward; nx, ny, dt and steps of `common` become the event's. A
   forward run begins at the origin time: its tau is 0. Collective. Error: -chile -forward no. */
PetscErrorCode TohokuEventChoose(HgRun run, HgCommon *common, TohokuEvent *event);

#endif
