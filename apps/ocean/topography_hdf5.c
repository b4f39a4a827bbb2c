/* SPDX-License-Identifier: BSD-2-Clause */
/* netCDF-4 with CF coordinates, that is HDF5 with dimension scales: one elevation over (y, x) or
   (x, y), read in blocks of the rows that this rank needs. */
#include "topography_private.h"
#include <halograd/memory_library.h>
#include <halograd/reader_library.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ENTRIES = 64, BLOCK = 1 << 19 /* numbers read at once, unless a row has more */ };

typedef struct {
  HgReader reader;
  HgTopographyGrid *grid;
  int entries;
  HgEntry entry[ENTRIES];
  const char *z;
} Netcdf;

static bool among(const char text[], const char *const list[]) {
  for (; *list; list++)
    if (!strcasecmp(text, *list)) return true;
  return false;
}

static const char *const names_x[] = {"x", "lon", "longitude", "easting", NULL},
                         *const names_y[] = {"y", "lat", "latitude", "northing", NULL},
                         *const metres[] = {"m", "meter", "meters", "metre", "metres", NULL},
                         *const degrees_x[] = {"degrees",     "degrees_east", "degrees_E",
                                               "degree_east", "degree_E",     NULL},
                         *const degrees_y[] = {"degrees",      "degrees_north", "degrees_N",
                                               "degree_north", "degree_N",      NULL};

/* The one-dimensional dataset with one of these names. */
static const char *find_axis(Netcdf *n, const char *const names[]) {
  const char *found = NULL;
  for (int k = 0; k < n->entries; k++) {
    const HgEntry *e = &n->entry[k];
    if (e->rank != 1 || !among(e->name, names)) continue;
    if (found) {
      HgTopographyRefuse(n->grid, "both '%s' and '%s' may be the coordinate, expected one of them",
                         found, e->name);
      return NULL;
    }
    found = e->name;
  }
  if (!found)
    HgTopographyRefuse(n->grid, "no one-dimensional coordinate '%s', '%s', '%s' or '%s'", names[0],
                       names[1], names[2], names[3]);
  return found;
}

enum { OTHER, UNKNOWN, METRES };

/* What the dataset's units are, OTHER if they cannot be read; UNKNOWN: it has none. */
static bool read_unit(Netcdf *n, const char name[], char unit[HG_READER_TEXT], int *kind) {
  bool found;
  *kind = OTHER;
  if (!HgReaderHasAttribute(&n->reader, name, "units", &found)) return false;
  *kind = UNKNOWN;
  if (!found) return true;
  *kind = OTHER;
  if (!HgReaderText(&n->reader, name, "units", unit)) return false;
  if (among(unit, metres)) *kind = METRES;
  return true;
}

/* The two-dimensional dataset over both scales that is asked for, or in metres, or the only one; is
   its last dimension y? What cannot be read is none, unless there is no other. */
static bool find_elevation(Netcdf *n, const char x[], const char y[]) {
  const char *also = NULL;
  int best = -1;
  for (int k = 0; k < n->entries; k++) {
    const HgEntry *e = &n->entry[k];
    const bool asked = n->grid->variable && !strcmp(e->name, n->grid->variable);
    int along_x, along_y, kind;
    char unit[HG_READER_TEXT];
    if (e->rank != 2 || (n->grid->variable && !asked)) continue;
    if (!HgReaderScaled(&n->reader, x, e->name, &along_x) ||
        !HgReaderScaled(&n->reader, y, e->name, &along_y)) {
      if (asked) return false;
      continue;
    }
    if (along_x + along_y != 1 || along_x * along_y != 0) continue;
    read_unit(n, e->name, unit, &kind);
    if (kind == best && !also) also = e->name;
    if (kind <= best) continue;
    best = kind, also = NULL, n->z = e->name;
    n->grid->fast_is_y = along_y == 1;
  }
  if (also)
    return HgTopographyRefuse(n->grid,
                              "both '%s' and '%s' may be the elevation, expected one: say which, "
                              "-topography '%s?%s'",
                              n->z, also, n->grid->path, n->z);
  if (n->z || n->reader.problem[0]) return n->z != NULL;
  return HgTopographyRefuse(n->grid,
                            "no dataset %s%s%sof two dimensions with the dimension scales '%s' and "
                            "'%s'",
                            n->grid->variable ? "'" : "",
                            n->grid->variable ? n->grid->variable : "",
                            n->grid->variable ? "' " : "", x, y);
}

static bool read_axis(Netcdf *n, const char name[], HgTopographyAxis *axis, hsize_t expected) {
  char unit[HG_READER_TEXT] = "";
  int kind;
  HgShape shape;
  if (!HgReaderShape(&n->reader, name, &shape) || !read_unit(n, name, unit, &kind)) return false;
  const bool is_x = among(name, names_x);
  axis->degrees = among(unit, is_x ? degrees_x : degrees_y), axis->metres = kind == METRES;
  if (kind == OTHER && !axis->degrees)
    return HgTopographyRefuse(n->grid, "'%s' is in '%s', expected 'm', 'degrees' or '%s'", name,
                              unit, is_x ? degrees_x[1] : degrees_y[1]);
  if (shape.size[0] != expected)
    return HgTopographyRefuse(n->grid, "'%s' has %llu numbers, but '%s' has %llu along it", name,
                              (unsigned long long)shape.size[0], n->z,
                              (unsigned long long)expected);
  return HgTopographyAxisCreate(n->grid, axis, name, (double)shape.size[0]) &&
         HgReaderNumbers(&n->reader, name, 1, NULL, &expected, axis->at);
}

/* An attribute of one number, *value as it was if there is none. */
static bool read_number(Netcdf *n, const char attribute[], double *value) {
  double number;
  bool found;
  if (!HgReaderNumber(&n->reader, n->z, attribute, &found, &number)) return false;
  if (found) *value = number;
  return true;
}

/* Metres unless it says something else, as text cannot, and up; which numbers mean nothing, and
   what the others are. */
static bool check_elevation(Netcdf *n) {
  char text[HG_READER_TEXT];
  bool found;
  int kind;
  HgTopographyGrid *const g = n->grid;
  HgReader *r = &n->reader;
  if (!read_unit(n, n->z, text, &kind)) return false;
  if (kind == OTHER) return HgTopographyRefuse(g, "'%s' is in '%s', expected 'm'", n->z, text);
  if (!HgReaderHasAttribute(r, n->z, "positive", &found)) return false;
  if (found && !HgReaderText(r, n->z, "positive", text)) return false;
  if (found && strcasecmp(text, "up"))
    return HgTopographyRefuse(g, "'%s' is positive '%s', expected 'up': land above 0", n->z, text);
  if (!read_number(n, "_FillValue", &g->nodata[0]) ||
      !read_number(n, "missing_value", &g->nodata[1]) ||
      !read_number(n, "scale_factor", &g->scale) || !read_number(n, "add_offset", &g->offset))
    return false;
  return (isfinite(g->scale) && g->scale != 0 && isfinite(g->offset)) ||
         HgTopographyRefuse(g,
                            "'%s' is packed, scale_factor %g and add_offset %g, expected finite "
                            "numbers, the factor not 0",
                            n->z, g->scale, g->offset);
}

static bool open_all(Netcdf *n) {
  HgShape shape;
  HgTopographyGrid *g = n->grid;
  if (!HgReaderOpen(&n->reader, g->path, true) ||
      !HgReaderList(&n->reader, ENTRIES, n->entry, &n->entries))
    return false;
  const char *x = find_axis(n, names_x), *y = x ? find_axis(n, names_y) : NULL;
  if (!y || !find_elevation(n, x, y) || !HgReaderShape(&n->reader, n->z, &shape)) return false;
  return read_axis(n, g->fast_is_y ? x : y, &g->slow, shape.size[0]) &&
         read_axis(n, g->fast_is_y ? y : x, &g->fast, shape.size[1]) && check_elevation(n);
}

/* The sentence is the reader's unless we said one. */
static bool ends(Netcdf *n, bool right) {
  if (!right && !n->grid->problem[0])
    snprintf(n->grid->problem, sizeof n->grid->problem, "topography: %.1100s", n->reader.problem);
  return right;
}

static bool open_hdf5(HgTopographyGrid *g, void **handle) {
  Netcdf *n = *handle = HgAllocate(1, sizeof *n);
  if (!n) return HgTopographyRefuse(g, "no memory to read it");
  n->reader.file = -1, n->grid = g;
  return ends(n, open_all(n));
}

/* rows = `count` rows of the file from `first` on, the points that this rank needs: in as many
   pieces as they have in the file. */
static bool read_rows(Netcdf *n, int first, int count, double piece[], double rows[]) {
  const HgTopographyAxis *x = &n->grid->fast;
  const size_t width = (size_t)(x->last - x->first + 1);
  for (int k = x->first, run; k <= x->last; k += run) {
    const int point = HgTopographyPoint(x, k, &run);
    run = PetscMin(run, x->last + 1 - k);
    const hsize_t start[2] = {(hsize_t)first, (hsize_t)point},
                  size[2] = {(hsize_t)count, (hsize_t)run};
    if (!HgReaderBlock(&n->reader, n->z, 2, start, size, piece)) return false;
    for (int j = 0; j < count; j++)
      memcpy(rows + (size_t)j * width + (k - x->first), piece + (size_t)j * (size_t)run,
             sizeof *rows * (size_t)run);
  }
  return true;
}

static bool rows_of_hdf5(HgTopographyGrid *g, void *handle) {
  Netcdf *n = handle;
  const HgTopographyAxis *y = &g->slow;
  const int width = g->fast.last - g->fast.first + 1,
            most = PetscMax(1, PetscMin(y->last - y->first + 1, BLOCK / width));
  const size_t room = (size_t)most * (size_t)width;
  double *block = HgAllocate(2 * room, sizeof *block);
  bool right = block || HgTopographyRefuse(g, "no memory for %d x %d elevations", most, width);
  for (int k = y->first, run; right && k <= y->last; k += run) {
    const int row = HgTopographyPoint(y, k, &run);
    run = PetscMin(PetscMin(run, most), y->last + 1 - k);
    right = read_rows(n, row, run, block, block + room);
    for (int j = 0; right && j < run; j++)
      HgTopographyTakeRow(g, block + room + (size_t)j * (size_t)width);
  }
  free(block);
  return ends(n, right);
}

static void close_hdf5(void *handle) {
  Netcdf *n = handle;
  if (n) HgReaderClose(&n->reader);
  free(n);
}

const HgTopographyFormat hg_topography_hdf5 = {open_hdf5, rows_of_hdf5, close_hdf5};
