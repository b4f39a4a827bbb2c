/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/memory_library.h>
#include <halograd/observations_library.h>
#include <halograd/state_library.h>
#include <halograd/unit_library.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double HgObservationsBytes(int times, int sensors) {
  const double n = times, k = sensors, sensor = 3 * sizeof(double) + HG_OBSERVATIONS_LABEL;
  return n * sizeof(double) + k * sensor + 2 * n * k * sizeof(double);
}

HgObservations *HgObservationsNew(const char name[], const char unit[], int times, int sensors) {
  HgObservations *o = HgAllocate(1, sizeof *o);
  if (!o) return NULL;
  snprintf(o->name, sizeof o->name, "%s", name);
  snprintf(o->unit, sizeof o->unit, "%s", unit);
  o->times = times;
  o->sensors = sensors;
  const size_t n = (size_t)times, k = (size_t)sensors;
  o->time = HgAllocate(n + 3 * k + 2 * n * k, sizeof(double));
  o->label = HgAllocate(k, sizeof *o->label);
  if (!o->time || !o->label) {
    HgObservationsDestroy(&o);
    return NULL;
  }
  o->x = o->time + n, o->y = o->x + k, o->z = o->y + k;
  o->value = o->z + k, o->sigma = o->value + n * k;
  for (size_t m = 0; m < n * k; m++) o->sigma[m] = 1;
  return o;
}

PetscErrorCode HgObservationsDestroy(HgObservations **observations) {
  HgObservations *o = *observations;
  *observations = NULL;
  if (!o) return 0;
  free(o->time);
  free(o->label);
  free(o);
  return 0;
}

const char *HgObservationsPlaceUnit(const HgObservations *o) {
  return o->degrees ? "degrees" : "m";
}

/* A name for a dataset beside those of a file of observations. */
static bool fits_file(const char name[]) {
  static const char *const taken[] = {"time", "sensor", "x", "y", "z"};
  for (int k = 0; k < 5; k++)
    if (!strcmp(name, taken[k])) return false;
  return name[0] && strlen(name) < 32 && !strchr(name, '/');
}

PetscErrorCode HgObservationsCreate(MPI_Comm comm, const char name[], const char unit[], int times,
                                    int sensors, HgObservations **observations) {
  *observations = NULL;
  HgRequire(comm, times >= 1 && sensors >= 1 && (int64_t)times * sensors <= HG_OBSERVATIONS_LARGEST,
            HG_ERR_DATA,
            "observations of '%s': %d times and %d sensors, expected at least one of each and at "
            "most %d values",
            name, times, sensors, HG_OBSERVATIONS_LARGEST);
  HgRequire(comm, fits_file(name), HG_ERR_FILE_NAME,
            "observations of '%s': expected a name of 1 to 31 characters without '/', other than "
            "time, sensor, x, y and z",
            name);
  unit = HgUnitText(unit);
  HgRequire(comm, strlen(unit) < 32, HG_ERR_DATA,
            "observations of '%s': expected a unit of at most 31 characters, got '%s'", name, unit);
  HgObservations *o = HgObservationsNew(name, unit, times, sensors);
  PetscCall(HgAgree(comm, !o, HG_ERR_MEMORY, "observations of '%s': no memory for %d x %d values",
                    name, times, sensors));
  *observations = o;
  return 0;
}

bool HgObservationsMeasured(const HgObservations *o, bool gaps, const char where[], char problem[],
                            size_t size) {
  const size_t n = (size_t)o->times, s = (size_t)o->sensors;
  for (size_t k = 0; k < n * s; k++) {
    const char *const label = o->label[k % s];
    if (!isfinite(o->value[k])) {
      snprintf(problem, size,
               "%s: value of '%s' at time %zu, sensor %zu is %g%s%s, expected a finite number%s",
               where, o->name, k / s, k % s, o->value[k], HG_UNIT_BEHIND(o->unit), label);
      return false;
    }
    if (!(o->sigma[k] > 0) || (isinf(o->sigma[k]) && !gaps)) {
      snprintf(problem, size,
               "%s: standard deviation of '%s' at time %zu, sensor %zu is %g%s%s, expected a %s"
               "number above 0%s",
               where, o->name, k / s, k % s, o->sigma[k], HG_UNIT_BEHIND(o->unit),
               gaps ? "" : "finite ", label);
      return false;
    }
  }
  return true;
}

/* Checks the numbers; `path` is only for the error's sentence. */
bool HgObservationsSound(const HgObservations *o, bool gaps, const char path[], char problem[],
                         size_t size) {
  const size_t n = (size_t)o->times, s = (size_t)o->sensors;
  for (size_t k = 0; k < n; k++) {
    if (!isfinite(o->time[k])) {
      snprintf(problem, size, "file '%s': time[%zu] is %g, expected a finite number", path, k,
               o->time[k]);
      return false;
    }
    if (k && !(o->time[k] > o->time[k - 1])) {
      snprintf(problem, size,
               "file '%s': time[%zu] = %.17g s %s time[%zu] = %.17g s, expected increasing times",
               path, k, o->time[k], o->time[k] < o->time[k - 1] ? "comes before" : "repeats", k - 1,
               o->time[k - 1]);
      return false;
    }
  }
  for (size_t k = 0; k < s; k++)
    if (!isfinite(o->x[k]) || !isfinite(o->y[k]) || !isfinite(o->z[k])) {
      char height[48] = "";
      if (o->levels) snprintf(height, sizeof height, ", z = %g m", o->z[k]);
      snprintf(problem, size, "file '%s': sensor %zu is at (%g, %g) %s%s, expected finite numbers",
               path, k, o->x[k], o->y[k], HgObservationsPlaceUnit(o), height);
      return false;
    }
  char where[PETSC_MAX_PATH_LEN + 16];
  snprintf(where, sizeof where, "file '%s'", path);
  return HgObservationsMeasured(o, gaps, where, problem, size);
}

static bool outside(double position, double first, int cells, double size, bool periodic) {
  const double low = first - 0.5 * size, high = first + (cells - 0.5) * size;
  return !isfinite(position) ||
         (!periodic && !(position >= low - 1e-9 * size && position <= high + 1e-9 * size));
}

PetscErrorCode HgObservationsInside(const HgObservations *o, HgMesh mesh) {
  const HgMeshSpec *g = HgMeshGetSpec(mesh);
  const char *const unit = HgMeshGetMetric(mesh)->unit, *const given = HgObservationsPlaceUnit(o);
  HgRequire(HgMeshComm(mesh), o->degrees == (g->radius > 0), HG_ERR_DATA,
            "observations of '%s'%s: their places are in %s, expected %s, as the mesh has them",
            o->name, o->label[0], given, unit);
  HgRequire(HgMeshComm(mesh), o->levels == (g->nz > 0), HG_ERR_DATA,
            "observations of '%s'%s: their places have %s z, but the mesh has %s levels", o->name,
            o->label[0], o->levels ? "a" : "no", g->nz ? "some" : "no");
  for (int k = 0; k < o->sensors; k++) {
    HgRequire(HgMeshComm(mesh), !outside(o->x[k], g->x0, g->nx, g->dx, g->periodic_x), HG_ERR_DATA,
              "sensor %d%s is at x = %g %s, expected inside the domain, %g to %g %s", k,
              o->label[k], o->x[k], unit, g->x0 - 0.5 * g->dx, g->x0 + (g->nx - 0.5) * g->dx, unit);
    HgRequire(HgMeshComm(mesh), !outside(o->y[k], g->y0, g->ny, g->dy, g->periodic_y), HG_ERR_DATA,
              "sensor %d%s is at y = %g %s, expected inside the domain, %g to %g %s", k,
              o->label[k], o->y[k], unit, g->y0 - 0.5 * g->dy, g->y0 + (g->ny - 0.5) * g->dy, unit);
    HgRequire(HgMeshComm(mesh), !o->levels || !outside(o->z[k], g->z0, g->nz, g->dz, g->periodic_z),
              HG_ERR_DATA, "sensor %d%s is at z = %g m, expected inside the domain, %g to %g m", k,
              o->label[k], o->z[k], g->z0 - 0.5 * g->dz, g->z0 + (g->nz - 0.5) * g->dz);
  }
  return 0;
}

void HgObservationsAddNoise(HgObservations *o, double sigma, uint64_t seed) {
  for (int k = 0; k < o->times * o->sensors; k++) {
    if (isinf(o->sigma[k])) continue;
    o->value[k] += HgGaussian(sigma, seed, (uint64_t)k);
    o->sigma[k] = sigma;
  }
}
