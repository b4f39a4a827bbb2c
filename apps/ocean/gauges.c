/* SPDX-License-Identifier: BSD-2-Clause */
/* Gauges: files joined, and written. */
#include "gauges_private.h"
#include <halograd/file.h>
#include <halograd/memory.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* All times of `files` tables, each once. */
static PetscErrorCode all_times(MPI_Comm comm, int files, HgObservations *const o[], int *count,
                                double **time) {
  int64_t sum = 0;
  for (int f = 0; f < files; f++) sum += o[f]->times;
  HgRequire(comm, sum <= HG_OBSERVATIONS_LARGEST, HG_ERR_DATA,
            "gauges: %lld times in %d files, expected at most %d", (long long)sum, files,
            HG_OBSERVATIONS_LARGEST);
  PetscCall(PetscMalloc1(sum, time));
  int n = 0;
  for (int f = 0; f < files; f++)
    for (int k = 0; k < o[f]->times; k++) (*time)[n++] = o[f]->time[k];
  qsort(*time, (size_t)n, sizeof **time, compare);
  *count = 0;
  for (int k = 0; k < n; k++)
    if (!k || (*time)[k] > (*time)[*count - 1]) (*time)[(*count)++] = (*time)[k];
  return 0;
}

/* One table of all sensors at all times: where a file has no row, its sensors have no value. */
static PetscErrorCode join(MPI_Comm comm, const char paths[], int files, HgObservations *const o[],
                           HgObservations **joined) {
  int times = 0, first = 0, sensors = 0;
  double *time;
  for (int f = 0; f < files; f++) {
    HgRequire(comm, o[f]->sensors <= HG_OBSERVATIONS_LARGEST - sensors, HG_ERR_DATA,
              "gauges '%s': more than %d in %d files", paths, HG_OBSERVATIONS_LARGEST, files);
    sensors += o[f]->sensors;
  }
  PetscCall(all_times(comm, files, o, &times, &time));
  PetscErrorCode ierr =
      HgInputRequire(comm, paths, "the joined table", 0, HgObservationsBytes(times, sensors));
  if (!ierr) ierr = HgObservationsCreate(comm, "eta", "m", times, sensors, joined);
  for (int f = 0; !ierr && f < files; first += o[f++]->sensors) {
    HgObservations *j = *joined;
    j->degrees = o[f]->degrees;
    memcpy(j->time, time, sizeof *time * (size_t)times);
    memcpy(j->x + first, o[f]->x, sizeof(double) * (size_t)o[f]->sensors);
    memcpy(j->y + first, o[f]->y, sizeof(double) * (size_t)o[f]->sensors);
    memcpy(j->label + first, o[f]->label, sizeof *j->label * (size_t)o[f]->sensors);
    for (int n = 0, row = 0; n < times; n++) {
      const bool there = row < o[f]->times && o[f]->time[row] == time[n];
      for (int k = 0; k < o[f]->sensors; k++) {
        const int from = row * o[f]->sensors + k, to = n * sensors + first + k;
        j->value[to] = there ? o[f]->value[from] : 0;
        j->sigma[to] = there ? o[f]->sigma[from] : INFINITY;
      }
      row += there;
    }
  }
  PetscCall(PetscFree(time));
  return ierr;
}

/* A gauge's place, or its value at a time. */
typedef struct {
  double x, y, value;
  int sensor;
} Reading;

static int by_place(const void *a, const void *b) {
  const Reading *g = a, *h = b;
  const int along_x = compare(&g->x, &h->x), along_y = compare(&g->y, &h->y);
  return along_x ? along_x : along_y ? along_y : compare(&g->value, &h->value);
}

/* `count` gauges at one place: the first two that say the same at time n; NULL: there are none. */
static const Reading *same_twice(const HgObservations *o, int n, int count, Reading gauge[],
                                 Reading said[]) {
  int values = 0;
  for (int k = 0; k < count; k++) {
    const int at = n * o->sensors + gauge[k].sensor;
    if (isinf(o->sigma[at])) continue;
    said[values] = gauge[k];
    said[values++].value = o->value[at];
  }
  qsort(said, (size_t)values, sizeof *said, by_place);
  for (int k = 1; k < values; k++)
    if (said[k - 1].value == said[k].value) return &said[k];
  return NULL;
}

/* A file given twice would count twice: no two gauges of a joined table at one place say the same
   at the same time. */
static PetscErrorCode require_once(MPI_Comm comm, const char paths[], const HgObservations *o) {
  Reading *gauge, *said;
  const Reading *twice = NULL;
  double when = 0;
  PetscCall(PetscMalloc2(o->sensors, &gauge, o->sensors, &said));
  for (int k = 0; k < o->sensors; k++) gauge[k] = (Reading){o->x[k], o->y[k], 0, k};
  qsort(gauge, (size_t)o->sensors, sizeof *gauge, by_place);
  for (int first = 0, end; first < o->sensors && !twice; first = end) {
    for (end = first + 1; end < o->sensors && !by_place(&gauge[first], &gauge[end]);) end++;
    for (int n = 0; end - first > 1 && n < o->times && !twice; n++) {
      twice = same_twice(o, n, end - first, gauge + first, said);
      when = o->time[n];
    }
  }
  const Reading found = twice ? *twice : gauge[0];
  const PetscErrorCode ierr =
      twice ? HgError(
                  comm, HG_ERR_DATA,
                  "gauges '%s': two at (%g, %g) both say %g m at %g s, expected each reading once",
                  paths, found.x, found.y, found.value, when)
            : 0;
  PetscCall(PetscFree2(gauge, said));
  return ierr;
}

PetscErrorCode HgGaugesRead(MPI_Comm comm, const char paths[], bool degrees, double sigma,
                            HgObservations **observations) {
  int files = 0, read = 0;
  char **path = NULL;
  HgObservations **file;
  *observations = NULL;
  HgRequire(comm, isfinite(sigma) && sigma > 0, HG_ERR_DATA,
            "gauges '%s': standard deviation %g m, expected a finite number above 0", paths, sigma);
  PetscCall(PetscStrToArray(paths, ',', &files, &path));
  PetscCall(PetscCalloc1(files + 1, &file));
  PetscErrorCode ierr =
      files ? 0
            : HgError(comm, HG_ERR_DATA,
                      "gauges: '%s' names no file, expected names between commas", paths);
  while (!ierr && read < files) {
    ierr = HgGaugesReadFile(comm, path[read], degrees, sigma, &file[read]);
    read++;
  }
  if (!ierr && files == 1) *observations = file[0], file[0] = NULL;
  else if (!ierr) ierr = join(comm, paths, files, file, observations);
  if (!ierr && files > 1) ierr = require_once(comm, paths, *observations);
  if (ierr) PetscCall(HgObservationsDestroy(observations));
  for (int f = 0; f < files; f++) PetscCall(HgObservationsDestroy(&file[f]));
  PetscCall(PetscFree(file));
  PetscCall(PetscStrToArrayDestroy(files, path));
  return ierr;
}

static const char *name_of(const char *const names[], int k, char number[16]) {
  snprintf(number, 16, "%d", k + 1);
  return names ? names[k] : number;
}

static char *build_text(const HgObservations *o, double sigma, const char *const names[],
                        const HgNote notes[], size_t *size) {
  char number[16];
  char *text = NULL;
  FILE *file = open_memstream(&text, size);
  if (!file) return NULL;
  for (const HgNote *note = notes; note && note->attribute; note++) {
    fprintf(file, "# %s: ", note->attribute);
    for (const char *c = note->text; *c; c++) fputc(*c < ' ' ? ' ' : *c, file);
    fputc('\n', file);
  }
  for (int k = 0; k < o->sensors; k++)
    fprintf(file, "# gauge %s x %.17g y %.17g [%s]\n", name_of(names, k, number), o->x[k], o->y[k],
            HgObservationsPlaceUnit(o));
  fprintf(file, "# sigma %.17g [m]\ntime [s]", sigma);
  for (int k = 0; k < o->sensors; k++) fprintf(file, ",gauge %s [m]", name_of(names, k, number));
  for (int n = 0; n < o->times; n++) {
    fprintf(file, "\n%.17g", o->time[n]);
    for (int k = n * o->sensors; k < (n + 1) * o->sensors; k++)
      if (isinf(o->sigma[k])) fputc(',', file);
      else fprintf(file, ",%.17g", o->value[k]);
  }
  fputc('\n', file);
  const bool right = !ferror(file);
  if (!fclose(file) && right) return text;
  free(text);
  return NULL;
}

/* A word of the line that places the gauge. */
static bool is_name(const char name[]) {
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c <= ' ' || *c == 127 || *c == ',') return false;
  return *name && strlen(name) < 32;
}

PetscErrorCode HgGaugesWrite(MPI_Comm comm, const char path[], const HgObservations *o,
                             const char *const names[], const HgNote notes[]) {
  char problem[1200] = "";
  size_t size = 0;
  double sigma = 0;
  int rank, k = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  HgRequire(comm, !strcmp(o->name, "eta") && !strcmp(o->unit, "m"), HG_ERR_FILE_FORMAT,
            "file '%s': observations of '%s' [%s], expected 'eta' [m]", path, o->name, o->unit);
  HgRequire(comm, HgObservationsSound(o, true, path, problem, sizeof problem), HG_ERR_FILE_FORMAT,
            "%s", problem);
  for (int g = 0; names && g < o->sensors; g++)
    HgRequire(comm, is_name(names[g]), HG_ERR_FILE_FORMAT,
              "file '%s': a gauge is called '%s', expected 1 to 31 characters without blanks and "
              "commas",
              path, names[g]);
  while (k < o->times * o->sensors && (isinf(o->sigma[k]) || sigma == 0 || o->sigma[k] == sigma)) {
    if (!isinf(o->sigma[k])) sigma = o->sigma[k];
    k++;
  }
  HgRequire(comm, k == o->times * o->sensors, HG_ERR_FILE_FORMAT,
            "file '%s': standard deviations of %g and %g m, expected one for all values", path,
            sigma, o->sigma[k]);
  HgRequire(comm, sigma > 0, HG_ERR_FILE_FORMAT, "file '%s': observations without any value", path);
  char *text = rank ? NULL : build_text(o, sigma, names, notes, &size);
  PetscErrorCode ierr =
      HgAgree(comm, !rank && !text, HG_ERR_MEMORY, "file '%s': no memory for its text", path);
  if (!ierr) ierr = HgFileWrite(comm, path, text, size);
  free(text);
  return ierr;
}
