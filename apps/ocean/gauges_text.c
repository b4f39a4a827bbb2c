/* SPDX-License-Identifier: BSD-2-Clause */
/* One file of gauges: every rank parses the same text, so that every rank comes to the same
   observations or to the same sentence. */
#include "gauges_private.h"
#include <ctype.h>
#include <halograd/memory.h>
#include <halograd/table.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 32, LARGEST_FILE = 1 << 28 };

static const double longest = 1e12, highest = 1e6; /* times [s] and elevations [m] */

typedef struct {
  char name[NAME];
  double x, y; /* [m] or [degrees] */
  int line;
  bool has_column;
} Gauge;

typedef struct {
  MPI_Comm comm;
  const char *path;
  int line, gauges, room, columns; /* room: for gauges; columns: of elevations */
  Gauge *gauge;                    /* by name, once all are there */
  int *column;                     /* [columns] which gauge */
  bool degrees;                    /* places are to be in these, not in metres */
  double sigma;                    /* [m] */
  bool sigma_given;
  /* of a row: how many cells there are, in which are the time and the first elevation */
  int cells, time_cell, value_cell;
  bool geoclaw; /* one gauge as GeoClaw writes it, cells between blanks */
} Table;

static PetscErrorCode refuse(const Table *t, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

static PetscErrorCode refuse(const Table *t, const char format[], ...) {
  char why[512];
  va_list list;
  va_start(list, format);
  vsnprintf(why, sizeof why, format, list);
  va_end(list);
  return HgError(t->comm, HG_ERR_FILE_FORMAT, "file '%s', line %d: %s", t->path, t->line, why);
}

static char *next_cell(const Table *t, char **rest) {
  return t->geoclaw ? strtok_r(*rest, " \t\r", rest) : HgTableCell(rest);
}

static int by_name(const void *a, const void *b) {
  const Gauge *g = a, *h = b;
  const int order = strcmp(g->name, h->name);
  return order ? order : (g->line > h->line) - (g->line < h->line);
}

/* Sorts the gauges, each of which is to have a name of its own. */
static PetscErrorCode sort_gauges(Table *t) {
  const Gauge *again = NULL;
  if (t->gauges) qsort(t->gauge, (size_t)t->gauges, sizeof *t->gauge, by_name);
  for (int k = 1; k < t->gauges; k++)
    if (!strcmp(t->gauge[k - 1].name, t->gauge[k].name) &&
        (!again || t->gauge[k].line < again->line))
      again = &t->gauge[k];
  if (!again) return 0;
  t->line = again->line;
  return refuse(t, "gauge '%s' was placed before", again->name);
}

static int find_gauge(const Table *t, const char name[]) {
  int low = 0, high = t->gauges;
  while (low < high) {
    const int k = low + (high - low) / 2;
    if (strcmp(t->gauge[k].name, name) < 0) low = k + 1;
    else high = k;
  }
  return low < t->gauges && !strcmp(t->gauge[low].name, name) ? low : -1;
}

static PetscErrorCode add_gauge(Table *t, const char comment[]) {
  Gauge g = {.line = t->line};
  int end = -1;
  const int numbers = sscanf(comment, "# gauge %31s x %lf y %lf %n", g.name, &g.x, &g.y, &end);
  const char *const unit = numbers == 3 && end > 0 ? comment + end : "";
  const char *const wanted = t->degrees ? "[degrees]" : "[m]";
  if (strcmp(unit, wanted) || !isfinite(g.x) || !isfinite(g.y))
    return refuse(t, "'%.80s', expected '# gauge NAME x NUMBER y NUMBER %s'%s", comment, wanted,
                  t->degrees ? ", east and north" : "");
  if (t->geoclaw) return refuse(t, "'%.80s' in a file of one gauge, '# gauge_id='", comment);
  if (t->gauges == t->room) {
    t->room = 2 * t->room + 16;
    PetscCall(PetscRealloc(sizeof g * (size_t)t->room, &t->gauge));
  }
  t->gauge[t->gauges++] = g;
  return 0;
}

/* "# gauge_id= 1 location=( x y ) num_var= 4", then which of q there are before eta. */
static PetscErrorCode read_geoclaw(Table *t, const char comment[]) {
  static const char columns[] = "# level, time, q[";
  Gauge g = {.line = t->line};
  if (!strncmp(comment, "# gauge_id=", 11)) {
    if (sscanf(comment, "# gauge_id= %31s location=( %lf %lf ) %*[a-z_]= %d", g.name, &g.x, &g.y,
               &t->cells) != 4 ||
        !isfinite(g.x) || !isfinite(g.y) || t->cells < 1 || t->cells > 1000 || t->gauges)
      return refuse(t,
                    "'%.120s', expected one '# gauge_id= NAME location=( NUMBER NUMBER ) "
                    "num_var= NUMBER'",
                    comment);
    PetscCall(PetscMalloc1(1, &t->gauge));
    PetscCall(PetscCalloc1(1, &t->column));
    t->gauge[0] = g;
    t->geoclaw = true, t->gauges = t->columns = 1, t->time_cell = 1, t->cells += 2;
  } else if (t->geoclaw && !strncmp(comment, "# Columns: level time h", 23)) {
    t->value_cell = 5;
  } else if (t->geoclaw && !strncmp(comment, columns, strlen(columns))) {
    int q = 0;
    const char *list = comment + strlen(columns);
    for (char *end; (void)strtol(list, &end, 10), end > list; q++) list = end;
    while (isspace((unsigned char)*list)) list++;
    if (strncmp(list, "], eta", 6) && strncmp(list, "],  eta", 7))
      return refuse(t, "'%.120s', expected '# level, time, q[ 1 2 3 ], eta'", comment);
    t->value_cell = 2 + q;
  } else if (t->geoclaw && (strstr(comment, "Lagrangian") || strstr(comment, "binary")))
    return refuse(t, "'%.120s', expected a stationary gauge in ASCII", comment);
  return 0;
}

static PetscErrorCode read_comment(Table *t, const char comment[]) {
  int end = -1;
  if (HgTableSets(comment, "gauge")) return add_gauge(t, comment);
  if (!HgTableSets(comment, "sigma")) return read_geoclaw(t, comment);
  if (sscanf(comment, "# sigma %lf [m]%n", &t->sigma, &end) != 1 || end != (int)strlen(comment))
    return refuse(t, "'%.80s', expected '# sigma NUMBER [m]'", comment);
  if (t->sigma_given) return refuse(t, "'%.80s', but there was a '# sigma' before", comment);
  t->sigma_given = true;
  if (!(t->sigma > 0) || !isfinite(t->sigma) || !isfinite(1 / (t->sigma * t->sigma)) ||
      !isfinite(t->sigma * t->sigma))
    return refuse(t,
                  "standard deviation %g m, expected a number above 0 whose square and its inverse "
                  "are finite",
                  t->sigma);
  return 0;
}

/* "time [s],gauge NAME [m],...", or "time [s],elevation [m]" where there is one gauge. */
static PetscErrorCode read_titles(Table *t, char line[]) {
  char *rest = line;
  const char *title = next_cell(t, &rest);
  if (strcmp(title, "time [s]"))
    return refuse(t, "the first column is '%.80s', expected 'time [s]'", title);
  PetscCall(sort_gauges(t));
  PetscCall(PetscMalloc1(t->gauges + 1, &t->column));
  while ((title = next_cell(t, &rest))) {
    char name[NAME];
    int end = -1, found = -1;
    if (!strcmp(title, "elevation [m]") && t->gauges == 1) found = 0;
    else if (sscanf(title, "gauge %31s [m]%n", name, &end) == 1 && end == (int)strlen(title))
      found = find_gauge(t, name);
    else if (!strcmp(title, "elevation [m]"))
      return refuse(
          t,
          "column 'elevation [m]' and %d lines '# gauge NAME x NUMBER y NUMBER [m]' before "
          "it, expected 1",
          t->gauges);
    else return refuse(t, "column '%.80s', expected 'gauge NAME [m]' or 'elevation [m]'", title);
    if (found < 0)
      return refuse(t, "column '%.80s' without a line '# gauge %s x NUMBER y NUMBER [m]' before it",
                    title, name);
    if (t->gauge[found].has_column) return refuse(t, "column '%.80s' comes twice", title);
    t->gauge[found].has_column = true;
    t->column[t->columns++] = found;
  }
  for (int g = 0; g < t->gauges; g++)
    if (!t->gauge[g].has_column)
      return refuse(t, "there is no column of gauge '%s'", t->gauge[g].name);
  if (!t->columns) return refuse(t, "no column of elevations, expected 'gauge NAME [m]'");
  t->cells = 1 + t->columns, t->time_cell = 0, t->value_cell = 1;
  return 0;
}

static PetscErrorCode read_row(Table *t, char line[], int row, HgObservations *o) {
  char *rest = line;
  for (int c = 0; c < t->cells; c++) {
    const int k = c - t->value_cell;
    const char *cell = next_cell(t, &rest);
    double *number = c == t->time_cell          ? &o->time[row]
                     : k >= 0 && k < t->columns ? &o->value[row * t->columns + k]
                                                : NULL;
    if (!cell) return refuse(t, "%d columns, expected %d", c, t->cells);
    if (number && !*cell && c != t->time_cell) o->sigma[row * t->columns + k] = INFINITY;
    else if (number && !HgTableNumber(cell, c == t->time_cell ? longest : highest, number))
      return refuse(t, "column %d is '%.40s', expected a finite decimal number, %g %s at most",
                    c + 1, cell, c == t->time_cell ? longest : highest,
                    c == t->time_cell ? "s" : "m");
  }
  if (next_cell(t, &rest)) return refuse(t, "more than %d columns", t->cells);
  if (row && !(o->time[row] > o->time[row - 1]))
    return refuse(t, "time %.17g s %s %.17g s of the row before, expected increasing times",
                  o->time[row], o->time[row] < o->time[row - 1] ? "comes before" : "repeats",
                  o->time[row - 1]);
  return 0;
}

/* A row takes a digit, and a separator behind it and each of its elevations, which may be empty. */
static PetscErrorCode require_room(const Table *t, int rows) {
  char what[64];
  snprintf(what, sizeof what, "its table of %d x %d numbers", rows, t->columns);
  return HgInputRequire(t->comm, t->path, what, (double)rows * (t->columns + 1),
                        HgObservationsBytes(rows, t->columns));
}

/* What is set below the titles would have to hold for the rows above it, too. */
static PetscErrorCode refuse_setting(const Table *t, const char comment[]) {
  return HgTableSets(comment, "sigma") || HgTableSets(comment, "gauge")
             ? refuse(t, "'%.80s' below the titles, expected above", comment)
             : 0;
}

static PetscErrorCode read_table(Table *t, char *text, HgObservations **observations) {
  const int lines = HgTableRows(text);
  char *line;
  while ((line = HgTableLine(&text, &t->line)))
    if (*line == '#') PetscCall(read_comment(t, line));
    else if (*line) break;
  HgRequire(t->comm, line, HG_ERR_FILE_FORMAT,
            "file '%s': no columns, expected 'time [s],gauge NAME [m],...'", t->path);
  if (!t->geoclaw) PetscCall(read_titles(t, line));
  else if (t->value_cell < 2 || t->value_cell >= t->cells)
    return refuse(t,
                  "no line '# level, time, q[ 1 2 3 ], eta' before it says which of %d columns "
                  "is eta",
                  t->cells);
  const int rows = lines - !t->geoclaw;
  HgRequire(t->comm, rows, HG_ERR_FILE_FORMAT, "file '%s': no rows of numbers below the titles",
            t->path);
  PetscCall(require_room(t, rows));
  PetscCall(HgObservationsCreate(t->comm, "eta", "m", rows, t->columns, observations));
  HgObservations *o = *observations;
  o->degrees = t->degrees;
  const char *slash = strrchr(t->path, '/'), *file = slash ? slash + 1 : t->path;
  for (int k = 0; k < t->columns; k++) {
    snprintf(o->label[k], sizeof o->label[k], " (gauge '%s' of '%.40s')",
             t->gauge[t->column[k]].name, file);
    o->x[k] = t->gauge[t->column[k]].x;
    o->y[k] = t->gauge[t->column[k]].y;
  }
  for (int k = 0; k < rows * t->columns; k++) o->sigma[k] = t->sigma;
  if (t->geoclaw) PetscCall(read_row(t, line, 0, o));
  for (int row = t->geoclaw; (line = HgTableLine(&text, &t->line));)
    if (*line == '#') PetscCall(refuse_setting(t, line));
    else if (*line) PetscCall(read_row(t, line, row++, o));
  for (int k = 0; k < t->columns; k++) {
    int row = 0;
    while (row < rows && isinf(o->sigma[row * t->columns + k])) row++;
    HgRequire(t->comm, row < rows, HG_ERR_FILE_FORMAT,
              "file '%s': gauge '%s' has no value at any time", t->path,
              t->gauge[t->column[k]].name);
  }
  return 0;
}

PetscErrorCode HgGaugesReadFile(MPI_Comm comm, const char path[], bool degrees, double sigma,
                                HgObservations **observations) {
  char *text, *begin;
  *observations = NULL;
  PetscCall(HgTableRead(comm, path, LARGEST_FILE, "a table of gauges", &text, &begin));
  Table t = {.comm = comm, .path = path, .degrees = degrees, .sigma = sigma};
  const PetscErrorCode ierr = read_table(&t, begin, observations);
  if (ierr) PetscCall(HgObservationsDestroy(observations));
  PetscCall(PetscFree(t.gauge));
  PetscCall(PetscFree(t.column));
  PetscCall(PetscFree(text));
  return ierr;
}
