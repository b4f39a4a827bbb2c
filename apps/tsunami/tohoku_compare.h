/* SPDX-License-Identifier: BSD-2-Clause */
/* A source that was found beside the published one. For tohoku_inverse. */
#ifndef TOHOKU_COMPARE_H
#define TOHOKU_COMPARE_H
#include "tohoku_slip.h"

/* smooth.eta = eta averaged with the weights exp(-r^2 / (2 length^2)), r the distance [m], over the
   wet cells of the box within 4 lengths; 0 outside of it. Cells count as wide as in the row of the
   average. The same bits on any decomposition. Collective. */
PetscErrorCode TohokuSmooth(const TohokuSource *source, HgState eta, double length, HgState smooth);

/* Correlation over the wet cells of the box, weighted by area:
     sum A (a - mean a)(b - mean b) / sqrt(sum A (a - mean a)^2  sum A (b - mean b)^2)
   for the fields "eta" of both states. Collective. */
PetscErrorCode TohokuCorrelation(const TohokuSource *source, HgState a, HgState b,
                                 double *correlation);

/* With the published source as it is, and smoothed by 20 km, which is what four gauges see of it;
   printed, and reported as correlation_unsmoothed and correlation. Nothing happens if none is
   known. Collective. */
PetscErrorCode TohokuCompare(HgRun run, const TohokuSource *source, const TohokuSlip *slip,
                             HgState eta);

#endif
