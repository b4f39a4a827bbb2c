/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey.h"
#include <halograd/memory.h>
#include <halograd/table.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- lines ---- */

static const double depth_of_lines = 30; /* of shots and receivers [m] */

/* Between the sponges [m]. */
static double inner(double size) { return size - 2 * EARTH_SPONGE; }

/* Place k of `count`, from 0 to 1. */
static double fraction(int k, int count) { return count > 1 ? k / (count - 1.0) : 0.5; }

static double on_line(int k, int count) {
  return EARTH_SPONGE + inner(EarthGet()->width) * fraction(k, count);
}

PetscErrorCode SurveyLines(int shots, int receivers, bool levels, Survey *s) {
  const double along = inner(EarthGet()->width), across = inner(EarthGet()->across);
  const int lines = levels ? (int)fmax(1, round(receivers * across / along)) : 1;
  *s = (Survey){.shots = shots, .spreads = 1, .wavelets = 1};
  PetscCall(PetscCalloc1(shots, &s->shot));
  PetscCall(PetscCalloc1(1, &s->spread));
  PetscCall(PetscCalloc1(1, &s->wavelet));
  PetscCall(PetscMalloc1(receivers * lines, &s->receiver));
  for (int e = 0; e < shots; e++)
    s->shot[e].place =
        (SurveyPlace){on_line(e, shots), levels ? (e % 2 - 0.5) * 0.5 * across : 0, depth_of_lines};
  for (int k = 0; k < receivers * lines; k++)
    s->receiver[k] = (SurveyPlace){on_line(k % receivers, receivers),
                                   across * (fraction(k / receivers, lines) - 0.5), depth_of_lines};
  s->spread[0] = (SurveySpread){receivers * lines, s->receiver};
  return 0;
}

/* ---- a table ---- */

enum { LARGEST_FILE = 1 << 28 };

typedef struct {
  MPI_Comm comm;
  const char *path;
  int line;
  bool levels, recorded, fresh; /* fresh: the row before was a shot */
  int receivers;
  char (*names)[HG_PATH_SIZE]; /* of wavelets, but for the first one */
} Table;

static PetscErrorCode read_titles(const Table *t, const char line[]) {
  const char *const expected =
      t->levels ? "kind,x [m],y [m],depth [m],wavelet" : "kind,x [m],depth [m],wavelet";
  HgRequire(t->comm, !strcmp(line, expected), HG_ERR_FILE_FORMAT,
            "file '%s', line %d: '%.80s', expected the titles '%s'", t->path, t->line, line,
            expected);
  return 0;
}

static PetscErrorCode read_place(const Table *t, char **rest, SurveyPlace *place) {
  const Earth *const e = EarthGet();

  const struct {
    const char *title;
    double least, most, *number;
  } column[] = {{"x [m]", 0, e->width, &place->x},
                {"y [m]", -0.5 * e->across, 0.5 * e->across, &place->y},
                {"depth [m]", 0, e->depth, &place->depth}};

  place->y = 0;
  for (int k = 0; k < 3; k++) {
    if (k == 1 && !t->levels) continue;
    const char *const cell = HgTableCell(rest);
    HgRequire(t->comm,
              cell && HgTableNumber(cell, column[k].most, column[k].number) &&
                  *column[k].number >= column[k].least,
              HG_ERR_FILE_FORMAT,
              "file '%s', line %d: %s is '%.40s', expected a decimal number from %g to %g", t->path,
              t->line, column[k].title, cell ? cell : "", column[k].least, column[k].most);
  }
  return 0;
}

/* The file lies in the folder of the table. */
static PetscErrorCode read_wavelet(Table *t, const char name[], Survey *s, int *which) {
  const char *const slash = *name == '/' ? NULL : strrchr(t->path, '/');
  char path[2 * HG_PATH_SIZE];
  for (*which = 1; *which < s->wavelets; ++*which)
    if (!strcmp(name, t->names[*which])) return 0;
  HgRequire(t->comm, strlen(name) < HG_PATH_SIZE, HG_ERR_FILE_NAME,
            "file '%s', line %d: a wavelet's name of %zu characters, expected at most %d", t->path,
            t->line, strlen(name), HG_PATH_SIZE - 1);
  snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - t->path) + 1 : 0, t->path, name);
  PetscCall(PetscRealloc(sizeof *t->names * (size_t)(*which + 1), &t->names));
  PetscCall(PetscRealloc(sizeof *s->wavelet * (size_t)(*which + 1), &s->wavelet));
  PetscCall(PetscStrncpy(t->names[*which], name, HG_PATH_SIZE));
  PetscCall(WaveletRead(t->comm, path, &s->wavelet[*which]));
  s->wavelets++;
  return 0;
}

static PetscErrorCode add_shot(Table *t, SurveyPlace place, const char wavelet[], Survey *s) {
  HgRequire(t->comm, s->shots < SURVEY_MOST, HG_ERR_FILE_FORMAT,
            "file '%s', line %d: more than %d shots", t->path, t->line, SURVEY_MOST);
  HgRequire(t->comm, t->recorded || !s->shots || s->spreads, HG_ERR_FILE_FORMAT,
            "file '%s', line %d: the shot before this one has no receivers, expected lines "
            "'receiver,...' below the first shot",
            t->path, t->line);
  s->shot[s->shots] = (SurveyShot){.place = place, .spread = s->spreads - 1};
  if (*wavelet) PetscCall(read_wavelet(t, wavelet, s, &s->shot[s->shots].wavelet));
  s->shots++;
  t->fresh = true;
  return 0;
}

/* The first one behind a shot begins a spread. */
static PetscErrorCode add_receiver(Table *t, SurveyPlace place, const char wavelet[], Survey *s) {
  HgRequire(t->comm, s->shots, HG_ERR_FILE_FORMAT,
            "file '%s', line %d: a receiver before the first shot", t->path, t->line);
  HgRequire(t->comm, !*wavelet, HG_ERR_FILE_FORMAT,
            "file '%s', line %d: a receiver with the wavelet '%.80s', expected none", t->path,
            t->line, wavelet);
  if (t->fresh) {
    s->spread[s->spreads] = (SurveySpread){0, &s->receiver[t->receivers]};
    s->shot[s->shots - 1].spread = s->spreads++;
    t->fresh = false;
  }
  s->spread[s->spreads - 1].count++;
  s->receiver[t->receivers++] = place;
  return 0;
}

static PetscErrorCode read_row(Table *t, char line[], Survey *s) {
  char *rest = line;
  SurveyPlace place;
  const char *const kind = HgTableCell(&rest);
  const bool shot = !strcmp(kind, "shot");
  HgRequire(t->comm, shot || !strcmp(kind, "receiver"), HG_ERR_FILE_FORMAT,
            "file '%s', line %d: '%.40s', expected a shot or a receiver", t->path, t->line, kind);
  PetscCall(read_place(t, &rest, &place));
  const char *const wavelet = HgTableCell(&rest);
  HgRequire(t->comm, wavelet && !rest, HG_ERR_FILE_FORMAT,
            "file '%s', line %d: expected %d cells between commas, the last one of a wavelet, or "
            "empty",
            t->path, t->line, t->levels ? 5 : 4);
  return shot ? add_shot(t, place, wavelet, s) : add_receiver(t, place, wavelet, s);
}

static PetscErrorCode read_all(Table *t, char *text, Survey *s) {
  const int rows = HgTableRows(text);
  bool titled = false;
  PetscCall(
      HgInputRequire(t->comm, t->path, "its table", 8.0 * rows,
                     (double)rows * (sizeof *s->shot + sizeof *s->spread + sizeof *s->receiver)));
  PetscCall(PetscCalloc1(rows, &s->shot));
  PetscCall(PetscCalloc1(rows, &s->spread));
  PetscCall(PetscMalloc1(rows, &s->receiver));
  for (char *line; (line = HgTableLine(&text, &t->line));) {
    if (!*line || *line == '#') continue;
    PetscCall(titled ? read_row(t, line, s) : read_titles(t, line));
    titled = true;
  }
  HgRequire(t->comm, s->shots && (t->recorded || s->spreads), HG_ERR_FILE_FORMAT,
            "file '%s': %d shots and no receivers, expected at least one of each", t->path,
            s->shots);
  return 0;
}

PetscErrorCode SurveyTable(MPI_Comm comm, const char path[], bool levels, bool recorded,
                           Survey *s) {
  Table t = {.comm = comm, .path = path, .levels = levels, .recorded = recorded};
  char *text, *begin;
  *s = (Survey){.wavelets = 1};
  PetscCall(PetscCalloc1(1, &s->wavelet));
  PetscCall(HgTableRead(comm, path, LARGEST_FILE, "a table of shots", &text, &begin));
  const PetscErrorCode ierr = read_all(&t, begin, s);
  PetscCall(PetscFree(t.names));
  PetscCall(PetscFree(text));
  return ierr;
}

PetscErrorCode SurveyDestroy(Survey *s) {
  for (int k = 0; k < s->wavelets; k++) PetscCall(WaveletDestroy(&s->wavelet[k]));
  PetscCall(PetscFree(s->shot));
  PetscCall(PetscFree(s->spread));
  PetscCall(PetscFree(s->receiver));
  return PetscFree(s->wavelet);
}
