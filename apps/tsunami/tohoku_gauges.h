/* SPDX-License-Identifier: BSD-2-Clause */
/* The ocean-bottom gauges of an earthquake, and when they count. For tohoku_inverse. */
#ifndef TOHOKU_GAUGES_H
#define TOHOKU_GAUGES_H
#include "tohoku_sea.h"
#include <halograd/observations.h>
#include <halograd/problem.h>

typedef struct {
  char name[32];   /* such as "21418" */
  bool out;        /* is it left out? */
  double sigma;    /* [m] */
  int first, last; /* time that counts [s] */
} TohokuGauge;

enum { TOHOKU_WINDOWS = 256 };

typedef struct {
  char files[32 * HG_PATH_SIZE], left_out[32];
  double tau;                           /* the source acts so long after the origin time [s] */
  int ends, window[2 * TOHOKU_WINDOWS]; /* -windows: one for all gauges, or gauge by gauge */
  int sensors;
  TohokuGauge *gauge; /* [sensors] */
  bool *read, *seen;  /* [times * sensors] is there a reading; does it lie in the gauge's window? */
} TohokuGauges;

/* The event's, then -gauges -windows -tau -leave_out. */
PetscErrorCode TohokuGaugesOptions(HgRun run, const TohokuEvent *event, TohokuGauges *gauges);

/* All readings within the run at times of the model, that is since the source; values outside the
   windows, and of a gauge that is left out, have an infinite sigma. Collective. Errors: two gauges
   of one name; the only gauge left out; those of HgGaugesRead() and HgSeaRequireWet(); a gauge
   outside the sea; neither one window nor one for each gauge; a window that ends before it begins,
   or beyond the run, or has no reading; an unknown gauge to leave out. */
PetscErrorCode TohokuGaugesRead(const TohokuSea *sea, const HgCommon *common, TohokuGauges *gauges,
                                HgObservations **observations);

/* Of each gauge, in its window, left out or not, against what the model predicts: misfit over what
   sigma makes one expect, and variance reduction 1 - |predicted - observed|^2 / |observed|^2, 0 of
   a flat record; printed and reported as gauges.<name>.misfit_ratio, .variance_reduction; *ratio of
   all that count. */
PetscErrorCode TohokuGaugesFit(HgRun run, const TohokuGauges *gauges,
                               const HgObservations *observed, const double predicted[],
                               double *ratio);

/* Of each gauge, in its window: how high the model and the gauge rise, when, and their correlation,
   0 if one of them is flat; printed and reported as gauges.<name>.peak, .peak_time, .observed_peak,
   .observed_peak_time [m, s since the origin time], .correlation. */
PetscErrorCode TohokuGaugesPeaks(HgRun run, const TohokuGauges *gauges,
                                 const HgObservations *observed, const double predicted[]);

/* key = "<group>.<gauge>.<what>", of the report: dots in the name of the gauge, which would begin
   entries within, become '_'. Not collective. */
void TohokuGaugesKey(const char group[], const char gauge[], const char what[], size_t size,
                     char key[]);

PetscErrorCode TohokuGaugesDestroy(TohokuGauges *gauges);

#endif
