/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/memory_library.h>
#include <halograd/reader_library.h>
#include <halograd/results.h>
#include <halograd/state_library.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One time of a series, or no series at all. */
typedef struct {
  bool series;
  long index;          /* as the user counts: negative from the end, -1 the last */
  long at;             /* from 0 */
  long times;          /* of the series */
  HgStateClock *clock; /* what has made it; NULL: not wanted */
} When;

/* Whether the shape is size[rank], after a time if it is a series. Sets when->at. */
static bool shape_fits(HgReader *reader, const char dataset[], int rank, const int size[],
                       When *when) {
  const int lead = when->series;
  char found[HG_SHAPE_TEXT], expected[HG_SHAPE_TEXT];
  HgShape shape, wanted = {.rank = rank};
  if (!HgReaderShape(reader, dataset, &shape)) return false;
  bool right = shape.rank == rank + lead;
  for (int k = 0; k < rank; k++) {
    wanted.size[k] = (hsize_t)size[k];
    right = right && shape.size[k + lead] == wanted.size[k];
  }
  HgShapeText(&shape, found);
  HgShapeText(&wanted, expected);
  if (!right)
    return HgReaderProblem(
        reader, ": dataset '%s' has the shape %s, expected %s%s%s = %s%s%s", dataset, found,
        lead ? "(time, " : "(",
        rank == 3   ? "z, y, x"
        : rank == 2 ? "y, x"
                    : "entry",
        ")", lead ? "any x " : "", expected,
        !lead && shape.rank == rank + 1 ? "; of a series of times write one alone" : "");
  if (!lead) return true;
  const long times = when->times = (long)shape.size[0];
  when->at = when->index < 0 ? times + when->index : when->index;
  if (when->at >= 0 && when->at < times) return true;
  return HgReaderProblem(
      reader,
      ": dataset '%s' at time index %ld, but it has %ld times, counted from 0, or "
      "from the end: -1 is the last",
      dataset, when->index, times);
}

/* *time [s]: the time found in the series; of samples their number. */
static bool read_time(HgReader *reader, const When *when, double *time) {
  const hsize_t at = (hsize_t)when->at, one = 1;
  bool timed, counted;
  HgShape shape;
  if (!HgReaderHas(reader, "time", &timed) || !HgReaderHas(reader, "sample", &counted))
    return false;
  const bool sample = counted && !timed;
  const char *const axis = sample ? "sample" : "time";
  if (!HgReaderShape(reader, axis, &shape)) return false;
  if (shape.rank != 1 || shape.size[0] != (hsize_t)when->times) {
    char found[HG_SHAPE_TEXT];
    HgShapeText(&shape, found);
    return HgReaderProblem(reader,
                           ": coordinate '%s' has the shape %s, expected %ld as the series has",
                           axis, found, when->times);
  }
  return HgReaderUnit(reader, axis, sample ? "1" : "s") &&
         HgReaderNumbers(reader, axis, 1, &at, &one, time);
}

/* Reads the clock of that time, if the file has it. */
static bool read_clock(HgReader *reader, const When *when, HgStateClock *clock) {
  char text[HG_READER_TEXT], *end;
  bool found;
  double time;
  if (!HgReaderHas(reader, "time", &found)) return false;
  if (found && !HgReaderHasAttribute(reader, "time", "time_step", &found)) return false;
  if (!found) return true;
  if (!HgReaderText(reader, "time", "time_step", text) || !read_time(reader, when, &time))
    return false;
  const double dt = strtod(text, &end), steps = round(time / dt);
  if (end == text || *end || !(dt > 0 && isfinite(dt)))
    return HgReaderProblem(
        reader, ": attribute 'time_step' of 'time' is '%.40s', expected a number above 0", text);
  if (steps >= 0 && steps < 1e15 && steps * dt == time)
    *clock = (HgStateClock){.dt = dt, .step = (long)steps, .read = true};
  return true;
}

/* Checks the file's coordinates, if it has any: they must be ours, in our unit if it states one. */
static bool axis_fits(HgReader *reader, const char axis[], int size, double first, double step,
                      const char unit[]) {
  bool found, named;
  if (!HgReaderHas(reader, axis, &found)) return false;
  if (!found) return true;
  HgShape shape;
  if (!HgReaderShape(reader, axis, &shape)) return false;
  if (shape.rank != 1 || shape.size[0] != (hsize_t)size)
    return HgReaderProblem(reader, ": coordinate '%s' does not have %d numbers", axis, size);
  if (!HgReaderHasAttribute(reader, axis, "units", &named)) return false;
  if (named && !HgReaderUnit(reader, axis, unit)) return false;
  const hsize_t one = 1, at[2] = {0, (hsize_t)size - 1};
  for (int k = 0; k < 2; k++) {
    double there;
    const double expected = first + step * (double)at[k];
    if (!HgReaderNumbers(reader, axis, 1, &at[k], &one, &there)) return false;
    if (there - expected < 1e-6 * step && expected - there < 1e-6 * step) continue;
    return HgReaderProblem(reader,
                           ": coordinate '%s' at [%llu] is %.9g, expected %.9g %s of the mesh",
                           axis, (unsigned long long)at[k], there, expected, unit);
  }
  return true;
}

/* Reads the owned cells of field `index`, or an array's entries, from `dataset`; *time if
   requested. */
static bool read_values(HgReader *reader, HgState state, int index, const char dataset[],
                        When *when, double values[], double *time) {
  const HgMeshSpec *grid = HgMeshGetSpec(HgStateMesh(state));
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(state));
  const HgVariable *variable = HgStateVariable(state, index);
  const bool field = variable->kind != HG_REPLICATED;
  const bool levels = field && grid->nz && !variable->surface;
  const int rank = levels  ? 3
                   : field ? 2
                           : 1,
            sizes[3] = {grid->nz, grid->ny, grid->nx},
            *const size = field ? sizes + 3 - rank : &variable->size;
  if (!shape_fits(reader, dataset, rank, size, when)) return false;
  if (levels && !axis_fits(reader, "z", grid->nz, grid->z0, grid->dz, "m")) return false;
  const bool sphere = grid->radius > 0;
  if (field &&
      !(axis_fits(reader, "x", grid->nx, grid->x0, grid->dx, sphere ? "degrees_east" : "m") &&
        axis_fits(reader, "y", grid->ny, grid->y0, grid->dy, sphere ? "degrees_north" : "m")))
    return false;
  if (!HgReaderUnit(reader, dataset, variable->unit[0] ? variable->unit : "1")) return false;

  hsize_t start[4] = {(hsize_t)when->at, 0, 0, 0}, count[4] = {1, (hsize_t)size[0], 1, 1};
  if (field) {
    start[rank - 1] = (hsize_t)patch->j_global, start[rank] = (hsize_t)patch->i_global;
    count[rank - 1] = (hsize_t)patch->ny, count[rank] = (hsize_t)patch->nx;
  }
  const int skip = !when->series;
  if (!HgReaderNumbers(reader, dataset, rank + 1 - skip, start + skip, count + skip, values))
    return false;
  if (when->clock && !read_clock(reader, when, when->clock)) return false;
  return !time || read_time(reader, when, time);
}

static void set_values(HgState state, int index, const double values[]) {
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(state));
  const HgVariable *variable = HgStateVariable(state, index);
  if (variable->kind == HG_REPLICATED)
    memcpy(HgStateArray(state, index), values, sizeof(double) * (size_t)variable->size);
  else
    for (int n = 0; n < HgStateRowCount(state, index); n++)
      for (int i = 0; i < patch->nx; i++)
        HgStateRow(state, index, n)[i] = (HgReal)values[(size_t)n * (size_t)patch->nx + (size_t)i];
  HgStateSetGhostDepth(state, index, 0);
}

static PetscErrorCode read_variable(HgState state, int index, const char path[],
                                    const char dataset[], When *when, double *time) {
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(state));
  const HgVariable *variable = HgStateVariable(state, index);
  const size_t numbers = variable->kind == HG_REPLICATED
                             ? (size_t)variable->size
                             : (size_t)HgStateRowCount(state, index) * (size_t)patch->nx;
  double *values = HgAllocate(numbers, sizeof(double)), when_read = 0;
  HgReader reader = {.file = -1, .problem = "no memory for a patch"};
  bool right = values && HgReaderOpen(&reader, path, false);
  if (right) {
    right = read_values(&reader, state, index, dataset, when, values, time ? &when_read : NULL);
    HgReaderClose(&reader);
  }
  const PetscErrorCode ierr =
      HgAgree(HgMeshComm(HgStateMesh(state)), !right,
              reader.absent ? HG_ERR_FILE_READ : HG_ERR_FILE_FORMAT, "%s", reader.problem);
  if (!ierr) set_values(state, index, values);
  if (!ierr && time) *time = when_read;
  free(values);
  return ierr;
}

static PetscErrorCode read_field(HgState state, const char name[], const char path[],
                                 const char dataset[], When *when, double *time) {
  int index;
  PetscCall(HgStateIndex(state, name, &index));
  const HgVariable *variable = HgStateVariable(state, index);
  HgRequire(HgMeshComm(HgStateMesh(state)), variable->kind != HG_LOCAL, HG_ERR_VARIABLE,
            "variable '%s' is an array of each rank's own, expected a field, or numbers that every "
            "rank holds, to read file '%s' into",
            name, path);
  return read_variable(state, index, path, dataset, when, time);
}

PetscErrorCode HgFieldRead(HgState state, const char name[], const char path[],
                           const char dataset[]) {
  return read_field(state, name, path, dataset, &(When){0}, NULL);
}

PetscErrorCode HgFieldReadAt(HgState state, const char name[], const char path[],
                             const char dataset[], long index, double *time) {
  return read_field(state, name, path, dataset, &(When){.series = true, .index = index}, time);
}

/* Whether results omit the variable. */
static bool is_empty(const HgVariable *v) { return v->kind == HG_REPLICATED && v->size == 0; }

PetscErrorCode HgResultsRead(HgState state, const char path[], long index, double *time) {
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(state));
  const int count = HgStateCount(state);
  HgState read;
  for (int k = 0; k < count; k++) {
    const HgVariable *variable = HgStateVariable(state, k);
    HgRequire(
        HgMeshComm(HgStateMesh(state)),
        variable->kind == HG_FIELD || variable->kind == HG_REPLICATED, HG_ERR_FILE_READ,
        "file '%s': variable '%s' cannot be read, as results hold no array of each rank's own "
        "and no ghosts",
        path, variable->name);
  }
  PetscCall(HgStateDuplicate(state, &read));
  PetscErrorCode ierr = 0;
  HgStateClock clock = {.dt = 0};
  double when = 0;
  for (int k = 0; !ierr && k < count; k++)
    if (!is_empty(HgStateVariable(state, k)))
      ierr = read_variable(read, k, path, HgStateVariable(state, k)->name,
                           &(When){.series = true, .index = index, .clock = &clock},
                           time ? &when : NULL);

  if (!ierr) HgStateSetClock(state, clock);
  for (int k = 0; !ierr && k < count; k++) {
    if (HgStateVariable(state, k)->kind == HG_REPLICATED)
      set_values(state, k, HgStateArray(read, k));
    else
      for (int n = 0; n < HgStateRowCount(state, k); n++)
        memcpy(HgStateRow(state, k, n), HgStateRow(read, k, n), sizeof(HgReal) * (size_t)patch->nx);
    HgStateSetGhostDepth(state, k, 0);
  }
  if (!ierr && time) *time = when;
  PetscCall(HgStateDestroy(&read));
  return ierr;
}
