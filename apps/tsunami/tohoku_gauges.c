/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_gauges.h"
#include <halograd/gauges.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PetscErrorCode TohokuGaugesOptions(HgRun run, const TohokuEvent *event, TohokuGauges *g) {
  const HgOptions o = HgRunOptions(run);
  *g = (TohokuGauges){.tau = event->tau, .ends = event->ends};
  memcpy(g->window, event->window, sizeof event->window);
  for (int k = 0; k < TOHOKU_GAUGES && event->gauges[k]; k++) {
    char path[HG_PATH_SIZE];
    PetscCall(HgRunDataPath(event->gauges[k], sizeof path, path));
    const size_t used = strlen(g->files);
    snprintf(g->files + used, sizeof g->files - used, "%s%s", k ? "," : "", path);
  }
  PetscCall(HgOptionsGroup(o, "Gauges"));
  PetscCall(HgOptionsString(
      o, "-gauges", "text tables of gauges, separated by commas; times in s after the origin time",
      sizeof g->files, g->files));
  PetscCall(HgOptionsInts(o, "-windows",
                          "first and last second to use, for all gauges or gauge by gauge", 0,
                          1 << 30, 2, 2 * TOHOKU_WINDOWS, &g->ends, g->window));
  PetscCall(HgOptionsReal(o, "-tau", "time of the source after the origin time", "s",
                          "[-1000, 1000]", &g->tau));
  return HgOptionsString(o, "-leave_out", "gauge to leave out of the misfit and to predict",
                         sizeof g->left_out, g->left_out);
}

/* ---- reading ---- */

/* The name, which has no blank, in a label " (gauge 'NAME' of 'FILE')". */
static void name_of(const char label[], int number, char name[32]) {
  char quoted[33] = "";
  if (sscanf(label, " (gauge '%32s", quoted) == 1) quoted[strlen(quoted) - 1] = 0;
  if (*quoted) snprintf(name, 32, "%s", quoted);
  else snprintf(name, 32, "%d", number);
}

static int by_name(const void *a, const void *b) {
  const TohokuGauge *const *g = a, *const *h = b;
  return strcmp((*g)->name, (*h)->name);
}

static PetscErrorCode require_names(const TohokuGauges *g) {
  const TohokuGauge **sorted, *twice = NULL;
  PetscCall(PetscMalloc1(g->sensors, &sorted));
  for (int k = 0; k < g->sensors; k++) sorted[k] = &g->gauge[k];
  qsort(sorted, (size_t)g->sensors, sizeof *sorted, by_name);
  for (int k = 1; k < g->sensors; k++)
    if (!strcmp(sorted[k - 1]->name, sorted[k]->name)) twice = sorted[k];
  PetscCall(PetscFree(sorted));
  HgRequire(PETSC_COMM_WORLD, !twice, HG_ERR_DATA,
            "gauges '%s': two of them are called '%s', expected a name of its own for each",
            g->files, twice->name);
  return 0;
}

static PetscErrorCode name_all(TohokuGauges *g, const HgObservations *o) {
  int out = 0;
  g->sensors = o->sensors;
  PetscCall(PetscCalloc1(g->sensors, &g->gauge));
  for (int k = 0; k < o->sensors; k++) {
    TohokuGauge *const gauge = &g->gauge[k];
    name_of(o->label[k], k, gauge->name);
    gauge->out = !strcmp(gauge->name, g->left_out);
    out += gauge->out;
    for (int n = 0; n < o->times; n++)
      if (!isinf(o->sigma[n * o->sensors + k])) gauge->sigma = o->sigma[n * o->sensors + k];
  }
  PetscCall(require_names(g));
  HgRequire(PETSC_COMM_WORLD, out || !g->left_out[0], HG_ERR_OPTION_RANGE,
            "option -leave_out '%s': expected one of the %d gauges, '%s' the "
            "first of them",
            g->left_out, o->sensors, g->gauge[0].name);
  HgRequire(PETSC_COMM_WORLD, out < o->sensors, HG_ERR_OPTION_CONFLICT,
            "option -leave_out '%s': it is the only gauge, expected another one that counts",
            g->left_out);
  return 0;
}

static const double slack = 1e-9; /* of a step: times of steps are rounded */

/* When the run ends. */
static double end_of(const TohokuGauges *g, const HgCommon *c) {
  return g->tau + (double)c->steps * c->dt;
}

static PetscErrorCode read_windows(TohokuGauges *g, const HgCommon *c) {
  const double end = end_of(g, c);
  HgRequire(PETSC_COMM_WORLD, g->ends == 2 || g->ends == 2 * g->sensors, HG_ERR_OPTION_RANGE,
            "option -windows: %d numbers for %d gauges, expected a first and a last second for "
            "all, or for each of at most %d",
            g->ends, g->sensors, TOHOKU_WINDOWS);
  for (int k = 0; k < g->sensors; k++) {
    const int *const window = &g->window[g->ends == 2 ? 0 : 2 * k], first = window[0],
                     last = window[1];
    g->gauge[k].first = first, g->gauge[k].last = last;
    HgRequire(
        PETSC_COMM_WORLD, first < last, HG_ERR_OPTION_RANGE,
        "option -windows: that of gauge '%s' is %d to %d s, expected an end after its beginning",
        g->gauge[k].name, first, last);
    HgRequire(
        PETSC_COMM_WORLD, first >= g->tau && last <= end + slack * c->dt, HG_ERR_OPTION_RANGE,
        "option -windows: that of gauge '%s', %d to %d s, reaches beyond the run, which goes from "
        "%g s, the time of the source, to %g s",
        g->gauge[k].name, first, last, g->tau, end);
  }
  return 0;
}

/* The rows of `all` that the model passes, in its time; sensors interpolate between its steps. */
static PetscErrorCode rows_of_run(TohokuGauges *g, const HgCommon *c, const HgObservations *all,
                                  HgObservations **observations) {
  const double end = end_of(g, c) + slack * c->dt;
  int rows = 0, *seen;
  for (int n = 0; n < all->times; n++) rows += all->time[n] >= g->tau && all->time[n] <= end;
  HgRequire(PETSC_COMM_WORLD, rows, HG_ERR_DATA,
            "gauges '%s': no reading from %g to %g s, the time of the run", g->files, g->tau,
            end_of(g, c));
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "eta", "m", rows, all->sensors, observations));
  HgObservations *o = *observations;
  o->degrees = true;
  PetscCall(PetscCalloc2(rows * o->sensors, &g->read, rows * o->sensors, &g->seen));
  PetscCall(PetscCalloc1(o->sensors, &seen));
  memcpy(o->x, all->x, sizeof(double) * (size_t)o->sensors);
  memcpy(o->y, all->y, sizeof(double) * (size_t)o->sensors);
  memcpy(o->label, all->label, sizeof *o->label * (size_t)o->sensors);
  for (int n = 0, to = 0; n < all->times; n++) {
    if (all->time[n] < g->tau || all->time[n] > end) continue;
    o->time[to] = all->time[n] - g->tau;
    for (int k = 0; k < o->sensors; k++) {
      const int from = n * o->sensors + k, at = to * o->sensors + k;
      o->sigma[at] = INFINITY;
      g->read[at] = !isinf(all->sigma[from]);
      if (!g->read[at]) continue;
      o->value[at] = all->value[from];
      g->seen[at] = all->time[n] >= g->gauge[k].first && all->time[n] <= g->gauge[k].last;
      if (!g->seen[at]) continue;
      seen[k]++;
      if (!g->gauge[k].out) o->sigma[at] = all->sigma[from];
    }
    to++;
  }
  for (int k = 0; k < o->sensors; k++)
    HgRequire(PETSC_COMM_WORLD, seen[k], HG_ERR_DATA,
              "gauge '%s': no reading in its window, %d to %d s", g->gauge[k].name,
              g->gauge[k].first, g->gauge[k].last);
  return PetscFree(seen);
}

/* Longitudes 273.6 and -86.4 are the same: the one nearest to the middle of the sea. */
static void turn(const TohokuSea *sea, HgObservations *o) {
  double edges[4];
  TohokuSeaEdges(sea, edges);
  for (int k = 0; k < o->sensors; k++)
    o->x[k] += 360 * floor((0.5 * (edges[0] + edges[1]) - o->x[k]) / 360 + 0.5);
}

PetscErrorCode TohokuGaugesRead(const TohokuSea *sea, const HgCommon *c, TohokuGauges *g,
                                HgObservations **observations) {
  HgObservations *all;
  PetscCall(HgGaugesRead(PETSC_COMM_WORLD, g->files, true, 0.03, &all));
  turn(sea, all);
  PetscCall(HgObservationsInside(all, sea->mesh));
  for (int k = 0; k < all->sensors; k++)
    PetscCall(HgSeaRequireWet(sea->floor, all->x[k], all->y[k], all->label[k]));
  PetscCall(name_all(g, all));
  PetscCall(read_windows(g, c));
  PetscCall(rows_of_run(g, c, all, observations));
  return HgObservationsDestroy(&all);
}

PetscErrorCode TohokuGaugesDestroy(TohokuGauges *g) {
  PetscCall(PetscFree(g->gauge));
  return PetscFree2(g->read, g->seen);
}

/* ---- how well it fits ---- */

void TohokuGaugesKey(const char group[], const char gauge[], const char what[], size_t size,
                     char key[]) {
  const size_t begin = (size_t)snprintf(key, size, "%s.", group);
  const size_t used = begin + (size_t)snprintf(key + begin, size - begin, "%s", gauge);
  for (size_t k = begin; k < used && key[k]; k++)
    if (key[k] == '.') key[k] = '_';
  snprintf(key + used, size - used, ".%s", what);
}

/* Does J count the readings by other than squares of each? */
static bool counts_otherwise(HgOptions o) {
  static const char *const by[] = {"-huber",    "-student", "-correlation",
                                   "-relative", "-shape",   "-envelope"};
  bool given = false;
  for (int k = 0; k < 6; k++) given = given || HgOptionsGiven(o, by[k]);
  return given;
}

PetscErrorCode TohokuGaugesFit(HgRun run, const TohokuGauges *g, const HgObservations *o,
                               const double predicted[], double *ratio) {
  const char *const squares = counts_otherwise(HgRunOptions(run)) ? " by squares" : "";
  double misfit = 0, readings = 0;
  for (int k = 0; k < g->sensors; k++) {
    double left = 0, signal = 0, count = 0;
    for (int n = 0; n < o->times; n++) {
      const int at = n * o->sensors + k;
      if (!g->seen[at]) continue;
      left += (predicted[at] - o->value[at]) * (predicted[at] - o->value[at]);
      signal += o->value[at] * o->value[at];
      count++;
    }
    const double of_gauge = left / (g->gauge[k].sigma * g->gauge[k].sigma * count),
                 reduction = signal > 0 ? 1 - left / signal : 0;
    char key[64];
    PetscCall(PetscPrintf(
        PETSC_COMM_WORLD, "gauge %s%s: misfit%s / expectation %.3f, variance reduction %.3f\n",
        g->gauge[k].name, g->gauge[k].out ? " (left out)" : "", squares, of_gauge, reduction));
    TohokuGaugesKey("gauges", g->gauge[k].name, "misfit_ratio", sizeof key, key);
    PetscCall(HgReportSetReal(HgRunReport(run), key, of_gauge));
    TohokuGaugesKey("gauges", g->gauge[k].name, "variance_reduction", sizeof key, key);
    PetscCall(HgReportSetReal(HgRunReport(run), key, reduction));
    if (!g->gauge[k].out) misfit += of_gauge * count, readings += count;
  }
  *ratio = misfit / readings;
  return HgReportSetReal(HgRunReport(run), "misfit_ratio", *ratio);
}

/* ---- how high, and when ---- */

typedef struct {
  double height, time;
} Peak;

static Peak peak_of(const TohokuGauges *g, const HgObservations *o, const double value[], int k) {
  Peak peak = {-INFINITY, 0};
  for (int n = 0; n < o->times; n++) {
    const int at = n * o->sensors + k;
    if (g->seen[at] && value[at] > peak.height) peak = (Peak){value[at], o->time[n] + g->tau};
  }
  return peak;
}

static double correlation_of(const TohokuGauges *g, const HgObservations *o, const double value[],
                             int k) {
  double count = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (int round = 0; round < 2; round++)
    for (int n = 0; n < o->times; n++) {
      const int at = n * o->sensors + k;
      if (!g->seen[at]) continue;
      if (!round) count++, x += o->value[at], y += value[at];
      const double a = o->value[at] - x / count, b = value[at] - y / count;
      if (round) xx += a * a, yy += b * b, xy += a * b;
    }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

PetscErrorCode TohokuGaugesPeaks(HgRun run, const TohokuGauges *g, const HgObservations *o,
                                 const double predicted[]) {
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-10s %12s %8s %12s %8s %12s\n", "gauge", "model [m]",
                        "at [s]", "observed [m]", "at [s]", "correlation"));
  for (int k = 0; k < g->sensors; k++) {
    const Peak model = peak_of(g, o, predicted, k), seen = peak_of(g, o, o->value, k);
    const double alike = correlation_of(g, o, predicted, k);

    const struct {
      const char *key;
      double value;
    } all[] = {{"peak", model.height},
               {"peak_time", model.time},
               {"observed_peak", seen.height},
               {"observed_peak_time", seen.time},
               {"correlation", alike}};

    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-10s %12.4f %8g %12.4f %8g %12.3f\n",
                          g->gauge[k].name, model.height, model.time, seen.height, seen.time,
                          alike));
    for (int l = 0; l < (int)(sizeof all / sizeof *all); l++) {
      char key[64];
      TohokuGaugesKey("gauges", g->gauge[k].name, all[l].key, sizeof key, key);
      PetscCall(HgReportSetReal(HgRunReport(run), key, all[l].value));
    }
  }
  return 0;
}
