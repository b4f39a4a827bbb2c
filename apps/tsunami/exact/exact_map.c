/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact_map.h"
#include <math.h>
#include <petscblaslapack.h>

enum { ARRAYS = 17, LARGEST = 1 << 28 };

/* Sizes of arrays are ints. */
static PetscErrorCode require_small(const ExactSource *source, int readings) {
  HgRequire(
      PETSC_COMM_WORLD, (double)readings * PetscMax(source->count, readings) <= LARGEST,
      HG_ERR_MEMORY,
      "exact posterior: a map from %d %s to %d readings, expected at most 2^28 numbers in it, "
      "by a smaller box, fewer gauges or shorter windows",
      source->count, source->slip ? "subfaults" : "cells", readings);
  return 0;
}

PetscErrorCode ExactMapCreate(const ExactSource *source, int readings, int gauges, ExactMap *map) {
  const int unknowns = source->count, cells = source->box.cells, rows = readings * unknowns,
            square = readings * readings;
  const char *const F = source->slip ? "1e22 N m" : "km^3", *const FF = source->slip
                                                                            ? "1e44 N^2 m^2"
                                                                            : "km^6";

  const struct {
    const char *name, *unit;
    int size;
    double **numbers;
  } array[ARRAYS] = {{"head", "1", EXACT_HEAD, &map->head},
                     {"G", "1", rows, &map->G},
                     {"X", "m", rows, &map->X},
                     {"Z", "m", square, &map->Z},
                     {"L", "m", square, &map->L},
                     {"R", "m^2", square, &map->R},
                     {"before", "m^2", unknowns, &map->before},
                     {"a", "1", cells, &map->a},
                     {"XF", F, readings * EXACT_FUNCTIONALS, &map->XF},
                     {"FCF", FF, EXACT_FUNCTIONALS * EXACT_FUNCTIONALS, &map->FCF},
                     {"east", "degrees", cells, &map->east},
                     {"north", "degrees", cells, &map->north},
                     {"reading_gauge", "1", readings, &map->gauge},
                     {"reading_time", "s", readings, &map->time},
                     {"reading_sigma", "m", readings, &map->sigma},
                     {"gauge_east", "degrees", gauges, &map->gauge_east},
                     {"gauge_north", "degrees", gauges, &map->gauge_north}};

  HgVariable all[ARRAYS];
  *map = (ExactMap){.readings = readings, .unknowns = unknowns, .gauges = gauges};
  PetscCall(require_small(source, readings));
  for (int k = 0; k < ARRAYS; k++)
    all[k] = (HgVariable){array[k].name, array[k].unit, HG_REPLICATED, array[k].size};
  PetscCall(HgStateCreate(source->sea->mesh, ARRAYS, all, &map->state));
  for (int k = 0; k < ARRAYS; k++) *array[k].numbers = HgStateArray(map->state, k);
  return 0;
}

PetscErrorCode ExactMapDestroy(ExactMap *map) { return HgStateDestroy(&map->state); }

/* ---- what follows from G ---- */

static double dot(int n, const double a[], const double b[]) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* X = G C, before = diag C, FCF = F C F^T. */
static PetscErrorCode apply_prior(const ExactSource *source, ExactMap *map) {
  const int n = map->unknowns;
  const double *const F = source->functional;
  Mat factor;
  double *b, *x;
  PetscCall(ExactSourceFactor(source, &map->prior, &factor));
  PetscCall(PetscCalloc2(n, &b, n, &x));
  for (size_t r = 0; r < (size_t)map->readings; r++)
    PetscCall(ExactSourceSolve(source, factor, map->G + r * (size_t)n, map->X + r * (size_t)n));
  for (int c = 0; c < n; c++) {
    b[c] = 1;
    PetscCall(ExactSourceSolve(source, factor, b, x));
    map->before[c] = x[c], b[c] = 0;
  }
  for (int f = 0; f < EXACT_FUNCTIONALS; f++) {
    PetscCall(ExactSourceSolve(source, factor, F + f * n, x));
    for (int g = 0; g < EXACT_FUNCTIONALS; g++)
      map->FCF[f * EXACT_FUNCTIONALS + g] = dot(n, F + g * n, x);
  }
  PetscCall(PetscFree2(b, x));
  return MatDestroy(&factor);
}

/* From here on a matrix that is kept row by row is LAPACK's transposed: L is its upper factor.

   X, Z = L^-1 G C, L^-1 G C G^T; XF = X F^T. */
static PetscErrorCode apply_data(const ExactSource *source, ExactMap *map, PetscBLASInt *wrong) {
  const PetscBLASInt n = map->readings, cells = map->unknowns;
  const PetscScalar one = 1, zero = 0;
  PetscCallBLAS("BLASgemm", BLASgemm_("T", "N", &n, &n, &cells, &one, map->X, &cells, map->G,
                                      &cells, &zero, map->Z, &n));
  PetscCall(PetscArraycpy(map->L, map->Z, n * n));
  for (int r = 0; r < n; r++) map->L[r * n + r] += ExactMapNoise(map, r) * ExactMapNoise(map, r);
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &n, map->L, &n, wrong));
  if (*wrong) return 0;
  for (int r = 0; r < n; r++)
    for (int c = r + 1; c < n; c++) map->L[r * n + c] = 0;
  PetscCallBLAS("BLAStrsm",
                BLAStrsm_("R", "U", "N", "N", &cells, &n, &one, map->L, &n, map->X, &cells));
  PetscCallBLAS("BLAStrsm", BLAStrsm_("R", "U", "N", "N", &n, &n, &one, map->L, &n, map->Z, &n));
  for (int r = 0; r < n; r++)
    for (int f = 0; f < EXACT_FUNCTIONALS; f++)
      map->XF[r * EXACT_FUNCTIONALS + f] =
          dot(cells, source->functional + f * cells, map->X + (size_t)r * (size_t)cells);
  return 0;
}

/* R of one gauge: the inverse of its block of M^-1, here the upper triangle of `inverse`. */
static PetscErrorCode leave_out(const ExactReadings *readings, int gauge, const double inverse[],
                                int which[], double block[], ExactMap *map, PetscBLASInt *wrong) {
  const int n = map->readings;
  PetscBLASInt size = 0;
  for (int r = 0; r < n; r++)
    if (readings->gauge[r] == gauge) which[size++] = r;
  for (int c = 0; c < size; c++)
    for (int r = 0; r <= c; r++) block[c * size + r] = inverse[which[c] * n + which[r]];
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &size, block, &size, wrong));
  if (!*wrong) PetscCallBLAS("LAPACKpotri", LAPACKpotri_("U", &size, block, &size, wrong));
  for (int c = 0; c < size; c++)
    for (int r = 0; r <= c; r++)
      map->R[which[c] * n + which[r]] = map->R[which[r] * n + which[c]] = block[c * size + r];
  return 0;
}

static PetscErrorCode leave_each_out(const ExactReadings *readings, ExactMap *map,
                                     PetscBLASInt *wrong) {
  const PetscBLASInt n = map->readings;
  double *inverse, *block;
  int *which;
  PetscCall(PetscMalloc3(n * n, &inverse, n * n, &block, n, &which));
  PetscCall(PetscArraycpy(inverse, map->L, n * n));
  PetscCallBLAS("LAPACKpotri", LAPACKpotri_("U", &n, inverse, &n, wrong));
  for (int k = 0; k < map->gauges && !*wrong; k++)
    PetscCall(leave_out(readings, k, inverse, which, block, map, wrong));
  return PetscFree3(inverse, block, which);
}

PetscErrorCode ExactMapFactor(const ExactSource *source, const ExactReadings *readings,
                              const ExactPrior *prior, ExactMap *map) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(map->state));
  int rank;
  PetscBLASInt wrong = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  map->prior = *prior;
  for (int r = 0; r < map->readings; r++) {
    map->gauge[r] = readings->gauge[r];
    map->time[r] = readings->time[r], map->sigma[r] = readings->sigma[r];
  }
  if (!rank) {
    PetscCall(apply_prior(source, map));
    PetscCall(apply_data(source, map, &wrong));
    if (!wrong) PetscCall(leave_each_out(readings, map, &wrong));
  }
  PetscCall(HgAgree(comm, wrong != 0, HG_ERR_CONTROL,
                    "exact posterior: the covariance of the %d readings is not positive definite; "
                    "expected larger sigmas, or fewer readings",
                    map->readings));
  for (int k = 0; k < HgStateCount(map->state); k++)
    PetscCallMPI(MPI_Bcast(HgStateArray(map->state, k), HgStateVariable(map->state, k)->size,
                           MPI_DOUBLE, 0, comm));
  return 0;
}
