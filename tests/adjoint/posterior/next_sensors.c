/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the sensors chosen next, and the trace that each leaves, are those of C - C G^T (G C G^T +
   sigma^2)^-1 G C of all readings at once, tried for every candidate, to 1e-10. */
#include "claim.h"
#include <halograd/posterior_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <petscmat.h>

enum { CONTROLS = 30, SAMPLES = 12, CANDIDATES = 9, READINGS = 3, CHOSEN = 4 };

static const double sigma = 0.3;

/* Random, rows of mean 0. */
static void fill(double *a, int rows, uint64_t seed) {
  for (int r = 0; r < rows; r++) {
    double mean = 0, *const row = a + r * SAMPLES;
    for (int k = 0; k < SAMPLES; k++)
      row[k] = HgGaussian(1, seed, (uint64_t)(r * SAMPLES + k)), mean += row[k] / SAMPLES;
    for (int k = 0; k < SAMPLES; k++) row[k] -= mean;
  }
}

/* The trace of C less what `n` readings, rows of G, take of it, by LAPACK. */
static PetscErrorCode trace_after(Mat C, int n, double *const row[], double *left) {
  Mat G, CG, S, X;
  double *g, traced;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, CONTROLS, n, NULL, &G)); /* G^T */
  PetscCall(MatDenseGetArray(G, &g));
  for (int r = 0; r < n; r++) PetscCall(PetscArraycpy(g + r * CONTROLS, row[r], CONTROLS));
  PetscCall(MatDenseRestoreArray(G, &g));
  PetscCall(MatMatMult(C, G, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &CG));
  PetscCall(MatTransposeMatMult(G, CG, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &S));
  PetscCall(MatShift(S, sigma * sigma));
  PetscCall(MatTransposeMatMult(CG, CG, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &X));
  PetscCall(MatGetTrace(C, left));
  PetscCall(MatLUFactor(S, NULL, NULL, NULL));
  Mat solved;
  PetscCall(MatDuplicate(X, MAT_DO_NOT_COPY_VALUES, &solved));
  PetscCall(MatMatSolve(S, X, solved));
  PetscCall(MatGetTrace(solved, &traced));
  *left -= traced;
  Mat *const all[] = {&G, &CG, &S, &X, &solved};
  for (int k = 0; k < 5; k++) PetscCall(MatDestroy(all[k]));
  return 0;
}

/* C = A A^T / (SAMPLES - 1), M = A^T A, Y = G A */
static PetscErrorCode make(const double A[], const double G[], Mat *C, double M[], double Y[]) {
  double *c;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, CONTROLS, CONTROLS, NULL, C));
  PetscCall(MatDenseGetArray(*C, &c));
  for (int i = 0; i < CONTROLS; i++)
    for (int j = 0; j < CONTROLS; j++)
      for (int k = 0; k < SAMPLES; k++)
        c[i * CONTROLS + j] += A[i * SAMPLES + k] * A[j * SAMPLES + k] / (SAMPLES - 1);
  PetscCall(MatDenseRestoreArray(*C, &c));
  for (int k = 0; k < SAMPLES; k++)
    for (int i = 0; i < CONTROLS; i++) {
      for (int l = 0; l < SAMPLES; l++)
        M[k * SAMPLES + l] += A[i * SAMPLES + k] * A[i * SAMPLES + l];
      for (int r = 0; r < CANDIDATES * READINGS; r++)
        Y[r * SAMPLES + k] += G[r * CONTROLS + i] * A[i * SAMPLES + k];
    }
  return 0;
}

static PetscErrorCode test(void) {
  const HgCandidates candidates = {SAMPLES, CANDIDATES, READINGS, sigma};
  double A[CONTROLS * SAMPLES], G[CANDIDATES * READINGS * CONTROLS],
      M[SAMPLES * SAMPLES] = {0}, Y[CANDIDATES * READINGS * SAMPLES] = {0}, left[CHOSEN], all,
                  *row[CHOSEN * READINGS];
  int chosen[CHOSEN];
  Mat C;
  fill(A, CONTROLS, 1);
  for (int k = 0; k < CANDIDATES * READINGS * CONTROLS; k++)
    G[k] = 0.1 * HgGaussian(1, 2, (uint64_t)k);
  PetscCall(make(A, G, &C, M, Y));
  PetscCall(MatGetTrace(C, &all));
  PetscCall(HgNextSensors(&candidates, CHOSEN, M, Y, chosen, left));
  for (int s = 0; s < CHOSEN; s++) {
    double least = INFINITY;
    int best = -1;
    for (int k = 0; k < CANDIDATES; k++) {
      double now;
      for (int r = 0; r < READINGS; r++) row[s * READINGS + r] = G + (k * READINGS + r) * CONTROLS;
      PetscCall(trace_after(C, (s + 1) * READINGS, row, &now));
      if (now < least) least = now, best = k;
    }
    for (int r = 0; r < READINGS; r++) row[s * READINGS + r] = G + (best * READINGS + r) * CONTROLS;
    claim_that(chosen[s] == best, "sensor %d: candidate %d, expected %d", s, chosen[s], best);
    claim_at_most(fabs(left[s] - least / all), 1e-10, "sensor %d: what is left", s);
  }
  claim_that(left[CHOSEN - 1] < 0.9, "sensors tell something: %g is left", left[CHOSEN - 1]);
  return MatDestroy(&C);
}

CLAIM("sensors chosen next are those that leave least", 0, test)
