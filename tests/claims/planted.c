/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: none; with -how fail the last rank says that it fails, with -how crash it crashes, with
   -how hang it never comes: for the test of claims.c. */
#include "claim.h"
#include <unistd.h>

static PetscErrorCode test(void) {
  char how[8] = "";
  const int ranks = claim.ranks;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-how", how, sizeof how, NULL));
  if (claim.rank < ranks - 1) return 0;
  claim_that(strcmp(how, "fail"), "-how fail is not given");
  if (!strcmp(how, "crash")) *(volatile int *)NULL = 1;
  while (!strcmp(how, "hang")) pause();
  return 0;
}

CLAIM("no failure is planted", 0, test)
