/* SPDX-License-Identifier: BSD-2-Clause */
#include "topography_private.h"
#include <errno.h>
#include <halograd/memory_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double earth = 6371e3;                /* radius [m] */
static const double lowest = -12e3, highest = 9e3; /* of its elevations, with room [m] */

bool HgTopographyRefuse(HgTopographyGrid *g, const char format[], ...) {
  va_list arguments;
  const int start = snprintf(g->problem, sizeof g->problem, "topography '%.500s': ", g->path);
  va_start(arguments, format);
  vsnprintf(g->problem + start, sizeof g->problem - (size_t)start, format, arguments);
  va_end(arguments);
  return false;
}

bool HgTopographyAxisCreate(HgTopographyGrid *g, HgTopographyAxis *axis, const char name[],
                            double size) {
  char what[128];
  if (!(size >= 2 && size <= 1 << 30))
    return HgTopographyRefuse(g, "%.10g points along %s, expected 2 to %d", size, name, 1 << 30);
  snprintf(what, sizeof what, "axis %.64s of %.0f points", name, size);
  if (!HgInputFits(g->path, what, 0, size * sizeof(double), sizeof g->problem, g->problem))
    return false;
  axis->size = (int)size;
  axis->at = HgAllocate((size_t)size, sizeof(double));
  return axis->at || HgTopographyRefuse(g, "no memory for %d points along %s", axis->size, name);
}

/* Headers are rounded: places that differ by this part of the distance of two points are the same.
   */
static const double rounding = 1e-3;

int HgTopographyPoint(const HgTopographyAxis *axis, int k, int *run) {
  const int point = axis->period ? (axis->begin + k) % axis->period : k;
  *run = axis->period ? PetscMin(axis->period - point, axis->size - k) : axis->size - k;
  return point;
}

/* A sea [degrees] beyond an end of longitudes that go round the globe: the axis begins anew at the
   last point before the sea, and ends after a whole turn and one point. */
static bool join_round(HgTopographyGrid *g, HgTopographyAxis *axis, double west, double east) {
  const int n = axis->size;
  const bool down = axis->at[1] < axis->at[0];
  const double span = fabs(axis->at[n - 1] - axis->at[0]), distance = span / (n - 1),
               slack = rounding * distance, low = fmin(axis->at[0], axis->at[n - 1]) + axis->shift;
  const int period = fabs(span - 360) <= slack              ? n - 1
                     : fabs(span + distance - 360) <= slack ? n
                                                            : 0;
  if (period < 2 || (low <= west + slack && low + span >= east - slack)) return true;
  const double turn = down ? -360 : 360, first = down ? east - slack : west + slack,
               start = turn * floor((first - axis->at[0]) / turn);
  double *at = HgAllocate((size_t)period + 2, sizeof *at);
  if (!at) return HgTopographyRefuse(g, "no memory for %d points along x", period + 2);
  axis->begin = period - 1;
  while (axis->begin &&
         (down ? axis->at[axis->begin] + start < first : axis->at[axis->begin] + start > first))
    axis->begin--;
  for (int k = 0; k < period + 2; k++)
    at[k] = axis->at[(axis->begin + k) % period] + start + turn * ((axis->begin + k) / period);
  free(axis->at);
  axis->at = at, axis->size = period + 2, axis->period = period, axis->shift = 0;
  return true;
}

/* Do coordinates rise only, or fall only? */
static bool require_monotone(HgTopographyGrid *g, const HgTopographyAxis *axis, const char name[]) {
  const bool down = axis->at[1] < axis->at[0];
  for (int k = 1; k < axis->size; k++)
    if (!(down ? axis->at[k] < axis->at[k - 1] : axis->at[k] > axis->at[k - 1]))
      return HgTopographyRefuse(g, "%s[%d] = %.17g after %.17g, expected coordinates that only %s",
                                name, k, axis->at[k], axis->at[k - 1], down ? "fall" : "rise");
  return true;
}

/* Monotone, then in metres, or, on a sphere, in degrees; longitudes 220 and -140 are the same. */
static bool place_axis(HgTopographyGrid *g, HgTopographyAxis *axis, const char name[],
                       const HgMeshSpec *mesh, const HgTopographyOrigin *origin) {
  const bool is_y = name[0] == 'y', sphere = mesh->radius > 0;
  if (!require_monotone(g, axis, name)) return false;
  if (axis->degrees && !origin && !sphere)
    return HgTopographyRefuse(
        g, "%s is in degrees, expected metres, or an origin to project them around", name);
  if (!origin && !sphere) return true;
  if (axis->metres)
    return HgTopographyRefuse(g, "%s is in metres, expected degrees%s", name,
                              sphere ? ", as the mesh lies on a sphere" : " around an origin");
  const double ends[2] = {axis->at[0], axis->at[axis->size - 1]}, most = is_y ? 90 : 360,
               room =
                   fabs(axis->at[1] - axis->at[0]); /* for rounding, and for corners as centres */
  if (!(fabs(ends[0]) <= most + room && fabs(ends[1]) <= most + room))
    return HgTopographyRefuse(g, "%s from %.10g to %.10g, expected degrees between %g and %g", name,
                              ends[0], ends[1], -most, most);
  const double degree = PETSC_PI / 180,
               zero = sphere ? 0
                      : is_y ? origin->latitude
                             : origin->longitude,
               scale = sphere ? 1 : earth * degree * (is_y ? 1 : cos(origin->latitude * degree)),
               west = zero + mesh->x0 / scale,
               east = zero + (mesh->x0 + (mesh->nx - 1) * mesh->dx) / scale,
               middle = sphere ? mesh->x0 + 0.5 * (mesh->nx - 1) * mesh->dx : origin->longitude;
  axis->shift = is_y ? 0 : 360 * floor((middle - 0.5 * (ends[0] + ends[1])) / 360 + 0.5);
  if (!is_y && !join_round(g, axis, west, east)) return false;
  for (int k = 0; k < axis->size; k++) axis->at[k] = (axis->at[k] + axis->shift - zero) * scale;
  if (!sphere) axis->shift = 0;
  return true;
}

/* The last point at or before `position`, as the axis runs, that has a next one. */
static int point_before(const HgTopographyAxis *axis, double position) {
  const bool down = axis->at[1] < axis->at[0];
  int low = 0, high = axis->size - 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (down ? axis->at[middle] >= position : axis->at[middle] <= position) low = middle;
    else high = middle;
  }
  return low;
}

/* The number of the point before `position`, and *part of the way from there to the next. */
static int way_to(const HgTopographyAxis *axis, double position, double *part) {
  const int p = point_before(axis, position);
  *part = fmin(fmax((position - axis->at[p]) / (axis->at[p + 1] - axis->at[p]), 0), 1);
  return p;
}

/* The least number of equal parts between two points such that each of n centres lies on the end of
   one, but for rounding; 0: there is none. An elevation at such an end does not hang on the last
   digits of a header, and no coast does. */
static int parts_between(const HgTopographyAxis *axis, double first, double step, int n) {
  enum { MOST = 64 };

  for (int parts = 1; parts <= MOST; parts++) {
    int i = 0;
    for (; i < n; i++) {
      double part;
      way_to(axis, first + i * step, &part);
      if (!(fabs(part * parts - rint(part * parts)) <= rounding * parts)) break;
    }
    if (i == n) return parts;
  }
  return 0;
}

/* Where the calling rank's cells i = -ghost .. n + ghost - 1 lie; ghosts stand for the cells that
   they copy. */
static bool locate_cells(HgTopographyGrid *g, HgTopographyAxis *axis, const char name[],
                         const char unit[], double first, double step, int n_global, bool periodic,
                         int i_global, int n, int ghost) {
  const int end = axis->size - 1;
  const double ends[2] = {axis->at[0], axis->at[end]}, low = fmin(ends[0], ends[1]),
               high = fmax(ends[0], ends[1]), last = first + (n_global - 1) * step,
               slack =
                   rounding * fmin(fabs(axis->at[1] - ends[0]), fabs(ends[1] - axis->at[end - 1]));
  if (!(low <= first + slack && high >= last - slack))
    return HgTopographyRefuse(g,
                              "its points reach from %s = %.12g to %.12g %s, expected to cover the "
                              "mesh's cell centres, %.12g to %.12g %s",
                              name, low - axis->shift, high - axis->shift, unit, first, last, unit);
  axis->cells = n + 2 * ghost;
  axis->before = HgAllocate((size_t)axis->cells, sizeof(int));
  axis->weight = HgAllocate((size_t)axis->cells, sizeof(double));
  if (!axis->before || !axis->weight)
    return HgTopographyRefuse(g, "no memory for %d cells", axis->cells);
  const int parts = parts_between(axis, first, step, n_global);
  axis->first = axis->size;
  for (int k = 0; k < axis->cells; k++) {
    const int cell = i_global + k - ghost, stands = periodic
                                                        ? (cell % n_global + n_global) % n_global
                                                        : (int)fmin(fmax(cell, 0), n_global - 1);
    const int p = axis->before[k] = way_to(axis, first + stands * step, &axis->weight[k]);
    if (parts) axis->weight[k] = rint(axis->weight[k] * parts) / parts;
    axis->first = PetscMin(axis->first, p);
    axis->last = PetscMax(axis->last, p + 1);
  }
  return true;
}

/* Is z an elevation [m] of the Earth? Not a NaN, nor what stands for a hole without the header's
   saying so. */
static bool possible(double z) { return z >= lowest && z <= highest; }

/* What counts for nothing may be missing; what is impossible stays what it is. */
static double between(double a, double b, double weight) {
  if (weight == 0 || a == b) return a;
  if (weight == 1) return b;
  if (!possible(a) || !possible(b)) return possible(a) ? b : a;
  return (1 - weight) * a + weight * b;
}

static double along_row(const HgTopographyAxis *fast, const double row[], int cell) {
  const double *at = row + (fast->before[cell] - fast->first);
  return between(at[0], at[1], fast->weight[cell]);
}

void HgTopographyTakeRow(HgTopographyGrid *g, const double row[]) {
  const HgTopographyAxis *slow = &g->slow, *fast = &g->fast;
  const int width = fast->last - fast->first + 1, number = slow->first + g->rows++;
  double *now = g->row[0];
  g->row[0] = g->row[1], g->row[1] = now;
  for (int k = 0; k < width; k++) {
    const bool there = isfinite(row[k]) && row[k] != g->nodata[0] && row[k] != g->nodata[1];
    now[k] = there ? g->scale * row[k] + g->offset : NAN;
  }
  for (int j = 0; number > slow->first && j < slow->cells; j++) {
    if (slow->before[j] != number - 1) continue;
    for (int i = 0; i < fast->cells; i++)
      g->b[(size_t)j * (size_t)fast->cells + (size_t)i] =
          between(along_row(fast, g->row[0], i), along_row(fast, g->row[1], i), slow->weight[j]);
  }
}

/* FILE?VARIABLE, as GMT has it, unless there is a file of that name. */
static void name_file(HgTopographyGrid *g, const char path[]) {
  struct stat status;
  snprintf(g->path, sizeof g->path, "%s", path);
  char *const mark = strrchr(g->path, '?');
  if (!mark || strchr(mark, '/') || !stat(g->path, &status)) return;
  *mark = 0;
  g->variable = mark + 1;
}

static bool read_file(HgTopographyGrid *g, HgMesh mesh, int ghost,
                      const HgTopographyOrigin *origin) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const char signature[4] = {(char)0x89, 'H', 'D', 'F'};
  char start[4] = "";
  struct stat status;
  if (stat(g->path, &status)) return HgTopographyRefuse(g, "%s", strerror(errno));
  if (!S_ISREG(status.st_mode)) return HgTopographyRefuse(g, "it is not a regular file");
  FILE *file = fopen(g->path, "rb");
  if (!file) return HgTopographyRefuse(g, "%s", strerror(errno));
  const bool some = fread(start, 1, sizeof start, file) == sizeof start;
  fclose(file);
  if (some && !memcmp(start, "CDF", 3))
    return HgTopographyRefuse(g, "it is netCDF-3, expected netCDF-4 (nccopy -k nc4 -d 0 OLD NEW)");
  const HgTopographyFormat *format = some && !memcmp(start, signature, sizeof signature)
                                         ? &hg_topography_hdf5
                                         : &hg_topography_text;
  if (g->variable && format == &hg_topography_text)
    return HgTopographyRefuse(g, "it is text, which has no variable '%s'", g->variable);
  void *handle = NULL;
  bool right = format->open(g, &handle);
  HgTopographyAxis *x = g->fast_is_y ? &g->slow : &g->fast, *y = g->fast_is_y ? &g->fast : &g->slow;
  right = right && place_axis(g, x, "x", m, origin) && place_axis(g, y, "y", m, origin) &&
          locate_cells(g, x, "x", HgMeshGetMetric(mesh)->unit, m->x0, m->dx, m->nx, m->periodic_x,
                       p->i_global, p->nx, ghost) &&
          locate_cells(g, y, "y", HgMeshGetMetric(mesh)->unit, m->y0, m->dy, m->ny, m->periodic_y,
                       p->j_global, p->ny, ghost);
  if (right) {
    const size_t width = (size_t)(g->fast.last - g->fast.first + 1);
    g->row[0] = HgAllocate(width, sizeof(double));
    g->row[1] = HgAllocate(width, sizeof(double));
    g->b = HgAllocate((size_t)g->slow.cells * (size_t)g->fast.cells, sizeof(double));
    right = g->row[0] && g->row[1] && g->b ? format->rows(g, handle)
                                           : HgTopographyRefuse(g, "no memory for a patch");
  }
  format->close(handle);
  return right;
}

static double elevation(const HgTopographyGrid *g, int i, int j) {
  return g->fast_is_y ? g->b[(size_t)i * (size_t)g->fast.cells + (size_t)j]
                      : g->b[(size_t)j * (size_t)g->fast.cells + (size_t)i];
}

/* Of the cells that the ranks name, INT64_MAX for none, the first in natural order; `mine`: is it
   the calling rank's. Collective. */
static PetscErrorCode first_cell(HgMesh mesh, int64_t *cell, bool *mine) {
  int64_t first = *cell;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, HgMeshComm(mesh)));
  *mine = *cell == first && first != INT64_MAX;
  *cell = first;
  return 0;
}

static int64_t number_of(HgMesh mesh, int i, int j) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  return (int64_t)(p->j_global + j) * HgMeshGetSpec(mesh)->nx + p->i_global + i;
}

/* "cell (i, j) at (x, y) m", or degrees on a sphere */
static void place_of(HgMesh mesh, int64_t cell, char text[], size_t size) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const int i = (int)(cell % m->nx), j = (int)(cell / m->nx);
  snprintf(text, size, "cell (%d, %d) at (%.10g, %.10g) %s", i, j, m->x0 + i * m->dx,
           m->y0 + j * m->dy, HgMeshGetMetric(mesh)->unit);
}

/* There are data of the Earth near all cells. Collective. */
static PetscErrorCode require_data(const HgTopographyGrid *g, HgMesh mesh, int ghost) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  int64_t cell = INT64_MAX;
  bool mine;
  double value = 0;
  char place[128];
  for (int j = p->ny - 1; j >= 0; j--)
    for (int i = p->nx - 1; i >= 0; i--) {
      const double z = elevation(g, i + ghost, j + ghost);
      if (!possible(z)) cell = number_of(mesh, i, j), value = z;
    }
  PetscCall(first_cell(mesh, &cell, &mine));
  place_of(mesh, cell, place, sizeof place);
  PetscCall(HgAgree(HgMeshComm(mesh), mine && isnan(value), HG_ERR_DATA,
                    "topography '%s': no data around %s, expected elevations in the whole domain%s",
                    g->path, place,
                    g->assumed
                        ? "; -9999 stands for no data, the default of NODATA_value: if it is "
                          "an elevation, add a line 'NODATA_value -32768' to the header"
                        : ""));
  return HgAgree(HgMeshComm(mesh), mine, HG_ERR_DATA,
                 "topography '%s': %g m around %s, expected %g to %g m; what stands for holes is "
                 "said in the header",
                 g->path, value, place, lowest, highest);
}

static void free_grid(HgTopographyGrid *g) {
  free(g->fast.at), free(g->fast.before), free(g->fast.weight);
  free(g->slow.at), free(g->slow.before), free(g->slow.weight);
  free(g->row[0]), free(g->row[1]), free(g->b);
}

PetscErrorCode HgTopographyRead(HgState state, const char name[], const char path[],
                                const HgTopographyOrigin *origin) {
  const HgMesh mesh = HgStateMesh(state);
  const MPI_Comm comm = HgMeshComm(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int ghost = HgStateGhosts(state);
  int index;
  PetscCall(HgStateIndex(state, name, &index));
  HgRequire(comm, HgIsField(HgStateVariable(state, index)), HG_ERR_DATA,
            "variable '%s' is an array, expected a field to read topography '%s' into", name, path);
  HgRequire(comm, !origin || (isfinite(origin->longitude) && fabs(origin->latitude) < 90),
            HG_ERR_DATA,
            "topography '%s': origin at longitude %g, latitude %g degrees, expected a latitude "
            "between -90 and 90",
            path, origin->longitude, origin->latitude);
  HgRequire(
      comm, !origin || HgMeshGetSpec(mesh)->radius == 0, HG_ERR_DATA,
      "topography '%s': an origin to project around, but the mesh lies on a sphere, expected none",
      path);
  HgTopographyGrid g = {.nodata = {NAN, NAN}, .scale = 1};
  name_file(&g, path);
  const bool right = read_file(&g, mesh, ghost, origin);
  PetscErrorCode ierr = HgAgree(comm, !right, HG_ERR_FILE_FORMAT, "%s", g.problem);
  if (!ierr) ierr = require_data(&g, mesh, ghost);
  HgReal *const *b = HgStateRows(state, index);
  for (int j = -ghost; !ierr && j < p->ny + ghost; j++)
    for (int i = -ghost; i < p->nx + ghost; i++) b[j][i] = elevation(&g, i + ghost, j + ghost);
  if (!ierr) HgStateSetGhostDepth(state, index, 0);
  free_grid(&g);
  return ierr;
}

PetscErrorCode HgTopographyStillWater(HgState state, const char b[], double sea_level,
                                      double least_depth, const char h[]) {
  const HgMesh mesh = HgStateMesh(state);
  const MPI_Comm comm = HgMeshComm(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int ghost = HgStateGhosts(state);
  int from, to, at[2] = {0, 0};
  int64_t cell = INT64_MAX;
  bool mine;
  char place[128];
  PetscCall(HgStateIndex(state, b, &from));
  PetscCall(HgStateIndex(state, h, &to));
  HgRequire(comm, HgIsField(HgStateVariable(state, from)) && HgIsField(HgStateVariable(state, to)),
            HG_ERR_DATA, "still water: '%s' and '%s' must be fields", b, h);
  HgRequire(comm, isfinite(sea_level) && isfinite(least_depth) && least_depth > 0, HG_ERR_DATA,
            "still water: sea level %g m and least depth %g m, expected finite numbers, the depth "
            "above 0 m",
            sea_level, least_depth);
  HgReal *const *bottom = HgStateRows(state, from), *const *depth = HgStateRows(state, to);
  for (int j = p->ny - 1; j >= 0; j--)
    for (int i = p->nx - 1; i >= 0; i--)
      if (!(sea_level - bottom[j][i] >= least_depth))
        cell = number_of(mesh, i, j), at[0] = i, at[1] = j;
  PetscCall(first_cell(mesh, &cell, &mine));
  place_of(mesh, cell, place, sizeof place);
  PetscCall(HgAgree(comm, mine, HG_ERR_DATA,
                    "still water: the elevation of %s is %.10g m, expected at most %.10g m: at "
                    "least %.10g m of water under the sea level of %.10g m, for land cannot be in "
                    "the domain",
                    place, bottom[at[1]][at[0]], sea_level - least_depth, least_depth, sea_level));
  for (int j = -ghost; j < p->ny + ghost; j++)
    for (int i = -ghost; i < p->nx + ghost; i++) depth[j][i] = sea_level - bottom[j][i];
  HgStateSetGhostDepth(state, to, 0);
  return 0;
}
