/* SPDX-License-Identifier: BSD-2-Clause */
/* The picture of tohoku_inverse, and its film. */
#ifndef TOHOKU_PICTURE_H
#define TOHOKU_PICTURE_H
#include "tohoku_gauges.h"
#include "tohoku_sea.h"
#include <halograd/animation.h>
#include <halograd/trajectory.h>

/* A map: the field "eta" of `state`. */
typedef struct {
  const char *title;
  HgState state; /* NULL: left out */
} TohokuMap;

enum { TOHOKU_MAPS = 2 };

/* `state`'s surface with no number, hence grey, on land: made here. */
PetscErrorCode TohokuMapLand(const TohokuSea *sea, HgState state, HgState *shown);

/* A panel of what TohokuMapLand() made, colours from -reach to reach [m], with a mark for each
   gauge. */
HgPanel TohokuMapPanel(const char title[], HgState shown, double reach,
                       const HgObservations *gauges);

/* The maps with coasts and gauges; J by iteration, if there are any, unless there are six panels
   without it; then up to four gauges: observed, and `fitted` as HgObjectivePredicted() has it;
   readings that count are points. Collective. */
PetscErrorCode TohokuPicture(HgRun run, const HgCommon *common, const TohokuSea *sea,
                             const TohokuGauges *gauges, const HgObservations *observations,
                             const TohokuMap maps[TOHOKU_MAPS], const double fitted[]);

/* ---- tohoku_film.c: the waves, a frame each so many steps ---- */

typedef struct {
  int wanted;      /* -frames */
  double interval; /* -interval: model time between frames [s] */
  const TohokuSea *sea;
  const HgObservations *gauges;
  double tau;            /* of step 0, after the origin time [s] */
  long every;            /* steps */
  HgAnimation animation; /* NULL: none */
} TohokuFilm;

/* -frames -interval. */
PetscErrorCode TohokuFilmOptions(HgRun run, TohokuFilm *film);

/* Nothing happens from here on if no film is wanted. Sea and gauges must outlive it. Collective.
   Errors: those of HgAnimationCreate(); an interval of no whole steps. */
PetscErrorCode TohokuFilmStart(TohokuFilm *film, const char directory[], const TohokuSea *sea,
                               const HgObservations *gauges, double tau);

/* Adds the surface after n steps, if it is due. */
PetscErrorCode TohokuFilmAdd(TohokuFilm *film, long n, HgState q);

/* Runs from `x` and adds what is due: TohokuFilmStart() to TohokuFilmEnd(). */
PetscErrorCode TohokuFilmRun(TohokuFilm *film, HgTrajectory trajectory, HgState x);

/* Makes the film, and says where it is: HgAnimationClose(). */
PetscErrorCode TohokuFilmEnd(TohokuFilm *film);

#endif
