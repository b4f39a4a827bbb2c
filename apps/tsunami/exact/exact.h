/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact posterior of the source: four reversed runs in advance, then milliseconds. For
   tohoku_inverse. */
#ifndef EXACT_H
#define EXACT_H
#include "exact_known.h"
#include "tohoku_picture.h"
#include "tohoku_slip.h"

enum { EXACT_PRIOR_HAND, EXACT_PRIOR_AUTO };

typedef struct {
  char precompute[HG_PATH_SIZE], online[HG_PATH_SIZE];
  int prior;    /* EXACT_PRIOR_HAND: given weights; EXACT_PRIOR_AUTO: by evidence */
  double until; /* uses readings up to this time after the origin time [min] */
  /* Borrowed. */
  HgRun run;
  const HgCommon *common;
  const HgInverse *inverse; /* weights of the prior, but for slip */
  const TohokuSea *sea;
  const TohokuGauges *gauges;
  const HgObservations *observations;
  const TohokuSource *source;
  const TohokuSlip *slip; /* the published source, or the control */
  TohokuFilm *film;
} Exact;

/* Options -precompute -prior -online -until. */
PetscErrorCode ExactOptions(HgRun run, Exact *exact);

/* Whether one of them was given. */
bool ExactAsked(const Exact *exact);

/* Error: an option that has no effect with them, or contradicts them. */
PetscErrorCode ExactRefuse(const Exact *exact, const TohokuEvent *event);

/* Does what the options request, including run.json. Collective. Errors: those of the parts. */
PetscErrorCode ExactRun(const Exact *exact);

/* ---- exact_tell.c ---- */

/* Prints and reports J with its parts; volume and centroid, or moment and slip; each gauge left
   out; and what was known at earlier times. */
PetscErrorCode ExactTell(const Exact *exact, const ExactSource *source, const ExactMap *map,
                         const ExactReadings *readings, ExactKnown *known);

/* Prints a line about a prior, and reports it as exact.hand or exact.auto: weights, evidence, and
   for each gauge the number of readings within the bands predicted by the other gauges. */
PetscErrorCode ExactTellPrior(const Exact *exact, const ExactSource *source, bool by_hand,
                              const ExactMap *map, const ExactReadings *readings);

/* ---- exact_picture.c ---- */

/* Writes a picture of the source, its deviation, and up to four gauges with 95 % bands. With all
   readings of several gauges, writes a second picture: each gauge as predicted by the others.
   Collective. */
PetscErrorCode ExactPicture(const Exact *exact, const ExactSource *source, const ExactMap *map,
                            const ExactReadings *readings, const ExactKnown *known);

/* Adds a frame of the first picture at each -interval from the first of `count` readings to the
   last, if a film is requested. Collective. */
PetscErrorCode ExactFilm(const Exact *exact, const ExactSource *source, const ExactMap *map,
                         const ExactReadings *readings, int count);

/* Half the width of a 95 % band [standard deviations]. */
extern const double ExactBand;

#endif
