/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a claim that runs after another begins in an empty directory of its own, for the test of
   claims.c. */
#include "claim.h"
#include <unistd.h>

int main(int argc, char **argv) {
  char here[4096] = "";
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a claim runs in a directory of its own", 0);
  const size_t length = strlen(getcwd(here, sizeof here) ? here : "");
  claim_that(length > 6 && !strcmp(here + length - 6, "/holds"), "it runs in '%s'", here);
  return claim_end(ierr);
}
