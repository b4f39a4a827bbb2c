/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/posterior_library.h>
#include <math.h>

static double product(int n, const double u[], const double v[]) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += u[k] * v[k];
  return sum;
}

static double trace(int n, const double M[]) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += M[k * n + k];
  return sum;
}

/* Updates the samples after reading y: M and `rows` readings u become A T and u T, T = 1 - g y y^T.
   b: n numbers of scratch. */
static void assimilate(const HgCandidates *c, const double y[], double M[], int rows, double u[],
                       double b[]) {
  const int n = c->samples;
  const double noise = c->sigma * c->sigma, spread = product(n, y, y) / (n - 1) + noise,
               g = 1 / (1 + sqrt(noise / spread)) / ((n - 1) * spread);
  for (int k = 0; k < n; k++) b[k] = product(n, M + k * n, y);
  const double square = product(n, y, b);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++)
      M[k * n + l] += g * (g * square * (y[k] * y[l]) - (y[k] * b[l] + b[k] * y[l]));
  for (int r = 0; r < rows; r++) {
    double *const row = u + (size_t)r * (size_t)n, along = g * product(n, row, y);
    for (int k = 0; k < n; k++) row[k] -= along * y[k];
  }
}

/* Reads all readings of a candidate, one after another; updates the readings `u`. */
static void read_all(const HgCandidates *c, double Y[], double M[], int rows, double u[],
                     double work[]) {
  const int n = c->samples;
  for (int t = 0; t < c->readings; t++) {
    double *const y = work + n, *const own = Y + (size_t)t * (size_t)n;
    for (int k = 0; k < n; k++) y[k] = own[k];
    if (u) assimilate(c, y, M, rows, u, work);
    else assimilate(c, y, M, c->readings - t - 1, own + n, work);
  }
}

PetscErrorCode HgNextSensors(const HgCandidates *c, int count, double M[], double Y[], int chosen[],
                             double left[]) {
  const int n = c->samples;
  const size_t square = (size_t)n * (size_t)n, each = (size_t)c->readings * (size_t)n;
  const double before = trace(n, M);
  double *M_after, *Y_own, *work;
  PetscCall(PetscMalloc3(square, &M_after, each, &Y_own, 2 * n, &work));
  for (int s = 0; s < count; s++) {
    chosen[s] = 0, left[s] = INFINITY;
    for (int k = 0; k < c->count; k++) {
      PetscCall(PetscArraycpy(M_after, M, square));
      PetscCall(PetscArraycpy(Y_own, Y + (size_t)k * each, each));
      read_all(c, Y_own, M_after, 0, NULL, work);
      const double now = trace(n, M_after) / before;
      if (now < left[s]) chosen[s] = k, left[s] = now;
    }
    read_all(c, Y + (size_t)chosen[s] * each, M, c->count * c->readings, Y, work);
  }
  return PetscFree3(M_after, Y_own, work);
}
