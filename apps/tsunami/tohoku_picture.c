/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_picture.h"
#include <halograd/picture.h>
#include <math.h>

enum { SHOWN = 4, CURVES = 3, ROOM = 6 };

typedef struct {
  char title[64];
  HgCurve curves[CURVES];
} Chart;

/* Over time since the origin: what counted, as points; all that was read; what the model makes. */
static HgPanel draw_gauge(const TohokuGauges *g, const HgObservations *o, int gauge,
                          const double time[], const double fitted[], double series[],
                          Chart *chart) {
  static const char *const labels[CURVES] = {"in the window", "observed", "model"};
  for (int c = 0; c < CURVES; c++) {
    double *const y = series + (size_t)c * (size_t)o->times;
    for (int n = 0; n < o->times; n++) {
      const int from = n * o->sensors + gauge;
      const bool there = c == 2 || (g->read[from] && (c == 1 || g->seen[from]));
      y[n] = !there ? NAN : c == 2 ? fitted[from] : o->value[from];
    }
    chart->curves[c] =
        (HgCurve){.label = labels[c], .count = o->times, .x = time, .y = y, .points = c == 0};
  }
  snprintf(chart->title, sizeof chart->title, "DART %s%s", g->gauge[gauge].name,
           g->gauge[gauge].out ? ", left out" : "");
  return (HgPanel){.title = chart->title,
                   .x_label = "time since the earthquake [s]",
                   .y_label = "surface [m]",
                   .curves = CURVES,
                   .curve = chart->curves};
}

PetscErrorCode TohokuMapLand(const TohokuSea *sea, HgState state, HgState *shown) {
  const HgPatch *p = HgMeshGetPatch(sea->mesh);
  const HgVariable surface = {"eta", "m", HG_FIELD, 0};
  PetscCall(HgStateCreate(sea->mesh, 1, &surface, shown));
  PetscCall(HgStateCopyVariable(state, HgStateFind(state, "eta"), *shown, 0));
  HgReal *const *h = HgStateRows(sea->floor, HgStateFind(sea->floor, "h"));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      if (h[j][i] == 0) HgStateRows(*shown, 0)[j][i] = NAN;
  return 0;
}

HgPanel TohokuMapPanel(const char title[], HgState shown, double reach,
                       const HgObservations *gauges) {
  return (HgPanel){.title = title,
                   .state = shown,
                   .field = "eta",
                   .diverging = true,
                   .low = -reach,
                   .high = reach,
                   .markers = gauges->sensors,
                   .marker_x = gauges->x,
                   .marker_y = gauges->y};
}

PetscErrorCode TohokuPicture(HgRun run, const HgCommon *common, const TohokuSea *sea,
                             const TohokuGauges *g, const HgObservations *o,
                             const TohokuMap maps[TOHOKU_MAPS], const double fitted[]) {
  const int shown = PetscMin(SHOWN, o->sensors);
  double *series, *time;
  Chart charts[SHOWN];
  HgState surface[TOHOKU_MAPS] = {NULL};
  HgPanel panels[TOHOKU_MAPS + 1 + SHOWN];
  int count = 0;
  for (int k = 0; k < TOHOKU_MAPS; k++) {
    if (!maps[k].state) continue;
    PetscCall(TohokuMapLand(sea, maps[k].state, &surface[k]));
    panels[count++] = TohokuMapPanel(maps[k].title, surface[k], 7, o);
  }
  if (count + shown < ROOM && HgRunConvergence(run).curve[0].count)
    panels[count++] = HgRunConvergence(run);
  PetscCall(PetscMalloc2(SHOWN * CURVES * (size_t)o->times, &series, o->times, &time));
  for (int n = 0; n < o->times; n++) time[n] = o->time[n] + g->tau;
  for (int k = 0; k < shown; k++)
    panels[count++] = draw_gauge(g, o, k, time, fitted,
                                 series + (size_t)(k * CURVES) * (size_t)o->times, &charts[k]);
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, common->output, "tohoku_inverse", count, panels));
  for (int k = 0; k < TOHOKU_MAPS; k++) PetscCall(HgStateDestroy(&surface[k]));
  return PetscFree2(series, time);
}
