#include "gauge_case.h"
#include <halograd/picture.h>
/* The gauge that the first guess explains worst. */
static int worst_gauge(const HgObservations *o, const double guess[]) {
  int worst = 0;
  double most = -1;
  for (int k = 0; k < o->sensors; k++) {
    double sum = 0;
    for (int n = k; n < o->times * o->sensors; n += o->sensors)
      sum += (guess[n] - o->value[n]) * (guess[n] - o->value[n]);
    if (sum > most) most = sum, worst = k;
  }
  return worst;
}
PetscErrorCode GaugePicture(HgRun run, const HgCommon *common, const GaugeCase *g,
                            const HgObservations *o, const double guess[], const double fitted[]) {
  const int gauge = worst_gauge(o, guess);
  const double *const values[3] = {o->value, guess, fitted};
  double *series;
  char title[64];
  PetscCall(PetscMalloc1(3 * (size_t)o->times, &series));
  HgCurve curves[3] = {
      {.label = "observed", .points = true}, {.label = "first guess"}, {.label = "fitted"}};
  for (int c = 0; c < 3; c++) {
    double *const y = series + c * o->times;
    for (int n = 0; n < o->times; n++) y[n] = values[c][n * o->sensors + gauge];
    curves[c].count = o->times, curves[c].x = o->time, curves[c].y = y;
  }
  HgCurve history[2] = {{.label = "J"}, {.label = "misfit"}};
  history[0].count = history[1].count =
      HgRunHistory(run, &history[0].x, &history[0].y, &history[1].y);
  history[1].x = history[0].x;
  snprintf(title, sizeof title, "gauge %d at (%.0f, %.0f) km", gauge, o->x[gauge] / 1000,
           o->y[gauge] / 1000);
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
  const HgPanel panels[4] = {g->truth_known ? truth : chart,
                             found,
                             {.title = title,
                              .x_label = "time [s]",
                              .y_label = "surface [m]",
                              .curves = 3,
                              .curve = curves},
                             {.title = "convergence",
                              .x_label = "iteration",
                              .y_label = "J",
                              .log_y = true,
                              .curves = 2,
                              .curve = history}};
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, common->output, "shallow_water_inverse", 4, panels));
  return PetscFree(series);
}
