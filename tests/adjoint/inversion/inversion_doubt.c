/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an inversion whose gradient is wrong says so, once, when an iterate takes more than ten
   evaluations, and names -check; one whose gradient is right, or that looks at no gradient, says
   nothing. */
#include "caught.h"
#include "claim.h"
#include "valley.h"
#include <halograd/inversion.h>
#include <halograd/operator_library.h>
#include <petsctao.h>
#include <stdlib.h>

/* Of the right size, and uphill. */
static PetscErrorCode wrong_gradient(void *self, HgState m, double *J, HgState g) {
  PetscCall(valley_gradient(self, m, J, g));
  return HgStateScale(g, -1);
}

/* How often rank 0 prints `word` while a functional of that gradient is inverted. */
static PetscErrorCode count(PetscErrorCode (*gradient)(void *, HgState, double *, HgState),
                            const char word[], int *times) {
  HgMesh mesh;
  HgOperator valley, functional;
  HgState m;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  char text[4096] = "";
  PetscCall(valley_create(PETSC_COMM_WORLD, 0, 0, &mesh, &valley, &m));
  PetscCall(HgOperatorCreate("hill", m, NULL, &(HgOperatorTable){.gradient = gradient}, NULL,
                             &functional));
  PetscCall(HgInversionCreate(functional, &inversion));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-8, .iterations = 20, .evaluations = 300}));
  FILE *const usual = caught_begin();
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  caught_end(usual, text, sizeof text);
  *times = 0;
  for (const char *at = text; (at = strstr(at, word)) != NULL; at++) ++*times;
  PetscCall(DESTROY(&inversion, &functional));
  return valley_destroy(&mesh, &valley, &m);
}

static PetscErrorCode test(void) {
  static const char *const words[] = {"the gradient of 'hill' may be wrong", "-check",
                                      "more than 10 evaluations"};
  int times;
  for (int k = 0; k < 3; k++) {
    PetscCall(count(wrong_gradient, words[k], &times));
    claim_that(times == (claim.rank == 0), "a wrong gradient: '%s' is said %d times", words[k],
               times);
    PetscCall(count(valley_gradient, words[k], &times));
    claim_that(times == 0, "a right gradient: '%s' is said %d times", words[k], times);
  }
  PetscCall(PetscOptionsSetValue(NULL, "-tao_type", TAONM));
  PetscCall(count(wrong_gradient, words[0], &times));
  claim_that(times == 0, "no gradient: '%s' is said %d times", words[0], times);
  return 0;
}

CLAIM("an inversion whose gradient is wrong says so once", 0, test)
