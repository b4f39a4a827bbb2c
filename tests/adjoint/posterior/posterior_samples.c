/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: samples before and after the data are normal numbers in the dense inverse covariances: the
   square of a sample is the sum of the squares of its random numbers, to 1e-9; over many samples
   variances of controls, and of what a run of the model reads, are those of the dense covariances
   within what a chi-square variable leaves once in a million. */
#include "claim.h"
#include "posterior_case.h"

enum { ALL = 60 /* the data are 42 numbers */, SAMPLES = 2000, SIDES = 2, READINGS = 42 };

static const double once = 1e-6;

typedef struct {
  PosteriorCase c;
  PetscInt n;
  Mat precision[SIDES], covariance[SIDES]; /* before, after */
  HgState sample[SIDES], J;
  double *m, *x, found[READINGS];
  double *square[SIDES]; /* of controls, then readings, added over all samples */
  double *G;             /* [n][READINGS] */
} Case;

/* value[] = what sensors read in a run with the controls x. */
static PetscErrorCode readings(Case *c, const double x[], HgState m, double value[READINGS]) {
  if (x) HgStateUnpack(x, m);
  PetscCall(HgOperatorApply(c->c.misfit, m, c->J));
  return HgObjectivePredicted(c->c.heat.objective, 0, value);
}

static PetscErrorCode create(Case *c) {
  PetscCall(posterior_create(PETSC_COMM_WORLD, 0, 0, &c->c));
  PetscCall(HgStateRandom(c->c.m, 9));
  c->n = (PetscInt)HgStateLength(c->c.m);
  PetscCall(PetscCalloc5(c->n, &c->m, c->n, &c->x, c->n + READINGS, &c->square[0], c->n + READINGS,
                         &c->square[1], c->n * READINGS, &c->G));
  HgStatePack(c->c.m, c->m);
  PetscCall(HgOperatorCreateOutput(c->c.misfit, &c->J));
  PetscCall(dense_hessian(c->c.R, c->c.m, &c->precision[0]));
  PetscCall(dense_hessian(c->c.misfit, c->c.m, &c->precision[1]));
  PetscCall(MatAXPY(c->precision[1], 1, c->precision[0], SAME_NONZERO_PATTERN));
  for (int side = 0; side < SIDES; side++) {
    Mat factor;
    PetscCall(HgStateDuplicate(c->c.m, &c->sample[side]));
    PetscCall(MatDuplicate(c->precision[side], MAT_COPY_VALUES, &factor));
    PetscCall(dense_invert(factor, &c->covariance[side]));
    PetscCall(MatDestroy(&factor));
  }
  for (PetscInt k = 0; k < c->n; k++) {
    double zero[READINGS];
    PetscCall(PetscArrayzero(c->x, c->n));
    PetscCall(readings(c, c->x, c->sample[0], zero));
    c->x[k] = 1;
    PetscCall(readings(c, c->x, c->sample[0], c->G + k * READINGS));
    for (int r = 0; r < READINGS; r++) c->G[k * READINGS + r] -= zero[r];
  }
  return readings(c, NULL, c->c.m, c->found);
}

/* <d, A d> */
static PetscErrorCode square_of(Mat A, PetscInt n, const double d[], double *square) {
  const double *a;
  *square = 0;
  PetscCall(MatDenseGetArrayRead(A, &a));
  for (PetscInt k = 0; k < n; k++)
    for (PetscInt l = 0; l < n; l++) *square += d[k] * a[k * n + l] * d[l];
  return MatDenseRestoreArrayRead(A, &a);
}

/* R is least at 0. */
static PetscErrorCode add(Case *c, uint64_t seed, int side, double expected) {
  double value[READINGS], square;
  HgStatePack(c->sample[side], c->x);
  for (PetscInt k = 0; side && k < c->n; k++) c->x[k] -= c->m[k];
  for (PetscInt k = 0; k < c->n; k++) c->square[side][k] += c->x[k] * c->x[k];
  if (seed <= 5) {
    PetscCall(square_of(c->precision[side], c->n, c->x, &square));
    claim_at_most(fabs(square / expected - 1), 1e-9, "sample %d, %s the data: its square",
                  (int)seed, side ? "after" : "before");
  }
  PetscCall(readings(c, NULL, c->sample[side], value));
  for (int r = 0; r < READINGS; r++) {
    double centre = 0; /* before the data */
    for (PetscInt k = 0; k < c->n; k++) centre -= c->G[k * READINGS + r] * c->m[k];
    const double off = value[r] - c->found[r] - (side ? 0 : centre);
    c->square[side][c->n + r] += off * off;
  }
  return 0;
}

/* Of control or reading k. */
static double variance(const Case *c, const double covariance[], PetscInt k) {
  if (k < c->n) return covariance[k * c->n + k];
  double sum = 0;
  for (PetscInt a = 0; a < c->n; a++)
    for (PetscInt b = 0; b < c->n; b++)
      sum +=
          c->G[a * READINGS + k - c->n] * covariance[a * c->n + b] * c->G[b * READINGS + k - c->n];
  return sum;
}

/* P(chi^2_K > K + 2 sqrt(K x) + 2 x) and P(chi^2_K < K - 2 sqrt(K x)) are at most exp(-x). Source:
   B. Laurent & P. Massart, Ann. Statist. 28 (2000). */
static PetscErrorCode expect_variances(Case *c, int side) {
  const double claims = 2.0 * SIDES * (double)(c->n + READINGS), x = log(claims / once),
               most = 2 * sqrt(x / SAMPLES) + 2 * x / SAMPLES, least = 2 * sqrt(x / SAMPLES);
  const double *covariance;
  PetscCall(MatDenseGetArrayRead(c->covariance[side], &covariance));
  for (PetscInt k = 0; k < c->n + READINGS; k++) {
    const double ratio = c->square[side][k] / SAMPLES / variance(c, covariance, k);
    claim_that(ratio <= 1 + most && ratio >= 1 - least,
               "%s %d, %s the data: variance of %d samples over the dense one is %g, expected %g "
               "to %g",
               k < c->n ? "control" : "reading", (int)(k < c->n ? k : k - c->n),
               side ? "after" : "before", SAMPLES, ratio, 1 - least, 1 + most);
  }
  return MatDenseRestoreArrayRead(c->covariance[side], &covariance);
}

static PetscErrorCode test(void) {
  Case c = {0};
  HgPosterior p;
  PetscCall(create(&c));
  PetscCall(HgPosteriorCreate(HgInversionRanges(c.c.inversion), c.c.misfit, c.c.R, c.c.m, ALL, &p));
  for (uint64_t seed = 1; seed <= SAMPLES; seed++) {
    double expected = 0;
    for (PetscInt k = 0; k < c.n; k++) expected += pow(HgGaussian(1, seed, (uint64_t)k), 2);
    PetscCall(HgPosteriorSample(p, seed, c.sample[0], c.sample[1]));
    for (int side = 0; side < SIDES; side++) PetscCall(add(&c, seed, side, expected));
  }
  for (int side = 0; side < SIDES; side++) {
    PetscCall(expect_variances(&c, side));
    PetscCall(MatDestroy(&c.precision[side]));
    PetscCall(MatDestroy(&c.covariance[side]));
  }
  PetscCall(HgPosteriorDestroy(&p));
  PetscCall(HgStatesDestroy(&c.sample[0], &c.sample[1], &c.J));
  PetscCall(PetscFree5(c.m, c.x, c.square[0], c.square[1], c.G));
  return posterior_destroy(&c.c);
}

CLAIM("samples are those of the dense covariances", 0, test)
