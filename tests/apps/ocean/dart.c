/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: from a polynomial of time plus a wave a DART gauge's text gives the wave, whatever the
   order of its rows; what is missing or contradicts itself is left out; every other text is refused
   in one sentence. */
#include "claim.h"
#include "refusal.h"
#include "same_bits.h"
#include <halograd/dart.h>
#include <halograd/file.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 600, ORIGIN = 1299998054 /* 2011-03-13T06:34:14 */ };

static int zeros;

static const HgDart usual = {.origin = "2011-03-13T06:34:14",
                             .before = 18000,
                             .after = 18000,
                             .degree = 3,
                             .last = 9000,
                             .every = 60,
                             .longitude = -86.392,
                             .latitude = -17.975,
                             .sigma = 0.02};

/* Minutes of a tide of degree 3; the wave is 0 there but at one time. */
static double height_at(int minute) {
  const double s = (minute - ROWS / 2) / 300.0;
  return 4000 + 0.5 * s - 0.25 * s * s + 0.125 * s * s * s;
}

static void put_row(FILE *file, long utc, double height) {
  const time_t time = utc;
  struct tm t;
  gmtime_r(&time, &t);
  fprintf(file, "%d %02d %02d %02d %02d %02d 1 %.17g\n", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
          t.tm_hour, t.tm_min, t.tm_sec, height);
}

/* Rows from the first to the last, or the other way; `more` stands behind them. */
static PetscErrorCode put(const char path[], bool backwards, const char more[]) {
  char *text;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  fprintf(file, "#YY  MM DD hh mm ss T   HEIGHT\n#yr  mo dy hr mn  s -        m\n");
  for (int k = 0; k < ROWS; k++) {
    const int minute = backwards ? ROWS - 1 - k : k;
    put_row(file, ORIGIN - 14 + 60L * (minute - ROWS / 2), height_at(minute));
  }
  fprintf(file, "%s", more);
  fclose(file);
  const PetscErrorCode ierr = HgFileWrite(PETSC_COMM_WORLD, path, text, size);
  free(text);
  return ierr;
}

static PetscErrorCode recover(const char path[]) {
  HgObservations *o[2];
  for (int k = 0; k < 2; k++) {
    PetscCall(put(path, k,
                  "2011 03 13 07 00 15 2 4000.5\n2011 03 13 07 01 00 1 9999.000\n"
                  "2011 03 13 07 02 00 1      MM\n2008 12 31 23 59 60 1 4000\n"));
    PetscCall(HgDartRead(PETSC_COMM_WORLD, path, &usual, &zeros, &o[k]));
  }
  claim_that(o[0]->sensors == 1 && o[0]->times == 150 && o[0]->degrees, "%d x %d readings, 150 x 1",
             o[0]->times, o[0]->sensors);
  for (int n = 0; n < 150; n++) {
    claim_same(o[0]->time[n], 46 + 60 * n, "time %d", n);
    claim_that(fabs(o[0]->value[n]) < 1e-2, "eta %g m at time %d, expected no wave", o[0]->value[n],
               n);
    claim_same(o[1]->value[n], o[0]->value[n], "backwards, eta %d", n);
    claim_same(o[0]->sigma[n], 0.02, "sigma %d", n);
  }
  claim_same(o[0]->x[0], -86.392, "longitude");
  claim_same(o[0]->y[0], -17.975, "latitude");
  for (int k = 0; k < 2; k++) PetscCall(HgObservationsDestroy(&o[k]));
  return 0;
}

/* Hours of readings far from both ends of the tide's interval determine it, too; what -every asks
   for counts from midnight, wherever 1970 began. */
static PetscErrorCode short_record(const char path[]) {
  HgObservations *o;
  HgDart d = usual;
  PetscCall(put(path, false, ""));
  d.before = 1e8, d.after = 1e8, d.degree = 20;
  PetscCall(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o));
  for (int n = 0; n < o->times; n++)
    claim_that(fabs(o->value[n]) < 1e-9, "%g m of a mere tide at time %d", o->value[n], n);
  PetscCall(HgObservationsDestroy(&o));
  d = usual, d.every = 2100; /* 25200 s, 27300 s, ... of the day; the origin is at 23654 s */
  PetscCall(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o));
  claim_same(o->time[0], 25200 - 23654, "the first time kept");
  claim_same(o->time[1], 27300 - 23654, "the second time kept");
  return HgObservationsDestroy(&o);
}

/* A wave of 1 m at one time; without it, nothing is left but rounding. */
static PetscErrorCode find_wave(const char path[]) {
  HgObservations *o;
  HgDart d = usual;
  PetscCall(put(path, false, ""));
  PetscCall(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o));
  for (int n = 0; n < o->times; n++)
    claim_that(fabs(o->value[n]) < 1e-9, "%g m of a mere tide at time %d", o->value[n], n);
  PetscCall(HgObservationsDestroy(&o));
  /* at 07:00:00 the gauge says two things, at 07:01:00 the same thing twice */
  char more[128];
  snprintf(more, sizeof more, "2011 03 13 07 00 00 3 4001\n2011 03 13 07 01 00 3 %.17g\n",
           height_at(ROWS / 2 + 27));
  PetscCall(put(path, false, more));
  d.before = 0;
  PetscCall(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o));
  claim_that(o->times == 149, "%d readings, expected 149", o->times);
  claim_same(o->time[25], 46 + 60 * 26, "the time after the one that contradicts itself");
  return HgObservationsDestroy(&o);
}

/* Quarters of an hour for two days, of which `every` says how many minutes are read besides while
   the gauge is awake: a wave of 1 m on a tide, up to `end`, from `begin` on [minutes]. */
static PetscErrorCode put_event(const char path[], const char title[], int begin, int end,
                                int every) {
  char *text;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  fprintf(file, "%s", title);
  for (int m = begin; m < end; m++) {
    const double s = (m - 60) / 15.0;
    const bool awake = m >= 45 && m < 285 && m % every == 0;
    if (m % 15 && !awake) continue;
    put_row(file, ORIGIN - 14 + 60L * m, 4000 + 1e-4 * m + (1 - 2 * s * s) * exp(-s * s));
  }
  fclose(file);
  const PetscErrorCode ierr = HgFileWrite(PETSC_COMM_WORLD, path, text, size);
  free(text);
  return ierr;
}

/* A gauge that wakes up as the wave rises: the crest keeps its height, whatever the files. */
static PetscErrorCode find_crest(const char path[]) {
  static const char *const title[] = {"YY MM DD hh mm ss T HEIGHT\n",
                                      "#YY\nyr mo dy hr mn s - m\n"};
  char other[80], both[160];
  HgObservations *o, *parts;
  HgDart d = usual;
  d.before = 43200, d.after = 129600, d.last = 7200, d.degree = 15;
  snprintf(other, sizeof other, "next_%s", path);
  snprintf(both, sizeof both, "%s,%s", other, path);
  double lost[2];
  for (d.equal = false;; d.equal = true) {
    PetscCall(put_event(path, title[0], -720, 2161, 1));
    PetscCall(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o));
    double crest = 0;
    for (int n = 0; n < o->times; n++) crest = fmax(crest, o->value[n]);
    lost[d.equal] = 1 - crest;
    if (d.equal) break;
    PetscCall(put_event(path, title[1], -720, 50, 1));
    PetscCall(put_event(other, title[0], 45, 2161, 1));
    PetscCall(HgDartRead(PETSC_COMM_WORLD, both, &d, &zeros, &parts));
    claim_that(parts->times == o->times, "%d times of two files, %d of one", parts->times,
               o->times);
    for (int n = 0; n < o->times; n++)
      claim_that(fabs(parts->value[n] - o->value[n]) < 1e-3, "two files, eta %d: %g m, one: %g m",
                 n, parts->value[n], o->value[n]);
    PetscCall(DESTROY(&parts, &o));
  }
  claim_at_most(fabs(lost[0]), 0.005, "lost of a crest of 1 m, rows weighted by time");
  claim_that(lost[1] > 0.03, "rows that count alike lose %g m, expected centimetres", lost[1]);
  return HgObservationsDestroy(&o);
}

/* Heights of 0 stand for none. */
static PetscErrorCode leave_zeros(const char path[]) {
  HgObservations *o;
  PetscCall(put(path, false, "2011 03 13 07 00 15 1 0.000\n2011 03 13 07 00 30 1 0\n"));
  PetscCall(HgDartRead(PETSC_COMM_WORLD, path, &usual, &zeros, &o));
  claim_that(zeros == 2, "%d heights of 0, expected 2", zeros);
  for (int n = 0; n < o->times; n++)
    claim_that(fabs(o->value[n]) < 1e-9, "%g m of a mere tide at time %d", o->value[n], n);
  return HgObservationsDestroy(&o);
}

static PetscErrorCode refuse_texts(const char path[]) {
  static const char *const row[][2] = {
      {"2011 03 13 07 00 00 1\n", "line 603: '2011 03 13 07 00 00 1', expected year month day"},
      {"2011 03 13 07 00 00 1 4000 5\n", "line 603"},
      {"2011 02 30 07 00 00 1 4000\n", "line 603"},
      {"2011 13 01 07 00 00 1 4000\n", "line 603"},
      {"2011 03 13 07.5 00 00 1 4000\n", "line 603"},
      {"2011 03 13 07 00 00 1 nan\n", "line 603"},
      {"2011 03 13 07 00 00 1 -4000\n", "line 603"},
      {"2011 03 13 07 00 MM 1 4000\n", "line 603"},
      {"2011 03 13 07 01 60 1 4000\n", "line 603"},
      {"2011 03 13 07 01 00 1\xA0"
       "4000\n",
       "line 603, byte 22 is 0xA0, a no-break space, expected"},
      {" 2011 03 13 07 01 00 1 4000\xC2\xA0\n", "line 603, byte 28 is 0xC2, a no-break space"},
      {"2011 03 13 07 01 00 1 4000\x7f\n", "line 603, byte 27 is 0x7F, expected digits and blanks"},
      {"YY MM DD hh mm ss T 4000\n", "line 603"},
      {"YY MM DD hh mm ss T\n", "line 603"},
      {"2011 04 31 07 01 00 1 4000\n", "line 603"},
      {"2011 03 13 07 00 00 1 1e6\n", "line 603"},
      {"time [s],elevation [m]\n", "line 603: 'time [s],elevation [m]', expected year"}};
  static const char again[] = "2011 03 13 07 00 00 1 4000\n";
  HgObservations *o;
  char same[sizeof again * 5] = "";
  for (int k = 0; k < 5; k++) strcat(same, again);
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, path, same, strlen(same)));
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &usual, &zeros, &o), path,
          "5 readings do not determine");
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    PetscCall(put(path, false, row[k][0]));
    REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &usual, &zeros, &o), path, row[k][1], "NDBC");
    claim_that(!o, "observations of row %zu after its refusal", k);
  }
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, path, "#YY\n", 4));
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &usual, &zeros, &o), path, "no rows");
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, path, "20 11", 5));
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &usual, &zeros, &o), path, "line 1");
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, path, "20\0 11", 6));
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &usual, &zeros, &o), path, "is no text");
  REFUSED(HgDartRead(PETSC_COMM_WORLD, "none.txt", &usual, &zeros, &o), "none.txt", "No such file");
  return 0;
}

static PetscErrorCode refuse_requests(const char path[]) {
  static const char *const origins[] = {"",
                                        "yesterday",
                                        "2011-02-30T00:00:00",
                                        "2011-03-13",
                                        "2011-03-13T06:34:14+01",
                                        "2011-03-13T25:34:14",
                                        "2011-03-13T 6:34:+4",
                                        "2011-03-13T06:34:14.120Z"};
  HgObservations *o;
  PetscCall(put(path, false, ""));
  for (size_t k = 0; k < sizeof origins / sizeof *origins; k++) {
    HgDart d = usual;
    d.origin = origins[k];
    REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o), path, origins[k],
            "2011-03-11T05:46:24");
  }
  HgDart d = usual;
  d.origin = "2012-01-01T00:00:00Z";
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o), path, ": 0 readings", "expected 4");
  d = usual, d.every = 86400;
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o), path,
          "no reading at a multiple of 86400 s");
  d = usual, d.every = 0;
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o), path, "every 0 s");
  d = usual, d.degree = HG_DART_DEGREE + 1;
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o), path, "degree 61", "0 to 60");
  d = usual, d.last = 18001;
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o), path, "waves up to 18001 s");
  d = usual, d.before = NAN;
  REFUSED(HgDartRead(PETSC_COMM_WORLD, path, &d, &zeros, &o), path, "nan s before");
  return 0;
}

static PetscErrorCode run(void) {
  char path[64];
  const int ranks = claim.ranks;
  snprintf(path, sizeof path, "dart_%d.txt", ranks);
  PetscCall(recover(path));
  PetscCall(find_wave(path));
  PetscCall(find_crest(path));
  PetscCall(leave_zeros(path));
  PetscCall(short_record(path));
  PetscCall(refuse_texts(path));
  return refuse_requests(path);
}

CLAIM("the waves of a DART gauge are what its tide leaves, or the text is refused", 0, run)
