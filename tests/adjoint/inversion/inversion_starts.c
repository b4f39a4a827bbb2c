/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an inversion works after each start of the library, with the same bits, although PETSc
   3.18 forgets the methods of TAO at its end. A program that calls MPI_Init() itself may start it
   often, as claims.c does with this one. */
#include "claim.h"
#include "iterates.h"
#include "valley.h"

static PetscErrorCode invert(Iterates *all) {
  HgMesh mesh;
  HgOperator valley;
  HgState m;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  const int ranks = claim.ranks;
  *all = iterates_begin();
  PetscCall(valley_create(PETSC_COMM_WORLD, ranks, 1, &mesh, &valley, &m));
  PetscCall(HgInversionCreate(valley, &inversion));
  PetscCall(HgInversionSetMonitor(inversion, iterates_watch, all));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-9, .iterations = 12, .evaluations = 100}));
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  PetscCall(HgInversionDestroy(&inversion));
  return valley_destroy(&mesh, &valley, &m);
}

int main(int argc, char **argv) {
  Iterates first = {0}, again = {0};
  int count = argc;
  char **words = argv;
  PetscErrorCode ierr = HgInitialize(&count, &words, NULL);
  if (!ierr) ierr = invert(&first);
  const int failed = HgFinalize(ierr);
  if (failed) return failed;
  ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("an inversion works after each start of the library", 0);
  if (!ierr) ierr = invert(&again);
  claim_at_most(10, first.count, "iterates compared");
  claim_that(first.hash == again.hash, "'%s', expected '%s'", again.last, first.last);
  return claim_end(ierr);
}
