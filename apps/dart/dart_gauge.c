/* SPDX-License-Identifier: BSD-2-Clause */
/* dart_gauge: what an ocean-bottom gauge of NOAA measured (DART, as the National Data Buoy Center
   keeps it) without the tide, as a table of gauges for tohoku_inverse. */
#include <halograd/dart.h>
#include <halograd/file.h>
#include <halograd/gauges.h>
#include <halograd/run.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  char raw[8 * HG_PATH_SIZE], table[HG_PATH_SIZE], origin[32], name[32];
  HgDart dart;
} Input;

/* A record counts once, and the table overwrites none. */
static PetscErrorCode require_others(const Input *in) {
  int files;
  char **file;
  const char *twice = "";
  bool same = false;
  PetscCall(PetscStrToArray(in->raw, ',', &files, &file));
  for (int k = 0; k < files; k++) {
    same = same || HgFileSame(file[k], in->table);
    for (int l = 0; l < k; l++)
      if (HgFileSame(file[k], file[l])) twice = file[k];
  }
  PetscErrorCode ierr =
      HgAgree(PETSC_COMM_WORLD, same, HG_ERR_OPTION_CONFLICT,
              "option -table: '%s' is the file of -raw, expected another", in->table);
  if (!ierr)
    ierr = HgAgree(PETSC_COMM_WORLD, *twice, HG_ERR_OPTION_RANGE,
                   "option -raw: '%s' is given twice, expected every file once", twice);
  PetscCall(PetscStrToArrayDestroy(files, file));
  return ierr;
}

/* 1. What cannot be guessed is asked for: which gauge, where it is, when the earthquake was. */
static PetscErrorCode read_input(Input *in) {
  static const char *const asked[] = {"-raw",      "-gauge",       "-longitude",
                                      "-latitude", "-origin_time", "-table"};
  HgDart *const d = &in->dart;
  HgOptions o;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "dart_gauge",
                            "takes the tide from what a gauge on the ocean's floor measured", &o));
  PetscCall(HgOptionsString(
      o, "-raw",
      "files with heights of the water column, in NDBC's text format, separated by commas",
      sizeof in->raw, in->raw));
  PetscCall(
      HgOptionsString(o, "-gauge", "name of the gauge, such as 21418", sizeof in->name, in->name));
  PetscCall(HgOptionsReal(o, "-longitude", "longitude of the gauge, positive to the east",
                          "degrees", "[-360, 360]", &d->longitude));
  PetscCall(HgOptionsReal(o, "-latitude", "latitude of the gauge, positive to the north", "degrees",
                          "[-90, 90]", &d->latitude));
  PetscCall(HgOptionsString(o, "-origin_time",
                            "origin time of the earthquake in UTC, such as 2011-03-11T05:46:24",
                            sizeof in->origin, in->origin));
  PetscCall(HgOptionsInt(o, "-degree", "degree of the polynomial in time that fits the tide", "", 0,
                         HG_DART_DEGREE, &d->degree));
  PetscCall(HgOptionsReal(o, "-before",
                          "time before the origin time from which readings tell the tide", "s",
                          "[0, 1e8]", &d->before));
  PetscCall(HgOptionsReal(o, "-after",
                          "time after the origin time until which readings tell the tide", "s",
                          "[0, 1e8]", &d->after));
  PetscCall(HgOptionsReal(o, "-last", "time after the origin time of the last reading to keep", "s",
                          "[0, 1e8]", &d->last));
  PetscCall(HgOptionsInt(o, "-every", "keep readings at multiples of this time, in UTC", "s", 1,
                         86400, &d->every));
  PetscCall(HgOptionsReal(o, "-sigma", "standard deviation of every reading", "m", "[1e-6, 1e6]",
                          &d->sigma));
  PetscCall(HgOptionsFlag(
      o, "-equal_weights",
      "fit the tide with equal weights, not with the time that each reading stands for",
      &d->equal));
  PetscCall(HgOptionsString(o, "-table", "table to write", HG_PATH_SIZE, in->table));
  PetscCall(HgOptionsEnd(o));
  for (int k = 0; k < 6; k++)
    HgRequire(PETSC_COMM_WORLD, HgOptionsGiven(o, asked[k]), HG_ERR_OPTION_CONFLICT,
              "option %s: not given, expected all of -raw, -gauge, -longitude, -latitude, "
              "-origin_time and -table",
              asked[k]);
  d->origin = in->origin;
  HgRequire(PETSC_COMM_WORLD, !strchr(in->table, ','), HG_ERR_OPTION_RANGE,
            "option -table: '%s', expected a name without commas, which tohoku_inverse takes for "
            "several",
            in->table);
  return require_others(in);
}

static PetscErrorCode dart_gauge(void) {
  Input in = {.dart = {.before = 43200,
                       .after = 129600,
                       .degree = 15,
                       .last = 43200,
                       .every = 60,
                       .sigma = 0.03}};
  HgObservations *waves;
  char tide[128], peak[64];
  int zeros;
  PetscCall(read_input(&in));

  /* 2. Heights less the tide, eta = height - p(t). */
  PetscCall(HgDartRead(PETSC_COMM_WORLD, in.raw, &in.dart, &zeros, &waves));
  if (zeros)
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "gauge %s: %d heights of 0 m left out\n", in.name, zeros));

  /* 3. The table, which says how it was made. */
  snprintf(tide, sizeof tide,
           "least-squares polynomial of degree %d from %g s before to %g s after%s", in.dart.degree,
           in.dart.before, in.dart.after, in.dart.equal ? ", equal weights" : "");
  PetscCall(HgGaugesWrite(PETSC_COMM_WORLD, in.table, waves, (const char *const[]){in.name},
                          (HgNote[]){{"seconds after", in.origin}, {"tide", tide}, {NULL, NULL}}));
  int highest = 0;
  for (int n = 0; n < waves->times; n++)
    if (waves->value[n] > waves->value[highest]) highest = n;
  snprintf(peak, sizeof peak, "%.4f m at %.0f s", waves->value[highest], waves->time[highest]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "gauge %s: %d readings in %s, the highest %s\n", in.name,
                        waves->times, in.table, peak));
  return HgObservationsDestroy(&waves);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "dart_gauge: the waves in what a DART gauge measured\n", dart_gauge);
}
