/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: eigenvalues and standard deviations of a posterior have the same bits on any
   decomposition. */
#include "claim.h"
#include "posterior_case.h"
#include "same_bits.h"

static PetscErrorCode run(MPI_Comm comm, Layout layout, long pairs, char text[LAYOUT_TEXT]) {
  PosteriorCase c;
  HgPosterior p;
  const double *lambda;
  char prior[17], deviation[17];
  PetscCall(posterior_create(comm, layout.px, layout.py, &c));
  PetscCall(HgPosteriorCreate(HgInversionRanges(c.inversion), c.misfit, c.R, c.m, (int)pairs, &p));
  PetscCall(HgPosteriorDeviations(p, c.prior, c.deviation));
  PetscCall(HgStateDigest(c.prior, NULL, prior));
  PetscCall(HgStateDigest(c.deviation, NULL, deviation));
  double of_sum[2];
  const int count = HgPosteriorEigenvalues(p, &lambda);
  PetscCall(HgStateRandom(c.prior, 3));
  PetscCall(HgPosteriorFunctional(p, c.prior, &of_sum[0], &of_sum[1]));
  char sample[2][17];
  PetscCall(HgPosteriorSample(p, 5, c.prior, c.deviation));
  PetscCall(HgStateDigest(c.prior, NULL, sample[0]));
  PetscCall(HgStateDigest(c.deviation, NULL, sample[1]));
  snprintf(text, LAYOUT_TEXT,
           "lambda %a ... %a, prior %s, deviation %s, of a number %a %a, samples %s %s", lambda[0],
           lambda[count - 1], prior, deviation, of_sum[0], of_sum[1], sample[0], sample[1]);
  PetscCall(HgPosteriorDestroy(&p));
  return posterior_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a posterior has the same bits on any decomposition", 0);
  if (!ierr) ierr = expect_same_on_layouts("all that the data tell", run, 50);
  return claim_end(ierr);
}
