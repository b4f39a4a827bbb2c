/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact.h"
#include "tohoku_picture.h"
#include <math.h>

enum { SHOWN = 4, CURVES = 3, BAND = CURVES - 1 };

typedef struct {
  char title[64];
  HgCurve curve[CURVES];
} Chart;

/* One gauge over time: readings, mean, and both ends of its band, a curve with a gap. `series` has
   room for twice as many numbers for each curve, and their times. */
static HgPanel draw_gauge(const Exact *e, const ExactReadings *readings, int gauge,
                          const char what[], const double mean[], const double deviation[],
                          double *series, Chart *chart) {
  static const char *const labels[CURVES] = {"observed", "mean", "95 %"};
  const int room = 2 * readings->count + 1;
  double *const time = series + CURVES * room, *const band = series + BAND * room;
  int count = 0, at = 0;
  for (int r = 0; r < readings->count; r++) count += readings->gauge[r] == gauge;
  for (int r = 0; r < readings->count; r++) {
    if (readings->gauge[r] != gauge) continue;
    const double half = ExactBand * deviation[r];
    series[at] = readings->value[r], series[room + at] = mean[r];
    band[at] = mean[r] - half, band[count + 1 + at] = mean[r] + half;
    time[at] = time[count + 1 + at] = readings->time[r] + e->gauges->tau;
    at++;
  }
  time[count] = band[count] = NAN;
  for (int k = 0; k < CURVES; k++)
    chart->curve[k] = (HgCurve){.label = labels[k],
                                .count = k == BAND ? 2 * count + 1 : count,
                                .x = time,
                                .y = series + k * room,
                                .points = k == 0};
  snprintf(chart->title, sizeof chart->title, "DART %s%s", e->gauges->gauge[gauge].name, what);
  return (HgPanel){.title = chart->title,
                   .x_label = "time since the earthquake [s]",
                   .y_label = "surface [m]",
                   .curves = CURVES,
                   .curve = chart->curve};
}

static PetscErrorCode draw_gauges(const Exact *e, const ExactReadings *readings, const char what[],
                                  const double mean[], const double deviation[], int maps,
                                  HgPanel panels[], const char name[]) {
  const int shown = PetscMin(SHOWN, readings->gauges);
  const size_t size = (CURVES + 1) * (2 * (size_t)readings->count + 1);
  double *series;
  Chart chart[SHOWN];
  PetscCall(PetscMalloc1(SHOWN * size, &series));
  for (int k = 0; k < shown; k++)
    panels[maps + k] =
        draw_gauge(e, readings, k, what, mean, deviation, series + (size_t)k * size, &chart[k]);
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, e->common->output, name, maps + shown, panels));
  return PetscFree(series);
}

PetscErrorCode ExactPicture(const Exact *e, const ExactMap *map, const ExactReadings *readings,
                            const ExactKnown *known, HgState source, HgState deviation) {
  enum { MAPS = 2 };

  HgState shown[MAPS];
  HgPanel panels[MAPS + SHOWN];
  double *unsure;
  PetscCall(TohokuMapLand(e->sea, source, &shown[0]));
  PetscCall(TohokuMapLand(e->sea, deviation, &shown[1]));
  panels[0] = TohokuMapPanel("the source, mean", shown[0], 7, e->observations);
  panels[1] = TohokuMapPanel("its standard deviation", shown[1], 0, e->observations);
  panels[1].diverging = false;
  PetscCall(PetscMalloc1(map->readings, &unsure));
  for (int r = 0; r < map->readings; r++) unsure[r] = hypot(known->unsure[r], readings->sigma[r]);
  PetscCall(draw_gauges(e, readings, "", known->predicted, unsure, MAPS, panels, "tohoku_inverse"));
  if (known->readings == map->readings)
    PetscCall(draw_gauges(e, readings, " left out", known->left_out, known->left_unsure, 0, panels,
                          "tohoku_left_out"));
  PetscCall(PetscFree(unsure));
  for (int k = 0; k < MAPS; k++) PetscCall(HgStateDestroy(&shown[k]));
  return 0;
}
