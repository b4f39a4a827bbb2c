/* SPDX-License-Identifier: BSD-2-Clause */
#include "wavelet.h"
#include <halograd/memory.h>
#include <halograd/table.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double longest = 1e6, largest = 1e30; /* times [s] and values */

static PetscErrorCode read_row(MPI_Comm comm, const char path[], int line, char text[],
                               Wavelet *w) {
  char *rest = text;
  const char *const time = HgTableCell(&rest), *const value = HgTableCell(&rest);
  const int k = w->samples;
  HgRequire(comm,
            !rest && value && HgTableNumber(time, longest, &w->time[k]) &&
                HgTableNumber(value, largest, &w->value[k]),
            HG_ERR_FILE_FORMAT,
            "file '%s', line %d: expected two finite decimal numbers, TIME,VALUE", path, line);
  HgRequire(comm, !k || w->time[k] > w->time[k - 1], HG_ERR_FILE_FORMAT,
            "file '%s', line %d: time %g s does not come after %g s of the row before", path, line,
            w->time[k], w->time[k - 1]);
  w->samples++;
  return 0;
}

static PetscErrorCode read_all(MPI_Comm comm, const char path[], char text[], Wavelet *w) {
  static const char titles[] = "time [s],wavelet [1]";
  const int rows = HgTableRows(text);
  int line = 0;
  bool titled = false;
  HgRequire(comm, rows >= 3, HG_ERR_FILE_FORMAT,
            "file '%s': %d lines that are no comments, expected titles and at least 2 rows", path,
            rows);
  PetscCall(HgInputRequire(comm, path, "its table", 4.0 * rows, 16.0 * rows));
  PetscCall(PetscMalloc2(rows, &w->time, rows, &w->value));
  for (char *row; (row = HgTableLine(&text, &line));) {
    if (!*row || *row == '#') continue;
    if (titled) PetscCall(read_row(comm, path, line, row, w));
    else
      HgRequire(comm, !strcmp(row, titles), HG_ERR_FILE_FORMAT,
                "file '%s', line %d: '%.80s', expected the titles '%s'", path, line, row, titles);
    titled = true;
  }
  return 0;
}

PetscErrorCode WaveletRead(MPI_Comm comm, const char path[], Wavelet *w) {
  enum { LARGEST_FILE = 1 << 26 };

  char *text, *begin;
  *w = (Wavelet){.samples = 0};
  PetscCall(HgTableRead(comm, path, LARGEST_FILE, "a table of a wavelet", &text, &begin));
  const PetscErrorCode ierr = read_all(comm, path, begin, w);
  PetscCall(PetscFree(text));
  return ierr;
}

PetscErrorCode WaveletDestroy(Wavelet *w) { return PetscFree2(w->time, w->value); }

/* (1 - 2 a) exp(-a), a = (pi g (t - 1.2 / g))^2. Its spectrum has its peak at g and half of it at
   0.47 g and at 1.64 g. */
static double ricker(double frequency, double t) {
  const double phase = PETSC_PI * (frequency / 1.64 * t - 1.2), a = phase * phase;
  return (1 - 2 * a) * exp(-a);
}

/* *k, from 0 on: the sample before t, of times that grow from call to call or begin anew. */
static double at(const Wavelet *w, double t, int *k) {
  if (t < w->time[0] || t > w->time[w->samples - 1]) return 0;
  if (w->time[*k] > t) *k = 0;
  while (*k < w->samples - 2 && w->time[*k + 1] < t) ++*k;
  const double part = (t - w->time[*k]) / (w->time[*k + 1] - w->time[*k]);
  return w->value[*k] + part * (w->value[*k + 1] - w->value[*k]);
}

/* A factor exp(-(2 pi f width)^2 / 2) of the spectrum. */
double WaveletWidth(double frequency) { return sqrt(2 * log(2)) / (2 * PETSC_PI * frequency); }

static double smooth(const Wavelet *w, double width, double dt, double t) {
  const int reach = (int)ceil(WAVELET_REACH * width / dt);
  double sum = 0, weights = 0;
  for (int n = -reach, k = 0; n <= reach; n++) {
    const double weight = exp(-0.5 * pow(n * dt / width, 2));
    sum += weight * at(w, t + n * dt, &k), weights += weight;
  }
  return sum / weights;
}

void WaveletSample(const Wavelet *w, double frequency, double dt, long count, double out[]) {
  const double width = frequency > 0 ? WaveletWidth(frequency) : 0;
  int k = 0;
  for (long n = 0; n < count; n++) {
    const double t = (double)n * dt;
    if (!w->samples) out[n] = ricker(frequency, t);
    else out[n] = width > 0 ? smooth(w, width, dt, t - WAVELET_REACH * width) : at(w, t, &k);
  }
}
