/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: standard deviations before and after the data, also of a number that controls add up to,
   and eigenvalues, are those of the dense
   Hessians, to 1e-8; of fewer eigenpairs the largest is found to 1e-3, none is too large, and no
   deviation exceeds that before the data. */
#include "claim.h"
#include "posterior_case.h"

enum { ALL = 60 /* the data are 42 numbers */ };

static const double bound = 1e-8;

static PetscErrorCode expect_diagonal(Mat covariance, HgState deviation, const char what[]) {
  const PetscInt n = (PetscInt)HgStateLength(deviation);
  const double *c;
  double *d, worst = 0;
  PetscCall(PetscMalloc1(n, &d));
  HgStatePack(deviation, d);
  PetscCall(MatDenseGetArrayRead(covariance, &c));
  for (PetscInt k = 0; k < n; k++) {
    const double expected = sqrt(c[k * n + k]), off = fabs(d[k] - expected) / expected;
    worst = !(off <= worst) ? off : worst;
  }
  PetscCall(MatDenseRestoreArrayRead(covariance, &c));
  claim_at_most(worst, bound, "%s, relative", what);
  return PetscFree(d);
}

/* sqrt(<g, C g>) of a random g. */
static PetscErrorCode expect_functional(HgPosterior p, HgState m, Mat prior, Mat covariance) {
  const Mat all[2] = {prior, covariance};
  double found[2], *a;
  HgState g;
  Vec v, Cv;
  PetscCall(HgStateDuplicate(m, &g));
  PetscCall(HgStateRandom(g, 3));
  PetscCall(HgPosteriorFunctional(p, g, &found[0], &found[1]));
  PetscCall(MatCreateVecs(prior, &v, &Cv));
  PetscCall(VecGetArray(v, &a));
  HgStatePack(g, a);
  PetscCall(VecRestoreArray(v, &a));
  for (int k = 0; k < 2; k++) {
    double square;
    PetscCall(MatMult(all[k], v, Cv));
    PetscCall(VecDot(v, Cv, &square));
    claim_at_most(fabs(found[k] / sqrt(square) - 1), bound, "deviation of a number, %s the data",
                  k ? "after" : "before");
  }
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&Cv));
  return HgStateDestroy(&g);
}

/* sum lambda = trace(R''^-1 H), and of lambda / (1 + lambda) likewise with C. */
static PetscErrorCode expect_traces(HgPosterior p, Mat H, Mat prior, Mat covariance) {
  const Mat inverse[2] = {prior, covariance};
  const double *lambda;
  const int pairs = HgPosteriorEigenvalues(p, &lambda);
  claim_that(lambda[0] > 100 && lambda[8] > 1 && lambda[pairs - 1] < 1e-3,
             "the data tell some numbers, and others not: %g, %g, %g", lambda[0], lambda[8],
             lambda[pairs - 1]);
  for (int k = 1; k < pairs; k++) claim_at_most(lambda[k], lambda[k - 1], "eigenvalue %d", k);
  for (int n = 0; n < 2; n++) {
    double sum = 0, trace;
    Mat product;
    for (int k = 0; k < pairs; k++) sum += n ? lambda[k] / (1 + lambda[k]) : lambda[k];
    PetscCall(MatMatMult(inverse[n], H, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
    PetscCall(MatGetTrace(product, &trace));
    PetscCall(MatDestroy(&product));
    claim_at_most(fabs(sum - trace), bound * trace, "the sum of %d eigenvalues, %s", pairs,
                  n ? "as the data's share" : "plain");
  }
  return 0;
}

static PetscErrorCode deviations(PosteriorCase *c, int pairs, HgPosterior *p) {
  PetscCall(HgPosteriorCreate(HgInversionRanges(c->inversion), c->misfit, c->R, c->m, pairs, p));
  return HgPosteriorDeviations(*p, c->prior, c->deviation);
}

/* Of 1, 3, 9, 27 pairs, `all` being the eigenvalues of all. */
static PetscErrorCode expect_fewer(PosteriorCase *c, const double all[]) {
  HgPosterior p;
  const size_t n = HgStateLength(c->m);
  const double *lambda;
  double *before, *after;
  PetscCall(PetscMalloc2(n, &before, n, &after));
  for (int pairs = 1; pairs < 40; pairs *= 3) {
    int above = 0;
    PetscCall(deviations(c, pairs, &p));
    HgStatePack(c->prior, before);
    HgStatePack(c->deviation, after);
    for (size_t k = 0; k < n; k++) above += !(after[k] <= before[k]);
    claim_that(!above, "%d pairs: %d deviations are larger than before the data", pairs, above);
    const int found = HgPosteriorEigenvalues(p, &lambda);
    claim_that(found == pairs, "%d pairs of %d", found, pairs);
    for (int k = 0; k < found; k++)
      claim_at_most(lambda[k], all[k] * (1 + bound), "%d pairs: eigenvalue %d", pairs, k);
    claim_at_most(all[0] - lambda[0], 1e-3 * all[0], "%d pairs: what the largest lacks", pairs);
    PetscCall(HgPosteriorDestroy(&p));
  }
  return PetscFree2(before, after);
}

static PetscErrorCode compare(void) {
  PosteriorCase c;
  HgPosterior p;
  Mat H, R, A, prior, covariance;
  const double *lambda;
  PetscCall(posterior_create(PETSC_COMM_WORLD, 0, 0, &c));
  PetscCall(dense_hessian(c.misfit, c.m, &H));
  PetscCall(dense_hessian(c.R, c.m, &R));
  PetscCall(MatDuplicate(H, MAT_COPY_VALUES, &A));
  PetscCall(MatAXPY(A, 1, R, SAME_NONZERO_PATTERN));
  PetscCall(dense_invert(R, &prior));
  PetscCall(dense_invert(A, &covariance));
  PetscCall(deviations(&c, ALL, &p));
  PetscCall(expect_diagonal(prior, c.prior, "before the data"));
  PetscCall(expect_diagonal(covariance, c.deviation, "after the data"));
  PetscCall(expect_traces(p, H, prior, covariance));
  PetscCall(expect_functional(p, c.m, prior, covariance));
  HgPosteriorEigenvalues(p, &lambda);
  PetscCall(expect_fewer(&c, lambda));
  PetscCall(HgPosteriorDestroy(&p));
  Mat *const all[] = {&H, &R, &A, &prior, &covariance};
  for (int k = 0; k < 5; k++) PetscCall(MatDestroy(all[k]));
  return posterior_destroy(&c);
}

CLAIM("a posterior is that of the dense Hessians", 0, compare)
