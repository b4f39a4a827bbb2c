/* SPDX-License-Identifier: BSD-2-Clause */
/* ESRI ASCII grids and GeoClaw topography of types 2 and 3: a header of labelled numbers, then the
   elevations from the north-west corner, row after row to the south, cut into lines anyhow. */
#include "topography_private.h"
#include <errno.h>
#include <halograd/memory_library.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE = 256, WORDS = 5, WORD = 352, BUFFER = 1 << 16 };

typedef enum { COLUMNS, ROWS, X, Y, SIZE_X, SIZE_Y, NODATA, SIZE, LABELS } Label;

static const struct {
  const char *text;
  Label label;
  bool corner; /* of the outermost cell: its centre is half a cell away */
} known[] = {{"ncols", COLUMNS, false}, {"mx", COLUMNS, false},    {"nrows", ROWS, false},
             {"my", ROWS, false},       {"xllcorner", X, true},    {"xllcenter", X, false},
             {"xlower", X, false},      {"yllcorner", Y, true},    {"yllcenter", Y, false},
             {"ylower", Y, false},      {"cellsize", SIZE, false}, {"dx", SIZE_X, false},
             {"dy", SIZE_Y, false},     {"nodata", NODATA, false}, {"nodata_value", NODATA, false},
             {NULL, LABELS, false}};

typedef struct {
  FILE *file;
  char buffer[BUFFER], word[WORD];
  bool plain; /* can the word be a number */
  size_t used, filled;
  double value[LABELS];
  bool given[LABELS], corner[LABELS];
} Text;

static bool number_of(const char word[], double *number) {
  char *end;
  *number = strtod(word, &end);
  return end > word && !*end;
}

/* "label value" as ESRI has it or "value label" as GeoClaw has it; the cell size may be two
   numbers. */
static bool take_line(HgTopographyGrid *g, Text *t, int words, char *const word[]) {
  double number[WORDS];
  const char *label = NULL;
  int numbers = 0, k = 0;
  for (int w = 0; w < words; w++) {
    if (number_of(word[w], &number[numbers])) numbers++;
    else if (!label && (w == 0 || w == words - 1)) label = word[w];
    else
      return HgTopographyRefuse(g, "'%.40s' in the header, expected lines of a label and a number",
                                word[w]);
  }
  while (known[k].text && strcasecmp(label, known[k].text)) k++;
  if (!known[k].text)
    return HgTopographyRefuse(g,
                              "'%.40s' in the header, expected the labels ncols, nrows, xllcorner "
                              "(or xllcenter, xlower), yllcorner (or yllcenter, ylower), cellsize "
                              "(or dx, dy) and nodata_value",
                              label);
  const Label l = known[k].label;
  if (numbers < 1 || numbers > (l == SIZE ? 2 : 1))
    return HgTopographyRefuse(g, "%d numbers for '%s' in the header, expected 1%s", numbers, label,
                              l == SIZE ? " or 2" : "");
  const bool size = l == SIZE;
  if (t->given[l] || (size && (t->given[SIZE_X] || t->given[SIZE_Y])))
    return HgTopographyRefuse(g, "'%s' comes twice in the header", label);
  t->given[l] = true, t->value[l] = number[0], t->corner[l] = known[k].corner;
  if (size) {
    t->given[SIZE_X] = t->given[SIZE_Y] = true;
    t->value[SIZE_X] = number[0], t->value[SIZE_Y] = number[numbers - 1];
  }
  return true;
}

/* Reads lines up to the first one of numbers alone, and goes back to its start. */
static bool read_header(HgTopographyGrid *g, Text *t) {
  char line[LINE];
  long start = ftell(t->file);
  for (; start < BUFFER && fgets(line, sizeof line, t->file); start = ftell(t->file)) {
    char *word[WORDS], *rest = line;
    int words = 0;
    bool numbers = true;
    double unused;
    while (words < WORDS && (word[words] = strtok_r(rest, " \t\r\n", &rest)))
      numbers = number_of(word[words++], &unused) && numbers;
    if (words && numbers)
      return !fseek(t->file, start, SEEK_SET) || HgTopographyRefuse(g, "%s", strerror(errno));
    if (words && !take_line(g, t, words, word)) return false;
  }
  if (start >= BUFFER)
    return HgTopographyRefuse(
        g, "no elevations in its first %d bytes, expected a header and then numbers", BUFFER);
  return HgTopographyRefuse(g, "no elevations after its header");
}

/* Every number takes a digit and a blank: what claims more is not even allocated. */
static bool size_trusted(HgTopographyGrid *g, Text *t) {
  const double points = t->value[COLUMNS] * t->value[ROWS];
  char what[96];
  snprintf(what, sizeof what, "its header of %.10g x %.10g elevations", t->value[COLUMNS],
           t->value[ROWS]);
  return HgInputFits(g->path, what, 2 * points - 1, 0, sizeof g->problem, g->problem);
}

static bool use_header(HgTopographyGrid *g, Text *t) {
  static const char *const names[] = {"ncols",     "nrows",    "xllcorner",
                                      "yllcorner", "cellsize", "cellsize"};
  for (int l = COLUMNS; l <= SIZE_Y; l++) {
    const double v = t->value[l];
    if (!t->given[l]) return HgTopographyRefuse(g, "no '%s' in its header", names[l]);
    if (!isfinite(v) || (l >= SIZE_X && v <= 0) || (l <= ROWS && v != floor(v)))
      return HgTopographyRefuse(g, "'%s' is %g in its header, expected a %s number", names[l], v,
                                l <= ROWS     ? "whole"
                                : l >= SIZE_X ? "positive"
                                              : "finite");
  }
  const double columns = t->value[COLUMNS], rows = t->value[ROWS], dx = t->value[SIZE_X],
               dy = t->value[SIZE_Y];
  if (!size_trusted(g, t) || !HgTopographyAxisCreate(g, &g->fast, "x", columns) ||
      !HgTopographyAxisCreate(g, &g->slow, "y", rows))
    return false;
  const double x = t->value[X] + (t->corner[X] ? 0.5 * dx : 0),
               y = t->value[Y] + (t->corner[Y] ? 0.5 * dy : 0);
  if (!isfinite(x + columns * dx) || !isfinite(y + rows * dy))
    return HgTopographyRefuse(g,
                              "its header places %g x %g elevations %g and %g apart from (%g, %g) "
                              "on, expected finite coordinates",
                              columns, rows, dx, dy, x, y);
  for (int k = 0; k < g->fast.size; k++) g->fast.at[k] = x + k * dx;
  for (int k = 0; k < g->slow.size; k++) g->slow.at[k] = y + (g->slow.size - 1 - k) * dy;
  g->assumed = !t->given[NODATA];
  g->nodata[0] = t->given[NODATA] ? t->value[NODATA] : -9999;
  return true;
}

/* Some editors begin UTF-8 with three bytes that mean nothing. */
static void skip_mark(FILE *file) {
  char mark[3];
  if (fread(mark, 1, 3, file) != 3 || memcmp(mark, "\xEF\xBB\xBF", 3)) rewind(file);
}

static bool open_text(HgTopographyGrid *g, void **handle) {
  Text *t = *handle = HgAllocate(1, sizeof *t);
  if (!t) return HgTopographyRefuse(g, "no memory to read it");
  t->file = fopen(g->path, "rb");
  if (!t->file) return HgTopographyRefuse(g, "%s", strerror(errno));
  skip_mark(t->file);
  return read_header(g, t) && use_header(g, t);
}

static int next_byte(Text *t) {
  if (t->used == t->filled) {
    t->filled = fread(t->buffer, 1, BUFFER, t->file);
    t->used = 0;
    if (!t->filled) return EOF;
  }
  return (unsigned char)t->buffer[t->used++];
}

static bool blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool of_a_number(int c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || (c && strchr("+eEnNaAiIfF", c));
}

/* The next word into t->word, false at the end. One that is longer than its room is no number, and
   is read no further. */
static bool next_word(Text *t) {
  int c, length = 0;
  while (blank(c = next_byte(t))) continue;
  for (t->plain = true; c != EOF && !blank(c); c = next_byte(t)) {
    t->plain = t->plain && of_a_number(c) && length < WORD - 1;
    if (length == WORD - 1) break;
    t->word[length++] = (char)c;
  }
  t->word[length] = 0;
  return length;
}

/* The number of column i becomes that of the points which it stands for, and which this rank needs:
   two where longitudes are joined. Only such a number is converted. */
static bool take_number(HgTopographyGrid *g, const Text *t, int i, double row[]) {
  const HgTopographyAxis *x = &g->fast;
  double number;
  if (x->period && i >= x->period) return true;
  int point = x->period ? (i - x->begin + x->period) % x->period : i;
  for (; point <= x->last; point += x->period) {
    if (point >= x->first && !number_of(t->word, &number)) return false;
    if (point >= x->first) row[point - x->first] = number;
    if (!x->period) break;
  }
  return true;
}

static bool rows_of_text(HgTopographyGrid *g, void *handle) {
  Text *t = handle;
  const HgTopographyAxis *x = &g->fast, *y = &g->slow;
  const int columns = (int)t->value[COLUMNS];
  double *row = HgAllocate((size_t)(x->last - x->first + 1), sizeof(double));
  bool right = row || HgTopographyRefuse(g, "no memory for a row");
  for (int j = 0; right && j < y->size; j++) {
    const bool wanted = j >= y->first && j <= y->last;
    for (int i = 0; right && i < columns; i++) {
      if (!next_word(t))
        right = HgTopographyRefuse(
            g, "it ends after %lld elevations, expected %d x %d as its header says",
            (long long)j * columns + i, columns, y->size);
      else if (!t->plain || (wanted && !take_number(g, t, i, row)))
        right = HgTopographyRefuse(g,
                                   "'%.40s' in row %d, column %d, expected a number of at most %d "
                                   "characters",
                                   t->word, j + 1, i + 1, WORD - 1);
    }
    if (right && wanted) HgTopographyTakeRow(g, row);
  }
  if (right && next_word(t))
    right = HgTopographyRefuse(g, "more than %d x %d elevations, as its header has it", columns,
                               y->size);
  free(row);
  return right;
}

static void close_text(void *handle) {
  Text *t = handle;
  if (t && t->file) fclose(t->file);
  free(t);
}

const HgTopographyFormat hg_topography_text = {open_text, rows_of_text, close_text};
