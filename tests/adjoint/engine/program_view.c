/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the plan of a program that -hg_program_view prints tells tiles, skews, bytes handed on and
   the lengths of time blocks, forward and back, as the engine uses them. */
#include "claim.h"
#include "shallow_case.h"
#include <halograd/program_library.h>
#include <stdlib.h>

enum { SIZE = 1 << 16, NX = 150, NY = 60, GHOST = 12 };

static PetscErrorCode view(HgProgram p, char text[SIZE]) {
  PetscViewer viewer;
  FILE *file = tmpfile();
  if (!file) abort();
  PetscCall(PetscViewerASCIIOpenWithFILE(HgMeshComm(HgProgramMesh(p)), file, &viewer));
  PetscCall(HgProgramView(p, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  text[fread(text, 1, SIZE - 1, file)] = 0;
  fclose(file);
  return 0;
}

static void claim_says(const char text[], const char words[]) {
  claim_that(strstr(text, words) != NULL, "it says '%s'", words);
}

/* The number that stands before `words`, where they stand first; -1: nowhere. */
static long number_before(const char text[], const char words[]) {
  const char *at = strstr(text, words), *first = at;
  while (first && first > text && first[-1] >= '0' && first[-1] <= '9') first--;
  return at && first < at ? atol(first) : -1;
}

static PetscErrorCode plan(const HgMesh mesh, const HgShallowWaterParams *params, char text[SIZE],
                           long *forward, long *back) {
  HgProgram p;
  HgReversal way;
  PetscCall(shallow_program(mesh, &(ShallowSpec){0}, 0.01, params, &p));
  PetscCall(view(p, text));
  *forward = HgProgramStride(p, 1000);
  PetscCall(HgProgramReversal(p, true, &way));
  *back = way.steps;
  return HgProgramDestroy(&p);
}

static PetscErrorCode test(void) {
  static char text[SIZE];
  const HgMeshSpec spec = {
      .nx = NX, .ny = NY, .dx = 0.1, .dy = 0.1, .periodic_x = true, .ghost = GHOST};
  const HgShallowWaterParams params = {.gravity = 1, .scheme.epsilon = 0.1};
  HgMesh mesh;
  long forward, back;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(set_option("-hg_tile_columns", 48));
  PetscCall(set_option("-hg_tile_rows", 3));
  PetscCall(set_option("-hg_time_block", 3));
  PetscCall(plan(mesh, &params, text, &forward, &back));
  if (!claim.rank) {
    claim_that(forward == 3, "%ld steps at once, expected 3", forward);
    claim_that(number_before(text, " steps in one time block, where") == forward,
               "it tells a time block of %ld steps", forward);
    claim_that(number_before(text, " steps reversed in one time block") == (back > 1 ? back : -1),
               "it tells that %ld steps are reversed in one time block", back);
    claim_says(text, "of step 3: ");
    claim_says(text, ", skew ");
    claim_says(text, ", 3 rows at a time, ");
    claim_that(number_before(text, " columns") == 40 || number_before(text, " columns") == 48,
               "it tells the width of a tile, 48 columns at most: %ld",
               number_before(text, " columns"));
    claim_that(number_before(text, " bytes of rows handed on") > 40 * 8,
               "it tells the bytes of rows handed on");
  }
  PetscCall(set_option("-hg_time_block", 1));
  PetscCall(plan(mesh, &params, text, &forward, &back));
  if (!claim.rank) claim_that(!strstr(text, "time block"), "no time block is told of");
  return HgMeshDestroy(&mesh);
}

CLAIM("the printed plan of a program tells tiles, skews, bytes and time blocks", 0, test)
