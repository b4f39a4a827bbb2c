/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of subfaults: every rank parses the same text, so that every rank comes to the same
   subfaults or to the same sentence. */
#include <halograd/subfaults.h>
#include <halograd/table.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_FILE = 1 << 24, LARGEST_COUNT = 4096 };

/* The columns after the name; `slip` repeats. */
enum { LONGITUDE, LATITUDE, DEPTH, LENGTH, WIDTH, STRIKE, DIP, RAKE, START, SLIP, COLUMNS };

static const struct {
  const char *title;
  double least, most;
} columns[COLUMNS] = {
    [LONGITUDE] = {"longitude [degrees]", -360, 360},
    [LATITUDE] = {"latitude [degrees]", -90, 90},
    [DEPTH] = {"depth [km]", 0, 1000},
    [LENGTH] = {"length [km]", 1e-3, 5000},
    [WIDTH] = {"width [km]", 1e-3, 1000},
    [STRIKE] = {"strike [degrees]", -360, 360},
    [DIP] = {"dip [degrees]", 0, 90},
    [RAKE] = {"rake [degrees]", -360, 360},
    [START] = {"start [s]", 0, 1e5},
    [SLIP] = {"slip [m]", -1000, 1000},
};

typedef struct {
  MPI_Comm comm;
  const char *path;
  int line;
  bool window; /* it was given */
} Place;

static PetscErrorCode read_comment(Place *at, const char text[], HgSubfaults *s) {
  int end = -1;
  if (!HgTableSets(text, "window")) return 0;
  HgRequire(at->comm, s->count < 0, HG_ERR_FILE_FORMAT,
            "file '%s', line %d: '%.80s' below the titles, expected above", at->path, at->line,
            text);
  HgRequire(at->comm, !at->window, HG_ERR_FILE_FORMAT,
            "file '%s', line %d: '%.80s', but there was a '# window' before", at->path, at->line,
            text);
  at->window = true;
  HgRequire(at->comm,
            sscanf(text, "# window %lf [s]%n", &s->window, &end) == 1 && end == (int)strlen(text) &&
                s->window >= 0 && s->window <= 1e5,
            HG_ERR_FILE_FORMAT,
            "file '%s', line %d: '%.80s', expected '# window NUMBER [s]' from 0 to 100000 s",
            at->path, at->line, text);
  return 0;
}

static PetscErrorCode read_titles(const Place *at, char line[], HgSubfaults *s) {
  char *rest = line;
  for (int c = -1;; c++) {
    const char *title = HgTableCell(&rest),
               *expected = c < 0 ? "name" : columns[PetscMin(c, SLIP)].title;
    if (!title && c > SLIP) break;
    HgRequire(at->comm, title && !strcmp(title, expected), HG_ERR_FILE_FORMAT,
              "file '%s', line %d: column %d is '%.80s', expected '%s'", at->path, at->line, c + 2,
              title ? title : "", expected);
    s->windows = c - SLIP + 1;
  }
  HgRequire(at->comm, s->windows <= HG_SUBFAULT_WINDOWS, HG_ERR_FILE_FORMAT,
            "file '%s', line %d: %d columns of slip, expected at most %d", at->path, at->line,
            s->windows, HG_SUBFAULT_WINDOWS);
  return 0;
}

static PetscErrorCode read_name(const Place *at, const char name[], const HgSubfaults *s, int row,
                                char to[HG_SUBFAULT_NAME]) {
  HgRequire(at->comm, *name && strlen(name) < HG_SUBFAULT_NAME, HG_ERR_FILE_FORMAT,
            "file '%s', line %d: name '%.40s', expected 1 to %d characters", at->path, at->line,
            name, HG_SUBFAULT_NAME - 1);
  for (int k = 0; k < row; k++)
    HgRequire(at->comm, strcmp(name, s->fault[k].name), HG_ERR_FILE_FORMAT,
              "file '%s', line %d: subfault '%s' was given before", at->path, at->line, name);
  return PetscStrncpy(to, name, HG_SUBFAULT_NAME);
}

static PetscErrorCode read_row(const Place *at, char line[], HgSubfaults *s, int row) {
  double number[SLIP + HG_SUBFAULT_WINDOWS];
  HgSubfault *f = &s->fault[row];
  char *rest = line;
  PetscCall(read_name(at, HgTableCell(&rest), s, row, f->name));
  for (int c = 0; c < SLIP + s->windows; c++) {
    const char *cell = HgTableCell(&rest);
    const int kind = PetscMin(c, SLIP);
    HgRequire(at->comm,
              cell && HgTableNumber(cell, 1e5, &number[c]) && number[c] >= columns[kind].least &&
                  number[c] <= columns[kind].most,
              HG_ERR_FILE_FORMAT,
              "file '%s', line %d: column %d, %s, is '%.40s', expected a decimal number from %g to "
              "%g",
              at->path, at->line, c + 2, columns[kind].title, cell ? cell : "", columns[kind].least,
              columns[kind].most);
  }
  HgRequire(at->comm, !HgTableCell(&rest), HG_ERR_FILE_FORMAT,
            "file '%s', line %d: more than %d columns", at->path, at->line, 1 + SLIP + s->windows);

  f->longitude = number[LONGITUDE], f->latitude = number[LATITUDE];
  f->strike = number[STRIKE], f->rake = number[RAKE], f->start = number[START];
  f->fault = (HgOkadaFault){
      .length = 1e3 * number[LENGTH], .width = 1e3 * number[WIDTH], .dip = number[DIP]};
  f->fault.depth = 1e3 * number[DEPTH] + f->fault.width * sin(number[DIP] * (PETSC_PI / 180));
  for (int w = 0; w < s->windows; w++) f->slip[w] = number[SLIP + w];
  return 0;
}

static PetscErrorCode read_all(Place *at, char *text, HgSubfaults *s) {
  const int lines = HgTableRows(text);
  char *line;
  HgRequire(at->comm, lines >= 2 && lines <= LARGEST_COUNT, HG_ERR_FILE_FORMAT,
            "file '%s': %d lines that are no comments, expected titles and 1 to %d subfaults",
            at->path, lines, LARGEST_COUNT - 1);
  PetscCall(PetscCalloc1(lines - 1, &s->fault));
  for (s->count = -1; (line = HgTableLine(&text, &at->line));) {
    if (!*line) continue;
    if (*line == '#') PetscCall(read_comment(at, line, s));
    else if (s->count < 0) PetscCall(read_titles(at, line, s));
    else PetscCall(read_row(at, line, s, s->count));
    s->count += *line != '#';
  }
  return 0;
}

PetscErrorCode HgSubfaultsRead(MPI_Comm comm, const char path[], HgSubfaults **subfaults) {
  Place at = {.comm = comm, .path = path};
  char *text, *begin;
  *subfaults = NULL;
  PetscCall(HgTableRead(comm, path, LARGEST_FILE, "a table of subfaults", &text, &begin));
  PetscCall(PetscCalloc1(1, subfaults));
  const PetscErrorCode ierr = read_all(&at, begin, *subfaults);
  if (ierr) PetscCall(HgSubfaultsDestroy(subfaults));
  PetscCall(PetscFree(text));
  return ierr;
}
