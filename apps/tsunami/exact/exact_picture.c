/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact.h"
#include <math.h>

enum { MAPS = 2, SHOWN = 4 };

enum { OBSERVED, MEAN, BAND, TO_COME, CURVES };

typedef struct {
  char title[64];
  HgCurve curve[CURVES];
} Chart;

/* What the panels are made of. */
typedef struct {
  HgState shown[MAPS];
  char title[64];
  double *unsure, *series;
  Chart chart[SHOWN];
  HgPanel panels[MAPS + SHOWN];
  int count;
} Drawing;

/* One gauge over time: readings, of which `known` have come, mean, and both ends of its band, a
   curve with a gap. `series` has room for twice as many numbers for each curve, and their times. */
static HgPanel draw_gauge(const Exact *e, const ExactReadings *readings, int known, int gauge,
                          const char what[], const double mean[], const double deviation[],
                          double *series, Chart *chart) {
  static const char *const labels[CURVES] = {"observed", "mean", "95 %", "to come"};
  const int room = 2 * readings->count + 1;
  double *y[CURVES], *const time = series + CURVES * room;
  int count = 0, at = 0;
  for (int k = 0; k < CURVES; k++) y[k] = series + k * room;
  for (int r = 0; r < readings->count; r++) count += readings->gauge[r] == gauge;
  for (int r = 0; r < readings->count; r++) {
    if (readings->gauge[r] != gauge) continue;
    const double half = ExactBand * deviation[r];
    y[OBSERVED][at] = r < known ? readings->value[r] : NAN;
    y[TO_COME][at] = r < known ? NAN : readings->value[r];
    y[MEAN][at] = mean[r];
    y[BAND][at] = mean[r] - half, y[BAND][count + 1 + at] = mean[r] + half;
    time[at] = time[count + 1 + at] = readings->time[r] + e->gauges->tau;
    at++;
  }
  time[count] = y[BAND][count] = NAN;
  for (int k = 0; k < CURVES; k++)
    chart->curve[k] = (HgCurve){.label = labels[k],
                                .count = k == BAND ? 2 * count + 1 : count,
                                .x = time,
                                .y = y[k],
                                .points = k == OBSERVED || k == TO_COME};
  snprintf(chart->title, sizeof chart->title, "DART %s%s", e->gauges->gauge[gauge].name, what);
  return (HgPanel){.title = chart->title,
                   .x_label = "time since the earthquake [s]",
                   .y_label = "surface [m]",
                   .curves = known < readings->count ? CURVES : TO_COME,
                   .curve = chart->curve};
}

/* Up to four gauges, after the panels that are there. */
static PetscErrorCode draw_gauges(const Exact *e, const ExactReadings *readings, int known,
                                  const char what[], const double mean[], const double deviation[],
                                  Drawing *d) {
  const int shown = PetscMin(SHOWN, readings->gauges);
  const size_t size = (CURVES + 1) * (2 * (size_t)readings->count + 1);
  PetscCall(PetscMalloc1(SHOWN * size, &d->series));
  for (int k = 0; k < shown; k++)
    d->panels[d->count++] = draw_gauge(e, readings, known, k, what, mean, deviation,
                                       d->series + (size_t)k * size, &d->chart[k]);
  return 0;
}

static PetscErrorCode find_highest(HgState state, double *highest) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(state));
  *highest = 0;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) *highest = fmax(*highest, HgStateRows(state, 0)[j][i]);
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, highest, 1, MPI_DOUBLE, MPI_MAX, HgMeshComm(HgStateMesh(state))));
  return 0;
}

/* Maps with the same colours at all times, and gauges. */
static PetscErrorCode draw(const Exact *e, const ExactSource *source, const ExactMap *map,
                           const ExactReadings *readings, const ExactKnown *known, Drawing *d) {
  HgState states[MAPS], before;
  double highest;
  PetscCall(ExactSourceSurface(source, known->source, &states[0]));
  PetscCall(ExactSourceDeviation(source, known->readings, map->X, map->before, &states[1]));
  PetscCall(ExactSourceDeviation(source, 0, NULL, map->before, &before));
  PetscCall(find_highest(before, &highest));
  PetscCall(HgStateDestroy(&before));
  for (int k = 0; k < MAPS; k++) {
    PetscCall(TohokuMapLand(e->sea, states[k], &d->shown[k]));
    PetscCall(HgStateDestroy(&states[k]));
  }
  d->panels[0] = TohokuMapPanel(d->title, d->shown[0], 7, e->observations);
  d->panels[1] = TohokuMapPanel("its standard deviation", d->shown[1], highest, e->observations);
  d->panels[1].diverging = false, d->panels[1].low = 0;
  d->count = MAPS;
  PetscCall(PetscMalloc1(map->readings, &d->unsure));
  for (int r = 0; r < map->readings; r++)
    d->unsure[r] = hypot(known->unsure[r], ExactMapNoise(map, r));
  return draw_gauges(e, readings, known->readings, "", known->predicted, d->unsure, d);
}

static PetscErrorCode wipe(Drawing *d) {
  for (int k = 0; k < MAPS; k++) PetscCall(HgStateDestroy(&d->shown[k]));
  PetscCall(PetscFree(d->unsure));
  return PetscFree(d->series);
}

PetscErrorCode ExactPicture(const Exact *e, const ExactSource *source, const ExactMap *map,
                            const ExactReadings *readings, const ExactKnown *known) {
  Drawing all = {.title = "the source, mean"}, left_out = {.count = 0};
  PetscCall(draw(e, source, map, readings, known, &all));
  PetscCall(
      HgPictureWrite(PETSC_COMM_WORLD, e->common->output, "tohoku_inverse", all.count, all.panels));
  PetscCall(wipe(&all));
  if (known->readings < map->readings || map->gauges == 1) return 0;
  PetscCall(draw_gauges(e, readings, known->readings, " left out", known->left_out,
                        known->left_unsure, &left_out));
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, e->common->output, "tohoku_left_out", left_out.count,
                           left_out.panels));
  return wipe(&left_out);
}

PetscErrorCode ExactFilm(const Exact *e, const ExactSource *source, const ExactMap *map,
                         const ExactReadings *readings, int count) {
  const double interval = e->film->interval, tau = e->gauges->tau,
               last = (readings->time[PetscMax(count - 1, 0)] + tau) / interval;
  ExactKnown known;
  if (!e->film->animation) return 0;
  PetscCall(ExactKnownCreate(map, &known));
  for (double n = floor((readings->time[0] + tau) / interval); n <= ceil(last); n++) {
    const int now = ExactReadingsUntil(readings, n * interval - tau);
    Drawing d = {.count = 0};
    snprintf(d.title, sizeof d.title, "the source, %.4g minutes after the earthquake",
             n * interval / 60);
    PetscCall(ExactKnownUpdate(map, readings, PetscMin(now, count), &known));
    PetscCall(draw(e, source, map, readings, &known, &d));
    PetscCall(HgAnimationAdd(e->film->animation, d.count, d.panels));
    PetscCall(wipe(&d));
  }
  PetscCall(TohokuFilmEnd(e->film));
  return ExactKnownDestroy(&known);
}
