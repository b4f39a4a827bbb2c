/* SPDX-License-Identifier: BSD-2-Clause */
/* claim: an error is one sentence and one code on all ranks, whichever ranks fail. */
#include "claim.h"
#include "refusal.h"
#include <halograd/error_library.h>

static int size;

static void fail(const char what[], int value, int bound, const char said[]) {
  claim_that(false, "%s: got %d, expected %d; it said '%s'", what, value, bound, said);
}

/* Ranks `first`, first + stride, ... fail; each has a sentence of its own. */
static void agree(int first, int stride) {
  const bool failed = claim.rank >= first && (claim.rank - first) % stride == 0;
  const int lines_expected = first < size;
  char said_text[256], expected[256];
  const Said said = said_begin();
  const PetscErrorCode ierr = HgAgree(PETSC_COMM_WORLD, failed, HG_ERR_CHECK_FAILED,
                                      "rank %d of %d cannot read\n'%s'", claim.rank, size, "a\tb");
  const int lines = said_end(said, said_text, sizeof said_text);
  snprintf(expected, sizeof expected,
           "halograd: error [check-failed]: rank %d of %d cannot read 'a b'\n", claim.rank, size);
  if (ierr != (first < size ? HG_ERROR_TOLD : 0))
    fail("code of HgAgree", ierr, first < size ? HG_ERROR_TOLD : 0, said_text);
  if (lines != lines_expected) fail("lines of HgAgree", lines, lines_expected, said_text);
  if (strcmp(said_text, claim.rank == first ? expected : ""))
    fail("sentence of HgAgree, lowest failing rank", claim.rank, first, said_text);
}

static PetscErrorCode require(int value) {
  HgRequire(PETSC_COMM_WORLD, value > 0, HG_ERR_CHECK_FAILED, "size: expected > 0, got %d", value);
  return 0;
}

static PetscErrorCode two_frames(int value) {
  PetscCall(require(value));
  return 0;
}

static void told(int value, const char expected[]) {
  char said_text[256];
  const int code = *expected ? HG_ERROR_TOLD : 0;
  const Said said = said_begin();
  const PetscErrorCode ierr = two_frames(value);
  const int lines = said_end(said, said_text, sizeof said_text);
  if (ierr != code) fail("code of HgRequire", ierr, code, said_text);
  if (lines != (*expected != 0)) fail("lines of HgRequire", lines, *expected != 0, said_text);
  if (strcmp(said_text, claim.rank ? "" : expected))
    fail("sentence of HgRequire", value, 1, said_text);
}

/* `other` is the one rank that has another number. */
static void alike(int other) {
  char said_text[256];
  const bool differ = other > 0 && other < size;
  const Said said = said_begin();
  const PetscErrorCode ierr =
      HgRequireAlike(PETSC_COMM_WORLD, "%d cells", claim.rank == other && differ ? 8 : 7);
  const int lines = said_end(said, said_text, sizeof said_text);
  if (ierr != (differ ? HG_ERROR_TOLD : 0) || lines != differ)
    fail("lines of HgRequireAlike", lines, differ, said_text);
  if (strcmp(said_text, differ && claim.rank == other
                            ? "halograd: error [ranks-differ]: a rank has 8 cells where rank 0 has "
                              "7 cells; give all ranks the same\n"
                            : ""))
    fail("sentence of HgRequireAlike", other, size, said_text);
}

static void long_sentence(void) {
  char text[4096], said_text[8192];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  const Said said = said_begin();
  const PetscErrorCode ierr = HgError(PETSC_COMM_WORLD, HG_ERR_CHECK_FAILED, "%s", text);
  const int lines = said_end(said, said_text, sizeof said_text);
  if (ierr != HG_ERROR_TOLD || lines != 1) fail("a sentence that is too long", lines, 1, said_text);
}

/* Even and odd ranks are two groups; group `culprit` fails, or both (2). */
static void groups(int culprit) {
  char said_text[256], expected[256];
  MPI_Comm group;
  MPI_Comm_split(PETSC_COMM_WORLD, claim.rank % 2, claim.rank, &group);
  HgErrorHold(true);
  Said said = said_begin();
  const bool fails = culprit == 2 || claim.rank % 2 == culprit;
  const PetscErrorCode mine =
      fails ? HgError(group, HG_ERR_CHECK_FAILED, "group %d fails", claim.rank % 2) : 0;
  int lines = said_end(said, said_text, sizeof said_text);
  if (lines) fail("lines while held", lines, 0, said_text);
  const bool any = culprit != 1 || size > 1;
  said = said_begin();
  const PetscErrorCode ierr = HgErrorTell(PETSC_COMM_WORLD, mine);
  lines = said_end(said, said_text, sizeof said_text);
  snprintf(expected, sizeof expected, "halograd: error [check-failed]: group %d fails\n",
           culprit % 2);
  if (ierr != (any ? HG_ERROR_TOLD : 0)) fail("code of HgErrorTell", ierr, any, said_text);
  if (lines != any) fail("lines of HgErrorTell", lines, any, said_text);
  if (strcmp(said_text, any && claim.rank == culprit % 2 ? expected : ""))
    fail("sentence of HgErrorTell, group", culprit, claim.rank, said_text);
  HgErrorHold(false);
  told(0, "halograd: error [check-failed]: size: expected > 0, got 0\n"); /* as before */
  MPI_Comm_free(&group);
}

static PetscErrorCode test(void) {
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (int first = 0; first <= size; first++)
    for (int stride = 1; stride <= 3; stride++) agree(first, stride);
  for (int other = 1; other <= size; other++) alike(other);
  told(0, "halograd: error [check-failed]: size: expected > 0, got 0\n");
  told(1, "");
  long_sentence();
  for (int culprit = 0; culprit < 3; culprit++) groups(culprit);
  return 0;
}

CLAIM("an error is one sentence and one code on all ranks", 0, test)
