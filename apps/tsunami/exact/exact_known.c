/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact_known.h"
#include <math.h>
#include <petscblaslapack.h>

PetscErrorCode ExactKnownCreate(const ExactMap *map, ExactKnown *k) {
  const int n = map->readings;
  *k = (ExactKnown){0};
  PetscCall(PetscCalloc2(map->unknowns, &k->source, map->unknowns, &k->deviation));
  return PetscCalloc7(n, &k->predicted, n, &k->unsure, n, &k->left_out, n, &k->left_unsure,
                      map->gauges, &k->chi2, n, &k->y, n, &k->weights);
}

PetscErrorCode ExactKnownDestroy(ExactKnown *k) {
  PetscCall(PetscFree2(k->source, k->deviation));
  return PetscFree7(k->predicted, k->unsure, k->left_out, k->left_unsure, k->chi2, k->y,
                    k->weights);
}

/* mean[c] = sum y_i rows_ic, deviation[c] = sqrt(before[c] - sum rows_ic^2), i < count */
static void sum_rows(int count, int columns, const double rows[], const double y[],
                     const double before[], double mean[], double deviation[]) {
  for (int c = 0; c < columns; c++) mean[c] = 0, deviation[c] = before[c];
  for (int i = 0; i < count; i++) {
    const double *const row = rows + (size_t)i * (size_t)columns;
    for (int c = 0; c < columns; c++) mean[c] += y[i] * row[c], deviation[c] -= row[c] * row[c];
  }
  for (int c = 0; c < columns; c++) deviation[c] = sqrt(fmax(deviation[c], 0));
}

/* The total and, of a volume, its centroid. */
static void update_functionals(const ExactMap *map, ExactKnown *k) {
  enum { N = EXACT_FUNCTIONALS };

  double f[N] = {0}, C[N][N], *const centroid[N] = {NULL, &k->east.mean, &k->north.mean};
  double *const deviation[N] = {NULL, &k->east.deviation, &k->north.deviation};
  for (int a = 0; a < N; a++)
    for (int b = 0; b < N; b++) C[a][b] = map->FCF[a * N + b];
  for (int i = 0; i < k->readings; i++)
    for (int a = 0; a < N; a++) {
      f[a] += k->y[i] * map->XF[i * N + a];
      for (int b = 0; b < N; b++) C[a][b] -= map->XF[i * N + a] * map->XF[i * N + b];
    }
  k->total = (ExactNumber){f[0], sqrt(fmax(C[0][0], 0))};
  k->before = (ExactNumber){0, sqrt(map->FCF[0])};
  for (int a = 1; a < N; a++) {
    const double c = f[a] / f[0]; /* its derivatives are (-c, 1) / f[0] */
    *centroid[a] = f[0] > 0 ? c : NAN;
    *deviation[a] =
        f[0] > 0 ? sqrt(fmax(C[a][a] - 2 * c * C[0][a] + c * c * C[0][0], 0)) / f[0] : NAN;
  }
}

PetscErrorCode ExactKnownUpdate(const ExactMap *map, const ExactReadings *readings, int count,
                                ExactKnown *k) {
  const PetscBLASInt n = map->readings, p = count, single = 1;
  const PetscScalar one = 1;
  k->readings = count;
  PetscCall(PetscArrayzero(k->y, n));
  PetscCall(PetscArraycpy(k->y, readings->value, count));
  if (count)
    PetscCallBLAS("BLAStrsm",
                  BLAStrsm_("R", "U", "N", "N", &single, &p, &one, map->L, &n, k->y, &single));
  k->J = k->evidence = k->misfit = 0;
  for (int i = 0; i < count; i++) {
    k->J += 0.5 * k->y[i] * k->y[i];
    k->evidence -= log(map->L[i * n + i]) + 0.5 * log(2 * PETSC_PI);
  }
  k->evidence -= k->J;
  for (int r = 0; r < n; r++) { /* before: (G C G^T)_rr = (L L^T - S)_rr */
    k->weights[r] = -ExactMapNoise(map, r) * ExactMapNoise(map, r);
    for (int c = 0; c <= r; c++) k->weights[r] += map->L[r * n + c] * map->L[r * n + c];
  }
  sum_rows(count, n, map->Z, k->y, k->weights, k->predicted, k->unsure);
  sum_rows(count, map->unknowns, map->X, k->y, map->before, k->source, k->deviation);
  for (int r = 0; r < count; r++) {
    const double left = (k->predicted[r] - readings->value[r]) / ExactMapNoise(map, r);
    k->misfit += 0.5 * left * left;
  }
  update_functionals(map, k);
  return 0;
}

PetscErrorCode ExactKnownLeaveOut(const ExactMap *map, const ExactReadings *readings,
                                  ExactKnown *k) {
  const PetscBLASInt n = map->readings, single = 1;
  const PetscScalar one = 1;
  PetscCall(PetscArraycpy(k->weights, k->y, n)); /* M^-1 d = L^-T y */
  PetscCallBLAS("BLAStrsm",
                BLAStrsm_("L", "U", "N", "N", &n, &single, &one, map->L, &n, k->weights, &n));
  PetscCall(PetscArrayzero(k->chi2, map->gauges));
  for (int r = 0; r < n; r++) {
    double error = 0;
    for (int c = 0; c < n; c++) error += map->R[r * n + c] * k->weights[c];
    k->left_out[r] = readings->value[r] - error;
    k->left_unsure[r] = sqrt(map->R[r * n + r]);
    k->chi2[readings->gauge[r]] += error * k->weights[r];
  }
  return 0;
}
