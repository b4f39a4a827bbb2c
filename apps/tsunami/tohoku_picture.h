/* SPDX-License-Identifier: BSD-2-Clause */
/* The picture and the film of tohoku_inverse. */
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

/* Creates the surface of `state` with NaN on land, which is drawn grey. */
PetscErrorCode TohokuMapLand(const TohokuSea *sea, HgState state, HgState *shown);

/* A panel of a map from TohokuMapLand(), with colours from -reach to reach [m] and a mark for each
   gauge. */
HgPanel TohokuMapPanel(const char title[], HgState shown, double reach,
                       const HgObservations *gauges);

/* Writes the picture: maps with coasts and gauges; J by iteration, if there are iterations and at
   most five other panels; up to four gauges, observed and `fitted` (HgObjectivePredicted()), with
   readings that count as points. Collective. */
PetscErrorCode TohokuPicture(HgRun run, const HgCommon *common, const TohokuSea *sea,
                             const TohokuGauges *gauges, const HgObservations *observations,
                             const TohokuMap maps[TOHOKU_MAPS], const double fitted[]);

/* ---- tohoku_film.c: the waves, a frame every so many steps ---- */

typedef struct {
  int wanted;      /* -frames */
  double interval; /* -interval: model time between frames [s] */
  const TohokuSea *sea;
  const HgObservations *gauges;
  double tau;            /* of step 0, after the origin time [s] */
  long every;            /* steps */
  HgAnimation animation; /* NULL: none */
} TohokuFilm;

/* Options -frames -interval. */
PetscErrorCode TohokuFilmOptions(HgRun run, TohokuFilm *film);

/* Starts the film. Without a film, this and all functions below do nothing. Sea and gauges must
   outlive it. Collective. Errors: those of HgAnimationCreate(); an interval that is not a whole
   number of steps. */
PetscErrorCode TohokuFilmStart(TohokuFilm *film, const char directory[], const TohokuSea *sea,
                               const HgObservations *gauges, double tau);

/* Adds the surface after n steps, if it is due. */
PetscErrorCode TohokuFilmAdd(TohokuFilm *film, long n, HgState q);

/* Runs from `x` and adds what is due: TohokuFilmStart() to TohokuFilmEnd(). */
PetscErrorCode TohokuFilmRun(TohokuFilm *film, HgTrajectory trajectory, HgState x);

/* Writes the film and prints its path: HgAnimationClose(). */
PetscErrorCode TohokuFilmEnd(TohokuFilm *film);

#endif
