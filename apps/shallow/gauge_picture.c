/* SPDX-License-Identifier: BSD-2-Clause */
#include "gauge_case.h"
#include <halograd/picture.h>
#include <math.h>

enum { SHOWN = 3, CURVES = 3 };

/* What the first guess leaves unexplained at gauge k; gaps have an infinite sigma. */
static double unexplained(const HgObservations *o, const double guess[], int k) {
  double sum = 0;
  for (int n = k; n < o->times * o->sensors; n += o->sensors) {
    const double r = (guess[n] - o->value[n]) / o->sigma[n];
    sum += r * r;
  }
  return sum;
}

/* The gauges that the first guess explains worst, the worst first; returns how many. */
static int worst_gauges(const HgObservations *o, const double guess[], int worst[SHOWN]) {
  double most[SHOWN];
  int count = 0;
  for (int k = 0; k < o->sensors; k++) {
    const double sum = unexplained(o, guess, k);
    int at = count < SHOWN ? count++ : SHOWN;
    for (; at > 0 && sum > most[at - 1]; at--)
      if (at < SHOWN) most[at] = most[at - 1], worst[at] = worst[at - 1];
    if (at < SHOWN) most[at] = sum, worst[at] = k;
  }
  return count;
}

typedef struct {
  char title[64];
  HgCurve curves[CURVES];
} Chart;

/* Observed, first guess, fitted over time, in `series`, of CURVES times o->times numbers. */
static HgPanel draw_gauge(const HgObservations *o, int gauge, const double guess[],
                          const double fitted[], double series[], Chart *chart) {
  const double *const values[CURVES] = {o->value, guess, fitted};
  static const char *const labels[CURVES] = {"observed", "first guess", "fitted"};
  for (int c = 0; c < CURVES; c++) {
    double *const y = series + (size_t)c * (size_t)o->times;
    for (int n = 0; n < o->times; n++) {
      const int from = n * o->sensors + gauge;
      y[n] = c == 0 && isinf(o->sigma[from]) ? NAN : values[c][from];
    }
    chart->curves[c] =
        (HgCurve){.label = labels[c], .count = o->times, .x = o->time, .y = y, .points = c == 0};
  }
  snprintf(chart->title, sizeof chart->title, "gauge %d at (%.0f, %.0f) km", gauge,
           o->x[gauge] / 1000, o->y[gauge] / 1000);
  return (HgPanel){.title = chart->title,
                   .x_label = "time [s]",
                   .y_label = "surface [m]",
                   .curves = CURVES,
                   .curve = chart->curves};
}

PetscErrorCode GaugePicture(HgRun run, const HgCommon *common, const GaugeCase *g,
                            const HgObservations *o, const double guess[], const double fitted[]) {
  int worst[SHOWN];
  double *series;
  Chart charts[SHOWN];
  const HgPanel found = {.title = "found",
                         .state = g->x,
                         .field = g->sought,
                         .diverging = g->way == GAUGE_SURFACE,
                         .low = g->truth_known ? g->colours[0] : 0,
                         .high = g->truth_known ? g->colours[1] : 0,
                         .markers = o->sensors,
                         .marker_x = o->x,
                         .marker_y = o->y};
  HgPanel truth = found;
  truth.title = g->way == GAUGE_SURFACE ? "true surface at the start" : "true bottom";
  truth.state = g->truth, truth.markers = 0;
  const HgPanel chart = {.title = "charted bottom", .state = g->truth, .field = "b"};
  HgPanel panels[3 + SHOWN] = {g->truth_known ? truth : chart, found, HgRunConvergence(run)};
  PetscCall(PetscMalloc1(SHOWN * CURVES * (size_t)o->times, &series));
  const int shown = worst_gauges(o, guess, worst);
  for (int k = 0; k < shown; k++)
    panels[3 + k] = draw_gauge(o, worst[k], guess, fitted,
                               series + (size_t)(k * CURVES) * (size_t)o->times, &charts[k]);
  PetscCall(
      HgPictureWrite(PETSC_COMM_WORLD, common->output, "shallow_water_inverse", 3 + shown, panels));
  return PetscFree(series);
}
