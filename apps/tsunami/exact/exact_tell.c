/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact.h"
#include <math.h>
#include <stdio.h>

enum { KEY = 96 };

/* Of gauge `gauge`, -1: of none. */
static PetscErrorCode report(const Exact *e, const char group[], int gauge, const char what[],
                             double value) {
  char key[KEY];
  snprintf(key, sizeof key, "%s.%s", group, what);
  if (gauge >= 0) TohokuGaugesKey(group, e->gauges->gauge[gauge].name, what, sizeof key, key);
  return HgReportSetReal(HgRunReport(e->run), key, value);
}

/* J and the evidence. */
static PetscErrorCode tell_fit(const Exact *e, const ExactSource *source, const ExactMap *map,
                               const ExactKnown *k) {
  double parts[2];
  ExactSourceEnergy(source, &map->prior, k->source, parts);

  const struct {
    const char *key;
    double value;
  } all[] = {{"J", k->J},
             {"misfit", k->misfit},
             {"h1", parts[0]},
             {"tikhonov", parts[1]},
             {"noise", map->prior.noise},
             {"log_evidence", k->evidence}};

  for (int n = 0; n < (int)(sizeof all / sizeof *all); n++)
    PetscCall(report(e, "exact", -1, all[n].key, all[n].value));
  PetscCall(HgReportSetInteger(HgRunReport(e->run), "exact.readings", k->readings));
  if (source->slip)
    return PetscPrintf(PETSC_COMM_WORLD,
                       "J %.10g = misfit %.6g + Tikhonov %.6g; log evidence %.6g\n", k->J,
                       k->misfit, parts[1], k->evidence);
  return PetscPrintf(PETSC_COMM_WORLD,
                     "J %.10g = misfit %.6g + H1 %.6g + Tikhonov %.6g; log evidence %.6g\n", k->J,
                     k->misfit, parts[0], parts[1], k->evidence);
}

/* Volume and its centroid. */
static PetscErrorCode tell_volume(const Exact *e, const ExactKnown *k) {
  const struct {
    const char *key;
    double value;
  } all[] = {{"volume_km3", k->total.mean},
             {"volume_deviation", k->total.deviation},
             {"volume_deviation_prior", k->before.deviation},
             {"centroid_east", k->east.mean},
             {"centroid_east_deviation", k->east.deviation},
             {"centroid_north", k->north.mean},
             {"centroid_north_deviation", k->north.deviation}};

  for (int n = 0; n < (int)(sizeof all / sizeof *all); n++)
    PetscCall(report(e, "exact", -1, all[n].key, all[n].value));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "net volume %.2f +- %.2f km^3 (before the data 0 +- %.2f)\n", k->total.mean,
                        k->total.deviation, k->before.deviation));
  if (!(k->total.mean > 0)) return 0;
  return PetscPrintf(PETSC_COMM_WORLD, "its centroid %.3f +- %.3f E, %.3f +- %.3f N\n",
                     k->east.mean, k->east.deviation, k->north.mean, k->north.deviation);
}

static const double moments = 1e22; /* [N m], of the total of slip */

/* Moment, and the slip of each subfault, which may be negative. */
static PetscErrorCode tell_slip(const Exact *e, const ExactSource *source, const ExactKnown *k) {
  const HgReport all = HgRunReport(e->run);
  int negative = 0;
  for (int n = 0; n < source->count; n++) negative += k->source[n] < 0;
  PetscCall(report(e, "exact", -1, "moment", moments * k->total.mean));
  PetscCall(report(e, "exact", -1, "moment_deviation", moments * k->total.deviation));
  PetscCall(report(e, "exact", -1, "moment_deviation_prior", moments * k->before.deviation));
  PetscCall(HgReportSetReals(all, "exact.slip", source->count, k->source));
  PetscCall(HgReportSetReals(all, "exact.slip_deviation", source->count, k->deviation));
  return PetscPrintf(PETSC_COMM_WORLD,
                     "moment %.3f +- %.3f 10^22 N m at 40 GPa (before the data 0 +- %.3f); %d of "
                     "%d slips are negative\n",
                     k->total.mean, k->total.deviation, k->before.deviation, negative,
                     source->count);
}

/* ---- each gauge left out ---- */

/* How many of its readings there are, and lie inside the band that the other gauges give. */
static int count_inside(const ExactReadings *readings, const ExactKnown *k, int gauge, int *count) {
  int inside = 0;
  *count = 0;
  for (int r = 0; r < readings->count; r++) {
    if (readings->gauge[r] != gauge) continue;
    ++*count;
    inside += fabs(readings->value[r] - k->left_out[r]) <= ExactBand * k->left_unsure[r];
  }
  return inside;
}

PetscErrorCode ExactTellPrior(const Exact *e, const ExactSource *source, bool by_hand,
                              const ExactMap *map, const ExactReadings *readings) {
  const char *const group = by_hand ? "exact.hand" : "exact.auto";
  ExactKnown known;
  PetscCall(ExactKnownCreate(map, &known));
  PetscCall(ExactKnownUpdate(map, readings, map->readings, &known));
  PetscCall(ExactKnownLeaveOut(map, readings, &known));
  PetscCall(report(e, group, -1, "h1", map->prior.h1));
  PetscCall(report(e, group, -1, "tikhonov", map->prior.tikhonov));
  PetscCall(report(e, group, -1, "noise", map->prior.noise));
  PetscCall(report(e, group, -1, "log_evidence", known.evidence));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "prior by %s: ", by_hand ? "hand" : "evidence"));
  if (source->slip)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "-slip_tikhonov %.6g, sigmas times %.4g",
                          map->prior.tikhonov, map->prior.noise));
  else
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "-h1 %.6g -tikhonov %.6g", map->prior.h1,
                          map->prior.tikhonov));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", log evidence %.6g%s", known.evidence,
                        map->gauges > 1 ? "; inside, left out:" : ""));
  for (int gauge = 0; gauge < map->gauges && map->gauges > 1; gauge++) {
    int count;
    const int inside = count_inside(readings, &known, gauge, &count);
    PetscCall(report(e, group, gauge, "inside", inside));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %d of %d", gauge ? "," : "", inside, count));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  return ExactKnownDestroy(&known);
}

static PetscErrorCode tell_left_out(const Exact *e, const ExactReadings *readings,
                                    const ExactKnown *k, int gauge) {
  const int peak = ExactReadingsPeak(readings, gauge);
  int count;
  const int inside = count_inside(readings, k, gauge, &count);
  PetscCall(report(e, "exact.left_out", gauge, "peak", k->left_out[peak]));
  PetscCall(report(e, "exact.left_out", gauge, "peak_deviation", k->left_unsure[peak]));
  PetscCall(report(e, "exact.left_out", gauge, "observed_peak", readings->value[peak]));
  PetscCall(report(e, "exact.left_out", gauge, "inside", inside));
  PetscCall(report(e, "exact.left_out", gauge, "readings", count));
  PetscCall(report(e, "exact.left_out", gauge, "chi2", k->chi2[gauge]));
  return PetscPrintf(
      PETSC_COMM_WORLD,
      "%-10s %8.3f +- %.3f m at %g s, observed %.3f (%.1f off); %d of %d inside, chi2 %.4g\n",
      e->gauges->gauge[gauge].name, k->left_out[peak], k->left_unsure[peak],
      readings->time[peak] + e->gauges->tau, readings->value[peak],
      fabs(readings->value[peak] - k->left_out[peak]) / k->left_unsure[peak], inside, count,
      k->chi2[gauge]);
}

/* ---- what was known before ---- */

enum { FIRST = 20, EVERY = 10, SHOWN = 4 }; /* [min, min, gauges] */

/* One line, and row n of `table`, of `rows`: minutes, readings, volume, its deviation, and height
   and deviation of each gauge where it reads most. */
static PetscErrorCode tell_time(const ExactReadings *readings, const ExactKnown *k, int minutes,
                                int n, int rows, double table[]) {
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%7d %8d %12.2f +- %5.2f", minutes, k->readings,
                        k->total.mean, k->total.deviation));
  const double first[4] = {minutes, k->readings, k->total.mean, k->total.deviation};
  for (int l = 0; l < 4; l++) table[l * rows + n] = first[l];
  for (int gauge = 0; gauge < readings->gauges; gauge++) {
    const int peak = ExactReadingsPeak(readings, gauge);
    table[(4 + 2 * gauge) * rows + n] = k->predicted[peak];
    table[(5 + 2 * gauge) * rows + n] = k->unsure[peak];
    if (gauge < SHOWN)
      PetscCall(
          PetscPrintf(PETSC_COMM_WORLD, " %8.3f +- %.3f", k->predicted[peak], k->unsure[peak]));
  }
  return PetscPrintf(PETSC_COMM_WORLD, "\n");
}

static PetscErrorCode report_times(const Exact *e, int gauges, int rows, const double table[]) {
  const bool slip = e->slip->sought;
  const char *const keys[4] = {"minutes", "readings", slip ? "moment_1e22" : "volume_km3",
                               slip ? "moment_1e22_deviation" : "volume_deviation"};
  for (int l = 0; l < 4 + 2 * gauges; l++) {
    char key[KEY];
    if (l < 4) snprintf(key, sizeof key, "exact.known.%s", keys[l]);
    else
      TohokuGaugesKey("exact.known", e->gauges->gauge[(l - 4) / 2].name,
                      l % 2 ? "peak_deviation" : "peak", sizeof key, key);
    PetscCall(HgReportSetReals(HgRunReport(e->run), key, rows, table + l * rows));
  }
  return 0;
}

/* Every ten minutes, up to the last reading that has come. */
static PetscErrorCode tell_times(const Exact *e, const ExactMap *map, const ExactReadings *readings,
                                 int count) {
  const double last = count ? (readings->time[count - 1] + e->gauges->tau) / 60 : 0;
  const int rows = 1 + (int)ceil(fmax(last - FIRST, 0) / EVERY);
  double *table;
  ExactKnown known;
  PetscCall(ExactKnownCreate(map, &known));
  PetscCall(PetscMalloc1((size_t)rows * (size_t)(4 + 2 * readings->gauges), &table));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "minutes readings %-18s",
                        e->slip->sought ? "moment [10^22 N m]" : "volume [km^3]"));
  for (int gauge = 0; gauge < PetscMin(SHOWN, readings->gauges); gauge++)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %-8.8s at %4g s", e->gauges->gauge[gauge].name,
                          readings->time[ExactReadingsPeak(readings, gauge)] + e->gauges->tau));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  for (int n = 0; n < rows; n++) {
    const int minutes = FIRST + EVERY * n,
              now = ExactReadingsUntil(readings, 60.0 * minutes - e->gauges->tau);
    PetscCall(ExactKnownUpdate(map, readings, PetscMin(now, count), &known));
    PetscCall(tell_time(readings, &known, minutes, n, rows, table));
  }
  PetscCall(report_times(e, readings->gauges, rows, table));
  PetscCall(PetscFree(table));
  return ExactKnownDestroy(&known);
}

PetscErrorCode ExactTell(const Exact *e, const ExactSource *source, const ExactMap *map,
                         const ExactReadings *readings, ExactKnown *known) {
  PetscCall(tell_fit(e, source, map, known));
  PetscCall(source->slip ? tell_slip(e, source, known) : tell_volume(e, known));
  if (known->readings == map->readings && map->gauges > 1) {
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "each gauge as the others predict it, noise included:\n"));
    for (int gauge = 0; gauge < map->gauges; gauge++)
      PetscCall(tell_left_out(e, readings, known, gauge));
  }
  return tell_times(e, map, readings, known->readings);
}
