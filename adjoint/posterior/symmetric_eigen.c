/* SPDX-License-Identifier: BSD-2-Clause */
/* Cyclic Jacobi: rotations make one entry beside the diagonal 0 after another, until all are 0 to
   rounding. Its sums have a fixed order, unlike LAPACK's. Source: Golub & Van Loan, Matrix
   Computations, section 8.5. */
#include "posterior_private.h"
#include <float.h>
#include <math.h>

enum { SWEEPS = 60 };

static void swap(double *a, double *b) {
  const double kept = *a;
  *a = *b, *b = kept;
}

/* (a, b) <- (c a - s b, s a + c b) of `n` numbers, `step` apart. */
static void rotate(int n, int step, double c, double s, double a[], double b[]) {
  for (int k = 0; k < n; k++) {
    const double x = a[k * step], y = b[k * step];
    a[k * step] = c * x - s * y, b[k * step] = s * x + c * y;
  }
}

/* A[p][q] = A[q][p] = 0 */
static void annihilate(int n, double A[], double V[], int p, int q) {
  const double apq = A[p * n + q], theta = (A[q * n + q] - A[p * n + p]) / (2 * apq),
               t = copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta)),
               c = 1 / sqrt(1 + t * t), s = t * c;
  rotate(n, n, c, s, A + p, A + q);
  rotate(n, 1, c, s, A + p * n, A + q * n);
  rotate(n, 1, c, s, V + p * n, V + q * n);
  A[p * n + q] = A[q * n + p] = 0;
}

static bool negligible(int n, const double A[], int p, int q) {
  const double scale = sqrt(fabs(A[p * n + p])) * sqrt(fabs(A[q * n + q]));
  return fabs(A[p * n + q]) <= 0.5 * DBL_EPSILON * scale || fabs(A[p * n + q]) < DBL_MIN;
}

bool HgSymmetricEigen(int n, double A[], double lambda[], double V[]) {
  bool changed = true;
  for (int k = 0; k < n * n; k++) V[k] = k % (n + 1) == 0;
  for (int sweep = 0; changed && sweep < SWEEPS; sweep++) {
    changed = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (!negligible(n, A, p, q)) annihilate(n, A, V, p, q), changed = true;
  }
  for (int k = 0; k < n; k++) lambda[k] = A[k * n + k];
  for (int p = 0; p < n; p++)
    for (int q = p + 1; q < n; q++)
      if (lambda[q] < lambda[p]) {
        swap(&lambda[p], &lambda[q]);
        for (int k = 0; k < n; k++) swap(&V[p * n + k], &V[q * n + k]);
      }
  return !changed;
}
