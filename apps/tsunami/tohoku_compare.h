/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares a result with the published source. For tohoku_inverse. */
#ifndef TOHOKU_COMPARE_H
#define TOHOKU_COMPARE_H
#include "tohoku_slip.h"

/* smooth.eta = eta averaged over the wet cells of the box within 4 lengths, with the weights
   exp(-r^2 / (2 length^2)), r the distance [m]; 0 outside the box. All cells count as wide as in
   the row of the average. The same bits on any decomposition. Collective. */
PetscErrorCode TohokuSmooth(const TohokuSource *source, HgState eta, double length, HgState smooth);

/* Correlation over the wet cells of the box, weighted by area:
     sum A (a - mean a)(b - mean b) / sqrt(sum A (a - mean a)^2  sum A (b - mean b)^2)
   for the fields "eta" of both states. Collective. */
PetscErrorCode TohokuCorrelation(const TohokuSource *source, HgState a, HgState b,
                                 double *correlation);

/* Prints the correlation with the published source and with that smoothed by 20 km, which is what
   four gauges can resolve. Reports them as correlation_unsmoothed and correlation. Does nothing if
   no source is published. Collective. */
PetscErrorCode TohokuCompare(HgRun run, const TohokuSource *source, const TohokuSlip *slip,
                             HgState eta);

#endif
