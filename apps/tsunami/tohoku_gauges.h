/* SPDX-License-Identifier: BSD-2-Clause */
/* The ocean-bottom gauges of an earthquake, and their time windows. For tohoku_inverse. */
#ifndef TOHOKU_GAUGES_H
#define TOHOKU_GAUGES_H
#include "tohoku_sea.h"
#include <halograd/observations.h>
#include <halograd/problem.h>

typedef struct {
  char name[32];   /* such as "21418" */
  bool out;        /* it is left out */
  double sigma;    /* [m] */
  int first, last; /* its window [s] */
} TohokuGauge;

enum { TOHOKU_WINDOWS = 256 };

typedef struct {
  char files[32 * HG_PATH_SIZE], left_out[32];
  double tau;                           /* time of the source after the origin time [s] */
  int ends, window[2 * TOHOKU_WINDOWS]; /* -windows: one for all gauges, or gauge by gauge */
  int sensors;
  TohokuGauge *gauge; /* [sensors] */
  bool *read, *seen;  /* [times * sensors] there is a reading; it is in the gauge's window */
} TohokuGauges;

/* Sets the event's defaults, then reads -gauges -windows -tau -leave_out. */
PetscErrorCode TohokuGaugesOptions(HgRun run, const TohokuEvent *event, TohokuGauges *gauges);

/* Reads all readings within the run, at times since the source. Values outside the windows, and of
   a gauge left out, get an infinite sigma. Collective. Errors: two gauges of one name; the only
   gauge left out; those of HgGaugesRead() and HgSeaRequireWet(); a gauge outside the sea; neither
   one window nor one for each gauge; a window that ends before it begins, or beyond the run, or has
   no reading; an unknown gauge to leave out. */
PetscErrorCode TohokuGaugesRead(const TohokuSea *sea, const HgCommon *common, TohokuGauges *gauges,
                                HgObservations **observations);

/* Prints and reports the fit of each gauge in its window, also of one left out: misfit over its
   expectation, and variance reduction 1 - |predicted - observed|^2 / |observed|^2, 0 for a flat
   record; as gauges.<name>.misfit_ratio, .variance_reduction. *ratio: misfit over expectation of
   all gauges that count. */
PetscErrorCode TohokuGaugesFit(HgRun run, const TohokuGauges *gauges,
                               const HgObservations *observed, const double predicted[],
                               double *ratio);

/* Prints and reports for each gauge in its window: the peaks of model and gauge, their times, and
   the correlation, 0 if either is flat; as gauges.<name>.peak, .peak_time, .observed_peak,
   .observed_peak_time [m, s since the origin time], .correlation. */
PetscErrorCode TohokuGaugesPeaks(HgRun run, const TohokuGauges *gauges,
                                 const HgObservations *observed, const double predicted[]);

/* key = "<group>.<gauge>.<what>" for the report. Dots in the gauge's name, which would begin
   sub-entries, become '_'. Not collective. */
void TohokuGaugesKey(const char group[], const char gauge[], const char what[], size_t size,
                     char key[]);

PetscErrorCode TohokuGaugesDestroy(TohokuGauges *gauges);

#endif
