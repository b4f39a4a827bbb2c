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
  int prior;    /* EXACT_PRIOR_HAND, its weights are given; EXACT_PRIOR_AUTO, by evidence */
  double until; /* readings that count: so long after the origin time [min] */
  /* What it is of, borrowed. */
  HgRun run;
  const HgCommon *common;
  const HgInverse *inverse; /* weights of the prior, but for slip */
  const TohokuSea *sea;
  const TohokuGauges *gauges;
  const HgObservations *observations;
  const TohokuSource *source;
  const TohokuSlip *slip; /* the published source, or what is sought */
  TohokuFilm *film;
} Exact;

/* -precompute -prior -online -until. */
PetscErrorCode ExactOptions(HgRun run, Exact *exact);

/* Was one of them given? */
bool ExactAsked(const Exact *exact);

/* Error: an option that changes nothing beside them, or asks for something else. */
PetscErrorCode ExactRefuse(const Exact *exact, const TohokuEvent *event);

/* Does what was asked for, up to run.json. Collective. Errors: those of the parts. */
PetscErrorCode ExactRun(const Exact *exact);

/* ---- exact_tell.c ---- */

/* Prints and reports J with its parts, the volume and its centroid or the moment and the slip, each
   gauge left out, and what was known at times before. */
PetscErrorCode ExactTell(const Exact *exact, const ExactSource *source, const ExactMap *map,
                         const ExactReadings *readings, ExactKnown *known);

/* One line, and exact.hand or exact.auto of the report, of a prior: its weights, evidence, and how
   many readings of each gauge lie inside the bands that the other gauges give. */
PetscErrorCode ExactTellPrior(const Exact *exact, const ExactSource *source, bool by_hand,
                              const ExactMap *map, const ExactReadings *readings);

/* ---- exact_picture.c ---- */

/* The source, its deviation, and up to four gauges with 95 % bands; and, of all readings of several
   gauges, a second picture of each gauge as the others predict it. Collective. */
PetscErrorCode ExactPicture(const Exact *exact, const ExactSource *source, const ExactMap *map,
                            const ExactReadings *readings, const ExactKnown *known);

/* The first picture as it is at each -interval from the first of `count` readings to the last, if a
   film is wanted. Collective. */
PetscErrorCode ExactFilm(const Exact *exact, const ExactSource *source, const ExactMap *map,
                         const ExactReadings *readings, int count);

/* Half the width of a band with 95 % [standard deviations]. */
extern const double ExactBand;

#endif
